/* mechanism: a randomiser with its published parameters, and what a device
 * checks of it.
 *
 * The promise (I39) does not rest on the server. It rests on
 * kith_i_mechanism_flaw with the odds that the device's owner allows
 * (kith_i_odds_floor of what is charged): the output probabilities for two
 * inputs differ by at most the factor num / den, whatever question and
 * mechanism say, and num / den is at most what is allowed, compared exactly.
 * What a published mechanism calls its loss is not looked at here: odds that
 * are to be charged as declared are made for the declared loss.
 *
 * One report costs this much. A device that draws a second report for the same
 * round, with fresh coins, pays twice and has to be charged twice: nothing in
 * this folder below device.c remembers. device.c draws once a task, keeps the
 * bytes, and sends the same ones again. */
#ifndef KITH_MECHANISM_H
#define KITH_MECHANISM_H

#include <stdint.h>

#include "base/scale.h"
#include "odds.h"
#include "question.h"

/* Most codewords in a codebook: an index is one byte. And most vectors in all
 * codewords together, when a codeword is a matrix of several. */
#define KITH_I_CODEBOOK      256u
#define KITH_I_CODEBOOK_WORK 512u

/* A randomiser with all of its public parameters; see
 * collect/mechanism_make.c. */
typedef struct kith_i_mechanism {
    kith_i_randomizer kind; /* never AUTO */
    uint64_t loss;          /* epsilon in units of 2^-50 */
    kith_i_odds odds;       /* not for the Gaussian */
    uint64_t symbols;       /* KRR, OLH, HADAMARD: of the question */
    /* KRR: symbols; OLH: g; HADAMARD: 2; CODEBOOK: N. The report is a number
     * below it. */
    uint64_t outputs;
    uint64_t rows;      /* HADAMARD: a power of two >= symbols */
    uint32_t top;       /* CODEBOOK: m */
    uint32_t rank;      /* CODEBOOK of matrices: their rank; else 0 */
    uint32_t width;     /* vectors: coordinates, lifted */
    uint32_t kept;      /* vectors: coordinates that the server keeps */
    uint32_t buckets;   /* vectors */
    kith_i_scale sigma; /* GAUSSIAN, in lattice steps */
    double alpha;       /* CODEBOOK: what is left of u, for the server */
} kith_i_mechanism;

/* Do the sizes fit the question, and the question the device? NULL: they do;
 * else what is wrong. Odds and noise are not looked at. */
const char *kith_i_mechanism_shape(const kith_i_mechanism *mechanism,
                                   const kith_i_question *question, uint32_t d);

/* What is wrong with a mechanism for this question, for a device that allows
 * these odds; NULL: nothing. No device sends Gaussian reports: they are for
 * studies (simulate/), and are not pure. Odds of zeros allow nothing. */
const char *kith_i_mechanism_flaw(const kith_i_mechanism *mechanism,
                                  const kith_i_question *question, uint32_t d,
                                  kith_i_odds most);

/* Bytes of a number below `outputs`. */
uint32_t kith_i_number_bytes(uint64_t outputs);

#endif
