/* Ledgers: budgets that last longer than a run.
 *
 * A ledger keeps accounts. An account is a promise to the people in one data
 * set: everything that is ever paid from it, by everybody together, has its
 * (epsilon, delta). A session (budget.h) charges an account before it draws
 * anything, and nothing is refunded.
 *
 *   kith_ledger_open("sqlite:team.db", 0, &ledger, &err);
 *   options.ledger = ledger; options.account = "visits";  session, run, text
 *   kith_ledger_settle(ledger, kith_result_charge(result), guarantee, releases,
 *                      text, &err);
 *
 * Amounts are whole multiples of 2^-50: pure charges add up as epsilon,
 * Gaussian ones as mu^2. A ledger may be used by several threads, one call at a
 * time; after fork() it refuses (KITH_ERR_BUDGET). */
#ifndef KITH_LEDGER_H
#define KITH_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include "kith/budget.h"
#include "kith/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KITH_AMOUNT_UNIT 0x1p-50

/* ---- opening ------------------------------------------------------------- */

enum {
    KITH_LEDGER_NEW = 1,      /* make the store; it must not exist           */
    KITH_LEDGER_READ = 2,     /* to look only: what changes it is refused    */
    KITH_LEDGER_UNSAFE_FS = 4 /* SQLite on a file system without safe locks; */
                              /* every entry says so                         */
};

/* "memory:", "sqlite:PATH" or "postgresql://...". A store that does not exist
 * is KITH_ERR_STORE unless KITH_LEDGER_NEW asks for it: a mistyped path is
 * never a fresh, empty budget. */
KITH_API KITH_CHECKED kith_status kith_ledger_open(const char *uri,
                                                   unsigned flags,
                                                   kith_ledger **out,
                                                   kith_error *err);

/* 32 hexadecimal digits that tell this ledger from all others; borrowed. */
KITH_API const char *kith_ledger_id(const kith_ledger *ledger);

/* ---- the owner's side ---------------------------------------------------- */

/* Amounts of the two purses of an account, in units. */
typedef struct kith_amounts {
    uint64_t pure;  /* epsilon */
    uint64_t gauss; /* mu^2    */
} kith_amounts;

/* What an account promises, fixed for ever. All zero is refused. */
typedef struct kith_account_terms {
    const char *dataset; /* what the rows are, in words                      */
    kith_unit unit;      /* whom a neighbour differs in: a row, a user       */
    kith_privacy promise;
    double pure; /* epsilon kept for pure runs; the largest Gaussian purse   */
                 /* beside it follows. delta 0: 0, or all of epsilon         */
} kith_account_terms;

KITH_API KITH_CHECKED kith_status
kith_ledger_account_new(kith_ledger *ledger, const char *account,
                        const kith_account_terms *terms, kith_error *err);

/* A new limit. analyst, purpose: a limit inside the account's, for what one of
 * them spends (policy; the promise is the account's). Neither: the account's
 * own, which may be lowered; to raise it needs raise and a reason, and marks
 * the account for ever. */
typedef struct kith_limit_change {
    const char *analyst, *purpose; /* at most one of them */
    double epsilon, delta, pure;
    int raise;
    int close; /* no more charges: the limit becomes what is spent */
    const char *reason;
} kith_limit_change;

KITH_API KITH_CHECKED kith_status
kith_ledger_limit(kith_ledger *ledger, const char *account,
                  const kith_limit_change *change, kith_error *err);

/* SQLite: an exact copy, checked; path must not exist. PostgreSQL has pg_dump:
 * KITH_ERR_ARGUMENT. */
KITH_API KITH_CHECKED kith_status kith_ledger_backup(kith_ledger *ledger,
                                                     const char *path,
                                                     kith_error *err);

/* ---- the runner's side --------------------------------------------------- */

/* Entries that paid for a run, one for each account. */
typedef struct kith_charge_entry {
    const char *account;
    uint64_t entry;   /* its number in the account */
    const char *hash; /* 64 hexadecimal digits     */
} kith_charge_entry;

struct kith_charge {
    const char *ledger; /* its id */
    const char *run;    /* 32 hexadecimal digits, secret coins of the session */
    size_t count;
    const kith_charge_entry *entries;
};

