/* `kith budget show` and `kith budget quote`: what is promised, spent, left. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "budget.h"
#include "cli.h"

static const arg_group show_groups[] = {
    {"Ledger", budget_ledger_options, BUDGET_LEDGER_OPTIONS}};

static double value(uint64_t units)
{
    return (double)units * KITH_AMOUNT_UNIT;
}

static kith_amounts left_of(const kith_account_view *a)
{
    return (kith_amounts){a->limit.pure - a->spent.pure,
                          a->limit.gauss - a->spent.gauss};
}

/* How many equal runs of this price fit. */
static uint64_t runs_that_fit(kith_amounts left, kith_amounts price)
{
    return price.gauss ? left.gauss / price.gauss : left.pure / price.pure;
}

static void show_promise(const kith_account_view *a)
{
    double delta = a->promise.delta;
    printf("promise    epsilon %g", kith_amounts_epsilon(a->granted, delta));
    if (delta > 0)
        printf(" at delta %g (%.3g at %g)", delta,
               kith_amounts_epsilon(a->granted, delta / 1000), delta / 1000);
    puts(": whatever is asked, in whatever order, by everyone together");
}

static void show_purse(const char *name, uint64_t spent, uint64_t limit)
{
    if (limit)
        printf(", %s %.4g of %.4g (%.0f %%)", name, value(spent), value(limit),
               100 * value(spent) / value(limit));
}

static void show_spent(const kith_account_view *a)
{
    printf("spent      %llu run%s", (unsigned long long)a->runs,
           a->runs == 1 ? "" : "s");
    show_purse("epsilon", a->spent.pure, a->limit.pure);
    show_purse("mu^2", a->spent.gauss, a->limit.gauss);
    if (a->spent.pure || a->spent.gauss)
        printf(": epsilon %.3g at delta %g if budgets were not chosen after "
               "looking at results",
               kith_amounts_epsilon(a->spent, a->promise.delta),
               a->promise.delta);
    puts("");
    if (a->without_result)
        printf("           %llu charged, no result recorded\n",
               (unsigned long long)a->without_result);
}

static void show_left(const kith_account_view *a)
{
    kith_amounts left = left_of(a), price;
    double delta = a->promise.delta;
    kith_privacy one = {1, delta, a->promise.neighbors};
    if (kith_privacy_price(&one, 0, &price, NULL))
        return;
    printf("left       %llu more runs of (1, %g), or one of (%g, %g), or 5 of "
           "(%g, %g) each",
           (unsigned long long)runs_that_fit(left, price), delta,
           kith_amounts_fits(left, delta, 1), delta,
           kith_amounts_fits(left, delta, 5), delta);
    if (delta > 0 && a->limit.pure)
        printf(", and pure runs of epsilon %g together",
               kith_amounts_fits(left, 0, 1));
    puts("");
}

static int show_main(const args *a)
{
    kith_ledger *ledger = NULL;
    kith_statement *s = NULL;
    int code = budget_statement(a, &ledger, &s);
    if (!code) {
        const kith_account_view *v = kith_statement_account(s);
        size_t entries = 0;
        while (kith_statement_entry(s, entries))
            entries++;
        printf("%s   dataset \"%s\"   unit: %s   adjacency: %s   ledger %s, "
               "%zu entries, %s\n",
               v->name, v->dataset, v->unit == KITH_UNIT_USER ? "user" : "row",
               kith_word_of(KITH_WORDS_ADJACENCY, (int)v->promise.neighbors),
               kith_ledger_id(ledger), entries,
               v->problem ? "NOT INTACT" : "chain intact");
        show_promise(v);
        show_spent(v);
        int closed = budget_print_marks(s);
        if (v->problem)
            puts("left       not known: the account is not intact, and nothing "
                 "is charged to it");
        else if (closed)
            puts("left       nothing: the account is closed");
        else
            show_left(v);
        const kith_sublimit_view *l;
        for (size_t i = 0; (l = kith_statement_sublimit(s, i)); i++) {
            printf("%-11s%s", l->kind, l->key);
            show_purse("epsilon", l->spent.pure, l->limit.pure);
            show_purse("mu^2", l->spent.gauss, l->limit.gauss);
            puts("");
        }
        puts("not known  whether other accounts are about the same people");
        if (v->problem)
            code = cli_fail(CLI_STORE, "account %s: %s: see kith budget verify",
                            v->name, v->problem);
    }
    kith_statement_free(s);
    kith_ledger_free(ledger);
    return code;
}

