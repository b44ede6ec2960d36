/* No secure randomness, no release (R11): the generator is missing from the
 * start, or breaks at every single refill of a run in turn. */
/* link: support/entropy_failing.c */
/* link: support/mem_failing.c */
#include "dp/release_tensor.h"
#include "support/entropy_failing.h"
#include "support/make_data.h"
#include "support/mem_failing.h"

/* k * D values make two chunks of noise, so two threads draw. */
enum { N = 60, K = 4, D = 300, ROUNDS = 2, SMALL = 6, TENSOR = 8 };

static kith_session *open_secure(const double *rows, uint32_t d, double delta)
{
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy = (kith_privacy){1, delta, KITH_ADD_REMOVE};
    opt.threads = 2;
    kith_session *s = NULL;
    kith_error err = {0};
    if (kith_session_open(load(rows, N, d, unit_box()), &opt, &s, &err))
        fail_msg("%s", err.message);
    return s;
}

static void test_no_generator(void **state)
{
    (void)state;
    double *rows = make_rows(N, SMALL, 3, 1);
    kith_dataset *data = load(rows, N, SMALL, unit_box());
    kith_ledger *ledger = NULL;
    kith_privacy limit = {1, 1e-6, KITH_ADD_REMOVE};
    assert_int_equal(kith_ledger_memory_new(&ledger, NULL), KITH_OK);
    assert_int_equal(kith_ledger_grant(ledger, "a", &limit, NULL), KITH_OK);
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy = limit;
    opt.ledger = ledger;
    opt.account = "a";
    kith_session *s = (kith_session *)rows;
    kith_error err = {0};
    entropy_fail_check(1);
    kith_status status = kith_session_open(data, &opt, &s, &err);
    entropy_fail_check(0);
    assert_int_equal(status, KITH_ERR_ENTROPY);
    assert_int_equal(err.status, KITH_ERR_ENTROPY);
    assert_null(s);
    double left = 0; /* refused before anything was charged */
    assert_int_equal(kith_ledger_remaining(ledger, "a", &left, NULL), KITH_OK);
    assert_true(left == 1);
    /* The dataset is still ours, and good. */
    if (kith_session_open(data, &opt, &s, &err))
        fail_msg("%s", err.message);
    kith_session_close(s);
    kith_ledger_free(ledger);
    free(rows);
    assert_int_equal(mem_live_blocks(), 0);
}

/* ---- a failure in the middle of each kind of release --------------------- */

typedef kith_status run_fn(kith_session *s, kith_error *err);

static kith_status run_kmeans(kith_session *s, kith_error *err)
{
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = K;
    opt.method = KITH_KMEANS_LLOYD;
    opt.rounds = ROUNDS;
    kith_result *result = (kith_result *)s;
    kith_status status = kith_kmeans(s, &opt, &result, err);
    assert_true((status == KITH_OK) == (result != NULL));
    kith_result_free(result);
    return status;
}

static void sign_map(const void *arg, const kith_i_block *block,
                     double *scratch, uint32_t *cell, int32_t *value)
{
    (void)arg, (void)scratch, (void)value;
    for (uint32_t r = 0; r < block->rows; r++)
        cell[r] = block->dense[(size_t)r * block->dimension] > 0;
}

static kith_status run_cells(kith_session *s, kith_error *err)
{
    kith_i_map map = {.run = sign_map};
    kith_i_loss half = kith_i_session_left(s) / 2;
    kith_i_cells_spec spec = {.what = "test",
                              .cells = 2,
                              .width = SMALL,
                              .count_charge = half,
                              .sum_charge = half};
    kith_i_cells cells;
    kith_status status = kith_i_release_cells(s, &map, &spec, &cells, err);
    if (status) {
        assert_null(cells.counts);
        assert_null(cells.sums);
        assert_null(cells.sum_sd);
    }
    kith_i_cells_free(&cells);
    return status;
}

static kith_status run_quantile(kith_session *s, kith_error *err)
{
    kith_i_map map = {.run = sign_map};
    uint32_t bin = 77;
    kith_status status = kith_i_release_quantile(
        s, &map, "test", 2, 0.5, kith_i_session_left(s), &bin, err);
    assert_true(status ? bin == 77 : bin < 2);
    return status;
}

static kith_status run_grams(kith_session *s, int by_trace, kith_error *err)
{
    kith_i_map map = {.run = sign_map};
    kith_i_gram_spec spec = {.what = "test",
                             .cells = 2,
                             .width = SMALL,
                             .by_trace = by_trace,
                             .charge = kith_i_session_left(s)};
    int64_t gram[2 * SMALL * SMALL];
    double sd;
    kith_status status = kith_i_release_gram(s, &map, &spec, gram, &sd, err);
    for (size_t i = 0; status && i < sizeof gram / sizeof *gram; i++)
        assert_int_equal(gram[i], 0); /* exact sums must not stay behind */
    return status;
}

