/* Secret randomness from libsodium: the only file that calls it for that.
 * Tests replace this object at link time. */
#include "entropy.h"

#include <sodium.h>
#include <string.h>

#include "base/base_i.h"

kith_status kith_i_entropy_check(kith_error *err)
{
    if (!kith_i_process_watch() || sodium_init() < 0)
        return kith_i_fail(err, KITH_ERR_ENTROPY,
                           "the system's secure random generator is not "
                           "available: nothing was released");
    return KITH_OK;
}

const char *kith_i_entropy_name(void)
{
    return sodium_init() < 0 ? "none" : randombytes_implementation_name();
}

/* Words that let loops end after a failure; never part of a release. */
static void fill_harmless(kith_i_entropy *e)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, e->refills, 0);
    for (int i = 0; i < KITH_I_ENTROPY_WORDS; i++)
        e->words[i] = kith_i_coins_u64(&coins);
}

static int may_draw(const kith_i_entropy *e) /* I22 */
{
    return !e->failed &&
           (!e->source.owned || kith_i_process_same(e->source.owner)) &&
           !kith_i_entropy_check(NULL);
}

void kith_i_entropy_refill(kith_i_entropy *e)
{
    e->mark = kith_i_process_now().mark;
    e->refills++;
    e->next = 0;
    if (e->source.seeded) {
        unsigned char key[randombytes_SEEDBYTES] = {0};
        uint64_t parts[3] = {e->source.seed, e->stream, e->refills};
        memcpy(key, parts, sizeof parts);
        randombytes_buf_deterministic(e->words, sizeof e->words, key);
    } else if (may_draw(e)) {
        randombytes_buf(e->words, sizeof e->words);
        /* Chance of a false alarm: 2^-64 a refill. */
        if (e->words[0] == e->last || e->words[0] == e->words[1])
            e->failed = 1;
        e->last = e->words[0];
    } else {
        e->failed = 1;
    }
    if (e->failed)
        fill_harmless(e);
}

void kith_i_entropy_open(kith_i_entropy *e, const kith_i_entropy_source *source,
                         uint64_t stream)
{
    memset(e, 0, sizeof *e);
    e->source = *source;
    e->stream = stream;
    kith_i_entropy_refill(e);
}

void kith_i_entropy_close(kith_i_entropy *e)
{
    sodium_memzero(e, sizeof *e);
}
