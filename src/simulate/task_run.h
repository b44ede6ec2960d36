/* A task file carried out: its script over any collector, and its model. What
 * a service, a replay and a simulation share, so that they cannot differ. */
#ifndef KITH_TASK_RUN_H
#define KITH_TASK_RUN_H

#include "collect/task_text.h"
#include "kith/task.h"
#include "local_run.h"

struct kith_task {
    const struct kith_task_view *view; /* in `arena` */
    void *arena;
    char *json;
    size_t bytes;
    kith_local_options options;
    kith_bounds bounds;
    kith_i_domain *domain;
};

/* A run that was carried to its end, or to a question without an answer. */
typedef struct kith_i_task_run {
    kith_i_trace trace;
    kith_i_local_found found;
} kith_i_task_run;

/* collector->invited and d are set. KITH_I_PENDING: no model yet. Close in any
 * case. */
kith_status kith_i_task_script(const kith_task *task,
                               kith_i_collector *collector,
                               kith_i_task_run *run, kith_error *err);
/* collected: what is told of a deployment, as JSON; NULL: a simulation. text:
 * kith_text_free. */
kith_status kith_i_task_model(const kith_task *task, kith_i_task_run *run,
                              const char *collected, char **text,
                              kith_error *err);
void kith_i_task_run_close(kith_i_task_run *run);

/* The service's key of a task marked as test is public: a digest of its id. */
void kith_i_task_test_key(const kith_task *task, uint8_t key[32]);
/* Likewise of the players' secrets. */
void kith_i_players_seed_key(uint64_t seed, uint8_t key[32]);

#endif
