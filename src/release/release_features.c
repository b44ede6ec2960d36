/* Which features matter: a profile of all records, and the choice of a few
 * features for each cell.
 *
 * Claim (profile): costs charge.
 * Because: a record contributes one vector of norm <= KITH_I_PROFILE_NORM, L1
 *   in pure DP, L2 in Gaussian DP (aggregate.c, in integers), replaced by
 *   another of the same bound under replace-one: sensitivity r | 2r.
 *
 * Claim (features): costs charge.
 * Needs: a record-local cell.
 * Because: let C be the bound of an entry, enforced here, and let the score of
 *   a feature in a cell be |sum of the entries of its records|. Adding a record
 *   to a cell moves every score of that cell by at most C; upward only, if no
 *   entry can be negative. Each of the m picks is a selection with weight
 *   exp(b score), b = e / (t C), made among the features not picked yet, and
 *   costs an m-th of the charge (adaptive composition):
 *     add-remove: only one cell changes. t = 1 if scores are monotone, else 2.
 *     replace-one, within a cell: scores move within +-C if no entry is
 *       negative (t = 2), within +-2C otherwise (t = 4).
 *     replace-one, from one cell to another: scores of either move as if a
 *       record was removed or added, with b half of what that allows: a range
 *       of e/2 each, e together in pure DP, and mu^2 adds to half of e's.
 *   (R5; select.h draws both kinds exactly. The printed algorithm spends up to
 *   1.5 epsilon: balcan.md, item 21.) */
#include "release_features.h"

#include "base/base_i.h"
#include "choice.h"
#include "dp/ask_digest.h"
#include "kernel/aggregate.h"
#include "noise/noise.h"

/* ---- the profile ---- */

static void visit_profile(const void *p, const kith_i_block *block, void *room,
                          int64_t *sums)
{
    (void)room;
    const int *pure = p;
    kith_i_aggregate_scaled(block, KITH_I_PROFILE_NORM, *pure, sums);
}

static uint64_t digest_profile(const kith_session *s, const void *p)
{
    (void)p;
    return kith_i_mix(KITH_I_PROFILE_NORM, s->domain->dimension);
}

typedef struct {
    const kith_i_ask *ask;
    const kith_i_domain *domain;
    uint32_t cells, bound;
    kith_i_ask_room room;
} clamped_arg;

static void visit_clamped(const void *p, const kith_i_block *block, void *room,
                          int64_t *sums)
{
    const clamped_arg *a = p;
    uint32_t *cell = kith_i_room_at(room, a->room.cell);
    kith_i_ask_rows(a->ask, a->domain, block, 0,
                    kith_i_room_at(room, a->room.scratch), cell, NULL);
    kith_i_aggregate_clamped(block, cell, a->cells, a->bound, sums);
}

static uint64_t digest_clamped(const kith_session *s, const void *p)
{
    const clamped_arg *a = p;
    return kith_i_mix(kith_i_ask_digest(s, a->ask, a->cells, 0), a->bound);
}

kith_status kith_i_release_profile(kith_session *s, const char *what,
                                   kith_i_loss charge, int64_t *sums,
                                   double *sd, kith_error *err)
{
    kith_i_moves sum = kith_i_session_moves(s, KITH_I_SUMS);
    uint64_t r = KITH_I_PROFILE_NORM;
    uint32_t d = s->domain->dimension;
    int pure = s->measure == KITH_PURE_DP;
    kith_i_scale scale;
    kith_i_bill bill = {.what = what, .loss = charge};
    kith_i_moved moved = {.l1 = r * sum.l1,
                          .l2_squared = (kith_i_u128)r * r * sum.l2_squared,
                          .unit = 1.0 / KITH_I_PROFILE_NORM};
    kith_status status = kith_i_session_price(s, &moved, &bill, &scale, err);
    if (!status)
        status = kith_i_session_pay(s, &bill, 1, err);
    if (status)
        return status;
    for (uint32_t i = 0; i < d; i++)
        sums[i] = 0;
    kith_i_tally tally = {.totals = d,
                          .visit = visit_profile,
                          .digest = digest_profile,
                          .arg = &pure};
    status = kith_i_tally_rows(s, &tally, sums, err);
    kith_i_noise noise = {.kind = kith_i_session_noise(s),
                          .scales = &scale,
                          .per_scale = SIZE_MAX,
                          .source = &s->source,
                          .stream = kith_i_session_stream(s),
                          .threads = s->threads};
    if (!status) {
        if (kith_i_session_draws(s))
            status = kith_i_noise_add(&noise, sums, d, err);
        status = kith_i_team_publish(s, status, sums, d * sizeof *sums, err);
    }
    if (status)
        kith_i_wipe(sums, d * sizeof *sums);
    else
        *sd = kith_i_session_sd(s, scale, 0);
    return status;
}

/* ---- the choice ---- */

