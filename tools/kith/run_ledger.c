/* Who pays for a run: the options about ledgers, and what a run tells one. */
#include "run_ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "output.h"
#include "ranks.h"
#include "verify_ledger.h"

const arg_option payer_options[PAYER_OPTIONS] = {
    {"ledger", 0, "URI",
     "charge this ledger before anything is drawn: sqlite:PATH or "
     "postgresql://...; default: the environment's KITH_LEDGER; none: no "
     "ledger, and the model says so"},
    {"account", 0, "NAMES",
     "the ledger's account to charge; several (with commas, or given again): "
     "all of them, or none"},
    {"once", 0, "KEY",
     "exit with 3 if the account has a charge with this key already"},
    {"analyst", 0, "NAME", "whose limit inside the account applies"},
    {"purpose", 0, "TEXT", "which purpose's limit inside the account applies"},
    {"convert", 0, NULL, "pay a pure run (delta 0) from the Gaussian purse"},
    {"ledger-unsafe-fs", 0, NULL,
     "use a ledger on a network file system all the same; its entries say so"},
    {"sign-key", 0, "FILE",
     "sign the model and the entry that paid for it with this key of minisign: "
     "OUTPUT.minisig"},
    {"bounds-receipt", 0, "FILE",
     "the receipt beside the --bounds-file that kith bounds wrote: the model "
     "shows what both cost together"},
};

const char *ledger_uri(const args *a)
{
    const char *uri = args_value(a, "ledger");
    if (!uri)
        uri = getenv("KITH_LEDGER");
    return uri && *uri && strcmp(uri, "none") != 0 ? uri : NULL;
}

int ledger_open(const args *a, unsigned flags, kith_ledger **out)
{
    kith_error err = {0};
    const char *uri = ledger_uri(a);
    *out = NULL;
    if (!uri)
        return cli_usage("which ledger? Give --ledger sqlite:PATH, or set "
                         "KITH_LEDGER");
    if (args_given(a, "ledger-unsafe-fs"))
        flags |= KITH_LEDGER_UNSAFE_FS;
    kith_status status = kith_ledger_open(uri, flags, out, &err);
    return status == KITH_ERR_ARGUMENT ? cli_usage("%s", err.message)
                                       : cli_status(status, &err);
}

static int split_names(payer *p, const char *text)
{
    p->names = strdup(text);
    if (!p->names)
        return cli_no_memory();
    for (char *at = p->names; at;) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma++ = '\0';
        if (!*at || p->count == PAYER_MAX_ACCOUNTS)
            return cli_usage("--account: 1 to %d names with commas between "
                             "them",
                             PAYER_MAX_ACCOUNTS);
        p->accounts[p->count++] = at;
        at = comma;
    }
    return CLI_OK;
}

/* The options that are about the run itself: all others say where things go. */
static int is_public(const char *name)
{
    static const char *const others[] = {
        "output",   "force",          "centers",
        "progress", "quiet",          "strict",
        "threads",  "ledger",         "account",
        "once",     "analyst",        "purpose",
        "convert",  "allow-repeat",   "ledger-unsafe-fs",
        "sign-key", "bounds-receipt", NULL};
    for (const char *const *o = others; *o; o++)
        if (!strcmp(*o, name))
            return 0;
    return 1;
}

static char *parameters_of(const args *a)
{
    char *text = NULL;
    size_t size = 0, i = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    fprintf(f, "command=%s\n", a->command->name);
    for (size_t g = 0; g < a->command->group_count; g++)
        for (size_t o = 0; o < a->command->groups[g].count; o++, i++) {
            const char *name = a->command->groups[g].options[o].name;
            if (a->values[i] && is_public(name))
                fprintf(f, "%s=%s\n", name, a->values[i]);
        }
    return fclose(f) ? (free(text), NULL) : text;
}

/* The key is read, and its password asked for, before anything is paid. */
static int parse_key(payer *p, const args *a, int wanted)
{
    const char *path = args_value(a, "sign-key");
    if (!path)
        return CLI_OK;
    if (!wanted)
        return cli_usage("--sign-key: a model without a guarantee is not "
                         "signed");
    if (!args_value(a, "output"))
        return cli_usage("--sign-key needs -o FILE: the signature is written "
                         "beside it");
    return ranks_lead() ? sign_key_open(path, &p->key) : CLI_OK;
}

