/* The noise that users get: no seed, no replaced object. Whatever is drawn
 * apart must differ and be uncorrelated: places of one vector, chunks, cells,
 * threads, releases, sessions, processes. All noise is added to zeros. False
 * alarms: unlike.h. */
#include <pthread.h>

#include "dp/dp_i.h"
#include "noise/noise.h"
#include "noise/noise_wishart.h"
#include "release/release_select.h"
#include "support/copy_process.h"
#include "support/make_data.h"
#include "support/unlike.h"

enum { CHUNK = 1024, CHUNKS = 5, CELLS = 5, WIDTH = 300, THREADS = 3 };

static const kith_i_entropy_source secure = {.seeded = 0, .seed = 0};
static const kith_i_scale scales[CELLS] = {
    {1000003, 0}, {1000003, 0}, {1000003, 0}, {1000003, 0}, {1000003, 0}};

/* ---- one release --------------------------------------------------------- */

/* noise.c works in chunks of 1024; half of one as well, so that another size
 * would show too. */
static void check_chunks(kith_i_noise_kind kind, uint32_t threads)
{
    static int64_t values[CHUNKS * CHUNK];
    memset(values, 0, sizeof values);
    kith_i_noise noise = {.kind = kind,
                          .scales = scales,
                          .per_scale = CHUNKS * CHUNK,
                          .source = &secure,
                          .threads = threads};
    assert_int_equal(kith_i_noise_add(&noise, values, CHUNKS * CHUNK, NULL),
                     KITH_OK);
    check_all_unlike("chunks", values, CHUNKS, CHUNK);
    check_all_unlike("half chunks", values, 2 * CHUNKS, CHUNK / 2);
}

static void test_chunks(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= THREADS; threads += THREADS - 1) {
        check_chunks(KITH_I_LAPLACE, threads);
        check_chunks(KITH_I_GAUSSIAN, threads);
    }
}

static kith_i_noise knorm_noise(uint32_t threads)
{
    return (kith_i_noise){.scales = scales,
                          .per_scale = WIDTH,
                          .source = &secure,
                          .threads = threads};
}

static void test_knorm_cells(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= THREADS; threads += THREADS - 1) {
        int64_t values[CELLS * WIDTH] = {0};
        kith_i_noise noise = knorm_noise(threads);
        assert_int_equal(kith_i_noise_add_knorm(&noise, values, CELLS, NULL),
                         KITH_OK);
        check_all_unlike("cells", values, CELLS, WIDTH);
        /* within a vector: signs of one half, given the other, are fair */
        check_all_unlike("halves", values, 2 * CELLS, WIDTH / 2);
        /* radii too: equal ones would mean the same h */
        double square[CELLS] = {0};
        for (int c = 0; c < CELLS; c++)
            for (int i = 0; i < WIDTH; i++)
                square[c] += (double)values[c * WIDTH + i] *
                             (double)values[c * WIDTH + i];
        for (int c = 1; c < CELLS; c++) /* |z| varies by 2e7: chance 2e-8 */
            assert_true(fabs(sqrt(square[c]) - sqrt(square[c - 1])) > 0.5);
    }
}

/* One K-norm vector of several parts, twice. */
static void test_knorm_parts(void **state)
{
    (void)state;
    static const size_t ends[3] = {20, WIDTH / 2, WIDTH};
    int64_t values[2 * WIDTH] = {0};
    kith_i_noise noise = knorm_noise(1);
    for (size_t t = 0; t < 2; t++)
        assert_int_equal(kith_i_noise_add_parts(&noise, scales, ends, WIDTH,
                                                values + t * WIDTH, NULL),
                         KITH_OK);
    check_all_unlike("parts", values, 2, WIDTH);
}

/* A Wishart difference of 63 x 64 deviates twice, so that a chunk is 16 rows.
 * Flipping all signs of a row of G and H does not change the law: signs of
 * entries are fair and independent when each has a row of its own. */
