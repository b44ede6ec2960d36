/* Who is asked: every user has a point on a circle of 2^53, and a group is the
 * range of points [start, start + length). Shares of the users are ranges, and
 * both are exact as doubles. */
#ifndef KITH_CIRCLE_H
#define KITH_CIRCLE_H

#include "question.h"

#define KITH_I_CIRCLE (UINT64_C(1) << 53)

typedef struct kith_i_range {
    uint64_t start, length;
} kith_i_range;

/* The range of a question's share at its offset; both multiples of 2^-53 that
 * do not reach beyond 1. */
static inline kith_i_range kith_i_circle_range(const kith_i_question *q)
{
    return (kith_i_range){.start = (uint64_t)(q->offset * 0x1p53),
                          .length = (uint64_t)(q->share * 0x1p53)};
}

static inline int kith_i_circle_has(kith_i_range range, uint64_t point)
{
    return ((point - range.start) & (KITH_I_CIRCLE - 1)) < range.length;
}

#endif
