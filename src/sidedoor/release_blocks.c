/* Sample and aggregate.
 *
 * Claim: the release is (epsilon, delta)-DP for what the session declared.
 * Needs: a solver that looks at its block and its coins only (blocks.c); the
 *   least of all matchings, not nearly the least (kernel/matching.c).
 * Because: records are dealt to blocks by secret coins that do not depend on
 *   them, so a record changes the answers of at most `each` blocks (1 for a
 *   partition). An answer is k projections, rounded to integers; distances are
 *   min over permutations of the Frobenius norm, exact integers, and smooth.c
 *   bounds how far the medoid moves in it. The output law does not change when
 *   the planes are put in a random order before the noise: it is then a mixture
 *   over all orders, and those of two neighbours can be paired so that each
 *   pair is as close as that distance says (joint convexity). Noise is the
 *   rounded Gaussian on integers, isotropic in the Frobenius norm.
 *   Add-remove: the number of blocks comes from a noisy count, (e0, delta/10)-
 *   DP; the rest has epsilon - e0 and 0.9 delta (basic composition).
 * The width of the noise depends on the records: receipts do not show it. */
#include "release_blocks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/watch.h"
#include "block_planes.h"
#include "blocks.h"
#include "kernel/dense.h"
#include "noise/noise.h"

enum { MOST_BLOCKS = 1000 };
static const uint64_t MOST_ENTRIES = (uint64_t)1 << 29;
static const double COUNT_SHARE = .01;

/* ---- how many blocks, and is it worth it? -------------------------------- */

static uint32_t block_count(const kith_i_blocks *b, double rows)
{
    double m = floor(rows / b->spec->block_rows);
    return m < 1 ? 1 : (m < MOST_BLOCKS ? (uint32_t)m : MOST_BLOCKS);
}

static double noise_dimension(const kith_i_blocks *b)
{
    return (double)b->spec->k * (double)b->triangle;
}

/* Noise of this width (on a diagonal; 1/sqrt2 of it elsewhere) hides what the
 * leading eigenvectors of a projection were: its largest eigenvalues are then
 * those of noise alone (Peche 2006). */
static int drowns(const kith_i_blocks *b, const kith_i_smooth *s)
{
    double far = ldexp(sqrt((double)b->diameter), -KITH_I_PLANE_BITS);
    return s->least * far >= sqrt(2.0 / b->d);
}

static uint32_t most_blocks_of_one(const kith_i_blocks *b, uint32_t m)
{
    return b->spec->overlap ? (uint32_t)sqrt(m) : 1;
}

static int would_do(const kith_i_blocks *b, double epsilon, double delta,
                    uint32_t m)
{
    kith_i_smooth s;
    return !kith_i_smooth_set(epsilon, delta, noise_dimension(b), m,
                              most_blocks_of_one(b, m), &s, NULL) &&
           !drowns(b, &s);
}

/* Smallest epsilon, about, that would do; 0: none. */
static double enough_epsilon(const kith_i_blocks *b, double delta)
{
    double low = 0, high = 4096;
    for (int i = 0; i < 16; i++) {
        double middle = i < 8 ? sqrt(fmax(low, .01) * high) : (low + high) / 2;
        if (would_do(b, middle, delta, b->m))
            high = middle;
        else
            low = middle;
    }
    return high < 4095 ? high : 0;
}

/* Smallest number of rows, about, that would do; 0: none. */
static double enough_rows(const kith_i_blocks *b, double epsilon, double delta)
{
    uint32_t low = b->m, high = MOST_BLOCKS;
    if (!would_do(b, epsilon, delta, high))
        return 0;
    while (low + 1 < high) {
        uint32_t middle = (low + high) / 2;
        if (would_do(b, epsilon, delta, middle))
            high = middle;
        else
            low = middle;
    }
    return (double)high * b->spec->block_rows;
}

static kith_status check_worth(kith_i_blocks *b, const kith_privacy *left,
                               kith_error *err)
{
    if (b->spec->force || !drowns(b, &b->smooth))
        return KITH_OK;
    double rows = enough_rows(b, left->epsilon, left->delta);
    /* and for the count, if one was bought, its part of it */
    double epsilon = enough_epsilon(b, left->delta) *
                     (kith_i_session_privacy(b->s).epsilon / left->epsilon);
    char more[80] = "no number of rows would do at this epsilon",
         other[80] = "no epsilon would do with these rows";
    if (rows > 0)
        snprintf(more, sizeof more, "about %.3g rows would do at this epsilon",
                 rows);
    if (epsilon > 0)
        snprintf(other, sizeof other, "with these rows epsilon >= %.3g would",
                 epsilon);
    return kith_i_fail(err, KITH_ERR_PRIVACY,
                       "sample-aggregate would release nothing but noise, "
                       "even if all blocks agreed: %s; %s. Use another method, "
                       "or force it (guarantee: none)",
                       more, other);
}

/* A noisy count where the number of records is private; what is left of
 * epsilon and delta. */
