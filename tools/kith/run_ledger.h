/* run_ledger: who pays for a run. */
#ifndef KITH_TOOL_RUN_LEDGER_H
#define KITH_TOOL_RUN_LEDGER_H

#include <kith/kith.h>

#include "args.h"
#include "sign_minisign.h"

enum { PAYER_MAX_ACCOUNTS = 16, PAYER_OPTIONS = 9 };

typedef struct payer {
    kith_ledger *ledger; /* NULL: nobody keeps count */
    char *names;         /* of the accounts, cut at commas */
    const char *accounts[PAYER_MAX_ACCOUNTS];
    size_t count;
    const char *once, *analyst, *purpose;
    char *parameters; /* public options as text */
    int convert;
    int uncounted;       /* --ledger none: the model says so */
    sign_key *key;       /* NULL: nobody vouches for it */
    kith_bought *bought; /* bounds of an earlier run; NULL: none */
} payer;

extern const arg_option payer_options[PAYER_OPTIONS];

/* The URI of --ledger, or of KITH_LEDGER; NULL: none. */
const char *ledger_uri(const args *a);
/* Open it, for looking only or not. Exit code. */
int ledger_open(const args *a, unsigned flags, kith_ledger **out);

/* Options to payer; opens the ledger. wanted: would the run have a guarantee
 * to pay for? Exit code; payer_free in any case. */
int payer_parse(payer *p, const args *a, int wanted);
void payer_free(payer *p);

/* Do bounds that were bought before belong to this run? Exit code. */
int payer_check(const payer *p, const kith_bounds *bounds,
                const kith_privacy *privacy, int people);

/* Into the options of a session. */
void payer_fill(const payer *p, kith_session_options *out);

/* Tell the ledger what became of the charge; a failure is a warning, since the
 * model is there and was paid for. */
void payer_settle(const payer *p, const kith_result *result, const char *text);

/* Sign the model that was written to path, if that was asked for; else remove a
 * signature of the one before. Exit code. */
int payer_sign(const payer *p, const char *path);

/* Say on standard error which entry paid. */
void payer_print(const payer *p, const kith_result *result);

#endif
