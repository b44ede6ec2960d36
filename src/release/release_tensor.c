/* Fourth moments: the sum of t (x) t (x) t (x) t with rotation-invariant noise.
 *
 * Claim: the release costs charge.
 * Needs: rows of a view or of the dataset, |y|^2 <= l2_squared in integers.
 * Because: t = y / 2^shift toward zero has t.t <= L = floor(l2_squared /
 *   4^shift), in integers. The tensor t^4 has the inner product <t^4, u^4> =
 *   (t.u)^4 >= 0, so |t^4|_F = (t.t)^2 <= L^2 (add-remove) and
 *   |t^4 - u^4|_F^2 = (t.t)^4 + (u.u)^4 - 2 (t.u)^4 <= 2 L^4 (replace-one).
 *   A symmetric tensor as the vector (sqrt(g) M_abce) of its distinct entries,
 *   g = how often an entry occurs, keeps the Frobenius norm; so noise of sd
 *   sigma / sqrt(g) (rounded up) on each distinct entry is the Gaussian
 *   mechanism in that space, and one K-norm vector with these scales is the
 *   K-norm mechanism.
 *   Pure, where that is less noise: the tensor as a matrix on pairs of indices
 *   (a <= b), off-diagonal pairs weighted by sqrt 2, is the sum of v v', v =
 *   svec(t t'), |v|^2 = |t t'|_F^2 = (t.t)^2 <= L^2. A Wishart difference costs
 *   the traces of what comes and what goes: L^2, or 2 L^2. Released are the
 *   integer entries plus the rounded noise of each, averaged over the places of
 *   the matrix where it is: a linear map of the noisy matrix, then rounding.
 * Sums wrap at 2^64 when there are more records than `bits` is meant for. The
 *   noise is added modulo 2^64 too, so what comes out is always the exact
 *   noisy sum modulo 2^64: post-processing (R4). */
#include "release_tensor.h"

#include <math.h>
#include <string.h>

#include "base/base_i.h"
#include "dp/ask_digest.h"
#include "kernel/aggregate.h"
#include "kernel/kernel_i.h"
#include "moments.h"
#include "noise/noise.h"
#include "noise/noise_wishart.h"

enum { CLASSES = 5 };
static const uint32_t weight_of[CLASSES] = {1, 4, 6, 12, 24};

typedef struct {
    const kith_i_view *view;
    uint32_t width, shift;
    size_t cut; /* offset in a worker's room */
} tensor_arg;

static uint64_t digest(const kith_session *s, const void *p)
{
    (void)s;
    const tensor_arg *a = p;
    return kith_i_mix(kith_i_view_digest(a->view), a->shift);
}

static void visit(const void *p, const kith_i_block *block, void *room,
                  int64_t *sums)
{
    const tensor_arg *a = p;
    int16_t *cut = kith_i_room_at(room, a->cut);
    kith_i_truncate_values(block->dense, (size_t)block->rows * a->width,
                           a->shift, cut);
    kith_i_quartic_rows(cut, block->rows, a->width, room, sums);
}

static kith_status tally_rows(kith_session *s, const kith_i_view *view,
                              uint32_t width, uint32_t shift, int64_t *out,
                              kith_error *err)
{
    tensor_arg arg = {view, width, shift, 0};
    kith_i_tally tally = {.view = view,
                          .totals = kith_i_quartic_size(width),
                          .visit = visit,
                          .digest = digest,
                          .arg = &arg};
    kith_i_room_add(&tally.room, kith_i_quartic_scratch(width), sizeof(double));
    arg.cut = kith_i_room_add(&tally.room, (size_t)KITH_I_BLOCK_ROWS * width,
                              sizeof(int16_t));
    return kith_i_tally_rows(s, &tally, out, err);
}

static uint32_t class_of(uint32_t weight)
{
    uint32_t c = 0;
    while (weight_of[c] != weight)
        c++;
    return c;
}

/* Visit the distinct entries: count the classes (noisy == NULL), or add each
 * entry the next value of its class. next: one cursor for each class. */
static void walk_entries(uint32_t width, size_t *next, const int64_t *noisy,
                         int64_t *out)
{
    for (uint32_t a = 0; a < width; a++)
        for (uint32_t b = a; b < width; b++)
            for (uint32_t c = b; c < width; c++)
                for (uint32_t e = c; e < width; e++) {
                    uint32_t cl = class_of(kith_i_quartic_weight(a, b, c, e));
                    size_t at = next[cl]++;
                    if (noisy)
                        kith_i_add_wrapping(noisy + at, 1, out++);
                }
}

