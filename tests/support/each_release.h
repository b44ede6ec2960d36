/* One release of each kind of the gate, from whatever rows a session has, for
 * tests in which something fails. On failure nothing may come out, least of all
 * what was computed exactly. */
#ifndef KITH_TEST_EACH_RELEASE_H
#define KITH_TEST_EACH_RELEASE_H

#include "base/base_i.h"
#include "dp/dp_i.h"
#include "release/release_tensor.h"
#include "kernel/quartic.h"
#include "support/cmocka_all.h"

enum { RELEASE_CELLS = 2, RELEASE_MOST_D = 8 };

typedef kith_status release_fn(kith_session *s, kith_error *err);

static inline uint32_t release_width(const kith_session *s)
{
    uint32_t d = kith_i_session_domain(s)->dimension;
    assert_true(d <= RELEASE_MOST_D);
    return d;
}

static inline void release_sign(const void *arg, const kith_i_block *block,
                                double *scratch, uint32_t *cell, int32_t *value)
{
    (void)arg, (void)scratch;
    size_t d = block->dimension;
    for (size_t r = 0; r < block->rows; r++) {
        cell[r] = block->dense[r * d] > 0;
        for (size_t i = 0; value && i < d; i++)
            value[r * d + i] = block->dense[r * d + i];
    }
}

static const kith_i_map release_by_sign = {.run = release_sign};

static inline kith_status
release_cells_of(kith_session *s, const uint64_t *radius, kith_error *err)
{
    kith_i_loss half = kith_i_session_left(s) / 2;
    kith_i_cells_spec spec = {.what = "test",
                              .cells = RELEASE_CELLS,
                              .width = release_width(s),
                              .radius = radius,
                              .count_charge = half,
                              .sum_charge = half};
    kith_i_cells cells;
    kith_status status =
        kith_i_release_cells(s, &release_by_sign, &spec, &cells, err);
    if (status) {
        assert_null(cells.counts);
        assert_null(cells.sums);
        assert_null(cells.sum_sd);
    }
    kith_i_cells_free(&cells);
    return status;
}

static inline kith_status release_records(kith_session *s, kith_error *err)
{
    return release_cells_of(s, NULL, err);
}

static inline kith_status release_values(kith_session *s, kith_error *err)
{
    const uint64_t radius[RELEASE_CELLS] = {20000, 30000};
    return release_cells_of(s, radius, err);
}

static inline kith_status release_quantile(kith_session *s, kith_error *err)
{
    uint32_t bin = 77;
    kith_status status =
        kith_i_release_quantile(s, &release_by_sign, "test", RELEASE_CELLS, 0.5,
                                kith_i_session_left(s), &bin, err);
    assert_true(status ? bin == 77 : bin < RELEASE_CELLS);
    return status;
}

static inline kith_status release_gram_of(kith_session *s, uint64_t radius,
                                          int by_trace, kith_error *err)
{
    kith_i_gram_spec spec = {.what = "test",
                             .cells = RELEASE_CELLS,
                             .width = release_width(s),
                             .radius = radius,
                             .by_trace = by_trace,
                             .charge = kith_i_session_left(s)};
    int64_t gram[RELEASE_CELLS * RELEASE_MOST_D * RELEASE_MOST_D] = {0};
    double sd;
    kith_status status =
        kith_i_release_gram(s, &release_by_sign, &spec, gram, &sd, err);
    for (size_t i = 0; status && i < sizeof gram / sizeof *gram; i++)
        assert_int_equal(gram[i], 0);
    return status;
}

static inline kith_status release_gram_records(kith_session *s, kith_error *err)
{
    return release_gram_of(s, 0, 0, err);
}

static inline kith_status release_gram_values(kith_session *s, kith_error *err)
{
    return release_gram_of(s, 20000, 0, err);
}

static inline kith_status release_wishart(kith_session *s, kith_error *err)
{
    return release_gram_of(s, 0, 1, err);
}

static inline kith_status release_tensor(kith_session *s, kith_error *err)
{
    kith_i_tensor_spec spec = {
        .what = "test", .bits = 10, .charge = kith_i_session_left(s)};
    kith_i_tensor about;
    int64_t out[330] = {0};
    size_t size = kith_i_quartic_size(release_width(s));
    assert_true(size <= 330);
    kith_status status = kith_i_release_tensor(s, &spec, out, &about, err);
    for (size_t i = 0; status && i < size; i++)
        assert_int_equal(out[i], 0);
    return status;
}

static inline void release_keys(const void *arg, const kith_i_block *block,
                                double *scratch, uint64_t *key)
{
    (void)arg, (void)scratch;
    for (uint32_t r = 0; r < block->rows; r++)
        key[r] = (uint64_t)(block->dense[(size_t)r * block->dimension] + 32768);
}

static inline kith_status release_sparse(kith_session *s, kith_error *err)
{
    kith_i_sparse_spec spec = {.what = "test",
                               .domain_size = 65536,
                               .threshold = 12, /* some hundred show */
                               .charge = kith_i_session_left(s)};
    kith_i_sparse_cell *cells = (kith_i_sparse_cell *)s;
    size_t count = 77;
    double sd;
    kith_status status = kith_i_release_sparse(
        s, &(kith_i_key_map){.run = release_keys, .scratch = 1}, &spec, &cells,
        &count, &sd, err);
    if (status) {
        assert_null(cells);
        assert_int_equal(count, 0);
    }
    kith_i_free(cells);
    return status;
}

static inline void release_losses(const void *arg, const kith_i_block *block,
                                  double *scratch, int32_t *loss)
{
    (void)arg, (void)scratch;
    for (uint32_t r = 0; r < block->rows; r++)
        for (uint32_t c = 0; c < 3; c++)
            loss[r * 3 + c] = (int32_t)c;
}

static inline kith_status release_select(kith_session *s, kith_error *err)
{
    kith_i_select_spec spec = {.what = "test",
                               .candidates = 3,
                               .bound = 2,
                               .charge = kith_i_session_left(s)};
    uint32_t chosen = 77;
    kith_status status = kith_i_release_select(
        s, &(kith_i_loss_map){.run = release_losses, .scratch = 1}, &spec,
        &chosen, err);
    assert_true(status ? chosen == 77 : chosen < 3);
    return status;
}

/* words: how many refills of random words it takes at least; its rows have d
 * features. */
static const struct {
    const char *name;
    release_fn *release;
    uint32_t d, words;
} each_release[] = {
    {"cells of records", release_records, 6, 2},
    {"cells of values", release_values, 6, 2},
    {"quantile", release_quantile, 6, 1},
    {"gram of records", release_gram_records, 6, 2},
    {"gram of values", release_gram_values, 6, 2},
    {"gram by trace", release_wishart, 6, 2},
    /* in pure DP a matrix of more than one chunk of deviates */
    {"tensor", release_tensor, 8, 3},
    {"sparse", release_sparse, 6, 2},
    {"select", release_select, 6, 1},
};
enum { EACH_RELEASE = sizeof each_release / sizeof *each_release };

#endif
