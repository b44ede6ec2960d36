/* A tally as bytes, for shards, crashes and archives: little-endian, with
 * sorted lists, so that equal tallies have equal bytes, and a SHA-256 at the
 * end against damage (not against forgery: whoever can write the state can
 * write any).
 *
 *   0  "kithtly1"     56  round, group, kind (2 each), 0 (2)   72  cells
 *   8  digest (32)    64  received                             80  cells, then
 *  40  task (16)          nonces: fingerprints (8), or for OLH nonce and
 *                         output (24), increasing; then SHA-256 (32) */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "tally_i.h"

static const char MAGIC[8] = "kithtly1";
enum { HEAD = 80 };

static void store64(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

static void store16(uint8_t *p, uint64_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static int compare_prints(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int compare_hashed(const void *a, const void *b)
{
    const kith_i_hashed *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->high > y->high) - (x->high < y->high);
}

static int is_olh(const kith_i_tally *t)
{
    return t->mechanism.kind == KITH_I_RANDOMIZER_OLH;
}

static void write_head(const kith_i_tally *t, uint8_t *out)
{
    memcpy(out, MAGIC, sizeof MAGIC);
    memcpy(out + 8, t->digest, 32);
    memcpy(out + 40, t->ticket.task, KITH_I_TASK_BYTES);
    store16(out + 56, t->ticket.round);
    store16(out + 58, t->ticket.group);
    store16(out + 60, t->mechanism.kind);
    store16(out + 62, 0);
    store64(out + 64, t->received);
    store64(out + 72, t->cells);
}

/* The list that tells reports apart, sorted; 0 when memory is short. */
static int write_reports(const kith_i_tally *t, uint8_t *out)
{
    size_t n = (size_t)t->received;
    if (is_olh(t)) {
        kith_i_hashed *list = kith_i_alloc(n, sizeof *list);
        if (!list)
            return 0;
        if (n)
            memcpy(list, t->hashed, n * sizeof *list);
        qsort(list, n, sizeof *list, compare_hashed);
        for (size_t i = 0; i < n; i++) {
            store64(out + 24 * i, list[i].low);
            store64(out + 24 * i + 8, list[i].high);
            store64(out + 24 * i + 16, list[i].output);
        }
        kith_i_free(list);
        return 1;
    }
    uint64_t *prints = kith_i_alloc(n, sizeof *prints);
    if (!prints)
        return 0;
    for (uint64_t i = 0, at = 0; i < t->nonces.room; i++)
        if (t->nonces.slots[i])
            prints[at++] = t->nonces.slots[i];
    qsort(prints, n, sizeof *prints, compare_prints);
    for (size_t i = 0; i < n; i++)
        store64(out + 8 * i, prints[i]);
    kith_i_free(prints);
    return 1;
}

kith_status kith_i_tally_save(const kith_i_tally *t, uint8_t **bytes,
                              size_t *count, kith_error *err)
{
    *bytes = NULL;
    if (t->closed)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "the round is over: its tally is not saved");
    size_t each = is_olh(t) ? 24 : 8;
    size_t body = HEAD + 8 * (size_t)t->cells + each * (size_t)t->received;
    uint8_t *out = kith_i_alloc(body + KITH_I_DIGEST_BYTES, 1);
    if (!out)
        return kith_i_fail_memory(err);
    write_head(t, out);
    for (uint64_t i = 0; i < t->cells; i++)
        store64(out + HEAD + 8 * i, (uint64_t)t->sums[i]);
    if (!write_reports(t, out + HEAD + 8 * t->cells)) {
        kith_i_free(out);
        return kith_i_fail_memory(err);
    }
    kith_i_digest(out, body, out + body);
    *bytes = out;
    *count = body + KITH_I_DIGEST_BYTES;
    return KITH_OK;
}

/* ---- loading --------------------------------------------------------------
 */

/* Could `received` reports have made these sums? */
static int sums_believable(const kith_i_tally *t, uint64_t received,
                           const uint8_t *cells)
{
    const kith_i_mechanism *m = &t->mechanism;
    uint64_t total = 0, most = received;
    if (m->kind == KITH_I_RANDOMIZER_CODEBOOK)
        /* Rounded vectors of a matrix may be longer by a hundredth. */
        most =
            received * (uint64_t)(KITH_I_WORD_UNIT + (m->rank ? 1 << 23 : 0));
    if (m->kind == KITH_I_RANDOMIZER_GAUSSIAN)
        most = received * (uint64_t)kith_i_gaussian_clip(m);
    for (uint64_t i = 0; i < t->cells; i++) {
        int64_t v = (int64_t)kith_i_load64(cells + 8 * i);
        uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v;
        if (size > most)
            return 0;
        if (m->kind == KITH_I_RANDOMIZER_KRR && v < 0)
            return 0;
        if (m->width == 0)
            total += size; /* below 2^24 2^31 */
    }
    if (m->kind == KITH_I_RANDOMIZER_KRR)
        return total == received;
    if (m->kind == KITH_I_RANDOMIZER_HADAMARD)
        return total <= received && (received - total) % 2 == 0;
    return 1;
}

static int reports_believable(const kith_i_tally *t, uint64_t received,
                              const uint8_t *list)
{
    for (uint64_t i = 0; i < received; i++) {
        const uint8_t *p = list + i * (is_olh(t) ? 24 : 8);
        kith_i_hashed now = {.low = kith_i_load64(p)};
        if (!is_olh(t)) {
            if (now.low == 0 || (i && kith_i_load64(p - 8) >= now.low))
                return 0;
            continue;
        }
        now.high = kith_i_load64(p + 8);
        now.output = kith_i_load64(p + 16);
        if (now.output >= t->mechanism.outputs)
            return 0;
        if (i == 0)
            continue;
        kith_i_hashed before = {kith_i_load64(p - 24), kith_i_load64(p - 16),
                                0};
        if (compare_hashed(&before, &now) >= 0)
            return 0;
    }
    return 1;
}

static const char *state_flaw(const kith_i_tally *t, const uint8_t *bytes,
                              size_t count)
{
    uint8_t head[HEAD], digest[KITH_I_DIGEST_BYTES];
    size_t each = is_olh(t) ? 24 : 8;
    if (count < HEAD + KITH_I_DIGEST_BYTES)
        return "it is too short";
    write_head(t, head);
    if (memcmp(bytes, head, 64) != 0 || memcmp(bytes + 72, head + 72, 8) != 0)
        return "it is not a tally of this group";
    uint64_t received = kith_i_load64(bytes + 64);
    size_t left = count - HEAD - KITH_I_DIGEST_BYTES;
    if (received > KITH_I_TALLY_MAX || left / 8 < t->cells ||
        left - 8 * (size_t)t->cells != each * (size_t)received)
        return "it has the wrong length";
    kith_i_digest(bytes, count - KITH_I_DIGEST_BYTES, digest);
    if (memcmp(digest, bytes + count - KITH_I_DIGEST_BYTES, sizeof digest) != 0)
        return "it is damaged";
    if (!sums_believable(t, received, bytes + HEAD) ||
        !reports_believable(t, received, bytes + HEAD + 8 * t->cells))
        return "no reports can have made it";
    return NULL;
}

kith_status kith_i_tally_load(kith_i_tally *t, const uint8_t *bytes,
                              size_t count, kith_error *err)
{
    if (t->received)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a tally is loaded into an empty one");
    const char *flaw = state_flaw(t, bytes, count);
    if (flaw)
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "the saved tally cannot be used: %s", flaw);
    uint64_t received = kith_i_load64(bytes + 64);
    const uint8_t *list = bytes + HEAD + 8 * t->cells;
    if (!kith_i_tally_reserve(t, received))
        return kith_i_fail_memory(err);
    for (uint64_t i = 0; i < t->cells; i++)
        t->sums[i] = (int64_t)kith_i_load64(bytes + HEAD + 8 * i);
    for (uint64_t i = 0; i < received; i++) {
        const uint8_t *p = list + i * (is_olh(t) ? 24 : 8);
        uint64_t print = kith_i_load64(p);
        if (is_olh(t)) {
            t->hashed[i] = (kith_i_hashed){print, kith_i_load64(p + 8),
                                           kith_i_load64(p + 16)};
            print = kith_i_nonce_fingerprint(print, kith_i_load64(p + 8));
        }
        kith_i_nonce_put(&t->nonces, print);
    }
    t->received = received;
    return KITH_OK;
}
