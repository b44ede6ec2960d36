/* Bingham draws on the sphere by angular central Gaussian proposals, and the
 * column sweep built on them.
 *
 * Claim: kith_i_bingham_vector has density proportional to exp(z'Bz), in real
 *   arithmetic, whatever c and b the envelope has.
 * Because: with M = cI - B, W = I + 2M/b positive definite and y ~ N(0, W^-1),
 *   z = y/|y| has density proportional to (z'Wz)^(-m/2). With r = z'Wz =
 *   1 + 2s/b, s = z'Mz: e^-s r^(m/2) is largest at r = m/b, so the acceptance
 *   probability e^-s r^(m/2) e^((m-b)/2) (b/m)^(m/2) is at most 1 for every
 *   r > 0. c and b only decide how often one accepts.
 *
 * Claim: kith_i_bingham_sweep leaves exp(tr U A U') invariant.
 * Because: given the other rows, row j is a unit vector in the span of itself
 *   and the complement; in that basis its law is a vector Bingham with the
 *   block of W = Q A Q'. The reflection that takes e1 to z makes it the new
 *   row and keeps the rest a basis of the complement. */
#include "bingham_draw.h"

#include <math.h>
#include <string.h>

#include "kernel/kernel_i.h"
#include "kernel/linear.h"

enum { POWER_STEPS = 4, PATIENCE = 60 };

kith_status kith_i_bingham_open(kith_i_bingham *s, uint32_t d, uint32_t q,
                                kith_error *err)
{
    memset(s, 0, sizeof *s);
    s->d = d;
    s->q = q;
    size_t n = d, square = n * n, work = kith_i_eigen_work(d) + 80 * n;
    size_t count = 3 * square + 4 * n + work;
    s->bytes = count * sizeof(double) + kith_i_eigen_integers(d) * sizeof(int);
    s->w = kith_i_alloc(s->bytes, 1);
    if (!s->w)
        return kith_i_fail_memory(err);
    s->factor = s->w + square;
    s->vectors = s->factor + square;
    s->values = s->vectors + square;
    s->z = s->values + n;
    s->v = s->z + n;
    s->other = s->v + n;
    s->work = s->other + n;
    s->integers = (int *)(s->work + work);
    return KITH_OK;
}

void kith_i_bingham_close(kith_i_bingham *s)
{
    kith_i_wipe_free(s->w, s->w ? s->bytes : 0);
    s->w = NULL;
}

void kith_i_plane_haar(double *rows, uint32_t q, uint32_t d,
                       kith_i_words *words)
{
    for (uint32_t j = 0; j < q; j++) {
        double *row = rows + (size_t)j * d, length = 0;
        for (uint32_t i = 0; i < d; i++)
            row[i] = kith_i_words_normal(words);
        for (int pass = 0; pass < 2; pass++)
            for (uint32_t o = 0; o < j; o++) {
                const double *other = rows + (size_t)o * d;
                double c = 0;
                for (uint32_t i = 0; i < d; i++)
                    c += row[i] * other[i];
                for (uint32_t i = 0; i < d; i++)
                    row[i] -= c * other[i];
            }
        for (uint32_t i = 0; i < d; i++)
            length += row[i] * row[i];
        if (!(length > 0)) { /* has probability 0 */
            j--;
            continue;
        }
        for (uint32_t i = 0; i < d; i++)
            row[i] /= sqrt(length);
    }
}

/* ---- the envelope ---------------------------------------------------------
 */

typedef struct {
    double c, b;
} envelope;

/* The b that would be best if all eigenvalues but the largest were equal. */
static double equal_b(double c, double trace, double m)
{
    double mu = m > 1 ? (m * c - trace) / (m - 1) : 0;
    mu = mu > 0 ? mu : 0;
    double lead = m - 2 * mu, root = sqrt(lead * lead + 8 * mu);
    return lead > 0 ? (lead + root) / 2 : 4 * mu / (root - lead);
}

static double trace_of(const double *b, uint32_t stride, uint32_t m)
{
    double sum = 0;
    for (uint32_t i = 0; i < m; i++)
        sum += b[(size_t)i * stride + i];
    return sum;
}

/* About the largest eigenvalue: a few power steps from e1, which is where the
 * chain is, and the residual on top. */
