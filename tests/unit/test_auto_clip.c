/* Where `auto` clips the rows of a sum: factors of the histogram against rows
 * clipped one by one, the best radius against all others, and what dividing by
 * the mean factor is for. Seeded, so there are no false alarms. */
#include "auto/auto_run.h"
#include "support/make_data.h"

#include <math.h>

enum { ROWS = 20000, D = 16 };

/* 60 bins from .05 to 20, as a step has them, with the lengths given. */
static void fill(auto_hist *hist, const double *length, size_t n)
{
    int64_t counts[AUTO_BINS] = {0};
    for (uint32_t b = 0; b < AUTO_BINS; b++) {
        hist->up[b] = .05 * pow(400, b / (AUTO_BINS - 1.));
        hist->mid[b] = b ? sqrt(hist->up[b - 1] * hist->up[b]) : .035;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t b = 0;
        while (b + 1 < AUTO_BINS && length[i] > hist->up[b])
            b++;
        counts[b]++;
    }
    kith_i_auto_hist_clean(kith_i_auto_recipe(0, 0), counts, .1, 1, hist);
}

/* Rows about a mean at .5 along the first axis, each .2 wide in every one. */
static double *make(double *length)
{
    static double rows[ROWS * D];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 7, 1);
    for (size_t i = 0; i < ROWS; i++) {
        double square = 0;
        for (size_t a = 0; a < D; a++) {
            double *x = &rows[i * D + a];
            *x = (a == 0) * .5 + .2 * kith_i_coins_normal(&coins);
            square += *x * *x;
        }
        length[i] = sqrt(square);
    }
    return rows;
}

/* Mean and relative variance of min(1, r / length), within the width of a bin;
 * and the clipped mean, divided by the first, is the mean to a twentieth. */
static void test_factors(void **state)
{
    (void)state;
    static double length[ROWS];
    const double *rows = make(length);
    auto_hist hist;
    fill(&hist, length, ROWS);
    for (uint32_t b = 0; b < AUTO_BINS; b++) {
        double r = hist.up[b], sum = 0, square = 0, along = 0;
        for (size_t i = 0; i < ROWS; i++) {
            double f = fmin(1, r / length[i]);
            sum += f / ROWS;
            square += f * f / ROWS;
            along += f * rows[i * D] / ROWS;
        }
        double varied = square / (sum * sum) - 1;
        assert_true(fabs(hist.kept[b] / sum - 1) < .03);
        assert_true(fabs(hist.varied[b] - varied) < .003);
        if (sum < .99 && sum > .5) {
            assert_true(fabs(along / hist.kept[b] - .5) < .03);
            assert_true(along < .5 * (sum + .02)); /* too short without */
        }
    }
}

static double cost_at(const auto_run *run, const auto_hist *hist, uint32_t b,
                      const auto_sum *sum, double size)
{
    return run->recipe->coherent * hist->varied[b] * sum->square +
           sum->dim * pow(sum->unit * hist->up[b] / hist->kept[b] / size, 2);
}

/* No other radius that keeps enough is better; more rows have a larger one. */
static void test_best(void **state)
{
    (void)state;
    static double length[ROWS];
    (void)make(length);
    auto_hist hist;
    auto_run run = {.recipe = kith_i_auto_recipe(1, 0)};
    fill(&hist, length, ROWS);
    double before = 0;
    for (double size = 10; size < 1e5; size *= 3) {
        auto_sum sum = {5, D, .89};
        auto_clip clip = kith_i_auto_clip(&run, &hist, &sum, size);
        for (uint32_t b = 0; b < AUTO_BINS; b++)
            if (hist.kept[b] >= .7)
                assert_true(clip.cost <= cost_at(&run, &hist, b, &sum, size));
        assert_true(fabs(clip.noise - 5 * clip.radius / clip.kept) < 1e-12);
        assert_true(clip.radius >= before);
        before = clip.radius;
    }
    assert_true(before > 1.2);
}

/* Lengths that are all alike leave a factor without variance, however small the
 * radius. It must not be so small that the lattice shows. */
static void test_one_length(void **state)
{
    (void)state;
    double length[100];
    auto_hist hist;
    auto_run run = {.recipe = kith_i_auto_recipe(1, 1)};
    for (int i = 0; i < 100; i++)
        length[i] = 1;
    fill(&hist, length, 100);
    auto_sum sum = {5, 100, 1};
    auto_clip clip = kith_i_auto_clip(&run, &hist, &sum, 100);
    assert_true(clip.radius > .6 && clip.kept >= .7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_factors),
                                       cmocka_unit_test(test_best),
                                       cmocka_unit_test(test_one_length)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
