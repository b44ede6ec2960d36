/* One release of each kind of the gate, from whatever rows a session has, for
 * tests in which something fails. On failure nothing may come out, least of all
 * what was computed exactly. */
#ifndef KITH_TEST_EACH_RELEASE_H
#define KITH_TEST_EACH_RELEASE_H

#include "base/base_i.h"
#include "dp/dp_i.h"
#include "kernel/quartic.h"
#include "release/release_gram.h"
#include "release/release_select.h"
#include "release/release_sparse.h"
#include "release/release_tensor.h"
#include "support/cmocka_all.h"
#include "support/near_points.h"

enum { RELEASE_CELLS = 2, RELEASE_MOST_D = 8 };

typedef kith_status release_fn(kith_session *s, kith_error *err);

/* FNV-1a of everything that came out on this thread, for tests that compare
 * releases; set to 0 to begin anew. */
static _Thread_local uint64_t release_seen;

static inline void release_note(const void *values, size_t bytes)
{
    const unsigned char *p = values;
    for (size_t i = 0; i < bytes; i++)
        release_seen = (release_seen ^ p[i]) * 0x100000001b3 + 1;
}

static inline void release_note_cells(const kith_i_cells *c, uint32_t cells,
                                      uint32_t width)
{
    release_note(c->counts, cells * sizeof *c->counts);
    if (c->sums)
        release_note(c->sums, (size_t)cells * width * sizeof *c->sums);
}

static inline uint32_t release_width(const kith_session *s)
{
    uint32_t d = kith_i_session_domain(s)->dimension;
    assert_true(d <= RELEASE_MOST_D);
    return d;
}

/* Rows parted by the sign of the first coordinate; what is summed is the record
 * or, as a value, its way from 0. */
static inline kith_i_ask release_ask(near_points *near, uint32_t d, int values)
{
    static const int32_t zero[RELEASE_MOST_D];
    kith_i_ask ask = {.place = near_sign(near, d)};
    if (values)
        ask.value =
            (kith_i_value){.kind = KITH_I_VALUE_RESIDUAL, .origins = zero};
    return ask;
}

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
    near_points near;
    kith_i_ask ask = release_ask(&near, spec.width, radius != NULL);
    kith_status status = kith_i_release_cells(s, &ask, &spec, &cells, err);
    if (status) {
        assert_null(cells.counts);
        assert_null(cells.sums);
        assert_null(cells.sum_sd);
    } else {
        release_note_cells(&cells, RELEASE_CELLS, spec.width);
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

static inline kith_status release_distances(kith_session *s, kith_error *err)
{
    const double limit = 12000. * 12000;
    kith_i_distance_bins bins = {.bins = RELEASE_CELLS, .limits = &limit};
    near_points near;
    kith_i_ask ask = release_ask(&near, release_width(s), 0);
    ask.place.bins = &bins;
    kith_i_cells_spec spec = {.what = "test",
                              .cells = RELEASE_CELLS,
                              .count_charge = kith_i_session_left(s)};
    kith_i_cells cells;
    kith_status status = kith_i_release_cells(s, &ask, &spec, &cells, err);
    assert_true(!status == !!cells.counts);
    if (!status)
        release_note_cells(&cells, RELEASE_CELLS, 0);
    kith_i_cells_free(&cells);
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
    near_points near;
    kith_i_ask ask = release_ask(&near, spec.width, radius > 0);
    kith_status status = kith_i_release_gram(s, &ask, &spec, gram, &sd, err);
    for (size_t i = 0; status && i < sizeof gram / sizeof *gram; i++)
        assert_int_equal(gram[i], 0);
    release_note(gram, sizeof gram);
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
    release_note(out, sizeof out);
    return status;
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
    kith_i_tree tree = {.p = release_width(s), .edge = 16384};
    kith_status status = kith_i_release_sparse(s, &(kith_i_keys){.tree = &tree},
                                               &spec, &cells, &count, &sd, err);
    if (status) {
        assert_null(cells);
        assert_int_equal(count, 0);
    }
    for (size_t i = 0; !status && i < count; i++) {
        release_note(&cells[i].key, sizeof cells[i].key);
        release_note(&cells[i].count, sizeof cells[i].count);
    }
    kith_i_free(cells);
    return status;
}

static inline kith_status release_select(kith_session *s, kith_error *err)
{
    kith_i_select_spec spec = {.what = "test",
                               .candidates = 3,
                               .bound = 2,
                               .charge = kith_i_session_left(s)};
    uint32_t chosen = 77;
    double at[3][RELEASE_MOST_D] = {{0}, {9999}, {-9999}};
    double squares[3] = {0, 9999. * 9999, 9999. * 9999};
    kith_i_centers set[3];
    for (int c = 0; c < 3; c++)
        set[c] = (kith_i_centers){.k = 1,
                                  .d = release_width(s),
                                  .coords = at[c],
                                  .squares = &squares[c]};
    kith_i_center_sets sets = {.set = set, .count = 3, .shift = 26};
    kith_status status = kith_i_release_select(
        s, &(kith_i_losses){.sets = &sets}, &spec, &chosen, err);
    assert_true(status ? chosen == 77 : chosen < 3);
    release_note(&chosen, sizeof chosen);
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
    {"histogram of distances", release_distances, 6, 1},
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
