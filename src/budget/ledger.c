/* Ledgers as callers see them: checks and texts that are the same for every
 * store, then the store's own step.
 *
 * Claim: the charges of an account never add up to more than its limit, in
 *   either purse; on failure nothing is drawn. Hence everything that is ever
 *   released against the account together has its promise (purse.c), even when
 *   each run was chosen after seeing the earlier results.
 * Needs: each session keeps within what it was charged for; the store posts in
 *   one step and what it reports as posted stays.
 * Because: check and append are one step, in integers; a converted pure charge
 *   is rounded up. */
#include "ledger_i.h"

#include <stdlib.h>
#include <string.h>

#include "base/base_i.h"
#include "kith/version.h"

/* ---- checks ---- */

/* Length of the UTF-8 character that starts here; 0: there is none. */
static size_t character(const unsigned char *s)
{
    if (s[0] < 0x80)
        return s[0] >= 0x20 && s[0] != 0x7f;
    size_t n = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
               : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                             : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0; /* overlong, surrogate, beyond the last */
    return n;
}

kith_status kith_i_name_check(const char *what, const char *name,
                              kith_error *err)
{
    const unsigned char *s = (const unsigned char *)name;
    size_t used = 0, n = 1;
    if (!name)
        return KITH_OK;
    while (used <= KITH_I_NAME_MAX && s[used] && (n = character(s + used)))
        used += n;
    if (used == 0 || n == 0 || used > KITH_I_NAME_MAX)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "%s must be 1 to %d bytes of UTF-8 text without "
                           "control characters",
                           what, KITH_I_NAME_MAX);
    return KITH_OK;
}

kith_status kith_i_ledger_check(const kith_ledger *ledger, const char *account,
                                kith_error *err)
{
    if (!ledger)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "no ledger was given: open one first");
    if (!account || account[0] == '\0')
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a ledger needs the name of an account");
    return kith_i_name_check("the name of an account", account, err);
}

kith_status kith_i_ledger_ours(const kith_ledger *ledger, kith_error *err)
{
    return kith_i_process_same(ledger->maker) /* I22 */
               ? KITH_OK
               : kith_i_fail(err, KITH_ERR_BUDGET,
                             "a ledger belongs to the process that opened it: "
                             "after fork() open it again");
}

const char *kith_i_unit_word(kith_unit unit)
{
    return unit == KITH_UNIT_ROW    ? "row"
           : unit == KITH_UNIT_USER ? "user"
                                    : NULL;
}

const char *kith_i_neighbors_word(kith_neighbors neighbors)
{
    return neighbors == KITH_ADD_REMOVE    ? "add-remove"
           : neighbors == KITH_REPLACE_ONE ? "replace-one"
                                           : NULL;
}

const char *kith_i_posting_word(kith_i_posting_kind kind)
{
    static const char *const words[] = {"",       "grant", "charge", "adopt",
                                        "result", "limit", "close"};
    return words[kind];
}

const char *kith_ledger_id(const kith_ledger *ledger)
{
    return ledger ? ledger->id : NULL;
}

int kith_i_lock_init(pthread_mutex_t *lock)
{
    pthread_mutexattr_t kind;
    if (pthread_mutexattr_init(&kind) != 0)
        return 0;
    int fine = pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE) == 0 &&
               pthread_mutex_init(lock, &kind) == 0;
    pthread_mutexattr_destroy(&kind);
    return fine;
}

void kith_ledger_free(kith_ledger *ledger)
{
    if (ledger)
        ledger->store->close(ledger);
}

kith_status kith_i_ledger_post(kith_ledger *ledger,
                               const kith_i_posting *posting,
                               const kith_privacy *asked,
                               kith_i_ticket *tickets, kith_error *err)
{
    kith_i_refusal refusal = {.whose = ""};
    if (!posting->body)
        return kith_i_fail_memory(err);
    kith_status status = kith_i_ledger_ours(ledger, err);
    if (status)
        return status;
    if (ledger->read_only)
        return kith_i_fail(err, KITH_ERR_STORE,
                           "the ledger was opened for reading only");
    status = ledger->store->post(ledger, posting, tickets, &refusal, err);
    if (status == KITH_ERR_BUDGET)
        status = kith_i_refusal_words(posting, &refusal, asked, err);
    return status;
}

/* ---- accounts ---- */

static kith_status check_terms(const kith_account_terms *terms, kith_error *err)
{
    if (!terms || !terms->dataset)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "an account needs a limit and words for what it is "
                           "about");
    if (!kith_i_unit_word(terms->unit))
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "an account needs a unit: row, or user");
    return kith_i_name_check("the name of a data set", terms->dataset, err);
}

