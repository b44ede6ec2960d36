/* `kith verify --ledger`: is the entry that a model names in the ledger, with
 * this hash, for at least what the model lists, and for this very model? */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "verify_ledger.h"

/* The bytes of a file, ended by a zero; NULL: none. */
static char *file_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, n;
    char part[65536];
    FILE *out = f ? open_memstream(&text, &size) : NULL;
    while (out && (n = fread(part, 1, sizeof part, f)) > 0)
        fwrite(part, 1, n, out);
    if (f)
        fclose(f);
    return out && !fclose(out) ? text : NULL;
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

static int judge(const char *path, const char *text, const json_t *privacy,
                 const kith_statement *s)
{
    const json_t *named = json_object_get(privacy, "ledger");
    const char *hash = json_string_value(json_object_get(named, "hash"));
    json_int_t number = json_integer_value(json_object_get(named, "entry"));
    const kith_account_view *a = kith_statement_account(s);
    const kith_entry_view *e =
        number > 0 ? kith_statement_entry(s, (size_t)number - 1) : NULL;
    if (a->problem)
        return cli_fail(CLI_FAILED, "the account %s is not intact: %s", a->name,
                        a->problem);
    if (!e || !hash || strcmp(e->hash, hash) != 0)
        return cli_fail(CLI_FAILED,
                        "%s names an entry that the ledger does not have: it "
                        "was rewritten, or restored from an old copy",
                        path);
    double paid = (double)(e->spend.gauss ? e->spend.gauss : e->spend.pure) *
                  KITH_AMOUNT_UNIT;
    if (!(listed_loss(privacy) <= paid * (1 + 1e-12)))
        return cli_fail(CLI_FAILED, "%s lists more than entry %llu paid for",
                        path, (unsigned long long)e->number);
    if (!kith_statement_result(s, text))
        return cli_fail(CLI_FAILED,
                        "the ledger has no result with the SHA-256 of %s: it "
                        "was changed, or never recorded",
                        path);
    cli_note("paid for by entry %llu of account %s, which is intact and names "
             "this file",
             (unsigned long long)e->number, a->name);
    return CLI_OK;
}

int verify_in_ledger(const char *path, const char *uri)
{
    kith_error err = {0};
    kith_ledger *ledger = NULL;
    kith_statement *s = NULL;
    char *text = file_text(path);
    json_t *model =
        text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const json_t *privacy = json_object_get(model, "privacy");
    const json_t *named = json_object_get(privacy, "ledger");
    const char *account = json_string_value(json_object_get(named, "account"));
    const char *id = json_string_value(json_object_get(named, "id"));
    int code = CLI_OK;
    if (!account || !id)
        code = cli_fail(CLI_FAILED, "%s names no entry of a ledger", path);
    if (!code)
        code = cli_status(
            kith_ledger_open(uri, KITH_LEDGER_READ, &ledger, &err), &err);
    if (!code && strcmp(kith_ledger_id(ledger), id) != 0)
        code = cli_fail(CLI_FAILED, "%s was paid for by another ledger", path);
    if (!code)
        code =
            cli_status(kith_ledger_statement(ledger, account, &s, &err), &err);
    if (!code)
        code = judge(path, text, privacy, s);
    kith_statement_free(s);
    kith_ledger_free(ledger);
    json_decref(model);
    free(text);
    return code;
}
