/* What reports are worth: the variance of an estimate, the choice between
 * randomisers, and the law of the codebook. Public formulas only.
 *
 * Symbols. A report supports the user's own symbol with probability p and any
 * other with probability q; c supports among m reports estimate the fraction
 * (c/m - q) / (p - q), whose variance at 0 is q (1 - q) / (p - q)^2 / m. Of a
 * fraction f drawn with the users, c is Binomial(m, q + (p - q) f): the
 * variance is that at 0 and f (1 - 2 q) / (p - q) / m - f^2 / m.
 *
 * Vectors. N codewords uniform on the sphere, reported with odds e : 1 in
 * favour of the m nearest to u. By symmetry the mean of a report is alpha u
 * with alpha = (e T + R) / (m e + N - m), T and R the expected sums of <c, u>
 * over the m nearest and over the rest, R = -T. Then report / alpha is unbiased
 * and has length 1 / alpha: 1 / (alpha sqrt D) a coordinate.
 *
 * Matrices. C = G G' / |G|^2 with G of D x r normal deviates; by symmetry
 * under rotations that leave z alone the mean of a report is a z z' + b (I - z
 * z'), a = E<C, z z'>, and a + (D - 1) b = tr C = 1: alpha = a - b = (a D - 1)
 * / (D - 1). <C, z z'> has a Beta(r/2, r(D - 1)/2) law before it is chosen
 * from. The mean over a user's own bucket is alpha (z z' - I / D) + I / D, over
 * another I / D: (C - I / D) / alpha is unbiased for z z' - I / D, or for 0. An
 * entry off the diagonal of C has variance 1 / (D (D r + 2)). */
#include <math.h>

#include "collect_i.h"

enum { NODES = 800 };

/* ---- symbols ---- */

static double sd_of(kith_i_support s)
{
    return s.p > s.q ? sqrt(s.q * (1 - s.q)) / (s.p - s.q) : 0;
}

static kith_i_support support_krr(double odds, double symbols)
{
    double total = odds + symbols - 1;
    return (kith_i_support){odds / total, symbols > 1 ? 1 / total : 0};
}

static kith_i_support support_olh(double odds, double g)
{
    return (kith_i_support){odds / (odds + g - 1), 1 / g};
}

uint64_t kith_i_olh_outputs(double odds)
{
    return odds < 1.5 ? 2 : (uint64_t)(odds + 0.5) + 1;
}

int kith_i_krr_is_better(double odds, uint64_t symbols)
{
    double g = (double)kith_i_olh_outputs(odds);
    return sd_of(support_krr(odds, (double)symbols)) <=
           sd_of(support_olh(odds, g));
}

kith_i_support kith_i_mechanism_support(const kith_i_mechanism *m)
{
    double odds = (double)m->odds.num / (double)m->odds.den;
    if (m->kind == KITH_I_RANDOMIZER_KRR)
        return support_krr(odds, (double)m->symbols);
    if (m->kind == KITH_I_RANDOMIZER_OLH)
        return support_olh(odds, (double)m->outputs);
    return (kith_i_support){odds / (odds + 1), .5}; /* one Hadamard bit */
}

/* Of an entry off the diagonal, times sqrt 2. */
static double matrix_sd(double alpha, double width, double rank)
{
    return sqrt(2 / (width * (width * rank + 2))) / alpha;
}

double kith_i_mechanism_sd(const kith_i_mechanism *m)
{
    double unit = KITH_I_GAUSSIAN_UNIT;
    if (m->kind == KITH_I_RANDOMIZER_CODEBOOK && m->rank)
        return matrix_sd(m->alpha, m->width, m->rank);
    if (m->kind == KITH_I_RANDOMIZER_CODEBOOK)
        return 1 / (m->alpha * sqrt((double)m->width));
    if (m->kind == KITH_I_RANDOMIZER_GAUSSIAN)
        return kith_i_scale_value(m->sigma) / unit;
    return sd_of(kith_i_mechanism_support(m));
}

double kith_i_mechanism_per_share(const kith_i_mechanism *m)
{
    kith_i_support s = kith_i_mechanism_support(m);
    return s.p > s.q ? (1 - 2 * s.q) / (s.p - s.q) : 0;
}

/* ---- the codebook ---- */

/* Expected sums of the score t and of t^2 over the m codewords nearest to u,
 * for all m: N times the integral of t f(t) Pr[fewer than m of the others are
 * nearer]. */
typedef struct {
    double first[KITH_I_CODEBOOK + 1], second[KITH_I_CODEBOOK + 1];
} top_sums;

