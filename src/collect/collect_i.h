/* collect: bytes in, integer sums that merge by addition, estimates out. */
#ifndef KITH_COLLECT_I_H
#define KITH_COLLECT_I_H

#include "budget/budget_i.h"
#include "collector.h"
#include "device/respond.h"

/* ---- report_precision.c: what a randomiser's reports are worth ---- */

/* Probabilities p that a report supports the user's own symbol, q another. */
typedef struct kith_i_support {
    double p, q;
} kith_i_support;

kith_i_support kith_i_mechanism_support(const kith_i_mechanism *mechanism);
/* Standard deviation of one report about a symbol that is not the user's. */
double kith_i_mechanism_sd(const kith_i_mechanism *mechanism);
/* Variance of one report that a unit of the symbol's share adds. */
double kith_i_mechanism_per_share(const kith_i_mechanism *mechanism);

/* g of OLH, and the rule between it and kRR. */
uint64_t kith_i_olh_outputs(double odds);
int kith_i_krr_is_better(double odds, uint64_t symbols);

/* The law of a codeword: m (the best), alpha = E<c, u>, along = E<c, u>^2. Of
 * matrices C: the mean of C is alpha z z' + b I, along = E<C, z z'>^2. */
typedef struct kith_i_codebook_law {
    uint32_t top;
    double alpha, along;
} kith_i_codebook_law;

/* top = 0: choose the best m. */
kith_i_codebook_law kith_i_codebook_solve(double odds, uint32_t width,
                                          uint32_t top);
/* outputs: codewords, at most KITH_I_CODEBOOK; width >= 2. */
kith_i_codebook_law kith_i_matrix_solve(double odds, uint32_t width,
                                        uint32_t rank, uint32_t outputs,
                                        uint32_t top);
/* The rank and the number of codewords with the least noise that a device is
 * willing to compute. */
void kith_i_matrix_choose(double odds, uint32_t width, uint32_t *rank,
                          uint32_t *outputs);

/* ---- answer.c ---- */

/* Room for the estimates of a question's answer; zeros and HUGE_VAL. */
kith_status kith_i_answer_alloc(const kith_i_question *question, uint32_t d,
                                kith_i_answer *answer, kith_error *err);

/* sd and per_share, or noise, of an answer from `received` reports. */
void kith_i_answer_precision(const kith_i_mechanism *mechanism,
                             uint64_t received, kith_i_answer *answer);

/* Coordinates of bucket sums, kept x buckets as the mechanism has them (each
 * an unbiased estimate of a mean over the reports), into the layout of the
 * answer: triangles become matrices. */
void kith_i_answer_unpack(const kith_i_question *question, uint32_t d,
                          const double *coordinates, kith_i_answer *answer);

/* ---- mechanism_make.c ---- */

/* The randomiser for a question about records in R^d, with its parameters.
 * Refuses a question with a flaw. */
kith_status kith_i_mechanism_make(const kith_i_question *question, uint32_t d,
                                  kith_i_mechanism *out, kith_error *err);

/* floor(epsilon 2^50): what a report costs. KITH_ERR_PRIVACY unless epsilon is
 * in (0, KITH_I_LOCAL_EPSILON_MAX] and at least one unit. */
kith_status kith_i_report_loss(double epsilon, kith_i_loss *out,
                               kith_error *err);

/* What a user allows in one report. Zeros: nothing. */
typedef struct kith_i_limits {
    kith_i_odds odds;
    /* GAUSSIAN: the most that the question may declare, and the least noise
     * for it, in lattice steps; num = 0: no Gaussian. */
    double delta;
    kith_i_scale sigma;
} kith_i_limits;

/* What a user allows this report when it is charged the declared loss (and
 * delta): no more than that, nor than the device has left. For whoever holds
 * the accounts of a simulation.
 */
kith_status kith_i_limits_make(const kith_i_mechanism *mechanism,
                               const kith_i_question *question,
                               kith_i_loss epsilon, double delta,
                               kith_i_limits *out, kith_error *err);

/* ---- gaussian_limits.c ---- */

/* Lattice steps in a unit of length of a Gaussian report. */
#define KITH_I_GAUSSIAN_UNIT 4096

/* kith_i_mechanism_flaw, Gaussian reports included: inputs are integer vectors
 * at most 2 UNIT apart, whatever the question says, and sigma >= limits.sigma,
 * compared exactly. */
const char *kith_i_limits_flaw(const kith_i_mechanism *mechanism,
                               const kith_i_question *question, uint32_t d,
                               const kith_i_limits *limits);
/* No report may count for more than this in a coordinate. */
int32_t kith_i_gaussian_clip(const kith_i_mechanism *mechanism);

/* ---- tally.c: the state of one group in one round ---- */

/* Integers and nothing else: reports in any order, on any number of shards,
 * merged in any order, give the same bits. A report counts once (by its
 * nonce), and for a bounded amount whoever made it. */
typedef struct kith_i_tally kith_i_tally;

/* digest: of the published round (round.h), or any 32 bytes that tell rounds
 * apart. nonce of *ticket is not used. */
kith_status kith_i_tally_new(const kith_i_mechanism *mechanism,
                             const kith_i_ticket *ticket,
                             const uint8_t digest[32], kith_i_tally **out,
                             kith_error *err);
void kith_i_tally_free(kith_i_tally *tally); /* NULL is fine */

/* KITH_ERR_INPUT: not counted (malformed, of another round, or seen before).
 */
kith_status kith_i_tally_add(kith_i_tally *tally, const uint8_t *bytes,
                             size_t count, kith_error *err);
uint64_t kith_i_tally_received(const kith_i_tally *tally);
/* About so many reports will come: room for them is made once. */
kith_status kith_i_tally_expect(kith_i_tally *tally, uint64_t more,
                                kith_error *err);
/* The round is over: nothing is added or merged any more, and what is
 * kept for that alone (whose report was counted) is given back. */
void kith_i_tally_close(kith_i_tally *tally);

/* Add what `from` has. Refused, with nothing changed, when they are not of the
 * same group or have a report in common: a report belongs to one shard, for
 * instance the one its nonce names. */
kith_status kith_i_tally_merge(kith_i_tally *into, const kith_i_tally *from,
                               kith_error *err);

/* Estimates. With fewer than `minimum` reports (at least 1) the answer is that
 * nobody answered. answer: from kith_i_answer_alloc. threads: for OLH. */
kith_status kith_i_tally_answer(const kith_i_tally *tally,
                                const kith_i_question *question, uint32_t d,
                                uint64_t minimum, uint32_t threads,
                                kith_i_answer *answer, kith_error *err);
/* Fractions of these symbols; a symbol out of range has fraction 0. */
kith_status kith_i_tally_fractions(const kith_i_tally *tally,
                                   const uint64_t *keys, uint64_t count,
                                   uint32_t threads, double *fractions,
                                   kith_error *err);

#endif
