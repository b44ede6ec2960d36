/* Round clusters fitted to all answers of a run: a made-up crowd answers the
 * questions of the script with a little noise, and the clusters that were put
 * in must come out, from starts that lack one or have one too many. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collect/collect_i.h"
#include "methods/explain_answers.h"
#include "methods/plane.h"
#include "support/cmocka_all.h"

enum { D = 6, K = 3, ROWS = 6000, LEAVES = 64 };
static const double SD = 0.05; /* of a coordinate of a user */
static const double NOISE = 0.02;

/* Centres: two differ on the plane of the first three axes; the third is far
 * from that plane too. */
static const double TRUTH[K][D] = {{.5, .1, 0, .1, 0, 0},
                                   {-.4, .3, .1, 0, -.1, 0},
                                   {-.1, -.4, .2, .2, .1, -.3}};
static const double SHARE[K] = {.5, .3, .2};

typedef struct {
    kith_i_local_run run;
    kith_i_collector face;
    kith_i_local_task task;
    kith_i_local_model model;
    double rows[ROWS][D];
} bed;

static bed the_bed;

/* What the rows answer, and noise that is as large as the answer says. */
static kith_status answer_rows(kith_i_collector *self,
                               const kith_i_question *questions, size_t count,
                               kith_i_answer *answers, kith_error *err)
{
    static kith_i_coins coins;
    (void)self;
    kith_i_coins_seed(&coins, 3, questions[0].report);
    for (size_t t = 0; t < count; t++) {
        const kith_i_question *q = &questions[t];
        kith_i_answer *a = &answers[t];
        float v[D + 1];
        assert_int_equal(kith_i_answer_alloc(q, D, a, err), KITH_OK);
        a->received = ROWS;
        a->sd = a->noise = NOISE;
        for (size_t r = 0; r < ROWS; r++) {
            uint64_t at = kith_i_encode(q, D, the_bed.rows[r], 0, v);
            if (!a->sums)
                a->fractions[at] += 1.0 / ROWS;
            for (size_t c = 0; a->sums && c < D; c++)
                a->sums[at * D + c] += (double)v[c] / ROWS;
        }
        size_t numbers = a->sums ? (size_t)a->buckets * D : a->symbols;
        double *to = a->sums ? a->sums : a->fractions;
        for (size_t c = 0; c < numbers; c++)
            to[c] += NOISE * kith_i_coins_normal(&coins);
    }
    return KITH_OK;
}

/* clusters: rows are of K of them, or at the eight corners of a cube. */
static void open_bed(int clusters)
{
    static double low[D], high[D], zero[D];
    bed *b = &the_bed;
    kith_i_coins coins;
    memset(b, 0, sizeof *b);
    kith_i_coins_seed(&coins, 7, 0);
    for (size_t r = 0; r < ROWS; r++) {
        double u = kith_i_coins_unit(&coins);
        int j = u < SHARE[0] ? 0 : u < SHARE[0] + SHARE[1] ? 1 : 2;
        for (size_t c = 0; c < D; c++)
            b->rows[r][c] = clusters
                                ? TRUTH[j][c] + SD * kith_i_coins_normal(&coins)
                                : (r >> c % 3 & 1 ? .4 : -.4) * (c < 3);
    }
    for (size_t c = 0; c < D; c++) {
        low[c] = -1;
        high[c] = 1;
    }
    b->task = (kith_i_local_task){.k = K,
                                  .d = D,
                                  .epsilon = 1,
                                  .lower = low,
                                  .upper = high,
                                  .center = zero,
                                  .radius = 1};
    b->face.ask = answer_rows;
    b->face.d = D;
    b->face.invited = ROWS;
    kith_i_local_open(&b->run, &b->task, &b->face, 3);
    b->run.remember = 1;
}

/* A tree on the first three axes, then distances and offsets from `near`. */
static void ask(const double near[][D], uint32_t count)
{
    static double rows[3 * D], offset[D], half[3] = {.8, .8, .8};
    static double low[3] = {-.8, -.8, -.8}, radii[8];
    bed *b = &the_bed;
    kith_i_grow grow;
    uint32_t *leaf;
    const kith_i_answer *answer;
    kith_i_lens lens = {
        .q = 3, .d = D, .rows = rows, .offset = offset, .half = half};
    kith_i_grow_box box = {3, low, half, 6, LEAVES};
    for (size_t a = 0; a < 3; a++)
        rows[a * D + a] = 1;
    for (size_t j = 0; j < 8; j++)
        radii[j] = .4;
    kith_i_question q =
        kith_i_local_question(&b->run, "cell", .2, KITH_I_REPORT_SYMBOL);
    assert_int_equal(kith_i_grow_open(&b->run, &box, &grow, NULL), KITH_OK);
    assert_int_equal(kith_i_grow_publish(&b->run, &grow, UINT32_MAX, &lens,
                                         &q.place, &leaf, NULL),
                     KITH_OK);
    assert_int_equal(kith_i_local_ask(&b->run, &q, 1, &answer, NULL), KITH_OK);
    for (int vector = 0; vector < 2; vector++) {
        q = kith_i_local_question(&b->run, "near", .2,
                                  vector ? KITH_I_REPORT_VECTOR
                                         : KITH_I_REPORT_DISTANCE);
        q.place.kind = KITH_I_PLACE_NEAREST;
        q.place.places = count;
        q.place.points = q.centers = near[0];
        q.radii = radii;
        q.bands = KITH_I_REFINE_BANDS;
        q.top = 2;
        assert_int_equal(kith_i_local_ask(&b->run, &q, 1, &answer, NULL),
                         KITH_OK);
    }
    assert_int_equal(kith_i_model_new(&b->run, count, &b->model, NULL),
                     KITH_OK);
    memcpy(b->model.center, near[0], count * D * sizeof(double));
}