static double guess_top(kith_i_bingham *s, const double *b, uint32_t stride,
                        uint32_t m)
{
    double *x = s->v, *y = s->other, value = 0, residual = 0;
    memset(x, 0, m * sizeof *x);
    x[0] = 1;
    for (int step = 0; step < POWER_STEPS; step++) {
        double square = 0;
        kith_i_symmetric_apply(b, stride, m, x, y);
        value = 0;
        for (uint32_t i = 0; i < m; i++) {
            value += x[i] * y[i];
            square += y[i] * y[i];
        }
        residual = sqrt(fmax(square - value * value, 0));
        if (!(square > 0) || residual < .02)
            break;
        for (uint32_t i = 0; i < m; i++)
            x[i] = y[i] / sqrt(square);
    }
    return value + residual;
}

/* factor = Cholesky factor of (1 + 2c/b) I - (2/b) B; -1 if there is none. */
static int factorize(kith_i_bingham *s, const double *b, uint32_t stride,
                     uint32_t m, envelope e)
{
    double diagonal = 1 + 2 * e.c / e.b, scale = -2 / e.b;
    for (uint32_t i = 0; i < m; i++) {
        double *to = s->factor + (size_t)i * m;
        const double *from = b + (size_t)i * stride;
        for (uint32_t j = i; j < m; j++)
            to[j] = scale * from[j];
        to[i] += diagonal;
    }
    return kith_i_cholesky(s->factor, m);
}

static envelope quick_envelope(kith_i_bingham *s, const double *b,
                               uint32_t stride, uint32_t m)
{
    double trace = trace_of(b, stride, m), lift = .5;
    envelope e = {.c = fmax(guess_top(s, b, stride, m), trace / m) + .02};
    e.b = equal_b(e.c, trace, m);
    while (factorize(s, b, stride, m, e)) {
        e.c += lift;
        lift *= 2;
        e.b = equal_b(e.c, trace, m);
    }
    return e;
}

