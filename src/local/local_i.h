/* local: nobody holds the rows. Each user answers one public question once,
 * with her own secret coins, and what she sends is epsilon-LDP whatever the
 * question says.
 *
 * The folder has three floors. Client (encode.c, the randomisers): one record,
 * public parameters, integers and secret coins; no allocation, no I/O, so that
 * it compiles to WebAssembly alone. Server (report.c, tally.c, oracle.c): bytes
 * in, integer sums that merge by addition, unbiased estimates out. Methods:
 * straight-line scripts that ask questions through a collector and compute on
 * the answers, which are public.
 *
 * A method never knows where answers come from. The simulator answers by
 * running every user's client and sending its bytes through the server; the
 * law draws the sums from their exact distribution; a network service answers
 * from stored tallies and says KITH_I_PENDING for a round that is not
 * collected yet, after which the same script is simply run again from the top
 * (its public coins and its answers are the same, so it asks the same). */
#ifndef KITH_LOCAL_I_H
#define KITH_LOCAL_I_H

#include <stddef.h>
#include <stdint.h>

#include "base/base_i.h"

/* ---- questions ------------------------------------------------------------
 */

/* Everything below is public, and is published as canonical JSON (round.c). */

/* y = rows . (x - offset), clipped to +-half in each of q coordinates. */
typedef struct kith_i_lens {
    uint32_t q, d;
    const double *rows;   /* q x d; NULL: y = x - offset, q = d */
    const double *offset; /* d; NULL: 0 */
    const double *half;   /* q; NULL: not clipped */
} kith_i_lens;

/* A binary tree: y[axis] >= threshold goes right. Leaves have axis < 0 and
 * their number in `left`. Node 0 is the root. */
typedef struct kith_i_tree_node {
    int32_t axis;
    uint32_t left, right;
    double threshold;
} kith_i_tree_node;

/* A shifted grid: cell_i = floor((y_i + reach + shift_i) / side), each in
 * 0 .. cells-1 (clamped); its key is the mixed-radix number of the q cells,
 * coordinate 0 least significant, below 2^62. */
typedef struct kith_i_grid {
    kith_i_lens lens; /* its half is the reach */
    double side;
    const double *shift; /* q, in [0, side) */
    uint32_t cells;      /* a coordinate */
} kith_i_grid;

/* One grid of the paper's GoodCenters: the cells that made a centre. */
typedef struct kith_i_creation {
    kith_i_grid grid;
    uint32_t radius_number; /* several grids (repetitions) share a radius; 0 is
                               the largest */
    uint32_t count;         /* of kept cells */
    const uint64_t *keys;   /* increasing */
    const uint32_t *center; /* count: number of the centre it created */
    double reach; /* a user farther than this from the centre did not create
                     it (the paper's 5cr); 0: off */
} kith_i_creation;

typedef enum kith_i_place_kind {
    KITH_I_PLACE_ONE = 1, /* everybody is in place 0                          */
    KITH_I_PLACE_TREE,    /* the leaf of a tree, seen through the lens        */
    KITH_I_PLACE_NEAREST, /* the nearest of `places` points in the lens       */
    KITH_I_PLACE_GRID,    /* the key of the grid cell, as it is               */
    KITH_I_PLACE_LIST,    /* position of the cell's key in a list, or none    */
    KITH_I_PLACE_PREFER   /* the paper's a(i, x): see prefer.c                */
} kith_i_place_kind;

typedef struct kith_i_place {
    kith_i_place_kind kind;
    uint64_t places; /* how many there are, "none" not counted */
    kith_i_lens lens;
    const kith_i_tree_node *tree; /* TREE */
    uint32_t tree_nodes;
    const double *points; /* NEAREST: places x lens.q */
    kith_i_grid grid;     /* GRID, LIST */
    const uint64_t *keys; /* LIST: increasing */
    /* LIST: in place j only when |x - center_j| <= reach, else none. 0: off */
    double reach;
    const kith_i_creation *creations; /* PREFER; points: all centres, d each */
    uint32_t creation_count;
    const uint8_t *kept; /* PREFER: centre is in W; NULL: weights a, not b */
} kith_i_place;

typedef enum kith_i_report_kind {
    KITH_I_REPORT_SYMBOL = 1, /* the place; "none" is symbol `places`, present
                                 only for LIST and PREFER                    */
    KITH_I_REPORT_DISTANCE,   /* place * bands + band of |x - center_place|:
                                 band b: at most top 2^(-b/2), and above the
                                 next; beyond top counts as band 0, the last
                                 band reaches to 0. A vector of none: symbol
                                 places * bands, for LIST and PREFER only    */
    KITH_I_REPORT_VECTOR,     /* v = clip((x - center_j) / radius_j) to the unit
                                 ball, in bucket j = place; none: v = 0      */
    KITH_I_REPORT_MOMENT      /* second moment of the lifted v (local_auto.md,
                                 MOM), in bucket j                           */
} kith_i_report_kind;