/* Distance of each true centre from the nearest, and of its share. */
static void check_found(double far, double off)
{
    const kith_i_local_model *m = &the_bed.model;
    double sum = 0;
    assert_int_equal(m->count, K);
    for (int t = 0; t < K; t++) {
        double best = HUGE_VAL;
        uint32_t at = 0;
        for (uint32_t j = 0; j < K; j++) {
            double v = kith_i_distance_squared(TRUTH[t], m->center + j * D, D);
            at = v < best ? j : at;
            best = fmin(best, v);
        }
        sum += m->raw[at];
        if (!(sqrt(best) < far && fabs(m->raw[at] - SHARE[t]) < off))
            fail_msg("cluster %d: %g away, share %g", t, sqrt(best),
                     m->raw[at]);
        assert_true(fabs(m->spread[at] - D * SD * SD) < .7 * D * SD * SD);
    }
    assert_true(fabs(sum - 1) < 1e-9);
}

static void test_found(void **state)
{
    (void)state;
    /* Near the truth; one too many; one lost, two where one is, though the
     * offsets were asked about better ones. */
    static const double near[][4][D] = {
        {{.4, .1, 0}, {-.4, .2, 0}, {-.1, -.3, .2}},
        {{.4, .1, 0}, {-.4, .2, 0}, {-.1, -.3, .2}, {.5, .3, 0}},
        {{.4, .1, 0}, {-.35, .1, .1}, {.55, .15, 0}}};
    static const uint32_t count[] = {3, 4, 3};
    for (int t = 0; t < 3; t++) {
        double excess;
        open_bed(1);
        ask(near[t < 2 ? t : 0], count[t]);
        memcpy(the_bed.model.center, near[t], count[t] * D * sizeof(double));
        assert_int_equal(
            kith_i_explain(&the_bed.run, &the_bed.model, K, &excess, NULL),
            KITH_OK);
        check_found(.15, .06);
        kith_i_local_close(&the_bed.run);
    }
}

/* Eight corners are no three clusters: that is seen, and nothing is changed. */
static void test_no_clusters(void **state)
{
    (void)state;
    static const double near[][D] = {{.3, .1, 0}, {-.3, .2, 0}, {-.1, -.3, .2}};
    double excess;
    open_bed(0);
    ask(near, K);
    assert_int_equal(
        kith_i_explain(&the_bed.run, &the_bed.model, K, &excess, NULL),
        KITH_OK);
    assert_true(excess > kith_i_recipe.fits);
    assert_memory_equal(the_bed.model.center, near[0], sizeof near);
    kith_i_local_close(&the_bed.run);
}

/* Four groups, three clusters: two large groups are near each other, and are
 * missed more in chi squared than a small one far away, which costs more. */
static void test_far(void **state)
{
    (void)state;
    static const double near[][D] = {
        {.5, .1, 0}, {.5, .2, 0}, {-.4, .3, .1}, {-.2, -.6, .3}};
    double excess, best = HUGE_VAL;
    kith_i_coins coins;
    open_bed(1);
    kith_i_coins_seed(&coins, 8, 0);
    for (size_t r = 0; r < ROWS; r++) {
        const double *at = near[r % 16 == 0 ? 3 : r % 16 < 4 ? 2 : r % 2];
        for (size_t c = 0; c < D; c++)
            the_bed.rows[r][c] = at[c] + SD * kith_i_coins_normal(&coins);
    }
    ask(near, 4);
    assert_int_equal(
        kith_i_explain(&the_bed.run, &the_bed.model, K, &excess, NULL),
        KITH_OK);
    assert_int_equal(the_bed.model.count, K);
    for (uint32_t j = 0; j < K; j++)
        best = fmin(best, kith_i_distance_squared(
                              near[3], the_bed.model.center + j * D, D));
    assert_true(best < .2 * .2);
    kith_i_local_close(&the_bed.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_found),
                                       cmocka_unit_test(test_no_clusters),
                                       cmocka_unit_test(test_far)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
