/* What waits for the next commit, and the thread that takes all of it. */
#include <signal.h>

#include "service_i.h"

static size_t body_bytes(const kith_i_body *b)
{
    return sizeof *b + b->count * (b->reports ? sizeof *b->reports : 32);
}

void kith_i_body_finish(kith_i_body *b)
{
    b->receipt.tags = b->tags;
    if (b->done)
        b->done(b->arg, &b->receipt);
    kith_i_free(b->reports);
    kith_i_free(b->commitments);
    kith_i_free(b->tags);
    kith_i_free(b);
}

void kith_i_commit_queue(kith_collect *c, kith_i_body *body)
{
    size_t bytes = body_bytes(body);
    int taken = 0;
    pthread_mutex_lock(&c->queue_lock);
    if (!c->stop && c->queue_bytes + bytes <= c->opt.queue_bytes) {
        body->next = NULL;
        *c->queue_end = body;
        c->queue_end = &body->next;
        c->queue_bytes += bytes;
        taken = 1;
        pthread_cond_signal(&c->queue_filled);
    }
    pthread_mutex_unlock(&c->queue_lock);
    if (taken)
        return;
    body->receipt.failed = KITH_COLLECT_BUSY;
    kith_i_body_finish(body);
}

void kith_i_wake(kith_collect *c)
{
    pthread_mutex_lock(&c->queue_lock);
    c->something_due = 1;
    pthread_cond_broadcast(&c->due);
    pthread_mutex_unlock(&c->queue_lock);
}

static void *commit_loop(void *arg)
{
    kith_collect *c = arg;
    for (;;) {
        pthread_mutex_lock(&c->queue_lock);
        while (!c->queue && !c->stop)
            pthread_cond_wait(&c->queue_filled, &c->queue_lock);
        kith_i_body *bodies = c->queue;
        c->queue = NULL;
        c->queue_end = &c->queue;
        c->queue_bytes = 0;
        int stop = c->stop;
        pthread_mutex_unlock(&c->queue_lock);
        if (bodies)
            kith_i_commit_batch(c, bodies);
        else if (stop)
            return NULL;
    }
}

kith_status kith_i_commit_start(kith_collect *c, kith_error *err)
{
    sigset_t all, before;
    sigfillset(&all); /* signals are for whoever opened the service */
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int failed = pthread_create(&c->committer, NULL, commit_loop, c);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        return kith_i_fail(err, KITH_ERR_MEMORY, "no thread could be started");
    c->committing = 1;
    return KITH_OK;
}

void kith_i_commit_stop(kith_collect *c)
{
    pthread_mutex_lock(&c->queue_lock);
    c->stop = 1;
    pthread_cond_broadcast(&c->queue_filled);
    pthread_mutex_unlock(&c->queue_lock);
    if (c->committing)
        pthread_join(c->committer, NULL);
    c->committing = 0;
}
