/* Numbers by which a release that was described wrongly would leave its types,
 * read beside its rows, or be paid twice: refused, whatever the rows are. */
#include <math.h>
#include <string.h>

#include "dp/dp_private.h"
#include "kernel/cube_tree.h"
#include "release/release_select.h"
#include "release/release_sparse.h"
#include "sidedoor/blocks.h"
#include "support/cmocka_all.h"
#include "support/make_data.h"

enum { N = 300, D = 2 };

static kith_session *open_pure(void)
{
    double *rows = make_rows(N, D, 2, 1);
    kith_session *s =
        open_session(load(rows, N, D, unit_box()), 1, 0, KITH_ADD_REMOVE, 1, 1);
    free(rows);
    return s;
}

static void assert_untouched(const kith_session *s)
{
    assert_true(s->spent == 0 && s->receipt_count == 0 && s->streams == 0);
}

/* A handicap that a total carries over the end of its type would let one row
 * decide. */
static void test_handicaps(void **state)
{
    (void)state;
    double at[2][D] = {{0}}, square = 0;
    kith_i_centers set[2] = {
        {.k = 1, .d = D, .coords = at[0], .squares = &square},
        {.k = 1, .d = D, .coords = at[1], .squares = &square}};
    kith_i_center_sets sets = {.count = 2, .set = set};
    kith_i_losses losses = {.sets = &sets};
    static const int64_t most = INT64_C(1) << 61;
    static const int64_t wrong[] = {INT64_MAX, INT64_MIN, most + 1, -most - 1};
    for (size_t i = 0; i < 5; i++) {
        kith_session *s = open_pure();
        int64_t handicap[2] = {0, i < 4 ? wrong[i] : -most};
        kith_i_select_spec spec = {.what = "test",
                                   .candidates = 2,
                                   .bound = INT32_MAX,
                                   .charge = kith_i_session_left(s),
                                   .handicap = handicap};
        uint32_t out = 9;
        assert_int_equal(kith_i_release_select(s, &losses, &spec, &out, NULL),
                         i < 4 ? KITH_ERR_INTERNAL : KITH_OK);
        if (i < 4)
            assert_untouched(s);
        else
            assert_int_equal(out, 1); /* the other has 2^61 more to lose */
        kith_session_close(s);
    }
}

static kith_status choose(kith_session *s, const kith_i_losses *losses)
{
    kith_i_select_spec spec = {.what = "test",
                               .candidates = 2,
                               .bound = 100,
                               .charge = kith_i_session_left(s) / 10};
    uint32_t out;
    return kith_i_release_select(s, losses, &spec, &out, NULL);
}

/* No centres, no planes, or planes of no axes: a row would get what others left
 * in the worker's room. */
static void test_nothing_to_choose_from(void **state)
{
    (void)state;
    double at[4 * D] = {1, 0, 0, 1, 1, 1, 2, 0}, squares[2] = {1, 1};
    for (uint32_t k = 0; k < 2; k++) {
        kith_session *s = open_pure();
        kith_i_centers set[2] = {
            {.k = k, .d = D, .coords = at, .squares = squares},
            {.k = k, .d = D, .coords = at + D, .squares = squares + 1}};
        kith_i_center_sets sets = {.count = 2, .set = set};
        kith_status want = k ? KITH_OK : KITH_ERR_INTERNAL;
        assert_int_equal(choose(s, &(kith_i_losses){.sets = &sets}), want);
        kith_i_axes axes[2] = {{2, k, 1, D, at}, {2, 1, k, D, at}};
        for (int i = 0; i < 2; i++)
            assert_int_equal(choose(s, &(kith_i_losses){.planes = &axes[i]}),
                             want);
        if (k == 0)
            assert_untouched(s);
        kith_session_close(s);
    }
}

