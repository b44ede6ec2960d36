/* What a sweep found, as text, CSV and JSON. */
#include <math.h>
#include <string.h>

#include "cli.h"
#include "output.h"
#include "run_ledger.h"
#include "sweep.h"

static size_t cells_of(const sweep *g)
{
    return g->cluster_count * g->epsilon_count;
}

/* ---- what an account can pay ---- */

static uint64_t runs_left(kith_amounts left, const kith_privacy *privacy)
{
    kith_amounts price;
    if (kith_privacy_price(privacy, 0, &price, NULL))
        return 0;
    if (price.pure)
        return left.pure / price.pure;
    return price.gauss ? left.gauss / price.gauss : 0;
}

int sweep_left(sweep *g, sweep_cell *cells, const args *a)
{
    kith_ledger *ledger = NULL;
    kith_statement *s = NULL;
    kith_error err = {0};
    g->account = args_value(a, "account");
    if (!g->account)
        return args_value(a, "ledger")
                   ? cli_usage("which --account of the ledger?")
                   : CLI_OK;
    int code = ledger_open(a, KITH_LEDGER_READ, &ledger);
    if (!code)
        code = cli_status(kith_ledger_statement(ledger, g->account, &s, &err),
                          &err);
    for (size_t i = 0; !code && i < cells_of(g); i++) {
        const kith_account_view *v = kith_statement_account(s);
        kith_amounts left = {v->limit.pure - v->spent.pure,
                             v->limit.gauss - v->spent.gauss};
        kith_privacy one = g->privacy;
        one.epsilon = cells[i].epsilon;
        cells[i].left = runs_left(left, &one);
    }
    kith_statement_free(s);
    kith_ledger_free(ledger);
    return code;
}

/* ---- printing ---- */

const char *sweep_verdict(const sweep *g, const sweep_cell *c)
{
    if (g->account && !c->left)
        return "more than is left";
    if (!c->sensible)
        return "not known";
    return c->sensible < c->clusters ? "too many centres" : "fits";
}

static void print_text(FILE *file, const sweep *g, const sweep_cell *cells)
{
    fprintf(file, "%8s %9s %14s %12s %10s", "k", "epsilon", "noise/centre",
            "of a bound", "sensible k");
    fprintf(file, "%s%s  %s\n", g->trials ? "  cost/non-private" : "",
            g->account ? "  runs left" : "", "verdict");
    for (size_t i = 0; i < cells_of(g); i++) {
        const sweep_cell *c = &cells[i];
        fprintf(file, "%8u %9g %14.4g %10.2g %% %10u", c->clusters, c->epsilon,
                c->noise, 100 * c->noise / g->width, c->sensible);
        if (g->trials)
            fprintf(file, " %17.3f", c->ratio);
        if (g->account)
            fprintf(file, " %10llu", (unsigned long long)c->left);
        fprintf(file, "  %s\n", sweep_verdict(g, c));
    }
}

static void print_csv(FILE *file, const sweep *g, const sweep_cell *cells)
{
    fprintf(file, "k,epsilon,noise,share,sensible,releases%s%s\n",
            g->trials ? ",cost_ratio" : "", g->account ? ",runs_left" : "");
    for (size_t i = 0; i < cells_of(g); i++) {
        const sweep_cell *c = &cells[i];
        fprintf(file, "%u,%.17g,%.17g,%.17g,%u,%zu", c->clusters, c->epsilon,
                c->noise, c->noise / g->width, c->sensible, c->releases);
        if (g->trials)
            fprintf(file, ",%.17g", c->ratio);
        if (g->account)
            fprintf(file, ",%llu", (unsigned long long)c->left);
        putc('\n', file);
    }
}

static json_t *cell_json(const sweep *g, const sweep_cell *c)
{
    json_t *cell = json_pack(
        "{s:I, s:f, s:o, s:I, s:I}", "k", (json_int_t)c->clusters, "epsilon",
        c->epsilon, "noise",
        isfinite(c->noise) ? json_real(c->noise) : json_null(), "sensible",
        (json_int_t)c->sensible, "releases", (json_int_t)c->releases);
    if (cell && g->trials)
        json_object_set_new(cell, "cost_ratio", json_real(c->ratio));
    if (cell && g->account)
        json_object_set_new(cell, "runs_left",
                            json_integer((json_int_t)c->left));
    return cell;
}

static int sweep_json(FILE *file, const sweep *g, const sweep_cell *cells)
{
    static const char *const trials[] = {NULL, "stand-in", "public"};
    json_t *list = json_array();
    for (size_t i = 0; i < cells_of(g); i++)
        json_array_append_new(list, cell_json(g, &cells[i]));
    return print_json(file,
                      json_pack("{s:b, s:I, s:I, s:f, s:s*, s:s*, s:o}",
                                "dry_run", 1, "rows", (json_int_t)g->rows,
                                "dimension", (json_int_t)g->dimension, "delta",
                                g->privacy.delta, "trials", trials[g->trials],
                                "account", g->account, "cells", list));
}

int sweep_print(FILE *file, const sweep *g, const sweep_cell *cells,
                unsigned form)
{
    if (form == 2)
        return sweep_json(file, g, cells);
    static void (*const forms[])(FILE *, const sweep *, const sweep_cell *) = {
        print_text, print_csv, NULL, sweep_page};
    forms[form](file, g, cells);
    return CLI_OK;
}
