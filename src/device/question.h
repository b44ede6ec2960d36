/* question: what a server may ask of a device. Everything here is public data:
 * where a record is looked for, what is reported of it, which randomiser hides
 * it. Nothing is code, so a device can check all of it (question_check.c). */
#ifndef KITH_QUESTION_H
#define KITH_QUESTION_H

#include <stddef.h>
#include <stdint.h>

/* Limits of a question: what a device is willing to compute. */
#define KITH_I_PLACES_MAX (UINT32_C(1) << 20)
#define KITH_I_KEY_LIMIT  (UINT64_C(1) << 62)
#define KITH_I_WIDTH_MAX  (UINT32_C(1) << 20)
/* Multiplications to find the place of one record. */
#define KITH_I_WORK_MAX (UINT64_C(1) << 32)
/* Coordinates in a lens that NEAREST computes once, not for every point. */
#define KITH_I_LENS_KEEP 128u

/* Everything below is public, and is published as canonical JSON
 * (collect/round_write.c). */

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

/* The words are the gate's (dp/ask.h), which no file here includes: a device
 * has reals and points that anybody may send. The numbers are the protocol's.
 */
typedef enum kith_i_place_kind {
    KITH_I_PLACE_ONE = 1, /* everybody is in place 0                          */
    KITH_I_PLACE_TREE,    /* the leaf of a tree, seen through the lens        */
    KITH_I_PLACE_NEAREST, /* the nearest of `places` points in the lens       */
    KITH_I_PLACE_GRID,    /* the key of the grid cell, as it is               */
    KITH_I_PLACE_LIST,    /* position of the cell's key in a list, or none    */
    KITH_I_PLACE_PREFER   /* the paper's a(i, x): see preferred_center.c   */
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
     * user can get must add up to no more than the task's
     * (collect/spend_trace.c refuses otherwise). */
    uint32_t partition;
    double offset;
} kith_i_question;

/* ---- question_check.c: is the question in order? ---- */

/* What is wrong with a question for records in R^d; NULL: nothing. */
const char *kith_i_question_flaw(const kith_i_question *question, uint32_t d);
/* Cells of a grid that is in order. */
uint64_t kith_i_grid_places(const kith_i_grid *grid);

/* ---- encode_record.c: from a record to what is reported of it ---- */

/* Symbols of SYMBOL and DISTANCE, "none" included; 0 for vectors. */
uint64_t kith_i_question_symbols(const kith_i_question *question);
/* VECTOR, MOMENT: coordinates of the lifted vector, and numbers that the server
 * keeps: its first d, or the triangle of their products. 0 for symbols. */
uint32_t kith_i_question_width(const kith_i_question *question, uint32_t d);
uint32_t kith_i_question_kept(const kith_i_question *question, uint32_t d);

/* The symbol of x; for vectors its bucket (places: none), and in vector the
 * lifted unit vector. coin: 64 secret bits, for PREFER. Total: any x. */
uint64_t kith_i_encode(const kith_i_question *question, uint32_t d,
                       const double *x, uint64_t coin, float *vector);

#endif
