/* Graphs of rows: neighbour lists made symmetric, and products with them. */
#include <string.h>

#include "kernel/dense.h"
#include "parts.h"

enum { TILE = 64 };

int kith_i_lists_init(kith_i_lists *lists, uint32_t n, uint32_t width)
{
    *lists = (kith_i_lists){.n = n, .width = width};
    size_t room = (size_t)n * width;
    lists->index = kith_i_alloc(room, sizeof *lists->index);
    lists->weight = kith_i_alloc(room, sizeof *lists->weight);
    return lists->index && lists->weight;
}

void kith_i_lists_free(kith_i_lists *lists)
{
    kith_i_free(lists->index);
    kith_i_free(lists->weight);
}

uint32_t kith_i_list_add(double *weight, uint32_t *index, uint32_t width,
                         uint32_t held, double w, uint32_t i)
{
    if (held == width && (width == 0 || !(w > weight[held - 1])))
        return held;
    uint32_t t = held < width ? held++ : held - 1;
    for (; t > 0 && weight[t - 1] < w; t--) {
        weight[t] = weight[t - 1];
        index[t] = index[t - 1];
    }
    weight[t] = w;
    index[t] = i;
    return held;
}

int kith_i_graph_from_lists(kith_i_graph *g, const kith_i_lists *lists)
{
    uint32_t n = lists->n;
    size_t room = (size_t)n * lists->width;
    g->n = n;
    g->start = kith_i_alloc((size_t)n + 2, sizeof *g->start);
    if (!g->start)
        return 0;
    /* start[i + 2] counts first, so that start[i + 1] can be the place where
     * the next entry of i goes, and is start of i + 1 in the end. */
    for (size_t t = 0; t < room; t++)
        if (lists->weight[t] > 0) {
            g->start[lists->index[t] + 2]++;
            g->start[t / lists->width + 2]++;
        }
    for (size_t i = 2; i < (size_t)n + 2; i++)
        g->start[i] += g->start[i - 1];
    size_t entries = g->start[(size_t)n + 1];
    g->index = kith_i_alloc(entries, sizeof *g->index);
    g->value = kith_i_alloc(entries, sizeof *g->value);
    if (!g->index || !g->value)
        return 0;
    for (size_t t = 0; t < room; t++) {
        if (!(lists->weight[t] > 0))
            continue;
        uint32_t i = (uint32_t)(t / lists->width), j = lists->index[t];
        size_t a = g->start[i + 1]++, b = g->start[j + 1]++;
        g->index[a] = j;
        g->index[b] = i;
        g->value[a] = g->value[b] = lists->weight[t];
    }
    return 1;
}

void kith_i_graph_free(kith_i_graph *g)
{
    kith_i_free(g->start);
    kith_i_free(g->index);
    kith_i_free(g->value);
    kith_i_free(g->factor);
}

/* ---- products ------------------------------------------------------------ */

typedef struct {
    const kith_i_graph *g;
    uint32_t count;
    const double *in;
    double *scratch, *out;
} apply_job;

size_t kith_i_graph_scratch(const kith_i_graph *g)
{
    return g->factor ? (size_t)g->threads * TILE * g->n : 0;
}

static void apply_lists(const apply_job *job, uint32_t first, uint32_t last)
{
    const kith_i_graph *g = job->g;
    size_t n = g->n;
    for (size_t i = first; i < last; i++)
        for (uint32_t c = 0; c < job->count; c++) {
            const double *in = job->in + c * n;
            double sum = 0;
            for (size_t t = g->start[i]; t < g->start[i + 1]; t++)
                sum += g->value[t] * in[g->index[t]];
            job->out[c * n + i] = sum;
        }
}

/* Rows first..last of the kernel are made anew: n x n would not fit. */
static void apply_kernel(const apply_job *job, uint32_t first, uint32_t last,
                         double *tile)
{
    const kith_i_graph *g = job->g;
    size_t n = g->n;
    uint32_t rows = last - first;
    double part[TILE];
    kith_i_multiply(KITH_I_FLIP_B, rows, g->n, g->r,
                    g->factor + (size_t)first * g->r, g->factor, tile);
    for (size_t t = 0; t < rows * n; t++) {
        double square = tile[t] * tile[t];
        tile[t] = square * square;
    }
    for (uint32_t c = 0; c < job->count; c++) {
        kith_i_multiply(KITH_I_FLIP_NONE, rows, 1, g->n, tile, job->in + c * n,
                        part);
        memcpy(job->out + c * n + first, part, rows * sizeof *part);
    }
}

static void work(void *arg, uint32_t worker)
{
    const apply_job *job = arg;
    const kith_i_graph *g = job->g;
    uint32_t n = g->n;
    for (size_t first = (size_t)worker * TILE; first < n;
         first += (size_t)g->threads * TILE) {
        uint32_t last = first + TILE < n ? (uint32_t)first + TILE : n;
        if (g->factor)
            apply_kernel(job, (uint32_t)first, last,
                         job->scratch + (size_t)worker * TILE * n);
        else
            apply_lists(job, (uint32_t)first, last);
    }
}

void kith_i_graph_apply(const kith_i_graph *g, uint32_t count, const double *in,
                        double *scratch, double *out)
{
    apply_job job = {g, count, in, scratch, out};
    kith_i_parallel(g->threads, work, &job);
}
