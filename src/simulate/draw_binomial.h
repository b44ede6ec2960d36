#ifndef KITH_DRAW_BINOMIAL_H
#define KITH_DRAW_BINOMIAL_H

#include "base/base_i.h"

/* Successes of n trials with chance p each. */
uint64_t kith_i_draw_binomial(kith_i_coins *coins, uint64_t n, double p);

#endif
