/* A9: k-means on the coreset, free of charge: restarts, then swaps. */
#include "cluster/auto_i.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { TAIL = 16 };
enum { SWAP_CANDIDATES = 400, LLOYD_ROUNDS = 300, LLOYD_AFTER_SWAP = 30 };

kith_status kith_i_auto_coreset_new(auto_coreset *out, uint32_t n, uint32_t q,
                                    kith_error *err)
{
    memset(out, 0, sizeof *out);
    out->n = n;
    out->q = q;
    out->points = kith_i_alloc((size_t)n * q, sizeof *out->points);
    out->weight = kith_i_alloc(n, sizeof *out->weight);
    out->size = kith_i_alloc(n, sizeof *out->size);
    out->within = kith_i_alloc(n, sizeof *out->within);
    out->unsure = kith_i_alloc(n, sizeof *out->unsure);
    out->scratch = kith_i_alloc(n, sizeof *out->scratch);
    if (out->points && out->weight && out->size && out->within && out->unsure &&
        out->scratch)
        return KITH_OK;
    kith_i_auto_coreset_free(out);
    return kith_i_fail_memory(err);
}

void kith_i_auto_coreset_free(auto_coreset *c)
{
    kith_i_free(c->points);
    kith_i_free(c->weight);
    kith_i_free(c->size);
    kith_i_free(c->within);
    kith_i_free(c->unsure);
    kith_i_free(c->scratch);
    memset(c, 0, sizeof *c);
}

/* What a worker needs while it improves a solution. */
typedef struct {
    kith_i_points points;
    uint32_t k;
    uint32_t *labels;
    double *scratch;
    double *trial; /* k x q */
    uint32_t candidates;
    uint32_t *candidate; /* indices of points */
    double *distance;    /* candidates x n */
    double *gain;        /* k */
} solver;

/* Candidates for swaps: all points, or a weighted sample without repeats. */
static void pick_candidates(solver *s, kith_i_coins *coins)
{
    uint32_t n = s->points.n;
    if (n <= SWAP_CANDIDATES) {
        for (uint32_t i = 0; i < n; i++)
            s->candidate[i] = i;
        return;
    }
    /* Exponential keys: the smallest u / weight are a weighted sample. */
    double *key = s->scratch;
    for (uint32_t i = 0; i < n; i++) {
        double u = -log(1 - kith_i_coins_unit(coins));
        key[i] = u / fmax(s->points.weights[i], 1e-300);
    }
    for (uint32_t c = 0; c < s->candidates; c++) {
        uint32_t least = 0;
        for (uint32_t i = 1; i < n; i++)
            least = key[i] < key[least] ? i : least;
        s->candidate[c] = least;
        key[least] = HUGE_VAL;
    }
}

static void candidate_distances(solver *s)
{
    size_t n = s->points.n, d = s->points.d;
    for (size_t c = 0; c < s->candidates; c++)
        kith_i_distances_squared(s->points.coords, n, d,
                                 s->points.coords + s->candidate[c] * d,
                                 s->distance + c * n);
}

/* The best swap of a centre for a candidate by its exact gain before Lloyd
 * (FastPAM: all k x candidates gains in one pass over the points for each
 * candidate). Returns the gain. */
