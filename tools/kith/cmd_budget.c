/* `kith budget`: the ledger from its owner's side. Reads no rows, charges
 * nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kith/kith.h>

#include "budget.h"
#include "cli.h"
#include "commands.h"
#include "run_ledger.h"

const arg_option budget_ledger_options[BUDGET_LEDGER_OPTIONS] = {
    {"ledger", 0, "URI",
     "sqlite:PATH or postgresql://...; default: the environment's KITH_LEDGER"},
    {"ledger-unsafe-fs", 0, NULL,
     "use a ledger on a network file system all the same; its entries say "
     "so"},
};

int budget_open(const args *a, size_t operands, unsigned flags,
                kith_ledger **out)
{
    *out = NULL;
    if (a->operand_count != operands)
        return operands == 0   ? cli_usage("no operand is expected")
               : operands == 1 ? cli_usage("the name of one account is needed")
                               : cli_usage("%zu operands are needed", operands);
    return ledger_open(a, flags, out);
}

int budget_statement(const args *a, kith_ledger **ledger, kith_statement **out)
{
    kith_error err = {0};
    *out = NULL;
    int code = budget_open(a, 1, KITH_LEDGER_READ, ledger);
    if (!code)
        code = cli_status(
            kith_ledger_statement(*ledger, a->operands[0], out, &err), &err);
    return code;
}

/* ---- create ---- */

static const arg_option create_options[] = {
    {"dataset", 0, "TEXT", "what the rows are, in words (required)"},
    {"unit", 0, "U",
     "row or user (required): whom a neighbouring data set differs in"},
    {"adjacency", 0, "A", "add-remove or replace-one (required)"},
    {"epsilon", 'e', "EPS", "the promise to the people in the data (required)"},
    {"delta", 0, "D", "and its delta (required); 0: pure runs only"},
    {"pure", 0, "EPS",
     "the part of epsilon that is kept for pure runs (default: 0)"},
    {"new-ledger", 0, NULL, "make the ledger too; it must not exist"},
};

static const arg_group create_groups[] = {
    {"Account", create_options, sizeof create_options / sizeof *create_options},
    {"Ledger", budget_ledger_options, BUDGET_LEDGER_OPTIONS},
};

static int create_terms(const args *a, kith_account_terms *out)
{
    static const char *const needed[] = {"dataset", "unit",  "adjacency",
                                         "epsilon", "delta", NULL};
    static const char *const units[] = {"row", "user", NULL};
    unsigned unit = 0;
    int adjacency = 0;
    for (const char *const *n = needed; *n; n++)
        if (!args_value(a, *n))
            return cli_usage("--%s is required: a promise has no defaults", *n);
    *out = (kith_account_terms){.dataset = args_value(a, "dataset")};
    int code = args_choice(a, "unit", units, &unit);
    if (!code)
        code = args_word(a, "adjacency", KITH_WORDS_ADJACENCY, &adjacency);
    if (!code)
        code = args_real(a, "epsilon", &out->promise.epsilon);
    if (!code)
        code = args_real(a, "delta", &out->promise.delta);
    if (!code)
        code = args_real(a, "pure", &out->pure);
    out->unit = unit ? KITH_UNIT_USER : KITH_UNIT_ROW;
    out->promise.neighbors = (kith_neighbors)adjacency;
    return code;
}

static int create_main(const args *a)
{
    kith_error err = {0};
    kith_account_terms terms;
    kith_ledger *ledger = NULL;
    int code = create_terms(a, &terms);
    if (!code)
        code = budget_open(
            a, 1, args_given(a, "new-ledger") ? KITH_LEDGER_NEW : 0, &ledger);
    if (!code)
        code = cli_status(
            kith_ledger_account_new(ledger, a->operands[0], &terms, &err),
            &err);
    if (!code)
        cli_note("account %s: everything that is paid from it, by everybody "
                 "together, has epsilon %g at delta %g",
                 a->operands[0], terms.promise.epsilon, terms.promise.delta);
    kith_ledger_free(ledger);
    return code;
}

