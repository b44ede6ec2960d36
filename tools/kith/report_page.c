/* The page: head, promise, warnings, then the parts. */
#include <math.h>
#include <string.h>

#include "report.h"
#include "report_style.h"

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static int is(const json_t *object, const char *key, const char *word)
{
    return !strcmp(text_of(object, key), word);
}

static void print_head(const report *r)
{
    FILE *f = r->file;
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
          "'none'; style-src 'unsafe-inline'; img-src data:\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, "
          "initial-scale=1\">\n<title>",
          f);
    report_escape(f, r->title);
    fputs("</title>\n<style>\n", f);
    for (size_t i = 0; i < sizeof REPORT_STYLE / sizeof *REPORT_STYLE; i++)
        fputs(REPORT_STYLE[i], f);
    fputs("</style></head>\n<body>", f);
    if (!r->promises) /* the head of a table is on every sheet of paper */
        fputs("<table class=\"sheet\"><thead><tr><td><div class=\"banner\">NOT "
              "PRIVATE: keep this as secret as the rows</div></td></tr></thead>"
              "<tbody><tr><td class=\"page\">\n",
              f);
    fputs("<main>\n<h1>", f);
    report_escape(f, r->title);
    fprintf(f, "</h1>\n<p class=\"sub\">%u %s of %u feature%s · ", r->k,
            r->q        ? "planes"
            : r->k == 1 ? "cluster"
                        : "clusters",
            r->d, r->d == 1 ? "" : "s");
    report_escape(f, text_of(r->model, "kind"));
    fputs(", method ", f);
    report_escape(f, text_of(r->model, "method"));
    fputs(" · kith ", f);
    report_escape(f, text_of(r->model, "version"));
    fputs("</p>\n", f);
}

/* ---- the promise ---- */

/* What the file says of a ledger; green where the ledger was asked. */
static void print_ledger(const report *r)
{
    FILE *f = r->file;
    const json_t *ledger = json_object_get(r->privacy, "ledger");
    if (json_is_object(ledger)) {
        fputs(r->statement ? "<span class=\"badge ok\">ledger: "
                           : "<span class=\"badge\">ledger: ",
              f);
        report_escape(f, text_of(ledger, "account"));
        fprintf(f, ", entry %lld%s</span>",
                (long long)json_integer_value(json_object_get(ledger, "entry")),
                r->statement ? "" : " (claimed, not checked)");
    } else if (is(r->privacy, "ledger", "none"))
        fputs("<span class=\"badge warn\">no ledger: other runs on the same "
              "data are not counted</span>",
              f);
}

static void print_badges(const report *r)
{
    FILE *f = r->file;
    int exact = is(r->privacy, "guarantee", "exact");
    fprintf(f, "<p><span class=\"badge %s\">%s</span>", r->holds ? "ok" : "bad",
            r->holds ? "the listed losses add up"
                     : "the promise does not hold");
    if (r->holds)
        fprintf(f, "<span class=\"badge %s\">%s</span>", exact ? "ok" : "warn",
                exact ? "exact" : "in the limit of a sampler only");
    fprintf(f, "<span class=\"badge\">%sε = %.4g", r->holds ? "" : "claimed: ",
            json_number_value(json_object_get(r->privacy, "epsilon")));
    double delta = json_number_value(json_object_get(r->privacy, "delta"));
    if (delta > 0)
        fprintf(f, ", δ = %.3g", delta);
    fputs("</span>", f);
    if (*r->signer) {
        fputs("<span class=\"badge ok\">signed by ", f);
        report_escape(f, r->signer);
        fputs("</span>", f);
    }
    print_ledger(r);
    fputs("</p>\n", f);
}

static void print_sentence(const report *r)
{
    FILE *f = r->file;
    double epsilon = json_number_value(json_object_get(r->privacy, "epsilon"));
    double delta = json_number_value(json_object_get(r->privacy, "delta"));
    int user = is(r->privacy, "unit", "user");
    int replace = is(r->privacy, "adjacency", "replace-one");
    fprintf(f,
            "<p>Each <strong>%s</strong> is protected. %s any one %s %s, "
            "nothing on this page becomes more than ",
            user ? "person" : "row", replace ? "Whatever" : "Whether or not",
            user ? "person" : "row",
            replace ? (user ? "has in the data" : "says") : "is in the data");
    report_factor(f, epsilon);
    fputs(" times likelier or less likely", f);
    if (delta > 0) {
        fputs(", apart from a chance of ", f);
        report_chance(f, delta);
    }
    fputs(".</p>\n", f);
}

