/* Bingham draws on the sphere, density exp(z'Bz), by rejection.
 *
 * Claim: the plain envelope is exact in real arithmetic, whatever c and b are.
 * Because: with M = cI - B, W = I + 2M/b positive definite and y ~ N(0, W^-1),
 *   z = y/|y| has density proportional to (z'Wz)^(-m/2). With r = z'Wz =
 *   1 + 2s/b, s = z'Mz: e^-s r^(m/2) is largest at r = m/b, so the acceptance
 *   probability e^-s r^(m/2) e^((m-b)/2) (b/m)^(m/2) is at most 1 for every
 *   r > 0. c and b only decide how often one accepts. When z hardly leaves one
 *   axis that is seldom: a Cauchy law stands in for a normal one.
 *
 * Claim: so is the envelope with a pole, a unit vector x, and nu > 1.
 * Because: let y have density proportional to |x'y|^(nu-1) e^(-y'Wy/2); then
 *   z has density proportional to |x'z|^(nu-1) r^(-N/2), N = m - 1 + nu, which
 *   is a t law with nu degrees of freedom about x. Let t = 1 - (x'z)^2. Where
 *   t <= far, the target is at most e^bound times that; where t > far, at most
 *   e^far_bound times the plain envelope's r^(-m/2). One proposes from the two
 *   in proportion to their integrals, throws away what is on the wrong side of
 *   `far`, and accepts with the ratio.
 *   The bounds: p numbers of which one knows mean and squares are at most
 *   mean + sqrt((p - 1) variance) (Wolkowicz, Styan 1980); so are eigenvalues
 *   of B on the orthogonal complement of x. Hence z'Bz <= top (1-t) + rest t
 *   and s >= c - top + g t with g = top - rest. Without the pole's factor the
 *   log ratio is h(s) = -s + N/2 log r, largest at s* = (N - b)/2, which is
 *   reached at t* = (s* - c + top)/g at the latest. For t = t* + u it is at
 *   most h(s* + g u) - (nu-1)/2 log(1 - t* - u). That has derivative 0 where
 *   u^2 - P u + Q/4 = 0, P = 1 - t* - (nu-1)/2g, Q = (nu-1)N/g^2: it rises to
 *   the smaller root and falls to the larger one, and there is `far`. */
#include <math.h>
#include <string.h>

#include "bingham_i.h"
#include "kernel/kernel_i.h"
#include "kernel/linear.h"

enum { POWER_STEPS = 4, PATIENCE = 60 };

/* What is seen of a block at first sight. The pole is in space->v. */
typedef struct {
    double value, residual; /* x'Bx; |Bx - value x| */
    double rest;            /* >= z'Bz for unit z orthogonal to the pole */
    double trace;
} sight;

typedef struct {
    double c, b;
    double nu; /* 1: plain */
    double bound, far, far_bound, far_share;
} envelope;

/* ---- what to expect ---- */

/* A few power steps from e1, which is where the chain is. */
static sight look(kith_i_bingham *s, const double *b, uint32_t stride,
                  uint32_t m)
{
    double *x = s->v, *y = s->other, length = 0;
    sight at = {0};
    for (uint32_t i = 0; i < m; i++)
        at.trace += b[(size_t)i * stride + i];
    memset(x, 0, m * sizeof *x);
    x[0] = 1;
    for (int step = 1;; step++) {
        kith_i_symmetric_apply(b, stride, m, x, y);
        at.value = length = 0;
        for (uint32_t i = 0; i < m; i++) {
            at.value += x[i] * y[i];
            length += y[i] * y[i];
        }
        at.residual = sqrt(fmax(length - at.value * at.value, 0));
        if (!(length > 0) || at.residual < .02 || step == POWER_STEPS)
            break;
        double scale = 1 / sqrt(length);
        for (uint32_t i = 0; i < m; i++)
            x[i] = y[i] * scale;
    }
    at.rest = at.value; /* no gap, as far as one knows */
    if (at.value > m / 2.0) {
        double squares = kith_i_squares(b, stride, m), p = m - 1;
        double mean = (at.trace - at.value) / p;
        double spread = squares - 2 * length + at.value * at.value -
                        p * mean * mean + 1e-12 * squares; /* rounding */
        at.rest =
            mean + sqrt(fmax(spread, 0) * (p - 1) / p) + 1e-12 * fabs(at.value);
    }
    return at;
}

/* About the largest eigenvalue; an upper bound where the gap is known. */
static double top_of(const sight *at, uint32_t m)
{
    double gap = at->value - at->rest, more = at->residual;
    if (gap > more) /* Temple, Kato */
        more *= more / gap;
    return fmax(at->value + more, at->trace / m) + .02;
}

