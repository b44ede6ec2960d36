#include "support/team_threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 16, SECONDS = 60, SUM = 1, SHARE, GATHER };

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t turn;
    uint32_t ranks, arrived, left;
    uint64_t round;
    int gone; /* a rank has left, or said something else */
    struct {
        int what;
        void *bytes;
        size_t count;
    } says[MOST];
    char *gathered;
    size_t total;
    team_talk talk;
    void (*work)(void *arg, const kith_team *team);
    void *arg;
} room;

typedef struct {
    room *in;
    kith_team team;
} seat;

/* Wait until everybody is here. Nonzero: somebody will never be. */
static int wait_for_all(room *r)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += SECONDS;
    uint64_t round = r->round;
    if (r->left > 0)
        r->gone = 1;
    if (++r->arrived == r->ranks) {
        r->arrived = 0;
        r->round++;
        pthread_cond_broadcast(&r->turn);
    }
    while (r->round == round && !r->gone)
        if (pthread_cond_timedwait(&r->turn, &r->lock, &end))
            r->gone = 1;
    return r->gone;
}

static void do_sum(room *r)
{
    uint64_t *to = r->says[0].bytes;
    for (uint32_t i = 1; i < r->ranks; i++) {
        uint64_t *from = r->says[i].bytes;
        for (size_t t = 0; t < r->says[0].count; t++) {
            to[t] += from[t];
            from[t] = 0xdeadbeef; /* void after it */
        }
    }
    r->talk.sums++;
    if (r->says[0].count > r->talk.sum_words)
        r->talk.sum_words = r->says[0].count;
}

static void do_share(room *r)
{
    for (uint32_t i = 1; i < r->ranks && r->says[0].count; i++)
        memcpy(r->says[i].bytes, r->says[0].bytes, r->says[0].count);
    r->talk.shares++;
}

static void do_gather(room *r)
{
    size_t total = 0, at = 0;
    for (uint32_t i = 0; i < r->ranks; i++)
        total += r->says[i].count;
    free(r->gathered);
    r->gathered = malloc(total + 1);
    for (uint32_t i = 0; i < r->ranks; i++) {
        if (r->says[i].count)
            memcpy(r->gathered + at, r->says[i].bytes, r->says[i].count);
        at += r->says[i].count;
    }
    r->total = total;
    r->talk.gathers++;
}

static int say(seat *s, int what, void *bytes, size_t count)
{
    room *r = s->in;
    pthread_mutex_lock(&r->lock);
    r->says[s->team.rank].what = what;
    r->says[s->team.rank].bytes = bytes;
    r->says[s->team.rank].count = count;
    int failed = wait_for_all(r);
    if (!failed && s->team.rank == 0) {
        for (uint32_t i = 1; i < r->ranks; i++)
            if (r->says[i].what != what ||
                (what != GATHER && r->says[i].count != count))
                r->gone = 1;
        if (!r->gone)
            (what == SUM ? do_sum : what == SHARE ? do_share : do_gather)(r);
    }
    if (!failed)
        failed = wait_for_all(r);
    pthread_mutex_unlock(&r->lock);
    return failed;
}

static int team_sum(void *arg, uint64_t *values, size_t count)
{
    return say(arg, SUM, values, count);
}

static int team_share(void *arg, void *bytes, size_t count)
{
    return say(arg, SHARE, bytes, count);
}

static int team_gather(void *arg, const void *mine, size_t bytes, void **all,
                       size_t *total)
{
    seat *s = arg;
    int failed = say(s, GATHER, (void *)(uintptr_t)mine, bytes);
    if (s->team.rank == 0 && !failed) {
        *all = s->in->gathered;
        *total = s->in->total;
    }
    return failed;
}

static void *sit(void *p)
{
    seat *s = p;
    s->in->work(s->in->arg, &s->team);
    pthread_mutex_lock(&s->in->lock);
    s->in->left++;
    if (s->in->arrived > 0) /* they wait for this one */
        s->in->gone = 1;
    pthread_cond_broadcast(&s->in->turn);
    pthread_mutex_unlock(&s->in->lock);
    return NULL;
}

team_talk team_run(uint32_t ranks,
                   void (*work)(void *arg, const kith_team *team), void *arg)
{
    room r = {.ranks = ranks, .work = work, .arg = arg};
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.turn, NULL);
    seat seats[MOST];
    pthread_t threads[MOST];
    for (uint32_t i = 0; i < ranks; i++) {
        seats[i] = (seat){&r,
                          {.size = sizeof(kith_team),
                           .rank = i,
                           .ranks = ranks,
                           .arg = &seats[i],
                           .sum = team_sum,
                           .share = team_share,
                           .gather = team_gather}};
        if (pthread_create(&threads[i], NULL, sit, &seats[i]))
            abort();
    }
    for (uint32_t i = 0; i < ranks; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&r.turn);
    pthread_mutex_destroy(&r.lock);
    free(r.gathered);
    return r.talk;
}
