/* Where the budget went, release by release, and how to check it. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* ---- stages: releases whose words differ in numbers only ---- */

typedef struct stage {
    char *name;
    size_t count;
    double share; /* of what was spent */
    const json_t *first;
} stage;

/* Does p begin with this word and a number, and perhaps " of " a number? The
 * length of all that, or 0. */
static size_t match_counter(const char *p, const char *word)
{
    size_t n = strlen(word), start;
    if (strncmp(p, word, n) != 0 || p[n] != ' ')
        return 0;
    start = ++n;
    n += strspn(p + n, "0123456789");
    if (n == start)
        return 0;
    if (!strncmp(p + n, " of ", 4))
        n += 4 + strspn(p + n + 4, "0123456789");
    return n;
}

/* "cluster sums, round 2 of 5" -> "cluster sums"; numbers elsewhere go too. */
static char *stage_name(const char *what)
{
    char *out = calloc(strlen(what) + 1, 1);
    size_t n = 0;
    for (const char *p = what; out && *p;) {
        size_t skip = match_counter(p, "round");
        if (skip) {
            p += skip;
            while (*p == ',' || *p == ' ')
                p++;
            continue;
        }
        if (isdigit((unsigned char)*p) && (n == 0 || out[n - 1] == ' ')) {
            p += strspn(p, "0123456789");
            if (!strncmp(p, " of ", 4))
                p += 4 + strspn(p + 4, "0123456789");
            if (n)
                n--; /* the blank before */
            continue;
        }
        out[n++] = *p++;
    }
    while (out && n && (out[n - 1] == ' ' || out[n - 1] == ','))
        n--;
    if (out)
        out[n] = 0;
    return out;
}

static double loss_of(const json_t *release)
{
    const json_t *loss = json_object_get(release, "loss");
    double mu = json_number_value(json_object_get(loss, "mu"));
    double epsilon = json_number_value(json_object_get(loss, "epsilon"));
    return mu > 0 ? mu * mu : epsilon;
}

/* Stages in order of their first release; *count of them. NULL: no memory. */
static stage *fold(const json_t *releases, size_t *count)
{
    size_t n = json_array_size(releases);
    stage *list = calloc(n + 1, sizeof *list);
    double total = 0;
    *count = 0;
    for (size_t i = 0; list && i < n; i++) {
        const json_t *r = json_array_get(releases, i);
        const char *what = json_string_value(json_object_get(r, "what"));
        char *name = stage_name(what ? what : "");
        size_t s = 0;
        if (!name)
            continue;
        while (s < *count && strcmp(list[s].name, name) != 0)
            s++;
        if (s == *count)
            list[(*count)++] = (stage){.name = name, .first = r};
        else
            free(name);
        list[s].count++;
        list[s].share += loss_of(r);
        total += loss_of(r);
    }
    for (size_t s = 0; list && s < *count; s++)
        list[s].share /= total > 0 ? total : 1;
    return list;
}

static void print_mechanism(FILE *f, const json_t *release)
{
    const char *word = json_string_value(json_object_get(release, "mechanism"));
    report_escape(f, word ? word : "");
}

static void print_stages(const report *r, const stage *list, size_t count)
{
    FILE *f = r->file;
    fputs("<table class=\"bars\">\n", f);
    for (size_t s = 0; s < count; s++) {
        fputs("<tr><th scope=\"row\">", f);
        report_escape(f, list[s].name);
        fprintf(f,
                "</th><td class=\"chart\"><svg viewBox=\"0 0 100 10\" "
                "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
                "class=\"frame\" width=\"100\" height=\"10\"/><rect "
                "class=\"bar\" y=\"1.5\" width=\"%.2f\" height=\"7\"/></svg>"
                "</td><td class=\"value\">%.1f %%",
                100 * list[s].share, 100 * list[s].share);
        if (list[s].count > 1)
            fprintf(f, " <small>× %zu</small>", list[s].count);
        fputs("</td></tr>\n", f);
    }
    fputs("</table>\n", f);
}

static void print_releases(const report *r, const json_t *releases)
{
    enum { MOST = 400 };
    FILE *f = r->file;
    size_t n = json_array_size(releases);
    fprintf(f,
            "<details><summary>Every release (%zu)</summary><div "
            "class=\"wide\"><table><thead><tr><th scope=\"col\">release</th>"
            "<th scope=\"col\">noise</th><th scope=\"col\">sensitivity</th><th "
            "scope=\"col\">scale</th><th scope=\"col\">loss</th></tr></thead>"
            "<tbody>\n",
            n);
    for (size_t i = 0; i < n && i < MOST; i++) {
        const json_t *release = json_array_get(releases, i);
        const json_t *sensitivity = json_object_get(release, "sensitivity");
        const json_t *loss = json_object_get(release, "loss");
        const json_t *mu = json_object_get(loss, "mu");
        const json_t *scale = json_object_get(release, "scale");
        const char *what = json_string_value(json_object_get(release, "what"));
        fputs("<tr><th scope=\"row\">", f);
        report_escape(f, what ? what : "");
        fputs("</th><td>", f);
        print_mechanism(f, release);
        fprintf(f, "</td><td>%.6g</td><td>",
                json_number_value(json_object_get(sensitivity, "value")));
        if (json_is_number(scale))
            fprintf(f, "%.6g", json_number_value(scale));
        else
            fputs("not told", f);
        fprintf(f, "</td><td>%s %.6g</td></tr>\n", mu ? "μ" : "ε",
                json_number_value(mu ? mu : json_object_get(loss, "epsilon")));
    }
    fputs("</tbody></table></div>", f);
    if (n > MOST)
        fprintf(f, "<p class=\"note\">and %zu more, in the model file</p>",
                n - MOST);
    fputs("</details>\n", f);
}