/* The b that would be best if all eigenvalues but the largest were equal. */
static double equal_b(double c, double trace, double m, double nu)
{
    double mu = m > 1 ? fmax((m * c - trace) / (m - 1), 0) : 0;
    double lead = m - 1 + nu - 2 * mu, root = sqrt(lead * lead + 8 * mu * nu);
    return lead > 0 ? (lead + root) / 2 : 4 * mu * nu / (root - lead);
}

kith_i_acg kith_i_acg_guess(kith_i_bingham *s, const double *b, uint32_t stride,
                            uint32_t m)
{
    sight at = look(s, b, stride, m);
    double c = top_of(&at, m);
    return (kith_i_acg){c, equal_b(c, at.trace, m, 1), at.trace};
}

double kith_i_acg_bound(double m, double b)
{
    return (m - b) / 2 + m / 2 * log(b / m);
}

static envelope plain(double c, double trace, uint32_t m)
{
    envelope e = {.c = c, .b = equal_b(c, trace, m, 1), .nu = 1};
    e.far_bound = -kith_i_acg_bound(m, e.b);
    return e;
}

/* With a pole; nu = 1 in the answer if that cannot be. */
static envelope with_pole(const sight *at, double c, double nu, uint32_t m)
{
    envelope e = {.c = c, .b = equal_b(c, at->trace, m, nu), .nu = nu};
    double gap = at->value - at->rest, share = gap / 8, all = m - 1 + nu;
    /* 2 |x'z| |z - (x'z) x| residual <= residual^2/share (1 - t) + share t */
    double top = at->value + at->residual * at->residual / share;
    double g = top - at->rest - share, best = (all - e.b) / 2;
    double near = fmax((best - c + top) / g, 0); /* t* */
    double p = 1 - near - (nu - 1) / (2 * g), q = (nu - 1) * all / (g * g);
    if (!(gap > 0 && near < 1 && p > 0 && p * p > q)) {
        e.nu = 1;
        return e;
    }
    double root = sqrt(p * p - q), u = (p - root) / 2, far = (p + root) / 2;
    e.far = near + far;
    e.bound = -(best + g * u) + all / 2 * log(1 + 2 * (best + g * u) / e.b) -
              (nu - 1) / 2 * log(1 - near - u) + 1e-9;
    e.far_bound = -(best + g * far) +
                  m / 2.0 * log(1 + 2 * (best + g * far) / e.b) + 1e-9;
    return e;
}

static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* log of the integral of |x'z|^(nu-1) r^(-N/2) over that of r^(-m/2) on the
 * sphere; deviation: of x'y for y ~ N(0, W^-1). */
static double log_integral(double nu, uint32_t m, double deviation)
{
    return log_gamma(nu / 2) - log_gamma((m - 1 + nu) / 2) - log_gamma(.5) +
           log_gamma(m / 2.0) + (nu - 1) * log(deviation);
}

/* About the log of what is proposed for each vector accepted, up to a
 * constant: as if all eigenvalues but the largest were equal. */
static double log_waste(const envelope *e, const sight *at, uint32_t m)
{
    double mu = (m * e->c - at->trace) / (m - 1);
    double side = 1 + 2 * mu / e->b, along = 1 + 2 * (e->c - at->value) / e->b;
    double log_det = (m - 1) * log(side) + log(along), far = e->far_bound;
    if (e->nu > 1) {
        double near = e->bound + log_integral(e->nu, m, 1 / sqrt(along));
        far = fmax(near, far) + log1p(exp(-fabs(near - far)));
    }
    return far - log_det / 2;
}

/* With gap g and m - 1 equal other eigenvalues a pole accepts about
 * sqrt(nu / (nu + m - 1)) e^(-nu (m - 1) / 8g). */
static envelope choose(const sight *at, double c, uint32_t m)
{
    double gap = at->value - at->rest, half = (m - 1) / 2.0;
    envelope e = plain(c, at->trace, m);
    if (!(gap > half))
        return e;
    envelope f = with_pole(at, c, sqrt(half * half + 4 * gap) - half, m);
    int better = f.nu > 1 && log_waste(&f, at, m) < log_waste(&e, at, m);
    return better ? f : e;
}

/* ---- the envelope in force ---- */

/* factor = Cholesky factor of (1 + 2c/b) I - (2/b) B; -1 if there is none. */
static int factorize(kith_i_bingham *s, const double *b, uint32_t stride,
                     uint32_t m, double c, double scale)
{
    double diagonal = 1 + 2 * c / scale, times = -2 / scale;
    uint32_t apart = kith_i_padded(m);
    for (uint32_t i = 0; i < m; i++) {
        double *to = s->factor + (size_t)i * apart;
        const double *from = b + (size_t)i * stride;
        for (uint32_t j = i; j < m; j++)
            to[j] = times * from[j];
        to[i] += diagonal;
    }
    return kith_i_cholesky(s->factor, m);
}

