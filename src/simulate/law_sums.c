/* Sums of vectors by their law: Gaussian with the exact mean and, number by
 * number, the exact variance of a sum of codewords.
 *
 * A codeword c about a unit vector u, divided by alpha: E c_i^2 = beta + (along
 * - beta) u_i^2, beta = (1 - along) / (D - 1). In the user's own bucket the
 * variance is that less u_i^2, in the others the sign makes it all of it.
 *
 * A matrix C = G G', |G| = 1, about z: G = z t' + W, the columns of W
 * orthogonal to z, s = |t|^2 = <C, z z'>. Given s, W is uniform on the sphere
 * of radius sqrt(1 - s) in q r dimensions, q = D - 1. With P = I - z z'
 *
 *   E C_ij^2 = E s^2 z_i^2 z_j^2
 *     + E s(1 - s) [(z_i^2 P_jj + z_j^2 P_ii + 2 z_i z_j P_ij) / (q r)
 *                   + 2 z_i z_j P_ij / q]
 *     + E (1 - s)^2 [(r + 1) P_ij^2 + P_ii P_jj] / (q (q r + 2)),
 *
 * a polynomial in z_i^2, z_j^2. In the other buckets C knows nothing of z: its
 * variance is 1 / (D (D r + 2)), and (r + 2) / (D (D r + 2)) - 1 / D^2 on the
 * diagonal. */
#include "law_sums.h"

#include <math.h>

/* Fixed point of sums of coordinates: unit vectors of 2^26 users fit. */
static const double FIXED = 0x1p36;

int kith_i_law_sums_open(kith_i_law_sums *law, const kith_i_mechanism *m)
{
    size_t cells = ((size_t)m->buckets + 1) * m->kept;
    law->members = kith_i_alloc((size_t)m->buckets + 1, sizeof *law->members);
    law->sums = kith_i_alloc(cells, sizeof *law->sums);
    law->squares = kith_i_alloc(cells, sizeof *law->squares);
    law->vector = kith_i_alloc(m->width, sizeof *law->vector);
    return law->members && law->sums && law->squares && law->vector;
}

void kith_i_law_sums_close(kith_i_law_sums *law)
{
    kith_i_free(law->members);
    kith_i_free(law->sums);
    kith_i_free(law->squares);
    kith_i_free(law->vector);
}

void kith_i_law_sums_add(kith_i_law_sums *law, const kith_i_mechanism *m,
                         uint64_t bucket)
{
    size_t to = bucket < m->buckets ? bucket : m->buckets;
    int64_t *sums = law->sums + to * m->kept;
    int64_t *squares = law->squares + to * m->kept;
    const float *z = law->vector;
    law->members[to]++;
    for (uint32_t b = 0; b + 1 < m->width; b++)
        for (uint32_t a = m->rank ? 0 : b; a <= b; a++) {
            double v = (double)z[a] * (m->rank ? (double)z[b] : 1);
            *sums++ += llrint(v * FIXED);
            *squares++ += llrint(v * v * FIXED);
        }
}

void kith_i_law_sums_merge(kith_i_law_sums *to, const kith_i_law_sums *from,
                           const kith_i_mechanism *m)
{
    size_t cells = ((size_t)m->buckets + 1) * m->kept;
    for (size_t j = 0; j <= m->buckets; j++)
        to->members[j] += from->members[j];
    for (size_t i = 0; i < cells; i++) {
        to->sums[i] += from->sums[i];
        to->squares[i] += from->squares[i];
    }
}

static double normal(kith_i_coins *coins, double variance)
{
    double sd = sqrt(variance > 0 ? variance : 0);
    return sd * kith_i_coins_normal(coins);
}

static void draw_vectors(const kith_i_law_sums *law, const kith_i_mechanism *m,
                         double n, double unit, kith_i_coins *coins,
                         double *out)
{
    size_t kept = m->kept;
    double beta = kith_i_mechanism_sd(m);
    beta *= beta;
    double along = 1 + beta;
    if (m->kind == KITH_I_RANDOMIZER_CODEBOOK) {
        kith_i_codebook_law one = kith_i_codebook_solve(
            (double)m->odds.num / (double)m->odds.den, m->width, m->top);
        double scale = 1 / (one.alpha * one.alpha);
        along = one.along * scale;
        beta = (1 - one.along) * scale / (m->width - 1.0);
    }
    for (size_t i = 0; i < kept; i++) {
        double all = 0;
        for (size_t t = 0; t <= m->buckets; t++)
            all += (double)law->squares[t * kept + i] * unit;
        for (size_t j = 0; j < m->buckets; j++) {
            double own = (double)law->squares[j * kept + i] * unit;
            double variance = n * beta + (along - beta) * all - own;
            out[j * kept + i] = ((double)law->sums[j * kept + i] * unit +
                                 normal(coins, variance)) /
                                n;
        }
    }
}

