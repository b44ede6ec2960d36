/* Steps of Gauss and Newton, damped (Levenberg and Marquardt): shares by linear
 * least squares, centres by what vectors and cells of the tree miss, widths by
 * what everything misses. What makes chi squared larger is taken back. */
#include "explain_answers.h"

#include <math.h>
#include <string.h>

enum { AXES = KITH_I_EXPLAIN_AXES, PATIENCE = 5 };
static const double ALL_SD = 1e-3;  /* of the sum of all shares around 1 */
static const double LEAST = 2e-3;   /* share */
static const double STRIDE = 0.3;   /* of the log of a width, at most */
static const double LEAP = 3;       /* of a centre, in widths, at most */
static const double PROGRESS = 0.5; /* of chi squared; less is nearly none */

typedef kith_i_explain_fit fit;
typedef kith_i_explain_item item;

void kith_i_explain_copy(const fit *f, double *to, const double *from)
{
    memcpy(to, from, (size_t)f->room * (f->d + 2) * sizeof *to);
}

/* ---- shares ---- */

/* Normal equations for what is added to the n shares `of`; the others are held.
 * all: how surely shares sum to 1. */
static void share_equations(const fit *f, const uint32_t *of, size_t n,
                            double all)
{
    double rest = 1, *m = f->a, *rhs = f->b;
    for (uint32_t j = 0; j < f->k; j++)
        rest -= f->share[j];
    for (size_t a = 0; a < n; a++) {
        rhs[a] = rest * all;
        for (size_t b = 0; b <= a; b++)
            m[a * n + b] = all + (a == b ? 1e-6 : 0);
    }
    for (uint32_t t = 0; t < f->items; t++) {
        const item *i = &f->item[t];
        for (size_t c = 0; c < i->cells; c++) {
            double seen = i->seen[c];
            for (size_t j = 0; j < f->k; j++)
                seen -= f->share[j] * i->told[j * i->cells + c];
            for (size_t a = 0; a < n; a++) {
                double told = i->told[of[a] * i->cells + c] * i->precision;
                if (told == 0)
                    continue;
                rhs[a] += told * seen;
                for (size_t b = 0; b <= a; b++)
                    m[a * n + b] += told * i->told[of[b] * i->cells + c];
            }
        }
    }
}

void kith_i_explain_shares(fit *f)
{
    uint32_t *of = (uint32_t *)(void *)f->work; /* nobody uses it now */
    size_t n = f->k;
    for (uint32_t j = 0; j < n; j++) {
        of[j] = j;
        f->share[j] = 0;
    }
    while (n > 0) {
        size_t low = n, left = 0;
        double least = LEAST;
        share_equations(f, of, n, 1 / (ALL_SD * ALL_SD));
        if (kith_i_solve_positive(f->a, f->b, n))
            break;
        for (size_t a = 0; a < n; a++)
            if (f->b[a] < least) {
                least = f->b[a];
                low = a;
            }
        if (low == n)
            break;
        f->share[of[low]] = LEAST; /* held from now on */
        for (size_t a = 0; a < n; a++)
            if (a != low)
                of[left++] = of[a];
        n = left;
    }
    for (size_t a = 0; a < n; a++)
        f->share[of[a]] = fmax(LEAST, f->b[a]);
}

double kith_i_explain_total(fit *f, double *sd)
{
    uint32_t *of = (uint32_t *)(void *)f->work;
    size_t n = f->k;
    double total = 0, variance = 0, users = 0;
    for (uint32_t j = 0; j < n; j++)
        of[j] = j;
    share_equations(f, of, n, 0);
    int bad = kith_i_solve_positive(f->a, f->b, n);
    for (size_t j = 0; j < n; j++)
        total += f->share[j] + f->b[j];
    share_equations(f, of, n, 0);
    for (size_t j = 0; j < n; j++)
        f->b[j] = 1;
    bad = bad || kith_i_solve_positive(f->a, f->b, n);
    for (size_t j = 0; j < n; j++)
        variance += f->b[j];
    for (uint32_t t = 0; t < f->items; t++) /* what users add */
        users += f->item[t].per_share > 0 ? 1 / f->item[t].per_share : 0;
    variance += users > 0 ? 1 / users : 0;
    *sd = !bad && variance > 0 ? sqrt(variance) : HUGE_VAL;
    return total;
}

/* ---- centres ---- */