/* Best b for costs >= 0, the smallest 0: sum of 1 / (b + 2 cost) = 1. */
static double best_b(const double *cost, uint32_t m)
{
    double low = 0, high = m;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2, sum = 0;
        for (uint32_t j = 0; j < m; j++)
            sum += 1 / (middle + 2 * cost[j]);
        if (sum > 1)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Eigenvalues (and vectors, rows) of the block, largest first; -1 on failure.
 */
static int eigen(kith_i_bingham *s, const double *b, uint32_t stride,
                 uint32_t m)
{
    for (uint32_t i = 0; i < m; i++)
        memcpy(s->factor + (size_t)i * m, b + (size_t)i * stride,
               m * sizeof(double));
    return kith_i_eigen_top(s->factor, m, m, s->work, s->integers, s->values,
                            s->vectors);
}

static envelope best_envelope(kith_i_bingham *s, const double *b,
                              uint32_t stride, uint32_t m)
{
    if (eigen(s, b, stride, m))
        return quick_envelope(s, b, stride, m);
    envelope e = {.c = s->values[0]};
    for (uint32_t i = 0; i < m; i++)
        s->other[i] = e.c - s->values[i];
    e.b = best_b(s->other, m);
    return factorize(s, b, stride, m, e) ? quick_envelope(s, b, stride, m) : e;
}

static int propose(kith_i_bingham *s, uint32_t m, envelope e,
                   kith_i_words *words, double *z)
{
    double g2 = 0, y2 = 0;
    for (uint32_t i = 0; i < m; i++) {
        z[i] = kith_i_words_normal(words);
        g2 += z[i] * z[i];
    }
    kith_i_backsolve(s->factor, m, z, 1);
    for (uint32_t i = 0; i < m; i++)
        y2 += z[i] * z[i];
    double length = sqrt(y2), r = g2 / y2, half = m / 2.0;
    double chance =
        -e.b * (r - 1) / 2 + half * log(r * e.b / m) + (m - e.b) / 2;
    if (!(log(kith_i_words_unit(words)) <= chance))
        return 0;
    for (uint32_t i = 0; i < m; i++)
        z[i] /= length;
    return 1;
}

void kith_i_bingham_vector(kith_i_bingham *s, const double *b, uint32_t stride,
                           uint32_t m, kith_i_words *words, double *z)
{
    if (m == 1) {
        z[0] = kith_i_words_next(words) & 1 ? 1 : -1;
        return;
    }
    envelope e = quick_envelope(s, b, stride, m);
    for (int i = 0; i < PATIENCE; i++)
        if (propose(s, m, e, words, z))
            return;
    e = best_envelope(s, b, stride, m);
    while (!propose(s, m, e, words, z))
        ;
}

/* ---- the column sweep -----------------------------------------------------
 */

static void swap_rows(double *a, double *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

/* Row i and row j of the basis change places. */
static void swap_axes(double *basis, double *w, uint32_t d, uint32_t i,
                      uint32_t j)
{
    if (i == j)
        return;
    swap_rows(basis + (size_t)i * d, basis + (size_t)j * d, d);
    swap_rows(w + (size_t)i * d, w + (size_t)j * d, d);
    for (uint32_t r = 0; r < d; r++) {
        double t = w[(size_t)r * d + i];
        w[(size_t)r * d + i] = w[(size_t)r * d + j];
        w[(size_t)r * d + j] = t;
    }
}

void kith_i_bingham_sweep(kith_i_bingham *s, const double *a,
                          kith_i_words *words, double *basis)
{
    uint32_t d = s->d, q = s->q, m = d - q + 1, last = q - 1;
    if (q == d)
        return; /* there is only one plane */
    kith_i_congruence(basis, a, d, s->factor, s->w);
    for (uint32_t j = 0; j < q; j++) {
        swap_axes(basis, s->w, d, j, last);
        double *block = s->w + (size_t)last * d + last, *z = s->z;
        kith_i_bingham_vector(s, block, d, m, words, z);
        int flip = z[0] > 0; /* reflect e1 to -z: no cancellation */
        for (uint32_t i = 0; i < m; i++)
            s->v[i] = flip ? z[i] : -z[i];
        s->v[0] += 1;
        double scale = 1 / s->v[0], *row = basis + (size_t)last * d;
        kith_i_reflect_rows(row, m, d, s->v, scale, s->work);
        kith_i_reflect_both(s->w, d, m, s->v, scale, s->work);
        for (uint32_t i = 0; flip && i < d; i++) {
            row[i] = -row[i];
            if (i != last) {
                s->w[(size_t)last * d + i] = -s->w[(size_t)last * d + i];
                s->w[(size_t)i * d + last] = -s->w[(size_t)i * d + last];
            }
        }
    }
}

/* ---- whole planes at once -------------------------------------------------
 */

/* Gram-Schmidt on p rows; the same operations on `along` (or NULL). Returns the
 * log determinant of rows rows'. */
static double orthogonalize(double *rows, double *along, uint32_t p, uint32_t d)
{
    double log_det = 0;
    for (uint32_t j = 0; j < p; j++) {
        double *row = rows + (size_t)j * d, square = 0;
        double *beside = along ? along + (size_t)j * d : NULL;
        for (int pass = 0; pass < 2; pass++)
            for (uint32_t o = 0; o < j; o++) {
                const double *other = rows + (size_t)o * d;
                double c = 0;
                for (uint32_t i = 0; i < d; i++)
                    c += row[i] * other[i];
                for (uint32_t i = 0; i < d; i++)
                    row[i] -= c * other[i];
                for (uint32_t i = 0; beside && i < d; i++)
                    beside[i] -= c * along[(size_t)o * d + i];
            }
        for (uint32_t i = 0; i < d; i++)
            square += row[i] * row[i];
        log_det += log(square);
        double scale = 1 / sqrt(square);
        for (uint32_t i = 0; i < d; i++) {
            row[i] *= scale;
            if (beside)
                beside[i] *= scale;
        }
    }
    return log_det;
}

/* log of the factor that makes the acceptance at most 1, for one dimension. */
static double log_bound(double d, double b)
{
    return (d - b) / 2 + d / 2 * log(b / d);
}

/* A proposal in eigen-coordinates: rows (p x d) orthonormal. total: sum of the
 * costs that every plane pays. */
static int propose_plane(const double *cost, const double *cut, uint32_t p,
                         uint32_t d, double b, double total,
                         kith_i_words *words, double *rows, double *gram)
{
    for (uint32_t j = 0; j < p; j++)
        for (uint32_t i = 0; i < d; i++)
            rows[(size_t)j * d + i] =
                kith_i_words_normal(words) / sqrt(1 + 2 * cut[i] / b);
    double paid = -total;
    if (!isfinite(orthogonalize(rows, NULL, p, d)))
        return 0;
    for (uint32_t j = 0; j < p; j++)
        for (uint32_t o = 0; o <= j; o++) {
            double sum = 0, all = 0;
            for (uint32_t i = 0; i < d; i++) {
                double t = rows[(size_t)j * d + i] * rows[(size_t)o * d + i];
                sum += cut[i] * t;
                all += cost[i] * t;
            }
            gram[(size_t)o * p + j] = (j == o) + 2 / b * sum;
            if (j == o)
                paid += all;
        }
    if (kith_i_cholesky(gram, p))
        return 0; /* rounding at its worst: propose again */
    double log_det = 0;
    for (uint32_t j = 0; j < p; j++)
        log_det += 2 * log(gram[(size_t)j * p + j]);
    return log(kith_i_words_unit(words)) <=
           -paid + d / 2.0 * log_det + p * log_bound(d, b);
}

/* Kent et al.'s matrix angular central Gaussian envelope. Costs L are
 * eigenvalue gaps, ascending; every plane of dimension p pays at least the p
 * smallest. Even proposals use all of L, odd ones the cut (L - L_p)+ with the p
 * smallest taken out: tr U L U' >= sum_{i<=p} L_i + tr U (L - L_p)+ U'. Both
 * are exact, so either may be accepted. */
int kith_i_bingham_joint(kith_i_bingham *s, const double *a, uint32_t tries,
                         kith_i_words *words, double *plane)
{
    uint32_t d = s->d, q = s->q, dual = q > d - q, p = dual ? d - q : q;
    if (p == 0) {
        memset(plane, 0, (size_t)d * d * sizeof *plane);
        for (uint32_t i = 0; i < d; i++)
            plane[(size_t)i * d + i] = 1;
        return 1;
    }
    if (eigen(s, a, d, d))
        return 0;
    double *cost = s->v, *cut = s->other, total = 0, low = s->values[d - 1];
    for (uint32_t i = 0; i < d; i++) /* axis i costs: with dual, leaving it */
        cost[i] = dual ? s->values[i] - low : s->values[0] - s->values[i];
    double least = cost[dual ? d - p : p - 1];
    for (uint32_t i = 0; i < d; i++) {
        cut[i] = fmax(cost[i] - least, 0);
        if (dual ? i >= d - p : i < p)
            total += cost[i];
    }
    double whole_b = best_b(cost, d), cut_b = best_b(cut, d);
    double *rows = s->factor, *gram = s->w;
    for (uint32_t t = 0; t < tries; t++) {
        int odd = t % 2 != 0;
        if (!propose_plane(cost, odd ? cut : cost, p, d, odd ? cut_b : whole_b,
                           odd ? total : 0, words, rows, gram))
            continue;
        if (dual && kith_i_basis_complete(rows, p, d, s->work))
            return 0;
        if (dual)
            rows += (size_t)p * d;
        for (uint32_t j = 0; j < q; j++)
            for (uint32_t i = 0; i < d; i++) {
                double sum = 0;
                for (uint32_t e = 0; e < d; e++)
                    sum +=
                        rows[(size_t)j * d + e] * s->vectors[(size_t)e * d + i];
                plane[(size_t)j * d + i] = sum;
            }
        return 1;
    }
    return 0;
}

/* With y = F^-1 g, W = F'F, and U = R^-1 Y: U W U' = R^-1 G G' R^-T. And by
 * Jensen's inequality the chance to accept is at least |W|^(q/2) bound^q
 * exp(-q tr(cI - A) / d). */
int kith_i_bingham_flat(kith_i_bingham *s, const double *a, kith_i_words *words,
                        double *plane)
{
    uint32_t d = s->d, q = s->q;
    double trace = trace_of(a, d, d), log_det = 0;
    if (2 * q > d)
        return 0;
    envelope e = quick_envelope(s, a, d, d);
    for (uint32_t i = 0; i < d; i++)
        log_det += log(s->factor[(size_t)i * d + i]); /* half of log |W| */
    if (q * (log_det + log_bound(d, e.b) - (e.c - trace / d)) < log(.25))
        return 0;
    double *rows = s->w, *coins = s->vectors;
    for (int t = 0; t < PATIENCE; t++) {
        for (size_t i = 0; i < (size_t)q * d; i++)
            rows[i] = coins[i] = kith_i_words_normal(words);
        kith_i_backsolve(s->factor, d, rows, q);
        if (!isfinite(orthogonalize(rows, coins, q, d)))
            continue;
        double sum = 0;
        for (size_t i = 0; i < (size_t)q * d; i++)
            sum += coins[i] * coins[i];
        /* coins = R^-1 G now: det(R^-1 G G' R^-T) */
        log_det = orthogonalize(coins, NULL, q, d);
        if (log(kith_i_words_unit(words)) <=
            -e.b / 2 * (sum - q) + d / 2.0 * log_det + q * log_bound(d, e.b)) {
            memcpy(plane, rows, (size_t)q * d * sizeof *plane);
            return 1;
        }
    }
    return 0;
}
