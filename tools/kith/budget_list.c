/* `kith budget history`, `export` and `verify`: the entries themselves. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "budget.h"
#include "cli.h"

static const arg_group plain_groups[] = {
    {"Ledger", budget_ledger_options, BUDGET_LEDGER_OPTIONS}};

static int history_main(const args *a)
{
    kith_ledger *ledger = NULL;
    kith_statement *s = NULL;
    int code = budget_statement(a, &ledger, &s);
    const kith_entry_view *e;
    for (size_t i = 0; !code && (e = kith_statement_entry(s, i)); i++) {
        printf("%5llu  %s  %-7s", (unsigned long long)e->number, e->at,
               e->kind);
        budget_print_privacy(e);
        if (e->spend.pure)
            printf("  epsilon %.6g", (double)e->spend.pure * KITH_AMOUNT_UNIT);
        if (e->spend.gauss)
            printf("  mu^2 %.6g", (double)e->spend.gauss * KITH_AMOUNT_UNIT);
        printf("  %.12s", e->hash);
        budget_print_facts(e);
        puts("");
    }
    kith_statement_free(s);
    kith_ledger_free(ledger);
    return code;
}

const arg_command *budget_history(void)
{
    static const arg_command command = {
        .name = "budget history",
        .summary = "The entries of an account, one a line.",
        .usage = "NAME [--ledger URI]",
        .notes = "Limits and charges may be published; results and times may "
                 "not: a missing result\ncan depend on the rows.\n",
        .groups = plain_groups,
        .group_count = 1,
        .run = history_main,
    };
    return &command;
}

/* ---- export ---- */

static const arg_option export_options[] = {
    {"csv", 0, NULL, "a table"},
    {"json", 0, NULL, "JSON, one entry a line (the default)"},
    {"delta", 0, "D",
     "last, epsilon at this delta of the limit and of what is spent"},
};

static const arg_group export_groups[] = {
    {"Form", export_options, sizeof export_options / sizeof *export_options},
    {"Ledger", budget_ledger_options, BUDGET_LEDGER_OPTIONS},
};

/* A field of CSV, with its quotes doubled. */
static void csv_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

static void export_entry(const kith_entry_view *e, int csv)
{
    if (csv) {
        printf("%llu,%s,%s,%s,%llu,%llu,%s,", (unsigned long long)e->number,
               e->kind, e->at, e->run, (unsigned long long)e->spend.pure,
               (unsigned long long)e->spend.gauss, e->hash);
        csv_text(e->body);
        puts("");
        return;
    }
    /* The body is JSON already. */
    printf("{\"at\":\"%s\",\"body\":%s,\"entry\":%llu,\"hash\":\"%s\"}\n",
           e->at, e->body, (unsigned long long)e->number, e->hash);
}

/* Infinite: no epsilon keeps this delta. */
static void export_epsilon(const kith_account_view *v, double delta, int csv)
{
    double limit = kith_amounts_epsilon(v->granted, delta);
    double spent = kith_amounts_epsilon(v->spent, delta);
    if (csv) {
        printf("epsilon,%.9g,limit,%.9g,spent,%.9g,,\n", delta, limit, spent);
        return;
    }
    printf("{\"delta\":%.9g", delta);
    if (isfinite(limit))
        printf(",\"epsilon_limit\":%.9g", limit);
    if (isfinite(spent))
        printf(",\"epsilon_spent\":%.9g", spent);
    puts("}");
}

static int export_main(const args *a)
{
    kith_ledger *ledger = NULL;
    kith_statement *s = NULL;
    int csv = args_given(a, "csv");
    double delta = 0;
    if (csv && args_given(a, "json"))
        return cli_usage("either --csv or --json");
    int code = args_real(a, "delta", &delta);
    if (!code && !(delta >= 0 && delta < 1))
        code = cli_usage("--delta must be at least 0 and below 1");
    if (!code)
        code = budget_statement(a, &ledger, &s);
    if (!code && csv)
        puts("entry,kind,at,run,pure,gauss,hash,body");
    const kith_entry_view *e;
    for (size_t i = 0; !code && (e = kith_statement_entry(s, i)); i++)
        export_entry(e, csv);
    if (!code && args_given(a, "delta"))
        export_epsilon(kith_statement_account(s), delta, csv);
    kith_statement_free(s);
    kith_ledger_free(ledger);
    return code;
}

const arg_command *budget_export(void)
{
    static const arg_command command = {
        .name = "budget export",
        .summary = "All entries of an account, with bodies and hashes.",
        .usage = "NAME [--csv] [--delta D] [--ledger URI]",
        .notes = "Amounts are whole numbers of 2^-50: epsilon (pure) and mu^2 "
                 "(gauss). Whoever has\na tighter accountant can apply it to "
                 "this list.\n",
        .groups = export_groups,
        .group_count = sizeof export_groups / sizeof *export_groups,
        .run = export_main,
    };
    return &command;
}

/* ---- verify ---- */

static const arg_option verify_options[] = {
    {"models", 0, "DIR",
     "and the entries that the models in this folder (*.json) name are there"},
};

static const arg_group verify_groups[] = {
    {"Witnesses", verify_options, 1},
    {"Ledger", budget_ledger_options, BUDGET_LEDGER_OPTIONS},
};

static int verify_main(const args *a)
{
    kith_ledger *ledger = NULL;
    int code = budget_open(a, 0, KITH_LEDGER_READ, &ledger);
    if (!code)
        code = budget_check_all(ledger);
    if (!code)
        cli_note("every account is what its entries come to");
    if (!code && args_value(a, "models"))
        code = budget_check_models(ledger, args_value(a, "models"));
    kith_ledger_free(ledger);
    return code;
}

const arg_command *budget_verify(void)
{
    static const arg_command command = {
        .name = "budget verify",
        .summary = "Follow every entry of every account again.",
        .usage = "[--models DIR] [--ledger URI]",
        .notes = "Computes every hash and every sum again, and names the first "
                 "entry that is wrong\n(exit status 5). Whoever can write the "
                 "whole ledger can forge it whole: --models\ncompares "
                 "with the entries that published models name.\n",
        .groups = verify_groups,
        .group_count = sizeof verify_groups / sizeof *verify_groups,
        .run = verify_main,
    };
    return &command;
}
