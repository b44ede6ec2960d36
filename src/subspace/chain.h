/* What the Markov chains (gibbs, mincost) share: the start, one released state,
 * and diagnostics for those who ask for them and give up the guarantee. */
#ifndef KITH_CHAIN_H
#define KITH_CHAIN_H

#include "bingham_draw.h"
#include "sidedoor/release_chain.h"
#include "subspace_i.h"

/* What a chain notes after each sweep when diagnostics are kept; else NULL. */
typedef struct kith_i_chain_trace {
    double *energy, *overlap; /* by sweep */
    double *sum;              /* k x q x d: of all bases so far */
} kith_i_chain_trace;

typedef struct kith_i_chain_job {
    uint32_t k, q, d, sweeps;
} kith_i_chain_job;

/* Run all sweeps from the given planes (k x q x d), in place. */
typedef kith_status kith_i_chain_sampler(const kith_i_chain_job *job,
                                         const kith_i_chain_rows *rows,
                                         kith_i_words *coins, double *planes,
                                         kith_i_chain_trace *trace,
                                         kith_error *err);

/* gibbs.c, mincost.c */
kith_i_chain_sampler kith_i_gibbs_sample, kith_i_mincost_sample;

/* Note a state. energy: sum of squared distances in lattice units. */
void kith_i_chain_note(kith_i_chain_trace *trace, const kith_i_chain_job *job,
                       uint32_t sweep, const double *planes, double energy);

/* Spend all that is left on one state of the chain. sweeps: when the options
 * name none. */
kith_status kith_i_chain_release(kith_i_subspace_run *run, const char *what,
                                 kith_i_chain_sampler *sampler, uint32_t sweeps,
                                 kith_error *err);

/* Split R-hat of `chains` sequences of n numbers each, `stride` apart. */
double kith_i_split_rhat(const double *values, uint32_t chains, size_t stride,
                         size_t n);

#endif
