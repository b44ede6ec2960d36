/* Are two noise vectors unlike, as independent ones are? For every law whose
 * value does not change when signs are flipped, or neighbours swapped, one
 * coordinate (one pair) at a time, in one of the two vectors, both counts below
 * are binomial with chance 1/2, whatever the other vector is: the false-alarm
 * rate is exact, not asymptotic. Laplace, Gaussian and K-norm noise are such
 * laws (the latter given its radius). */
#ifndef KITH_TEST_UNLIKE_H
#define KITH_TEST_UNLIKE_H

#include <math.h>

#include "support/cmocka_all.h"

/* Of one count; a program makes less than 1000 of them: 5e-7 in all. */
#define UNLIKE_ALARM 5e-10

/* Pr[|successes - n/2| at least as large as this], successes of n fair coins.
 */
static inline double fair_coin_tail(size_t successes, size_t n)
{
    size_t least = successes > n - successes ? successes : n - successes;
    double tail = 0;
    for (size_t k = least; k <= n; k++)
        tail += exp(lgamma((double)n + 1) - lgamma((double)k + 1) -
                    lgamma((double)(n - k) + 1) - (double)n * log(2));
    return fmin(1, 2 * tail);
}

static inline int sign_of(int64_t x)
{
    return (x > 0) - (x < 0);
}

/* How often a[i] and b[i] have the same sign, of *tries without a zero. */
static inline size_t same_signs(const int64_t *a, const int64_t *b, size_t n,
                                size_t *tries)
{
    size_t same = 0;
    *tries = 0;
    for (size_t i = 0; i < n; i++) {
        int both = sign_of(a[i]) * sign_of(b[i]);
        *tries += both != 0;
        same += both > 0;
    }
    return same;
}

/* How often the larger one (in size) of two neighbours is at the same place, of
 * *tries without a tie. */
static inline size_t same_order(const int64_t *a, const int64_t *b, size_t n,
                                size_t *tries)
{
    size_t same = 0;
    *tries = 0;
    for (size_t i = 0; i + 1 < n; i += 2) {
        int both = sign_of(llabs(a[i]) - llabs(a[i + 1])) *
                   sign_of(llabs(b[i]) - llabs(b[i + 1]));
        *tries += both != 0;
        same += both > 0;
    }
    return same;
}

static inline void check_fair(const char *what, size_t same, size_t tries)
{
    assert_true(tries >= 32); /* else nothing could be seen */
    if (fair_coin_tail(same, tries) < UNLIKE_ALARM)
        fail_msg("%s: alike in %zu of %zu places", what, same, tries);
}

/* Few values are the same: words that a part of one vector shares with a part
 * of the other. Each place by chance with less than 1e-6: more than 3 of 5120
 * with less than 3e-11. */
static inline void check_different(const char *what, const int64_t *a,
                                   const int64_t *b, size_t n)
{
    size_t same = 0;
    assert_true(n <= 5120);
    for (size_t i = 0; i < n; i++)
        same += a[i] == b[i];
    if (same > 3)
        fail_msg("%s: the same in %zu of %zu places", what, same, n);
}

/* Noise of a scale of at least 10^6. */
static inline void check_unlike(const char *what, const int64_t *a,
                                const int64_t *b, size_t n)
{
    check_different(what, a, b, n);
    size_t tries, same = same_signs(a, b, n, &tries);
    check_fair(what, same, tries);
    same = same_order(a, b, n, &tries);
    check_fair(what, same, tries);
}

/* All pairs of `count` vectors of n numbers, one after the other. */
static inline void check_all_unlike(const char *what, const int64_t *noise,
                                    size_t count, size_t n)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            check_unlike(what, noise + i * n, noise + j * n, n);
}

#endif
