/* `kith budget adopt`, and `kith budget verify --models`: published models
 * against the ledger. Whoever owns a ledger can rewrite it whole, or put an old
 * copy back; the models that others have are the witnesses (T7). */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verify.h>

#include "budget.h"
#include "cli.h"
#include "output.h"
#include "run_ledger.h"
#include "verify_ledger.h"

/* ---- verify --models ---- */

typedef struct {
    unsigned found, missing, others;
} tally;

static int check_model(kith_ledger *ledger, const char *path, tally *t)
{
    claim c;
    claim_fate fate;
    uint64_t entry = 0;
    char *account = NULL;
    int code = CLI_OK;
    if (!claim_read(&c, path)) {
        claim_free(&c);
        return CLI_OK;
    }
    code = claim_look(&c, ledger, &fate, &entry, &account);
    if (!code && fate == CLAIM_ELSEWHERE) {
        t->others++;
    } else if (!code && (fate == CLAIM_RECORDED || fate == CLAIM_ADOPTED)) {
        t->found++;
    } else if (!code && fate == CLAIM_UNRECORDED) {
        t->found++;
        cli_note("%s: charged by entry %llu of account %s, no result with its "
                 "SHA-256 is recorded",
                 path, (unsigned long long)entry, account);
    } else if (!code) {
        t->missing++;
        cli_note("%s: %s (account %s)", path,
                 fate == CLAIM_CHEAP ? "it lists more than its entry paid for"
                 : fate == CLAIM_BROKEN
                     ? "its account is not intact"
                     : "the ledger does not have the entry that it names",
                 account);
    }
    free(account);
    claim_free(&c);
    return code;
}

int budget_check_models(kith_ledger *ledger, const char *folder)
{
    tally t = {0, 0, 0};
    int code = CLI_OK;
    DIR *d = opendir(folder);
    if (!d)
        return cli_fail(CLI_INPUT, "--models: the folder %s cannot be read",
                        folder);
    for (struct dirent *e; !code && (e = readdir(d));) {
        char *path = NULL;
        if (!output_has_suffix(e->d_name, ".json"))
            continue;
        if (asprintf(&path, "%s/%s", folder, e->d_name) < 0)
            code = cli_no_memory();
        else
            code = check_model(ledger, path, &t);
        free(path);
    }
    closedir(d);
    if (code)
        return code;
    cli_note("%u model%s in the ledger, %u %s not; %u name%s another ledger, "
             "or none",
             t.found, t.found == 1 ? " is" : "s are", t.missing,
             t.missing == 1 ? "is" : "are", t.others, t.others == 1 ? "s" : "");
    return t.missing
               ? cli_fail(CLI_STORE,
                          "the ledger was rewritten, or restored from an old "
                          "copy: book each with kith budget adopt MODEL")
               : CLI_OK;
}

/* ---- adopt ---- */

static const arg_option adopt_options[] = {
    {"account", 0, "NAME", "default: each of those that the model names"},
    {"convert", 0, NULL, "pay a pure model from the Gaussian purse"},
};

static const arg_group adopt_groups[] = {
    {"Account", adopt_options, sizeof adopt_options / sizeof *adopt_options},
    {"Ledger", budget_ledger_options, BUDGET_LEDGER_OPTIONS},
};

/* Releases that no amount of epsilon alone or of mu^2 covers (T19). */
static int has_no_price(const json_t *privacy)
{
    const char *model = json_string_value(json_object_get(privacy, "model"));
    size_t i;
    json_t *release;
    if (model && !strcmp(model, "local"))
        return json_number_value(json_object_get(privacy, "delta")) > 0;
    json_array_foreach(json_object_get(privacy, "releases"), i, release)
    {
        const char *mechanism =
            json_string_value(json_object_get(release, "mechanism"));
        if (mechanism && !strcmp(mechanism, "smooth-sensitivity"))
            return 1;
    }
    return 0;
}

