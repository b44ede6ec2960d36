/* ranks: the command as one of several ranks (kith-mpi), or alone (kith). */
#ifndef KITH_TOOL_RANKS_H
#define KITH_TOOL_RANKS_H

#include <kith/kith.h>

/* From now on this process is a rank of the team; borrowed for life. Ranks
 * other than 0 print nothing and write nothing. */
void ranks_set(const kith_team *team);
/* NULL: alone. */
const kith_team *ranks_team(void);
int ranks_lead(void); /* alone, or rank 0 */

/* Is all well everywhere? Exit code, the same on all ranks; rank 0 has printed
 * why not. code: this rank's. After a failure nothing is said any more. */
int ranks_agree(int code);
/* A failure that all ranks have heard of in a session. Returns code. */
int ranks_over(int code);

/* Add up rows and costs of all ranks, in their order; on rank 0. Exit code. */
int ranks_add_costs(uint64_t *rows, double *cost);

/* Keep a message that only rank 0 may print. */
void ranks_keep(const char *text);

#endif
