/* Deviates from random words. */
#include "words.h"

#include <math.h>
#include <string.h>

#include "base_i.h"

void kith_i_words_open(kith_i_words *w,
                       void (*fill)(void *, uint64_t *, size_t), void *arg)
{
    memset(w, 0, sizeof *w);
    w->fill = fill;
    w->arg = arg;
    w->used = KITH_I_WORDS;
}

void kith_i_words_close(kith_i_words *w)
{
    kith_i_wipe(w, sizeof *w);
}

/* Polar method; one word gives both coordinates, 32 bits each. */
double kith_i_words_normal(kith_i_words *w)
{
    if (w->has_spare) {
        w->has_spare = 0;
        return w->spare;
    }
    double a, b, r;
    do {
        uint64_t word = kith_i_words_next(w);
        a = (double)(uint32_t)word * 0x1p-31 - (1 - 0x1p-32);
        b = (double)(uint32_t)(word >> 32) * 0x1p-31 - (1 - 0x1p-32);
        r = a * a + b * b;
    } while (r >= 1);
    double scale = sqrt(-2 * log(r) / r);
    w->spare = b * scale;
    w->has_spare = 1;
    return a * scale;
}

uint64_t kith_i_words_below(kith_i_words *w, uint64_t limit)
{
    uint64_t reject = -limit % limit, r; /* 2^64 mod limit */
    do {
        r = kith_i_words_next(w);
    } while (r < reject);
    return r % limit;
}
