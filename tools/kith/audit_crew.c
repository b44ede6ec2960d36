/* Several runs of a program at a time, each in a folder of its own.
 *
 * Sights are kept in the order in which their runs began, so that neither the
 * third on which a rule is chosen nor the rest depends on what a run came to.
 */
#include "audit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { MOST_WORKERS = 8 };

typedef struct crew {
    const audit_target *target;
    const audit_plan *plan;
    audit_tally *tallies;
    pthread_mutex_t lock;
    size_t next; /* run */
    int code;
} crew;

double audit_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Room for one more sight; its number. */
static int reserve(audit_tally *tally, size_t *place)
{
    if (tally->tries == tally->room) {
        size_t room = tally->room ? 2 * tally->room : 1024;
        void *sights = realloc(tally->sights, room * sizeof *tally->sights);
        if (!sights)
            return cli_no_memory();
        tally->sights = sights;
        tally->room = room;
    }
    *place = tally->tries++;
    return CLI_OK;
}

/* Which program is next? The programs take turns, so that what slows one slows
 * all. 0: enough. */
static int begin(crew *c, audit_tally **tally, size_t *place)
{
    const audit_plan *p = c->plan;
    for (;; c->next++) {
        size_t round = c->next / p->programs, i = c->next % p->programs;
        if (c->code || (i == 0 && round >= p->tries && audit_now() >= p->end))
            return 0;
        if (!p->every[i] || round % p->every[i])
            continue;
        *tally = &c->tallies[i];
        c->next++;
        c->code = reserve(*tally, place);
        return !c->code;
    }
}

static void *work(void *arg)
{
    crew *c = arg;
    char folder[4096];
    audit_target t = *c->target;
    size_t place = 0;
    audit_tally *tally = NULL;
    snprintf(folder, sizeof folder, "%.4000s/XXXXXX", c->target->folder);
    pthread_mutex_lock(&c->lock);
    if (!(t.folder = mkdtemp(folder)))
        c->code = cli_fail(CLI_FAILED, "%s: cannot be made", folder);
    while (!c->code && begin(c, &tally, &place)) {
        audit_tally one = {.epsilon = tally->epsilon, .crowd = tally->crowd};
        audit_sight sight = {0};
        pthread_mutex_unlock(&c->lock);
        int code = c->plan->try_once(&t, &one, &sight);
        pthread_mutex_lock(&c->lock);
        if (code && !c->code)
            c->code = code;
        tally->sights[place] = sight;
        tally->runs += one.runs;
        tally->shares += one.shares;
        tally->squares += one.squares;
    }
    pthread_mutex_unlock(&c->lock);
    audit_empty(&t);
    return NULL;
}

int audit_crew(const audit_target *t, const audit_plan *plan,
               audit_tally *tallies)
{
    crew c = {.target = t,
              .plan = plan,
              .tallies = tallies,
              .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t workers[MOST_WORKERS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int count = 0;
    while (count < MOST_WORKERS - 1 && count + 1 < cores &&
           !pthread_create(&workers[count], NULL, work, &c))
        count++;
    work(&c);
    while (count > 0)
        pthread_join(workers[--count], NULL);
    return c.code;
}