static const arg_command create = {
    .name = "budget create",
    .summary = "Open an account: a promise to the people in a data set.",
    .usage = "NAME --dataset TEXT --unit U --adjacency A -e E --delta D "
             "[OPTION]...",
    .notes = "The limit is fixed when the account is made.\nExample: kith "
             "budget create visits --ledger sqlite:team.db --new-ledger\n"
             "  --dataset 'clinic visits' --unit row --adjacency add-remove -e "
             "4 --delta 1e-6\n",
    .groups = create_groups,
    .group_count = sizeof create_groups / sizeof *create_groups,
    .run = create_main,
};

/* ---- limit ---- */

static const arg_option limit_options[] = {
    {"epsilon", 'e', "EPS", "the new limit"},
    {"delta", 0, "D", "and its delta (default: the account's)"},
    {"pure", 0, "EPS",
     "the part that is for pure runs (default: as it is; of analysts and "
     "purposes: 0)"},
    {"analyst", 0, "NAME", "limit what this analyst spends from now on"},
    {"purpose", 0, "TEXT", "limit what is spent for this purpose from now on"},
    {"raise", 0, NULL,
     "the account's limit may become higher; needs --reason, and stays visible "
     "for ever"},
    {"close", 0, NULL, "no more charges; needs --reason"},
    {"reason", 0, "TEXT", "why, for those who read the ledger"},
};

static const arg_group limit_groups[] = {
    {"Limit", limit_options, sizeof limit_options / sizeof *limit_options},
    {"Ledger", budget_ledger_options, BUDGET_LEDGER_OPTIONS},
};

/* What is not said stays as it is in the account. Exit code. */
static int limit_defaults(const args *a, kith_ledger *ledger,
                          kith_limit_change *change)
{
    kith_error err = {0};
    kith_statement *s = NULL;
    int code = cli_status(
        kith_ledger_statement(ledger, a->operands[0], &s, &err), &err);
    if (!code) {
        const kith_account_view *v = kith_statement_account(s);
        if (!args_given(a, "delta"))
            change->delta = v->promise.delta;
        if (!args_given(a, "pure") && !change->analyst && !change->purpose &&
            change->delta > 0)
            change->pure = (double)v->limit.pure * KITH_AMOUNT_UNIT;
        if (change->pure > change->epsilon)
            code = cli_usage("--pure: %g of the account is for pure runs, more "
                             "than all of the new limit: say how much shall be",
                             change->pure);
    }
    kith_statement_free(s);
    return code;
}

static void say_limit(const char *account, const kith_limit_change *change)
{
    const char *whose = change->analyst   ? ", analyst "
                        : change->purpose ? ", purpose "
                                          : "";
    const char *name = change->analyst   ? change->analyst
                       : change->purpose ? change->purpose
                                         : "";
    char pure[60] = "";
    if (change->close) {
        cli_note("account %s is closed: nothing is charged to it any more",
                 account);
        return;
    }
    if (change->delta > 0 && change->pure > 0)
        snprintf(pure, sizeof pure, ", %g of it for pure runs", change->pure);
    cli_note("account %s%s%s: the limit is epsilon %g at delta %g%s", account,
             whose, name, change->epsilon, change->delta,
             *pure               ? pure
             : change->delta > 0 ? ", nothing for pure runs"
                                 : ", all for pure runs");
}

static int limit_main(const args *a)
{
    kith_error err = {0};
    kith_ledger *ledger = NULL;
    kith_limit_change change = {.analyst = args_value(a, "analyst"),
                                .purpose = args_value(a, "purpose"),
                                .raise = args_given(a, "raise"),
                                .close = args_given(a, "close"),
                                .reason = args_value(a, "reason")};
    if (change.close == args_given(a, "epsilon"))
        return cli_usage("either -e EPS or --close is needed");
    int code = args_real(a, "epsilon", &change.epsilon);
    if (!code)
        code = args_real(a, "delta", &change.delta);
    if (!code)
        code = args_real(a, "pure", &change.pure);
    if (!code)
        code = budget_open(a, 1, 0, &ledger);
    if (!code && !change.close)
        code = limit_defaults(a, ledger, &change);
    if (!code)
        code = cli_status(
            kith_ledger_limit(ledger, a->operands[0], &change, &err), &err);
    if (!code)
        say_limit(a->operands[0], &change);
    kith_ledger_free(ledger);
    return code;
}

