/* A sweep as a page: curves and a table. No script, no network, no fonts. */
#include <math.h>
#include <string.h>

#include "report.h"
#include "report_style.h"
#include "sweep.h"

/* Of a plot, in its own units: about a phone's width, so that words stay
 * readable there. */
enum { WIDE = 480, HIGH = 320, LEFT = 64, RIGHT = 76, TOP = 14, BOTTOM = 44 };

static const char STYLE[] =
    ".plot{width:100%;max-width:46rem;height:auto;display:block}.plot text{"
    "fill:var(--fg);font-size:14px}.plot .axis{stroke:var(--line)}.plot "
    ".curve{fill:none;stroke:var(--c);stroke-width:2.5}.plot circle{fill:var("
    "--c);stroke:var(--c);stroke-width:2.5}.plot .open{fill:var(--bg)}figure{"
    "margin:1rem 0;break-inside:avoid}figcaption{color:var(--muted);font-size:"
    ".88rem}td.words,th.words{text-align:left}\n";

typedef struct plot {
    const sweep *g;
    const sweep_cell *cells;
    double (*value)(const sweep *g, const sweep_cell *c);
    const char *title, *form; /* form: of a number on the axis */
    double low, high;         /* of the values, powers of a step */
} plot;

static double noise_share(const sweep *g, const sweep_cell *c)
{
    return 100 * c->noise / g->width;
}

static double cost_ratio(const sweep *g, const sweep_cell *c)
{
    (void)g;
    return c->ratio;
}

static const sweep_cell *cell_at(const plot *p, size_t e, size_t k)
{
    return &p->cells[e * p->g->cluster_count + k];
}

static double x_of(const plot *p, double clusters)
{
    double first = p->g->clusters[0],
           last = p->g->clusters[p->g->cluster_count - 1];
    double part =
        last > first ? log(clusters / first) / log(last / first) : 0.5;
    return LEFT + part * (WIDE - LEFT - RIGHT);
}

static double y_of(const plot *p, double value)
{
    double part = log(value / p->low) / log(p->high / p->low);
    return TOP + (1 - part) * (HIGH - TOP - BOTTOM);
}

/* 1, 2, 5, 10, 20, ...: the largest of them that is not above a value. */
static double step_below(double value)
{
    double ten = pow(10, floor(log10(value)));
    return value >= 5 * ten ? 5 * ten : value >= 2 * ten ? 2 * ten : ten;
}

static double step_above(double value)
{
    double step = step_below(value), ten = pow(10, floor(log10(step)));
    double lead = nearbyint(step / ten);
    return lead < 2 ? 2 * ten : lead < 5 ? 5 * ten : 10 * ten;
}

/* Nonzero: there is something to draw. */
static int find_range(plot *p)
{
    p->low = (double)INFINITY;
    p->high = 0;
    for (size_t i = 0; i < p->g->cluster_count * p->g->epsilon_count; i++) {
        double v = p->value(p->g, &p->cells[i]);
        if (v > 0 && isfinite(v)) {
            p->low = fmin(p->low, v);
            p->high = fmax(p->high, v);
        }
    }
    if (!(p->high > 0))
        return 0;
    p->low = step_below(p->low);
    p->high = step_above(p->high);
    return 1;
}

static void draw_height(FILE *f, const plot *p, double v)
{
    fprintf(f,
            "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" "
            "y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
            LEFT, WIDE - RIGHT, y_of(p, v), y_of(p, v), LEFT - 6,
            y_of(p, v) + 5);
    fprintf(f, p->form, v);
    fputs("</text>\n", f);
}

static void draw_axes(FILE *f, const plot *p)
{
    int many = log(p->high / p->low) > log(200);
    double v = p->low;
    while (v <= p->high * 1.001) {
        double lead = v / pow(10, floor(log10(v * 1.001)));
        if (!many || lead <= 1.5 || v <= p->low * 1.001)
            draw_height(f, p, v);
        v = step_above(v * 1.001);
    }
    double last = -100;
    for (size_t k = 0; k < p->g->cluster_count; k++) {
        double x = x_of(p, p->g->clusters[k]);
        if (x - last < 34)
            continue;
        last = x;
        fprintf(f,
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%u</text>\n",
                x, HIGH - BOTTOM + 20, p->g->clusters[k]);
    }
    fprintf(f,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">clusters "
            "(k)</text>\n",
            (LEFT + WIDE - RIGHT) / 2, HIGH - 6);
}

static void draw_curve(FILE *f, const plot *p, size_t e, double *label)
{
    static const char *const dashes[] = {"none", "8 4", "3 3", "10 3 3 3"};
    double y = 0;
    int drawn = 0;
    fprintf(f,
            "<g class=\"c%zu\"><polyline class=\"curve\" "
            "stroke-dasharray=\"%s\" points=\"",
            e % 8, dashes[e % 4]);
    for (size_t k = 0; k < p->g->cluster_count; k++) {
        double v = p->value(p->g, cell_at(p, e, k));
        if (!(v > 0) || !isfinite(v))
            continue;
        y = y_of(p, v);
        drawn = 1;
        fprintf(f, "%.1f,%.1f ", x_of(p, p->g->clusters[k]), y);
    }
    fputs("\"/>", f);
    for (size_t k = 0; k < p->g->cluster_count; k++) {
        const sweep_cell *c = cell_at(p, e, k);
        double v = p->value(p->g, c);
        if (v > 0 && isfinite(v))
            fprintf(f, "<circle%s cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>",
                    c->sensible && c->sensible < c->clusters ? " class=\"open\""
                                                             : "",
                    x_of(p, c->clusters), y_of(p, v));
    }
    *label = fmax(y, *label + 16);
    if (drawn)
        fprintf(f, "<text x=\"%d\" y=\"%.1f\">ε = %g</text>", WIDE - RIGHT + 9,
                *label + 5, p->g->epsilons[e]);
    fputs("</g>\n", f);
}

