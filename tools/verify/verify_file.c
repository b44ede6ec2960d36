/* One file: what it promises, then the checks of its kind. */
#include <stdlib.h>
#include <string.h>

#include "verify_i.h"

/* The word of a field, if it is one of known (NULL-terminated). */
static const char *read_word(finding *f, const json_t *privacy,
                             const char *field, const char *const *known)
{
    const char *value = json_string_value(json_object_get(privacy, field));
    char list[80] = "";
    size_t used = 0;
    for (; *known; known++) {
        if (value && !strcmp(*known, value))
            return value;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 used ? ", " : "", *known);
    }
    verify_strange(f, "privacy", "'%s' is none of the words known: %s", field,
                   list);
    return "";
}

/* Planes that are all of space are known without asking anybody. */
static int is_whole_space(const json_t *model)
{
    const char *kind = json_string_value(json_object_get(model, "kind"));
    double d, q;
    return kind && !strcmp(kind, "subspace") &&
           verify_number(json_object_get(model, "dimension"), 1, 4294967296,
                         &d) &&
           verify_number(json_object_get(model, "subspace_dimension"), 1,
                         4294967296, &q) &&
           q == d;
}

/* A run for people says which column tells them apart (null: it was told in
 * memory). Receipts of bounds have no parameters of their own. */
static int names_users(const json_t *model)
{
    const char *kind = json_string_value(json_object_get(model, "kind"));
    return (kind && !strcmp(kind, "bounds")) ||
           json_object_get(json_object_get(model, "parameters"), "user_column");
}

static void read_promise(finding *f, const json_t *privacy)
{
    static const char *const units[] = {"row", "user", NULL};
    static const char *const adjacencies[] = {"add-remove", "replace-one",
                                              NULL};
    const json_t *releases = json_object_get(privacy, "releases");
    f->local = !strcmp(f->model, "local");
    f->unit = read_word(f, privacy, "unit", units);
    f->adjacency = read_word(f, privacy, "adjacency", adjacencies);
    const json_t *group = json_object_get(privacy, "rows_per_user");
    f->group = 1;
    if (group &&
        (strcmp(f->unit, "user") != 0 || f->local || !json_is_integer(group) ||
         !verify_number(group, 2, 1000, &f->group)))
        verify_bad(f, "privacy",
                   "'rows_per_user' is not a whole number from 2 to 1000, in a "
                   "promise to users");
    if (!f->local && !strcmp(f->unit, "user") && !names_users(f->json))
        verify_bad(f, "privacy",
                   "a promise to users, and no 'user_column' in the "
                   "parameters");
    if (!f->local && !strcmp(f->unit, "row") &&
        json_object_get(json_object_get(f->json, "parameters"), "user_column"))
        verify_bad(f, "privacy",
                   "a 'user_column' in the parameters, and no promise to "
                   "users");
    if (!verify_number(json_object_get(privacy, "epsilon"), 1e-15, 4096,
                       &f->epsilon))
        verify_bad(f, "privacy",
                   "'epsilon' is not a number above 0 and up to 4096");
    if (!verify_number(json_object_get(privacy, "delta"), 0, 1, &f->delta) ||
        f->delta >= 1)
        verify_bad(f, "privacy", "'delta' is not a number from 0 to below 1");
    if (!json_is_array(releases) ||
        (json_array_size(releases) == 0 && !is_whole_space(f->json)))
        verify_bad(f, "privacy", "no releases are listed");
    else if (json_array_size(releases) > MOST_RELEASES)
        verify_strange(f, "privacy", "more releases than any run makes");
    if (f->local && (strcmp(f->unit, "user") != 0 ||
                     strcmp(f->adjacency, "replace-one") != 0))
        verify_bad(f, "privacy",
                   "a local run promises to users that their record may be "
                   "replaced");
}

/* Is together at least the sum of the two? */
static int covers(double together, double one, double other)
{
    exact_sum sum = {.count = 0};
    exact_add(&sum, one);
    exact_add(&sum, other);
    exact_add(&sum, -together);
    return exact_sign(&sum) <= 0;
}

