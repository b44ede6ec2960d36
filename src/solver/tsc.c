/* Thresholding-based subspace clustering (Heckel, Boelcskei 2013; Algorithm 2
 * of Wang et al. 2015): join each row to the s rows at the smallest angles.
 * Then spectral clustering with weights exp(-2 angle), and the leading plane
 * of each cluster; or, as the paper prints it, connected components and the
 * span of q random rows of each, which works only when the graph falls into
 * exactly the right pieces (docs/subspace.md). */
#include <math.h>
#include <string.h>

#include "kernel/dense.h"
#include "kernel/planes.h"
#include "parts.h"

enum { TILE = 64, FEWEST_NEIGHBOURS = 3, PART = 20 };

/* s = a twentieth of a cluster of average size, at least 3: in the range that
 * Lemma 3.5 asks for, 0.04 to 1/6 of a cluster. */
static uint32_t neighbour_count(uint32_t n, uint32_t k)
{
    uint64_t part = (uint64_t)PART * k;
    uint32_t s = (uint32_t)((n + part - 1) / part);
    s = s < FEWEST_NEIGHBOURS ? FEWEST_NEIGHBOURS : s;
    return s < n ? s : n - (n > 0);
}

typedef struct {
    const kith_i_matrix *rows;
    double *unit; /* n x d: rows of length 1 (or 0) */
    kith_i_lists *lists;
    uint32_t threads;
    double *tile;    /* threads x TILE x n */
    uint32_t *order; /* threads x n */
} tsc_job;

/* order: the entries 0..n-1, arranged so that its first `want` have the
 * largest values (quickselect). */
static void select_largest(const double *value, uint32_t *order, uint32_t n,
                           uint32_t want)
{
    uint32_t low = 0, high = n; /* the border lies in [low, high) */
    while (high - low > 1) {
        double pivot = value[order[low + (high - low) / 2]];
        uint32_t i = low, j = high - 1;
        for (;;) {
            while (value[order[i]] > pivot)
                i++;
            while (value[order[j]] < pivot)
                j--;
            if (i >= j)
                break;
            uint32_t t = order[i];
            order[i++] = order[j];
            order[j--] = t;
        }
        /* low..j are >= pivot, j+1..high are <= pivot, both not empty unless
         * the range was all equal or of one. */
        uint32_t border = j + 1 < high ? j + 1 : j;
        if (border <= low)
            border = low + 1;
        if (want < border)
            high = border;
        else if (want > border)
            low = border;
        else
            return;
    }
}

static void list_row(const tsc_job *job, uint32_t i, double *cosine,
                     uint32_t *order)
{
    uint32_t n = job->rows->n, width = job->lists->width;
    for (uint32_t j = 0; j < n; j++) {
        cosine[j] = fabs(cosine[j]);
        order[j] = j;
    }
    cosine[i] = -1; /* not a neighbour of itself */
    select_largest(cosine, order, n, width);
    for (uint32_t t = 0; t < width; t++) {
        size_t at = (size_t)i * width + t;
        job->lists->index[at] = order[t];
        job->lists->weight[at] = exp(-2 * acos(fmin(cosine[order[t]], 1)));
    }
}

static void work(void *arg, uint32_t worker)
{
    const tsc_job *job = arg;
    uint32_t n = job->rows->n, d = job->rows->d;
    double *tile = job->tile + (size_t)worker * TILE * n;
    for (size_t first = (size_t)worker * TILE; first < n;
         first += (size_t)job->threads * TILE) {
        uint32_t left = n - (uint32_t)first, count = left < TILE ? left : TILE;
        kith_i_multiply(KITH_I_FLIP_B, count, n, d, job->unit + first * d,
                        job->unit, tile);
        for (uint32_t r = 0; r < count; r++)
            list_row(job, (uint32_t)first + r, tile + (size_t)r * n,
                     job->order + (size_t)worker * n);
    }
}

static void scale_rows(const kith_i_matrix *rows, double *unit)
{
    size_t d = rows->d;
    for (size_t i = 0; i < rows->n; i++) {
        const double *x = rows->coords + i * d;
        double square = 0;
        for (size_t t = 0; t < d; t++)
            square += x[t] * x[t];
        for (size_t t = 0; t < d; t++)
            unit[i * d + t] = square > 0 ? x[t] / sqrt(square) : 0;
    }
}

