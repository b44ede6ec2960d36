/* kith_team over MPI 3. Sums are MPI_UINT64_T under an operation of our own:
 * MPI's own sums of narrow types saturate in some versions. Calls do not block:
 * a rank that waits too long ends the run. */
#include "team_mpi.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PIECE_WORDS ((size_t)1 << 27) /* counts are int in MPI 3 */
#define PIECE_BYTES ((size_t)1 << 30)

enum { EXIT_TEAM = 7, DEFAULT_PATIENCE = 600 };

typedef struct {
    kith_team team; /* first */
    MPI_Op add;
    double patience; /* seconds */
    char *gathered;
    size_t room;
    int *counts, *places;
    uint64_t *sizes;
    int failed; /* a call has */
    void (*farewell)(void);
} mpi_team;

static void add_words(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    const uint64_t *from = in;
    uint64_t *to = inout;
    for (int i = 0; i < *count; i++)
        to[i] += from[i];
}

static void end_all(const mpi_team *t, int code)
{
    if (t->farewell)
        t->farewell();
    MPI_Abort(MPI_COMM_WORLD, code);
}

/* MPI moves data only when it is called, so look often at first: an answer
 * from the same machine takes microseconds. Later, leave the processor to
 * others. */
static int wait_for(const mpi_team *t, MPI_Request *request)
{
    enum { EAGER_US = 2000, POLITE_US = 50000 };
    double start = MPI_Wtime();
    for (;;) {
        int done = 0;
        if (MPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return 1;
        if (done)
            return 0;
        double waited = MPI_Wtime() - start;
        if (waited > t->patience) {
            fprintf(stderr,
                    "kith-mpi: rank %u has waited %.0f s for the others: one "
                    "of them hangs, or is slow (--rank-timeout). The run is "
                    "ended; what was spent stays spent\n",
                    (unsigned)t->team.rank, waited);
            end_all(t, EXIT_TEAM);
        }
        if (waited * 1e6 > POLITE_US) {
            struct timespec nap = {.tv_nsec = 50000};
            nanosleep(&nap, NULL);
        } else if (waited * 1e6 > EAGER_US) {
            sched_yield();
        }
    }
}

static int sum_words(void *arg, uint64_t *values, size_t count)
{
    mpi_team *t = arg;
    for (size_t at = 0; at < count; at += PIECE_WORDS) {
        size_t n = count - at < PIECE_WORDS ? count - at : PIECE_WORDS;
        int lead = t->team.rank == 0;
        MPI_Request request;
        if (MPI_Ireduce(lead ? MPI_IN_PLACE : (void *)(values + at),
                        lead ? values + at : NULL, (int)n, MPI_UINT64_T, t->add,
                        0, MPI_COMM_WORLD, &request) != MPI_SUCCESS ||
            wait_for(t, &request))
            return 1;
    }
    return 0;
}

static int share_bytes(void *arg, void *bytes, size_t count)
{
    mpi_team *t = arg;
    for (size_t at = 0; at < count; at += PIECE_BYTES) {
        size_t n = count - at < PIECE_BYTES ? count - at : PIECE_BYTES;
        MPI_Request request;
        if (MPI_Ibcast((char *)bytes + at, (int)n, MPI_BYTE, 0, MPI_COMM_WORLD,
                       &request) != MPI_SUCCESS ||
            wait_for(t, &request))
            return 1;
    }
    return 0;
}

/* Rank 0: places of what comes, and room for it. Nonzero: there is none. */
static int make_places(mpi_team *t, size_t *total)
{
    *total = 0;
    for (uint32_t i = 0; i < t->team.ranks; i++) {
        if (t->sizes[i] > INT_MAX || *total > INT_MAX - t->sizes[i])
            return 1;
        t->counts[i] = (int)t->sizes[i];
        t->places[i] = (int)*total;
        *total += t->sizes[i];
    }
    if (*total >= t->room) {
        if (t->gathered)
            explicit_bzero(t->gathered, t->room);
        free(t->gathered);
        t->room = *total + 1;
        t->gathered = malloc(t->room);
    }
    return !t->gathered;
}

static int gather_bytes(void *arg, const void *mine, size_t bytes, void **all,
                        size_t *total)
{
    mpi_team *t = arg;
    uint64_t size = bytes, bad = 0;
    MPI_Request request;
    if (MPI_Igather(&size, 1, MPI_UINT64_T, t->sizes, 1, MPI_UINT64_T, 0,
                    MPI_COMM_WORLD, &request) != MPI_SUCCESS ||
        wait_for(t, &request))
        return 1;
    if (t->team.rank == 0)
        bad = (uint64_t)make_places(t, total);
    if (share_bytes(t, &bad, sizeof bad) || bad)
        return 1;
    if (MPI_Igatherv(mine, (int)bytes, MPI_BYTE, t->gathered, t->counts,
                     t->places, MPI_BYTE, 0, MPI_COMM_WORLD,
                     &request) != MPI_SUCCESS ||
        wait_for(t, &request))
        return 1;
    if (t->team.rank == 0)
        *all = t->gathered;
    return 0;
}

static int note(mpi_team *t, int failed)
{
    t->failed = t->failed || failed;
    return failed;
}

static int team_sum(void *arg, uint64_t *values, size_t count)
{
    return note(arg, sum_words(arg, values, count));
}

static int team_share(void *arg, void *bytes, size_t count)
{
    return note(arg, share_bytes(arg, bytes, count));
}

static int team_gather(void *arg, const void *mine, size_t bytes, void **all,
                       size_t *total)
{
    return note(arg, gather_bytes(arg, mine, bytes, all, total));
}

kith_team *team_mpi_open(int *argc, char ***argv)
{
    int rank = 0, ranks = 1, level;
    if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return NULL;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    mpi_team *t = calloc(1, sizeof *t);
    if (!t) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        return NULL;
    }
    t->team = (kith_team){.size = sizeof t->team,
                          .rank = (uint32_t)rank,
                          .ranks = (uint32_t)ranks,
                          .arg = t,
                          .sum = team_sum,
                          .share = team_share,
                          .gather = team_gather};
    t->patience = DEFAULT_PATIENCE;
    t->counts = calloc((size_t)ranks, sizeof *t->counts);
    t->places = calloc((size_t)ranks, sizeof *t->places);
    t->sizes = calloc((size_t)ranks, sizeof *t->sizes);
    if (!t->counts || !t->places || !t->sizes ||
        MPI_Op_create(add_words, 1, &t->add) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return &t->team;
}

void team_mpi_set_patience(kith_team *team, double seconds)
{
    ((mpi_team *)team)->patience = seconds;
}

void team_mpi_set_farewell(kith_team *team, void (*farewell)(void))
{
    ((mpi_team *)team)->farewell = farewell;
}

void team_mpi_close(kith_team *team, int now, int code)
{
    mpi_team *t = (mpi_team *)team;
    if (now || t->failed)
        end_all(t, code);
    MPI_Op_free(&t->add);
    MPI_Finalize();
    if (t->gathered)
        explicit_bzero(t->gathered, t->room);
    free(t->gathered);
    free(t->counts);
    free(t->places);
    free(t->sizes);
    free(t);
}
