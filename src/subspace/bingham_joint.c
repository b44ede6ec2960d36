/* Bingham draws of whole planes at once, by rejection.
 *
 * Claim: a plane that comes out has density exp(tr U A U') in real arithmetic,
 *   however many proposals it took.
 * Because: proposals are independent, of a law whose density is known, and are
 *   accepted with the ratio of the target's to it, bounded as shown below. */
#include <math.h>
#include <string.h>

#include "bingham_i.h"
#include "kernel/linear.h"
#include "kernel/planes.h"
#include "kernel/vectors.h"

enum { MOST_TRIES = 60 };

/* Gram-Schmidt on p rows; the same operations on `along` (or NULL). Returns the
 * log determinant of rows rows'. */
static double orthogonalize(double *rows, double *along, uint32_t p, uint32_t d)
{
    double log_det = 0;
    for (uint32_t j = 0; j < p; j++) {
        double square = kith_i_orthogonal_row_along(rows, along, j, d);
        log_det += log(square);
        kith_i_multiply_by(rows + (size_t)j * d, 1 / sqrt(square), d);
        if (along)
            kith_i_multiply_by(along + (size_t)j * d, 1 / sqrt(square), d);
    }
    return log_det;
}

typedef struct {
    const double *cost, *cut; /* of each axis; what the proposal knows of it */
    double b, total;          /* total: what every plane pays */
    uint32_t p, d;
} envelope;

/* A proposal in eigen-coordinates: rows (p x d) orthonormal. */
static int propose_plane(const envelope *e, kith_i_words *words, double *rows,
                         double *gram)
{
    const double *cost = e->cost, *cut = e->cut;
    double b = e->b;
    uint32_t p = e->p, d = e->d;
    for (uint32_t j = 0; j < p; j++)
        for (uint32_t i = 0; i < d; i++)
            rows[(size_t)j * d + i] =
                kith_i_words_normal(words) / sqrt(1 + 2 * cut[i] / b);
    double paid = -e->total;
    uint32_t apart = kith_i_padded(p);
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
            gram[(size_t)o * apart + j] = (j == o) + 2 / b * sum;
            if (j == o)
                paid += all;
        }
    if (kith_i_cholesky(gram, p))
        return 0; /* rounding at its worst: propose again */
    double log_det = 0;
    for (uint32_t j = 0; j < p; j++)
        log_det += 2 * log(gram[(size_t)j * apart + j]);
    return log(kith_i_words_unit(words)) <=
           -paid + d / 2.0 * log_det + p * kith_i_acg_bound(d, b);
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
    if (kith_i_bingham_eigen(s, a, d, d))
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
    double whole_b = kith_i_acg_best(cost, d), cut_b = kith_i_acg_best(cut, d);
    double *rows = s->factor, *gram = s->w;
    for (uint32_t t = 0; t < tries; t++) {
        int odd = t % 2 != 0;
        envelope e = {
            cost, odd ? cut : cost, odd ? cut_b : whole_b, odd ? total : 0, p,
            d};
        if (!propose_plane(&e, words, rows, gram))
            continue;
        if (dual && kith_i_basis_complete(rows, p, d, s->work))
            return 0;
        if (dual)
            rows += (size_t)p * d;
        for (uint32_t j = 0; j < q; j++)
            for (uint32_t i = 0; i < d; i++) {
                double sum = 0;
                for (uint32_t axis = 0; axis < d; axis++)
                    sum += rows[(size_t)j * d + axis] *
                           s->vectors[(size_t)axis * d + i];
                plane[(size_t)j * d + i] = sum;
            }
        return 1;
    }
    return 0;
}

/* By Jensen's inequality the chance to accept is at least |W|^(q/2) bound^q
 * exp(-q tr(cI - A) / d): is that one in four? log_det: of W. */
static int worth_it(const kith_i_acg *e, double d, double q, double log_det)
{
    return q * (log_det / 2 + kith_i_acg_bound(d, e->b) - e->c +
                e->trace / d) >=
           log(.25);
}

/* With y = F^-1 g, W = F'F, and U = R^-1 Y: U W U' = R^-1 G G' R^-T. */
int kith_i_bingham_flat(kith_i_bingham *s, const double *a, kith_i_words *words,
                        double *plane)
{
    uint32_t d = s->d, q = s->q;
    double log_det = 0;
    if (2 * q > d)
        return 0;
    kith_i_acg e = kith_i_acg_guess(s, a, d, d);
    /* |W| <= (tr W / d)^d: most of the time no factor is needed to say no */
    if (!worth_it(&e, d, q, d * log1p(2 * (e.c - e.trace / d) / e.b)))
        return 0;
    kith_i_acg_settle(s, a, d, d, &e);
    for (uint32_t i = 0; i < d; i++)
        log_det += 2 * log(s->factor[(size_t)i * kith_i_padded(d) + i]);
    if (!worth_it(&e, d, q, log_det))
        return 0;
    double *rows = s->w, *coins = s->vectors;
    for (int t = 0; t < MOST_TRIES; t++) {
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
        if (log(kith_i_words_unit(words)) <= -e.b / 2 * (sum - q) +
                                                 d / 2.0 * log_det +
                                                 q * kith_i_acg_bound(d, e.b)) {
            memcpy(plane, rows, (size_t)q * d * sizeof *plane);
            return 1;
        }
    }
    return 0;
}
