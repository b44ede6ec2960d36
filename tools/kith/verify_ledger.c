/* `kith verify --ledger`: is the entry that a model names in the ledger, with
 * this hash, for at least what the model lists, and for this very model? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "verify_ledger.h"

/* ---- what a model says ---- */

char *claim_text(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t n;
    char part[65536];
    FILE *out = f ? open_memstream(&text, size) : NULL;
    while (out && (n = fread(part, 1, sizeof part, f)) > 0)
        fwrite(part, 1, n, out);
    if (f)
        fclose(f);
    return out && !fclose(out) ? text : NULL;
}

int claim_read(claim *c, const char *path)
{
    size_t size = 0;
    *c = (claim){.text = claim_text(path, &size)};
    if (c->text)
        c->model = json_loads(c->text, JSON_REJECT_DUPLICATES, NULL);
    c->privacy = json_object_get(c->model, "privacy");
    const json_t *named = json_object_get(c->privacy, "ledger");
    c->id = json_string_value(json_object_get(named, "id"));
    c->account = json_string_value(json_object_get(named, "account"));
    c->run = json_string_value(json_object_get(named, "run"));
    c->count =
        c->account ? 1 + json_array_size(json_object_get(named, "also")) : 0;
    return json_is_object(c->privacy) &&
           json_is_integer(json_object_get(c->model, "kith"));
}

/* The i-th entry that it names: the first, then the others. */
static const json_t *named_entry(const claim *c, size_t i)
{
    const json_t *named = json_object_get(c->privacy, "ledger");
    return i == 0 ? named
                  : json_array_get(json_object_get(named, "also"), i - 1);
}

const char *claim_account(const claim *c, size_t i)
{
    const char *name =
        json_string_value(json_object_get(named_entry(c, i), "account"));
    return i >= c->count ? NULL : name ? name : "";
}

int claim_is_booked(claim_fate fate)
{
    return fate == CLAIM_RECORDED || fate == CLAIM_ADOPTED;
}

void claim_free(claim *c)
{
    json_decref(c->model);
    free(c->text);
    *c = (claim){0};
}

/* What the releases add up to, in the units of entries: epsilon, or mu^2. */
static double listed_loss(const json_t *privacy)
{
    double sum = 0;
    size_t i;
    json_t *release;
    json_array_foreach(json_object_get(privacy, "releases"), i, release)
    {
        const json_t *loss = json_object_get(release, "loss");
        double mu = json_number_value(json_object_get(loss, "mu"));
        sum += mu > 0 ? mu * mu
                      : json_number_value(json_object_get(loss, "epsilon"));
    }
    return sum;
}

/* ---- what the ledger says ---- */

/* A pure run that was converted paid in mu^2 what it lists in epsilon: more. */
static int is_paid(const json_t *privacy, const kith_entry_view *e)
{
    int pure = json_number_value(json_object_get(privacy, "delta")) == 0;
    double paid = (double)(e->spend.gauss ? e->spend.gauss : e->spend.pure) *
                  KITH_AMOUNT_UNIT;
    kith_privacy declared = {
        json_number_value(json_object_get(privacy, "epsilon")), 0,
        KITH_ADD_REMOVE};
    kith_amounts price = {0, 0};
    if (pure && e->spend.gauss)
        return !kith_privacy_price(&declared, 1, &price, NULL) &&
               e->spend.gauss >= price.gauss;
    return listed_loss(privacy) <= paid * (1 + 1e-12);
}

static claim_fate judge(const claim *c, size_t i, const kith_statement *s,
                        uint64_t *number)
{
    const kith_account_view *a = kith_statement_account(s);
    const json_t *named = named_entry(c, i);
    const char *hash = json_string_value(json_object_get(named, "hash"));
    json_int_t n = json_integer_value(json_object_get(named, "entry"));
    const kith_entry_view *e =
        n > 0 ? kith_statement_entry(s, (size_t)n - 1) : NULL;
    *number = a->problem ? a->problem_entry : 0;
    if (a->problem)
        return CLAIM_BROKEN;
    if (!e || !hash || strcmp(e->hash, hash) != 0)
        return CLAIM_MISSING;
    *number = e->number;
    if (!is_paid(c->privacy, e))
        return CLAIM_CHEAP;
    return kith_statement_result(s, c->text) ? CLAIM_RECORDED
                                             : CLAIM_UNRECORDED;
}

