/* collector: how a method asks, and what it gets back. A method never knows
 * where answers come from. The simulator answers by running every user's
 * device and sending its bytes through the server; the law draws the sums from
 * their exact distribution; a network service answers from stored reports and
 * says KITH_I_PENDING for a round that is not collected yet, after which the
 * same script is simply run again from the top (its public coins and its
 * answers are the same, so it asks the same). */
#ifndef KITH_COLLECTOR_H
#define KITH_COLLECTOR_H

#include "base/base_i.h"
#include "device/question.h"

/* What the server knows after a group has reported: unbiased estimates. */
typedef struct kith_i_answer {
    uint64_t received;
    /* SYMBOL, DISTANCE: estimated fractions of the group, by symbol (or by
     * wanted key), and the standard deviation of one whose true value is 0.
     * Nobody answered: zeros, and HUGE_VAL. per_share: a true value f adds
     * f per_share - f^2 / received to the variance, the draw of the users
     * included; the covariance of two is - f g / received, so that the total
     * is what is known best. */
    double *fractions;
    uint64_t symbols;
    double sd, per_share;
    /* VECTOR: (1/received) sum over users in bucket j of v, buckets x d, and
     * the noise on one coordinate. MOMENT: the same of v v' - I / (d + 1),
     * buckets x d x d, symmetric; noise: sqrt 2 times that of an entry off the
     * diagonal, a little more than that of one on it. */
    double *sums;
    uint32_t buckets;
    double noise;
} kith_i_answer;

/* Ask for more keys of a SYMBOL question over a GRID that is already answered
 * (the prefix tree goes down without new reports). */
typedef struct kith_i_collector kith_i_collector;
struct kith_i_collector {
    uint64_t invited; /* n: public */
    uint64_t minimum; /* with fewer reports a group's answer is nothing */
    uint32_t d;
    /* One round: the questions are asked at the same time, each to a fresh
     * group. answers: filled, freed by kith_i_answer_free. The collector keeps
     * what it needs for `again` until it is closed. KITH_I_PENDING: not
     * collected yet, stop and return it. */
    kith_status (*ask)(kith_i_collector *self, const kith_i_question *questions,
                       size_t count, kith_i_answer *answers, kith_error *err);
    /* Estimates for other keys of question number `question` (counted over the
     * whole run, from 0): only for reports that can be decoded later. */
    kith_status (*again)(kith_i_collector *self, size_t question,
                         const uint64_t *keys, uint32_t count,
                         double *fractions, kith_error *err);
    kith_status (*progress)(kith_i_collector *self, unsigned done,
                            unsigned total, kith_error *err);
};
void kith_i_answer_free(kith_i_answer *answer);
/* Collectors over a dataset: simulate/crowd.h (devices and law). */

/* What ask says when a round is not collected yet. Not an error: it never
 * leaves the library, and err is not filled in. */
#define KITH_I_PENDING ((kith_status)1000)

/* report_precision.c: per-report standard deviation (times 1/sqrt(reports)) of
 * a symbol's estimate whose true fraction is 0, under the randomiser the AUTO
 * rule takes for `symbols` symbols; of OLH; of one coordinate of a codebook
 * report of a vector in R^width (lifted already), and sqrt 2 times that of an
 * entry off the diagonal of its second moment. For the methods' public rules.
 */
double kith_i_symbol_sd(double epsilon, uint64_t symbols);
double kith_i_olh_sd(double epsilon);
double kith_i_vector_sd(double epsilon, uint32_t width);
double kith_i_moment_sd(double epsilon, uint32_t width);

#endif