static void add_node(top_sums *sums, uint32_t n, double t, double weight,
                     double above)
{
    /* Pr[Binomial(N - 1, above) = i], from i = 0 on. */
    double below = 1 - above;
    if (!(below > 0))
        return;
    double pmf = pow(below, n - 1.0), cdf = 0, odds = above / below;
    for (uint32_t m = 1; m <= n; m++) {
        cdf += pmf;
        sums->first[m] += weight * t * cdf;
        sums->second[m] += weight * t * t * cdf;
        pmf *= odds * (n - m) / m;
    }
}

/* Vectors: t = <c, u> = sin a with a density proportional to cos^(D-2) a,
 * smooth: the trapezoidal rule converges fast. */
static void solve_top_sums(uint32_t width, top_sums *sums)
{
    double power = width - 2.0, reach = 10 / sqrt((double)width);
    if (reach > M_PI_2)
        reach = M_PI_2;
    double f[NODES + 1], step = 2 * reach / NODES, total = 0;
    for (int i = 0; i <= NODES; i++) {
        double c = cos(-reach + i * step);
        f[i] = power > 0 ? pow(c > 0 ? c : 0, power) : 1;
        total += f[i] * (i == 0 || i == NODES ? .5 : 1);
    }
    for (uint32_t m = 0; m <= KITH_I_CODEBOOK; m++)
        sums->first[m] = sums->second[m] = 0;
    /* F by the same rule with the next term of Euler and Maclaurin, which the
     * slope f' = -(D - 2) tan(a) f gives. */
    double running = 0, slope0 = power * tan(reach) * f[0];
    if (power <= 0)
        slope0 = 0;
    for (int i = 0; i <= NODES; i++) {
        double a = -reach + i * step;
        double half = i == 0 || i == NODES ? .5 : 1;
        double slope = power > 0 && f[i] > 0 ? -power * tan(a) * f[i] : 0;
        running += i == 0 ? 0 : .5 * (f[i - 1] + f[i]);
        double below = (running - step / 12 * (slope - slope0)) / total;
        below = below < 0 ? 0 : below > 1 ? 1 : below;
        add_node(sums, KITH_I_CODEBOOK, sin(a),
                 KITH_I_CODEBOOK * half * f[i] / total, 1 - below);
    }
}

/* Where every codeword is +u or -u. */
static void solve_line(top_sums *sums)
{
    for (uint32_t m = 0; m <= KITH_I_CODEBOOK; m++)
        sums->first[m] = sums->second[m] = 0;
    for (uint32_t m = 1; m <= KITH_I_CODEBOOK; m++) {
        /* The i-th nearest is +1 iff at least i are: binomial, fair. */
        double pmf = pow(.5, KITH_I_CODEBOOK), cdf = 0;
        for (uint32_t i = 0; i < m; i++) {
            cdf += pmf;
            pmf *= (double)(KITH_I_CODEBOOK - i) / (i + 1.0);
        }
        sums->first[m] = sums->first[m - 1] + 1 - 2 * cdf;
        sums->second[m] = m;
    }
}

kith_i_codebook_law kith_i_codebook_solve(double odds, uint32_t width,
                                          uint32_t top)
{
    const double n = KITH_I_CODEBOOK;
    top_sums sums;
    kith_i_codebook_law law = {.top = top};
    if (width > 1)
        solve_top_sums(width, &sums);
    else
        solve_line(&sums);
    for (uint32_t m = 1; m < KITH_I_CODEBOOK; m++) {
        double all = m * odds + n - m;
        double alpha = (odds - 1) * sums.first[m] / all;
        if (m != top && (top || alpha <= law.alpha))
            continue;
        law.top = m;
        law.alpha = alpha;
        law.along = ((odds - 1) * sums.second[m] + n / width) / all;
    }
    return law;
}

/* ---- matrices ---- */

/* With <C, z z'> = sin^2 a the density is proportional to sin^p a cos^q a on
 * [0, pi/2], p = r - 1 and q = r (D - 1) - 1; and its slope. */
static double density(double a, double p, double q, double *slope)
{
    double s = sin(a), c = cos(a) > 0 ? cos(a) : 0;
    double f = (p > 0 ? pow(s, p) : 1) * (q > 0 ? pow(c, q) : 1);
    double up = p > 0 ? p * pow(s, p - 1) * pow(c, q + 1) : 0;
    double down = q > 0 ? q * pow(s, p + 1) * (q > 1 ? pow(c, q - 1) : 1) : 0;
    *slope = up - down;
    return f;
}

