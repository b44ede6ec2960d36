/* Add Wishart differences (sampler_wishart.c) to exact integer sums: to a Gram
 * matrix, or to the distinct entries of a tensor of fourth moments. No floating
 * point. */
#include "noise_wishart.h"

#include "base/base_i.h"
#include "base/watch.h"

static kith_status open_matrix(const kith_i_noise *noise, uint32_t p,
                               kith_i_wishart **out, kith_error *err)
{
    return kith_i_wishart_open(noise->source, noise->stream, p, noise->threads,
                               out, err);
}

/* Close it; if it failed, the values go. */
static kith_status report(kith_i_wishart *w, int overflow, int64_t *values,
                          size_t count, kith_error *err)
{
    kith_status status = kith_i_wishart_state(w, err);
    if (!status && overflow)
        status = kith_i_fail(err, KITH_ERR_PRIVACY,
                             "the noise does not fit 64 bits: raise epsilon");
    kith_i_wishart_close(w);
    if (status)
        kith_i_wipe(values, count * sizeof *values);
    return status;
}

kith_status kith_i_noise_add_wishart(const kith_i_noise *noise, uint32_t p,
                                     int64_t *values, kith_error *err)
{
    kith_i_wishart *w;
    kith_status status = open_matrix(noise, p, &w, err);
    if (status) {
        kith_i_wipe(values, (size_t)p * p * sizeof *values);
        return status;
    }
    int overflow = 0;
    for (uint32_t x = 0; x < p && !kith_i_stop_wanted(); x++)
        for (uint32_t y = 0; y <= x; y++) {
            kith_i_wishart_mix mix = {
                .plain = 1, .over = 1, .x = {x}, .y = {y}};
            int64_t z = kith_i_wishart_round(w, noise->scales[0], &mix);
            int64_t *at = &values[(size_t)x * p + y];
            overflow |= __builtin_add_overflow(*at, z, at);
            values[(size_t)y * p + x] = *at;
        }
    return report(w, overflow, values, (size_t)p * p, err);
}

/* Pairs (i <= j) numbered row by row. */
static uint32_t pair_at(uint32_t i, uint32_t j, uint32_t width)
{
    return i * width - i * (i + 1) / 2 + j;
}

/* The noise on the entry a <= b <= c <= e: Z over the weights of its row and
 * its column (1 for a pair of equal indices, else sqrt 2), averaged over the
 * three ways to make pairs of the four. */
static kith_i_wishart_mix mix_of(uint32_t a, uint32_t b, uint32_t c, uint32_t e,
                                 uint32_t width)
{
    uint32_t ab = pair_at(a, b, width), ce = pair_at(c, e, width);
    uint32_t ac = pair_at(a, c, width), be = pair_at(b, e, width);
    uint32_t ae = pair_at(a, e, width), bc = pair_at(b, c, width);
    if (a == b && b == c && c == e) /* Z */
        return (kith_i_wishart_mix){1, 0, 1, {ab}, {ce}};
    if (b == c && (a == b || c == e)) /* three alike: Z / sqrt 2 */
        return (kith_i_wishart_mix){0, 1, 1, {ab}, {ce}};
    if (a == b && c == e) /* (Z + Z' / 2 + Z' / 2) / 3 */
        return (kith_i_wishart_mix){2, 0, 3, {ab, ac}, {ce, be}};
    /* two alike: the other ways are the same, (Z' + Z / sqrt 2) / 3 */
    if (a == b || c == e)
        return (kith_i_wishart_mix){1, 1, 3, {ac, ab}, {be, ce}};
    if (b == c)
        return (kith_i_wishart_mix){1, 1, 3, {ab, ae}, {ce, bc}};
    return (kith_i_wishart_mix){3, 0, 6, {ab, ac, ae}, {ce, be, bc}};
}

/* Modulo 2^64. */
static int64_t add_wrapping(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

kith_status kith_i_noise_add_quartic(const kith_i_noise *noise, uint32_t width,
                                     int64_t *values, kith_error *err)
{
    size_t size = 0;
    kith_i_wishart *w;
    kith_status status = open_matrix(noise, width * (width + 1) / 2, &w, err);
    if (status)
        return status;
    for (uint32_t a = 0; a < width; a++)
        for (uint32_t b = a; b < width && !kith_i_stop_wanted(); b++)
            for (uint32_t c = b; c < width; c++)
                for (uint32_t e = c; e < width; e++) {
                    kith_i_wishart_mix mix = mix_of(a, b, c, e, width);
                    int64_t z = kith_i_wishart_round(w, noise->scales[0], &mix);
                    values[size] = add_wrapping(values[size], z);
                    size++;
                }
    return report(w, 0, values, size, err);
}
