/* blocks.c: sample and aggregate up to the answers. Records are dealt to
 * blocks, a solver runs on each; release_blocks.c and release_average.c say
 * what it costs and what leaves. Here are answers that must not leave as they
 * are: inside sidedoor/ only. */
#ifndef KITH_BLOCKS_H
#define KITH_BLOCKS_H

#include <stdatomic.h>

#include "release/rows_out.h"
#include "release_blocks.h"
#include "smooth.h"

typedef struct kith_i_blocks kith_i_blocks;

/* The answer of one block, in integers within the bound that was charged for,
 * whatever the rows are. room: zeros. Fails for want of memory only. */
typedef kith_status kith_i_block_answer(const kith_i_blocks *b,
                                        const double *rows, uint32_t n,
                                        kith_i_coins *coins, double *room,
                                        int32_t *answer);

/* k planes of q orthonormal rows for n rows of d numbers (lattice units).
 * Total: whatever the rows are. Its coins do not depend on the data. Runs in
 * several threads at once. */
typedef kith_status kith_i_block_solver(const void *arg, const double *rows,
                                        uint32_t n, kith_i_coins *coins,
                                        double *planes, kith_error *err);

/* What leaves of the answers, with its noise. */
typedef kith_status kith_i_block_publish(kith_i_blocks *b, int64_t *out,
                                         kith_error *err);

struct kith_i_blocks {
    kith_session *s;
    const kith_i_blocks_spec *spec;
    kith_i_block_solver *solve; /* of planes */
    const void *arg;
    kith_i_block_answer *respond;
    kith_i_block_publish *publish;
    size_t entries, room; /* integers of an answer; numbers for making it */
    uint32_t d, m, each;
    size_t triangle; /* entries of a projection */
    kith_i_smooth smooth;
    uint64_t diameter;  /* squared */
    kith_i_scale scale; /* where it does not depend on the answers */
    const double *x;    /* n x d */
    size_t n, most;     /* records; of the largest block */
    uint32_t *order;    /* records, block by block */
    size_t *from;       /* m + 1 */
    uint64_t *seeds;    /* m */
    int32_t *answers;   /* m x entries */
    atomic_uint next;
    atomic_int failed;
    kith_i_entropy e;
};

/* The first `some` of n entries become a uniformly random choice of all, in
 * random order. */
void kith_i_blocks_shuffle(kith_i_entropy *e, uint32_t *order, size_t n,
                           size_t some);

/* Fills order and from; does not look at the records. room: n numbers. */
kith_status kith_i_blocks_deal(kith_i_blocks *b, uint32_t *room,
                               kith_error *err);

/* Fills answers, of every block. Fails for want of memory, or because it was
 * stopped. */
kith_status kith_i_blocks_solve(kith_i_blocks *b, kith_error *err);

/* Pays all that is left of the session (bill: all but the loss), deals, solves,
 * publishes. On failure out (size integers) is zero. */
kith_status kith_i_blocks_release(kith_i_blocks *b, const kith_i_bill *bill,
                                  int64_t *out, size_t size, kith_error *err);

/* release_average.c: what k points of the domain, wherever each of them goes,
 * cost with all that is left of the session: bill (->what is there), scale and
 * deviation. */
kith_status kith_i_points_price(const kith_session *session, uint32_t k,
                                kith_i_bill *bill, kith_i_scale *scale,
                                double *sd, kith_error *err);

/* k rounded projections, whatever the solver does. room: k x q x d. */
kith_i_block_answer kith_i_answer_planes;

/* release_blocks.c: with this solver and not the one that the spec names. */
kith_status kith_i_release_blocks_by(kith_session *session,
                                     const kith_i_blocks_spec *spec,
                                     kith_i_block_solver *solve,
                                     const void *arg, int64_t *out,
                                     kith_error *err);

#endif