static int adopt(const args *a, const claim *c, kith_ledger *ledger,
                 const char *account)
{
    kith_error err = {0};
    const char *unit = json_string_value(json_object_get(c->privacy, "unit"));
    const char *adjacency =
        json_string_value(json_object_get(c->privacy, "adjacency"));
    kith_adoption adoption = {
        .privacy = {json_number_value(json_object_get(c->privacy, "epsilon")),
                    json_number_value(json_object_get(c->privacy, "delta")),
                    adjacency && !strcmp(adjacency, "replace-one")
                        ? KITH_REPLACE_ONE
                        : KITH_ADD_REMOVE},
        .unit = unit && !strcmp(unit, "user") ? KITH_UNIT_USER : KITH_UNIT_ROW,
        .convert = args_given(a, "convert"),
        .guarantee =
            json_string_value(json_object_get(c->privacy, "guarantee")),
        .run = c->run,
        .text = c->text};
    if (!account)
        return cli_usage("the model names no account: give --account NAME");
    if (has_no_price(c->privacy))
        return cli_fail(CLI_BUDGET,
                        "%s promises (epsilon, delta) only, which no account "
                        "can hold",
                        a->operands[0]);
    int code =
        cli_status(kith_ledger_adopt(ledger, account, &adoption, &err), &err);
    if (!code)
        cli_note("booked in account %s: (%g, %g)", account,
                 adoption.privacy.epsilon, adoption.privacy.delta);
    return code;
}

/* Book what the i-th account that paid does not know; where: in this one. */
static int adopt_at(const args *a, const claim *c, size_t i,
                    kith_ledger *ledger, const char *where)
{
    claim_fate fate = CLAIM_ELSEWHERE;
    uint64_t entry = 0;
    char *account = NULL;
    int code = claim_look_at(c, i, ledger, &fate, &entry, &account);
    if (!code && (claim_is_booked(fate) || fate == CLAIM_UNRECORDED))
        cli_note("the ledger has it already: entry %llu of account %s",
                 (unsigned long long)entry, account);
    else if (!code)
        code = adopt(a, c, ledger, where);
    free(account);
    return code;
}

/* Every account that paid is told (T12), or the one that is given. */
static int adopt_all(const args *a, const claim *c, kith_ledger *ledger)
{
    const char *given = args_value(a, "account");
    int code = CLI_OK, told = 0;
    for (size_t i = 0; !code && i < c->count; i++) {
        const char *account = claim_account(c, i);
        if (given && strcmp(given, account) != 0)
            continue;
        told = 1;
        code = adopt_at(a, c, i, ledger, account);
    }
    return told || code ? code : adopt_at(a, c, 0, ledger, given);
}

static int adopt_main(const args *a)
{
    kith_ledger *ledger = NULL;
    claim c = {0};
    char *reason = NULL;
    if (a->operand_count != 1)
        return cli_usage("one MODEL is needed");
    int code = verify_exit_code(verify_promise(a->operands[0], &reason));
    if (code < 0)
        code = cli_no_memory();
    else if (code)
        code = cli_fail(code, "%s: not booked. %s", a->operands[0], reason);
    if (!code && !claim_read(&c, a->operands[0]))
        code = cli_no_memory();
    if (!code)
        code = ledger_open(a, 0, &ledger);
    if (!code)
        code = adopt_all(a, &c, ledger);
    free(reason);
    kith_ledger_free(ledger);
    claim_free(&c);
    return code;
}

const arg_command *budget_adopt(void)
{
    static const arg_command command = {
        .name = "budget adopt",
        .summary = "Book a published model that the ledger does not know.",
        .usage = "MODEL [--account NAME] [--convert] [--ledger URI]",
        .notes = "After a ledger was restored from a copy, adopt every model "
                 "since; do not lower\nlimits for it as well. A model whose "
                 "promise does not hold is not booked (exit\nstatus 1); one "
                 "that the ledger has is left alone. If limits do not allow it "
                 "(exit\nstatus 3), more was published than was promised: "
                 "raise the limit with a reason.\n",
        .groups = adopt_groups,
        .group_count = sizeof adopt_groups / sizeof *adopt_groups,
        .run = adopt_main,
    };
    return &command;
}