static kith_status count_rows(kith_i_blocks *b, kith_privacy *left,
                              double *rows, kith_error *err)
{
    kith_session *s = b->s;
    if (kith_i_session_privacy(s).neighbors == KITH_REPLACE_ONE) {
        *rows = kith_i_session_is_plan(s) ? (double)b->spec->rows
                                          : (double)kith_i_session_rows(s);
        return KITH_OK;
    }
    kith_i_ask ask = {0};
    kith_i_cells cells;
    kith_i_cells_spec spec = {
        .what = "row",
        .cells = 1,
        .count_charge = kith_i_loss_share(kith_i_session_left(s), COUNT_SHARE)};
    kith_status status = kith_i_release_cells(s, &ask, &spec, &cells, err);
    if (status)
        return status;
    *rows = kith_i_session_is_plan(s) ? (double)b->spec->rows
                                      : (double)cells.counts[0];
    if (b->spec->counted)
        *b->spec->counted = fmax(*rows, 1);
    kith_i_cells_free(&cells);
    double mu = kith_i_loss_value(spec.count_charge, KITH_GAUSSIAN_DP);
    left->epsilon -= kith_i_gdp_epsilon(mu, left->delta / 10);
    left->epsilon *= 1 - 0x1p-50;
    left->delta *= .9 * (1 - 0x1p-50);
    if (!(left->epsilon > 0))
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "epsilon is too small to count the rows: raise it, "
                           "or use replace-one neighbours");
    return KITH_OK;
}

/* Two answers are no further apart than this: per plane sqrt(2 min(q, d-q)),
 * and half a step of rounding in each entry of both. */
static uint64_t largest_square(const kith_i_blocks *b)
{
    uint32_t q = b->spec->q, p = q < b->d - q ? q : b->d - q;
    double length = ldexp(sqrt(2.0 * p), KITH_I_PLANE_BITS) + b->d + 1;
    return (uint64_t)ceil(b->spec->k * length * length) + 1;
}

static kith_status prepare(kith_i_blocks *b, kith_error *err)
{
    kith_session *s = b->s;
    kith_privacy left = kith_i_session_privacy(s);
    double rows = 0;
    uint32_t group;
    (void)kith_i_session_unit(s, &group);
    if (kith_i_session_measure(s) != KITH_GAUSSIAN_DP)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "sample-aggregate needs delta > 0: set it, or use "
                           "sulq or auto");
    if (group > 1)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "sample-aggregate takes one row of each person: "
                           "its promise does not divide among several");
    if (!kith_i_session_is_whole(s))
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "sample-aggregate is (epsilon, delta)-private and "
                           "does not add up with other releases: it needs a "
                           "session of its own, without a ledger");
    if (kith_i_session_domain(s)->sparse)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "sample-aggregate takes dense rows only");
    if (b->spec->overlap && left.neighbors != KITH_REPLACE_ONE)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "overlapping blocks need a public number of rows: "
                           "use replace-one neighbours, or a partition");
    b->diameter = largest_square(b);
    kith_status status = count_rows(b, &left, &rows, err);
    if (status)
        return status;
    b->m = block_count(b, rows);
    b->each = most_blocks_of_one(b, b->m);
    if (b->diameter >> 53 || b->m * noise_dimension(b) > (double)MOST_ENTRIES)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "sample-aggregate would need too much memory: "
                           "fewer planes or features, or larger blocks");
    status = kith_i_smooth_set(left.epsilon, left.delta, noise_dimension(b),
                               b->m, b->each, &b->smooth, err);
    return status ? status : check_worth(b, &left, err);
}

/* ---- distances, medoid, noise -------------------------------------------- */

static double plane_square(const kith_i_blocks *b, const int32_t *p,
                           const int32_t *o)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < b->d; i++)
        for (uint32_t j = 0; j <= i; j++) {
            int64_t e = (int64_t)*p++ - *o++;
            sum += (uint64_t)(e * e) << (j < i);
        }
    return (double)sum; /* below 2^53: see prepare */
}

/* Squared distances of all pairs, minimised over the order of the planes:
 * integers, exact in double. */
static void all_distances(const kith_i_blocks *b, uint64_t *squares,
                          double *cost, double *work, uint32_t *integers)
{
    size_t k = b->spec->k, size = k * b->triangle, m = b->m;
    for (size_t i = 0; i < m && !kith_i_stop_wanted(); i++)
        for (size_t o = 0; o < i; o++) {
            for (size_t l = 0; l < k; l++)
                for (size_t t = 0; t < k; t++)
                    cost[l * k + t] =
                        plane_square(b, b->answers + i * size + l * b->triangle,
                                     b->answers + o * size + t * b->triangle);
            double sum = kith_i_match(cost, b->spec->k, work, integers,
                                      integers + 3 * (k + 1));
            uint64_t square = (uint64_t)sum;
            square = square < b->diameter ? square : b->diameter;
            squares[i * m + o] = squares[o * m + i] = square;
        }
}