static double best_swap(const solver *s, const double *centers, uint32_t *out,
                        uint32_t *in)
{
    size_t n = s->points.n, d = s->points.d;
    double *first = s->scratch, *second = first + n;
    for (size_t i = 0; i < n; i++) {
        first[i] = second[i] = HUGE_VAL;
        kith_i_distances_squared(centers, s->k, d, s->points.coords + i * d,
                                 s->gain);
        for (uint32_t j = 0; j < s->k; j++) {
            double v = s->gain[j];
            if (v < first[i]) {
                second[i] = first[i];
                first[i] = v;
                s->labels[i] = j;
            } else if (v < second[i]) {
                second[i] = v;
            }
        }
        if (s->k == 1) /* no other centre: the candidate takes all */
            second[i] = HUGE_VAL;
    }
    double best = 0;
    for (uint32_t c = 0; c < s->candidates; c++) {
        const double *to = s->distance + c * n;
        double shared = 0;
        memset(s->gain, 0, s->k * sizeof *s->gain);
        for (size_t i = 0; i < n; i++) {
            double w = s->points.weights[i];
            double with = fmin(to[i], first[i]);
            shared += w * (first[i] - with);
            s->gain[s->labels[i]] -= w * (fmin(to[i], second[i]) - with);
        }
        for (uint32_t j = 0; j < s->k; j++)
            if (shared + s->gain[j] > best) {
                best = shared + s->gain[j];
                *out = j;
                *in = s->candidate[c];
            }
    }
    return best;
}

/* Swap and let Lloyd follow, as long as the cost falls. */
static double improve(solver *s, double cost, double *centers)
{
    size_t d = s->points.d;
    for (uint32_t round = 0; round < 2 * s->k + 20; round++) {
        uint32_t out = 0, in = 0;
        if (best_swap(s, centers, &out, &in) <= 1e-9 * cost)
            break;
        memcpy(s->trial, centers, s->k * d * sizeof *centers);
        memcpy(s->trial + out * d, s->points.coords + in * d,
               d * sizeof *centers);
        double now = kith_i_lloyd_points(&s->points, s->k, LLOYD_AFTER_SWAP,
                                         s->scratch, s->labels, s->trial);
        if (now >= cost * (1 - 1e-7))
            break;
        cost = now;
        memcpy(centers, s->trial, s->k * d * sizeof *centers);
    }
    return cost;
}

/* ---- repeats, side by side ------------------------------------------------
 */

typedef struct {
    const auto_coreset *coreset;
    uint32_t k, repeats, starts, workers;
    int swaps;
    solver *solvers;     /* one per worker */
    kith_i_coins *coins; /* of each repeat: its own words of the run's */
    double *cost;        /* of each repeat */
    double *centers;     /* repeats x k x q */
    atomic_uint next;
} solve_job;

static void repeat(const solve_job *job, uint32_t r, solver *s)
{
    size_t size = (size_t)job->k * s->points.d;
    kith_i_coins coins = job->coins[r];
    double *best = job->centers + r * size, cost = HUGE_VAL;
    for (uint32_t t = 0; t < job->starts; t++) {
        kith_i_seed_points(&s->points, s->k, &coins, s->scratch, s->trial);
        double now = kith_i_lloyd_points(&s->points, s->k, LLOYD_ROUNDS,
                                         s->scratch, s->labels, s->trial);
        if (now < cost) {
            cost = now;
            memcpy(best, s->trial, size * sizeof *best);
        }
    }
    if (job->swaps) {
        pick_candidates(s, &coins);
        candidate_distances(s);
        cost = improve(s, cost, best);
    }
    job->cost[r] = cost;
}

static void work(void *arg, uint32_t worker)
{
    solve_job *job = arg;
    for (;;) {
        uint32_t r = atomic_fetch_add(&job->next, 1);
        if (r >= job->repeats)
            return;
        repeat(job, r, &job->solvers[worker]);
    }
}

/* Every repeat takes as many words as any other: so it can be told beforehand
 * which, and the result is the same for any number of workers. */
static void deal_coins(const solve_job *job, kith_i_coins *coins)
{
    uint32_t n = job->coreset->n;
    uint64_t words = job->starts * kith_i_seed_words(n, job->k);
    if (job->swaps && n > SWAP_CANDIDATES)
        words += n;
    for (uint32_t r = 0; r < job->repeats; r++) {
        job->coins[r] = *coins;
        for (uint64_t i = 0; i < words; i++)
            (void)kith_i_coins_u64(coins);
    }
}

