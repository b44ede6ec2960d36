/* Labels are what an ask finds when they are opened: when a centre has moved,
 * even in place, new ones follow it; old ones stay what they were. */
#include "support/make_data.h"
#include "support/near_points.h"

enum { N = 900, D = 3, K = 4, MOVES = 3 };

static void count_rows(kith_session *s, kith_i_place place, kith_i_loss charge,
                       int64_t *counts)
{
    kith_i_ask ask = {.place = place};
    kith_i_cells_spec spec = {
        .what = "test", .cells = K, .count_charge = charge};
    kith_i_cells cells;
    kith_error err = {0};
    if (kith_i_release_cells(s, &ask, &spec, &cells, &err))
        fail_msg("%s", err.message);
    memcpy(counts, cells.counts, K * sizeof *counts);
    kith_i_cells_free(&cells);
}

/* The budget is so large that counts are exact: 10 sd of noise are below 1/2.
 */
static void test_labels_follow(void **state)
{
    (void)state;
    double *rows = make_rows(N, D, K, 6);
    kith_session *s = open_session(load(rows, N, D, unit_box()), 4000, 1e-6,
                                   KITH_ADD_REMOVE, 2, 1);
    kith_i_loss charge = kith_i_session_left(s) / (3 * MOVES);
    near_points near;
    const kith_i_view *labels[MOVES];
    int64_t counts[MOVES][K], by_label[K];
    for (int m = 0; m < MOVES; m++) {
        double at[K];
        for (int c = 0; c < K; c++)
            at[c] = 16384 * ((c + 1) * (m + 1) % 5 - 2) / 3.0;
        kith_i_ask nearest = {.place = near_first(&near, at, K, D)};
        assert_int_equal(kith_i_labels_open(s, &nearest, &labels[m], NULL),
                         KITH_OK);
        count_rows(s, nearest.place, charge, counts[m]);
    }
    for (int m = 0; m < MOVES; m++) {
        kith_i_place kept = {
            .kind = KITH_I_PLACE_LABEL, .places = K, .by = labels[m]};
        count_rows(s, kept, charge, by_label);
        assert_memory_equal(by_label, counts[m], sizeof by_label);
        assert_true(!m || memcmp(counts[m], counts[m - 1], sizeof by_label));
    }
    for (int m = 0; m < MOVES; m++)
        kith_i_labels_close(s, labels[m]);
    kith_session_close(s);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
