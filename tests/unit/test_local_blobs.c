/* Round blobs: derivatives by differences, parts by integration, the search
 * from a bad start, the average over a chain against sums over a grid, and
 * shrunken cells against the truth. */
#include <math.h>
#include <string.h>

#include "methods/blobs.h"
#include "support/cmocka_all.h"

typedef struct {
    kith_i_local_run run;
    kith_i_collector collector;
    kith_i_local_task task;
} bed;

static void open_bed(bed *b, uint32_t d, uint32_t k)
{
    static const double middle[3];
    memset(b, 0, sizeof *b);
    b->task = (kith_i_local_task){
        .k = k, .d = d, .epsilon = 1, .center = middle, .radius = 9};
    kith_i_local_open(&b->run, &b->task, &b->collector, 1);
}

/* Derivatives of the blobs by differences. */
static void test_blob_slopes(void **state)
{
    (void)state;
    enum { Q = 2, K = 2, EACH = Q + 2, N = 3 };
    const kith_i_grow_cell cells[N] = {
        {{0, 0}, {.5, 1}, .4, 1e-4, 0, 0},
        {{-HUGE_VAL, .2}, {0, HUGE_VAL}, .3, 4e-4, 0, 0},
        {{.5, -1}, {1, 0}, .1, 1e-4, 0, 0}};
    double blobs[K * EACH] = {.6, .2, .3, log(.4), .4, .7, -.2, log(.3)};
    double expected[N], slopes[N * K * EACH], up[N], down[N];
    kith_i_blobs_misfit(cells, N, Q, blobs, K, expected, slopes);
    for (int i = 0; i < K * EACH; i++) {
        double h = 1e-6, x = blobs[i];
        blobs[i] = x + h;
        kith_i_blobs_misfit(cells, N, Q, blobs, K, up, NULL);
        blobs[i] = x - h;
        kith_i_blobs_misfit(cells, N, Q, blobs, K, down, NULL);
        blobs[i] = x;
        for (int l = 0; l < N; l++)
            assert_true(fabs(slopes[l * K * EACH + i] -
                             (up[l] - down[l]) / (2 * h)) < 1e-7);
    }
}

/* Mass and mean of a blob in a cell: by the middle rule. */
static void test_blob_part(void **state)
{
    (void)state;
    enum { STEPS = 400 };
    const double blob[4] = {.6, .2, .3, log(.4)};
    const kith_i_grow_cell cell = {{0, -.5}, {.5, .25}, 0, 1, 0, 0};
    double at[2], mass = 0, sum[2] = {0}, cut = 1.0 / STEPS;
    for (int i = 0; i < STEPS; i++)
        for (int j = 0; j < STEPS; j++) {
            double x = .5 * (i + .5) * cut, y = -.5 + .75 * (j + .5) * cut;
            double r = (pow(x - .2, 2) + pow(y - .3, 2)) / (2 * .16);
            double w = .6 * exp(-r) / (2 * M_PI * .16) * .375 * cut * cut;
            mass += w;
            sum[0] += w * x;
            sum[1] += w * y;
        }
    assert_true(fabs(kith_i_blobs_part(&cell, 2, blob, at) - mass) < 1e-6);
    assert_true(fabs(at[0] - sum[0] / mass) < 1e-5);
    assert_true(fabs(at[1] - sum[1] / mass) < 1e-5);
    /* Far away: no mass, and a mean that is still in the cell. */
    const double far[4] = {1, 90, 90, log(.1)};
    assert_true(kith_i_blobs_part(&cell, 2, far, at) == 0);
    assert_true(at[0] >= 0 && at[0] <= .5 && at[1] >= -.5 && at[1] <= .25);
}

static void test_prior(void **state)
{
    (void)state;
    const double blobs[9] = {.3, 0, log(1), .3, 0, log(2), .4, 0, log(4)};
    double two = log(2), sd = log(1.6);
    double chi = kith_i_blobs_prior(blobs, 3, 1);
    assert_true(fabs(chi - 2 * two * two / (sd * sd)) < .01 * chi);
    assert_true(fabs(kith_i_blobs_prior(blobs, 1, 1)) < 1e-12);
}

