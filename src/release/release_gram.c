/* Gram matrices by cell: sum of v v' with rotation-invariant noise.
 *
 * Claim: the release costs charge.
 * Needs: record-local cells and values (ask.c); |v| <= radius, enforced by
 * aggregate.c (values) or by the dataset (records). Because: v v' has Frobenius
 * norm |v|^2 <= r^2. Add-remove: sensitivity r^2. Replace-one: |vv' - ww'|_F^2
 * = |v|^4 + |w|^4 - 2 (v.w)^2 <= 2 r^4 in one cell, |v|^4 + |w|^4 in two. A
 * symmetric matrix as the vector (A_ii, sqrt2 A_ij) keeps the Frobenius norm,
 * so noise of sd sigma on the diagonal and sigma/sqrt2 off it (rounded up) is
 * the Gaussian mechanism in that space. Pure: K-norm noise on the same vector,
 * one for each cell; replace-one then costs at most r^2 in each of two cells: 2
 * r^2; with one cell in all it costs sqrt2 r^2. Or a Wishart difference for
 * each cell, paid for by the trace of what is added and what is removed
 * (sampler_wishart.c): r^2, and 2 r^2 when a record is replaced, in one cell or
 * in two. */
#include "release_gram.h"

#include <math.h>
#include <string.h>

#include "base/base_i.h"
#include "dp/ask_digest.h"
#include "kernel/aggregate.h"
#include "kernel/kernel_i.h"
#include "moments.h"
#include "noise/noise.h"
#include "noise/noise_wishart.h"

typedef struct {
    const kith_i_ask *ask;
    const kith_i_domain *domain;
    const kith_i_gram_spec *spec;
    kith_i_ask_room room;
    size_t gathered, gram; /* offsets in a worker's room */
} gram_arg;

/* Every entry is at most the radius (fetch). */
static int is_small(const kith_i_gram_spec *spec)
{
    return spec->radius && spec->radius <= KITH_I_SMALL_VALUE;
}

static size_t scratch_of(const kith_i_gram_spec *spec, uint32_t block)
{
    size_t width = spec->width;
    return is_small(spec) ? kith_i_gram_small_scratch(block, spec->width)
                          : (block + width) * width;
}

/* Row r's contribution as int16, clipped. */
static void fetch(const gram_arg *a, const kith_i_block *block, uint32_t r,
                  int32_t *value, int16_t *to)
{
    uint32_t width = a->spec->width;
    if (!a->spec->radius) {
        memcpy(to, block->dense + (size_t)r * width, width * sizeof *to);
        return;
    }
    int32_t *v = value + (size_t)r * width;
    for (uint32_t i = 0; i < width; i++)
        v[i] = v[i] > INT16_MAX ? INT16_MAX
                                : (v[i] < -INT16_MAX ? -INT16_MAX : v[i]);
    /* I15 */
    kith_i_clip_l2(v, width, a->spec->radius);
    for (uint32_t i = 0; i < width; i++)
        to[i] = (int16_t)v[i];
}

/* All records are in one cell: no copy of them is needed. */
static int is_whole(const kith_i_ask *ask, const kith_i_gram_spec *spec)
{
    return ask->place.kind == KITH_I_PLACE_ONE && !spec->radius;
}

static void visit(const void *p, const kith_i_block *block, void *room,
                  int64_t *grams)
{
    const gram_arg *a = p;
    size_t width = a->spec->width;
    uint32_t *cell = kith_i_room_at(room, a->room.cell);
    int32_t *value = kith_i_room_at(room, a->room.value);
    int16_t *gathered = kith_i_room_at(room, a->gathered);
    double *scratch = kith_i_room_at(room, a->gram);
    if (is_whole(a->ask, a->spec)) {
        kith_i_gram_rows(block->dense, block->rows, (uint32_t)width, scratch,
                         grams);
        return;
    }
    kith_i_ask_rows(a->ask, a->domain, block, (uint32_t)width,
                    kith_i_room_at(room, a->room.scratch), cell,
                    a->spec->radius ? value : NULL);
    for (uint32_t c = 0; c < a->spec->cells; c++) {
        uint32_t n = 0;
        for (uint32_t r = 0; r < block->rows; r++)
            if (cell[r] == c)
                fetch(a, block, r, value, gathered + n++ * width);
        if (n > 0)
            (is_small(a->spec) ? kith_i_gram_small : kith_i_gram_rows)(
                gathered, n, (uint32_t)width, scratch,
                grams + c * width * width);
    }
}

