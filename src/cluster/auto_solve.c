/* A9: k-means on the coreset, free of charge: restarts, then swaps. */
#include "cluster/auto_i.h"

#include <math.h>
#include <string.h>

enum { TAIL = 16 };
enum { SWAP_CANDIDATES = 400, LLOYD_ROUNDS = 300, LLOYD_AFTER_SWAP = 30 };

kith_status auto_coreset_new(auto_coreset *out, uint32_t n, uint32_t q,
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
    auto_coreset_free(out);
    return kith_i_fail_memory(err);
}

void auto_coreset_free(auto_coreset *c)
{
    kith_i_free(c->points);
    kith_i_free(c->weight);
    kith_i_free(c->size);
    kith_i_free(c->within);
    kith_i_free(c->unsure);
    kith_i_free(c->scratch);
    memset(c, 0, sizeof *c);
}

/* What a solution needs while it is being improved. */
typedef struct {
    kith_i_points points;
    uint32_t k;
    uint32_t *labels;
    double *scratch;
    double *trial, *best; /* k x q */
    uint32_t candidates;
    uint32_t *candidate; /* indices of points */
    double *distance;    /* candidates x n */
    double *gain;        /* k */
} solver;

/* Candidates for swaps: all points, or a weighted sample without repeats. */
static void pick_candidates(solver *s, kith_i_coins *coins)
{
    uint32_t n = s->points.n;
    s->candidates = n < SWAP_CANDIDATES ? n : SWAP_CANDIDATES;
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
        for (size_t i = 0; i < n; i++)
            s->distance[c * n + i] =
                kith_i_distance_squared(s->points.coords + s->candidate[c] * d,
                                        s->points.coords + i * d, d);
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
        for (uint32_t j = 0; j < s->k; j++) {
            double v = kith_i_distance_squared(s->points.coords + i * d,
                                               centers + j * d, d);
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

static kith_status solver_open(solver *s, const auto_coreset *c, uint32_t k,
                               int swaps, kith_error *err)
{
    size_t n = c->n, m = n < SWAP_CANDIDATES ? n : SWAP_CANDIDATES;
    memset(s, 0, sizeof *s);
    s->points = (kith_i_points){c->points, c->weight, c->n, c->q};
    s->k = k;
    s->labels = kith_i_alloc(n, sizeof *s->labels);
    s->scratch = kith_i_alloc(n * (4 + kith_i_seed_candidates(k)) +
                                  (size_t)k * (c->q + 1),
                              sizeof *s->scratch);
    s->trial = kith_i_alloc((size_t)k * c->q, sizeof *s->trial);
    s->best = kith_i_alloc((size_t)k * c->q, sizeof *s->best);
    s->gain = kith_i_alloc(k, sizeof *s->gain);
    s->candidate = kith_i_alloc(m, sizeof *s->candidate);
    s->distance = kith_i_alloc(swaps ? m * n : 0, sizeof *s->distance);
    if (s->labels && s->scratch && s->trial && s->best && s->gain &&
        s->candidate && s->distance)
        return KITH_OK;
    return kith_i_fail_memory(err);
}

static void solver_close(solver *s)
{
    kith_i_free(s->labels);
    kith_i_free(s->scratch);
    kith_i_free(s->trial);
    kith_i_free(s->best);
    kith_i_free(s->gain);
    kith_i_free(s->candidate);
    kith_i_free(s->distance);
}

kith_status auto_solve(auto_run *run, const auto_coreset *coreset, uint32_t k,
                       uint32_t repeats, uint32_t starts, int swaps,
                       double *centers, kith_error *err)
{
    size_t size = (size_t)k * coreset->q;
    solver s;
    kith_status status = solver_open(&s, coreset, k, swaps, err);
    double least = HUGE_VAL;
    for (uint32_t r = 0; !status && r < repeats; r++) {
        double cost = HUGE_VAL;
        for (uint32_t t = 0; t < starts; t++) {
            kith_i_seed_points(&s.points, k, &run->coins, s.scratch, s.trial);
            double now = kith_i_lloyd_points(&s.points, k, LLOYD_ROUNDS,
                                             s.scratch, s.labels, s.trial);
            if (now < cost) {
                cost = now;
                memcpy(s.best, s.trial, size * sizeof *s.best);
            }
        }
        if (swaps && coreset->n > k) {
            pick_candidates(&s, &run->coins);
            candidate_distances(&s);
            cost = improve(&s, cost, s.best);
        }
        if (cost < least) {
            least = cost;
            memcpy(centers, s.best, size * sizeof *centers);
        }
    }
    solver_close(&s);
    return status;
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

void auto_scales(const auto_coreset *c, uint32_t k, const double *centers,
                 double *scale)
{
    double total = 0, sum = 0;
    double *square = c->scratch;
    double *mass = scale + k; /* the caller gives 2k */
    memset(scale, 0, 2 * (size_t)k * sizeof *scale);
    for (uint32_t i = 0; i < c->n; i++) {
        double best = HUGE_VAL;
        uint32_t label = 0;
        for (uint32_t j = 0; j < k; j++) {
            double v = kith_i_distance_squared(
                c->points + (size_t)i * c->q, centers + (size_t)j * c->q, c->q);
            if (v < best) {
                best = v;
                label = j;
            }
        }
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
