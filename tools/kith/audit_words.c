/* What an audit says: JSON for programs, words for people. Never more than was
 * judged. */
#include "audit.h"

#include <string.h>

#include "cli.h"
#include "output.h"

static const char *unit_of(const audit_attack *a)
{
    return a->target.mu > 0 ? "mu" : "epsilon";
}

static const char *judged_words(const audit_attack *a)
{
    switch (a->target.judged) {
    case AUDIT_LAST:
        return a->judged;
    case AUDIT_ONE_CLUSTER:
        return "all answers but partitions and swaps";
    default:
        return "the whole promise";
    }
}

static json_t *attack_json(const audit_attack *a)
{
    json_t *list = json_array();
    for (int i = 0; i < AUDIT_PROGRAMS; i++)
        json_array_append_new(
            list,
            json_pack("{s:f, s:f, s:I, s:f, s:f}", "factor", audit_factors[i],
                      "epsilon", a->tallies[i].epsilon, "tries",
                      (json_int_t)a->bounds[i].tries, "estimate",
                      a->bounds[i].estimate, "at_least", a->bounds[i].least));
    return json_pack("{s:s, s:f, s:s, s:f, s:f, s:o}", "attack", a->name,
                     "alpha", a->alpha, "judged", judged_words(a), "claim",
                     a->claim, "part_of_loss", a->part, "programs", list);
}

int audit_print(const audit_attack *attacks, size_t count,
                const audit_verdict *v, const char *path)
{
    output o = {0};
    const audit_attack *by = &attacks[v->by];
    const audit_target *t = &by->target;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, attack_json(&attacks[i]));
    json_t *json = json_pack(
        "{s:s, s:s, s:s, s:f, s:f, s:s, s:s, s:f, s:f, s:o, s:o}", "verdict",
        v->word, "method", t->method, "unit", t->people ? "user" : "row",
        "epsilon", t->epsilon, "delta", t->delta, "currency", unit_of(by),
        "judged", judged_words(by), "claim", by->claim, "part_of_loss",
        by->part, "control_caught",
        v->shown > 0 ? json_real(v->shown) : json_null(), "attacks", list);
    int code = output_open(&o, path);
    if (code)
        json_decref(json);
    else
        code = print_json(o.file, json);
    return output_save(&o, code);
}

static void say_attack(const audit_attack *a)
{
    cli_note("%s: %zu tries: %s about %.3f, at least %.3f; the claim is %.3f",
             a->words, a->bounds[0].tries, unit_of(a), a->bounds[0].estimate,
             a->bounds[0].least, a->claim);
    if (a->target.judged != AUDIT_ALL)
        cli_note("  judged: %s (%.0f %% of %s), against the receipts of a run "
                 "with epsilon %.3g",
                 judged_words(a), 100 * a->part, unit_of(a), a->target.epsilon);
    for (int r = 1; r < AUDIT_PROGRAMS; r++)
        if (a->bounds[r].tries)
            cli_note("  control, %g times the loss: at least %.3f: %s",
                     audit_factors[r], a->bounds[r].least,
                     a->bounds[r].least > a->claim ? "caught" : "not caught");
}

/* Which answers the verdict is about, where it is not about all of them. */
static void say_limits(const audit_attack *attacks, size_t count)
{
    if (attacks[0].target.judged == AUDIT_ALL)
        return;
    for (size_t i = 0; i < count; i++) {
        const audit_attack *a = &attacks[i];
        int r = 1;
        while (r < AUDIT_PROGRAMS && !(a->bounds[r].least > a->claim))
            r++;
        if (r < AUDIT_PROGRAMS)
            cli_note("judged from a factor of %g on: %s (%.0f %% of %s)",
                     audit_factors[r], judged_words(a), 100 * a->part,
                     unit_of(a));
    }
    cli_note("not seen: partitions and swaps, which no model with one cluster "
             "shows");
}

/* Attacks that caught none of their controls: the verdict is of the others. */
static void say_blind(const audit_attack *attacks, size_t count,
                      const audit_verdict *v)
{
    char list[600] = "";
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const audit_attack *a = &attacks[i];
        int caught = a->bounds[0].least > a->claim;
        for (int r = 1; r < AUDIT_PROGRAMS; r++)
            caught |= a->bounds[r].tries && a->bounds[r].least > a->claim;
        if (!caught && used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used,
                                     "%s\"%s\"", used ? ", " : "", a->words);
    }
    if (used && (v->shown > 0 || !strcmp(v->word, "disproved")))
        cli_note("could not judge (control missed): %s; the verdict is of the "
                 "others",
                 list);
}

void audit_say(const audit_attack *attacks, size_t count,
               const audit_verdict *v, double alpha)
{
    const audit_attack *by = &attacks[v->by];
    for (size_t i = 0; i < count; i++)
        say_attack(&attacks[i]);
    if (!strcmp(v->word, "disproved"))
        cli_note("DISPROVED: the program gives away more than it claims (%s); "
                 "this is wrong once in %.0f audits",
                 judged_words(by), 1 / alpha);
    else if (v->shown > 0)
        cli_note("not disproved; a program that gives away %g times as much "
                 "would have been caught.\nNot disproved is not proved: it is "
                 "what these tries could not do",
                 v->shown);
    else if (by->target.judged != AUDIT_ALL && by->target.chosen)
        cli_note("cannot judge: not even twice the loss was caught; leave out "
                 "--epsilon, so that answers can be judged one by one");
    else
        cli_note("cannot judge: not even twice the loss was caught; give it "
                 "more --seconds");
    if (v->shown > 0)
        say_limits(attacks, count);
    say_blind(attacks, count, v);
}
