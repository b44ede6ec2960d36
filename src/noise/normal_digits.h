/* normal_digits.c: standard normal deviates that are known by their digits.
 * Whoever needs more of them asks for more. */
#ifndef KITH_NORMAL_DIGITS_H
#define KITH_NORMAL_DIGITS_H

#include <stdatomic.h>

#include "entropy.h"
#include "sampler.h"

enum { KITH_I_EARLY = 16 };

/* A deviate whose own drawing took more than one digit: about once in 2^58. */
typedef struct kith_i_early_deviate {
    size_t at;
    kith_i_lazy x;
} kith_i_early_deviate;

typedef struct kith_i_normal_digits {
    const kith_i_entropy_source *source;
    uint64_t stream;
    size_t count, chunks;                /* of deviates; of their streams */
    int8_t *whole;                       /* k, or -1 - k for a negative one */
    uint64_t *digit[KITH_I_LAZY_DIGITS]; /* base 2^64, after the point */
    uint8_t *depth;                      /* digits that a chunk has */
    kith_i_early_deviate early[KITH_I_EARLY];
    atomic_size_t early_count, next;
    atomic_int failed, no_memory;
} kith_i_normal_digits;

/* Draw count deviates with one digit each. The words come from the streams
 * stream << 32 and on; the source must outlive them. */
void kith_i_normal_digits_open(kith_i_normal_digits *n,
                               const kith_i_entropy_source *source,
                               uint64_t stream, size_t count, uint32_t threads);
void kith_i_normal_digits_close(kith_i_normal_digits *n); /* wipes */

/* At least so many digits for the deviates first to last. */
void kith_i_normal_digits_deepen(kith_i_normal_digits *n, size_t first,
                                 size_t last, uint32_t digits);

/* Nothing of it may be used. */
int kith_i_normal_digits_broken(const kith_i_normal_digits *n);

#endif