/* Can an entry be negative? */
static int is_signed(const kith_i_domain *domain)
{
    for (uint32_t i = 0; i < domain->dimension; i++)
        if (domain->low_q[i] < 0)
            return 1;
    return 0;
}

/* Scratch of the picks of one cell: d each. */
typedef struct {
    int64_t *losses;
    uint32_t *left, *order;
} pick_room;

/* m features of one cell, one after the other. */
static void pick_features(const kith_session *s, kith_i_entropy *e,
                          kith_i_exponent b, const int64_t *sums, uint32_t m,
                          const pick_room *room, uint32_t *out)
{
    uint32_t d = s->domain->dimension;
    for (uint32_t i = 0; i < d; i++) {
        room->losses[i] = sums[i] < 0 ? sums[i] : -sums[i];
        room->left[i] = i;
    }
    for (uint32_t t = 0; t < m; t++) {
        uint32_t n = d - t;
        uint32_t at =
            s->measure == KITH_PURE_DP
                ? kith_i_permute_and_flip(e, b, room->losses, n, room->order)
                : kith_i_exponential(e, b, room->losses, n);
        out[t] = room->left[at];
        room->left[at] = room->left[n - 1];
        room->losses[at] = room->losses[n - 1];
    }
}

static kith_status draw_features(kith_session *s, kith_i_exponent b,
                                 const int64_t *sums,
                                 const kith_i_features_spec *spec,
                                 uint32_t *out, kith_error *err)
{
    uint32_t d = s->domain->dimension;
    pick_room room = {kith_i_alloc(d, sizeof *room.losses),
                      kith_i_alloc(d, sizeof *room.left),
                      kith_i_alloc(d, sizeof *room.order)};
    kith_status status = room.losses && room.left && room.order
                             ? KITH_OK
                             : kith_i_fail_memory(err);
    if (!status) {
        kith_i_entropy e;
        kith_i_entropy_open(&e, &s->source, kith_i_session_stream(s) << 32);
        for (uint32_t c = 0; !e.failed && c < spec->cells; c++)
            pick_features(s, &e, b, sums + (size_t)c * d, spec->picks, &room,
                          out + (size_t)c * spec->picks);
        if (e.failed)
            status = kith_i_fail_entropy(err);
        kith_i_entropy_close(&e);
    }
    kith_i_wipe_free(room.losses, d * sizeof *room.losses);
    kith_i_wipe_free(room.left, d * sizeof *room.left);
    kith_i_wipe_free(room.order, d * sizeof *room.order);
    return status;
}

/* Without data: the first ones. */
static void name_first(const kith_i_features_spec *spec, uint32_t *out)
{
    for (uint32_t c = 0; c < spec->cells; c++)
        for (uint32_t t = 0; t < spec->picks; t++)
            out[(size_t)c * spec->picks + t] = t;
}

kith_status kith_i_release_features(kith_session *s, const kith_i_ask *ask,
                                    const kith_i_features_spec *spec,
                                    uint32_t *out, kith_error *err)
{
    uint32_t d = s->domain->dimension;
    if (spec->cells == 0 || spec->picks == 0 || spec->picks > d ||
        spec->bound == 0 || spec->bound > INT16_MAX || ask->view ||
        !kith_i_ask_is_valid(s, ask, spec->cells, 0))
        return kith_i_fail(err, KITH_ERR_INTERNAL,
                           "a release was described wrongly: %s", spec->what);
    uint32_t moves = is_signed(s->domain) ? 2 * spec->bound : spec->bound;
    kith_i_exponent b;
    kith_i_choice choice = {.what = spec->what,
                            .bound = moves,
                            .unit = kith_i_domain_step(s->domain),
                            .count = spec->picks,
                            .charge = spec->charge};
    kith_status status = kith_i_choice_pay(s, &choice, &b, err);
    if (status || !s->data) {
        if (!status)
            name_first(spec, out);
        return status;
    }
    size_t size = (size_t)spec->cells * d;
    int64_t *sums = kith_i_alloc(size, sizeof *sums);
    clamped_arg a = {ask, s->domain, spec->cells, spec->bound, {0}};
    kith_i_tally tally = {.beside = ask->place.by,
                          .totals = size,
                          .visit = visit_clamped,
                          .digest = digest_clamped,
                          .arg = &a};
    a.room = kith_i_ask_room_add(s, ask, 0, &tally.room);
    status = sums ? kith_i_tally_rows(s, &tally, sums, err)
                  : kith_i_fail_memory(err);
    if (!status) {
        if (kith_i_session_draws(s))
            status = draw_features(s, b, sums, spec, out, err);
        status = kith_i_team_publish(
            s, status, out, (size_t)spec->cells * spec->picks * sizeof *out,
            err);
    }
    kith_i_wipe_free(sums, size * sizeof *sums);
    return status;
}