static void test_wishart(void **state)
{
    (void)state;
    enum { P = 63, ROWS = 16, TIMES = 4, PAIRS = P / 2 };
    static int64_t matrix[P * P], apart[TIMES * PAIRS];
    static int64_t chunk[2][TIMES * ROWS];
    for (int t = 0; t < TIMES; t++) {
        memset(matrix, 0, sizeof matrix);
        kith_i_noise noise = {
            .scales = scales, .source = &secure, .threads = THREADS};
        assert_int_equal(kith_i_noise_add_wishart(&noise, P, matrix, NULL),
                         KITH_OK);
        for (int i = 0; i < PAIRS; i++)
            apart[t * PAIRS + i] = matrix[2 * i * P + 2 * i + 1];
        for (int i = 0; i < ROWS; i++) { /* rows of the same place in chunks */
            chunk[0][t * ROWS + i] = matrix[i * P + 2 * ROWS + i];
            chunk[1][t * ROWS + i] = matrix[(ROWS + i) * P + 2 * ROWS + i];
        }
    }
    size_t tries, same = same_signs(apart, apart + TIMES / 2 * PAIRS,
                                    TIMES / 2 * PAIRS, &tries);
    check_fair("matrices", same, tries);
    same = same_signs(chunk[0], chunk[1], TIMES * ROWS, &tries);
    check_fair("chunks of a matrix", same, tries);
}

/* ---- draws at the same time ---------------------------------------------- */

static void draw_knorm(int64_t *values)
{
    kith_i_noise noise = knorm_noise(1);
    memset(values, 0, CELLS * WIDTH * sizeof *values);
    if (kith_i_noise_add_knorm(&noise, values, CELLS, NULL))
        values[0] = 0;
}

static void *draw_thread(void *values)
{
    draw_knorm(values);
    return NULL;
}