typedef struct {
    kith_ledger *ledger;
    const char *text;
    const char *only; /* this account; NULL: any */
    uint64_t entry;
    char *account;
} search;

static int look_in(void *arg, const char *account)
{
    search *found = arg;
    kith_statement *s = NULL;
    if ((found->only && strcmp(found->only, account) != 0) ||
        kith_ledger_statement(found->ledger, account, &s, NULL))
        return 0;
    uint64_t n = kith_statement_result(s, found->text);
    const kith_entry_view *e =
        n ? kith_statement_entry(s, (size_t)n - 1) : NULL;
    if (e && !strcmp(e->kind, "adopt") && !kith_statement_account(s)->problem) {
        found->entry = n;
        found->account = strdup(account);
    }
    kith_statement_free(s);
    return found->account != NULL;
}

int claim_look_at(const claim *c, size_t i, kith_ledger *ledger,
                  claim_fate *out, uint64_t *entry, char **account)
{
    kith_error err = {0};
    kith_statement *s = NULL;
    const char *name = claim_account(c, i);
    search adopted = {.ledger = ledger, .text = c->text};
    *out = CLAIM_ELSEWHERE;
    *account = NULL;
    if (c->count > 1) /* each of them must be told */
        adopted.only = name;
    if (c->id && name && !strcmp(kith_ledger_id(ledger), c->id)) {
        kith_status status = kith_ledger_statement(ledger, name, &s, &err);
        if (status && status != KITH_ERR_ARGUMENT) /* no such account */
            return cli_status(status, &err);
        *out = status ? CLAIM_MISSING : judge(c, i, s, entry);
        *account = strdup(name);
        kith_statement_free(s);
    }
    if (*out != CLAIM_MISSING && *out != CLAIM_ELSEWHERE)
        return CLI_OK;
    int code =
        cli_status(kith_ledger_accounts(ledger, look_in, &adopted, &err), &err);
    if (adopted.account) {
        free(*account);
        *account = adopted.account;
        *entry = adopted.entry;
        *out = CLAIM_ADOPTED;
    }
    return code;
}

static int badness(claim_fate fate)
{
    return claim_is_booked(fate) ? 0 : fate == CLAIM_UNRECORDED ? 1 : 2;
}

int claim_look(const claim *c, kith_ledger *ledger, claim_fate *out,
               uint64_t *entry, char **account)
{
    int code = claim_look_at(c, 0, ledger, out, entry, account);
    for (size_t i = 1; !code && i < c->count; i++) {
        claim_fate fate;
        uint64_t number = 0;
        char *name = NULL;
        code = claim_look_at(c, i, ledger, &fate, &number, &name);
        if (!code && badness(fate) > badness(*out)) {
            free(*account);
            *account = name;
            *entry = number;
            *out = fate;
        } else {
            free(name);
        }
    }
    return code;
}

/* ---- words for a finding: those of kith_verify.py ---- */

static const char *problem_of(const claim *c, claim_fate fate)
{
    switch (fate) {
    case CLAIM_UNRECORDED:
        return "no result has the SHA-256 of the file: it was changed, or "
               "never recorded";
    case CLAIM_CHEAP:
        return "the file lists more than its entry paid for";
    case CLAIM_MISSING:
        return "it does not have the entry that the file names: it was "
               "rewritten, or restored from an old copy";
    case CLAIM_BROKEN:
        return "the account is not intact";
    default:
        return c->account ? "another ledger paid for the file"
                          : "the file names no entry of a ledger";
    }
}

