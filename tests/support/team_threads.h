/* A team whose ranks are threads of this process, for tests without MPI. Link
 * with: support/team_threads.c */
#ifndef KITH_TEST_TEAM_THREADS_H
#define KITH_TEST_TEAM_THREADS_H

#include <stdint.h>

#include "kith/team.h"

/* What was said, by all ranks together. */
typedef struct team_talk {
    size_t sums, shares, gathers; /* calls of a rank */
    size_t sum_words;             /* most words of one sum */
} team_talk;

/* Run work(arg, team) once for each rank, on a thread each, and wait for all.
 * A rank that returns while others wait for it, or that says something else
 * than the others, fails every later word: nobody waits for ever. */
team_talk team_run(uint32_t ranks,
                   void (*work)(void *arg, const kith_team *team), void *arg);

#endif