static kith_status run_gram(kith_session *s, kith_error *err)
{
    return run_grams(s, 0, err);
}

static kith_status run_wishart(kith_session *s, kith_error *err)
{
    return run_grams(s, 1, err);
}

/* Fourth moments: in pure DP a matrix of more than one chunk of deviates. */
static kith_status run_tensor(kith_session *s, kith_error *err)
{
    kith_i_tensor_spec spec = {
        .what = "test", .bits = 10, .charge = kith_i_session_left(s)};
    kith_i_tensor about;
    int64_t out[330];
    assert_int_equal(kith_i_quartic_size(TENSOR), 330);
    kith_status status = kith_i_release_tensor(s, &spec, out, &about, err);
    for (size_t i = 0; status && i < 330; i++)
        assert_int_equal(out[i], 0);
    return status;
}

static void digit_keys(const void *arg, const kith_i_block *block,
                       double *scratch, uint64_t *key)
{
    (void)arg, (void)scratch;
    for (uint32_t r = 0; r < block->rows; r++)
        key[r] = (uint64_t)(block->dense[(size_t)r * block->dimension] + 32768);
}

static kith_status run_sparse(kith_session *s, kith_error *err)
{
    kith_i_sparse_spec spec = {.what = "test",
                               .domain_size = 65536,
                               .threshold = 12, /* some hundred show */
                               .charge = kith_i_session_left(s)};
    kith_i_sparse_cell *cells = (kith_i_sparse_cell *)s;
    size_t count = 77;
    double sd;
    kith_status status = kith_i_release_sparse(
        s, &(kith_i_key_map){.run = digit_keys, .scratch = 0}, &spec, &cells,
        &count, &sd, err);
    if (status) {
        assert_null(cells);
        assert_int_equal(count, 0);
    }
    kith_i_free(cells);
    return status;
}

static void first_loss(const void *arg, const kith_i_block *block,
                       double *scratch, int32_t *loss)
{
    (void)arg, (void)scratch;
    for (uint32_t r = 0; r < block->rows; r++)
        for (int32_t c = 0; c < 3; c++)
            loss[r * 3 + (uint32_t)c] = c;
}

static kith_status run_select(kith_session *s, kith_error *err)
{
    kith_i_select_spec spec = {.what = "test",
                               .candidates = 3,
                               .bound = 2,
                               .charge = kith_i_session_left(s)};
    uint32_t chosen = 77;
    kith_status status = kith_i_release_select(
        s, &(kith_i_loss_map){.run = first_loss, .scratch = 0}, &spec, &chosen,
        err);
    assert_true(status ? chosen == 77 : chosen < 3);
    return status;
}

/* The n-th refill fails. Returns how many there were. */
static size_t fail_once(run_fn *run, const double *rows, uint32_t d,
                        double delta, size_t n)
{
    kith_session *s = open_secure(rows, d, delta);
    kith_i_loss before = kith_i_session_left(s);
    kith_error err = {0};
    entropy_fail_at(n);
    kith_status status = run(s, &err);
    size_t refills = entropy_refills();
    entropy_fail_at(0);
    assert_int_equal(status, n ? KITH_ERR_ENTROPY : KITH_OK);
    assert_int_equal(err.status, status);
    assert_true(kith_i_session_left(s) < before); /* what is paid is paid */
    kith_session_close(s);
    assert_int_equal(mem_live_blocks(), 0);
    return refills;
}

static void fail_everywhere(run_fn *run, uint32_t d, size_t least)
{
    double *rows = make_rows(N, d, 3, 1);
    for (int pure = 0; pure <= 1; pure++) {
        double delta = pure ? 0 : 1e-6;
        size_t refills = fail_once(run, rows, d, delta, 0);
        assert_true(refills >= least);
        for (size_t n = 1; n <= refills; n++)
            assert_true(fail_once(run, rows, d, delta, n) >= n);
    }
    free(rows);
}

static void test_kmeans(void **state)
{
    (void)state; /* a round: counts, and two chunks of more than a refill */
    fail_everywhere(run_kmeans, D, ROUNDS * 4);
}

static void test_releases(void **state)
{
    (void)state;
    fail_everywhere(run_cells, SMALL, 2);
    fail_everywhere(run_quantile, SMALL, 1);
    fail_everywhere(run_gram, SMALL, 2);
    fail_everywhere(run_wishart, SMALL, 2);
    fail_everywhere(run_tensor, TENSOR, 3);
    fail_everywhere(run_sparse, SMALL, 2);
    fail_everywhere(run_select, SMALL, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_generator),
        cmocka_unit_test(test_kmeans),
        cmocka_unit_test(test_releases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