static void print_promise(const report *r)
{
    FILE *f = r->file;
    if (!r->promises) {
        fputs("<p class=\"banner\">NOT PRIVATE. This model makes no promise: "
              "no noise was added, or noise that can be drawn again. Keep it, "
              "and this page, as secret as the rows.</p>\n",
              f);
        return;
    }
    fputs("<section class=\"promise\" aria-label=\"Promise\">", f);
    if (!r->holds) { /* what the file promises is not repeated */
        fputs("<p class=\"banner\">Do not rely on this file: ", f);
        report_escape(f, r->verdict);
        fputs("</p>\n", f);
        print_badges(r);
        fputs("</section>\n", f);
        return;
    }
    print_sentence(r);
    print_badges(r);
    int user = is(r->privacy, "unit", "user");
    fprintf(f,
            "<details><summary>What this does not promise</summary><ul>"
            "%s<li>That nothing can be learned about people from what is true "
            "of everybody: if smoking makes ill, a page that shows it tells "
            "something about every smoker.</li><li>Anything about other pages "
            "made from the same rows: losses add up.</li><li>That the noise "
            "was drawn and rows were clipped as listed: no page can show "
            "that.</li></ul></details></section>\n",
            user ? ""
                 : "<li>Protection of a person who has several rows: losses "
                   "add up over them.</li>");
}

/* ---- warnings and accuracy ---- */

static void print_warnings(const report *r)
{
    const json_t *words = json_object_get(r->quality, "words");
    const char *verdict = text_of(r->quality, "verdict");
    FILE *f = r->file;
    if (!*verdict)
        return;
    fputs("<section><h2>Warnings</h2>\n", f);
    if (json_array_size(words) == 0 && r->promises && !r->holds) {
        fputs("<p>The file lists none. It does not add up, so that says "
              "nothing.</p></section>\n",
              f);
        return;
    }
    if (json_array_size(words) == 0) {
        fputs("<p><span class=\"badge ok\">none</span> Nothing that was "
              "released speaks against this result.</p></section>\n",
              f);
        return;
    }
    fputs("<ul class=\"words\">", f);
    for (size_t i = 0; i < json_array_size(words); i++) {
        const char *text = json_string_value(json_array_get(words, i));
        fprintf(f, "<li class=\"%s\">",
                !strcmp(verdict, "noise") ? "bad" : "warn");
        report_escape(f, text ? text : "");
        fputs("</li>\n", f);
    }
    fputs("</ul></section>\n", f);
}

static void print_accuracy(const report *r)
{
    FILE *f = r->file;
    double rows = json_number_value(json_object_get(r->quality, "rows"));
    double rows_sd = json_number_value(json_object_get(r->quality, "rows_sd"));
    int unknown = json_is_null(json_object_get(r->quality, "noise_angle"));
    if (isnan(r->noise) && !(rows > 0) && !unknown)
        return;
    fputs("<section><h2>Accuracy</h2>\n<p>", f);
    if (!isnan(r->noise) && !r->q) {
        fputs("Noise alone moves the centre of an average cluster by about ",
              f);
        uint32_t shown = r->d < 3 ? r->d : 3;
        for (uint32_t i = 0; i < shown; i++) {
            double width = r->normalize ? r->upper[i] - r->lower[i] : 1;
            fprintf(f, "%s%.2g in ", i ? (i + 1 < shown ? ", " : " and ") : "",
                    r->noise * width);
            report_name(r, i);
        }
        fputs(r->d > shown ? ", and so on for the other features. " : ". ", f);
    } else if (!isnan(r->noise)) {
        fprintf(f,
                "Noise alone turns a direction of the plane of an average "
                "cluster by about %.2g degrees. ",
                fmin(90, r->noise * 180 / acos(-1)));
    } else if (unknown) {
        fputs("How far noise turned these planes is not known. ", f);
    }
    double cost = json_number_value(json_object_get(r->quality, "cost")),
           cost_sd = json_number_value(json_object_get(r->quality, "cost_sd"));
    if (rows > 0 && cost > 0 && !r->q)
        fprintf(f,
                "%s lie about %.2g from their centres%s (root mean square, "
                "give or take %.1g): the expected cost is %.3g ± %.2g. ",
                is(r->privacy, "unit", "user") ? "People" : "Rows",
                sqrt(cost / rows),
                r->normalize ? ", with each bound's width as the unit" : "",
                sqrt(cost / rows) * cost_sd / cost / 2, cost, cost_sd);
    if (rows > 0) {
        fputs("There are about ", f);
        report_count(f, rows);
        fprintf(f, " %s, give or take ", report_counted(r));
        report_count(f, 2 * rows_sd);
        fputs(". ", f);
    }
    fprintf(f,
            "Too few %s, clipping at the bounds and bad luck of the method "
            "come on top and are not known.</p></section>\n",
            report_counted(r));
}

void report_write(const report *r)
{
    print_head(r);
    print_promise(r);
    print_warnings(r);
    if (r->q)
        report_planes(r);
    else
        report_clusters(r);
    report_sizes(r);
    report_choice(r);
    print_accuracy(r);
    if (is(r->privacy, "model", "local"))
        report_local(r);
    else
        report_budget(r);
    report_check(r);
    fprintf(r->file, "</main>%s</body></html>\n",
            r->promises ? "" : "</td></tr></tbody></table>");
}
