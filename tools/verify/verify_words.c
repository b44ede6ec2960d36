/* The finding as people read it, and as programs do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify_i.h"

verify_verdict verify_judge(const finding *f)
{
    return f->no_memory       ? VERIFY_NO_MEMORY
           : f->fatal         ? VERIFY_NOT_A_MODEL
           : f->wrong.count   ? VERIFY_WRONG
           : f->unknown.count ? VERIFY_UNKNOWN
           : f->none          ? VERIFY_NO_PROMISE
                              : VERIFY_HOLDS;
}

int verify_exit_code(verify_verdict verdict)
{
    return verdict == VERIFY_NO_MEMORY     ? -1
           : verdict == VERIFY_HOLDS       ? 0
           : verdict == VERIFY_NOT_A_MODEL ? 4
                                           : 1;
}

static const char *verdict(const finding *f)
{
    static const char *const words[] = {"holds", "no promise",
                                        "cannot be judged", "does not hold",
                                        "not a model"};
    verify_verdict v = verify_judge(f);
    return v < 0 ? "out of memory" : words[v];
}

static const char *secret(const finding *f)
{
    int replace = !strcmp(f->adjacency, "replace-one");
    if (!strcmp(f->unit, "user"))
        return replace ? "whatever any one person's rows say"
                       : "whether or not any one person is in the data";
    return replace ? "whatever any one row says"
                   : "whether or not any one row is in the data";
}

/* ", apart from fields that no run writes ('x', 'y'),": what the sentence is
 * not about. */
static void name_beyond(const finding *f, char *out, size_t size)
{
    enum { MOST_NAMED = 5 };
    size_t used = 0, count = f->beyond.count;
    out[0] = 0;
    for (size_t i = 0; i < count && i < MOST_NAMED; i++) {
        const char *name = f->beyond.items[i].words;
        used += (size_t)snprintf(out + used, size - used, "%s%s",
                                 i ? ", "
                                   : ", apart from fields that no run "
                                     "writes (",
                                 name ? name : "?");
    }
    if (count > MOST_NAMED)
        used += (size_t)snprintf(out + used, size - used, " and %zu more",
                                 count - MOST_NAMED);
    if (count)
        snprintf(out + used, size - used, "),");
}

static char *headline_holds(const finding *f)
{
    char times[40], chance[60] = "", bought[160] = "", beyond[600], *text;
    name_beyond(f, beyond, sizeof beyond);
    if (f->epsilon <= 20)
        snprintf(times, sizeof times, "%.3g", exp(f->epsilon));
    else
        snprintf(times, sizeof times, "e^%.6g", f->epsilon);
    if (f->delta > 0)
        snprintf(chance, sizeof chance, ", apart from a chance of %.6g",
                 f->delta);
    const char *limit = strcmp(f->guarantee, "asymptotic") != 0
                            ? ""
                            : " That is so in the limit of a sampler (a "
                              "Markov chain); no file can tell how close this "
                              "run came.";
    if (f->has_bought)
        snprintf(bought, sizeof bought,
                 " With its bounds, which an earlier run found: epsilon %.6g, "
                 "delta %.6g in all.",
                 f->bought_epsilon, f->bought_delta);
    if (asprintf(&text,
                 "Holds. If the program did what it lists, then %s, nothing in "
                 "this file%s is more than %s times likelier or less "
                 "likely%s.%s%s",
                 secret(f), beyond, times, chance, limit, bought) < 0)
        return NULL;
    return text;
}

/* Is a signature all that is wrong? */
static int lacks_signature(const finding *f)
{
    for (size_t i = 0; i < f->wrong.count; i++)
        if (!f->wrong.items[i].where ||
            strcmp(f->wrong.items[i].where, "signature") != 0)
            return 0;
    return f->wrong.count > 0;
}

char *verify_headline(const finding *f)
{
    char *text;
    if (f->fatal)
        return asprintf(&text, "Not a kith model: %s.", f->fatal) < 0 ? NULL
                                                                      : text;
    if (lacks_signature(f))
        return strdup("Does not hold: no good signature by this key goes with "
                      "this file.");
    if (f->wrong.count)
        return strdup("Does not hold: this file is not what it claims to be.");
    if (f->unknown.count)
        return strdup("Cannot be judged. This file has something that this "
                      "checker does not know.");
    if (f->none)
        return strdup("No promise. This file says of itself that it is not "
                      "private: keep it as secret as the rows.");
    return headline_holds(f);
}

