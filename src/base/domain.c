/* The public domain: checks bounds, picks the lattice, converts released
 * points back to the caller's units. Nothing here looks at a row. */
#include "domain.h"

#include <math.h>

#include "base_i.h"
#include "wide.h"

enum { LATTICE_MAX = 32767 };

static double pick(const double *values, uint32_t count, uint32_t i)
{
    return values[count == 1 ? 0 : i];
}

static int has_box_of(const kith_bounds *b)
{
    return b && b->lower && b->upper && b->box_count > 0;
}

/* Stretched by infinity, a row at the bound would be 0 times it: no number. */
static int is_range(double lo, double hi, int normalize)
{
    return isfinite(lo) && lo < hi && isfinite(hi - lo) &&
           (!normalize || isfinite(1 / (hi - lo)));
}

static kith_status check_bounds(const kith_bounds *b, uint32_t d, int sparse,
                                kith_error *err)
{
    int has_box = has_box_of(b);
    if (b && !has_box && (b->lower || b->upper || b->box_count))
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "a box needs lower and upper bounds, and how many");
    if (!b || (!has_box && b->radius == 0))
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "bounds are required: they decide how much noise "
                           "protects a row, and taking them from the rows "
                           "would leak; give a public box or a radius");
    if (d == 0 || d > KITH_I_MAX_DIMENSION)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "the dimension must be between 1 and %u",
                           KITH_I_MAX_DIMENSION);
    if (!isfinite(b->radius) || b->radius < 0)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "the radius must be a positive number");
    if (has_box && b->box_count != 1 && b->box_count != d)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "bounds are given for %u features, the data has %u",
                           b->box_count, d);
    if (b->center && b->center_count != 1 && b->center_count != d)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "the center has %u coordinates, the data has %u",
                           b->center_count, d);
    if (b->center && b->radius == 0)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "a center needs a radius: it is the center of the "
                           "ball that rows are clipped to");
    if (b->normalize && !has_box)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "normalize maps each feature's bounds to [0,1]: "
                           "give bounds for the features");
    if (b->unit_rows && (sparse || b->normalize || b->center))
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "rows are scaled to length 1 about the origin: "
                           "dense rows only, without normalize or a center");
    for (uint32_t i = 0; has_box && i < b->box_count; i++)
        if (!is_range(b->lower[i], b->upper[i], b->normalize))
            return kith_i_fail(err, KITH_ERR_PRIVACY,
                               "bounds of feature %u: the lower bound must be "
                               "below the upper one (with normalize by 1e-308 "
                               "or more), both finite",
                               i + 1);
    for (uint32_t i = 0; b->center && i < b->center_count; i++)
        if (!isfinite(b->center[i]) || (sparse && b->center[i] != 0))
            return kith_i_fail(err, KITH_ERR_PRIVACY,
                               sparse ? "sparse rows cannot have a center: "
                                        "zeros must stay zeros"
                                      : "the center must be finite");
    return KITH_OK;
}

static kith_status make_box(kith_i_domain *m, const kith_bounds *b,
                            kith_error *err)
{
    uint32_t d = m->dimension;
    m->low = kith_i_alloc(d, sizeof *m->low);
    m->high = kith_i_alloc(d, sizeof *m->high);
    if (!m->low || !m->high)
        return kith_i_fail_memory(err);
    if (b->normalize) {
        m->shift = kith_i_alloc(d, sizeof *m->shift);
        m->stretch = kith_i_alloc(d, sizeof *m->stretch);
        if (!m->shift || !m->stretch)
            return kith_i_fail_memory(err);
    }
    for (uint32_t i = 0; i < d; i++) {
        double lo = pick(b->lower, b->box_count, i);
        double hi = pick(b->upper, b->box_count, i);
        if (b->normalize) {
            m->shift[i] = lo;
            m->stretch[i] = 1 / (hi - lo);
            lo = 0;
            hi = 1;
        }
        if (m->sparse &&
            ((b->normalize && m->shift[i] != 0) || lo > 0 || hi < 0))
            return kith_i_fail(err, KITH_ERR_PRIVACY,
                               "sparse rows: zero must lie within the bounds "
                               "(and be the lower one with normalize), so "
                               "that zeros stay zeros");
        m->low[i] = lo;
        m->high[i] = hi;
    }
    return KITH_OK;
}

/* Origin: the ball's centre; without a ball the middle of the box. Where
 * entries are counted it is a raw value of 0 (or the bound nearest to it), for
 * an entry is what differs from the origin. */