/* By Simpson's rule; F by the trapezoidal rule with the next term, as above. */
static void solve_matrix_sums(uint32_t width, uint32_t rank, uint32_t n,
                              top_sums *sums)
{
    double p = rank - 1.0, q = rank * (width - 1.0) - 1;
    double reach = (10 + sqrt((double)rank)) / sqrt((double)width * rank);
    if (reach > M_PI_2)
        reach = M_PI_2;
    double f[NODES + 1], slope[NODES + 1], step = reach / NODES, total = 0;
    for (int i = 0; i <= NODES; i++) {
        f[i] = density(i * step, p, q, &slope[i]);
        total +=
            i ? (f[i - 1] + f[i]) / 2 - step / 12 * (slope[i] - slope[i - 1])
              : 0;
    }
    *sums = (top_sums){{0}, {0}};
    double below = 0;
    for (int i = 0; i <= NODES; i++) {
        double s = sin(i * step), weight = i % 2 ? 4 / 3. : 2 / 3.;
        if (i == 0 || i == NODES)
            weight = 1 / 3.;
        if (i)
            below += ((f[i - 1] + f[i]) / 2 -
                      step / 12 * (slope[i] - slope[i - 1])) /
                     total;
        double above = below < 1 ? 1 - below : 0;
        add_node(sums, n, s * s, n * weight * f[i] / total, above);
    }
}

kith_i_codebook_law kith_i_matrix_solve(double odds, uint32_t width,
                                        uint32_t rank, uint32_t outputs,
                                        uint32_t top)
{
    const double n = outputs, d = width, r = rank;
    top_sums sums;
    kith_i_codebook_law law = {.top = top};
    solve_matrix_sums(width, rank, outputs, &sums);
    for (uint32_t m = 1; m < outputs; m++) {
        double all = m * odds + n - m;
        double a = ((odds - 1) * sums.first[m] + n / d) / all;
        double alpha = (a * d - 1) / (d - 1);
        if (m != top && (top || alpha <= law.alpha))
            continue;
        law.top = m;
        law.alpha = alpha;
        law.along =
            ((odds - 1) * sums.second[m] + n * (r + 2) / (d * (d * r + 2))) /
            all;
    }
    return law;
}

/* Heavy tails are better for large odds, symmetry for small ones; a sum of r
 * squares has less of the first and more of the second as r grows. All of these
 * are within the work of a device. */
static const struct {
    uint32_t rank, outputs;
} MATRICES[] = {{1, 256}, {2, 256}, {4, 128}, {8, 64}};

void kith_i_matrix_choose(double odds, uint32_t width, uint32_t *rank,
                          uint32_t *outputs)
{
    double least = HUGE_VAL;
    *rank = MATRICES[0].rank;
    *outputs = MATRICES[0].outputs;
    for (size_t i = 0; i < sizeof MATRICES / sizeof *MATRICES; i++) {
        uint32_t r = MATRICES[i].rank, n = MATRICES[i].outputs;
        double sd = matrix_sd(kith_i_matrix_solve(odds, width, r, n, 0).alpha,
                              width, r);
        if (sd >= least)
            continue;
        least = sd;
        *rank = r;
        *outputs = n;
    }
}

/* ---- for the methods' rules ---- */

static double odds_of(double epsilon)
{
    kith_i_loss loss;
    if (kith_i_report_loss(epsilon, &loss, NULL))
        return 1; /* nothing can be learned: the sd is infinite */
    kith_i_odds odds = kith_i_odds_floor(loss);
    return (double)odds.num / (double)odds.den;
}

double kith_i_olh_sd(double epsilon)
{
    double odds = odds_of(epsilon), g = (double)kith_i_olh_outputs(odds);
    return odds > 1 ? sd_of(support_olh(odds, g)) : HUGE_VAL;
}

double kith_i_symbol_sd(double epsilon, uint64_t symbols)
{
    double odds = odds_of(epsilon);
    if (!(odds > 1))
        return symbols > 1 ? HUGE_VAL : 0;
    return kith_i_krr_is_better(odds, symbols)
               ? sd_of(support_krr(odds, (double)symbols))
               : kith_i_olh_sd(epsilon);
}

double kith_i_vector_sd(double epsilon, uint32_t width)
{
    double odds = odds_of(epsilon);
    if (!(odds > 1) || width == 0)
        return HUGE_VAL;
    kith_i_codebook_law law = kith_i_codebook_solve(odds, width, 0);
    return 1 / (law.alpha * sqrt((double)width));
}

double kith_i_moment_sd(double epsilon, uint32_t width)
{
    double odds = odds_of(epsilon);
    uint32_t rank = 0, outputs = 0;
    if (!(odds > 1) || width < 2)
        return HUGE_VAL;
    kith_i_matrix_choose(odds, width, &rank, &outputs);
    return matrix_sd(kith_i_matrix_solve(odds, width, rank, outputs, 0).alpha,
                     width, rank);
}
