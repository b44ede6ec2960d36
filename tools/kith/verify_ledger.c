/* `kith verify --ledger`: is the entry that a model names in the ledger, with
 * this hash, for at least what the model lists, and for this very model? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "verify_ledger.h"

/* ---- what a model says ----------------------------------------------------
 */

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
    json_int_t entry = json_integer_value(json_object_get(named, "entry"));
    c->id = json_string_value(json_object_get(named, "id"));
    c->account = json_string_value(json_object_get(named, "account"));
    c->hash = json_string_value(json_object_get(named, "hash"));
    c->run = json_string_value(json_object_get(named, "run"));
    c->entry = entry > 0 ? (uint64_t)entry : 0;
    return json_is_object(c->privacy) &&
           json_is_integer(json_object_get(c->model, "kith"));
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

/* ---- what the ledger says -------------------------------------------------
 */

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

static claim_fate judge(const claim *c, const kith_statement *s,
                        uint64_t *number)
{
    const kith_account_view *a = kith_statement_account(s);
    const kith_entry_view *e =
        c->entry > 0 ? kith_statement_entry(s, (size_t)c->entry - 1) : NULL;
    if (a->problem)
        return CLAIM_BROKEN;
    if (!e || !c->hash || strcmp(e->hash, c->hash) != 0)
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
    uint64_t entry;
    char *account;
} search;

static int look_in(void *arg, const char *account)
{
    search *found = arg;
    kith_statement *s = NULL;
    if (kith_ledger_statement(found->ledger, account, &s, NULL))
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

int claim_look(const claim *c, kith_ledger *ledger, claim_fate *out,
               uint64_t *entry, char **account)
{
    kith_error err = {0};
    kith_statement *s = NULL;
    search adopted = {.ledger = ledger, .text = c->text};
    *out = CLAIM_ELSEWHERE;
    *account = NULL;
    if (c->id && c->account && !strcmp(kith_ledger_id(ledger), c->id)) {
        kith_status status =
            kith_ledger_statement(ledger, c->account, &s, &err);
        if (status && status != KITH_ERR_ARGUMENT) /* no such account */
            return cli_status(status, &err);
        *out = status ? CLAIM_MISSING : judge(c, s, entry);
        *account = strdup(c->account);
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
