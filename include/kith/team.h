/* Teams: several processes (ranks) that hold parts of one dataset.
 *
 * Every rank loads its own rows and then makes the same calls, in the same
 * order and with the same options, on a session whose options name the team.
 * Rank 0 alone charges the ledger and draws noise; the results are the same on
 * every rank, and with a seed they have the bits of a single process. The
 * library talks through the three functions below and knows no network:
 * tools/kith-mpi has them for MPI.
 *
 * Ranks trust each other: they are parts of one curator. Whatever carries the
 * messages sees exact sums: guard it like the rows. */
#ifndef KITH_TEAM_H
#define KITH_TEAM_H

#include <stddef.h>
#include <stdint.h>

#include "kith/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The functions are called by one thread of a rank at a time, in the same order
 * on every rank, and return nonzero when they failed: then the team is over. */
typedef struct kith_team {
    size_t size; /* of this struct; fields are only appended */
    uint32_t rank, ranks;
    void *arg;
    /* values of rank 0 become the sums over all ranks, modulo 2^64; those of
     * the others may be destroyed. */
    int (*sum)(void *arg, uint64_t *values, size_t count);
    /* Everybody gets rank 0's bytes. */
    int (*share)(void *arg, void *bytes, size_t count);
    /* Rank 0 gets the bytes of all ranks, one after another in their order: the
     * team's memory, which rank 0 may write to, until the next gather. */
    int (*gather)(void *arg, const void *mine, size_t bytes, void **all,
                  size_t *total);
} kith_team;

/* Does everybody go on? All ranks call it, each with how it fared (err: why it
 * failed), and all get the same answer: KITH_OK if all were, else the status
 * and the message of the lowest rank that was not. For what a rank does by
 * itself, such as reading its files, before a session is open. */
KITH_API KITH_CHECKED kith_status kith_team_agree(const kith_team *team,
                                                  kith_status mine,
                                                  kith_error *err);

#ifdef __cplusplus
}
#endif

#endif