/* Cells of a grid in the unit square, open outside. */
static void grid(kith_i_grow_cell *cells, uint32_t side, double variance)
{
    for (uint32_t l = 0; l < side * side; l++) {
        uint32_t at[2] = {l % side, l / side};
        for (int a = 0; a < 2; a++) {
            double low = at[a] / (double)side, high = low + 1.0 / side;
            cells[l].low[a] = at[a] == 0 ? -HUGE_VAL : low;
            cells[l].high[a] = at[a] == side - 1 ? HUGE_VAL : high;
        }
        cells[l].variance = variance;
    }
}

/* Three blobs; the start has two of them in one, and one in the void. */
static void test_search(void **state)
{
    (void)state;
    enum { SIDE = 8, CELLS = SIDE * SIDE };
    const double truth[12] = {.3, .2,       .2, log(.07), .3, .8,
                              .3, log(.07), .4, .3,       .8, log(.07)};
    double blobs[12] = {.3,  .25,     .2, log(.1), .3,  .2,
                        .25, log(.1), .4, .95,     .95, log(.1)};
    kith_i_grow_cell cells[CELLS];
    double exact[CELLS];
    kith_i_coins coins;
    bed b;
    open_bed(&b, 2, 3);
    kith_i_coins_seed(&coins, 3, 0);
    grid(cells, SIDE, 1e-4);
    kith_i_blobs_misfit(cells, CELLS, 2, truth, 3, exact, NULL);
    for (int l = 0; l < CELLS; l++)
        cells[l].estimate = exact[l] + .01 * kith_i_coins_normal(&coins);
    kith_i_blob_fit f = {.cells = cells,
                         .count = CELLS,
                         .axes = 2,
                         .high = {1, 1},
                         .narrow = log(.02),
                         .wide = log(.5)};
    assert_int_equal(kith_i_blobs_room(&b.run, &f, 3, NULL), KITH_OK);
    double chi = kith_i_blobs_fit(&f, blobs, 3, 3);
    double best = kith_i_blobs_misfit(cells, CELLS, 2, truth, 3, exact, NULL);
    assert_true(chi < best);
    for (int j = 0; j < 3; j++) {
        double near = HUGE_VAL;
        for (int i = 0; i < 3; i++)
            near = fmin(near, hypot(blobs[i * 4 + 1] - truth[j * 4 + 1],
                                    blobs[i * 4 + 2] - truth[j * 4 + 2]));
        assert_true(near < .03);
    }
    kith_i_local_close(&b.run);
}

enum { LINE = 8, CHAINS = 16 };

/* One blob on a line with noisy reports: what the leaves hold on average over
 * all centres in the public ball and all widths, each as often as it is likely;
 * by sums over a grid. */
static const double BALL[] = {.3, .25}; /* middle, radius */

static void by_sums(const kith_i_blob_fit *f, const kith_i_grow_cell *open,
                    double *part, double *place)
{
    enum { STEPS = 300 };
    double total = 0, expected[LINE], at;
    memset(part, 0, LINE * sizeof *part);
    memset(place, 0, LINE * sizeof *place);
    for (int i = 0; i < STEPS; i++)
        for (int j = 0; j < STEPS; j++) {
            if (fabs((i + .5) / STEPS - BALL[0]) > BALL[1])
                continue;
            double blob[3] = {1, (i + .5) / STEPS,
                              f->narrow +
                                  (f->wide - f->narrow) * (j + .5) / STEPS};
            double chi = kith_i_blobs_misfit(f->cells, f->count, 1, blob, 1,
                                             expected, NULL);
            double w = exp(-chi / 2);
            total += w;
            for (int l = 0; l < LINE; l++) {
                double mass = kith_i_blobs_part(&open[l], 1, blob, &at);
                part[l] += w * mass;
                place[l] += w * mass * at;
            }
        }
    for (int l = 0; l < LINE; l++) {
        place[l] /= part[l];
        part[l] /= total;
    }
}

