/* team_mpi: kith_team over MPI. The only files that know MPI. */
#ifndef KITH_TEAM_MPI_H
#define KITH_TEAM_MPI_H

#include <kith/team.h>

/* Starts MPI. seconds: how long a rank waits for the others before it ends the
 * run on all of them. NULL: no memory. */
kith_team *team_mpi_open(int *argc, char ***argv);
void team_mpi_set_patience(kith_team *team, double seconds);
/* What to do before this rank ends the run. */
void team_mpi_set_farewell(kith_team *team, void (*farewell)(void));

/* Ends MPI. If a call has failed, or `now` is set, other ranks may be waiting:
 * then they are ended too, with this exit code. */
void team_mpi_close(kith_team *team, int now, int code);

#endif
