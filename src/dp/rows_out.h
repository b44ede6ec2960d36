/* rows_out.c: the only way by which rows leave the gate, for the side door
 * (sidedoor/). Each kind of copy is a type of its own, and whoever takes one
 * has paid and bears its consequence: there is no function that hands rows to
 * a chain and leaves the session "exact", and scripts/check_layers.py keeps
 * the names of all that visits rows out of sidedoor/. */
#ifndef KITH_ROWS_OUT_H
#define KITH_ROWS_OUT_H

#include "dp_private.h"

/* For a Markov chain: from here on the session is at most "asymptotic". Rows on
 * their lattice as integer-valued doubles, padded with zeros to `stride`. */
typedef struct kith_i_chain_copy {
    double *x; /* NULL in a plan */
    size_t n;
    uint32_t d, stride;
} kith_i_chain_copy;

/* Pays the bill. unproved: nothing is promised any more ("none"). Close it in
 * any case. Dense rows only. */
kith_status kith_i_chain_copy_open(kith_session *session,
                                   const kith_i_bill *bill, int unproved,
                                   kith_i_chain_copy *out, kith_error *err);
void kith_i_chain_copy_close(kith_i_chain_copy *copy);

/* For sample-and-aggregate and noisy draws: takes all that is left of the
 * session, so that nothing can be released beside it. Rows of d numbers. */
typedef struct kith_i_block_copy {
    double *x; /* NULL in a plan */
    size_t n;
    uint32_t d;
} kith_i_block_copy;

/* bill->loss is set here. forced: nothing is promised any more ("none"). */
kith_status kith_i_block_copy_open(kith_session *session,
                                   const kith_i_bill *bill, int forced,
                                   kith_i_block_copy *out, kith_error *err);
void kith_i_block_copy_close(kith_i_block_copy *copy);

#endif