static void test_average(void **state)
{
    (void)state;
    const double seen[LINE] = {.1, .25, -.1, .15, .3, .1, .35, -.05};
    kith_i_grow_cell box[LINE], open[LINE];
    double part[LINE], place[LINE], sum[LINE] = {0}, moment[LINE] = {0};
    bed b;
    open_bed(&b, 1, 1);
    b.task.center = &BALL[0];
    b.task.radius = BALL[1];
    kith_i_coins_seed(&b.run.coins, 4, 0);
    for (int l = 0; l < LINE; l++) {
        box[l] = (kith_i_grow_cell){.low = {l / (double)LINE},
                                    .high = {(l + 1) / (double)LINE},
                                    .estimate = seen[l],
                                    .variance = .04};
        open[l] = box[l];
    }
    open[0].low[0] = -HUGE_VAL;
    open[LINE - 1].high[0] = HUGE_VAL;
    kith_i_blob_fit f = {.cells = open,
                         .count = LINE,
                         .axes = 1,
                         .high = {1},
                         .narrow = log(.05),
                         .wide = log(.5)};
    const double blob[3] = {1, .1, log(.1)}; /* not where it should be */
    kith_i_blob_mean mean = {.box = box,
                             .open = open,
                             .leaves = LINE,
                             .k = 1,
                             .part = sum,
                             .place = moment};
    for (int i = 0; i < CHAINS; i++)
        assert_int_equal(kith_i_blobs_average(&b.run, &f, blob, &mean, NULL),
                         KITH_OK);
    by_sums(&f, open, part, place);
    for (int l = 0; l < LINE; l++) {
        print_message("%d: %.4f %.4f at %.3f %.3f\n", l, sum[l] / mean.samples,
                      part[l], moment[l] / sum[l], place[l]);
        /* Of one chain the sd was .009 (over eight seeds), and of a place .018
         * in the open cells and .001 in the others: six of these over 4. */
        int outer = l == 0 || l == LINE - 1;
        assert_true(fabs(sum[l] / mean.samples - part[l]) < .0135);
        assert_true(fabs(moment[l] / sum[l] - place[l]) <
                    (outer ? .027 : .0025));
    }
    kith_i_local_close(&b.run);
}

/* The weight of the points in a box. */
static double weight_in(const kith_i_grow_cell *box, const double *points,
                        const double *weights, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double *x = points + 2 * i;
        if (x[0] >= box->low[0] && x[0] < box->high[0] && x[1] >= box->low[1] &&
            x[1] < box->high[1])
            sum += weights[i];
    }
    return sum;
}

/* Two blobs and noise on a grid: the shrunken cells are nearer to the truth,
 * and their points are where the users of a cell are; a chequerboard is no
 * blob and is left alone. */