static uint64_t digest(const kith_session *s, const void *p)
{
    const gram_arg *a = p;
    uint64_t h = kith_i_ask_digest(s, a->ask, a->spec->cells, a->spec->width);
    return kith_i_mix(h, a->spec->radius);
}

static kith_status tally_grams(kith_session *s, const kith_i_ask *ask,
                               const kith_i_gram_spec *spec, int64_t *out,
                               kith_error *err)
{
    uint32_t block = s->data ? kith_i_dataset_block_rows(s->data) : 0;
    size_t width = spec->width;
    kith_i_tally tally = {.view = ask->view,
                          .beside = ask->place.by,
                          .totals = spec->cells * width * width,
                          .visit = visit,
                          .digest = digest};
    gram_arg arg = {
        .ask = ask, .domain = kith_i_ask_domain(s, ask), .spec = spec};
    if (!is_whole(ask, spec)) {
        arg.room =
            kith_i_ask_room_add(s, ask, spec->radius ? width : 0, &tally.room);
        arg.gathered =
            kith_i_room_add(&tally.room, block * width, sizeof(int16_t));
    }
    arg.gram =
        kith_i_room_add(&tally.room, scratch_of(spec, block), sizeof(double));
    tally.arg = &arg;
    return kith_i_tally_rows(s, &tally, out, err);
}

/* Lower triangles to packed values (diagonal, then the rest row by row), or
 * back, mirrored. */
static void pack(int64_t *grams, size_t cells, size_t w, int64_t *packed,
                 int back)
{
    for (size_t c = 0; c < cells; c++) {
        int64_t *diagonal = packed + c * (w * (w + 1) / 2), *off = diagonal + w;
        for (size_t i = 0; i < w; i++) {
            int64_t *row = grams + (c * w + i) * w;
            *(back ? &row[i] : &diagonal[i]) = back ? diagonal[i] : row[i];
            for (size_t t = 0; t < i; t++, off++) {
                *(back ? &row[t] : off) = back ? *off : row[t];
                if (back)
                    grams[(c * w + t) * w + i] = row[t];
            }
        }
    }
}

/* Noise on the lower triangle. Each cell is one run of values: its diagonal,
 * then the rest. */
static kith_status add_noise(kith_session *s, const kith_i_gram_spec *spec,
                             kith_i_scale scale, int64_t *out, kith_error *err)
{
    size_t w = spec->width, cells = spec->cells, size = w * (w + 1) / 2;
    int64_t *noisy = kith_i_alloc(cells * size, sizeof *noisy);
    kith_i_scale *scales = kith_i_alloc(2 * cells, sizeof *scales);
    kith_status status = noisy && scales ? KITH_OK : kith_i_fail_memory(err);
    for (size_t c = 0; !status && c < cells; c++) {
        scales[c] = scale;
        scales[cells + c] = kith_i_scale_over_sqrt2(scale);
    }
    if (!status)
        pack(out, cells, w, noisy, 0);
    kith_i_noise noise = {
        .kind = KITH_I_GAUSSIAN, .source = &s->source, .threads = s->threads};
    if (!status && s->measure == KITH_PURE_DP) {
        noise.scales = scales;
        noise.rest = scales + cells;
        noise.split = w;
        noise.per_scale = size;
        noise.stream = kith_i_session_stream(s);
        status = kith_i_noise_add_knorm(&noise, noisy, cells, err);
    }
    for (size_t c = 0;
         !status && c < 2 * cells && s->measure == KITH_GAUSSIAN_DP;
         c++) { /* diagonals and the rest: a scale each */
        noise.scales = &scales[c < cells ? 0 : cells];
        noise.per_scale = SIZE_MAX;
        noise.stream = kith_i_session_stream(s);
        size_t cell = c < cells ? c : c - cells;
        int64_t *at = noisy + cell * size + (c < cells ? 0 : w);
        status = kith_i_noise_add(&noise, at, c < cells ? w : size - w, err);
    }
    if (!status)
        pack(out, cells, w, noisy, 1);
    kith_i_wipe_free(noisy, cells * size * sizeof *noisy);
    kith_i_free(scales);
    return status;
}

