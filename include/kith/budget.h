/* Privacy: what is promised, who pays, and the session that guards the rows.
 *
 * Two currencies. delta == 0: pure differential privacy, epsilon adds up.
 * delta > 0: Gaussian differential privacy, mu^2 adds up, and the session's
 * mu is the largest whose exact delta(epsilon) is no more than delta. */
#ifndef KITH_BUDGET_H
#define KITH_BUDGET_H

#include <stddef.h>
#include <stdint.h>

#include "kith/data.h"
#include "kith/status.h"
#include "kith/team.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kith_measure {
    KITH_PURE_DP = 1, /* loss is epsilon */
    KITH_GAUSSIAN_DP  /* loss is mu      */
} kith_measure;

typedef enum kith_neighbors {
    KITH_ADD_REMOVE = 1, /* one row more or less; the number of rows is
                            private too */
    KITH_REPLACE_ONE     /* one row changed; the number of rows is public */
} kith_neighbors;

typedef enum kith_unit {
    KITH_UNIT_ROW = 1, /* neighbours differ in one row                 */
    KITH_UNIT_USER     /* neighbours differ in all rows of one person  */
} kith_unit;

/* All-zero means "unset" and is refused: privacy has no defaults. */
typedef struct kith_privacy {
    double epsilon;
    double delta;
    kith_neighbors neighbors;
} kith_privacy;

/* The mu of (epsilon, delta), rounded down to a multiple of the accounting
 * unit. KITH_ERR_PRIVACY when the parameters make no sense. */
KITH_API KITH_CHECKED kith_status kith_privacy_mu(double epsilon, double delta,
                                                  double *out, kith_error *err);

/* ---- ledgers: who has how much budget left (kith/ledger.h has the rest) -- */

typedef struct kith_ledger kith_ledger;
typedef struct kith_charge kith_charge; /* what paid for a run */

/* A ledger in this process's memory: the reference store. After fork() the copy
 * refuses every charge. */
KITH_API KITH_CHECKED kith_status kith_ledger_memory_new(kith_ledger **out,
                                                         kith_error *err);

/* Open an account about rows that may spend up to limit in total:
 * kith_ledger_account_new with no words and no purse for pure runs beside a
 * Gaussian one. */
KITH_API KITH_CHECKED kith_status kith_ledger_grant(kith_ledger *ledger,
                                                    const char *account,
                                                    const kith_privacy *limit,
                                                    kith_error *err);

/* What is left, as a fraction of the limit in the account's own currency
 * (mu^2 with delta > 0, else epsilon), rounded down. */
KITH_API KITH_CHECKED kith_status kith_ledger_remaining(kith_ledger *ledger,
                                                        const char *account,
                                                        double *out,
                                                        kith_error *err);

KITH_API void kith_ledger_free(kith_ledger *ledger); /* NULL is fine */

/* ---- sessions: the gate -------------------------------------------------- */

/* A session is used by one thread at a time (its releases use several), and
 * only in the process that opened it: after fork() it refuses. */
typedef struct kith_session kith_session;

/* Start from kith_session_options_init. */
typedef struct kith_session_options {
    size_t size;          /* set by _init; fields are only appended          */
    kith_privacy privacy; /* no default: the total that may be spent here    */
    kith_ledger *ledger;  /* borrowed for life; NULL: nobody keeps count     */
    const char *account;  /* copied; required with a ledger                  */
    uint32_t threads;     /* 0: all processors; changes speed only           */
    int insecure;         /* nonzero: noise from insecure_seed, for tests;   */
    uint64_t insecure_seed; /* every guarantee is void, a ledger refuses it  */
    const kith_team *team;  /* copied; NULL: alone. Rank 0's ledger is      */
                            /* charged, once; the others need none          */
    kith_progress_fn *progress; /* called some hundred times a second while  */
    void *progress_arg;         /* a run computes, by the caller's thread,   */
                                /* with 0 of 1: to cancel, not to measure.   */
                                /* NULL: never                               */
    /* With a ledger; strings are copied. */
    const char *const *accounts; /* more accounts: all are charged, or none  */
    size_t account_count;
    const char *analyst, *purpose; /* whose limits inside the account apply  */
    const char *once;       /* refused if the account has a charge with it   */
    const char *parameters; /* public; its SHA-256 is written into the entry, */
                            /* and the word of a line "guarantee=WORD"       */
    int convert;            /* pay a pure run from the Gaussian purse        */
} kith_session_options;

KITH_API void kith_session_options_init(kith_session_options *opt, size_t size);

/* Charges the ledger with the whole of privacy before anything is drawn, and
 * takes the dataset (untouched on failure). Nothing is ever refunded, so ask
 * kith_fit_check (fit.h) first whether the run would be refused; kith_fit does
 * so itself. */
KITH_API KITH_CHECKED kith_status
kith_session_open(kith_dataset *data, const kith_session_options *opt,
                  kith_session **out, kith_error *err);

/* Wipes the rows. NULL is fine. */
KITH_API void kith_session_close(kith_session *session);

/* One line of the spend trace: a release that was made. */
typedef struct kith_receipt {
    const char *what;      /* "cluster sums, round 1 of 5"                   */
    const char *mechanism; /* "rounded-gaussian", "discrete-laplace", ...    */
    const char *norm;      /* of the sensitivity: "l1", "l2", "score"        */
    double sensitivity;    /* in the caller's (normalised) units             */
    double scale;          /* of the noise, same units                       */
    kith_measure measure;
    double loss; /* epsilon or mu, rounded up */
} kith_receipt;

#ifdef __cplusplus
}
#endif

#endif
