/* dp: the gate. A private release of a method is counts and sums by cell,
 * below, or one of release/ and sidedoor/, which pay and visit rows by what is
 * inside of it (dp_private.h, price.h); methods never touch a record.
 *
 * A release takes an ask and a charge. The ask (ask.h) is data: it says which
 * cell a row falls into and (optionally) what it contributes there. The gate
 * prices the release from the bound it will enforce and the charge it is
 * given, pays, and only then visits the rows, clips every contribution to that
 * bound, sums in integers and adds exact noise (R1-R7). The same mechanism
 * calls are made for every dataset of the same public shape: empty cells get
 * their noise too (R6).
 *
 * A session without data (a plan) prices, pays and writes receipts alike, and
 * returns zeros: that is what --dry-run shows. */
#ifndef KITH_DP_I_H
#define KITH_DP_I_H

#include <stdint.h>

#include "ask.h"
#include "base/block.h"
#include "base/domain.h"
#include "base/watch.h"
#include "budget/budget_i.h"
#include "budget/ledger_i.h"
#include "kith/budget.h"

/* ---- the session ---- */

const kith_i_domain *kith_i_session_domain(const kith_session *session);
kith_measure kith_i_session_measure(const kith_session *session);
kith_privacy kith_i_session_privacy(const kith_session *session);
kith_unit kith_i_session_unit(const kith_session *session, uint32_t *group);
/* The entries of a ledger that paid; NULL: none. Borrowed. */
const kith_charge *kith_i_session_charge(const kith_session *session);
/* What may still be spent. */
kith_i_loss kith_i_session_left(const kith_session *session);
/* Is all of it spent, but for what rounding left? */
int kith_i_session_is_spent(const kith_session *session);
/* Hold back this much of what is not spent, for later, in place of what was
 * held before: until it is set free (0) nobody can see or spend it. */
void kith_i_session_hold(kith_session *session, kith_i_loss loss);
/* "exact"; "asymptotic" once a Markov chain was drawn from; "none" for a seeded
 * session or once something was released without a proof. */
const char *kith_i_session_guarantee(const kith_session *session);
/* From now on at most "asymptotic" (nonzero), or "none" (0). */
void kith_i_session_weaken(kith_session *session, int asymptotic);
uint32_t kith_i_session_threads(const kith_session *session);
/* Whom to ask whether to stop. */
kith_i_watch *kith_i_session_watch(kith_session *session);
/* The number of records, where it is public: neighbours that replace a record
 * have the same. Else, and in a plan, 0. */
uint64_t kith_i_session_rows(const kith_session *session);

/* Copies of the receipts so far (strings in ->what are copied too); the array
 * is the caller's. */
kith_status kith_i_session_receipts(const kith_session *session,
                                    kith_receipt **out, size_t *count,
                                    kith_error *err);

/* How many there are. */
size_t kith_i_session_receipt_count(const kith_session *session);

/* The end of a method's run, for good or bad: in a team all of it, or none, is
 * done. Returns how it went. */
kith_status kith_i_session_settle(kith_session *session, kith_status status,
                                  kith_error *err);

/* KITH_ERR_ARGUMENT in a team: `what` needs all rows in one place. */
kith_status kith_i_session_need_alone(const kith_session *session,
                                      const char *what, kith_error *err);

/* A session that has no data, to plan with. domain: taken on KITH_OK; group:
 * rows of a person, 0 if rows are nobody's. */
kith_status kith_i_session_open_plan(kith_i_domain *domain, uint32_t group,
                                     const kith_privacy *privacy,
                                     kith_session **out, kith_error *err);

/* ---- views ---- */

/* q axes (q x d, rows of length about 1), offset: d lattice units or NULL, both
 * public. Rows of the view are (x - offset) . axis, clipped to the L2 ball of
 * radius (in units of u) about 0, on a lattice of their own. Costs nothing:
 * nothing is released. Freed with the session. */
kith_status kith_i_view_open(kith_session *session, const double *axes,
                             uint32_t q, const double *offset, double radius,
                             const kith_i_view **out, kith_error *err);
const kith_i_domain *kith_i_view_domain(const kith_i_view *view);

/* A view of q features (public, increasing) of the records, dense, with the
 * bounds that the records have in them and 0 for the origin; lattice steps per
 * unit as of the view's domain. Costs nothing. Freed with the session. */
kith_status kith_i_view_features(kith_session *session,
                                 const uint32_t *features, uint32_t q,
                                 const kith_i_view **out, kith_error *err);

/* Until it is called with NULL, the view's rows are the session's records:
 * domain, releases and further views are of them. Views opened meanwhile must
 * not be used afterwards. Another session's view is as NULL. */
void kith_i_session_focus(kith_session *session, const kith_i_view *view);

/* More cells than this cannot be kept as labels. */
#define KITH_I_MOST_LABELS 16384u

/* The cell that an ask's place gives each record, kept inside the gate as a
 * view of width 1: the `by` of another ask's PLACE_LABEL. Nothing is released,
 * nothing is paid. Fewer than KITH_I_MOST_LABELS cells. */
kith_status kith_i_labels_open(kith_session *session, const kith_i_ask *ask,
                               const kith_i_view **out, kith_error *err);
/* Wiped and freed, before the session is. NULL is fine. */
void kith_i_labels_close(kith_session *session, const kith_i_view *labels);

/* ---- release_cells.c: counts and sums by cell ---- */

typedef struct kith_i_cells_spec {
    const char *what; /* receipts say "<what> counts", "<what> sums" */
    uint32_t cells;
    uint32_t width; /* of a value; 0: counts only */
    /* Bound of a value, per cell, in the norm of the session's measure (L1
     * when pure, L2 when Gaussian), lattice units, at most 2^31. NULL: the
     * value is the record itself (width = dimension), whose bound the dataset
     * has enforced (in pure DP with Laplace noise for its L1 bound or K-norm
     * noise for its L2 bound, whichever is smaller). */
    const uint64_t *radius;
    int ball;    /* pure: radius is in L2 and the noise is K-norm */
    double unit; /* of a value's step, for the receipt; 0: a lattice step */
    kith_i_loss count_charge; /* 0: counts are not released */
    kith_i_loss sum_charge;   /* 0: sums are not released   */
} kith_i_cells_spec;

typedef struct kith_i_cells {
    int64_t *room;   /* what the next two point into */
    int64_t *counts; /* cells; NULL: not paid for */
    int64_t *sums;   /* cells x width; NULL: not paid for */
    double count_sd; /* standard deviation of the noise on a count        */
    double *sum_sd;  /* per cell: on one coordinate of a sum              */
} kith_i_cells;

/* Fills *out (released by kith_i_cells_free). */
kith_status kith_i_release_cells(kith_session *session, const kith_i_ask *ask,
                                 const kith_i_cells_spec *spec,
                                 kith_i_cells *out, kith_error *err);
void kith_i_cells_free(kith_i_cells *cells);

#endif
