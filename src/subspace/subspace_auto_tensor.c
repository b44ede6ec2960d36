/* The tensor of fourth moments of a run: released, unfolded, fitted. */
#include <math.h>
#include <string.h>

#include "release/release_tensor.h"
#include "subspace_auto_i.h"

enum { LEAST_RESTARTS = 8, MOST_RESTARTS = 40, MOST_SUM = 61 };
#define RESTART_WORK 2.5e8 /* products: about this much for all of them */

/* Bits of a row's length so that the sums of n rows fit: n 2^(4 bits) stays
 * below 2^61, with room for n being noisy. */
static uint32_t pick_bits(double n)
{
    uint32_t bits = KITH_I_QUARTIC_BITS;
    while (bits > 1 && ldexp(n, (int)(4 * bits)) > ldexp(1, MOST_SUM))
        bits--;
    return bits;
}

/* Restarts are cheap for a small tensor, and some end in poor optima. */
static uint32_t pick_restarts(const kith_i_factor *f)
{
    double pairs = f->r * (f->r + 1.0) / 2;
    double count = RESTART_WORK / (f->k * pairs * pairs);
    return (uint32_t)fmax(LEAST_RESTARTS, fmin(MOST_RESTARTS, count));
}

/* Where a distinct entry goes: all pairs of pairs that its four indices can be
 * divided into. Pairs (i <= j) are numbered row by row. */
static size_t pair_at(size_t i, size_t j, size_t w)
{
    return i * w - i * (i + 1) / 2 + j;
}

static void put(double *matrix, size_t pairs, size_t x, size_t y, double v)
{
    matrix[x * pairs + y] = matrix[y * pairs + x] = v;
}

static void unfold(const int64_t *tensor, size_t w, double unit, double *matrix)
{
    size_t pairs = w * (w + 1) / 2;
    for (size_t a = 0; a < w; a++)
        for (size_t b = a; b < w; b++)
            for (size_t c = b; c < w; c++)
                for (size_t e = c; e < w; e++) {
                    double v = (double)*tensor++ * unit;
                    put(matrix, pairs, pair_at(a, b, w), pair_at(c, e, w), v);
                    put(matrix, pairs, pair_at(a, c, w), pair_at(b, e, w), v);
                    put(matrix, pairs, pair_at(a, e, w), pair_at(b, c, w), v);
                }
}

/* gram_ab = sum_c T_abcc: for rows of length 1 these are second moments. */
static void contract(const double *matrix, size_t w, double *gram)
{
    size_t pairs = w * (w + 1) / 2;
    for (size_t a = 0; a < w; a++)
        for (size_t b = a; b < w; b++) {
            double sum = 0;
            for (size_t c = 0; c < w; c++)
                sum += matrix[pair_at(a, b, w) * pairs + pair_at(c, c, w)];
            gram[a * w + b] = gram[b * w + a] = sum;
        }
}

static void weigh(double *matrix, size_t w)
{
    size_t pairs = w * (w + 1) / 2, x = 0;
    for (size_t i = 0; i < w; i++)
        for (size_t j = i; j < w; j++, x++)
            for (size_t y = 0; i != j && y < pairs; y++) {
                matrix[x * pairs + y] *= sqrt(2);
                matrix[y * pairs + x] *= sqrt(2);
            }
}

kith_status kith_i_plane_fit_tensor(plane_run *run, const kith_i_view *view,
                                    double share, double *fits, double *gram,
                                    double *edge, kith_error *err)
{
    const kith_i_domain *domain = view ? kith_i_view_domain(view) : run->domain;
    uint32_t w = domain->dimension;
    size_t pairs = (size_t)w * (w + 1) / 2;
    kith_i_tensor_spec spec = {
        .what = "fourth moments", .view = view, .bits = pick_bits(run->n)};
    kith_i_tensor about;
    int64_t *tensor = kith_i_alloc(kith_i_quartic_size(w), sizeof *tensor);
    double *matrix = kith_i_alloc(pairs * pairs, sizeof *matrix);
    kith_status status = tensor && matrix ? KITH_OK : kith_i_fail_memory(err);
    if (!status)
        status = kith_i_plane_charge(run, share, &spec.charge, err);
    if (!status)
        status =
            kith_i_release_tensor(run->session, &spec, tensor, &about, err);
    if (!status) {
        double unit = about.step * about.step / (double)domain->l2_squared;
        unfold(tensor, w, unit * unit, matrix);
        if (gram) {
            contract(matrix, w, gram);
            /* on the diagonal: sd of the sum of T_aacc over c, entries aacc
             * occurring 6 times and aaaa once */
            double sd = about.sd * unit * unit * sqrt(1 + (w - 1) / 6.0);
            *edge = sd * sqrt(2.0 * w);
        }
    }
    if (!status && !run->plan) {
        for (size_t i = 0; i < pairs * pairs; i++)
            matrix[i] /= run->n4;
        weigh(matrix, w);
        kith_i_factor factor = {run->k, run->q, w, matrix};
        status = kith_i_factor_fit(&factor, pick_restarts(&factor),
                                   kith_i_session_threads(run->session),
                                   &run->run->coins, fits, err);
    }
    kith_i_free(tensor);
    kith_i_free(matrix);
    return status ? status : kith_i_plane_tick(run, err);
}