static kith_status make_lists(const kith_i_solve *s, kith_i_lists *lists,
                              kith_error *err)
{
    size_t n = s->rows->n;
    tsc_job job = {.rows = s->rows, .lists = lists, .threads = s->threads};
    job.unit = kith_i_alloc(n * s->rows->d, sizeof *job.unit);
    job.tile = kith_i_alloc(s->threads * TILE * n, sizeof *job.tile);
    job.order = kith_i_alloc(s->threads * n, sizeof *job.order);
    kith_status status = KITH_OK;
    if (!job.unit || !job.tile || !job.order ||
        !kith_i_lists_init(lists, s->rows->n,
                           neighbour_count(s->rows->n, s->k))) {
        status = kith_i_fail_memory(err);
    } else {
        scale_rows(s->rows, job.unit);
        kith_i_parallel(s->threads, work, &job);
    }
    kith_i_free(job.unit);
    kith_i_free(job.tile);
    kith_i_free(job.order);
    return status;
}

kith_status kith_i_solve_tsc(const kith_i_solve *s, kith_error *err)
{
    kith_i_lists lists = {0};
    kith_i_graph g = {.threads = s->threads};
    kith_status status = make_lists(s, &lists, err);
    if (!status && !kith_i_graph_from_lists(&g, &lists))
        status = kith_i_fail_memory(err);
    if (!status)
        status = kith_i_spectral_planes(s, &g, err);
    kith_i_lists_free(&lists);
    kith_i_graph_free(&g);
    return status;
}

/* ---- as printed: connected components ------------------------------------ */

static uint32_t find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* size[r] of each root; parent[i] becomes the root of i. */
static void find_components(const kith_i_lists *lists, uint32_t *parent,
                            uint32_t *size)
{
    for (uint32_t i = 0; i < lists->n; i++)
        parent[i] = i;
    for (size_t t = 0; t < (size_t)lists->n * lists->width; t++) {
        uint32_t a = find_root(parent, (uint32_t)(t / lists->width));
        uint32_t b = find_root(parent, lists->index[t]);
        parent[a > b ? a : b] = a > b ? b : a;
    }
    for (uint32_t i = 0; i < lists->n; i++)
        size[parent[i] = find_root(parent, i)]++;
}

/* The span of q random rows of the component; of fewer, when it has fewer,
 * and random directions. */
static void span_component(const kith_i_solve *s, const uint32_t *parent,
                           uint32_t root, uint32_t size, double *plane)
{
    size_t d = s->rows->d;
    uint32_t want = s->q < size ? s->q : size, left = size;
    for (uint32_t i = 0; i < s->rows->n && want > 0; i++) {
        if (parent[i] != root)
            continue;
        /* Each subset of `want` of the `left` rows is equally likely. */
        if (kith_i_coins_below(s->coins, left--) >= want)
            continue;
        memcpy(plane + (size_t)--want * d, s->rows->coords + i * d,
               d * sizeof *plane);
    }
    kith_i_orthonormalize(plane, s->q, s->rows->d, s->coins);
}

/* The k largest components; size: how many rows each root has, changed. */
static void span_largest(const kith_i_solve *s, const uint32_t *parent,
                         uint32_t *size)
{
    uint32_t n = s->rows->n;
    for (uint32_t l = 0; l < s->k; l++) {
        double *plane = s->bases + (size_t)l * s->q * s->rows->d;
        uint32_t largest = 0;
        kith_i_plane_random(plane, s->q, s->rows->d, s->coins);
        for (uint32_t i = 1; i < n; i++)
            largest = size[i] > size[largest] ? i : largest;
        if (n == 0 || size[largest] == 0)
            continue; /* fewer than k components: the paper says nothing */
        span_component(s, parent, largest, size[largest], plane);
        size[largest] = 0;
    }
}

kith_status kith_i_solve_tsc_components(const kith_i_solve *s, kith_error *err)
{
    kith_i_lists lists = {0};
    uint32_t n = s->rows->n;
    uint32_t *parent = kith_i_alloc(n, sizeof *parent);
    uint32_t *size = kith_i_alloc(n, sizeof *size);
    kith_status status = make_lists(s, &lists, err);
    if (!status && (!parent || !size)) {
        status = kith_i_fail_memory(err);
    } else if (!status) {
        find_components(&lists, parent, size);
        span_largest(s, parent, size);
    }
    kith_i_lists_free(&lists);
    kith_i_free(parent);
    kith_i_free(size);
    return status;
}