static void test_smooth(void **state)
{
    (void)state;
    enum { CELLS = 64, ROOM = 3 * CELLS };
    for (int blobs = 0; blobs < 2; blobs++) {
        const double low[] = {-1, -1}, high[] = {1, 1}, sd = .004;
        const double truth[8] = {.5, -.4, -.4, log(.15), .5, .4, .4, log(.15)};
        double fractions[CELLS], exact[CELLS], points[2 * ROOM];
        double weights[CELLS + 1], start[2 * (CELLS + 1)], out[ROOM];
        double variances[CELLS + 1], raw = 0, kept = 0, mean = 0;
        kith_i_grow_cell cells[CELLS];
        kith_i_coins coins;
        kith_i_grow grow;
        kith_i_place place;
        kith_i_lens lens = {.q = 2, .d = 2};
        uint32_t *leaf, count;
        bed b;
        kith_i_coins_seed(&coins, 5, 0);
        open_bed(&b, 2, 2);
        kith_i_grow_box box = {2, low, high, 6, CELLS};
        assert_int_equal(kith_i_grow_open(&b.run, &box, &grow, NULL), KITH_OK);
        kith_i_grow_publish(&b.run, &grow, 9, &lens, &place, &leaf, NULL);
        kith_i_grow_cells(&grow, cells);
        for (int l = 0; l < CELLS; l++)
            cells[l].variance = 1;
        kith_i_blobs_misfit(cells, CELLS, 2, truth, 2, exact, NULL);
        for (int l = 0; l < CELLS; l++) {
            int odd = (int)floor(cells[l].low[0] * 4 + .5) +
                      (int)floor(cells[l].low[1] * 4 + .5);
            exact[l] = blobs ? exact[l] : odd % 2 ? 2.0 / CELLS : 0;
            fractions[l] = exact[l] + sd * kith_i_coins_normal(&coins);
        }
        kith_i_answer answer = {.received = 1000,
                                .fractions = fractions,
                                .symbols = CELLS,
                                .sd = sd};
        kith_i_grow_take(&grow, leaf, &answer);
        kith_i_grow_prune(&grow);
        count = kith_i_grow_points(&grow, 1, start, weights, variances);
        kith_i_points from = {start, weights, count, 2};
        double best[2 * 4];
        kith_i_blob_points smooth = {
            .points = points, .weights = out, .best = best};
        kith_i_grow_set set = {&grow, &grow, 1, 0};
        assert_int_equal(
            kith_i_blobs_smooth(&b.run, &set, &from, 2, &smooth, NULL),
            KITH_OK);
        count = smooth.count;
        assert_true(blobs ? count > 0 && count <= ROOM : count == 0);
        for (uint32_t l = 0; blobs && l < CELLS; l++) {
            raw += pow(fractions[l] - exact[l], 2);
            kept += pow(weight_in(&cells[l], points, out, count) - exact[l], 2);
        }
        assert_true(!blobs || kept < .5 * raw);
        /* The mean of one blob, from the points of its quarter. */
        for (uint32_t i = 0; blobs && i < count; i++)
            mean += points[2 * i] > 0 && points[2 * i + 1] > 0
                        ? out[i] * points[2 * i] / .5
                        : 0;
        assert_true(!blobs || fabs(mean - .4) < .02);
        kith_i_local_close(&b.run);
    }
}

enum { SIDE8 = 8, CELLS8 = SIDE8 * SIDE8 };

/* Users of three blobs, or a part of them anywhere, each of whom supports the
 * cell that they are in with chance p and every other with chance q: what a
 * server estimates. */
static void report_cells(kith_i_coins *coins, const kith_i_grow_cell *cells,
                         int users, double anywhere, kith_i_answer *answer)
{
    static const double at[3][2] = {{-.6, -.5}, {.1, .6}, {.5, -.4}};
    const double p = .5, q = 1 / 404.; /* OLH at epsilon 6 */
    double supports[CELLS8] = {0};
    for (int u = 0; u < users; u++) {
        size_t j = kith_i_coins_below(coins, 3);
        double x[2];
        int stray = anywhere > 0 && kith_i_coins_unit(coins) < anywhere;
        for (int a = 0; a < 2; a++) {
            x[a] = stray ? 2 * kith_i_coins_unit(coins) - 1
                         : at[j][a] + .12 * kith_i_coins_normal(coins);
            x[a] = fmin(.999, fmax(-1, x[a]));
        }
        for (int l = 0; l < CELLS8; l++) {
            const kith_i_grow_cell *c = &cells[l];
            int in = x[0] >= c->low[0] && x[0] < c->high[0] &&
                     x[1] >= c->low[1] && x[1] < c->high[1];
            supports[l] += kith_i_coins_unit(coins) < (in ? p : q);
        }
    }
    for (int l = 0; l < CELLS8; l++)
        answer->fractions[l] = (supports[l] / users - q) / (p - q);
    answer->received = (uint64_t)users;
    answer->symbols = CELLS8;
    answer->sd = sqrt(q * (1 - q) / users) / (p - q);
    answer->per_share = (1 - 2 * q) / (p - q) / users;
}

/* Round blobs that are there, found again. forget: as if full cells were no
 * noisier than empty ones. */
