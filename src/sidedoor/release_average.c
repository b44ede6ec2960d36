/* Sample and aggregate by averaging.
 *
 * Claim: costs what was left of the session, in its measure.
 * Needs: a solver that looks at its block and its coins only (blocks.c). What
 *   it answers does not matter: it is clipped to the domain and rounded toward
 *   zero, coordinate by coordinate, so that it is k points of the lattice
 *   within the bounds.
 * Because: records are dealt to blocks by secret coins that do not look at
 *   them (blocks.c), so a record is in one block: its answer alone changes, by
 *   k points that move within the domain's diameter each. Noise for k diameters
 *   in L1 (pure) or sqrt(k) in L2 (Gaussian) on the integer sum of the answers
 *   is the Laplace or the Gaussian mechanism. Given the coins of the dealing
 *   this holds, so it holds on average over them (joint convexity). */
#include "release_average.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "block_means.h"
#include "blocks.h"
#include "noise/noise.h"

/* A point moves by no more than the diameter of the box, and of the ball. */
kith_status kith_i_points_price(const kith_session *s, uint32_t k,
                                kith_i_bill *bill, kith_i_scale *scale,
                                double *sd, kith_error *err)
{
    const kith_i_domain *m = kith_i_session_domain(s);
    uint64_t l1 = 0;
    kith_i_u128 l2_squared = 0, ball = (kith_i_u128)m->l2_squared * 4;
    for (uint32_t i = 0; i < m->dimension; i++) {
        uint64_t width = (uint64_t)(m->high_q[i] - m->low_q[i]);
        l1 += width;
        l2_squared += width * width;
    }
    kith_i_moved moved = {.l1 = k * (l1 < 2 * m->l1 ? l1 : 2 * m->l1),
                          .l2_squared =
                              k * (l2_squared < ball ? l2_squared : ball),
                          .unit = kith_i_domain_step(m)};
    bill->loss = kith_i_session_left(s);
    kith_status status = kith_i_session_price(s, &moved, bill, scale, err);
    if (!status)
        *sd = kith_i_session_sd(s, *scale, 0);
    return status;
}

/* ---- the answer of a block ----------------------------------------------- */

/* Toward zero, and within the box and the ball in integers: the claim rests on
 * it. */
static void round_center(const kith_i_domain *m, double *center, int32_t *out)
{
    uint64_t square = 0;
    kith_i_domain_clip(m, center);
    for (uint32_t i = 0; i < m->dimension; i++) {
        double v = isfinite(center[i]) ? trunc(center[i]) : 0;
        v = fmax(m->low_q[i], fmin(m->high_q[i], v));
        out[i] = (int32_t)v;
        square += (uint64_t)((int64_t)out[i] * out[i]);
    }
    if (square > m->l2_squared) /* the clip was in doubles */
        memset(out, 0, m->dimension * sizeof *out);
}

static int compare(const int32_t *a, const int32_t *b, uint32_t d)
{
    for (uint32_t i = 0; i < d; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Insertion sort of k points. */
static void sort_centers(int32_t *points, uint32_t k, uint32_t d)
{
    for (uint32_t j = 1; j < k; j++)
        for (uint32_t l = j; l > 0; l--) {
            int32_t *a = points + (size_t)(l - 1) * d, *b = a + d;
            if (compare(a, b, d) <= 0)
                break;
            for (uint32_t i = 0; i < d; i++) {
                int32_t t = a[i];
                a[i] = b[i];
                b[i] = t;
            }
        }
}

/* Whatever the solver says; an empty block answers with the origin. */
static kith_status answer_centers(const kith_i_blocks *b, const double *rows,
                                  uint32_t n, kith_i_coins *coins, double *room,
                                  int32_t *answer)
{
    uint32_t k = b->spec->k, d = b->d;
    kith_i_matrix all = {rows, n, d};
    kith_status status = kith_i_solve_means(&all, k, coins, room);
    for (uint32_t j = 0; !status && j < k; j++)
        round_center(kith_i_session_domain(b->s), room + (size_t)j * d,
                     answer + (size_t)j * d);
    if (!status)
        sort_centers(answer, k, d);
    return status;
}

/* ---- their sum, with noise ----------------------------------------------- */

static kith_status add_up(kith_i_blocks *b, int64_t *out, kith_error *err)
{
    kith_session *s = b->s;
    for (size_t i = 0; i < b->m; i++)
        for (size_t t = 0; t < b->entries; t++)
            out[t] += b->answers[i * b->entries + t];
    kith_i_noise noise = {.kind = kith_i_session_noise(s),
                          .scales = &b->scale,
                          .per_scale = SIZE_MAX,
                          .source = kith_i_session_source(s),
                          .stream = kith_i_session_stream(s),
                          .threads = kith_i_session_threads(s)};
    return kith_i_noise_add(&noise, out, b->entries, err);
}

kith_status kith_i_release_average(kith_session *s,
                                   const kith_i_average_spec *spec,
                                   int64_t *out, double *sd, kith_error *err)
{
    const kith_i_blocks_spec plain = {.what = spec->what, .k = spec->k};
    kith_i_blocks b = {.s = s,
                       .spec = &plain,
                       .respond = answer_centers,
                       .publish = add_up,
                       .d = kith_i_session_domain(s)->dimension,
                       .m = spec->blocks,
                       .each = 1};
    b.entries = b.room = (size_t)spec->k * b.d;
    kith_i_bill bill = {.what = spec->what};
    kith_status status =
        kith_i_points_price(s, spec->k, &bill, &b.scale, sd, err);
    if (status)
        return status;
    return kith_i_blocks_release(&b, &bill, out, b.entries, err);
}
