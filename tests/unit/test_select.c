/* Selection against exact probabilities by enumeration (<= 6 candidates,
 * 1e6 draws), and the privacy of those probabilities themselves. */
#include "release/choice.h"
#include "support/cmocka_all.h"
#include "support/stat.h"

enum { MOST = 6, DRAWS = 1000000 };

/* Permute-and-flip: average over all n! orders, by recursion over the set of
 * candidates that are left. */
static void flip_law(const double *keep, uint32_t n, unsigned left,
                     double reach, double *p)
{
    int count = __builtin_popcount(left);
    for (uint32_t c = 0; c < n; c++)
        if (left >> c & 1) {
            double here = reach / count;
            p[c] += here * keep[c];
            if (keep[c] < 1 && count > 1)
                flip_law(keep, n, left & ~(1u << c), here * (1 - keep[c]), p);
        }
}

static void laws(const int64_t *loss, uint32_t n, double b, double *flip,
                 double *power)
{
    double keep[MOST] = {0}, sum = 0;
    int64_t least = loss[0];
    for (uint32_t c = 1; c < n; c++)
        least = loss[c] < least ? loss[c] : least;
    for (uint32_t c = 0; c < n; c++) {
        keep[c] = exp(-b * (double)(loss[c] - least));
        sum += keep[c];
        flip[c] = 0;
    }
    flip_law(keep, n, (1u << n) - 1, 1, flip);
    for (uint32_t c = 0; c < n; c++)
        power[c] = keep[c] / sum;
}

static void test_laws(void **state)
{
    (void)state;
    static const struct {
        uint32_t n, bound;
        int64_t loss[MOST];
        double range;
    } cases[] = {
        {2, 1, {0, 1}, 1},
        {3, 10, {5, 5, 5}, 1},
        {4, 10, {100, 90, 95, 130}, 2},
        {6, 1000000, {9000000, 1000000, 2000000, 3500000, 1, 0}, 0.5},
        {6, 3, {INT64_C(4) << 59, (INT64_C(4) << 59) + 2, 0, 1, 2, 3}, 1},
        {1, 5, {17}, 1}};
    kith_i_entropy_source source = {.seeded = 1, .seed = 11};
    kith_i_entropy e;
    kith_i_entropy_open(&e, &source, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int replace = 0; replace < 2; replace++) {
            uint32_t n = cases[i].n, order[MOST] = {0};
            kith_i_exponent b =
                kith_i_exponent_for((kith_i_loss)(cases[i].range * 0x1p50),
                                    cases[i].bound << replace);
            double ideal = cases[i].range / cases[i].bound / (1 + replace);
            assert_true(kith_i_exponent_value(b) <= ideal);
            assert_true(kith_i_exponent_value(b) >= ideal * (1 - 1e-6));
            double flip[MOST], power[MOST];
            laws(cases[i].loss, n, kith_i_exponent_value(b), flip, power);
            uint64_t seen_flip[MOST] = {0}, seen_power[MOST] = {0};
            for (int t = 0; t < DRAWS; t++) {
                seen_flip[kith_i_permute_and_flip(&e, b, cases[i].loss, n,
                                                  order)]++;
                seen_power[kith_i_exponential(&e, b, cases[i].loss, n)]++;
            }
            for (uint32_t c = 0; c < n; c++) {
                assert_true(believable(seen_flip[c], DRAWS, flip[c]));
                assert_true(believable(seen_power[c], DRAWS, power[c]));
            }
        }
}

/* The claims in release_select.c, checked on the exact laws over a grid of
 * neighbours: add-remove moves each loss by 0..bound in one direction (weight
 * e/bound is e-DP), replace-one by -bound..bound (weight e/(2 bound)); the
 * exponential mechanism's log-ratios span at most e. */
static void test_privacy_of_the_laws(void **state)
{
    (void)state;
    enum { N = 4, BOUND = 4 };
    double e = 1.3;
    uint64_t r = 12345;
    double worst_flip[2] = {0}, worst_span[2] = {0};
    for (int trial = 0; trial < 20000; trial++)
        for (int replace = 0; replace < 2; replace++) {
            int64_t a[N], b[N];
            for (int c = 0; c < N; c++) {
                r = r * 6364136223846793005u + 1442695040888963407u;
                a[c] = (int64_t)(r >> 33) % 13;
                int64_t move = (int64_t)(r >> 50) % (BOUND + 1);
                if (trial % 3 == 0) /* corners are the worst */
                    move = (r >> 60 & 1) ? BOUND : 0;
                b[c] = a[c] + move;
                if (replace && (r >> 61 & 1))
                    b[c] = a[c] - move;
            }
            double fa[N], fb[N], pa[N], pb[N];
            double w = e / BOUND / (1 + replace);
            laws(a, N, w, fa, pa);
            laws(b, N, w, fb, pb);
            double low = (double)INFINITY, high = -(double)INFINITY;
            for (int c = 0; c < N; c++) {
                worst_flip[replace] =
                    fmax(worst_flip[replace], fabs(log(fa[c] / fb[c])));
                double ratio = log(pa[c] / pb[c]);
                low = fmin(low, ratio);
                high = fmax(high, ratio);
            }
            worst_span[replace] = fmax(worst_span[replace], high - low);
        }
    for (int replace = 0; replace < 2; replace++) {
        assert_true(worst_flip[replace] <= e + 1e-9);
        assert_true(worst_span[replace] <= e + 1e-9);
        /* and the grid comes near the bound, so the check means something */
        assert_true(worst_flip[replace] > 0.8 * e);
        assert_true(worst_span[replace] > 0.99 * e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_privacy_of_the_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