const arg_command *budget_show(void)
{
    static const arg_command command = {
        .name = "budget show",
        .summary = "What an account promises, has spent, and has left.",
        .usage = "NAME [--ledger URI]",
        .notes = "The limit is a theorem. What is spent so far is a promise "
                 "only if nobody chose\nbudgets by looking at results.\n",
        .groups = show_groups,
        .group_count = 1,
        .run = show_main,
    };
    return &command;
}

/* ---- quote ----------------------------------------------------------------
 */

static const arg_option quote_options[] = {
    {"epsilon", 'e', "EPS", "of each run; left out: the largest that fits"},
    {"delta", 0, "D", "of each run (default: 0; without -e the account's)"},
    {"runs", 0, "N", "how many equal runs (default: 1)"},
    {"convert", 0, NULL, "pure runs from the Gaussian purse"},
};

static const arg_group quote_groups[] = {
    {"Runs", quote_options, sizeof quote_options / sizeof *quote_options},
    {"Ledger", budget_ledger_options, BUDGET_LEDGER_OPTIONS},
};

static int quote_batch(const args *a, const kith_account_view *v,
                       kith_privacy one, uint64_t runs)
{
    kith_error err = {0};
    kith_amounts left = left_of(v), price;
    int code = cli_status(
        kith_privacy_price(&one, args_given(a, "convert"), &price, &err), &err);
    if (code)
        return code;
    uint64_t fit = runs_that_fit(left, price);
    printf("%llu run%s of (%g, %g) cost%s %s %.6g; left: %.6g: %s\n",
           (unsigned long long)runs, runs == 1 ? "" : "s", one.epsilon,
           one.delta, runs == 1 ? "s" : "", price.gauss ? "mu^2" : "epsilon",
           (double)runs * value(price.gauss + price.pure),
           value(price.gauss ? left.gauss : left.pure),
           fit < runs  ? "too much"
           : runs == 1 ? "it fits"
                       : "they fit");
    if (fit >= runs)
        return CLI_OK;
    double largest = kith_amounts_fits(left, one.delta, runs);
    if (!(largest > 0))
        return cli_fail(CLI_BUDGET, "nothing is left for runs with delta %g",
                        one.delta);
    return cli_fail(CLI_BUDGET, "%llu of them fit, or %llu of epsilon %g each",
                    (unsigned long long)fit, (unsigned long long)runs, largest);
}

/* How large equal runs may be: with the account's delta, unless another is
 * given. */
static int quote_largest(const args *a, const kith_account_view *v,
                         double delta, uint64_t runs)
{
    if (!args_given(a, "delta"))
        delta = v->promise.delta;
    double epsilon = kith_amounts_fits(left_of(v), delta, runs);
    if (!(epsilon > 0))
        return cli_fail(CLI_BUDGET, "nothing is left for runs with delta %g",
                        delta);
    printf("%llu run%s of (%g, %g)%s fit%s\n", (unsigned long long)runs,
           runs == 1 ? "" : "s", epsilon, delta, runs == 1 ? "" : " each",
           runs == 1 ? "s" : "");
    return CLI_OK;
}

static int quote_main(const args *a)
{
    kith_ledger *ledger = NULL;
    kith_statement *s = NULL;
    kith_privacy one = {0, 0, KITH_ADD_REMOVE};
    uint64_t runs = 1;
    int code = args_real(a, "epsilon", &one.epsilon);
    if (!code)
        code = args_real(a, "delta", &one.delta);
    if (!code)
        code = args_whole(a, "runs", 1, 1000000, &runs);
    if (!code)
        code = budget_statement(a, &ledger, &s);
    if (!code && args_given(a, "epsilon"))
        code = quote_batch(a, kith_statement_account(s), one, runs);
    else if (!code)
        code = quote_largest(a, kith_statement_account(s), one.delta, runs);
    kith_statement_free(s);
    kith_ledger_free(ledger);
    return code;
}

const arg_command *budget_quote(void)
{
    static const arg_command command = {
        .name = "budget quote",
        .summary = "What runs would cost, or how large they may be.",
        .usage = "NAME [-e E] [--delta D] [--runs N] [--ledger URI]",
        .notes = "Charges nothing. Exit status 3: they do not fit.\n",
        .groups = quote_groups,
        .group_count = sizeof quote_groups / sizeof *quote_groups,
        .run = quote_main,
    };
    return &command;
}
