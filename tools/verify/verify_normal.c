/* The normal law in double-double arithmetic: about 30 digits.
 *
 * With a = e/m - m/2, b = e/m + m/2 and the density g, e^e g(b) = g(a). So
 * delta = Q(a) - e^e Q(b) = g(a) (M(a) - M(b)) with Mills' ratio M = Q/g: the
 * two huge factors are gone before anything is subtracted. */
#include <math.h>

#include "verify_i.h"

typedef struct wide {
    double hi, lo;
} wide;

static wide quick(double hi, double lo)
{
    double sum = hi + lo;
    return (wide){sum, lo - (sum - hi)};
}

static wide add(wide x, wide y)
{
    double s = x.hi + y.hi, b = s - x.hi;
    double lost = (x.hi - (s - b)) + (y.hi - b);
    double t = x.lo + y.lo, c = t - x.lo;
    double lost_too = (x.lo - (t - c)) + (y.lo - c);
    wide r = quick(s, lost + t);
    return quick(r.hi, r.lo + lost_too);
}

static wide negate(wide x)
{
    return (wide){-x.hi, -x.lo};
}

static wide multiply(wide x, wide y)
{
    double p = x.hi * y.hi;
    return quick(p, fma(x.hi, y.hi, -p) + (x.hi * y.lo + x.lo * y.hi));
}

static wide scale(wide x, double factor) /* a power of two */
{
    return (wide){x.hi * factor, x.lo * factor};
}

static wide divide(wide x, wide y)
{
    double q = x.hi / y.hi;
    wide rest = add(x, negate(multiply(y, (wide){q, 0})));
    double q2 = rest.hi / y.hi;
    rest = add(rest, negate(multiply(y, (wide){q2, 0})));
    wide r = quick(q, q2);
    return add(r, (wide){rest.hi / y.hi, 0});
}

/* e^x for -800 <= x <= 50. */
static wide exponential(wide x)
{
    static const wide ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
    enum { HALVINGS = 9, TERMS = 14 };
    double k = nearbyint(x.hi / ln2.hi);
    wide r = add(x, negate(multiply(ln2, (wide){k, 0})));
    r = scale(r, ldexp(1, -HALVINGS));
    wide term = {1, 0}, sum = {0, 0}; /* e^r - 1, which squares well */
    for (int n = 1; n <= TERMS; n++) {
        term = divide(multiply(term, r), (wide){n, 0});
        sum = add(sum, term);
    }
    for (int i = 0; i < HALVINGS; i++)
        sum = add(multiply(sum, sum), scale(sum, 2));
    sum = add(sum, (wide){1, 0});
    return (wide){ldexp(sum.hi, (int)k), ldexp(sum.lo, (int)k)};
}

/* 1 / sqrt(2 pi), sqrt(pi / 2) */
static const wide DENSITY_AT_0 = {0x1.9884533d43651p-2, -0x1.cbc0d30ebfd15p-56};
static const wide MILLS_AT_0 = {0x1.40d931ff62706p+0, -0x1.a6a0d6f814637p-54};

/* Pr[N > x] / density(x), x >= 0. */
static wide mills(wide x)
{
    enum { FRACTIONS = 1500 };
    if (x.hi < 3) { /* sqrt(pi/2) e^(x^2/2) - (x + x^3/3 + x^5/15 + ...) */
        wide square = multiply(x, x), term = x, sum = x;
        for (int n = 3; fabs(term.hi) > 1e-36 * sum.hi; n += 2) {
            term = divide(multiply(term, square), (wide){n, 0});
            sum = add(sum, term);
        }
        wide all = multiply(MILLS_AT_0, exponential(scale(square, .5)));
        return add(all, negate(sum));
    }
    /* 1/(x + 1/(x + 2/(x + 3/(x + ...)))), from the inside */
    wide tail = x;
    for (int n = FRACTIONS; n >= 1; n--)
        tail = add(x, divide((wide){n, 0}, tail));
    return divide((wide){1, 0}, tail);
}

static wide density(wide x)
{
    return multiply(DENSITY_AT_0,
                    exponential(scale(negate(multiply(x, x)), .5)));
}

static wide delta_of(double epsilon, double mu)
{
    wide ratio = divide((wide){epsilon, 0}, (wide){mu, 0});
    wide half = {mu / 2, 0};
    wide a = add(ratio, negate(half)), b = add(ratio, half);
    if (a.hi > 40)
        return (wide){0, 0}; /* below 1e-340 */
    wide second = mills(b);
    if (a.hi >= 0)
        return multiply(density(a), add(mills(a), negate(second)));
    /* Q(a) = 1 - g(a) M(-a); beyond 37 the density is nothing next to 1 */
    if (a.hi < -37)
        return (wide){1, 0};
    wide both = add(mills(negate(a)), second);
    return add((wide){1, 0}, negate(multiply(density(a), both)));
}

double verify_delta(double epsilon, double mu)
{
    return delta_of(epsilon, mu).hi;
}

int verify_delta_exceeds(double epsilon, double mu, double delta)
{
    wide value = multiply(delta_of(epsilon, mu), (wide){1, 1e-18});
    return value.hi > delta || (value.hi == delta && value.lo > 0);
}