typedef enum kith_i_randomizer {
    KITH_I_RANDOMIZER_AUTO = 0, /* symbols: by variance; vectors: codebook */
    KITH_I_RANDOMIZER_KRR,
    KITH_I_RANDOMIZER_OLH,
    KITH_I_RANDOMIZER_HADAMARD,
    KITH_I_RANDOMIZER_CODEBOOK,
    KITH_I_RANDOMIZER_GAUSSIAN /* reference mode: (epsilon, delta) */
} kith_i_randomizer;

typedef struct kith_i_question {
    const char *what; /* for people: "second moments" */
    double share;     /* of all invited users; a user is in one group only */
    double epsilon;   /* of this report; delta for the Gaussian */
    double delta;
    kith_i_randomizer randomizer;
    kith_i_report_kind report;
    kith_i_place place;
    uint32_t bands;        /* DISTANCE */
    double top;            /* DISTANCE: the largest edge */
    const double *centers; /* places x d; DISTANCE, VECTOR, MOMENT, LIST with
                              reach; NULL: the origin */
    const double *radii;   /* places; VECTOR, MOMENT; > 0 */
    /* SYMBOL over a huge GRID: the keys the server wants estimated, decided
     * when the answer is read; see kith_i_answer. NULL: all symbols. */
    const uint64_t *wanted;
    uint32_t wanted_count;
    /* 0: the usual case; a user answers one question in her life, and the
     * collector hands out fresh groups of `share`. Above 0, only to split
     * epsilon instead of users as printed in the paper: partition p cuts all
     * users by a public hash of (token, p) into [0, 1), and this question is
     * for those in [offset, offset + share). The same users may be asked again
     * with another question; the epsilons and deltas of all questions that a
     * user can get must add up to no more than the task's (local_trace.c
     * refuses otherwise). */
    uint32_t partition;
    double offset;
} kith_i_question;

/* ---- answers --------------------------------------------------------------
 */

/* What the server knows after a group has reported: unbiased estimates. */
typedef struct kith_i_answer {
    uint64_t received;
    /* SYMBOL, DISTANCE: estimated fractions of the group, by symbol (or by
     * wanted key), and the standard deviation of one whose true value is 0.
     * Nobody answered: zeros, and HUGE_VAL. */
    double *fractions;
    uint64_t symbols;
    double sd;
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
/* Collectors over a dataset: src/plain/local_crowd.h (simulate and law). */

/* What ask says when a round is not collected yet. Not an error: it never
 * leaves the library, and err is not filled in. */
#define KITH_I_PENDING ((kith_status)1000)

/* oracle.c: per-report standard deviation (times 1/sqrt(reports)) of a symbol's
 * estimate whose true fraction is 0, under the randomiser the AUTO rule takes
 * for `symbols` symbols; of OLH; of one coordinate of a codebook report of a
 * vector in R^width (lifted already), and sqrt 2 times that of an entry off the
 * diagonal of its second moment. For the methods' public rules. */
double kith_i_symbol_sd(double epsilon, uint64_t symbols);
double kith_i_olh_sd(double epsilon);
double kith_i_vector_sd(double epsilon, uint32_t width);
double kith_i_moment_sd(double epsilon, uint32_t width);

/* ---- methods --------------------------------------------------------------
 */

typedef struct kith_i_local_task {
    uint32_t k, d;
    double epsilon, delta;
    int median;          /* k-median throughout */
    const double *lower; /* d: the public box */
    const double *upper;
    const double *center; /* d: of the public ball */
    double radius;
    uint64_t public_seed;
    int paper_constants, split_epsilon; /* weighted-centers */
    uint32_t radii, repetitions;        /* weighted-centers: J, M; 0: its own */
    int e2lsh, boxes; /* weighted-centers: E2LSH for the grid; steps 3 to 6 */
} kith_i_local_task;

/* centers: room for k x d; *found <= k of them are filled, in the units of the
 * records; weights: k, estimated shares of the users. */
typedef kith_status kith_i_local_fn(const kith_i_local_task *task,
                                    kith_i_collector *collector,
                                    double *centers, double *weights,
                                    uint32_t *found, kith_error *err);
kith_i_local_fn kith_i_local_auto, kith_i_local_one_round,
    kith_i_local_weighted_centers, kith_i_local_mean;

#endif