static int read_receipt(payer *p, const args *a)
{
    if (!strcmp(a->command->name, "bounds"))
        return CLI_OK; /* it writes receipts */
    const char *path = args_value(a, "bounds-receipt");
    if (!path)
        return CLI_OK;
    if (!args_value(a, "bounds-file"))
        return cli_usage("--bounds-receipt belongs to a --bounds-file: give "
                         "both");
    size_t size = 0;
    char *text = claim_text(path, &size);
    if (!text)
        return cli_fail(CLI_INPUT, "%s: cannot be read", path);
    kith_error err = {0};
    kith_status status = kith_bought_read(text, size, &p->bought, &err);
    free(text);
    return status == KITH_ERR_INPUT
               ? cli_fail(CLI_INPUT, "%s: %s", path, err.message)
               : cli_status(status, &err);
}

int payer_check(const payer *p, const kith_bounds *bounds,
                const kith_privacy *privacy, int people)
{
    kith_error err = {0};
    if (!p->bought)
        return CLI_OK;
    if (kith_bought_check(p->bought, bounds, privacy,
                          people ? KITH_UNIT_USER : KITH_UNIT_ROW, &err))
        return cli_usage("--bounds-receipt: %s", err.message);
    return CLI_OK;
}

int payer_parse(payer *p, const args *a, int wanted)
{
    static const char *const more[] = {"account", "once",    "analyst",
                                       "purpose", "convert", NULL};
    const char *uri = wanted || args_value(a, "ledger") ? ledger_uri(a) : NULL;
    const char *said = args_value(a, "ledger");
    *p = (payer){.uncounted = said && !strcmp(said, "none"),
                 .once = args_value(a, "once"),
                 .analyst = args_value(a, "analyst"),
                 .purpose = args_value(a, "purpose"),
                 .convert = args_given(a, "convert")};
    for (const char *const *o = more; !uri && *o; o++)
        if (args_value(a, *o) && !wanted && ledger_uri(a))
            return cli_usage("--%s: a run without a guarantee (seeded, or not "
                             "private) is paid by no account",
                             *o);
        else if (args_value(a, *o))
            return cli_usage("--%s is about a --ledger: give both", *o);
    int code = parse_key(p, a, wanted);
    if (!code)
        code = read_receipt(p, a);
    if (!uri || code)
        return code;
    if (!args_value(a, "account"))
        return cli_usage("which --account of the ledger pays for this run? "
                         "(--ledger none: nobody keeps count)");
    code = split_names(p, args_value(a, "account"));
    if (!code)
        code = ledger_open(a, 0, &p->ledger);
    if (!code && !(p->parameters = parameters_of(a)))
        code = cli_no_memory();
    return code;
}

void payer_free(payer *p)
{
    kith_ledger_free(p->ledger);
    sign_key_close(p->key);
    kith_bought_free(p->bought);
    free(p->names);
    free(p->parameters);
    *p = (payer){0};
}

void payer_fill(const payer *p, kith_session_options *out)
{
    if (!p->ledger)
        return;
    out->ledger = p->ledger;
    out->accounts = p->accounts;
    out->account_count = p->count;
    out->once = p->once;
    out->analyst = p->analyst;
    out->purpose = p->purpose;
    out->parameters = p->parameters;
    out->convert = p->convert;
}

void payer_settle(const payer *p, const kith_result *result, const char *text)
{
    const kith_charge *charge = kith_result_charge(result);
    kith_error err = {0};
    if (p->ledger && charge &&
        kith_ledger_settle(p->ledger, charge, kith_result_guarantee(result),
                           kith_result_receipt_count(result), text, &err))
        cli_note("warning: the model is written and paid for, but the ledger "
                 "did not record it: %s",
                 err.message);
}

int payer_sign(const payer *p, const char *path)
{
    if (p->key)
        return sign_model(path, p->key);
    output_drop_signature(path); /* of a model that was replaced */
    return CLI_OK;
}

void payer_print(const payer *p, const kith_result *result)
{
    if (p->bought)
        cli_note("the bounds cost epsilon %g, delta %g on top: the model shows "
                 "the sum",
                 p->bought->privacy.epsilon, p->bought->privacy.delta);
    const kith_charge *charge = kith_result_charge(result);
    for (size_t i = 0; p->ledger && charge && i < charge->count; i++)
        cli_note("paid by entry %llu of account %s",
                 (unsigned long long)charge->entries[i].entry,
                 charge->entries[i].account);
}