static const arg_command limit = {
    .name = "budget limit",
    .summary = "Lower, raise or close an account; limit an analyst or purpose.",
    .usage = "NAME (-e E [--delta D] | --close) [OPTION]...",
    .notes = "Limits inside an account are policy: the promise is the "
             "account's.\n",
    .groups = limit_groups,
    .group_count = sizeof limit_groups / sizeof *limit_groups,
    .run = limit_main,
};

/* ---- backup, migrate ---- */

static const arg_group plain_groups[] = {
    {"Ledger", budget_ledger_options, BUDGET_LEDGER_OPTIONS}};

typedef struct {
    kith_ledger *ledger;
    int code;
} check;

static int check_account(void *arg, const char *name)
{
    check *c = arg;
    kith_statement *s = NULL;
    kith_error err = {0};
    c->code =
        cli_status(kith_ledger_statement(c->ledger, name, &s, &err), &err);
    const kith_account_view *account = kith_statement_account(s);
    if (!c->code && account->problem && account->problem_entry)
        c->code = cli_fail(CLI_STORE, "account %s, entry %llu: %s", name,
                           (unsigned long long)account->problem_entry,
                           account->problem);
    else if (!c->code && account->problem)
        c->code = cli_fail(CLI_STORE, "account %s: %s", name, account->problem);
    kith_statement_free(s);
    return c->code;
}

int budget_check_all(kith_ledger *ledger)
{
    kith_error err = {0};
    check c = {ledger, CLI_OK};
    int listed =
        cli_status(kith_ledger_accounts(ledger, check_account, &c, &err), &err);
    return listed ? listed : c.code;
}

static int backup_main(const args *a)
{
    kith_error err = {0};
    kith_ledger *ledger = NULL, *copy = NULL;
    char *uri = NULL;
    if (a->operand_count != 1)
        return cli_usage("one FILE is needed");
    int code = ledger_open(a, KITH_LEDGER_READ, &ledger);
    if (!code)
        code =
            cli_status(kith_ledger_backup(ledger, a->operands[0], &err), &err);
    if (!code && asprintf(&uri, "sqlite:%s", a->operands[0]) < 0)
        code = cli_no_memory();
    if (!code)
        code = cli_status(kith_ledger_open(uri, KITH_LEDGER_READ, &copy, &err),
                          &err);
    if (!code)
        code = budget_check_all(copy);
    if (!code)
        cli_note("copied and checked: %s", a->operands[0]);
    free(uri);
    kith_ledger_free(copy);
    kith_ledger_free(ledger);
    return code;
}

static const arg_command backup = {
    .name = "budget backup",
    .summary = "Copy a ledger, while it is used, and check the copy.",
    .usage = "FILE [--ledger URI]",
    .notes = "After a restore charges may be missing. First adopt every model "
             "since the copy\n(kith budget verify --models DIR names them, "
             "kith budget adopt books them). Then\nlower the limits by what "
             "was published without a model. Not both for one model: it\n"
             "would count twice.\n",
    .groups = plain_groups,
    .group_count = 1,
    .run = backup_main,
};

static int migrate_main(const args *a)
{
    kith_ledger *ledger = NULL;
    int code = budget_open(a, 0, KITH_LEDGER_READ, &ledger);
    if (!code)
        cli_note("the ledger has the schema of this kith: nothing to do");
    kith_ledger_free(ledger);
    return code;
}

static const arg_command migrate = {
    .name = "budget migrate",
    .summary = "Bring an older ledger to the schema of this kith.",
    .usage = "[--ledger URI]",
    .notes = "There is one schema so far. A ledger of a newer kith is refused "
             "(exit status 5).\n",
    .groups = plain_groups,
    .group_count = 1,
    .run = migrate_main,
};

const arg_command *command_budget(void)
{
    static const arg_command *parts[11] = {&create};
    static const arg_command command = {
        .name = "budget",
        .summary = "Keep budgets over many runs: accounts in a ledger.",
        .usage = "COMMAND [OPTION]...",
        .notes = "Runs are charged with --ledger and --account.\n",
        .parts = parts,
    };
    parts[1] = budget_show();
    parts[2] = budget_history();
    parts[3] = budget_quote();
    parts[4] = &limit;
    parts[5] = budget_export();
    parts[6] = budget_verify();
    parts[7] = budget_adopt();
    parts[8] = &backup;
    parts[9] = &migrate;
    return &command;
}
