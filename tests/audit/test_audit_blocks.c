/* Audit of sample-and-aggregate on neighbouring rows (R15), by replay and not
 * by sampling: two runs with the same coins on neighbours are the pair that the
 * proof compares. Watched are the dealing (which blocks hold the row in
 * question, and all others), the width of the noise, and what it is added to:
 *   - a row is in exactly one block of a partition, in at most the declared
 *     number of overlapping ones, and no other row is dealt otherwise;
 *   - the answer moves by no more than the S that the noise was scaled for;
 *   - ln S moves by no more than beta.
 * alpha and beta are recomputed for what was declared. Planted: sensitivity
 * that is local and not smooth, overlap priced as a partition, rows dealt to
 * two blocks, a third of the noise. */
#include <math.h>

#include "support/make_planes.h"

#include "noise/noise.h"
#include "sidedoor/blocks.h"

typedef enum { SOUND, LOCAL, OVERLAP, TWICE, THIRD } fault;

static fault planted;
static double scale_now; /* of the last release */
enum { MOST_ROWS = 400, MOST_BLOCKS_SEEN = 100 };
static uint8_t dealt[MOST_ROWS][MOST_BLOCKS_SEEN]; /* row, block: how often */
static uint32_t most_each, blocks_now;
static kith_i_smooth smooth_now;

/* No noise: its width is what we want to know. */
static kith_status watched_noise(const kith_i_noise *noise, int64_t *values,
                                 size_t count, kith_error *err)
{
    (void)values;
    (void)count;
    (void)err;
    double scale = kith_i_scale_value(noise->scales[0]);
    scale_now = fmax(scale_now, scale * (planted == THIRD ? 1 / 3. : 1));
    return KITH_OK;
}

static uint64_t watched_medoid(uint64_t *squares, uint32_t m, uint32_t each,
                               uint64_t diameter, double beta, uint64_t *work,
                               uint32_t *medoid)
{
    if (planted == LOCAL)
        beta = 40; /* later terms vanish */
    return kith_i_smooth_medoid(squares, m, planted == OVERLAP ? 1 : each,
                                diameter, beta, work, medoid);
}

/* Blocks come one after the other: there is one thread. */
static kith_status watched_answer(const kith_i_blocks *b, const double *rows,
                                  uint32_t n, kith_i_coins *coins, double *room,
                                  int32_t *answer)
{
    size_t i = (size_t)(answer - b->answers) / b->entries;
    const uint32_t *mine = b->order + b->from[i];
    if (i == 0) {
        memset(dealt, 0, sizeof dealt);
        most_each = b->each;
        blocks_now = b->m;
        smooth_now = b->smooth;
    }
    for (uint32_t r = 0; r < n; r++)
        dealt[mine[r]][i]++;
    if (planted == TWICE && i > 0 && n > 0) { /* one row is in all blocks */
        memcpy((double *)(uintptr_t)rows, b->x + (size_t)b->order[0] * b->d,
               b->d * sizeof *rows);
        dealt[mine[0]][i]--;
        dealt[b->order[0]][i]++;
    }
    return kith_i_answer_planes(b, rows, n, coins, room, answer);
}

/* release_blocks.c, its own text, with eyes */
#define kith_i_noise_add     watched_noise
#define kith_i_smooth_medoid watched_medoid
#define kith_i_answer_planes watched_answer
#include "sidedoor/release_blocks.c"
#undef kith_i_noise_add
#undef kith_i_smooth_medoid
#undef kith_i_answer_planes

enum { D = 2 };

/* A line: its angle is the sum of what the rows say, (cos 2a, sin 2a) each. */
static kith_status solve(const void *arg, const double *rows, uint32_t n,
                         kith_i_coins *coins, double *planes, kith_error *err)
{
    (void)arg;
    (void)coins;
    (void)err;
    double angle = 0;
    for (uint32_t r = 0; r < n; r++)
        angle += atan2(rows[r * D + 1], rows[r * D]) / 2;
    planes[0] = cos(angle);
    planes[1] = sin(angle);
    return KITH_OK;
}