/* Vectors say the same of all directions: a (k x k) and b (k x d). */
static void add_vectors(const fit *f, const item *i, double *a, double *b)
{
    size_t k = f->k, d = f->d;
    for (size_t c = 0; c < i->buckets; c++)
        for (size_t j = 0; j < k; j++) {
            double h = i->precision * f->share[j] * i->pull[j * i->buckets + c];
            if (h == 0)
                continue;
            for (size_t l = 0; l < k; l++)
                a[j * k + l] += h * f->share[l] * i->pull[l * i->buckets + c];
            for (size_t e = 0; e < d; e++)
                b[j * d + e] += h * i->left[c * d + e];
        }
}

/* A tree says where centres are on the plane: m (n x n) and rhs, n = k axes. */
static void add_tree(const fit *f, const item *i, double *m, double *rhs)
{
    size_t q = f->axes, n = f->k * q;
    for (size_t c = 0; c < i->cells; c++)
        for (size_t j = 0; j < n; j++) {
            double h = i->precision * f->share[j / q] *
                       i->slope[(j / q * i->cells + c) * AXES + j % q];
            if (h == 0)
                continue;
            rhs[j] += h * i->left[c];
            for (size_t l = 0; l < n; l++)
                m[j * n + l] += h * f->share[l / q] *
                                i->slope[(l / q * i->cells + c) * AXES + l % q];
        }
}

/* b := the step in all directions by the vectors and the prior. */
static int solve_off(fit *f, double damp, double *a, double *b)
{
    size_t k = f->k, d = f->d;
    for (uint32_t j = 0; j < k; j++) {
        kith_i_explain_off(f, j, f->x);
        for (size_t c = 0; c < d; c++)
            b[j * d + c] -= f->x[c] / f->off;
        a[j * k + j] = (a[j * k + j] + 1 / f->off) * (1 + damp);
    }
    for (size_t c = 0; c < d; c++) {
        memcpy(f->a, a, k * k * sizeof *a);
        for (size_t j = 0; j < k; j++)
            f->b[j] = b[j * d + c];
        if (kith_i_solve_positive(f->a, f->b, k))
            return 0;
        for (size_t j = 0; j < k; j++)
            b[j * d + c] = f->b[j];
    }
    return 1;
}

/* Slopes are those of here. A cluster of hardly anybody has small ones, and
 * would leap far out of where users can be. */
static void add_steps(fit *f, const double *steps)
{
    size_t d = f->d;
    for (size_t j = 0; j < f->k; j++) {
        const double *step = steps + j * d;
        double far = sqrt(kith_i_norm_squared(step, d) / (double)d);
        double most = LEAP * f->width[j];
        for (size_t c = 0; c < d; c++)
            f->center[j * d + c] += far > most ? most / far * step[c] : step[c];
    }
    kith_i_local_clip(f->task, f->k, f->center);
}

static int step_centers(fit *f, double damp)
{
    size_t k = f->k, d = f->d, q = f->axes, n = k * q;
    const double *rows = f->lens->rows;
    double *a = f->work, *b = a + k * k, *rhs = b + k * d, *m = f->a;
    memset(a, 0, (k * k + k * d + n) * sizeof *a);
    memset(m, 0, n * n * sizeof *m);
    for (uint32_t t = 0; t < f->items; t++) {
        if (f->item[t].pull)
            add_vectors(f, &f->item[t], a, b);
        if (f->item[t].slope)
            add_tree(f, &f->item[t], m, rhs);
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t c = 0; c < d; c++)
            rhs[j] += rows[j % q * d + c] * b[j / q * d + c];
        for (size_t l = 0; l < k; l++)
            m[j * n + l * q + j % q] += a[j / q * k + l];
        m[j * n + j] = m[j * n + j] * (1 + damp) + 1e-6;
    }
    if (kith_i_solve_positive(m, rhs, n) || !solve_off(f, damp, a, b))
        return 0;
    for (size_t j = 0; j < n; j++) { /* on the plane: by tree and vectors */
        const double *row = rows + j % q * d;
        double *step = b + j / q * d, in = rhs[j];
        for (size_t c = 0; c < d; c++)
            in -= row[c] * step[c];
        for (size_t c = 0; c < d; c++)
            step[c] += in * row[c];
    }
    add_steps(f, b);
    return 1;
}

/* ---- widths ---- */