static kith_status choose(kith_i_blocks *b, uint32_t *medoid, uint64_t *square,
                          kith_error *err)
{
    size_t k = b->spec->k, m = b->m;
    uint64_t *squares = kith_i_alloc(m * m + m, sizeof *squares);
    double *cost = kith_i_alloc(k * k + 3 * (k + 1), sizeof *cost);
    uint32_t *integers = kith_i_alloc(4 * (k + 1), sizeof *integers);
    kith_status status =
        squares && cost && integers ? KITH_OK : kith_i_fail_memory(err);
    if (!status) {
        all_distances(b, squares, cost, cost + k * k, integers);
        status = kith_i_stop_check(err);
    }
    if (!status) {
        *square = kith_i_smooth_medoid(squares, b->m, b->each, b->diameter,
                                       b->smooth.beta, squares + m * m, medoid);
    }
    kith_i_wipe_free(squares, squares ? (m * m + m) * sizeof *squares : 0);
    kith_i_wipe_free(cost, cost ? (k * k + 3 * (k + 1)) * sizeof *cost : 0);
    kith_i_wipe_free(integers, integers ? 4 * (k + 1) * sizeof *integers : 0);
    return status;
}

/* The planes of an answer in random order, with noise. */
static kith_status publish_answer(kith_i_blocks *b, uint32_t medoid,
                                  uint64_t square, int64_t *out,
                                  kith_error *err)
{
    kith_session *s = b->s;
    size_t k = b->spec->k, d = b->d, off = b->triangle - d;
    kith_i_scale scale[2];
    kith_status status =
        kith_i_scale_gaussian(square, b->smooth.alpha_squared, &scale[0], err);
    int64_t *noise = kith_i_alloc(k * b->triangle, sizeof *noise);
    uint32_t *order = kith_i_alloc(k, sizeof *order);
    if (!status && (!noise || !order))
        status = kith_i_fail_memory(err);
    if (!status) {
        scale[1] = kith_i_scale_over_sqrt2(scale[0]);
        for (uint32_t l = 0; l < k; l++)
            order[l] = l;
        kith_i_blocks_shuffle(&b->e, order, k, k);
    }
    for (int part = 0; part < 2 && !status; part++) { /* diagonals, the rest */
        kith_i_noise spec = {.kind = KITH_I_GAUSSIAN,
                             .scales = &scale[part],
                             .per_scale = SIZE_MAX,
                             .source = kith_i_session_source(s),
                             .stream = kith_i_session_stream(s),
                             .threads = kith_i_session_threads(s)};
        status = kith_i_noise_add(&spec, noise + (part ? k * d : 0),
                                  part ? k * off : k * d, err);
    }
    for (size_t l = 0; l < k && !status; l++) {
        const int32_t *p = b->answers + (medoid * k + order[l]) * b->triangle;
        const int64_t *diagonal = noise + l * d,
                      *rest = noise + k * d + l * off;
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j <= i; j++) {
                int64_t v = *p++ + (i == j ? diagonal[i] : *rest++);
                out[(l * d + i) * d + j] = out[(l * d + j) * d + i] = v;
            }
    }
    kith_i_wipe_free(noise, noise ? k * b->triangle * sizeof *noise : 0);
    kith_i_wipe_free(order, order ? k * sizeof *order : 0);
    return status;
}

static kith_status publish_medoid(kith_i_blocks *b, int64_t *out,
                                  kith_error *err)
{
    uint32_t medoid = 0;
    uint64_t square = 0;
    kith_status status = choose(b, &medoid, &square, err);
    return status ? status : publish_answer(b, medoid, square, out, err);
}

kith_status kith_i_release_blocks_by(kith_session *s,
                                     const kith_i_blocks_spec *spec,
                                     kith_i_block_solver *solve,
                                     const void *arg, int64_t *out,
                                     kith_error *err)
{
    kith_i_blocks b = {.s = s,
                       .spec = spec,
                       .solve = solve,
                       .arg = arg,
                       .d = kith_i_session_domain(s)->dimension};
    b.triangle = (size_t)b.d * (b.d + 1) / 2;
    b.respond = kith_i_answer_planes;
    b.publish = publish_medoid;
    b.entries = spec->k * b.triangle;
    b.room = (size_t)spec->k * spec->q * b.d;
    kith_status status = prepare(&b, err);
    if (status)
        return status;
    kith_i_bill bill = {
        .what = spec->what,
        .mechanism = "smooth-sensitivity",
        .norm = "l2",
        .sensitivity = ldexp(sqrt((double)b.diameter), -KITH_I_PLANE_BITS)};
    return kith_i_blocks_release(&b, &bill, out, (size_t)spec->k * b.d * b.d,
                                 err);
}

kith_status kith_i_release_blocks(kith_session *s,
                                  const kith_i_blocks_spec *spec, int64_t *out,
                                  kith_error *err)
{
    kith_i_plane_solver solver = {spec->solver, spec->k, spec->q,
                                  kith_i_session_domain(s)->dimension};
    return kith_i_release_blocks_by(s, spec, kith_i_solve_planes, &solver, out,
                                    err);
}
