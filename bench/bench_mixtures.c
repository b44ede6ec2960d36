/* Many runs of `kith local` on fresh mixtures, which are made in memory:
 *     bench_mixtures N D K EPSILON FIRST COUNT [law|reports|oracle]
 *         [METHOD [median]]
 * The mixtures of docs/local.md: k centres uniform in the ball of radius .75,
 * at least .4 apart (.3 for d <= 2), weights Dirichlet(8), root mean square
 * radius .12, in the unit ball. Seeds FIRST, FIRST + 1, ... are of mixture,
 * groups and coins alike. One line a run: the seed, the ratio to a non-private
 * run from the true centres, lost clusters (no centre is nearer than half the
 * way to the next true one), centres whose share is below two standard
 * deviations, the last question's gain over one mean in its standard
 * deviations, the misfit, the answer that won, and by how many deviations each
 * other answer is better than the first. Then median, geometric mean, 95th
 * percentile, worst, lost runs. law: sums of reports by their law, four users a
 * row above 50,000; reports: every report; oracle: who knows the true regions
 * asks 98 % for their means, by the law. median: k-median, its cost and its
 * non-private run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernel_i.h"
#include "simulate/local_run.h"

enum { LLOYD = 20, SHAPE = 8 };

typedef struct {
    uint64_t n;
    uint32_t d, k;
    double epsilon;
    double *rows, *truth, *best; /* n x d, k x d, k x d: after Lloyd */
    double cost;                 /* of best, for a user */
    int median;
} mixture;

typedef enum { LAW, REPORTS, ORACLE } how;

static void stop(const char *why)
{
    fprintf(stderr, "bench_mixtures: %s\n", why);
    exit(1);
}

static void *room(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p)
        stop("out of memory");
    return p;
}

static uint32_t nearest(const double *x, const double *centers, uint32_t count,
                        uint32_t d, uint32_t not_this, double *far)
{
    uint32_t at = 0;
    *far = HUGE_VAL;
    for (uint32_t j = 0; j < count; j++) {
        double v = j == not_this
                       ? HUGE_VAL
                       : kith_i_distance_squared(x, centers + (size_t)j * d, d);
        if (v < *far) {
            *far = v;
            at = j;
        }
    }
    return at;
}

static void draw_centers(mixture *m, kith_i_coins *coins)
{
    double apart = m->d <= 2 ? .3 : .4;
    for (uint32_t j = 0; j < m->k;) {
        double *c = m->truth + (size_t)j * m->d, norm = 0, far;
        for (uint32_t i = 0; i < m->d; i++) {
            c[i] = kith_i_coins_normal(coins);
            norm += c[i] * c[i];
        }
        double length =
            .75 * pow(kith_i_coins_unit(coins), 1.0 / m->d) / sqrt(norm);
        for (uint32_t i = 0; i < m->d; i++)
            c[i] *= length;
        nearest(c, m->truth, j, m->d, UINT32_MAX, &far);
        /* All again when two are too near, as make_mixture.py does. */
        j = far > apart * apart ? j + 1 : 0;
    }
}

static void draw_rows(mixture *m, kith_i_coins *coins)
{
    double *upto = room(m->k, sizeof *upto), all = 0;
    for (uint32_t j = 0; j < m->k; j++) {
        for (int s = 0; s < SHAPE; s++)
            all -= log(kith_i_coins_unit(coins) + 1e-300);
        upto[j] = all;
    }
    for (uint64_t r = 0; r < m->n; r++) {
        double *x = m->rows + r * m->d, norm = 0;
        double u = kith_i_coins_unit(coins) * all;
        uint32_t j = 0;
        while (j + 1 < m->k && upto[j] < u)
            j++;
        for (uint32_t i = 0; i < m->d; i++) {
            x[i] = m->truth[(size_t)j * m->d + i] +
                   kith_i_coins_normal(coins) * .12 / sqrt(m->d);
            norm += x[i] * x[i];
        }
        for (uint32_t i = 0; norm > 1 && i < m->d; i++)
            x[i] /= sqrt(norm);
    }
    free(upto);
}

/* sums, members (nullable): of the rows by their centre, for a step of Lloyd,
 * or of Weiszfeld. */
static double cost_of(const mixture *m, const double *centers, uint32_t count,
                      double *sums, double *members)
{
    double cost = 0, far;
    for (uint64_t r = 0; r < m->n; r++) {
        const double *x = m->rows + r * m->d;
        uint32_t j = nearest(x, centers, count, m->d, UINT32_MAX, &far);
        cost += m->median ? sqrt(far) : far;
        double weight = m->median ? 1 / sqrt(fmax(far, 1e-12)) : 1;
        for (uint32_t i = 0; sums && i < m->d; i++)
            sums[(size_t)j * m->d + i] += weight * x[i];
        if (members)
            members[j] += sums ? weight : 1;
    }
    return cost / (double)m->n;
}

static void solve(mixture *m)
{
    size_t coords = (size_t)m->k * m->d;
    double *sums = room(coords + m->k, sizeof *sums);
    memcpy(m->best, m->truth, coords * sizeof *m->best);
    for (int t = 0; t < LLOYD; t++) {
        double *members = sums + coords;
        memset(sums, 0, (coords + m->k) * sizeof *sums);
        m->cost = cost_of(m, m->best, m->k, sums, members);
        for (size_t i = 0; i < coords; i++)
            if (members[i / m->d] > 0)
                m->best[i] = sums[i] / members[i / m->d];
    }
    free(sums);
}