static kith_i_blob_points find_again(uint64_t seed, int forget, double anywhere)
{
    const double low[] = {-1, -1}, high[] = {1, 1};
    double fractions[CELLS8], start[2 * (CELLS8 + 1)], weights[CELLS8 + 1];
    double variances[CELLS8 + 1], points[8 * CELLS8], out[4 * CELLS8];
    double best[3 * 4];
    kith_i_grow_cell cells[CELLS8];
    kith_i_coins coins;
    kith_i_grow grow;
    kith_i_place place;
    kith_i_lens lens = {.q = 2, .d = 2};
    uint32_t *leaf;
    bed b;
    kith_i_coins_seed(&coins, seed, 0);
    open_bed(&b, 2, 3);
    kith_i_grow_box box = {2, low, high, 6, CELLS8};
    assert_int_equal(kith_i_grow_open(&b.run, &box, &grow, NULL), KITH_OK);
    kith_i_grow_publish(&b.run, &grow, 9, &lens, &place, &leaf, NULL);
    kith_i_grow_cells(&grow, cells);
    for (int r = 0; r < 2; r++) { /* two rounds about the same cells */
        kith_i_answer answer = {.fractions = fractions};
        report_cells(&coins, cells, r ? 9000 : 3000, anywhere, &answer);
        answer.per_share = forget ? 0 : answer.per_share;
        kith_i_grow_take(&grow, leaf, &answer);
    }
    kith_i_grow_prune(&grow);
    uint32_t count = kith_i_grow_points(&grow, 1, start, weights, variances);
    kith_i_points from = {start, weights, count, 2};
    kith_i_blob_points smooth = {
        .points = points, .weights = out, .best = best};
    kith_i_grow_set set = {&grow, &grow, 1, 0};
    assert_int_equal(kith_i_blobs_smooth(&b.run, &set, &from, 3, &smooth, NULL),
                     KITH_OK);
    kith_i_local_close(&b.run);
    smooth.points = smooth.weights = smooth.best = NULL; /* gone */
    return smooth;
}

/* Chi squared knows that a full cell is noisier than an empty one: where there
 * are blobs its misfit is a standard normal deviate. Ten seeds, the same each
 * time: their mean has a standard deviation of .32. Without what users add it
 * is far above. */
static void test_misfit(void **state)
{
    (void)state;
    double mean = 0, square = 0, old = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        double now = find_again(seed, 0, 0).misfit;
        mean += now / 10;
        square += now * now / 10;
        old += find_again(seed, 1, 0).misfit / 10;
    }
    print_message("misfit %.2f (square %.2f), forgotten %.2f\n", mean, square,
                  old);
    assert_true(fabs(mean) < 1.2);
    assert_true(square < 3);
    assert_true(old > 3);
}

/* The share of the users that blobs explain, if nothing says that they explain
 * everybody: all of them, or all but those who are anywhere. Ten seeds, the
 * same each time. */
static void test_total(void **state)
{
    (void)state;
    for (int stray = 0; stray < 2; stray++) {
        double mean = 0, z = 0, anywhere = stray ? .2 : 0;
        for (uint64_t seed = 0; seed < 10; seed++) {
            kith_i_blob_points found = find_again(seed, 0, anywhere);
            mean += found.total / 10;
            z += pow((found.total - 1) / found.total_sd, 2) / 10;
        }
        print_message("%g anywhere: %.4f, %.2f sd\n", anywhere, mean, sqrt(z));
        /* Wide blobs explain some of those who are anywhere. */
        assert_true(stray ? mean > .78 && mean < .93 : fabs(mean - 1) < .03);
        assert_true(stray ? z > 25 : z < 2.5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blob_slopes), cmocka_unit_test(test_blob_part),
        cmocka_unit_test(test_prior),       cmocka_unit_test(test_search),
        cmocka_unit_test(test_average),     cmocka_unit_test(test_smooth),
        cmocka_unit_test(test_misfit),      cmocka_unit_test(test_total),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