static void draw(FILE *f, plot *p)
{
    if (!find_range(p))
        return;
    fprintf(f,
            "<figure><svg class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-label=\"%s, by the number of clusters; the numbers are in "
            "the table below\">\n",
            WIDE, HIGH, p->title);
    draw_axes(f, p);
    /* Least budget first: its curve is the highest, and so is its label. */
    double label = -100;
    size_t order[SWEEP_VALUES], n = p->g->epsilon_count;
    for (size_t e = 0; e < n; e++)
        order[e] = e;
    for (size_t i = 1; i < n; i++)
        for (size_t j = i;
             j > 0 && p->g->epsilons[order[j - 1]] > p->g->epsilons[order[j]];
             j--) {
            size_t other = order[j];
            order[j] = order[j - 1];
            order[j - 1] = other;
        }
    for (size_t e = 0; e < n; e++)
        draw_curve(f, p, order[e], &label);
    fprintf(f,
            "</svg><figcaption>%s. Both axes are logarithmic. Open circles: "
            "more clusters than noise leaves room for.</figcaption></figure>\n",
            p->title);
}

static void print_table(FILE *f, const sweep *g, const sweep_cell *cells)
{
    fputs("<section><h2>All numbers</h2>\n<div class=\"wide\"><table><thead>"
          "<tr><th scope=\"col\">k</th><th scope=\"col\">ε</th><th "
          "scope=\"col\">noise of a centre</th><th scope=\"col\">of a "
          "bound</th><th scope=\"col\">sensible k</th>",
          f);
    if (g->trials)
        fputs("<th scope=\"col\">cost / non-private</th>", f);
    if (g->account)
        fputs("<th scope=\"col\">runs left</th>", f);
    fputs(
        "<th scope=\"col\" class=\"words\">verdict</th></tr></thead><tbody>\n",
        f);
    for (size_t i = 0; i < g->cluster_count * g->epsilon_count; i++) {
        const sweep_cell *c = &cells[i];
        fprintf(f,
                "<tr><th scope=\"row\">%u</th><td>%g</td><td>%.4g</td><td>%.2g "
                "%%</td><td>%u</td>",
                c->clusters, c->epsilon, c->noise, noise_share(g, c),
                c->sensible);
        if (g->trials)
            fprintf(f, "<td>%.3f</td>", c->ratio);
        if (g->account)
            fprintf(f, "<td>%llu</td>", (unsigned long long)c->left);
        fprintf(f, "<td class=\"words\">%s</td></tr>\n", sweep_verdict(g, c));
    }
    fputs("</tbody></table></div></section>\n", f);
}

static void print_head(FILE *f, const sweep *g)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
          "'none'; style-src 'unsafe-inline'; img-src data:\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, "
          "initial-scale=1\">\n<title>Before spending</title>\n<style>\n",
          f);
    for (size_t i = 0; i < sizeof REPORT_STYLE / sizeof *REPORT_STYLE; i++)
        fputs(REPORT_STYLE[i], f);
    fprintf(f, "%s</style></head>\n<body><main>\n<h1>Before spending</h1>\n",
            STYLE);
    fputs("<p class=\"sub\">k-means, ", f);
    report_count(f, (double)g->rows);
    fprintf(f, " rows, %u feature%s", g->dimension,
            g->dimension == 1 ? "" : "s");
    if (g->privacy.delta > 0)
        fprintf(f, " · δ = %.3g", g->privacy.delta);
    fputs("</p>\n<section class=\"promise\" aria-label=\"What this is\"><p>"
          "Nothing was spent, and no protected row was read. </p><p>Every "
          "number follows from public figures",
          f);
    if (g->trials == SWEEP_STAND_IN)
        fputs(", but for costs: those are of trials on made-up clusters", f);
    if (g->trials == SWEEP_PUBLIC) {
        fputs(", but for costs: those are of trials on ", f);
        report_escape(f, g->file);
        fputs(", which was declared public", f);
    }
    fprintf(f, ". %sEach run that is made costs its ε.</p></section>\n",
            g->trials ? "Other rows may be unlike them. " : "");
}

void sweep_page(FILE *file, const sweep *g, const sweep_cell *cells)
{
    plot noise = {.g = g,
                  .cells = cells,
                  .value = noise_share,
                  .title = "How far noise alone moves a centre, in percent of "
                           "the widest bound",
                  .form = "%g %%"},
         costs = {.g = g,
                  .cells = cells,
                  .value = cost_ratio,
                  .title = "Cost of a private run in trials, over that of a "
                           "non-private one",
                  .form = "%g"};
    print_head(file, g);
    fputs("<section><h2>Noise</h2>\n", file);
    draw(file, &noise);
    fputs("</section>\n", file);
    if (g->trials) {
        fputs("<section><h2>Trials</h2>\n", file);
        draw(file, &costs);
        fputs("</section>\n", file);
    }
    if (g->account) {
        fputs("<p>Runs left are those that account <bdi>", file);
        report_escape(file, g->account);
        fputs("</bdi> can still pay, one after another.</p>\n", file);
    }
    print_table(file, g, cells);
    fputs("</main></body></html>\n", file);
}
