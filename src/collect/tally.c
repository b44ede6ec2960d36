/* Reports into integer sums. See collect_i.h for the promises.
 *
 * Influence of one report: kRR one count, Hadamard one step in one row, OLH
 * one entry, the codebook one codeword of length 1 in each bucket (a matrix of
 * trace 1), the Gaussian a clipped coordinate; a dishonest device can choose
 * which, not how much. */
#include "noise/secret.h"
#include "tally_i.h"

#include <math.h>
#include <string.h>

/* ---- nonces ---- */

uint64_t kith_i_nonce_fingerprint(uint64_t low, uint64_t high)
{
    uint64_t z = low * UINT64_C(0x9e3779b97f4a7c15) ^ high;
    z = (z ^ (z >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    z = (z ^ (z >> 32)) * UINT64_C(0xd6e8feb86659fd93) + low;
    z ^= z >> 32;
    return z ? z : 1;
}

kith_status kith_i_nonce_open(kith_i_nonce_set *set, kith_error *err)
{
    *set = (kith_i_nonce_set){0};
    return kith_i_secret_bytes(set->key, sizeof set->key, err);
}

static uint64_t find_slot(const kith_i_nonce_set *set, uint64_t fingerprint)
{
    kith_i_u128 hash = kith_i_table_hash(set->key, fingerprint);
    uint64_t at = (uint64_t)(hash * set->room >> 64);
    while (set->slots[at] && set->slots[at] != fingerprint)
        at = at + 1 < set->room ? at + 1 : 0;
    return at;
}

int kith_i_nonce_has(const kith_i_nonce_set *set, uint64_t fingerprint)
{
    return set->room && set->slots[find_slot(set, fingerprint)] != 0;
}

void kith_i_nonce_put(kith_i_nonce_set *set, uint64_t fingerprint)
{
    set->slots[find_slot(set, fingerprint)] = fingerprint;
    set->count++;
}

int kith_i_nonce_reserve(kith_i_nonce_set *set, uint64_t more)
{
    uint64_t need = 3 * (set->count + more) / 2 + 1; /* a third stays empty */
    if (need <= set->room)
        return 1;
    uint64_t least = set->room ? 3 * set->room / 2 : 64;
    kith_i_nonce_set bigger = {.room = need > least ? need : least};
    memcpy(bigger.key, set->key, sizeof bigger.key);
    bigger.slots = kith_i_alloc(bigger.room, sizeof *bigger.slots);
    if (!bigger.slots)
        return 0;
    for (uint64_t i = 0; i < set->room; i++)
        if (set->slots[i])
            kith_i_nonce_put(&bigger, set->slots[i]);
    kith_i_free(set->slots);
    *set = bigger;
    return 1;
}

/* ---- memory ---- */

kith_status kith_i_tally_new(const kith_i_mechanism *m,
                             const kith_i_ticket *ticket,
                             const uint8_t digest[32], kith_i_tally **out,
                             kith_error *err)
{
    *out = NULL;
    kith_i_tally *t = kith_i_alloc(1, sizeof *t);
    if (!t)
        return kith_i_fail_memory(err);
    t->mechanism = *m;
    t->ticket = *ticket;
    memset(t->ticket.nonce, 0, sizeof t->ticket.nonce);
    memcpy(t->digest, digest, sizeof t->digest);
    switch (m->kind) {
    case KITH_I_RANDOMIZER_KRR:
        t->cells = m->symbols;
        break;
    case KITH_I_RANDOMIZER_HADAMARD:
        t->cells = m->rows;
        break;
    case KITH_I_RANDOMIZER_CODEBOOK:
    case KITH_I_RANDOMIZER_GAUSSIAN:
        t->cells = (uint64_t)m->buckets * m->kept;
        break;
    case KITH_I_RANDOMIZER_OLH:
    case KITH_I_RANDOMIZER_AUTO:
        break;
    }
    kith_status status = kith_i_nonce_open(&t->nonces, err);
    if (status) {
        kith_i_free(t);
        return status;
    }
    t->sums = kith_i_alloc(t->cells, sizeof *t->sums);
    size_t room = (m->rank ? (size_t)m->rank : 1) * ((size_t)m->width + 8);
    t->word = kith_i_alloc(room, sizeof *t->word);
    t->step = kith_i_alloc((size_t)m->width + 8, sizeof *t->step);
    if (!t->sums || !t->word || !t->step) {
        kith_i_tally_free(t);
        return kith_i_fail_memory(err);
    }
    *out = t;
    return KITH_OK;
}

void kith_i_tally_free(kith_i_tally *t)
{
    if (!t)
        return;
    kith_i_free(t->sums);
    kith_i_free(t->hashed);
    kith_i_free(t->nonces.slots);
    kith_i_free(t->word);
    kith_i_free(t->step);
    kith_i_free(t);
}

kith_status kith_i_tally_expect(kith_i_tally *t, uint64_t more, kith_error *err)
{
    return kith_i_tally_reserve(t, more) ? KITH_OK : kith_i_fail_memory(err);
}

void kith_i_tally_close(kith_i_tally *t)
{
    kith_i_free(t->nonces.slots);
    t->nonces = (kith_i_nonce_set){0};
    t->closed = 1;
}

uint64_t kith_i_tally_received(const kith_i_tally *t)
{
    return t->received;
}

int kith_i_tally_reserve(kith_i_tally *t, uint64_t more)
{
    uint64_t need = t->received + more;
    if (need > KITH_I_TALLY_MAX || !kith_i_nonce_reserve(&t->nonces, more))
        return 0;
    if (t->mechanism.kind != KITH_I_RANDOMIZER_OLH || need <= t->hashed_room)
        return 1;
    uint64_t room = t->hashed_room ? 3 * t->hashed_room / 2 : 64;
    room = room < need ? need : room;
    kith_i_hashed *hashed =
        kith_i_resize(t->hashed, t->hashed_room, room, sizeof *hashed);
    if (!hashed)
        return 0;
    t->hashed = hashed;
    t->hashed_room = room;
    return 1;
}

/* ---- adding ---- */

/* step[] = s-free contribution of a coordinate; added with a sign to every
 * bucket: in expectation only the user's own keeps it. */
static void add_signed(kith_i_tally *t, uint64_t low, uint64_t high)
{
    uint32_t kept = t->mechanism.kept;
    for (uint32_t b = 0; b < t->mechanism.buckets; b++) {
        int64_t *sums = t->sums + (size_t)b * kept;
        if (kith_i_bucket_sign(low, high, b) > 0)
            for (uint32_t i = 0; i < kept; i++)
                sums[i] += t->step[i];
        else
            for (uint32_t i = 0; i < kept; i++)
                sums[i] -= t->step[i];
    }
}

/* Division, square root and rounding to nearest are exact in IEEE 754, so
 * every server gets the same integers. */
static void set_codeword(kith_i_tally *t, const uint8_t *nonce, uint32_t index)
{
    const kith_i_mechanism *m = &t->mechanism;
    uint64_t square = kith_i_codebook_word(nonce, m->width, index, t->word);
    double by = square ? KITH_I_WORD_UNIT / sqrt((double)square) : 0;
    for (uint32_t i = 0; i < m->kept; i++)
        t->step[i] = (int32_t)lrint(t->word[i] * by);
}

/* sums += u u' + v v' in the packed triangle. */
static void add_squares(const int16_t *restrict u, const int16_t *restrict v,
                        uint32_t d, int64_t *restrict sums)
{
    for (uint32_t b = 0; b < d; sums += ++b)
        for (uint32_t a = 0; a <= b; a++)
            sums[a] += (int32_t)u[a] * u[b] + (int32_t)v[a] * v[b];
}

static void add_square(const int16_t *restrict u, uint32_t d,
                       int64_t *restrict sums)
{
    for (uint32_t b = 0; b < d; sums += ++b)
        for (uint32_t a = 0; a <= b; a++)
            sums[a] += (int32_t)u[a] * u[b];
}

/* Codeword `index` of every bucket. Its vectors are rounded to steps of
 * 1 / MATRIX_UNIT first: products are then integers. */
static void add_matrices(kith_i_tally *t, const uint8_t *nonce, uint32_t index)
{
    const kith_i_mechanism *m = &t->mechanism;
    uint32_t stride = kith_i_codebook_stride(m->width), d = m->width - 1;
    for (uint32_t j = 0; j < m->buckets; j++) {
        uint64_t square =
            kith_i_matrix_word(nonce, j, m->width, m->rank, index, t->word);
        double by = square ? KITH_I_MATRIX_UNIT / sqrt((double)square) : 0;
        for (size_t i = 0; i < (size_t)m->rank * stride; i++)
            t->word[i] = (int16_t)lrint(t->word[i] * by);
        int64_t *sums = t->sums + (size_t)j * m->kept;
        uint32_t r = 0;
        for (; r + 1 < m->rank; r += 2)
            add_squares(t->word + (size_t)r * stride,
                        t->word + ((size_t)r + 1) * stride, d, sums);
        if (r < m->rank)
            add_square(t->word + (size_t)r * stride, d, sums);
    }
}

static int set_gaussian(kith_i_tally *t, const kith_i_report *r)
{
    int32_t limit = kith_i_gaussian_clip(&t->mechanism);
    if (r->payload_bytes != 4 * (size_t)t->mechanism.kept)
        return 0;
    for (uint32_t i = 0; i < t->mechanism.kept; i++) {
        int32_t v = (int32_t)kith_i_load32(r->payload + 4 * (size_t)i);
        t->step[i] = v > limit ? limit : v < -limit ? -limit : v;
    }
    return 1;
}

/* 0: the payload is not one of this mechanism. */
static int add_payload(kith_i_tally *t, const kith_i_report *r, uint64_t low,
                       uint64_t high)
{
    const kith_i_mechanism *m = &t->mechanism;
    if (m->kind == KITH_I_RANDOMIZER_GAUSSIAN) {
        if (!set_gaussian(t, r))
            return 0;
        add_signed(t, low, high);
        return 1;
    }
    uint64_t number = kith_i_report_number(r, m->outputs);
    if (number == UINT64_MAX)
        return 0;
    if (m->kind == KITH_I_RANDOMIZER_KRR) {
        t->sums[number]++;
    } else if (m->kind == KITH_I_RANDOMIZER_OLH) {
        t->hashed[t->received] = (kith_i_hashed){low, high, number};
    } else if (m->kind == KITH_I_RANDOMIZER_HADAMARD) {
        uint64_t row = kith_i_hadamard_row(r->ticket.nonce, m->rows);
        t->sums[row] += number ? -1 : 1;
    } else if (m->rank) {
        add_matrices(t, r->ticket.nonce, (uint32_t)number);
    } else {
        set_codeword(t, r->ticket.nonce, (uint32_t)number);
        add_signed(t, low, high);
    }
    return 1;
}

kith_status kith_i_tally_add(kith_i_tally *t, const uint8_t *bytes,
                             size_t count, kith_error *err)
{
    kith_i_report r;
    const char *flaw = kith_i_report_read(bytes, count, &r);
    if (!flaw &&
        (r.kind != t->mechanism.kind || r.ticket.round != t->ticket.round ||
         r.ticket.group != t->ticket.group ||
         memcmp(r.ticket.task, t->ticket.task, KITH_I_TASK_BYTES) != 0))
        flaw = "the report is for another question";
    if (!flaw && t->closed)
        flaw = "the round is over";
    if (flaw)
        return kith_i_fail(err, KITH_ERR_INPUT, "%s", flaw);
    uint64_t low = kith_i_load64(r.ticket.nonce);
    uint64_t high = kith_i_load64(r.ticket.nonce + 8);
    uint64_t print = kith_i_nonce_fingerprint(low, high);
    if (kith_i_nonce_has(&t->nonces, print))
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "a report with this nonce was counted already");
    if (!kith_i_tally_reserve(t, 1))
        return kith_i_fail_memory(err);
    if (!add_payload(t, &r, low, high))
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "the report's payload does not fit its mechanism");
    kith_i_nonce_put(&t->nonces, print);
    t->received++;
    return KITH_OK;
}

