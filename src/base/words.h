/* Random words from whoever hands them out: the samplers of Markov chains take
 * these, so that they run on secret coins inside the gate and on seeded ones in
 * tests. Plain doubles come out: for what is "asymptotic" only, never for the
 * noise of a release. */
#ifndef KITH_WORDS_H
#define KITH_WORDS_H

#include <stddef.h>
#include <stdint.h>

enum { KITH_I_WORDS = 256 };

typedef struct kith_i_words {
    void (*fill)(void *arg, uint64_t *words, size_t count);
    void *arg;
    uint32_t used; /* of the buffer; KITH_I_WORDS: empty */
    int has_spare;
    double spare; /* the polar method makes two deviates */
    uint64_t buffer[KITH_I_WORDS];
} kith_i_words;

void kith_i_words_open(kith_i_words *w,
                       void (*fill)(void *, uint64_t *, size_t), void *arg);
void kith_i_words_close(kith_i_words *w); /* wipes */

/* A word that was handed out is wiped from the buffer (R12). */
static inline uint64_t kith_i_words_next(kith_i_words *w)
{
    if (w->used == KITH_I_WORDS) {
        w->fill(w->arg, w->buffer, KITH_I_WORDS);
        w->used = 0;
    }
    uint64_t word = w->buffer[w->used];
    w->buffer[w->used++] = 0;
    return word;
}

/* Uniform in (0, 1): never an end. */
static inline double kith_i_words_unit(kith_i_words *w)
{
    return ((double)(kith_i_words_next(w) >> 12) + .5) * 0x1p-52;
}

double kith_i_words_normal(kith_i_words *w);
uint64_t kith_i_words_below(kith_i_words *w, uint64_t limit); /* limit > 0 */

#endif
