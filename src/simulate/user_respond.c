/* A simulated user's report. */
#include "user_respond.h"

#include <string.h>

#include "device/chacha.h"
#include "device/forget.h"

int kith_i_user_random(void *arg, void *bytes, size_t count)
{
    kith_i_entropy *e = arg;
    for (size_t i = 0; i + 8 <= count; i += 8)
        kith_i_store(kith_i_entropy_word(e), (uint8_t *)bytes + i, 8);
    return e->failed;
}

void kith_i_user_respond(const kith_i_asked *asked, const double *x,
                         kith_i_entropy *e, void *scratch, uint8_t *bytes)
{
    if (asked->mechanism->kind == KITH_I_RANDOMIZER_GAUSSIAN) {
        kith_i_gaussian_respond(asked, x, e, scratch, bytes);
        return;
    }
    kith_i_words words = {.fill = kith_i_user_random, .arg = e};
    kith_i_respond(asked, x, &words, scratch, bytes);
}

void kith_i_user_nonce(const uint8_t secret[32], kith_i_ticket *ticket)
{
    enum { KIND_TASK = 1, KIND_ROUND };
    uint32_t key[8], out[KITH_I_BLOCK_WORDS];
    /* Secret and task to a key of the task, that and the place to a nonce. */
    for (int i = 0; i < 8; i++)
        key[i] = kith_i_load32(secret + 4 * i);
    for (int half = 0; half < 2; half++) {
        uint64_t word = kith_i_load64(ticket->task + 8 * half);
        kith_i_chacha_block(key, KIND_TASK, word, out);
        memcpy(key, out, sizeof key);
    }
    uint64_t place = (uint64_t)ticket->round << 16 | ticket->group;
    kith_i_chacha_block(key, KIND_ROUND, place, out);
    for (int i = 0; i < 16; i++)
        ticket->nonce[i] = (uint8_t)(out[i / 4] >> (8 * (i % 4)));
    kith_i_forget(key, sizeof key);
    kith_i_forget(out, sizeof out);
}
