/* Noisy seeds.
 *
 * Claim: costs what was left of the session, in its measure; each of the k
 *   draws an equal part of it.
 * Needs: nothing of how a record is drawn: any rule that looks at the records
 *   and at what was released before will do.
 * Because: a draw publishes x + noise, x a point of the domain (a record, or
 *   the origin where there is none), with noise for the domain's diameter. The
 *   laws of x + noise and y + noise are then within the draw's part of each
 *   other for any two points x, y; the law of the draw is a mixture of such
 *   laws, for any two datasets, and mixtures are no further apart than the
 *   farthest pair (joint convexity). Draws compose adaptively.
 *   So nothing is gained from x being one of many: the printed analysis
 *   gains by assuming how rows are spread, which is a fact about the rows. */
#include "release_draws.h"

#include <math.h>
#include <string.h>

#include "blocks.h"
#include "noise/noise.h"

typedef struct {
    kith_session *s;
    const double *x; /* n x d */
    size_t n, d;
    uint64_t *near; /* n: squared distance to the nearest seed, scaled down */
    int shift;
    kith_i_entropy e;
} draws;

/* Weights below 2^32, so that 2^31 of them add up. */
static int weight_shift(const kith_i_domain *m)
{
    int shift = 0;
    for (uint64_t most = 4 * m->l2_squared; most >> 32; most >>= 1)
        shift++;
    return shift;
}

static void come_near(draws *w, const double *seed)
{
    for (size_t r = 0; r < w->n; r++) {
        double square = 0; /* integers below 2^53 */
        for (size_t i = 0; i < w->d; i++) {
            double e = w->x[r * w->d + i] - seed[i];
            square += e * e;
        }
        uint64_t now = (uint64_t)square >> w->shift;
        now = now >> 32 ? UINT32_MAX : now;
        w->near[r] = now < w->near[r] ? now : w->near[r];
    }
}

/* A record by its weight; if none has any, each alike. */
static size_t draw_record(draws *w)
{
    uint64_t total = 0;
    for (size_t r = 0; r < w->n; r++)
        total += w->near[r];
    if (total == 0)
        return kith_i_sample_below(&w->e, w->n);
    uint64_t at = kith_i_sample_below(&w->e, total);
    size_t r = 0;
    while (r + 1 < w->n && at >= w->near[r])
        at -= w->near[r++];
    return r;
}

static kith_status draw_seeds(draws *w, uint32_t k, const kith_i_scale *scale,
                              int64_t *out, kith_error *err)
{
    kith_session *s = w->s;
    double *seed = kith_i_alloc(w->d, sizeof *seed);
    if (!seed)
        return kith_i_fail_memory(err);
    for (size_t r = 0; r < w->n; r++)
        w->near[r] = 1;
    kith_status status = KITH_OK;
    for (uint32_t j = 0; j < k && !status; j++) {
        int64_t *to = out + j * w->d;
        size_t r = w->n > 0 ? draw_record(w) : 0;
        for (size_t i = 0; i < w->d; i++)
            to[i] = w->n > 0 ? (int64_t)w->x[r * w->d + i] : 0;
        kith_i_noise noise = {.kind = kith_i_session_noise(s),
                              .scales = scale,
                              .per_scale = SIZE_MAX,
                              .source = kith_i_session_source(s),
                              .stream = kith_i_session_stream(s),
                              .threads = kith_i_session_threads(s)};
        status = kith_i_noise_add(&noise, to, w->d, err);
        for (size_t i = 0; i < w->d; i++)
            seed[i] = (double)to[i];
        kith_i_domain_clip(kith_i_session_domain(s), seed);
        for (size_t i = 0; i < w->d; i++)
            seed[i] = round(seed[i]);
        for (size_t t = 0; j == 0 && t < w->n; t++)
            w->near[t] = UINT64_MAX;
        come_near(w, seed);
    }
    kith_i_free(seed);
    return status;
}

kith_status kith_i_release_draws(kith_session *s, const char *what, uint32_t k,
                                 int64_t *out, double *sd, kith_error *err)
{
    const kith_i_domain *m = kith_i_session_domain(s);
    size_t size = (size_t)k * m->dimension;
    kith_i_scale scale;
    kith_i_bill bill = {.what = what};
    kith_status status = kith_i_points_price(s, k, &bill, &scale, sd, err);
    if (status)
        return status;
    kith_i_block_copy copy;
    status = kith_i_block_copy_open(s, &bill, 0, &copy, err);
    memset(out, 0, size * sizeof *out);
    draws w = {.s = s,
               .x = copy.x,
               .n = copy.n,
               .d = m->dimension,
               .shift = weight_shift(m)};
    if (!status && !kith_i_session_is_plan(s)) {
        w.near = kith_i_alloc(w.n, sizeof *w.near);
        status = w.near ? KITH_OK : kith_i_fail_memory(err);
    }
    if (!status && !kith_i_session_is_plan(s)) {
        kith_i_entropy_open(&w.e, kith_i_session_source(s),
                            kith_i_session_stream(s) << 32);
        status = draw_seeds(&w, k, &scale, out, err);
        if (!status && w.e.failed)
            status = kith_i_fail_entropy(err);
        kith_i_entropy_close(&w.e);
    }
    kith_i_wipe_free(w.near, w.near ? w.n * sizeof *w.near : 0);
    kith_i_block_copy_close(&copy);
    if (status)
        kith_i_wipe(out, size * sizeof *out);
    return status;
}