/* A unit that is too small for the type: as much as fits, on every machine. */
static void test_losses_beyond_their_type(void **state)
{
    (void)state;
    enum { C = 9 }; /* more than a kernel does side by side */
    static const int16_t row[1] = {100};
    double coords[C], squares[C], scratch[1 << 16];
    for (int j = 0; j < C; j++) {
        coords[j] = j ? -200 - j : 100;
        squares[j] = coords[j] * coords[j];
    }
    kith_i_block block = {.rows = 1, .dimension = 1, .dense = row};
    kith_i_centers set[2] = {
        {.k = 1, .d = 1, .coords = coords, .squares = squares},
        {.k = 1, .d = 1, .coords = coords + 1, .squares = squares + 1}};
    kith_i_center_sets sets = {.count = 2, .set = set, .shift = -20};
    int32_t loss[2], kept[C], extra[C];
    kith_i_center_losses(&sets, &block, scratch, loss);
    assert_int_equal(loss[0], 0);
    assert_int_equal(loss[1], INT32_MAX);
    uint32_t owner, far = 1;
    kith_i_swap_state swap = {
        .points = {.k = C, .d = 1, .coords = coords, .squares = squares},
        .chosen = &far,
        .k = 1,
        .shift = -20,
        .bound = INT32_MAX};
    assert_true(kith_i_swap_scratch(C, 1) <= sizeof scratch / sizeof *scratch);
    kith_i_swap_losses(&swap, &block, scratch, &owner, kept, extra);
    for (int j = 0; j < C; j++) {
        assert_int_equal(kept[j], j ? INT32_MAX : 0);
        assert_int_equal(extra[j], 0);
    }
}

static kith_status count_keys(kith_session *s, const kith_i_tree *tree)
{
    kith_i_keys keys = {.tree = tree};
    kith_i_sparse_spec spec = {.what = "test",
                               .domain_size = 64,
                               .threshold = 5,
                               .charge = kith_i_session_left(s) / 10};
    kith_i_sparse_cell *out = NULL;
    size_t count = 0;
    double sd = 0;
    kith_status status =
        kith_i_release_sparse(s, &keys, &spec, &out, &count, &sd, NULL);
    kith_i_free(out);
    return status;
}

/* Cubes that cannot be halved, lists that cannot be searched. */
static void test_trees(void **state)
{
    (void)state;
    kith_i_sparse_cell cubes[2] = {{.key = 1}, {.key = 2}};
    kith_i_tree right = {.p = D,
                         .depth = 1,
                         .low = {-32768, -32768},
                         .edge = 1 << 16,
                         .level = {{cubes, 2}}};
    kith_i_tree wrong[5] = {right, right, right, right, right};
    wrong[0].edge = 3;
    wrong[1].edge = 0;
    wrong[2].depth = KITH_I_TREE_LEVELS;
    wrong[3].low[1] = 1 << 17;
    wrong[4].edge = -(1 << 16);
    kith_session *s = open_pure();
    for (int i = 0; i < 5; i++)
        assert_int_equal(count_keys(s, &wrong[i]), KITH_ERR_INTERNAL);
    cubes[1].key = 1;
    assert_int_equal(count_keys(s, &right), KITH_ERR_INTERNAL);
    assert_untouched(s);
    cubes[1].key = 2;
    assert_int_equal(count_keys(s, &right), KITH_OK);
    kith_session_close(s);
}

static kith_status first_axis(const void *arg, const double *rows, uint32_t n,
                              kith_i_coins *coins, double *planes,
                              kith_error *err)
{
    (void)arg, (void)rows, (void)n, (void)coins, (void)err;
    planes[0] = 1, planes[1] = 0;
    return KITH_OK;
}

/* Sample and aggregate takes the whole (epsilon, delta) that was declared: what
 * is held back would be paid a second time. */
