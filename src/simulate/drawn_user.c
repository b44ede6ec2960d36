/* The draw of a simulated user: both sides of it. */
#include "drawn_user.h"

#include <string.h>

#include "collect/task_text.h"
#include "device/chacha.h"
#include "device/forget.h"

void kith_i_drawn_secret(const uint8_t run_key[32], uint64_t user,
                         uint8_t r[KITH_I_DRAW_BYTES])
{
    enum { KIND_SECRET = 3 };
    uint32_t key[8], words[KITH_I_BLOCK_WORDS];
    for (int i = 0; i < 8; i++)
        key[i] = kith_i_load32(run_key + 4 * i);
    kith_i_chacha_block(key, KIND_SECRET, user, words);
    for (int i = 0; i < KITH_I_DRAW_BYTES / 4; i++)
        kith_i_store(words[i], r + 4 * i, 4);
    kith_i_forget(key, sizeof key);
    kith_i_forget(words, sizeof words);
}

void kith_i_drawn_user_make(const kith_i_drawing *drawing,
                            const uint8_t task[KITH_I_TASK_BYTES],
                            uint64_t user, kith_i_drawn_user *out)
{
    uint8_t commitment[KITH_I_DRAW_BYTES];
    kith_i_drawn_secret(drawing->run_key, user, out->r);
    kith_i_draw_commit(task, out->r, commitment);
    kith_i_task_tag(drawing->task_key, task, commitment, out->tag);
    kith_i_draw_seed(out->tag, out->r, out->seed);
}