static kith_status draw(kith_session *s, const kith_i_scale *scales,
                        const size_t *ends, int64_t *noisy, kith_error *err)
{
    kith_i_noise noise = {.kind = KITH_I_GAUSSIAN,
                          .per_scale = SIZE_MAX,
                          .source = &s->source,
                          .threads = s->threads};
    if (s->measure == KITH_PURE_DP) {
        noise.stream = kith_i_session_stream(s);
        return kith_i_noise_add_parts(&noise, scales, ends, ends[CLASSES - 1],
                                      noisy, err);
    }
    kith_status status = KITH_OK;
    for (uint32_t c = 0; !status && c < CLASSES; c++) {
        size_t from = c ? ends[c - 1] : 0;
        noise.scales = &scales[c];
        noise.stream = kith_i_session_stream(s);
        status = kith_i_noise_add(&noise, noisy + from, ends[c] - from, err);
    }
    return status;
}

/* Noise is drawn class by class, then handed to the entries. */
static kith_status add_noise(kith_session *s, uint32_t width,
                             kith_i_scale scale, int64_t *out, kith_error *err)
{
    size_t size = kith_i_quartic_size(width);
    size_t ends[CLASSES] = {0}, next[CLASSES] = {0};
    kith_i_scale scales[CLASSES];
    walk_entries(width, ends, NULL, NULL);
    for (uint32_t c = 0; c < CLASSES; c++) {
        scales[c] = kith_i_scale_over_root(scale, weight_of[c]);
        ends[c] += c ? ends[c - 1] : 0;
        next[c] = c ? ends[c - 1] : 0;
    }
    int64_t *noisy = kith_i_alloc(size, sizeof *noisy);
    kith_status status =
        noisy ? draw(s, scales, ends, noisy, err) : kith_i_fail_memory(err);
    if (!status)
        walk_entries(width, next, noisy, out);
    kith_i_wipe_free(noisy, size * sizeof *noisy);
    return status;
}

static kith_status add_wishart(kith_session *s, uint32_t width, kith_i_scale b,
                               int64_t *out, kith_error *err)
{
    kith_i_noise noise = {.scales = &b,
                          .source = &s->source,
                          .stream = kith_i_session_stream(s),
                          .threads = s->threads};
    return kith_i_noise_add_quartic(&noise, width, out, err);
}

static kith_status check_spec(const kith_i_domain *domain,
                              const kith_i_tensor_spec *spec, kith_error *err)
{
    if (domain->sparse)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "fourth moments of sparse rows are not offered: "
                           "use a dense format");
    if (spec->bits >= 1 && spec->bits <= KITH_I_QUARTIC_BITS &&
        domain->dimension <= KITH_I_QUARTIC_MOST)
        return KITH_OK;
    return kith_i_fail(err, KITH_ERR_INTERNAL,
                       "a release was described wrongly: %s", spec->what);
}

kith_status kith_i_release_tensor(kith_session *s,
                                  const kith_i_tensor_spec *spec, int64_t *out,
                                  kith_i_tensor *about, kith_error *err)
{
    const kith_i_domain *domain = spec->view ? spec->view->domain : s->domain;
    kith_status status = check_spec(domain, spec, err);
    if (status)
        return status;
    uint32_t shift = 0, width = domain->dimension;
    while (domain->l2_squared >> 2 * shift > (uint64_t)1 << 2 * spec->bits)
        shift++;
    uint64_t length = domain->l2_squared >> 2 * shift; /* of t, squared */
    int by_trace = s->measure == KITH_PURE_DP &&
                   kith_i_tensor_noise(s->privacy.neighbors, width).by_trace;
    size_t size = kith_i_quartic_size(width);
    kith_i_scale scale;
    double sd, unit = ldexp(kith_i_domain_step(domain), (int)shift);
    unit *= unit;
    kith_i_moments price = {
        .what = spec->what,
        .square = length * length,
        .cells = 1,
        .by_trace = by_trace,
        .degrees = by_trace ? (size_t)width * (width + 1) / 2 : size,
        .unit = unit * unit,
        .charge = spec->charge};
    status = kith_i_moments_pay(s, &price, &scale, &sd, err);
    if (status)
        return status;
    memset(out, 0, size * sizeof *out);
    status = tally_rows(s, spec->view, width, shift, out, err);
    if (!status) {
        if (kith_i_session_draws(s))
            status =
                (by_trace ? add_wishart : add_noise)(s, width, scale, out, err);
        status = kith_i_team_publish(s, status, out, size * sizeof *out, err);
    }
    if (status) {
        kith_i_wipe(out, size * sizeof *out);
        return status;
    }
    about->step = ldexp(1, (int)shift);
    about->sd = sd;
    return KITH_OK;
}
