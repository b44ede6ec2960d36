/* Algorithm 3 of Balcan et al. 2017 (localswap), as repaired: the losses of all
 * swaps against brute force over Z - z + c, in integers; the law of the choice
 * against enumeration; hostile losses; and the search itself on easy data. */
#include <math.h>

#include "balcan/balcan_i.h"
#include "kernel/aggregate.h"
#include "release/release_swap.h"
#include "support/make_data.h"
#include "support/stat.h"

/* ---- all swaps at once against brute force ---- */

enum { ROWS = 150, P = 3 };

static int64_t distance(const int16_t *y, const double *c, int shift)
{
    int64_t sum = 0;
    for (int i = 0; i < P; i++) {
        int64_t step = y[i] - (int64_t)c[i];
        sum += step * step;
    }
    return sum >> shift;
}

static void check_totals(uint32_t k, uint32_t count, uint64_t seed, int narrow)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 0);
    int16_t rows[ROWS * P];
    double *points = malloc(count * P * sizeof *points);
    double *coords = malloc(count * P * sizeof *coords);
    double *squares = malloc(count * sizeof *squares);
    uint32_t *chosen = malloc(k * sizeof *chosen), owner[ROWS];
    uint64_t range = narrow ? 3 : 30000; /* narrow: many ties */
    for (int i = 0; i < ROWS * P; i++)
        rows[i] = (int16_t)((int64_t)kith_i_coins_below(&coins, range) -
                            (int64_t)range / 2);
    for (uint32_t i = 0; i < count * P; i++)
        points[i] =
            (double)kith_i_coins_below(&coins, range) - (double)(range / 2);
    for (uint32_t j = 0; j < k; j++)
        chosen[j] = (uint32_t)kith_i_coins_below(&coins, count);
    kith_i_swap_state state = {
        .points = {.k = count, .d = P, .coords = coords, .squares = squares},
        .chosen = chosen,
        .k = k,
        .shift = narrow ? 0 : 2,
        .bound = INT32_MAX};
    kith_i_centers_set(&state.points, points);
    kith_i_block block = {.rows = ROWS, .dimension = P, .dense = rows};
    double *scratch = malloc(kith_i_swap_scratch(count, P) * sizeof *scratch);
    int32_t *kept = malloc((size_t)ROWS * count * sizeof *kept);
    int32_t *extra = malloc((size_t)ROWS * count * sizeof *extra);
    kith_i_swap_losses(&state, &block, scratch, owner, kept, extra);
    int64_t *first = calloc(count, sizeof *first);
    int64_t *second = calloc((size_t)k * count, sizeof *second);
    kith_i_swaps swaps = {ROWS, k, count, INT32_MAX, owner, kept, extra};
    kith_i_aggregate_swaps(&swaps, first, second);
    for (uint32_t j = 0; j < k; j++)
        for (uint32_t c = 0; c < count; c++) {
            int64_t want = 0;
            for (int r = 0; r < ROWS; r++) {
                int64_t best = INT64_MAX;
                for (uint32_t l = 0; l < k; l++) {
                    uint32_t z = l == j ? c : chosen[l]; /* Z - z_j + c */
                    int64_t d =
                        distance(rows + r * P, points + z * P, state.shift);
                    best = d < best ? d : best;
                }
                want += best;
            }
            assert_true(first[c] + second[(size_t)j * count + c] == want);
        }
    free(points);
    free(coords);
    free(squares);
    free(chosen);
    free(scratch);
    free(kept);
    free(extra);
    free(first);
    free(second);
}

static void test_totals(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++)
        for (int narrow = 0; narrow < 2; narrow++) {
            check_totals(1, 2, seed, narrow);
            check_totals(2, 9, seed, narrow);
            check_totals(7, 37, seed, narrow);
            check_totals(40, 11, seed, narrow); /* duplicates in Z */
        }
}

/* Whatever a loss is computed as, one record moves every total by 0..bound. */
static void test_clamps(void **state)
{
    (void)state;
    enum { BOUND = 100, WILD = 7 };
    static const int32_t wild[WILD] = {INT32_MIN, -1,  0,        50,
                                       100,       101, INT32_MAX};
    for (int a = 0; a < WILD; a++)
        for (int b = 0; b < WILD; b++)
            for (uint32_t o = 0; o < 4; o++) {
                uint32_t owner = o == 3 ? UINT32_MAX : o;
                int64_t first[1] = {0}, second[3] = {0};
                kith_i_swaps one = {1, 3, 1, BOUND, &owner, &wild[a], &wild[b]};
                kith_i_aggregate_swaps(&one, first, second);
                for (int j = 0; j < 3; j++) {
                    int64_t total = first[0] + second[j];
                    assert_true(total >= 0 && total <= BOUND);
                }
            }
}