typedef struct {
    const char *name;
    size_t rows;
    uint32_t block_rows;
    int overlap;
    kith_neighbors neighbors;
    double epsilon;
} shape;

static void release(const shape *s, const double *rows, size_t n, uint64_t seed,
                    int64_t *out)
{
    kith_session *session = open_session(load(rows, n, D, ball(1)), s->epsilon,
                                         1e-6, s->neighbors, 1, seed);
    kith_i_blocks_spec spec = {.what = "test",
                               .k = 1,
                               .q = 1,
                               .block_rows = s->block_rows,
                               .overlap = s->overlap,
                               .force = 1};
    kith_error err = {0};
    scale_now = 0;
    if (kith_i_release_blocks_by(session, &spec, solve, NULL, out, &err))
        fail_msg("%s", err.message);
    kith_session_close(session);
}

/* In parts of what is allowed. */
typedef struct {
    double shift, width;
    uint32_t blocks;
    int others; /* is another row dealt otherwise? */
    int pairs;
} found;

/* What alpha and beta may be, for as many blocks as there were last: add-remove
 * pays for a count first. */
static kith_i_smooth allowed(const shape *s)
{
    kith_privacy privacy = {s->epsilon, 1e-6, s->neighbors};
    kith_measure measure;
    kith_i_loss total;
    kith_i_smooth out;
    assert_int_equal(kith_i_privacy_total(&privacy, &measure, &total, NULL),
                     KITH_OK);
    if (s->neighbors == KITH_ADD_REMOVE) {
        double mu = sqrt(.01) * kith_i_loss_value(total, measure);
        privacy.epsilon -= kith_i_gdp_epsilon(mu, privacy.delta / 10);
        privacy.delta *= .9;
    }
    assert_int_equal(kith_i_smooth_set(privacy.epsilon, privacy.delta, 3,
                                       blocks_now, most_each, &out, NULL),
                     KITH_OK);
    return out;
}

static uint32_t blocks_of(const uint8_t *row)
{
    uint32_t blocks = 0;
    for (size_t i = 0; i < MOST_BLOCKS_SEEN; i++)
        blocks += row[i];
    return blocks;
}

/* The row in most blocks. Who is dealt where does not depend on the rows. */
static size_t busiest(const shape *s, const double *rows, uint64_t seed)
{
    int64_t out[D * D];
    size_t best = 0;
    release(s, rows, s->rows, seed, out);
    for (size_t r = 1; r < s->rows; r++)
        if (blocks_of(dealt[r]) > blocks_of(dealt[best]))
            best = r;
    return best;
}

static void compare(const shape *s, const double *a, const double *b,
                    size_t one, uint64_t seed, found *most)
{
    static uint8_t before[MOST_ROWS][MOST_BLOCKS_SEEN];
    size_t m = s->neighbors == KITH_REPLACE_ONE ? s->rows : s->rows - 1;
    int64_t x[D * D], y[D * D];
    double square = 0, wide;
    release(s, a, s->rows, seed, x);
    wide = scale_now;
    uint32_t first = blocks_now;
    memcpy(before, dealt, sizeof before);
    release(s, b, m, seed, y);
    if (first != blocks_now)
        return; /* another noisy count: paid for, and not this pair */
    most->pairs++;
    double alpha =
        kith_i_loss_value(smooth_now.alpha_squared, KITH_GAUSSIAN_DP);
    for (int i = 0; i < D * D; i++)
        square += (double)(x[i] - y[i]) * (double)(x[i] - y[i]);
    most->shift =
        fmax(most->shift, sqrt(square) / (alpha * fmin(wide, scale_now)));
    most->width =
        fmax(most->width, fabs(log(wide / scale_now)) / smooth_now.beta);
    for (size_t r = 0; r < s->rows; r++) {
        uint32_t blocks = blocks_of(before[r]);
        most->blocks = blocks > most->blocks ? blocks : most->blocks;
    }
    for (size_t r = 0; r < m; r++)
        most->others |=
            r != one && memcmp(before[r], dealt[r], sizeof before[r]);
}