static void test_threads_of_the_caller(void **state)
{
    (void)state;
    static int64_t values[THREADS][CELLS * WIDTH];
    pthread_t thread[THREADS];
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(
            pthread_create(&thread[t], NULL, draw_thread, values[t]), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    check_all_unlike("threads", values[0], THREADS * CELLS, WIDTH);
}

/* ---- sessions ------------------------------------------------------------ */

static kith_session *open_secure_on(kith_dataset *data, double delta)
{
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy = (kith_privacy){1, delta, KITH_ADD_REMOVE};
    opt.threads = THREADS;
    kith_session *session = NULL;
    kith_error err = {0};
    if (kith_session_open(data, &opt, &session, &err))
        fail_msg("session: %s", err.message);
    return session;
}

static kith_session *open_secure(double delta)
{
    return open_secure_on(load(NULL, 0, WIDTH, unit_box()), delta);
}

/* What a release of sums adds to no rows at all. */
static void release_noise(kith_session *s, kith_i_loss charge, int64_t *noise)
{
    kith_i_ask ask = {0};
    kith_i_cells_spec spec = {
        .what = "noise", .cells = CELLS, .width = WIDTH, .sum_charge = charge};
    kith_i_cells cells;
    assert_int_equal(kith_i_release_cells(s, &ask, &spec, &cells, NULL),
                     KITH_OK);
    memcpy(noise, cells.sums, CELLS * WIDTH * sizeof *noise);
    kith_i_cells_free(&cells);
}

static void test_releases_and_sessions(void **state)
{
    (void)state;
    enum { RELEASES = 4 }; /* two of each of two sessions */
    static int64_t noise[RELEASES][CELLS * WIDTH];
    for (int pure = 0; pure < 2; pure++) {
        for (int r = 0; r < RELEASES; r += 2) {
            kith_session *s = open_secure(pure ? 0 : 1e-6);
            kith_i_loss half = kith_i_session_left(s) / 2;
            release_noise(s, half, noise[r]);
            release_noise(s, half, noise[r + 1]);
            kith_session_close(s);
        }
        check_all_unlike("releases", noise[0], RELEASES, CELLS * WIDTH);
    }
}

/* Choices among equals (there are no rows): more than 5 of 63 neighbours alike
 * by chance 1e-10. */
static void test_selections(void **state)
{
    (void)state;
    enum { RELEASES = 64, CANDIDATES = 1024 };
    kith_session *s = open_secure(0);
    static double coords[WIDTH], square;
    static kith_i_centers same_set[CANDIDATES];
    for (int c = 0; c < CANDIDATES; c++)
        same_set[c] = (kith_i_centers){
            .k = 1, .d = WIDTH, .coords = coords, .squares = &square};
    kith_i_center_sets sets = {.set = same_set, .count = CANDIDATES};
    kith_i_losses losses = {.sets = &sets};
    kith_i_select_spec spec = {.what = "choice",
                               .candidates = CANDIDATES,
                               .bound = 1,
                               .charge = kith_i_session_left(s) / RELEASES};
    uint32_t chosen[RELEASES];
    int same = 0;
    for (int i = 0; i < RELEASES; i++) {
        assert_int_equal(
            kith_i_release_select(s, &losses, &spec, &chosen[i], NULL),
            KITH_OK);
        same += i && chosen[i] == chosen[i - 1];
    }
    assert_true(same <= 5);
    kith_session_close(s);
}

/* ---- processes ----------------------------------------------------------- */

typedef void draw_fn(int64_t *values);

static void draw_session(int64_t *values)
{
    kith_session *s = open_secure(1e-6);
    release_noise(s, kith_i_session_left(s), values);
    kith_session_close(s);
}

static void draw_copied(void *draw, void *values)
{
    (*(draw_fn **)draw)(values);
}

/* Before a copy of the process is made, in the copy, and afterwards here. */
static void check_processes(const char *what, draw_fn *draw)
{
    enum { MANY = CELLS * WIDTH };
    static int64_t noise[3][MANY];
    for (int way = 0; way < COPY_WAYS; way++) {
        draw(noise[0]); /* generators are warm */
        run_in_copy(way, draw_copied, &draw, noise[1], sizeof noise[1]);
        draw(noise[2]);
        check_all_unlike(what, noise[0], 3, MANY);
    }
}

static void test_processes(void **state)
{
    (void)state;
    check_processes("K-norm, parent and child", draw_knorm);
    check_processes("sessions, parent and child", draw_session);
}

/* ---- chains: a stream of coins under a key from the generator ---- */

enum { CHAIN_ROWS = 40, CHAIN_D = 3 };

static void draw_chain(void *unused, void *out)
{
    (void)unused;
    double *rows = make_rows(CHAIN_ROWS, CHAIN_D, 1, 3);
    kith_session *s =
        open_secure_on(load(rows, CHAIN_ROWS, CHAIN_D, unit_box()), 0);
    kith_subspace_options opt;
    kith_subspace_options_init(&opt, sizeof opt);
    opt.clusters = 1;
    opt.subspace_dimension = 1;
    opt.method = KITH_SUBSPACE_GIBBS;
    opt.rounds = 10;
    kith_result *result = NULL;
    if (kith_subspace(s, &opt, &result, NULL) == KITH_OK)
        memcpy(out, kith_result_bases(result, NULL, NULL, NULL),
               CHAIN_D * sizeof(double));
    kith_result_free(result);
    kith_session_close(s);
    free(rows);
}

/* Of doubles of 50 random bits none is the same twice. */
static void test_chains(void **state)
{
    (void)state;
    for (int way = 0; way < COPY_WAYS; way++) {
        double drawn[3][CHAIN_D] = {{0}};
        draw_chain(NULL, drawn[0]);
        run_in_copy(way, draw_chain, NULL, drawn[1], sizeof drawn[1]);
        draw_chain(NULL, drawn[2]);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < i; j++)
                for (int c = 0; c < CHAIN_D; c++)
                    assert_true(fabs(drawn[i][c]) != fabs(drawn[j][c]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_knorm_cells),
        cmocka_unit_test(test_knorm_parts),
        cmocka_unit_test(test_wishart),
        cmocka_unit_test(test_threads_of_the_caller),
        cmocka_unit_test(test_releases_and_sessions),
        cmocka_unit_test(test_selections),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