/* Bounds that an earlier run found: its loss comes on top, and both are said.
 */
static void check_bought(finding *f, const json_t *bounds)
{
    const json_t *together = json_object_get(bounds, "together");
    double epsilon, delta;
    if (!bounds || json_is_null(bounds))
        return;
    if (!verify_number(json_object_get(bounds, "epsilon"), 1e-15, 4096,
                       &epsilon) ||
        !verify_number(json_object_get(bounds, "delta"), 0, 1, &delta) ||
        !verify_number(json_object_get(together, "epsilon"), 1e-15, 8192,
                       &f->bought_epsilon) ||
        !verify_number(json_object_get(together, "delta"), 0, 2,
                       &f->bought_delta))
        verify_bad(f, "bounds", "it does not say what the bounds cost");
    else if (!covers(f->bought_epsilon, f->epsilon, epsilon) ||
             !covers(f->bought_delta, f->delta, delta))
        verify_bad(f, "bounds",
                   "the run and its bounds cost more together than is said");
    else
        f->has_bought = 1;
}

static void check_privacy(finding *f)
{
    static const char *const models[] = {"central", "local", "none", NULL};
    static const char *const words[] = {"exact", "asymptotic", "none", NULL};
    const json_t *privacy = json_object_get(f->json, "privacy");
    if (json_integer_value(json_object_get(f->json, "kith")) != 1) {
        verify_strange(f, "kith", "the format is newer than this checker");
        return;
    }
    f->model = read_word(f, privacy, "model", models);
    f->guarantee = read_word(f, privacy, "guarantee", words);
    if (f->unknown.count || !strcmp(f->model, "none") ||
        !strcmp(f->guarantee, "none")) {
        f->none = f->unknown.count == 0;
        return;
    }
    read_promise(f, privacy);
    if (f->wrong.count || f->unknown.count)
        return;
    f->has_promise = 1;
    const json_t *releases = json_object_get(privacy, "releases");
    if (f->local)
        verify_local(f, releases);
    else
        verify_central(f, releases);
    check_bought(f, json_object_get(privacy, "bounds"));
    verify_content(f);
}

static void free_problems(problem_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].where);
        free(list->items[i].words);
    }
    free(list->items);
}

static void finding_free(finding *f)
{
    free_problems(&f->wrong);
    free_problems(&f->unknown);
    free_problems(&f->beyond);
    json_decref(f->json);
}

/* What a ledger said, in printable words. */
static void check_ledger(finding *f, const verify_options *options)
{
    char words[301];
    for (size_t i = 0; i < options->unpaid_count; i++) {
        const char *text = options->unpaid[i];
        verify_clean(text, strlen(text), words, sizeof words);
        verify_bad(f, "ledger", "%s", words);
    }
    if (options->paid)
        verify_clean(options->paid, strlen(options->paid), f->paid,
                     sizeof f->paid);
}

static void finding_make(finding *f, const char *path,
                         const verify_options *options)
{
    *f = (finding){0};
    verify_read(f, path);
    if (!f->fatal)
        check_privacy(f);
    if (f->has_promise)
        check_ledger(f, options);
    if (!f->fatal && options->key)
        verify_signature(f, path, options->key);
}

verify_verdict verify_file(const char *path, const verify_options *options,
                           FILE *out)
{
    finding f;
    finding_make(&f, path, options);
    verify_verdict verdict = verify_judge(&f);
    if (verdict != VERIFY_NO_MEMORY && options->json)
        verify_print_json(&f, out);
    else if (verdict != VERIFY_NO_MEMORY)
        verify_print_words(&f, out);
    finding_free(&f);
    return verdict;
}

verify_verdict verify_promise(const char *path, char **headline)
{
    finding f;
    verify_options none = {0};
    finding_make(&f, path, &none);
    *headline = verify_headline(&f);
    f.no_memory |= !*headline;
    verify_verdict verdict = verify_judge(&f);
    finding_free(&f);
    return verdict;
}