static void width_equations(const fit *f, double *m, double *rhs)
{
    size_t k = f->k;
    double unit = 1 / log(KITH_I_EXPLAIN_WIDER);
    memset(m, 0, k * k * sizeof *m);
    memset(rhs, 0, k * sizeof *rhs);
    for (uint32_t t = 0; t < f->items; t++) {
        const item *i = &f->item[t];
        for (size_t c = 0; c < i->cells; c++)
            for (size_t j = 0; j < k; j++) {
                size_t at = j * i->cells + c;
                double h = i->precision * f->share[j] * unit *
                           (i->wider[at] - i->told[at]);
                if (h == 0)
                    continue;
                rhs[j] += h * i->left[c];
                for (size_t l = 0; l < k; l++) {
                    size_t to = l * i->cells + c;
                    m[j * k + l] +=
                        h * f->share[l] * unit * (i->wider[to] - i->told[to]);
                }
            }
    }
}

/* tied: all by the same factor. */
static void step_widths(fit *f, double damp, int tied)
{
    size_t k = f->k;
    double *m = f->a, *rhs = f->b, mean = 0, up = 0, all = 1e-6;
    width_equations(f, m, rhs);
    for (size_t j = 0; j < k; j++) {
        mean += log(f->width[j]) / (double)k;
        up += rhs[j];
        for (size_t l = 0; l < k; l++)
            all += m[j * k + l];
    }
    for (size_t j = 0; j < k; j++) {
        rhs[j] -= (log(f->width[j]) - mean) /
                  (kith_i_recipe.alike * kith_i_recipe.alike);
        m[j * k + j] =
            (m[j * k + j] + 1 / (kith_i_recipe.alike * kith_i_recipe.alike)) *
            (1 + damp);
    }
    if (!tied && kith_i_solve_positive(m, rhs, k))
        return;
    for (size_t j = 0; j < k; j++) {
        double by = tied ? up / all / (1 + damp) : rhs[j];
        f->width[j] *= exp(fmax(-STRIDE, fmin(STRIDE, by)));
    }
}

/* ---- all ---- */

double kith_i_explain_precision(const fit *f, uint32_t j)
{
    double precision = 1 / f->off;
    for (uint32_t t = 0; t < f->items; t++) {
        const item *i = &f->item[t];
        for (size_t c = 0; c < i->buckets; c++)
            precision += i->precision *
                         pow(f->share[j] * i->pull[j * i->buckets + c], 2);
    }
    return precision;
}

/* How far centres are from the plane: a step of expectation and maximum. */
static void update_off(fit *f)
{
    double sum = 0;
    for (uint32_t j = 0; j < f->k; j++) {
        kith_i_explain_off(f, j, f->x);
        sum += kith_i_norm_squared(f->x, f->d) / (f->d - f->axes) +
               1 / kith_i_explain_precision(f, j);
    }
    f->off = fmax(1e-6, sum / f->k);
}

/* What a step moves; after a failure the next kind is tried. */
typedef enum { BOTH, CENTERS, WIDTHS, KINDS } kind;

double kith_i_explain_descend(fit *f, int steps)
{
    double best = HUGE_VAL, damp = 0.1;
    int failed = 0, tied = 1;
    kind what = BOTH;
    for (int step = 0; step < steps; step++) {
        kith_i_explain_ask(f, 0);
        kith_i_explain_shares(f);
        double chi = kith_i_explain_misfit(f);
        if (chi < best) {
            failed = best - chi < PROGRESS ? failed + 1 : 0;
            damp = fmax(damp / 4, 1e-3);
            kith_i_explain_copy(f, f->best, f->share);
            update_off(f);
            best = kith_i_explain_misfit(f);
        } else {
            failed++;
            damp = what == WIDTHS ? fmax(damp * 8, 1) : damp;
            what = (kind)((what + 1) % KINDS);
            kith_i_explain_copy(f, f->share, f->best);
            kith_i_explain_ask(f, 0);
            kith_i_explain_misfit(f);
        }
        if (failed > PATIENCE && !tied)
            break;
        if (failed > PATIENCE) {
            tied = failed = 0;
            damp = 0.1;
            what = BOTH;
        }
        if (what != CENTERS)
            kith_i_explain_ask(f, 1);
        if (what != WIDTHS && !step_centers(f, damp))
            break;
        if (what != CENTERS)
            step_widths(f, damp, tied);
    }
    kith_i_explain_copy(f, f->share, f->best);
    return best;
}