static int add_words(const claim *c, claim_fate fate, uint64_t entry,
                     const char *account, claim_words *out)
{
    char *text = NULL, *before = out->paid;
    unsigned long long n = entry;
    int size;
    if (claim_is_booked(fate)) {
        size = asprintf(&text, "%s%s by entry %llu of account %s",
                        before ? before : "",
                        before                   ? " and"
                        : fate == CLAIM_RECORDED ? "Paid for"
                                                 : "Adopted",
                        n, account);
        free(before);
        out->paid = size < 0 ? NULL : text;
        return size < 0 ? cli_no_memory() : CLI_OK;
    }
    if (out->count == CLAIM_MOST_WORDS)
        return CLI_OK;
    char wrong[64] = "", which[320] = "";
    if (fate == CLAIM_BROKEN && entry)
        snprintf(wrong, sizeof wrong, "entry %llu is wrong: ", n);
    if (c->count > 1)
        snprintf(which, sizeof which, " (account %s)", account);
    size = asprintf(&text, "%s%s%s", wrong, problem_of(c, fate), which);
    if (size < 0)
        return cli_no_memory();
    out->problems[out->count++] = text;
    return CLI_OK;
}

int claim_find_words(const char *path, const char *uri, claim_words *out)
{
    kith_error err = {0};
    kith_ledger *ledger = NULL;
    claim c;
    *out = (claim_words){0};
    int code = cli_status(
        kith_ledger_open(uri, KITH_LEDGER_READ, &ledger, &err), &err);
    int model = claim_read(&c, path); /* else the finding says what it is */
    for (size_t i = 0; model && !code && (i == 0 || i < c.count); i++) {
        claim_fate fate;
        uint64_t entry = 0;
        char *account = NULL;
        code = claim_look_at(&c, i, ledger, &fate, &entry, &account);
        if (!code)
            code = add_words(&c, fate, entry, account ? account : "", out);
        free(account);
    }
    if (out->count) {
        free(out->paid);
        out->paid = NULL;
    }
    kith_ledger_free(ledger);
    claim_free(&c);
    return code;
}

void claim_words_free(claim_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->problems[i]);
    free(words->paid);
}

/* ---- words for a report ---- */

static int say(const char *path, const claim *c, claim_fate fate,
               uint64_t entry, const char *account)
{
    unsigned long long n = entry;
    switch (fate) {
    case CLAIM_RECORDED:
        cli_note("paid for by entry %llu of account %s, which is intact and "
                 "names this file",
                 n, account);
        return CLI_OK;
    case CLAIM_ADOPTED:
        cli_note("adopted by entry %llu of account %s, which is intact and "
                 "names this file",
                 n, account);
        return CLI_OK;
    case CLAIM_UNRECORDED:
        return cli_fail(CLI_FAILED,
                        "the ledger has no result with the SHA-256 of %s: it "
                        "was changed, or never recorded",
                        path);
    case CLAIM_CHEAP:
        return cli_fail(CLI_FAILED, "%s lists more than entry %llu paid for",
                        path, n);
    case CLAIM_MISSING:
        return cli_fail(CLI_FAILED,
                        "%s names an entry that the ledger does not have: it "
                        "was rewritten, or restored from an old copy",
                        path);
    case CLAIM_BROKEN:
        return cli_fail(CLI_FAILED,
                        "the account %s is not intact: kith budget verify says "
                        "what is wrong",
                        account);
    case CLAIM_ELSEWHERE:
        break;
    }
    return c->id
               ? cli_fail(CLI_FAILED, "%s was paid for by another ledger", path)
               : cli_fail(CLI_FAILED, "%s names no entry of a ledger", path);
}

int verify_in_ledger(const char *path, const char *uri)
{
    kith_error err = {0};
    kith_ledger *ledger = NULL;
    claim c;
    claim_fate fate = CLAIM_ELSEWHERE;
    uint64_t entry = 0;
    char *account = NULL;
    int code = claim_read(&c, path)
                   ? CLI_OK
                   : cli_fail(CLI_INPUT, "%s is not a model of kith", path);
    if (!code)
        code = cli_status(
            kith_ledger_open(uri, KITH_LEDGER_READ, &ledger, &err), &err);
    if (!code)
        code = claim_look(&c, ledger, &fate, &entry, &account);
    if (!code)
        code = say(path, &c, fate, entry, account ? account : "");
    free(account);
    kith_ledger_free(ledger);
    claim_free(&c);
    return code;
}
