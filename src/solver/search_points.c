/* k-means of weighted points that were released: restarts of greedy k-means++
 * and Lloyd, then the best swaps for as long as they help. Restarts run side by
 * side; the result is the same for any number of threads. */
#include "solver/search_points.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { SWAP_CANDIDATES = 400, LLOYD_ROUNDS = 300, LLOYD_AFTER_SWAP = 30 };

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

/* ---- repeats, side by side ---- */

typedef struct {
    const kith_i_points *points;
    kith_i_search search;
    uint32_t workers;
    solver *solvers;     /* one per worker */
    kith_i_coins *coins; /* of each repeat: its own words of the run's */
    double *cost;        /* of each repeat */
    double *centers;     /* repeats x k x q */
    atomic_uint next;
} solve_job;

static void repeat(const solve_job *job, uint32_t r, solver *s)
{
    size_t size = (size_t)s->k * s->points.d;
    kith_i_coins coins = job->coins[r];
    double *best = job->centers + r * size, cost = HUGE_VAL;
    for (uint32_t t = 0; t < job->search.starts; t++) {
        kith_i_seed_points(&s->points, s->k, &coins, s->scratch, s->trial);
        double now = kith_i_lloyd_points(&s->points, s->k, LLOYD_ROUNDS,
                                         s->scratch, s->labels, s->trial);
        if (now < cost) {
            cost = now;
            memcpy(best, s->trial, size * sizeof *best);
        }
    }
    if (job->search.swaps) {
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
        if (r >= job->search.repeats)
            return;
        repeat(job, r, &job->solvers[worker]);
    }
}

/* Every repeat takes as many words as any other: so it can be told beforehand
 * which, and the result is the same for any number of workers. */
static void deal_coins(const solve_job *job, kith_i_coins *coins)
{
    uint32_t n = job->points->n;
    uint64_t words = job->search.starts * kith_i_seed_words(n, job->search.k);
    if (job->search.swaps && n > SWAP_CANDIDATES)
        words += n;
    for (uint32_t r = 0; r < job->search.repeats; r++) {
        job->coins[r] = *coins;
        for (uint64_t i = 0; i < words; i++)
            (void)kith_i_coins_u64(coins);
    }
}

static int solver_open(solver *s, const solve_job *job)
{
    uint32_t k = job->search.k, d = job->points->d;
    size_t n = job->points->n, m = n < SWAP_CANDIDATES ? n : SWAP_CANDIDATES;
    s->points = *job->points;
    s->k = k;
    s->candidates = (uint32_t)m;
    s->labels = kith_i_alloc(n, sizeof *s->labels);
    s->scratch =
        kith_i_alloc(n * (4 + kith_i_seed_candidates(k)) + (size_t)k * (d + 1),
                     sizeof *s->scratch);
    s->trial = kith_i_alloc((size_t)k * d, sizeof *s->trial);
    s->gain = kith_i_alloc(k, sizeof *s->gain);
    s->candidate = kith_i_alloc(m, sizeof *s->candidate);
    s->distance =
        kith_i_alloc(job->search.swaps ? m * n : 0, sizeof *s->distance);
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

kith_status kith_i_search_points(const kith_i_points *points,
                                 const kith_i_search *search,
                                 kith_i_coins *coins, double *centers,
                                 kith_error *err)
{
    solve_job job = {.points = points, .search = *search};
    if (points->n <= search->k) { /* every point is a centre, in any case */
        job.search.repeats = job.search.starts = 1;
        job.search.swaps = 0;
    }
    uint32_t repeats = job.search.repeats, best = 0;
    size_t size = (size_t)search->k * points->d;
    job.workers = search->threads < repeats ? search->threads : repeats;
    atomic_init(&job.next, 0);
    job.solvers = kith_i_alloc(job.workers, sizeof *job.solvers);
    job.coins = kith_i_alloc(repeats, sizeof *job.coins);
    job.cost = kith_i_alloc(repeats, sizeof *job.cost);
    job.centers = kith_i_alloc(repeats * size, sizeof *job.centers);
    int ok = job.solvers && job.coins && job.cost && job.centers;
    for (uint32_t i = 0; ok && i < job.workers; i++)
        ok = solver_open(&job.solvers[i], &job);
    if (ok) {
        deal_coins(&job, coins);
        kith_i_parallel(job.workers, work, &job);
        for (uint32_t r = 1; r < repeats; r++) /* the first on ties */
            best = job.cost[r] < job.cost[best] ? r : best;
        memcpy(centers, job.centers + best * size, size * sizeof *centers);
    }
    job_close(&job);
    return ok ? KITH_OK : kith_i_fail_memory(err);
}