static int solver_open(solver *s, const solve_job *job)
{
    const auto_coreset *c = job->coreset;
    size_t n = c->n, m = n < SWAP_CANDIDATES ? n : SWAP_CANDIDATES, k = job->k;
    s->points = (kith_i_points){c->points, c->weight, c->n, c->q};
    s->k = job->k;
    s->candidates = (uint32_t)m;
    s->labels = kith_i_alloc(n, sizeof *s->labels);
    s->scratch =
        kith_i_alloc(n * (4 + kith_i_seed_candidates(job->k)) + k * (c->q + 1),
                     sizeof *s->scratch);
    s->trial = kith_i_alloc(k * c->q, sizeof *s->trial);
    s->gain = kith_i_alloc(k, sizeof *s->gain);
    s->candidate = kith_i_alloc(m, sizeof *s->candidate);
    s->distance = kith_i_alloc(job->swaps ? m * n : 0, sizeof *s->distance);
    return s->labels && s->scratch && s->trial && s->gain && s->candidate &&
           s->distance;
}

static void solver_close(solver *s)
{
    kith_i_free(s->labels);
    kith_i_free(s->scratch);
    kith_i_free(s->trial);
    kith_i_free(s->gain);
    kith_i_free(s->candidate);
    kith_i_free(s->distance);
}

static void job_close(solve_job *job)
{
    for (uint32_t i = 0; job->solvers && i < job->workers; i++)
        solver_close(&job->solvers[i]);
    kith_i_free(job->solvers);
    kith_i_free(job->coins);
    kith_i_free(job->cost);
    kith_i_free(job->centers);
}

kith_status kith_i_auto_solve(auto_run *run, const auto_coreset *coreset,
                              uint32_t k, uint32_t repeats, uint32_t starts,
                              int swaps, double *centers, kith_error *err)
{
    if (coreset->n <= k) /* every point is a centre, however it is found */
        repeats = starts = 1;
    size_t size = (size_t)k * coreset->q;
    uint32_t threads = kith_i_session_threads(run->session), best = 0;
    solve_job job = {.coreset = coreset,
                     .k = k,
                     .repeats = repeats,
                     .starts = starts,
                     .workers = threads < repeats ? threads : repeats,
                     .swaps = swaps && coreset->n > k};
    atomic_init(&job.next, 0);
    job.solvers = kith_i_alloc(job.workers, sizeof *job.solvers);
    job.coins = kith_i_alloc(repeats, sizeof *job.coins);
    job.cost = kith_i_alloc(repeats, sizeof *job.cost);
    job.centers = kith_i_alloc(repeats * size, sizeof *job.centers);
    int ok = job.solvers && job.coins && job.cost && job.centers;
    for (uint32_t i = 0; ok && i < job.workers; i++)
        ok = solver_open(&job.solvers[i], &job);
    if (ok) {
        deal_coins(&job, &run->coins);
        kith_i_parallel(job.workers, work, &job);
        for (uint32_t r = 1; r < repeats; r++) /* the first on ties */
            best = job.cost[r] < job.cost[best] ? r : best;
        memcpy(centers, job.centers + best * size, size * sizeof *centers);
    }
    job_close(&job);
    return ok ? KITH_OK : kith_i_fail_memory(err);
}

/* The two nearest of k centres to a point. square: k of scratch. */
typedef struct {
    uint32_t label[2];
    double square[2];
} nearest_two;

static nearest_two find_two(const double *x, uint32_t q, uint32_t k,
                            const double *centers, double *square)
{
    nearest_two at = {.square = {HUGE_VAL, HUGE_VAL}};
    kith_i_distances_squared(centers, k, q, x, square);
    for (uint32_t j = 0; j < k; j++) {
        int worse = square[j] >= at.square[0];
        if (worse && square[j] >= at.square[1])
            continue;
        if (!worse) {
            at.square[1] = at.square[0];
            at.label[1] = at.label[0];
        }
        at.square[worse] = square[j];
        at.label[worse] = j;
    }
    return at;
}