static uint32_t lost_of(const mixture *m, const double *found, uint32_t count)
{
    uint32_t lost = 0;
    for (uint32_t j = 0; j < m->k; j++) {
        double gap, far;
        const double *c = m->truth + (size_t)j * m->d;
        nearest(c, m->truth, m->k, m->d, j, &gap);
        nearest(c, found, count, m->d, UINT32_MAX, &far);
        lost += far > gap / 4;
    }
    return lost;
}

/* The means of the true regions by 98 % of the users, clipped at twice the
 * cluster's radius over sqrt 2, as noisy as the reports are. */
static void ask_oracle(const mixture *m, kith_i_coins *coins,
                       kith_i_local_found *found)
{
    double users = .98 * (double)m->n;
    double *members = room(m->k, sizeof *members);
    double noise = .12 * kith_i_vector_sd(m->epsilon, m->d + 1) / sqrt(users);
    cost_of(m, m->best, m->k, NULL, members);
    for (size_t i = 0; i < (size_t)m->k * m->d; i++)
        found->centers[i] = m->best[i] + noise * (double)m->n /
                                             members[i / m->d] *
                                             kith_i_coins_normal(coins);
    found->count = m->k;
    free(members);
}

static void run_method(const mixture *m, kith_local_options *opt,
                       kith_i_local_found *found)
{
    kith_error err = {0};
    kith_dataset *data = NULL;
    kith_i_trace trace = {0};
    kith_bounds bounds = {.radius = 1};
    uint64_t copies = opt->law && m->n > 50000 ? 4 : 1;
    kith_status status = kith_dataset_from_rows(m->rows, m->n / copies, m->d,
                                                &bounds, &data, &err);
    if (!status)
        status = kith_i_local_execute(data, copies, opt, &trace, found, &err);
    if (status)
        stop(err.message);
    kith_i_trace_close(&trace);
    kith_dataset_free(data);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double run_seed(mixture *m, uint64_t seed, how way,
                       kith_local_options *opt, uint32_t *lost)
{
    kith_error err = {0};
    kith_i_coins coins;
    kith_i_local_found found = {0};
    uint32_t unseen = 0;
    kith_i_coins_seed(&coins, seed, 0x6d78);
    draw_centers(m, &coins);
    draw_rows(m, &coins);
    solve(m);
    opt->public_seed = opt->insecure_seed = seed;
    if (kith_i_local_found_make(m->k, m->d, &found, &err))
        stop(err.message);
    if (way == ORACLE)
        ask_oracle(m, &coins, &found);
    else
        run_method(m, opt, &found);
    const kith_i_local_verdict *v = &found.verdict;
    for (uint32_t j = 0; j < found.count; j++)
        unseen += found.weights[j] < 2 * v->weight_sd[j];
    *lost = lost_of(m, found.centers, found.count);
    double ratio = cost_of(m, found.centers, found.count, NULL, NULL) / m->cost;
    printf("%llu %.4f lost %u unseen %u found %u gain %.1f misfit %.1f "
           "won %s",
           (unsigned long long)seed, ratio, *lost, unseen, found.count,
           v->gain / v->gain_sd, v->excess, v->won ? v->won : "-");
    for (uint32_t i = 0; i < v->others; i++)
        printf(", %s %.1f", v->other[i].name,
               v->other[i].gain / v->other[i].sd);
    printf("\n");
    fflush(stdout);
    kith_i_local_found_free(&found);
    return ratio;
}

int main(int argc, char **argv)
{
    if (argc < 7)
        stop(
            "N D K EPSILON FIRST COUNT [law|reports|oracle] [METHOD [median]]");
    mixture m = {.n = strtoull(argv[1], NULL, 10),
                 .d = (uint32_t)atoi(argv[2]),
                 .k = (uint32_t)atoi(argv[3]),
                 .epsilon = atof(argv[4])};
    uint64_t first = strtoull(argv[5], NULL, 10);
    uint32_t count = (uint32_t)atoi(argv[6]), lost, bad = 0;
    const char *word = argc > 7 ? argv[7] : "law";
    how way = !strcmp(word, "oracle")    ? ORACLE
              : !strcmp(word, "reports") ? REPORTS
                                         : LAW;
    double *ratio = room(count, sizeof *ratio), geo = 0;
    size_t coords = (size_t)m.k * m.d;
    kith_local_options opt;
    kith_local_options_init(&opt, sizeof opt);
    opt.clusters = m.k;
    opt.epsilon = m.epsilon;
    opt.threads = 1;
    opt.insecure = 1;
    opt.law = way == LAW;
    opt.method = argc > 8 ? (kith_local_method)atoi(argv[8]) : KITH_LOCAL_AUTO;
    m.median = argc > 9 && !strcmp(argv[9], "median");
    opt.objective = m.median ? KITH_OBJECTIVE_KMEDIAN : KITH_OBJECTIVE_KMEANS;
    m.rows = room(m.n * m.d, sizeof *m.rows);
    m.truth = room(2 * coords, sizeof *m.truth);
    m.best = m.truth + coords;
    for (uint32_t i = 0; i < count; i++) {
        ratio[i] = run_seed(&m, first + i, way, &opt, &lost);
        geo += log(ratio[i]) / count;
        bad += lost > 0;
    }
    qsort(ratio, count, sizeof *ratio, compare);
    printf("d %u n %llu eps %g: median %.4f geo %.4f p95 %.3f worst %.2f "
           "lost %u of %u\n",
           m.d, (unsigned long long)m.n, m.epsilon,
           (ratio[count / 2] + ratio[(count - 1) / 2]) / 2, exp(geo),
           ratio[(size_t)(.95 * (count - 1) + .5)], ratio[count - 1], bad,
           count);
    free(ratio);
    free(m.rows);
    free(m.truth);
    return 0;
}