static kith_status make_origin(kith_i_domain *m, const kith_bounds *b,
                               kith_error *err)
{
    int counted = m->sparse || m->sparsity < m->dimension;
    for (uint32_t i = 0; i < m->dimension; i++) {
        double zero = m->shift ? -m->shift[i] * m->stretch[i] : 0, o = 0;
        if (m->radius > 0)
            o = b->center ? pick(b->center, b->center_count, i) : 0;
        else if (m->low && counted)
            o = fmax(m->low[i], fmin(m->high[i], zero));
        else if (m->low)
            o = m->low[i] + (m->high[i] - m->low[i]) / 2;
        if (m->radius > 0 && counted && o != zero)
            return kith_i_fail(err, KITH_ERR_PRIVACY,
                               "sparsity counts entries that are not zero: "
                               "the ball must be about 0 (no center, and with "
                               "normalize lower bounds of 0)");
        m->origin[i] = o;
    }
    return KITH_OK;
}

/* Does the box bound the stored rows? Unit rows leave it. */
static int keeps_box(const kith_i_domain *m)
{
    return m->low && !m->unit_rows;
}

/* Largest distance from the origin along feature i. */
static double reach(const kith_i_domain *m, uint32_t i)
{
    double r = m->radius > 0 ? m->radius : (double)INFINITY;
    if (keeps_box(m)) {
        double below = fabs(m->low[i] - m->origin[i]);
        double above = fabs(m->high[i] - m->origin[i]);
        r = fmin(r, fmax(below, above));
    }
    return r;
}

/* trunc(v * 2^scale_log2), kept within the lattice. */
static int16_t to_lattice(const kith_i_domain *m, double v)
{
    double q = trunc(ldexp(v, m->scale_log2));
    return (int16_t)fmax(-LATTICE_MAX, fmin(LATTICE_MAX, q));
}

/* The largest |q| of feature i. */
static uint64_t reach_q(const kith_i_domain *m, uint32_t i)
{
    int32_t a = -m->low_q[i], b = m->high_q[i];
    return (uint64_t)(a > b ? a : b);
}

/* The largest sum of |q| and of q^2 that the box leaves to a row with as many
 * entries as it may have: those of the widest features, which are counted by
 * their reach. */
static kith_status sum_reaches(const kith_i_domain *m, uint64_t *l1,
                               kith_i_u128 *l2, kith_error *err)
{
    *l1 = 0;
    *l2 = 0;
    uint32_t left = m->sparsity;
    if (left >= m->dimension) { /* all of them */
        for (uint32_t i = 0; i < m->dimension; i++) {
            *l1 += reach_q(m, i);
            *l2 += reach_q(m, i) * reach_q(m, i);
        }
        return KITH_OK;
    }
    uint32_t *count = kith_i_alloc(LATTICE_MAX + 1, sizeof *count);
    if (!count)
        return kith_i_fail_memory(err);
    for (uint32_t i = 0; i < m->dimension; i++)
        count[reach_q(m, i)]++;
    for (uint64_t most = LATTICE_MAX; most > 0 && left > 0; most--) {
        uint32_t n = count[most] < left ? count[most] : left;
        *l1 += most * n;
        *l2 += (kith_i_u128)(most * most) * n;
        left -= n;
    }
    kith_i_free(count);
    return KITH_OK;
}

/* I3: the step is a power of two near 2^-15 of the widest reach. I4: zero lies
 * in the box, so truncation toward zero never leaves it. I5: l2_squared and l1
 * bound every row in it. */
static kith_status make_lattice(kith_i_domain *m, kith_error *err)
{
    uint32_t d = m->dimension;
    double widest = 0;
    for (uint32_t i = 0; i < d; i++)
        widest = fmax(widest, reach(m, i));
    int exponent;
    (void)frexp(widest, &exponent); /* widest < 2^exponent */
    m->scale_log2 = 15 - exponent;
    if (!(ldexp(widest, m->scale_log2) <= LATTICE_MAX))
        m->scale_log2--;
    /* Steps, and their squares in receipts, must be normal doubles. */
    if (widest == 0 || m->scale_log2 > 450 || m->scale_log2 < -450)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "the bounds are too small or too large to be "
                           "represented: rescale the features");
    for (uint32_t i = 0; i < d; i++) {
        double lo = -reach(m, i), hi = -lo;
        if (keeps_box(m)) {
            lo = fmax(lo, fmin(0, m->low[i] - m->origin[i]));
            hi = fmin(hi, fmax(0, m->high[i] - m->origin[i]));
        }
        m->low_q[i] = to_lattice(m, lo);
        m->high_q[i] = to_lattice(m, hi);
    }
    uint64_t l1 = 0;
    kith_i_u128 l2 = 0;
    kith_status status = sum_reaches(m, &l1, &l2, err);
    if (status)
        return status;
    if (m->radius > 0) {
        /* (R 2^s)^2, rounded down: radius <= widest < 2^15 lattice units
         * unless a box is narrower than the ball. */
        double r = floor(ldexp(m->radius, m->scale_log2));
        if (r < 0x1p31) {
            kith_i_u128 ball = (kith_i_u128)r * (uint64_t)r;
            if (ball < l2)
                l2 = ball;
        }
    }
    m->l2_squared = (uint64_t)l2; /* d 2^30 < 2^51 */
    /* sum |q| <= sqrt(s * sum q^2) for s entries that are not zero: the ball's
     * L1 bound (the sqrt(d), or the square root of the sparsity). */
    kith_i_u128 square = (kith_i_u128)m->sparsity * m->l2_squared;
    uint64_t root = (uint64_t)sqrt((double)square);
    while ((kith_i_u128)root * root > square)
        root--;
    while ((kith_i_u128)(root + 1) * (root + 1) <= square)
        root++;
    m->l1 = root < l1 ? root : l1;
    if (m->l2_squared == 0)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "the bounds leave room for one point only");
    return KITH_OK;
}

