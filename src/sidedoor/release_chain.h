/* release_chain.c: draw from an exponential mechanism over a continuous range
 * with a sampler in floating point. The one release that has no proof behind
 * its draw: the session is weakened to "asymptotic". */
#ifndef KITH_RELEASE_CHAIN_H
#define KITH_RELEASE_CHAIN_H

#include "base/words.h"
#include "dp/dp_i.h"

/* What the sampler is shown, inside of the bracket only: the records on their
 * lattice as integer-valued doubles, padded with zeros to `stride` numbers a
 * row and aligned; and the exponent of the law it has to draw from, per squared
 * lattice unit of loss. */
typedef struct kith_i_chain_rows {
    const double *x;
    size_t n;
    uint32_t d, stride;
    double exponent;
    double square; /* the most |x|^2 can be: the bound of one record's loss */
} kith_i_chain_rows;

/* Write a state drawn with probability proportional to
 *   exp(-exponent * sum over records of loss(record, state)),
 * where every loss is in [0, square]. coins: secret. The number of steps is
 * fixed beforehand; nothing but the state may leave (no progress, no timing,
 * nothing kept behind arg). Deterministic in rows, coins and arg. One that is
 * stopped (base/watch.h) may leave any state: it goes nowhere. */
typedef kith_status kith_i_chain_fn(void *arg, const kith_i_chain_rows *rows,
                                    kith_i_words *coins, double *state,
                                    kith_error *err);

typedef struct kith_i_chain_spec {
    const char *what;
    kith_i_chain_fn *run;
    void *arg;
    size_t state; /* numbers in a state */
    /* For the receipt: a record's loss is a distance (at most twice the bound
     * of its length) times rows->exponent * bound / 2, and not a squared length
     * times rows->exponent. */
    int distances;
    kith_i_loss charge;
    /* Nonzero when the sampler starts at the data, or keeps diagnostics behind
     * arg: then nothing is promised any more ("none"). */
    int unproved;
} kith_i_chain_spec;

/* state: spec->state numbers; zeros in a plan. */
kith_status kith_i_release_chain(kith_session *session,
                                 const kith_i_chain_spec *spec, double *state,
                                 kith_error *err);

#endif
