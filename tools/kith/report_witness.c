/* Witnesses of a page: who signed the model, and what its account of a ledger
 * promises. Both are asked for by name; a witness that speaks against the model
 * ends the command. */
#include <stdlib.h>
#include <string.h>
#include <verify.h>

#include "cli.h"
#include "report.h"
#include "run_ledger.h"
#include "verify_ledger.h"

/* The finding of the checker, as JSON; NULL: no memory. */
static json_t *finding_of(const char *path, const char *key)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    verify_options options = {.key = key, .json = 1};
    verify_verdict verdict = verify_file(path, &options, file);
    int bad = fclose(file) || verdict == VERIFY_NO_MEMORY;
    json_t *json = bad ? NULL : json_loadb(text, size, 0, NULL);
    free(text);
    return json;
}

static int ask_signer(report *r, const char *path, const char *key)
{
    json_t *finding = finding_of(path, key);
    if (!finding)
        return cli_no_memory();
    const json_t *signature = json_object_get(finding, "signature");
    const char *id = json_string_value(json_object_get(signature, "key"));
    int good = id && json_is_true(json_object_get(signature, "good"));
    if (good)
        snprintf(r->signer, sizeof r->signer, "%s", id);
    json_decref(finding);
    return good ? CLI_OK
                : cli_fail(CLI_FAILED,
                           "%s.minisig is no signature of this file by %s: no "
                           "page is written",
                           path, key);
}

static int ask_ledger(report *r, const char *path, const args *a)
{
    kith_error err = {0};
    kith_ledger *ledger = NULL;
    claim c = {0};
    claim_fate fate = CLAIM_MISSING;
    uint64_t entry = 0;
    int code = verify_in_ledger(path, args_value(a, "ledger"));
    if (!code)
        code = ledger_open(a, KITH_LEDGER_READ, &ledger);
    if (!code && !claim_read(&c, path))
        code = cli_no_memory(); /* it was a model a moment ago */
    if (!code)
        code = claim_look(&c, ledger, &fate, &entry, &r->account);
    if (!code)
        code = cli_status(
            kith_ledger_statement(ledger, r->account, &r->statement, &err),
            &err);
    claim_free(&c);
    kith_ledger_free(ledger);
    return code;
}

int report_witnesses(report *r, const char *path, const args *a)
{
    int code = CLI_OK;
    if (args_value(a, "key"))
        code = ask_signer(r, path, args_value(a, "key"));
    if (!code && args_value(a, "ledger"))
        code = ask_ledger(r, path, a);
    return code;
}

void report_witnesses_free(report *r)
{
    kith_statement_free(r->statement);
    free(r->account);
}

static void print_part(FILE *f, const char *of, uint64_t spent, uint64_t limit)
{
    if (limit)
        fprintf(f, "%.0f %% of its %s", 100 * (double)spent / (double)limit,
                of);
}

/* What has been spent so far can depend on when the page is made, not on rows.
 */
void report_account(const report *r)
{
    if (!r->statement)
        return;
    const kith_account_view *v = kith_statement_account(r->statement);
    FILE *f = r->file;
    fputs("<p>This run was paid by account <bdi>", f);
    report_escape(f, r->account);
    fprintf(f,
            "</bdi> of a ledger that is intact. All that is paid from it, by "
            "everybody together, has ε = %.4g",
            v->promise.epsilon);
    if (v->promise.delta > 0)
        fprintf(f, " at δ = %.3g", v->promise.delta);
    fprintf(f, ". When this page was made, %llu run%s had used ",
            (unsigned long long)v->runs, v->runs == 1 ? "" : "s");
    print_part(f, "ε for pure runs", v->spent.pure, v->limit.pure);
    fputs(v->limit.pure && v->limit.gauss ? " and " : "", f);
    print_part(f, "μ²", v->spent.gauss, v->limit.gauss);
    fputs(v->raised ? ". Its limit was raised once: that is an intention, not "
                      "a theorem.</p>\n"
                    : ".</p>\n",
          f);
}
