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
        printf(": epsilon %.3g at delta %g%s",
               kith_amounts_epsilon(a->spent, a->promise.delta),
               a->promise.delta,
               a->spent.gauss /* pure losses add up whatever is chosen */
                   ? " if budgets were not chosen after looking at results"
                   : "");
    puts("");
    if (a->without_result)
        printf("           %llu charged, no result recorded\n",
               (unsigned long long)a->without_result);
}

/* Runs with the delta of the account. */
static void show_runs_left(kith_amounts left, kith_privacy one)
{
    kith_amounts price;
    double largest = kith_amounts_fits(left, one.delta, 1);
    double of_five = kith_amounts_fits(left, one.delta, 5);
    if (kith_privacy_price(&one, 0, &price, NULL))
        return;
    uint64_t count = runs_that_fit(left, price);
    if (!(largest > 0)) {
        printf("left       nothing for runs with delta %g", one.delta);
        return;
    }
    if (count)
        printf("left       %llu more run%s of (1, %g), or one of (%g, %g)",
               (unsigned long long)count, count == 1 ? "" : "s", one.delta,
               largest, one.delta);
    else
        printf("left       no run of (1, %g), but one of (%g, %g)", one.delta,
               largest, one.delta);
    if (of_five > 0)
        printf(", or 5 of (%g, %g) each", of_five, one.delta);
}

static void show_left(const kith_account_view *a)
{
    kith_amounts left = left_of(a);
    double delta = a->promise.delta, pure = kith_amounts_fits(left, 0, 1);
    show_runs_left(left, (kith_privacy){1, delta, a->promise.neighbors});
    if (delta > 0 && a->limit.pure && pure > 0)
        printf(", and pure runs of epsilon %g together", pure);
    else if (delta > 0 && a->limit.pure)
        printf(", and nothing for pure runs");
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
               "%zu entr%s, %s\n",
               v->name, v->dataset, v->unit == KITH_UNIT_USER ? "user" : "row",
               kith_word_of(KITH_WORDS_ADJACENCY, (int)v->promise.neighbors),
               kith_ledger_id(ledger), entries, entries == 1 ? "y" : "ies",
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

/* ---- quote ---- */

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

/* The largest epsilon of equal runs, and from where it is paid. */
static double largest_of(kith_amounts left, double delta, uint64_t runs,
                         int convert)
{
    return convert && delta <= 0 ? kith_amounts_fits_converted(left, runs)
                                 : kith_amounts_fits(left, delta, runs);
}

/* Nothing fits; perhaps it would from the other purse. */
static int fail_nothing(kith_amounts left, double delta, uint64_t runs,
                        int convert)
{
    double other = !convert && delta <= 0 ? largest_of(left, 0, runs, 1) : 0;
    const char *purse = convert && delta <= 0 ? " in the Gaussian purse" : "";
    if (other > 0)
        return cli_fail(CLI_BUDGET,
                        "nothing is left for runs with delta 0; with --convert "
                        "epsilon %g fits, from the Gaussian purse",
                        other);
    return cli_fail(CLI_BUDGET, "nothing is left%s for runs with delta %g",
                    purse, delta);
}

static int quote_batch(const args *a, const kith_account_view *v,
                       kith_privacy one, uint64_t runs)
{
    kith_error err = {0};
    kith_amounts left = left_of(v), price;
    int convert = args_given(a, "convert");
    int code =
        cli_status(kith_privacy_price(&one, convert, &price, &err), &err);
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
    double largest = largest_of(left, one.delta, runs, convert);
    if (!(largest > 0))
        return fail_nothing(left, one.delta, runs, convert);
    return runs == 1
               ? cli_fail(CLI_BUDGET, "the largest epsilon that fits is %g",
                          largest)
               : cli_fail(CLI_BUDGET,
                          "%llu of them fit%s, or %llu of epsilon %g each",
                          (unsigned long long)fit, fit == 1 ? "s" : "",
                          (unsigned long long)runs, largest);
}

/* How large equal runs may be: with the account's delta, unless another is
 * given. Only pure runs are converted. */
static int quote_largest(const args *a, const kith_account_view *v,
                         double delta, uint64_t runs)
{
    int convert = args_given(a, "convert");
    if (!args_given(a, "delta") && !convert)
        delta = v->promise.delta;
    double epsilon = largest_of(left_of(v), delta, runs, convert);
    if (!(epsilon > 0))
        return fail_nothing(left_of(v), delta, runs, convert);
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