/* What no file can show; NULL after the last. */
static const char *not_checked(const finding *f, size_t i)
{
    static const char *const central[] = {
        "that the noise was drawn, from a secure generator",
        ("that rows were clipped so that they move no release by more than its "
         "sensitivity"),
        ("that no other file was made from these rows: losses add up (ask for "
         "the ledger)")};
    static const char *const local[] = {
        "that every device drew its own noise, from a secure generator",
        "that no user answered more often than listed",
        ("that no other file was made with these users: losses add up (ask for "
         "the ledger)")};
    if (!f->has_promise)
        return NULL;
    if (i < 3)
        return f->local ? local[i] : central[i];
    size_t next = 3;
    if (!f->local && !strcmp(f->unit, "user") && i == next++)
        return "that only the listed number of rows was kept of each person";
    if (f->smooth && i == next++)
        return "the noise of the line with smooth sensitivity: its scale "
               "depends on the rows, so it is not told";
    if (f->beyond.count && i == next)
        return "the fields that no run writes: nothing is promised of them, "
               "and they may hold rows";
    return NULL;
}

/* Problem i as it is printed; 0 after the last. */
static int problem_at(const finding *f, size_t i, char more[40], problem *out)
{
    size_t wrong = f->wrong.count, all = wrong + f->unknown.count;
    if (i >= all || i > MOST_PROBLEMS)
        return 0;
    if (i == MOST_PROBLEMS) {
        snprintf(more, 40, "%zu more problems", all - i);
        *out = (problem){.where = "file", .words = more};
    } else {
        *out = i < wrong ? f->wrong.items[i] : f->unknown.items[i - wrong];
    }
    return 1;
}

void verify_print_words(const finding *f, FILE *out)
{
    char *text = verify_headline(f), more[40];
    problem p;
    fprintf(out, "%s\n", text ? text : verdict(f));
    free(text);
    for (size_t i = 0; problem_at(f, i, more, &p); i++)
        fprintf(out, "  %s: %s\n", p.where, p.words);
    if (f->has_recomputed && verify_judge(f) == VERIFY_HOLDS) {
        fprintf(out, "Recomputed: %zu releases, %s %.6g of %.6g", f->releases,
                f->currency, f->spent, f->allowed);
        if (f->recomputed_delta > 0)
            fprintf(out, "; delta %.6g", f->recomputed_delta);
        fputs(".\n", out);
    }
    if (f->has_signature && f->signature_good)
        fprintf(out, "Signed by %s: %s\n", f->key_name, f->comment);
    if (f->paid[0])
        fprintf(out, "%s, which is intact and names this file.\n", f->paid);
    for (size_t i = 0; not_checked(f, i); i++)
        fprintf(out, "%s  - %s\n",
                i ? "" : "Not checked, and not checkable from a file:\n",
                not_checked(f, i));
}

/* Strings here are printable ASCII without quotes and backslashes. */
void verify_print_json(const finding *f, FILE *out)
{
    char *text = verify_headline(f), more[40];
    problem p;
    size_t n;
    fprintf(out,
            "{\n  \"kith_verify\": 1,\n  \"verdict\": \"%s\",\n"
            "  \"words\": \"%s\",\n  \"promise\": ",
            verdict(f), text ? text : verdict(f));
    free(text);
    if (f->has_promise)
        fprintf(out,
                "{\"model\": \"%s\", \"unit\": \"%s\", \"adjacency\": \"%s\", "
                "\"guarantee\": \"%s\", \"epsilon\": %.6g, \"delta\": %.6g}",
                f->model, f->unit, f->adjacency, f->guarantee, f->epsilon,
                f->delta);
    else
        fputs("null", out);
    fputs(",\n  \"recomputed\": ", out);
    if (f->has_recomputed)
        fprintf(out,
                "{\"releases\": %zu, \"currency\": \"%s\", \"spent\": %.6g, "
                "\"allowed\": %.6g, \"delta\": %.6g}",
                f->releases, f->currency, f->spent, f->allowed,
                f->recomputed_delta);
    else
        fputs("null", out);
    fputs(",\n  \"signature\": ", out);
    if (f->has_signature)
        fprintf(out,
                "{\"key\": \"%s\", \"good\": %s, \"trusted_comment\": \"%s\"}",
                f->key_name, f->signature_good ? "true" : "false", f->comment);
    else
        fputs("null", out);
    fputs(",\n  \"ledger\": ", out);
    fprintf(out, f->paid[0] ? "\"%s\"" : "null", f->paid);
    fputs(",\n  \"problems\": [", out);
    for (n = 0; problem_at(f, n, more, &p); n++)
        fprintf(out, "%s\n    {\"where\": \"%s\", \"words\": \"%s\"}",
                n ? "," : "", p.where, p.words);
    fprintf(out, "%s],\n  \"not_checked\": [", n ? "\n  " : "");
    for (n = 0; not_checked(f, n); n++)
        fprintf(out, "%s\n    \"%s\"", n ? "," : "", not_checked(f, n));
    fprintf(out, "%s]\n}\n", n ? "\n  " : "");
}