void kith_i_acg_settle(kith_i_bingham *s, const double *b, uint32_t stride,
                       uint32_t m, kith_i_acg *e)
{
    double lift = .5;
    while (factorize(s, b, stride, m, e->c, e->b)) {
        e->c += lift;
        lift *= 2;
        e->b = equal_b(e->c, e->trace, m, 1);
    }
}

/* space->other = W^-T/2 x, of length 1: where x'y comes from; and how often to
 * propose for the far side. */
static void raise_pole(kith_i_bingham *s, uint32_t m, envelope *e)
{
    double square = 0, *a = s->other;
    memcpy(a, s->v, m * sizeof *a);
    kith_i_forwardsolve(s->factor, m, a);
    for (uint32_t i = 0; i < m; i++)
        square += a[i] * a[i];
    double deviation = sqrt(square);
    for (uint32_t i = 0; i < m; i++)
        a[i] /= deviation;
    double near = e->bound + log_integral(e->nu, m, deviation);
    e->far_share = 1 / (1 + exp(near - e->far_bound));
}

static envelope quick_envelope(kith_i_bingham *s, const double *b,
                               uint32_t stride, uint32_t m)
{
    sight at = look(s, b, stride, m);
    double c = top_of(&at, m), lift = .5;
    envelope e = choose(&at, c, m);
    while (factorize(s, b, stride, m, e.c, e.b)) {
        e = plain(e.c + lift, at.trace, m);
        lift *= 2;
    }
    if (e.nu > 1)
        raise_pole(s, m, &e);
    return e;
}

/* Best b for costs >= 0, the smallest 0: sum of 1 / (b + 2 cost) = 1. */
double kith_i_acg_best(const double *cost, uint32_t m)
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

int kith_i_bingham_eigen(kith_i_bingham *s, const double *b, uint32_t stride,
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
    if (kith_i_bingham_eigen(s, b, stride, m))
        return quick_envelope(s, b, stride, m);
    envelope e = {.c = s->values[0], .nu = 1};
    for (uint32_t i = 0; i < m; i++)
        s->other[i] = e.c - s->values[i];
    e.b = kith_i_acg_best(s->other, m);
    e.far_bound = -kith_i_acg_bound(m, e.b);
    return factorize(s, b, stride, m, e.c, e.b)
               ? quick_envelope(s, b, stride, m)
               : e;
}

/* ---- drawing ---- */

/* The square root of a chi-square deviate with nu > 1 degrees of freedom
 * (Marsaglia, Tsang 2000). */
static double draw_chi(double nu, kith_i_words *words)
{
    double shape = nu / 2 - 1.0 / 3, scale = 1 / sqrt(9 * shape);
    for (;;) {
        double x = kith_i_words_normal(words), v = 1 + scale * x;
        if (!(v > 0))
            continue;
        v *= v * v;
        if (log(kith_i_words_unit(words)) <
            x * x / 2 + shape * (1 - v + log(v)))
            return sqrt(2 * shape * v);
    }
}

static double dot(const double *x, const double *y, uint32_t m)
{
    double sum[4] = {0};
    uint32_t i = 0;
    for (; i + 4 <= m; i += 4)
        for (uint32_t l = 0; l < 4; l++)
            sum[l] += x[i + l] * y[i + l];
    for (; i < m; i++)
        sum[0] += x[i] * y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static int propose(kith_i_bingham *s, uint32_t m, const envelope *e,
                   kith_i_words *words, double *z)
{
    int pole = e->nu > 1;
    int far = !pole || kith_i_words_unit(words) < e->far_share;
    for (uint32_t i = 0; i < m; i++)
        z[i] = kith_i_words_normal(words);
    if (!far) {
        double along = dot(s->other, z, m), chi = draw_chi(e->nu, words);
        double more = (along < 0 ? -chi : chi) - along;
        for (uint32_t i = 0; i < m; i++)
            z[i] += more * s->other[i];
    }
    double g2 = dot(z, z, m);
    kith_i_backsolve(s->factor, m, z, 1);
    double y2 = dot(z, z, m), r = g2 / y2, chance = -e->b * (r - 1) / 2;
    if (pole) {
        double along = dot(s->v, z, m), near = along * along / y2;
        if ((1 - near > e->far) != far)
            return 0;
        chance -= far ? 0 : e->bound + (e->nu - 1) / 2 * log(near);
    }
    chance += (far ? m : m - 1 + e->nu) / 2 * log(r) - (far ? e->far_bound : 0);
    if (!(log(kith_i_words_unit(words)) <= chance))
        return 0;
    double length = sqrt(y2);
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
        if (propose(s, m, &e, words, z))
            return;
    e = best_envelope(s, b, stride, m);
    while (!propose(s, m, &e, words, z))
        ;
}
