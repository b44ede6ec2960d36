/* The sections about what a run decided by itself, inside its budget: the
 * number of clusters, and the bounds. The page takes nothing of the file on
 * trust: numbers that make no sense are left out. */
#include <math.h>

#include "report.h"

static double item(const json_t *list, size_t i)
{
    return json_number_value(json_array_get(list, i));
}

/* One line of the curve. Bars are by the logarithm, as the rule is. Below 0:
 * there is no noise, because k is next to the range. */
static void print_number(const report *r, json_int_t k, double cost,
                         double noise, double part)
{
    FILE *f = r->file;
    int chosen = noise >= 0 && k == (json_int_t)r->k;
    fprintf(f,
            "<tr class=\"c%d\"><th scope=\"row\">%lld cluster%s%s</th><td "
            "class=\"chart\"><svg viewBox=\"0 0 100 10\" "
            "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
            "class=\"bar\" y=\"1.5\" width=\"%.2f\" height=\"7\"/></svg></td>"
            "<td class=\"value\">%.4g",
            chosen      ? 5
            : noise < 0 ? 7
                        : 0,
            (long long)k, k == 1 ? "" : "s",
            chosen      ? ", chosen"
            : noise < 0 ? ", to compare"
                        : "",
            100 * part, cost);
    if (noise >= 0)
        fprintf(f, " <small>+ %.2g</small>", noise);
    fputs("</td></tr>\n", f);
}

static void print_curve(const report *r, const json_t *choice, json_int_t low)
{
    const json_t *costs = json_object_get(choice, "cost"),
                 *noises = json_object_get(choice, "noise");
    double before = json_number_value(json_object_get(choice, "cost_before")),
           after = json_number_value(json_object_get(choice, "cost_after"));
    size_t count = json_array_size(costs);
    double least = after > 0 ? after : (double)INFINITY, most = before;
    for (size_t i = 0; i < count; i++)
        if (item(costs, i) > 0) {
            least = fmin(least, item(costs, i));
            most = fmax(most, item(costs, i));
        }
    if (!(most > 0 && most < (double)INFINITY))
        return;
    double span = log(most / least) + 1;
    fputs("<table class=\"bars sizes\">\n", r->file);
    if (before > 0 && low > 1)
        print_number(r, low - 1, before, -1, (log(before / least) + 1) / span);
    for (size_t i = 0; i < count; i++) {
        double cost = item(costs, i);
        print_number(r, low + (json_int_t)i, cost, fmax(0, item(noises, i)),
                     cost > 0 ? (log(cost / least) + 1) / span : 0);
    }
    if (after > 0)
        print_number(r, low + (json_int_t)count, after, -1, 1 / span);
    fputs("</table>\n", r->file);
}

static void print_choice(const report *r)
{
    FILE *f = r->file;
    const json_t *choice = json_object_get(r->model, "choice_of_k"),
                 *range = json_object_get(choice, "range"),
                 *agreed = json_object_get(choice, "agreed"),
                 *bend = json_object_get(choice, "bend"),
                 *cloud = json_object_get(choice, "cloud_bend");
    const char *rule = json_string_value(json_object_get(choice, "rule"));
    if (json_array_size(range) != 2)
        return;
    fprintf(f,
            "<section><h2>How many clusters</h2>\n<p>%u clusters were chosen "
            "from %lld to %lld, inside the budget, by a summary of the %s that "
            "was released anyway. ",
            r->k, (long long)json_integer_value(json_array_get(range, 0)),
            (long long)json_integer_value(json_array_get(range, 1)),
            report_counted(r));
    if (rule) {
        fputs("Rule: ", f);
        report_escape(f, rule);
        fputs(". ", f);
    }
    fprintf(f, "<strong>The choice is %s</strong>",
            json_is_true(json_object_get(choice, "stable")) ? "stable"
                                                            : "weak");
    if (json_array_size(agreed) == 2)
        fprintf(f,
                ": with new noise the bend of the curve stays in %lld of "
                "%lld tries",
                (long long)json_integer_value(json_array_get(agreed, 0)),
                (long long)json_integer_value(json_array_get(agreed, 1)));
    if (json_is_number(bend) && json_is_number(cloud))
        fprintf(f,
                ", and its size is %.2g, where clouds without clusters that "
                "are as wide have up to %.2g",
                json_number_value(bend), json_number_value(cloud));
    fputs(". A bend is not a proof of clusters. The bars show the cost of the "
          "summary by its logarithm; what noise adds to the cost stands "
          "behind it.</p>\n",
          f);
    print_curve(r, choice, json_integer_value(json_array_get(range, 0)));
    fputs("</section>\n", f);
}

static void print_bounds(const report *r)
{
    double share =
        json_number_value(json_object_get(r->parameters, "bounds_share"));
    const json_t *bought = json_object_get(r->privacy, "bounds"),
                 *together = json_object_get(bought, "together");
    if (json_is_object(together))
        fprintf(r->file,
                "<section><h2>Bounds</h2>\n<p>The bounds of the features were "
                "found by an earlier private run, for ε = %.4g and δ = %.3g. "
                "That run and this one together: ε = %.4g, δ = %.3g. Values "
                "outside of the bounds were clipped.</p></section>\n",
                json_number_value(json_object_get(bought, "epsilon")),
                json_number_value(json_object_get(bought, "delta")),
                json_number_value(json_object_get(together, "epsilon")),
                json_number_value(json_object_get(together, "delta")));
    if (!(share > 0 && share < 1))
        return;
    fprintf(r->file,
            "<section><h2>Bounds</h2>\n<p>Nobody knew the bounds of the "
            "features. They were found privately, for %.3g %% of the budget "
            "above. Values outside of them were clipped; values that few %s "
            "have may lie there.</p></section>\n",
            100 * share, report_counted(r));
}

void report_choice(const report *r)
{
    print_choice(r);
    print_bounds(r);
}