/* Many neighbours: `near` rows say 0, the others say `far` or stray by a bit,
 * and one row says something else. */
static found audit(const shape *s, fault f)
{
    found most = {0};
    double rows[MOST_ROWS * D], other[MOST_ROWS * D];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 3, 1);
    planted = f;
    for (uint64_t t = 0; t < (s->overlap ? 10 : 20); t++) {
        size_t half = s->rows / 2;
        if (s->overlap) /* about half of all blocks of four agree */
            half = s->rows * 27 / 32 + kith_i_coins_below(&coins, s->rows / 16);
        size_t near = t % 4 == 0   ? half - kith_i_coins_below(&coins, 3)
                      : t % 4 == 1 ? s->rows
                      : t % 4 == 2
                          ? half + kith_i_coins_below(&coins, s->rows - half)
                          : half + kith_i_coins_below(&coins, 3);
        double far = .02 + 1.4 * kith_i_coins_unit(&coins);
        if (t % 8 == 1)
            far = M_PI / 2;
        double bit = t % 3 ? 0 : .01;
        for (size_t r = 0; r < s->rows; r++) {
            double angle = r < near ? 0 : far;
            angle += bit * kith_i_coins_unit(&coins);
            rows[r * D] = .99 * cos(2 * angle);
            rows[r * D + 1] = .99 * sin(2 * angle);
        }
        memcpy(other, rows, sizeof other);
        size_t one = s->overlap ? busiest(s, rows, t)
                     : s->neighbors == KITH_REPLACE_ONE && t % 2 ? 0
                                                                 : s->rows - 1;
        double angle = t % 2 ? far : 0;
        other[one * D] = .99 * cos(2 * angle);
        other[one * D + 1] = .99 * sin(2 * angle);
        compare(s, rows, other, one, t, &most);
    }
    planted = SOUND;
    return most;
}

static const shape shapes[] = {
    {"partition", 60, 1, 0, KITH_REPLACE_ONE, 2},
    {"partition, two a block", 64, 2, 0, KITH_REPLACE_ONE, 8},
    {"overlap", 400, 4, 1, KITH_REPLACE_ONE, 40},
    {"added", 120, 8, 0, KITH_ADD_REMOVE, 8},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void test_claims_stand(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        const shape *s = &shapes[i];
        found f = audit(s, SOUND);
        kith_i_smooth may = allowed(s);
        print_message("%-24s shift %.3f, width %.3f; in %u blocks; %d pairs\n",
                      s->name, f.shift, f.width, f.blocks, f.pairs);
        assert_true((double)smooth_now.alpha_squared <=
                    (double)may.alpha_squared * 1.000001);
        assert_true(smooth_now.beta <= may.beta * 1.000001);
        assert_true(f.shift <= 1 + 1e-6 && f.width <= 1 + 1e-6);
        assert_false(f.others);
        assert_true(f.blocks <= (s->overlap ? most_each : 1));
        assert_true(f.blocks >= (s->overlap ? 2 : 1));
        assert_true(f.width > .9 &&
                    (s->block_rows > 1 || f.shift > .4)); /* not blind */
    }
}

static void test_mistakes_are_caught(void **state)
{
    (void)state;
    static const char *names[] = {"sound", "local", "overlap", "twice",
                                  "third"};
    for (size_t i = 0; i < SHAPES; i++)
        for (fault f = LOCAL; f <= THIRD; f++) {
            const shape *s = &shapes[i];
            if (s->overlap ? f == TWICE : f == OVERLAP)
                continue; /* no mistake there */
            if (f == THIRD && s->block_rows > 1)
                continue; /* the medoid hardly moves */
            found got = audit(s, f);
            print_message("%-24s %-8s shift %.3f, width %.3f; in %u blocks\n",
                          s->name, names[f], got.shift, got.width, got.blocks);
            if (f == TWICE)
                assert_true(got.blocks > 1);
            else if (f == THIRD)
                assert_true(got.shift > 1.2);
            else
                assert_true(got.width > 1.2);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims_stand),
        cmocka_unit_test(test_mistakes_are_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