/* ---- the law of the choice ---- */

enum { SLOTS = 2, CANDIDATES = 3, BOUND = 100, N = 4 };

static const double lattice_rows[N] = {-8192, 8192, 4096, 2048};
static const double lattice_points[CANDIDATES] = {-3000, 5000, 7000};
static const uint32_t in_use[SLOTS] = {0, 1};
enum { SHIFT = 20 };

/* What a row loses, at most what is paid for: 11192^2 / 2^20 is more. */
static double row_loss(double x, double c)
{
    return fmin(floor((x - c) * (x - c) / (1 << SHIFT)), BOUND);
}

/* After candidate c took the place of slot j. */
static double total_loss(int j, int c)
{
    double sum = 0, other = lattice_points[in_use[!j]];
    for (int r = 0; r < N; r++)
        sum += fmin(row_loss(lattice_rows[r], other),
                    row_loss(lattice_rows[r], lattice_points[c]));
    return sum;
}

/* Permute and flip over all orders of the candidates in `left`. */
static void flip(const double *keep, int n, int left, double reach, double *p)
{
    int count = __builtin_popcount((unsigned)left);
    for (int c = 0; c < n; c++)
        if (left >> c & 1) {
            p[c] += reach / count * keep[c];
            if (count > 1 && keep[c] < 1)
                flip(keep, n, left & ~(1 << c), reach / count * (1 - keep[c]),
                     p);
        }
}

static void check_law(double epsilon, double delta, kith_neighbors nb)
{
    enum { RUNS = 3000, SWAPS = SLOTS * CANDIDATES };
    double rows[N], coords[CANDIDATES], squares[CANDIDATES];
    for (int r = 0; r < N; r++)
        rows[r] = lattice_rows[r] / 16384;
    kith_i_swap_state swaps = {.points = {.k = CANDIDATES,
                                          .d = 1,
                                          .coords = coords,
                                          .squares = squares},
                               .chosen = in_use,
                               .k = SLOTS,
                               .shift = SHIFT,
                               .bound = BOUND};
    kith_i_centers_set(&swaps.points, lattice_points);
    uint64_t seen[SWAPS] = {0};
    for (uint64_t run = 0; run < RUNS; run++) {
        kith_session *s = open_session(load(rows, N, 1, unit_box()), epsilon,
                                       delta, nb, 1, run);
        kith_i_swap_spec spec = {.what = "swap",
                                 .slots = SLOTS,
                                 .candidates = CANDIDATES,
                                 .bound = BOUND,
                                 .charge = kith_i_session_left(s)};
        kith_i_swap swap;
        assert_int_equal(kith_i_release_swap(s, &swaps, &spec, &swap, NULL),
                         KITH_OK);
        assert_int_equal(kith_i_session_left(s), 0);
        seen[swap.slot * CANDIDATES + swap.candidate]++;
        kith_session_close(s);
    }
    double range = epsilon, mu;
    if (delta > 0) {
        assert_int_equal(kith_privacy_mu(epsilon, delta, &mu, NULL), KITH_OK);
        range = mu / 0.6267;
    }
    double b = range / BOUND / (nb == KITH_REPLACE_ONE ? 2 : 1);
    double p[SWAPS] = {0}, keep[SWAPS], sum = 0, least = HUGE_VAL;
    for (int j = 0; j < SLOTS; j++)
        for (int c = 0; c < CANDIDATES; c++) {
            keep[j * CANDIDATES + c] = total_loss(j, c);
            least = fmin(least, keep[j * CANDIDATES + c]);
        }
    for (int t = 0; t < SWAPS; t++)
        sum += keep[t] = exp(-b * (keep[t] - least));
    if (delta > 0)
        for (int t = 0; t < SWAPS; t++)
            p[t] = keep[t] / sum;
    else
        flip(keep, SWAPS, (1 << SWAPS) - 1, 1, p);
    for (int t = 0; t < SWAPS; t++)
        assert_true(believable(seen[t], RUNS, p[t]));
}

static void test_law(void **state)
{
    (void)state;
    check_law(2, 0, KITH_ADD_REMOVE);
    check_law(3, 0, KITH_REPLACE_ONE);
    check_law(3, 1e-3, KITH_ADD_REMOVE);
    check_law(3, 1e-3, KITH_REPLACE_ONE);
}

/* ---- the search ---- */

/* Four far apart places with 50 rows each, among 20 candidates: at a large
 * epsilon four swaps find them, whatever the start. */