/* One of k centres goes; the last takes its number. loss, square: k of
 * scratch. */
static void take_away(const auto_coreset *c, uint32_t k, nearest_two *near,
                      double *loss, double *square, double *centers)
{
    uint32_t q = c->q, out = 0, last = k - 1;
    memset(loss, 0, k * sizeof *loss);
    for (uint32_t i = 0; i < c->n; i++)
        loss[near[i].label[0]] +=
            c->weight[i] * (near[i].square[1] - near[i].square[0]);
    for (uint32_t j = 1; j < k; j++)
        out = loss[j] < loss[out] ? j : out;
    memmove(centers + (size_t)out * q, centers + (size_t)last * q,
            q * sizeof *centers);
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t *label = near[i].label;
        if (label[0] == out || label[1] == out) {
            near[i] =
                find_two(c->points + (size_t)i * q, q, last, centers, square);
            continue;
        }
        for (int t = 0; t < 2; t++)
            label[t] = label[t] == last ? out : label[t];
    }
}

kith_status kith_i_auto_thin(const auto_coreset *c, uint32_t k, uint32_t fewer,
                             double *centers, kith_error *err)
{
    uint32_t q = c->q;
    kith_i_points points = {c->points, c->weight, c->n, q};
    nearest_two *near = kith_i_alloc(c->n, sizeof *near);
    uint32_t *labels = kith_i_alloc(c->n, sizeof *labels);
    double *scratch = kith_i_alloc(2 * (size_t)k + c->n + (size_t)k * (q + 1),
                                   sizeof *scratch);
    int ok = near && labels && scratch;
    for (uint32_t i = 0; ok && i < c->n; i++)
        near[i] = find_two(c->points + (size_t)i * q, q, k, centers, scratch);
    for (; ok && k > fewer; k--)
        take_away(c, k, near, scratch, scratch + k, centers);
    if (ok)
        (void)kith_i_lloyd_points(&points, fewer, LLOYD_AFTER_SWAP, scratch,
                                  labels, centers);
    kith_i_free(near);
    kith_i_free(labels);
    kith_i_free(scratch);
    return ok ? KITH_OK : kith_i_fail_memory(err);
}

/* Mean of squares over the coreset, none counted with more than some times the
 * result: a few far points say nothing about the others. */
static double without_tail(const auto_coreset *c, const double *square,
                           double mean)
{
    for (int round = 0; round < 20; round++) {
        double sum = 0, total = 0, before = mean;
        for (uint32_t i = 0; i < c->n; i++) {
            sum += c->size[i] * fmin(square[i], TAIL * mean);
            total += c->size[i];
        }
        mean = total > 0 ? sum / total : mean;
        if (mean > .99 * before)
            break;
    }
    return mean;
}

void kith_i_auto_scales(const auto_coreset *c, uint32_t k,
                        const double *centers, double *scale)
{
    double total = 0, sum = 0;
    double *square = c->scratch;
    double *mass = scale + k; /* the caller gives 2k */
    memset(scale, 0, 2 * (size_t)k * sizeof *scale);
    for (uint32_t i = 0; i < c->n; i++) {
        double best;
        uint32_t label = kith_i_nearest(c->points + (size_t)i * c->q, centers,
                                        k, c->q, &best);
        double w = c->size[i], v = best + c->within[i];
        scale[label] += w * v;
        mass[label] += w;
        square[i] = v;
        sum += w * v;
        total += w;
    }
    double mean = total > 0 ? sum / total : 1, prior = .02 * total / k;
    mean = without_tail(c, square, mean);
    for (uint32_t j = 0; j < k; j++) {
        double s = (scale[j] + prior * mean) / fmax(mass[j] + prior, 1e-300);
        scale[j] = sqrt(fmax(fmax(s, .09 * mean), 1));
    }
}
