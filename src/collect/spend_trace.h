/* spend_trace: a collector that passes questions on to another one and keeps
 * the account: what was asked, of whom, and what the user who is asked most
 * spends in all. It refuses a question that would exceed the task's budget,
 * before anybody answers (I40). */
#ifndef KITH_SPEND_TRACE_H
#define KITH_SPEND_TRACE_H

#include "budget/budget_i.h"
#include "collector.h"

typedef struct kith_i_trace_entry {
    uint32_t round;
    char *what;
    const char *mechanism; /* constant */
    double share, epsilon, delta;
    uint32_t bytes;
    uint32_t partition;
    double offset;
    int vectors;
    double sigma; /* GAUSSIAN: noise in units of the radius; others: 0 */
} kith_i_trace_entry;

typedef struct kith_i_trace {
    kith_i_collector face;   /* first: what the methods see */
    kith_i_collector *inner; /* borrowed */
    double epsilon, delta;   /* what a user may spend */
    uint32_t rounds;
    kith_i_trace_entry *entries;
    size_t count, capacity;
} kith_i_trace;

void kith_i_trace_open(kith_i_trace *trace, kith_i_collector *inner,
                       double epsilon, double delta);
void kith_i_trace_close(kith_i_trace *trace);

/* delta in units of 2^-120: what is charged (rounded up), and what may be
 * spent (rounded down). Exact from delta = 2^-68 on. */
kith_i_u128 kith_i_delta_charge(double delta);
kith_i_u128 kith_i_delta_budget(double delta);

/* What the user who is asked most spends, and sends in all. Losses are added
 * up as devices charge them, in integers; the doubles are the same sums. */
typedef struct kith_i_trace_worst {
    double epsilon, delta, bytes;
    kith_i_loss loss;   /* 2^-50 */
    kith_i_u128 chance; /* delta, 2^-120 */
} kith_i_trace_worst;
kith_i_trace_worst kith_i_trace_user(const kith_i_trace_entry *entries,
                                     size_t count);

#endif
