/* Inside dp/ and release/ only. */
#ifndef KITH_DP_PRIVATE_H
#define KITH_DP_PRIVATE_H

#include "budget/moves.h"
#include "data/fold.h"
#include "dp_i.h"
#include "price.h"

struct kith_i_view {
    kith_i_domain *domain; /* owned by data unless a plan */
    kith_dataset *data;    /* NULL in a plan */
    uint64_t digest;       /* of how it was made */
    kith_i_view *next;
};

struct kith_session {
    kith_dataset *data;    /* owned; NULL in a plan */
    kith_i_domain *domain; /* owned by data, or by the session in a plan */
    kith_privacy privacy;
    uint32_t group; /* rows of a person; 0: they are nobody's */
    kith_measure measure;
    kith_i_loss total, spent, held; /* spent + held <= total */
    const char *weakened; /* NULL: exact; else the guarantee that is left */
    kith_i_entropy_source source; /* whose owner alone may use this (I22) */
    int ledgered; /* a ledger was charged: losses must add up beyond it */
    kith_charge *charge; /* the entries that paid; NULL: no ledger */
    uint32_t threads;
    uint64_t streams; /* entropy streams handed out */
    kith_receipt *receipts;
    size_t receipt_count;
    kith_i_view *views;
    kith_dataset *whole; /* while the session looks at a view (focus.c): */
    kith_i_domain *whole_domain; /* what data and domain are otherwise */
    uint64_t focused;            /* digest of that view */
    kith_team team;              /* of fewer than two ranks: alone (below) */
    int team_over;               /* it failed: no word is exchanged any more */
    uint64_t all_rows;           /* of the team, where their number is public */
    kith_i_watch watch;          /* what its runs work for */
};

/* session_charge.c: pay for the whole session; no ledger: nothing to do. */
kith_status kith_i_session_charge_ledger(kith_session *session,
                                         const kith_session_options *opt,
                                         kith_error *err);

/* Fold the records, or a view of them, with the session's threads. */
kith_status kith_i_session_fold(const kith_session *session,
                                const kith_i_view *view,
                                const kith_i_view *beside,
                                kith_i_visit_fn *visit, void *arg,
                                kith_error *err);
/* How a view's rows are made of the data's, each of one: room for a worker in
 * bytes. The derived dataset enforces the view's bounds in integers (I5). */
typedef struct kith_i_derivation {
    void (*fill)(const void *arg, const kith_i_block *block, void *room,
                 int16_t *rows);
    const void *arg;
    size_t room;
} kith_i_derivation;
kith_status kith_i_view_derive(kith_session *session, const kith_dataset *data,
                               const kith_i_derivation *how, kith_i_view *view,
                               kith_error *err);
/* Keep a view with the session, or (status) free it. Returns status. */
kith_status kith_i_view_keep(kith_session *session, kith_i_view *view,
                             kith_status status, const kith_i_view **out);
void kith_i_views_free(kith_session *session);
int kith_i_view_is_of(const kith_session *session, const kith_i_view *view);

/* Pay for all bills or for none, before anything is folded or drawn (R7):
 * KITH_ERR_BUDGET when they exceed what is left. */
kith_status kith_i_session_pay(kith_session *session, const kith_i_bill *bills,
                               size_t count, kith_error *err);

/* ---- session_team.c: a release in a team is: fold, sum to rank 0, noise
 * there, publish. Alone all of it does nothing: totals are whole, everybody
 * draws. ---- */

/* Take part from now on, after everybody has said that it can: ranks of one
 * make, with the same bounds and privacy. mine: how this rank fared so far.
 * Before anything is charged. */
kith_status kith_i_team_enter(kith_session *session, const kith_team *team,
                              kith_status mine, kith_error *err);
/* Is everybody here, unharmed, and about to do the same (digest)? */
kith_status kith_i_team_meet(kith_session *session, uint64_t digest,
                             kith_status mine, kith_error *err);
/* Rank 0's totals become those of all ranks; the others' are wiped. mine: how
 * the fold went here. */
kith_status kith_i_team_merge(kith_session *session, uint64_t digest,
                              kith_status mine, int64_t *totals, size_t count,
                              kith_error *err);
/* Does this session visit rows, and is it the one that draws? */
int kith_i_session_draws(const kith_session *session);
/* What rank 0 has drawn, or why it could not (status), to everybody. */
kith_status kith_i_team_publish(kith_session *session, kith_status status,
                                void *bytes, size_t count, kith_error *err);

#endif
