/* Selection over records: totals are the clamped sums, the choice follows the
 * exact law of the mechanism, hostile losses are clamped. */
#include <math.h>

#include "dp/dp_i.h"
#include "release/release_select.h"
#include "support/make_data.h"
#include "support/stat.h"

enum { CANDIDATES = 4, BOUND = 100 };

/* Rows are at 0: candidate c loses 10 c for each (its square is a little more
 * than 10 c 2^SHIFT); when hostile, candidate 0 loses far more than is paid for
 * and candidate 3 nothing. */
enum { SHIFT = 10 };

typedef struct {
    double at[CANDIDATES], squares[CANDIDATES];
    kith_i_centers set[CANDIDATES];
    kith_i_center_sets sets;
} ladder;

static kith_i_losses climb(ladder *l, int hostile)
{
    static const double fair[CANDIDATES] = {0, 102, 144, 176};
    static const double wild[CANDIDATES] = {-32000, 102, 144, 0};
    for (int c = 0; c < CANDIDATES; c++) {
        l->set[c] = (kith_i_centers){
            .k = 1, .d = 1, .coords = &l->at[c], .squares = &l->squares[c]};
        kith_i_centers_set(&l->set[c], (hostile ? wild : fair) + c);
    }
    l->sets = (kith_i_center_sets){
        .set = l->set, .count = CANDIDATES, .shift = SHIFT};
    return (kith_i_losses){.sets = &l->sets};
}

static void check(double epsilon, double delta, kith_neighbors nb, int hostile)
{
    enum { RUNS = 4000, ROWS = 6 };
    double rows[ROWS] = {0};
    uint64_t seen[CANDIDATES] = {0};
    for (uint64_t run = 0; run < RUNS; run++) {
        kith_session *s = open_session(load(rows, ROWS, 1, unit_box()), epsilon,
                                       delta, nb, 1, run);
        kith_i_select_spec spec = {.what = "choice",
                                   .candidates = CANDIDATES,
                                   .bound = BOUND,
                                   .charge = kith_i_session_left(s)};
        uint32_t chosen = 99;
        kith_error err = {0};
        ladder l;
        kith_i_losses losses = climb(&l, hostile);
        if (kith_i_release_select(s, &losses, &spec, &chosen, &err))
            fail_msg("%s", err.message);
        assert_true(chosen < CANDIDATES);
        seen[chosen]++;
        kith_session_close(s);
    }
    double range = epsilon, mu;
    if (delta > 0) {
        assert_int_equal(kith_privacy_mu(epsilon, delta, &mu, NULL), KITH_OK);
        range = mu / 0.6267;
    }
    double b = range / BOUND / (nb == KITH_REPLACE_ONE ? 2 : 1);
    double loss[CANDIDATES] = {0, 60, 120, 180};
    if (hostile) {
        loss[0] = ROWS * BOUND;
        loss[3] = 0;
    }
    double p[CANDIDATES] = {0};
    if (delta > 0) { /* exponential mechanism */
        double sum = 0;
        for (int c = 0; c < CANDIDATES; c++)
            sum += p[c] = exp(-b * loss[c]);
        for (int c = 0; c < CANDIDATES; c++)
            p[c] /= sum;
    } else { /* permute and flip, over the 24 orders */
        for (int o = 0; o < 256; o++) {
            int order[4] = {o & 3, o >> 2 & 3, o >> 4 & 3, o >> 6};
            if ((1 << order[0] | 1 << order[1] | 1 << order[2] |
                 1 << order[3]) != 15)
                continue;
            double reach = 1.0 / 24;
            for (int i = 0; i < 4; i++) {
                double keep = exp(-b * loss[order[i]]);
                p[order[i]] += reach * keep;
                reach *= 1 - keep;
            }
        }
    }
    for (int c = 0; c < CANDIDATES; c++)
        assert_true(believable(seen[c], RUNS, p[c]));
}

static void test_laws(void **state)
{
    (void)state;
    check(1, 0, KITH_ADD_REMOVE, 0);
    check(1, 0, KITH_REPLACE_ONE, 0);
    check(2, 1e-3, KITH_ADD_REMOVE, 0);
    check(2, 1e-3, KITH_REPLACE_ONE, 0);
}

static void test_hostile_losses_are_clamped(void **state)
{
    (void)state;
    check(1, 0, KITH_ADD_REMOVE, 1);
    check(2, 1e-3, KITH_ADD_REMOVE, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_hostile_losses_are_clamped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
