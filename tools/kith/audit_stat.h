/* Statistics of an audit: normal quantiles and exact binomial bounds. */
#ifndef KITH_TOOL_AUDIT_STAT_H
#define KITH_TOOL_AUDIT_STAT_H

#include <stddef.h>

double audit_normal(double x);         /* P(N <= x) */
double audit_normal_inverse(double p); /* -9 to 9 */

/* Clopper-Pearson: the probability behind `hits` of `tries` is at least this,
 * except with probability alpha. */
double audit_at_least(size_t hits, size_t tries, double alpha);

#endif