static void test_blocks_and_what_is_held(void **state)
{
    (void)state;
    for (int held = 0; held < 2; held++) {
        double *rows = make_rows(N, D, 2, 1);
        kith_session *s = open_session(load(rows, N, D, unit_box()), 50, .1,
                                       KITH_REPLACE_ONE, 1, 1);
        free(rows);
        if (held)
            kith_i_session_hold(s, kith_i_session_left(s) / 10 * 9);
        kith_i_blocks_spec spec = {
            .what = "planes", .k = 1, .q = 1, .block_rows = 2};
        int64_t out[D * D];
        assert_int_equal(
            kith_i_release_blocks_by(s, &spec, first_axis, NULL, out, NULL),
            held ? KITH_ERR_BUDGET : KITH_OK);
        if (held)
            assert_untouched(s);
        kith_session_close(s);
    }
}

/* Views: features that are there, offsets near the rows, of this session. */
static void test_views(void **state)
{
    (void)state;
    static const uint32_t wrong[3][2] = {{0, 2}, {1, 0}, {1, 1}};
    const double axis[D] = {1, 0};
    const double offsets[3][D] = {{NAN, 0}, {0, INFINITY}, {0x1p18, 0}};
    kith_session *s = open_pure(), *other = open_pure();
    const kith_i_view *view = NULL;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(kith_i_view_features(s, wrong[i], 2, &view, NULL),
                         KITH_ERR_INTERNAL);
        assert_int_equal(
            kith_i_view_open(s, axis, 1, offsets[i], 1, &view, NULL),
            KITH_ERR_INTERNAL);
        assert_null(view);
    }
    assert_int_equal(kith_i_view_open(other, axis, 1, NULL, 1, &view, NULL),
                     KITH_OK);
    kith_i_ask ask = {.view = view};
    kith_i_cells_spec spec = {.what = "test",
                              .cells = 1,
                              .count_charge = kith_i_session_left(s) / 10};
    kith_i_cells cells;
    assert_int_equal(kith_i_release_cells(s, &ask, &spec, &cells, NULL),
                     KITH_ERR_INTERNAL);
    kith_i_cells_free(&cells);
    assert_int_equal(kith_i_release_cells(other, &ask, &spec, &cells, NULL),
                     KITH_OK);
    kith_i_cells_free(&cells);
    /* labels of its rows, or a look at them, would be the same */
    const kith_i_view *labels = view;
    assert_int_equal(kith_i_labels_open(s, &ask, &labels, NULL),
                     KITH_ERR_INTERNAL);
    assert_null(labels);
    assert_int_equal(kith_i_labels_open(other, &ask, &labels, NULL), KITH_OK);
    kith_i_session_focus(s, view);
    assert_int_equal(kith_i_session_domain(s)->dimension, D);
    kith_i_session_focus(other, view);
    assert_int_equal(kith_i_session_domain(other)->dimension, 1);
    kith_i_session_focus(other, NULL);
    kith_session_close(s);
    kith_session_close(other);
}

static void test_halvings(void **state)
{
    (void)state;
    kith_session *s = open_pure();
    const int32_t origin[D] = {0};
    const uint64_t radius = 9;
    for (int halvings = 30; halvings < 33; halvings++) {
        kith_i_ask ask = {.value = {.kind = KITH_I_VALUE_RESIDUAL,
                                    .origins = origin,
                                    .halvings = halvings}};
        kith_i_cells_spec spec = {.what = "test",
                                  .cells = 1,
                                  .width = D,
                                  .radius = &radius,
                                  .sum_charge = kith_i_session_left(s) / 10};
        kith_i_cells cells;
        assert_int_equal(kith_i_release_cells(s, &ask, &spec, &cells, NULL),
                         halvings > 30 ? KITH_ERR_INTERNAL : KITH_OK);
        kith_i_cells_free(&cells);
    }
    kith_session_close(s);
}

/* Rows that a session owns are not handed to it again. */
static void test_continue(void **state)
{
    (void)state;
    kith_session *s = open_pure();
    assert_int_equal(kith_session_continue(s, s->data, NULL),
                     KITH_ERR_ARGUMENT);
    kith_session_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_handicaps),
        cmocka_unit_test(test_nothing_to_choose_from),
        cmocka_unit_test(test_losses_beyond_their_type),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_blocks_and_what_is_held),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_halvings),
        cmocka_unit_test(test_continue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