static void test_search(void **state)
{
    (void)state;
    enum { EACH = 50, K = 4, COUNT = 20 };
    double rows[K * EACH * 2], points[COUNT * 2];
    for (int r = 0; r < K * EACH; r++) {
        rows[2 * r] = (r & 1) ? 0.6 : -0.6;
        rows[2 * r + 1] = (r & 2) ? 0.6 : -0.6;
    }
    for (int mode = 0; mode < 4; mode++) {
        kith_session *s = open_session(
            load(rows, K * EACH, 2, ball(1)), 400, mode & 1 ? 1e-6 : 0,
            mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE, 2, 5);
        double axes[4] = {1, 0, 0, 1};
        const kith_i_view *view;
        assert_int_equal(kith_i_view_open(s, axes, 2, NULL, 1, &view, NULL),
                         KITH_OK);
        double unit = ldexp(1, kith_i_view_domain(view)->scale_log2);
        for (int c = 0; c < COUNT; c++) { /* 0..3 right, others off */
            points[2 * c] = ((c & 1) ? 0.6 : -0.6) * unit * (c < 4 ? 1 : .3);
            points[2 * c + 1] =
                ((c & 2) ? 0.6 : -0.6) * unit * (c < 4 ? 1 : .03 * c);
        }
        kith_i_localswap_spec spec = {.view = view,
                                      .candidates = points,
                                      .count = COUNT,
                                      .k = K,
                                      .rounds = K + 2,
                                      .charge = kith_i_session_left(s)};
        kith_i_coins coins;
        kith_i_coins_seed(&coins, (uint64_t)mode, 0);
        uint32_t chosen[K];
        int found = 0;
        assert_int_equal(kith_i_localswap(s, &spec, &coins, chosen, NULL),
                         KITH_OK);
        for (int j = 0; j < K; j++)
            found |= chosen[j] < 4 ? 1 << chosen[j] : 0;
        assert_int_equal(found, 15);
        kith_session_close(s);
    }
}

/* ---- the last draw ---- */

/* One centre, two candidates, two rounds, the exponential mechanism: Z(1) and
 * Z(2) are the better one with probability p each, and so is the draw between
 * them when they differ. The better one is returned with p^2 (1 + 2 (1 - p)):
 * p from what the receipts say. */
static void test_last_draw(void **state)
{
    (void)state;
    enum { MANY = 20, RUNS = 6000 };
    double rows[MANY], seen = 0, p = 0;
    for (int i = 0; i < MANY; i++)
        rows[i] = .5;
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        kith_session *s = open_session(load(rows, MANY, 1, ball(1)), .5, 1e-6,
                                       KITH_ADD_REMOVE, 1, seed);
        double axis = 1;
        const kith_i_view *view;
        assert_int_equal(kith_i_view_open(s, &axis, 1, NULL, 1, &view, NULL),
                         KITH_OK);
        double unit = ldexp(1, kith_i_view_domain(view)->scale_log2);
        double points[2] = {.5 * unit, -.5 * unit};
        kith_i_localswap_spec spec = {.view = view,
                                      .candidates = points,
                                      .count = 2,
                                      .k = 1,
                                      .rounds = 2,
                                      .last_draw = 1,
                                      .charge = kith_i_session_left(s)};
        kith_i_coins coins;
        kith_i_coins_seed(&coins, 1, 0);
        uint32_t chosen;
        assert_int_equal(kith_i_localswap(s, &spec, &coins, &chosen, NULL),
                         KITH_OK);
        seen += chosen == 0;
        if (seed == 1) {
            kith_receipt *lines = NULL;
            size_t count = 0;
            assert_int_equal(kith_i_session_receipts(s, &lines, &count, NULL),
                             KITH_OK);
            assert_int_equal(count, 3); /* two swaps and the draw, alike */
            assert_true(lines[0].loss == lines[2].loss);
            p = 1 / (1 + exp(-MANY * 1. / lines[2].scale)); /* loss 1 a row */
            for (size_t i = 0; i < count; i++)
                kith_i_free((char *)(uintptr_t)lines[i].what);
            kith_i_free(lines);
            assert_true(kith_i_session_is_spent(s));
        }
        kith_session_close(s);
    }
    assert_true(p > .55 && p < .95); /* else it says nothing */
    double want = p * p * (1 + 2 * (1 - p));
    print_message("better one: %.4f, wanted %.4f, without the draw %.4f\n",
                  seen / RUNS, want, p);
    /* 5 standard deviations: false alarms below 1e-6 */
    assert_true(fabs(seen / RUNS - want) < 5 * sqrt(want * (1 - want) / RUNS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_totals),    cmocka_unit_test(test_clamps),
        cmocka_unit_test(test_law),       cmocka_unit_test(test_search),
        cmocka_unit_test(test_last_draw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
