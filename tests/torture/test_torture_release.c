/* Out of memory in each kind of release of the gate, whether or not an
 * algorithm uses it yet. What was computed exactly must not stay behind. */
/* link: support/mem_failing.c */
#include "dp/dp_i.h"
#include "support/make_data.h"
#include "torture/torture.h"

enum { N = 200, D = 4, CELLS = 2, THREADS = 2 };

/* What happens between opening and closing a seeded session. */
typedef kith_status release_fn(kith_session *s, kith_error *err);
typedef struct {
    const double *rows;
    double delta;
    release_fn *release;
} scenario;

static kith_status run(const void *arg, kith_error *err)
{
    const scenario *sc = arg;
    torture_data data = {.rows = sc->rows,
                         .n = N,
                         .d = D,
                         .threads = THREADS,
                         .bounds = unit_box(),
                         .privacy = {1, sc->delta, KITH_ADD_REMOVE}};
    kith_session *s = NULL;
    kith_status status = torture_session(&data, &s, err);
    if (status)
        return status;
    status = sc->release(s, err);
    kith_session_close(s);
    return status;
}

static void sign_map(const void *arg, const kith_i_block *block,
                     double *scratch, uint32_t *cell, int32_t *value)
{
    (void)arg, (void)scratch;
    for (uint32_t r = 0; r < block->rows; r++) {
        const int16_t *q = block->dense + (size_t)r * block->dimension;
        cell[r] = q[0] > 0;
        for (uint32_t i = 0; value && i < D; i++)
            value[r * D + i] = q[i];
    }
}

static const kith_i_map by_sign = {.run = sign_map};

static kith_status cells_of(kith_session *s, const uint64_t *radius,
                            kith_error *err)
{
    kith_i_loss half = kith_i_session_left(s) / 2;
    kith_i_cells_spec spec = {.what = "test",
                              .cells = CELLS,
                              .width = D,
                              .radius = radius,
                              .count_charge = half,
                              .sum_charge = half};
    kith_i_cells cells;
    kith_status status = kith_i_release_cells(s, &by_sign, &spec, &cells, err);
    if (status) {
        assert_null(cells.counts);
        assert_null(cells.sums);
        assert_null(cells.sum_sd);
    }
    kith_i_cells_free(&cells);
    return status;
}

static kith_status release_records(kith_session *s, kith_error *err)
{
    return cells_of(s, NULL, err);
}

static kith_status release_values(kith_session *s, kith_error *err)
{
    const uint64_t radius[CELLS] = {20000, 30000};
    return cells_of(s, radius, err);
}

static kith_status release_quantile(kith_session *s, kith_error *err)
{
    uint32_t bin = 77;
    kith_status status = kith_i_release_quantile(
        s, &by_sign, "test", CELLS, 0.5, kith_i_session_left(s), &bin, err);
    assert_true(status ? bin == 77 : bin < CELLS);
    return status;
}

static kith_status gram_of(kith_session *s, uint64_t radius, kith_error *err)
{
    kith_i_gram_spec spec = {.what = "test",
                             .cells = CELLS,
                             .width = D,
                             .radius = radius,
                             .charge = kith_i_session_left(s)};
    int64_t gram[CELLS * D * D] = {0};
    double sd;
    kith_status status =
        kith_i_release_gram(s, &by_sign, &spec, gram, &sd, err);
    for (size_t i = 0; status && i < sizeof gram / sizeof *gram; i++)
        assert_int_equal(gram[i], 0);
    return status;
}

static kith_status release_gram_records(kith_session *s, kith_error *err)
{
    return gram_of(s, 0, err);
}

static kith_status release_gram_values(kith_session *s, kith_error *err)
{
    return gram_of(s, 20000, err);
}

static void digit_keys(const void *arg, const kith_i_block *block,
                       double *scratch, uint64_t *key)
{
    (void)arg, (void)scratch;
    for (uint32_t r = 0; r < block->rows; r++)
        key[r] = (uint64_t)(block->dense[(size_t)r * block->dimension] + 32768);
}

static kith_status release_sparse(kith_session *s, kith_error *err)
{
    kith_i_sparse_spec spec = {.what = "test",
                               .domain_size = 65536,
                               .threshold = 5, /* many show: the list grows */
                               .charge = kith_i_session_left(s)};
    kith_i_sparse_cell *cells = (kith_i_sparse_cell *)s;
    size_t count = 77;
    double sd;
    kith_status status = kith_i_release_sparse(
        s, &(kith_i_key_map){.run = digit_keys, .scratch = 1}, &spec, &cells,
        &count, &sd, err);
    if (status) {
        assert_null(cells);
        assert_int_equal(count, 0);
    }
    kith_i_free(cells);
    return status;
}

static void own_loss(const void *arg, const kith_i_block *block,
                     double *scratch, int32_t *loss)
{
    (void)arg, (void)scratch;
    for (uint32_t r = 0; r < block->rows; r++)
        for (uint32_t c = 0; c < 3; c++)
            loss[r * 3 + c] = (int32_t)c;
}

static kith_status release_select(kith_session *s, kith_error *err)
{
    kith_i_select_spec spec = {.what = "test",
                               .candidates = 3,
                               .bound = 2,
                               .charge = kith_i_session_left(s)};
    uint32_t chosen = 77;
    kith_status status = kith_i_release_select(
        s, &(kith_i_loss_map){.run = own_loss, .scratch = 1}, &spec, &chosen,
        err);
    assert_true(status ? chosen == 77 : chosen < 3);
    return status;
}

static kith_status nothing(kith_session *s, kith_error *err)
{
    (void)s, (void)err;
    return KITH_OK;
}

static void test_releases(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        release_fn *release;
    } kinds[] = {
        {"cells of records", release_records},
        {"cells of values", release_values},
        {"quantile", release_quantile},
        {"gram of records", release_gram_records},
        {"gram of values", release_gram_values},
        {"sparse", release_sparse},
        {"select", release_select},
    };
    double *rows = make_rows(N, D, 3, 1);
    for (int pure = 0; pure <= 1; pure++) {
        scenario sc = {rows, pure ? 0 : 1e-6, nothing};
        size_t before = torture("session", run, &sc);
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            sc.release = kinds[i].release;
            /* receipts, their text, and something of each worker's */
            assert_true(torture(kinds[i].name, run, &sc) >=
                        before + 2 + THREADS);
        }
    }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_releases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