void report_budget(const report *r)
{
    const json_t *releases = json_object_get(r->privacy, "releases");
    double delta = json_number_value(json_object_get(r->privacy, "delta"));
    size_t count = 0;
    stage *list = fold(releases, &count);
    if (!list || count == 0) {
        free(list);
        return;
    }
    fprintf(r->file,
            "<section><h2>Budget</h2>\n<p>%zu noisy releases share the budget. "
            "Shares are of %s, which adds up.</p>\n",
            json_array_size(releases),
            delta > 0 ? "μ² (Gaussian differential privacy)" : "ε");
    print_stages(r, list, count);
    report_account(r);
    print_releases(r, releases);
    fputs("</section>\n", r->file);
    for (size_t s = 0; s < count; s++)
        free(list[s].name);
    free(list);
}

/* ---- local runs ---- */

void report_local(const report *r)
{
    const json_t *groups = json_object_get(r->privacy, "releases");
    const json_t *forecast = json_object_get(r->model, "forecast");
    FILE *f = r->file;
    fputs("<section><h2>Who was asked what</h2>\n<p>Nobody holds the rows: "
          "each user's device sends one noisy answer.</p><div "
          "class=\"wide\"><table><thead><tr><th scope=\"col\">question</th><th "
          "scope=\"col\">round</th><th scope=\"col\">users</th><th "
          "scope=\"col\">noise</th><th scope=\"col\">ε</th></tr></thead>"
          "<tbody>\n",
          f);
    for (size_t i = 0; i < json_array_size(groups) && i < 400; i++) {
        const json_t *g = json_array_get(groups, i);
        const char *what = json_string_value(json_object_get(g, "what"));
        fputs("<tr><th scope=\"row\">", f);
        report_escape(f, what ? what : "");
        fprintf(f, "</th><td>%lld</td><td>%.3g %%</td><td>",
                (long long)json_integer_value(json_object_get(g, "round")),
                100 * json_number_value(json_object_get(g, "share")));
        print_mechanism(f, g);
        fprintf(f, "</td><td>%.4g</td></tr>\n",
                json_number_value(
                    json_object_get(json_object_get(g, "loss"), "epsilon")));
    }
    fputs("</tbody></table></div>\n", f);
    if (json_is_object(forecast))
        fprintf(f,
                "<p>Before anybody was asked, noise was forecast to move a "
                "centre by about %.2g, and to hide clusters of less than "
                "%.3g %% of the users.</p>\n",
                json_number_value(json_object_get(forecast, "center_error")),
                100 * json_number_value(
                          json_object_get(forecast, "smallest_share")));
    fputs("</section>\n", f);
}

/* ---- how to check ---- */

static void print_scalar(FILE *f, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_STRING:
        report_escape(f, json_string_value(value));
        break;
    case JSON_INTEGER:
        fprintf(f, "%lld", (long long)json_integer_value(value));
        break;
    case JSON_REAL:
        fprintf(f, "%.6g", json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        fputs(json_is_true(value) ? "yes" : "no", f);
        break;
    case JSON_NULL:
        fputs("–", f);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        fputs("see the model file", f);
    }
}

static void print_parameters(const report *r)
{
    const char *key;
    const json_t *value;
    FILE *f = r->file;
    fputs("<details><summary>Parameters of the run</summary><table>\n", f);
    json_object_foreach((json_t *)r->parameters, key, value)
    {
        fputs("<tr><th scope=\"row\">", f);
        report_escape(f, key);
        fputs("</th><td>", f);
        print_scalar(f, value);
        fputs("</td></tr>\n", f);
    }
    fputs("</table></details>\n", f);
}

void report_check(const report *r)
{
    FILE *f = r->file;
    const char *version =
        json_string_value(json_object_get(r->model, "version"));
    fputs("<section><h2>Check it yourself</h2>\n", f);
    if (r->promises) {
        fputs("<p>", f);
        report_escape(f, r->verdict);
        fputs("</p>\n<p>That was recomputed from the model file by a program "
              "that shares no code with the one that made it. Run it again: "
              "<code>kith verify ",
              f);
        report_escape(f, r->title);
        fputs("</code>, or without kith <code>kith_verify.py ", f);
        report_escape(f, r->title);
        fputs("</code>. By hand: the loss of a release is its sensitivity "
              "divided by its scale (times 0.6267 for selections with δ &gt; "
              "0). Losses ε add up; of losses μ the squares do.</p>\n",
              f);
    }
    if (json_is_object(r->parameters))
        print_parameters(r);
    fputs("<p class=\"note\">Made from the model file alone, by kith ", f);
    report_escape(f, version ? version : "");
    fputs(".</p></section>\n", f);
}