kith_status kith_i_domain_new(const kith_bounds *bounds, uint32_t dimension,
                              int sparse, kith_i_domain **out, kith_error *err)
{
    *out = NULL;
    kith_status status = check_bounds(bounds, dimension, sparse, err);
    if (status)
        return status;
    kith_i_domain *m = kith_i_alloc(1, sizeof *m);
    if (!m)
        return kith_i_fail_memory(err);
    m->dimension = dimension;
    m->sparse = sparse;
    m->sparsity = bounds->sparsity && bounds->sparsity < dimension
                      ? bounds->sparsity
                      : dimension;
    m->unit_rows = bounds->unit_rows != 0;
    m->radius = m->unit_rows ? 1 : bounds->radius;
    m->origin = kith_i_alloc(dimension, sizeof *m->origin);
    m->low_q = kith_i_alloc(dimension, sizeof *m->low_q);
    m->high_q = kith_i_alloc(dimension, sizeof *m->high_q);
    status =
        m->origin && m->low_q && m->high_q ? KITH_OK : kith_i_fail_memory(err);
    if (!status && has_box_of(bounds))
        status = make_box(m, bounds, err);
    if (!status)
        status = make_origin(m, bounds, err);
    if (!status)
        status = make_lattice(m, err);
    if (status)
        kith_i_domain_free(m);
    else
        *out = m;
    return status;
}

void kith_i_domain_free(kith_i_domain *m)
{
    if (!m)
        return;
    kith_i_free(m->shift);
    kith_i_free(m->stretch);
    kith_i_free(m->low);
    kith_i_free(m->high);
    kith_i_free(m->origin);
    kith_i_free(m->low_q);
    kith_i_free(m->high_q);
    kith_i_free(m);
}

double kith_i_domain_step(const kith_i_domain *m)
{
    return ldexp(1, -m->scale_log2);
}

uint64_t kith_i_domain_l2(const kith_i_domain *m)
{
    uint64_t root = (uint64_t)sqrt((double)m->l2_squared);
    while (root * root > m->l2_squared)
        root--;
    while (root * root < m->l2_squared)
        root++;
    return root;
}

void kith_i_domain_clip(const kith_i_domain *m, double *point)
{
    double square = 0;
    for (uint32_t i = 0; i < m->dimension; i++) {
        double v = isfinite(point[i]) ? point[i] : 0;
        v = fmax(m->low_q[i], fmin(m->high_q[i], v));
        point[i] = v;
        square += v * v;
    }
    double limit = (double)m->l2_squared;
    if (square <= limit)
        return;
    double shrink = sqrt(limit / square);
    for (uint32_t i = 0; i < m->dimension; i++)
        point[i] *= shrink;
}

void kith_i_domain_restore(const kith_i_domain *m, const double *lattice,
                           double *out)
{
    for (uint32_t i = 0; i < m->dimension; i++) {
        double u = m->origin[i] + ldexp(lattice[i], -m->scale_log2);
        if (keeps_box(m))
            u = fmax(m->low[i], fmin(m->high[i], u));
        out[i] = m->shift ? u / m->stretch[i] + m->shift[i] : u;
    }
}

kith_status kith_i_domain_narrow(const kith_i_domain *m,
                                 const uint32_t *features, uint32_t q,
                                 kith_i_domain **out, kith_error *err)
{
    double step = kith_i_domain_step(m);
    double *low = kith_i_alloc(q, sizeof *low);
    double *high = kith_i_alloc(q, sizeof *high);
    kith_status status = low && high ? KITH_OK : kith_i_fail_memory(err);
    for (uint32_t j = 0; !status && j < q; j++) {
        low[j] = m->low_q[features[j]] * step;
        high[j] = m->high_q[features[j]] * step;
        if (low[j] >= high[j]) /* one value only: leave room for a lattice */
            high[j] = low[j] + step;
    }
    kith_bounds b = {.lower = low,
                     .upper = high,
                     .box_count = q,
                     .radius = (double)kith_i_domain_l2(m) * step,
                     .sparsity = m->sparsity};
    if (!status)
        status = kith_i_domain_new(&b, q, 0, out, err);
    kith_i_free(low);
    kith_i_free(high);
    return status;
}