/* ---- merging ---- */

static int same_group(const kith_i_tally *a, const kith_i_tally *b)
{
    return a->mechanism.kind == b->mechanism.kind && a->cells == b->cells &&
           a->mechanism.outputs == b->mechanism.outputs &&
           a->mechanism.rank == b->mechanism.rank &&
           !memcmp(a->digest, b->digest, sizeof a->digest) &&
           !memcmp(&a->ticket, &b->ticket, sizeof a->ticket);
}

kith_status kith_i_tally_merge(kith_i_tally *into, const kith_i_tally *from,
                               kith_error *err)
{
    if (into == from || into->closed || from->closed || !same_group(into, from))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "only open tallies of the same group can be merged");
    for (uint64_t i = 0; i < from->nonces.room; i++)
        if (from->nonces.slots[i] &&
            kith_i_nonce_has(&into->nonces, from->nonces.slots[i]))
            return kith_i_fail(err, KITH_ERR_INPUT,
                               "two shards counted the same report: send "
                               "each report to the shard its nonce names");
    if (!kith_i_tally_reserve(into, from->received))
        return kith_i_fail_memory(err);
    for (uint64_t i = 0; i < from->nonces.room; i++)
        if (from->nonces.slots[i])
            kith_i_nonce_put(&into->nonces, from->nonces.slots[i]);
    for (uint64_t i = 0; i < from->cells; i++)
        into->sums[i] += from->sums[i];
    if (from->hashed && from->received)
        memcpy(into->hashed + into->received, from->hashed,
               from->received * sizeof *from->hashed);
    into->received += from->received;
    return KITH_OK;
}
