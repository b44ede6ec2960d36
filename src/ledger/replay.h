/* replay: what an account must be, worked out again from its entries. */
#ifndef KITH_REPLAY_H
#define KITH_REPLAY_H

#include "budget/ledger_i.h"

typedef struct kith_i_replay_sublimit {
    const char *kind; /* constant */
    char *key;
    kith_i_purses limit, spent;
} kith_i_replay_sublimit;

typedef struct kith_i_replay {
    const char *ledger; /* its id, borrowed for life */
    char *account;
    kith_i_ticket last; /* seq 0: nothing was read yet */
    char unit[16], adjacency[16];
    char *dataset;
    kith_privacy promise;
    kith_i_purses limit, spent, granted;
    uint64_t charges, adopted, results;
    char raised[KITH_I_TIME_TEXT];
    kith_i_replay_sublimit *sublimits;
    size_t sublimit_count, sublimit_room;
    char problem[160]; /* "": none so far; then nothing more is followed */
    uint64_t problem_entry;
} kith_i_replay;

/* KITH_ERR_MEMORY; free in any case. */
kith_status kith_i_replay_open(kith_i_replay *replay, const char *ledger,
                               const char *account, kith_error *err);
void kith_i_replay_close(kith_i_replay *replay);

/* The next entry; *spend (nullable): what it spends. A problem is not a
 * failure. */
kith_status kith_i_replay_entry(kith_i_replay *replay,
                                const kith_entry_view *entry,
                                kith_amounts *spend, kith_error *err);
/* Is this what the store has in its cache? */
void kith_i_replay_check_account(kith_i_replay *replay, const char *unit,
                                 const char *adjacency, kith_i_purses limit,
                                 kith_i_purses spent,
                                 const kith_i_ticket *last);
void kith_i_replay_check_sublimit(kith_i_replay *replay,
                                  const kith_sublimit_view *sublimit);
void kith_i_replay_check_count(kith_i_replay *replay, size_t sublimits);

#endif