/* E C_ij^2 = each + one (z_i^2 + z_j^2) + both z_i^2 z_j^2, by whether i = j:
 * then z_i^2 + z_j^2 counts once. */
typedef struct {
    double each, one, both;
    double mean;  /* of C_ij without z: on the diagonal b, else 0 */
    double other; /* variance in other buckets */
} entry_law;

static void make_entry_laws(const kith_i_mechanism *m, double alpha,
                            double square, entry_law law[2])
{
    double d = m->width, q = d - 1, r = m->rank;
    double a = (alpha * q + 1) / d, mixed = a - square;
    double rest = (1 - 2 * a + square) / (q * (q * r + 2));
    double narrow = mixed / (q * r), wide = 4 * narrow + 2 * mixed / q;
    double both = square - wide + (r + 2) * rest;
    law[0] = (entry_law){.each = rest,
                         .one = narrow - rest,
                         .both = both,
                         .other = 1 / (d * (d * r + 2))};
    law[1] = (entry_law){.each = (r + 2) * rest,
                         .one = wide - 2 * (r + 2) * rest,
                         .both = both,
                         .mean = (1 - a) / q,
                         .other = (r + 2) / (d * (d * r + 2)) - 1 / (d * d)};
}

/* Over the users of a bucket: ones is the sum of z_i^2 + z_j^2, or of z_i^2 on
 * the diagonal; less: what a report has too much of in the mean. */
typedef struct {
    double members, ones, sum, squares, less;
} entry_sums;

static double draw_entry(const entry_law *e, double alpha, double n,
                         const entry_sums *of, kith_i_coins *coins)
{
    /* E C^2 less (E C)^2, E C = mean + alpha z_i z_j; only on the diagonal,
     * where sum = ones, is there a mean. */
    double own = of->members * (e->each - e->mean * e->mean) +
                 e->one * of->ones - 2 * e->mean * alpha * of->sum +
                 (e->both - alpha * alpha) * of->squares;
    double variance = own + (n - of->members) * e->other;
    return (of->sum - of->less * of->members +
            normal(coins, variance / (alpha * alpha))) /
           n;
}

static void draw_matrices(const kith_i_law_sums *law, const kith_i_mechanism *m,
                          double n, double copies, kith_i_coins *coins,
                          double *out)
{
    double unit = copies / FIXED;
    entry_law entry[2];
    kith_i_codebook_law one =
        kith_i_matrix_solve((double)m->odds.num / (double)m->odds.den, m->width,
                            m->rank, (uint32_t)m->outputs, m->top);
    make_entry_laws(m, one.alpha, one.along, entry);
    for (size_t j = 0; j < m->buckets; j++) {
        const int64_t *sums = law->sums + j * m->kept;
        const int64_t *squares = law->squares + j * m->kept;
        double members = (double)law->members[j] * copies;
        size_t at = 0;
        for (size_t b = 0; b + 1 < m->width; b++)
            for (size_t a = 0; a <= b; a++, at++) {
                size_t aa = a * (a + 3) / 2, bb = b * (b + 3) / 2;
                entry_sums of = {.members = members,
                                 .ones = (double)sums[bb] * unit,
                                 .sum = (double)sums[at] * unit,
                                 .squares = (double)squares[at] * unit,
                                 .less = a == b ? 1.0 / m->width : 0};
                if (a < b)
                    of.ones += (double)sums[aa] * unit;
                out[j * m->kept + at] =
                    draw_entry(&entry[a == b], one.alpha, n, &of, coins);
            }
    }
}

void kith_i_law_sums_draw(const kith_i_law_sums *law, const kith_i_mechanism *m,
                          uint64_t received, uint64_t copies,
                          kith_i_coins *coins, double *out)
{
    double n = (double)received, each = (double)copies;
    if (m->rank)
        draw_matrices(law, m, n, each, coins, out);
    else
        draw_vectors(law, m, n, each / FIXED, coins, out);
}