/* A Wishart difference on each cell. */
static kith_status add_wishart(kith_session *s, const kith_i_gram_spec *spec,
                               kith_i_scale b, int64_t *out, kith_error *err)
{
    size_t square = (size_t)spec->width * spec->width;
    kith_i_noise noise = {
        .scales = &b, .source = &s->source, .threads = s->threads};
    kith_status status = KITH_OK;
    for (size_t c = 0; !status && c < spec->cells; c++) {
        noise.stream = kith_i_session_stream(s);
        status = kith_i_noise_add_wishart(&noise, spec->width, out + c * square,
                                          err);
    }
    return status;
}

static kith_status check_spec(const kith_session *s, const kith_i_ask *ask,
                              const kith_i_gram_spec *spec, kith_error *err)
{
    if (kith_i_ask_domain(s, ask)->sparse)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "second moments of sparse rows are not offered: "
                           "use a dense format");
    int records = ask->value.kind == KITH_I_VALUE_RECORD;
    if (spec->cells > 0 && spec->width > 0 && spec->radius < 1 << 26 &&
        records == !spec->radius && spec->halvings == ask->value.halvings &&
        kith_i_ask_is_valid(s, ask, spec->cells, spec->width))
        return KITH_OK;
    return kith_i_fail(err, KITH_ERR_INTERNAL,
                       "a release was described wrongly: %s", spec->what);
}

kith_status kith_i_release_gram(kith_session *s, const kith_i_ask *ask,
                                const kith_i_gram_spec *spec, int64_t *out,
                                double *sd, kith_error *err)
{
    const kith_i_domain *domain = kith_i_ask_domain(s, ask);
    kith_status status = check_spec(s, ask, spec, err);
    if (status)
        return status;
    kith_i_trace_noise kind = kith_i_gram_noise(
        s->privacy.neighbors, spec->cells, spec->width, spec->by_trace);
    int by_trace = s->measure == KITH_PURE_DP && kind.by_trace;
    size_t triangle = (size_t)spec->width * (spec->width + 1) / 2;
    double noise, unit = kith_i_domain_step(domain);
    kith_i_scale scale;
    kith_i_moments price = {.what = spec->what,
                            .square = spec->radius ? spec->radius * spec->radius
                                                   : domain->l2_squared,
                            .cells = spec->cells,
                            .by_trace = by_trace,
                            .degrees = by_trace ? spec->width : triangle,
                            .unit = unit * ldexp(unit, 2 * spec->halvings),
                            .charge = spec->charge};
    status = kith_i_moments_pay(s, &price, &scale, &noise, err);
    if (status)
        return status;
    size_t entries = (size_t)spec->cells * spec->width * spec->width;
    memset(out, 0, entries * sizeof *out);
    status = tally_grams(s, ask, spec, out, err);
    if (!status) {
        if (kith_i_session_draws(s))
            status =
                (by_trace ? add_wishart : add_noise)(s, spec, scale, out, err);
        status =
            kith_i_team_publish(s, status, out, entries * sizeof *out, err);
    }
    if (!status)
        *sd = noise;
    else
        kith_i_wipe(out, entries * sizeof *out);
    return status;
}
