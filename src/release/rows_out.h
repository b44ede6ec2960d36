/* rows_out.c: the only way by which rows leave the gate, for the side door
 * (sidedoor/). Each kind of copy is a type of its own, and whoever takes one
 * has paid and bears its consequence. The side door does not know what a
 * session is made of, so it cannot take that back; scripts/check_layers.py
 * says which file opens which copy, and keeps all else that visits rows out of
 * sidedoor/. So what went through a chain cannot be called exact. */
#ifndef KITH_ROWS_OUT_H
#define KITH_ROWS_OUT_H

#include "dp/price.h"

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

/* For sample-and-aggregate and noisy draws: pays with all that is left of the
 * session and not held. Rows of d numbers. */
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