kith_status kith_ledger_account_new(kith_ledger *ledger, const char *account,
                                    const kith_account_terms *terms,
                                    kith_error *err)
{
    if (account && strchr(account, ','))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "the name of an account has no comma: where runs "
                           "name several, commas divide them");
    kith_i_purses limit;
    kith_status status = kith_i_ledger_check(ledger, account, err);
    if (!status)
        status = check_terms(terms, err);
    if (!status)
        status = kith_i_purses_solve(&terms->promise, terms->pure, &limit, err);
    if (status)
        return status;
    kith_i_posting posting = {
        .kind = KITH_I_POST_GRANT,
        .accounts = &account,
        .count = 1,
        .unit = kith_i_unit_word(terms->unit),
        .adjacency = kith_i_neighbors_word(terms->promise.neighbors),
        .limit = limit};
    kith_i_body body = {0};
    kith_i_body_text(&body, "adjacency", posting.adjacency);
    kith_i_body_text(&body, "dataset", terms->dataset);
    kith_i_body_real(&body, "delta", terms->promise.delta);
    kith_i_body_real(&body, "epsilon", terms->promise.epsilon);
    kith_i_body_text(&body, "kind", "grant");
    kith_i_body_number(&body, "limit_gauss", limit.gauss);
    kith_i_body_number(&body, "limit_pure", limit.pure);
    kith_i_body_real(&body, "pure", terms->pure);
    kith_i_body_text(&body, "unit", posting.unit);
    if (ledger->unsafe_fs)
        kith_i_body_number(&body, "unsafe_fs", 1);
    kith_i_body_text(&body, "version", KITH_VERSION);
    posting.body = kith_i_body_done(&body);
    kith_i_ticket ticket;
    status = kith_i_ledger_post(ledger, &posting, NULL, &ticket, err);
    kith_i_free(body.text);
    return status;
}

kith_status kith_ledger_grant(kith_ledger *ledger, const char *account,
                              const kith_privacy *limit, kith_error *err)
{
    kith_status status = kith_i_ledger_check(ledger, account, err);
    if (status)
        return status;
    if (!limit)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "account '%.100s' needs a limit", account);
    kith_account_terms terms = {"rows", KITH_UNIT_ROW, *limit, 0};
    return kith_ledger_account_new(ledger, account, &terms, err);
}

/* ---- limits ---- */

static kith_status check_change(const kith_limit_change *change,
                                kith_error *err)
{
    if (!change || (change->analyst && change->purpose) ||
        (change->close && (change->analyst || change->purpose)))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a limit is the account's, an analyst's or a "
                           "purpose's; an account is closed as a whole");
    if ((change->raise || change->close) && !change->reason)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "to %s an account needs a reason: it is written "
                           "down for ever",
                           change->raise ? "raise" : "close");
    kith_status status = kith_i_name_check("analyst", change->analyst, err);
    if (!status)
        status = kith_i_name_check("purpose", change->purpose, err);
    return status ? status
                  : kith_i_name_check("the reason", change->reason, err);
}

kith_status kith_ledger_limit(kith_ledger *ledger, const char *account,
                              const kith_limit_change *change, kith_error *err)
{
    kith_i_posting posting = {
        .kind = KITH_I_POST_LIMIT, .accounts = &account, .count = 1};
    kith_status status = kith_i_ledger_check(ledger, account, err);
    if (!status)
        status = check_change(change, err);
    if (status)
        return status;
    kith_privacy promise = {change->epsilon, change->delta, KITH_ADD_REMOVE};
    if (change->close)
        posting.kind = KITH_I_POST_CLOSE;
    else
        status =
            kith_i_purses_solve(&promise, change->pure, &posting.limit, err);
    if (status)
        return status;
    posting.analyst = change->analyst;
    posting.purpose = change->purpose;
    posting.raise = change->raise || change->analyst || change->purpose;
    kith_i_body body = {0};
    kith_i_body_text(&body, "analyst", change->analyst);
    if (!change->close) {
        kith_i_body_real(&body, "delta", change->delta);
        kith_i_body_real(&body, "epsilon", change->epsilon);
    }
    kith_i_body_text(&body, "kind", kith_i_posting_word(posting.kind));
    if (!change->close) {
        kith_i_body_number(&body, "limit_gauss", posting.limit.gauss);
        kith_i_body_number(&body, "limit_pure", posting.limit.pure);
    }
    kith_i_body_text(&body, "purpose", change->purpose);
    if (change->raise)
        kith_i_body_number(&body, "raise", 1);
    kith_i_body_text(&body, "reason", change->reason);
    kith_i_body_text(&body, "version", KITH_VERSION);
    posting.body = kith_i_body_done(&body);
    kith_i_ticket ticket;
    status = kith_i_ledger_post(ledger, &posting, NULL, &ticket, err);
    kith_i_free(body.text);
    return status;
}