/* Record the SHA-256 of what a charge became (the bytes of the model file), and
 * its number of releases. A charge without it is not wrong: it was paid. */
KITH_API KITH_CHECKED kith_status kith_ledger_settle(
    kith_ledger *ledger, const kith_charge *charge, const char *guarantee,
    size_t releases, const char *text, kith_error *err);

/* A model that exists and that the ledger does not know, because it was
 * restored from an old copy, or because nobody was asked: booked at its price,
 * if limits allow it. run: as the model says, or NULL; text: its file. */
typedef struct kith_adoption {
    kith_privacy privacy;
    kith_unit unit;
    int convert;
    const char *guarantee, *run, *text;
} kith_adoption;

KITH_API KITH_CHECKED kith_status
kith_ledger_adopt(kith_ledger *ledger, const char *account,
                  const kith_adoption *adoption, kith_error *err);

/* ---- reading ------------------------------------------------------------- */

/* All that a ledger has about an account, checked: every hash is computed
 * again, and every amount follows from the entries. */
typedef struct kith_statement kith_statement;

KITH_API KITH_CHECKED kith_status kith_ledger_statement(kith_ledger *ledger,
                                                        const char *account,
                                                        kith_statement **out,
                                                        kith_error *err);
KITH_API void kith_statement_free(kith_statement *statement); /* NULL is fine */

/* Call visit for each account, in order of name; stops when it returns nonzero.
 * The names are borrowed for the call. */
KITH_API KITH_CHECKED kith_status kith_ledger_accounts(
    kith_ledger *ledger, int (*visit)(void *arg, const char *account),
    void *arg, kith_error *err);

typedef struct kith_account_view {
    const char *name, *dataset;
    kith_unit unit;
    kith_privacy promise; /* as granted */
    kith_amounts granted; /* the largest limit that it ever had: the promise */
    kith_amounts limit, spent;
    uint64_t runs;           /* charges and adopted models               */
    uint64_t without_result; /* charges, no result recorded              */
    const char *raised;      /* when its limit was raised last, or NULL   */
    const char *problem;     /* NULL: intact. Else what is wrong ...      */
    uint64_t problem_entry;  /* ... and in which entry, 0: not in one     */
} kith_account_view;

typedef struct kith_entry_view {
    uint64_t number;
    const char *kind, *at, *run, *once, *body, *hash; /* run, once: or "" */
    kith_amounts spend; /* of a charge             */
} kith_entry_view;

typedef struct kith_sublimit_view {
    const char *kind, *key; /* "analyst" or "purpose", and whose */
    kith_amounts limit, spent;
} kith_sublimit_view;

/* All borrowed from the statement. The i-th, NULL: past the end. */
KITH_API const kith_account_view *
kith_statement_account(const kith_statement *statement);
KITH_API const kith_entry_view *
kith_statement_entry(const kith_statement *statement, size_t i);
KITH_API const kith_sublimit_view *
kith_statement_sublimit(const kith_statement *statement, size_t i);

/* Number of the entry (a result, or an adopted model) with the SHA-256 of this
 * text; 0: none. */
KITH_API uint64_t kith_statement_result(const kith_statement *statement,
                                        const char *text);

/* ---- arithmetic ---------------------------------------------------------- */

/* What a run of (epsilon, delta) costs: one of the two amounts. convert: a pure
 * run as a Gaussian amount. */
KITH_API KITH_CHECKED kith_status
kith_privacy_price(const kith_privacy *privacy, int convert, kith_amounts *out,
                   kith_error *err);
/* The smallest epsilon at which both amounts together keep delta, rounded up;
 * infinite when there is none. */
KITH_API double kith_amounts_epsilon(kith_amounts amounts, double delta);
/* The largest epsilon of four digits of a run with this delta that costs no
 * more than what is left; 0: none (or below 1e-6). runs: that many equal runs.
 */
KITH_API double kith_amounts_fits(kith_amounts left, double delta,
                                  uint64_t runs);
/* The same of pure runs that are paid from the Gaussian purse. */
KITH_API double kith_amounts_fits_converted(kith_amounts left, uint64_t runs);

#ifdef __cplusplus
}
#endif

#endif
