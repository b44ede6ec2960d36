/* What entries say of themselves, for people: `kith budget show` and
 * `history`. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"

static const char *text_of(const json_t *body, const char *key)
{
    return json_string_value(json_object_get(body, key));
}

static void print_text(const json_t *body, const char *key, const char *before,
                       const char *after)
{
    const char *text = text_of(body, key);
    if (text)
        printf("%s%s%s", before, text, after);
}

/* Entries have the shortest text of a number: 4e+01 is 40 to people. */
static double number_of(const json_t *body, const char *key)
{
    const char *text = text_of(body, key);
    return text ? strtod(text, NULL) : 0;
}

static int is_asymptotic(const json_t *body)
{
    const char *word = text_of(body, "guarantee");
    return word && !strcmp(word, "asymptotic");
}

/* Of a limit, the part for pure runs, where there are others too; 0: none. */
static double pure_part(const json_t *body)
{
    return number_of(body, "delta") > 0
               ? json_number_value(json_object_get(body, "limit_pure")) *
                     KITH_AMOUNT_UNIT
               : 0;
}

/* "(1, 1e-06)", as it was asked for; a new limit likewise. */
static void print_privacy(const json_t *body)
{
    if (text_of(body, "epsilon"))
        printf("  (%.6g, %.6g)", number_of(body, "epsilon"),
               number_of(body, "delta"));
    if (pure_part(body) > 0)
        printf(", pure %.6g", pure_part(body));
}

void budget_print_privacy(const kith_entry_view *e)
{
    json_t *body = json_loads(e->body, JSON_REJECT_DUPLICATES, NULL);
    print_privacy(body);
    json_decref(body);
}

void budget_print_facts(const kith_entry_view *e)
{
    json_t *body = json_loads(e->body, JSON_REJECT_DUPLICATES, NULL);
    print_text(body, "analyst", "  analyst ", "");
    print_text(body, "purpose", "  purpose \"", "\"");
    print_text(body, "once", "  once ", "");
    if (is_asymptotic(body))
        printf("  asymptotic");
    if (json_integer_value(json_object_get(body, "raise")) == 1)
        printf("  raised");
    print_text(body, "reason", "  reason \"", "\"");
    json_decref(body);
}

/* Does the result of this run say so, where the charge does not? */
static int result_is_asymptotic(const kith_statement *s, const char *run)
{
    const kith_entry_view *e;
    int found = 0;
    for (size_t i = 0; !found && (e = kith_statement_entry(s, i)); i++) {
        if (strcmp(e->kind, "result") != 0 || strcmp(e->run, run) != 0)
            continue;
        json_t *body = json_loads(e->body, JSON_REJECT_DUPLICATES, NULL);
        found = is_asymptotic(body);
        json_decref(body);
    }
    return found;
}

/* Runs whose promise holds in the limit of a sampler only (T19). */
static unsigned count_asymptotic(const kith_statement *s)
{
    const kith_entry_view *e;
    unsigned count = 0;
    for (size_t i = 0; (e = kith_statement_entry(s, i)); i++) {
        if (!e->spend.pure && !e->spend.gauss)
            continue;
        json_t *body = json_loads(e->body, JSON_REJECT_DUPLICATES, NULL);
        count +=
            is_asymptotic(body) || (!text_of(body, "guarantee") && e->run[0] &&
                                    result_is_asymptotic(s, e->run));
        json_decref(body);
    }
    return count;
}

static void print_change(const kith_entry_view *e, const json_t *body,
                         const char *what)
{
    printf("%-11son %s", what, e->at);
    if (text_of(body, "epsilon"))
        printf(" to epsilon %.6g at delta %.6g", number_of(body, "epsilon"),
               number_of(body, "delta"));
    if (pure_part(body) > 0)
        printf(", %.6g of it for pure runs", pure_part(body));
    print_text(body, "reason", ": \"", "\"");
    puts("");
}

int budget_print_marks(const kith_statement *s)
{
    const kith_entry_view *e;
    int closed = 0, raised = 0;
    for (size_t i = 0; (e = kith_statement_entry(s, i)); i++) {
        int limit = !strcmp(e->kind, "limit"), end = !strcmp(e->kind, "close");
        if (!limit && !end)
            continue;
        json_t *body = json_loads(e->body, JSON_REJECT_DUPLICATES, NULL);
        int up = json_integer_value(json_object_get(body, "raise")) == 1;
        if (up || end)
            print_change(e, body, end ? "closed" : "raised");
        if (end || up)
            closed = end;
        raised |= up;
        json_decref(body);
    }
    if (raised)
        puts("           a limit that is raised after looking is an intention, "
             "not a theorem");
    unsigned count = count_asymptotic(s);
    if (count)
        printf("asymptotic %u of the runs: their promise holds in the limit of "
               "a sampler, and nobody can tell how close they came\n",
               count);
    return closed;
}