/* ---- results ---- */

kith_status kith_ledger_settle(kith_ledger *ledger, const kith_charge *charge,
                               const char *guarantee, size_t releases,
                               const char *text, kith_error *err)
{
    if (!charge || charge->count == 0 || charge->count > KITH_I_MAX_ACCOUNTS ||
        !guarantee || !text)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a result needs the charge that paid for it and "
                           "the text of the model");
    const char *accounts[KITH_I_MAX_ACCOUNTS];
    kith_i_ticket tickets[KITH_I_MAX_ACCOUNTS];
    char digest[KITH_I_HASH_TEXT];
    for (size_t i = 0; i < charge->count; i++)
        accounts[i] = charge->entries[i].account;
    kith_status status = kith_i_ledger_check(ledger, accounts[0], err);
    if (status)
        return status;
    if (strcmp(ledger->id, charge->ledger) != 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "another ledger paid for this run");
    kith_i_text_digest(text, digest);
    kith_i_body body = {0};
    kith_i_body_text(&body, "guarantee", guarantee);
    kith_i_body_text(&body, "kind", "result");
    kith_i_body_text(&body, "model", digest);
    kith_i_body_number(&body, "releases", releases);
    kith_i_body_text(&body, "run", charge->run);
    kith_i_body_text(&body, "version", KITH_VERSION);
    kith_i_posting posting = {.kind = KITH_I_POST_RESULT,
                              .accounts = accounts,
                              .count = charge->count,
                              .run = charge->run,
                              .body = kith_i_body_done(&body)};
    status = kith_i_ledger_post(ledger, &posting, NULL, tickets, err);
    kith_i_free(body.text);
    return status;
}

/* ---- backup ---- */

kith_status kith_ledger_backup(kith_ledger *ledger, const char *path,
                               kith_error *err)
{
    kith_status status = kith_i_ledger_check(ledger, "-", err);
    if (status)
        return status;
    if (!path || !*path || !ledger->store->backup)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "this ledger is not a file: copy it with the tools "
                           "of its store (PostgreSQL: pg_dump)");
    status = kith_i_ledger_ours(ledger, err);
    return status ? status : ledger->store->backup(ledger, path, err);
}

kith_status kith_ledger_accounts(kith_ledger *ledger,
                                 int (*visit)(void *arg, const char *account),
                                 void *arg, kith_error *err)
{
    kith_status status = kith_i_ledger_check(ledger, "-", err);
    if (status)
        return status;
    if (!visit)
        return kith_i_fail_place(err);
    status = kith_i_ledger_ours(ledger, err);
    return status ? status : ledger->store->names(ledger, visit, arg, err);
}

/* ---- what is left ---- */

typedef struct {
    kith_i_purses limit, spent;
} amounts;

static kith_status take_amounts(void *arg, const char *unit,
                                const char *adjacency, kith_i_purses limit,
                                kith_i_purses spent, const kith_i_ticket *last,
                                kith_error *err)
{
    (void)unit;
    (void)adjacency;
    (void)last;
    (void)err;
    *(amounts *)arg = (amounts){limit, spent};
    return KITH_OK;
}

kith_status kith_ledger_remaining(kith_ledger *ledger, const char *account,
                                  double *out, kith_error *err)
{
    amounts found = {0};
    kith_i_reader reader = {.arg = &found, .account = take_amounts};
    kith_status status = kith_i_ledger_check(ledger, account, err);
    if (status)
        return status;
    if (!out)
        return kith_i_fail_place(err);
    status = kith_i_ledger_ours(ledger, err);
    if (!status)
        status = ledger->store->read(ledger, account, &reader, err);
    if (status)
        return status;
    int gauss = found.limit.gauss > 0;
    kith_i_loss limit = gauss ? found.limit.gauss : found.limit.pure;
    kith_i_loss spent = gauss ? found.spent.gauss : found.spent.pure;
    /* floor(2^53 left / limit) is exact in 128 bits and in a double */
    kith_i_u128 left = limit - spent;
    *out = limit ? (double)(uint64_t)((left << 53) / limit) * 0x1p-53 : 0;
    return KITH_OK;
}
