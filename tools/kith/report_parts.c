/* Clusters and planes: a card each, with bars inside the public bounds. */
#include <math.h>
#include <stdlib.h>

#include "report.h"

double report_noise(const report *r, uint32_t j, uint32_t i)
{
    double total = 0, width = 1;
    if (!r->weights || isnan(r->noise))
        return r->noise;
    for (uint32_t l = 0; l < r->k; l++)
        total += r->weights[l];
    if (r->normalize)
        width = r->upper[i] - r->lower[i];
    /* a small cluster's sum is divided by fewer rows */
    return r->noise * width * (total / r->k) / fmax(r->weights[j], 1);
}

static double place(const report *r, uint32_t i, double value)
{
    double share = (value - r->lower[i]) / (r->upper[i] - r->lower[i]);
    return 100 * fmax(0, fmin(1, share));
}

/* A bar from the lower bound, and a whisker of two sd of noise. */
static void draw_bar(const report *r, uint32_t i, double value, double sd)
{
    FILE *f = r->file;
    if (!r->lower)
        return;
    fprintf(f,
            "<svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
            "aria-hidden=\"true\"><rect class=\"frame\" width=\"100\" "
            "height=\"10\"/><rect class=\"bar\" y=\"1.5\" width=\"%.2f\" "
            "height=\"7\"/>",
            place(r, i, value));
    if (sd > 0 && isfinite(sd))
        fprintf(f, "<path class=\"whisker\" d=\"M%.2f 5H%.2f\"/>",
                place(r, i, value - 2 * sd), place(r, i, value + 2 * sd));
    fputs("</svg>", f);
}

static int same_bounds(const report *r)
{
    for (uint32_t i = 1; i < r->d; i++)
        if (r->lower[i] != r->lower[0] || r->upper[i] != r->upper[0])
            return 0;
    return 1;
}

static void print_value(const report *r, double value, double sd)
{
    report_number(r->file, value, sd);
    if (!(sd > 0) || !isfinite(sd))
        return;
    fputs(" <small>± ", r->file);
    report_spread(r->file, 2 * sd);
    fputs("</small>", r->file);
}

static void print_feature(const report *r, uint32_t j, uint32_t i)
{
    double value = r->centers[(size_t)j * r->d + i];
    double sd = report_noise(r, j, i);
    fputs("<tr><th scope=\"row\">", r->file);
    report_name(r, i);
    if (r->lower && !same_bounds(r))
        fprintf(r->file, " <small>%.4g to %.4g</small>", r->lower[i],
                r->upper[i]);
    fputs("</th><td class=\"chart\">", r->file);
    draw_bar(r, i, value, sd);
    fputs("</td><td class=\"value\">", r->file);
    print_value(r, value, sd);
    fputs("</td></tr>\n", r->file);
}

/* ---- which features tell clusters apart ---- */

typedef struct spread {
    double value;
    uint32_t feature;
} spread;

static int by_spread(const void *a, const void *b)
{
    const spread *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return (x->feature > y->feature) - (x->feature < y->feature);
}

/* The features, the most telling first: variance over the centres in shares of
 * the bounds. NULL: no memory. */
static spread *rank_features(const report *r)
{
    spread *list = calloc(r->d, sizeof *list);
    for (uint32_t i = 0; list && i < r->d; i++) {
        double mean = 0, sum = 0;
        double width = r->lower ? r->upper[i] - r->lower[i] : 1;
        for (uint32_t j = 0; j < r->k; j++)
            mean += r->centers[(size_t)j * r->d + i] / r->k;
        for (uint32_t j = 0; j < r->k; j++)
            sum += pow((r->centers[(size_t)j * r->d + i] - mean) / width, 2);
        list[i] = (spread){sum, i};
    }
    if (list)
        qsort(list, r->d, sizeof *list, by_spread);
    return list;
}

/* ---- pictures ---- */

/* Values as grey: black at the lower bound, white at the upper one; without
 * bounds by the smallest and largest. */
static void draw_picture(const report *r, const double *values, size_t step,
                         uint32_t width, uint32_t height, const char *alt)
{
    unsigned char *grey = calloc(r->d, 1);
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (uint32_t i = 0; i < r->d; i++) {
        low = fmin(low, values[i * step]);
        high = fmax(high, values[i * step]);
    }
    for (uint32_t i = 0; grey && i < r->d; i++) {
        double v = values[i * step], l = low, h = high;
        if (r->lower && r->q == 0) {
            l = r->lower[i];
            h = r->upper[i];
        }
        grey[i] = (unsigned char)(255 * fmax(0, fmin(1, (v - l) / (h - l))));
    }
    if (grey)
        report_image(r->file, grey, width, height, alt);
    free(grey);
}

static void print_all_values(const report *r)
{
    enum { MOST = 5000 };
    if ((size_t)r->k * r->d > MOST) {
        fputs("<p class=\"note\">All numbers are in the model file, under "
              "<code>centers</code>.</p>",
              r->file);
        return;
    }
    fputs("<details><summary>All numbers</summary><div class=\"wide\"><table>"
          "<thead><tr><th scope=\"col\">feature</th>",
          r->file);
    for (uint32_t j = 0; j < r->k; j++)
        fprintf(r->file, "<th scope=\"col\">cluster %u</th>", j + 1);
    fputs("</tr></thead><tbody>\n", r->file);
    for (uint32_t i = 0; i < r->d; i++) {
        fputs("<tr><th scope=\"row\">", r->file);
        report_name(r, i);
        fputs("</th>", r->file);
        for (uint32_t j = 0; j < r->k; j++) {
            fputs("<td>", r->file);
            report_number(r->file, r->centers[(size_t)j * r->d + i],
                          report_noise(r, j, i));
            fputs("</td>", r->file);
        }
        fputs("</tr>\n", r->file);
    }
    fputs("</tbody></table></div></details>\n", r->file);
}

static void open_card(const report *r, uint32_t j)
{
    fprintf(r->file, "<section class=\"card c%u %s\"><h3>%s %u", j % 8,
            r->image_width ? "pictures" : "strip", r->q ? "Plane" : "Cluster",
            j + 1);
    if (r->weights) {
        fputs(" <small>", r->file);
        report_count(r->file, r->weights[j]);
        fprintf(r->file, " %s</small>", report_counted(r));
    }
    fputs("</h3>", r->file);
}

static void print_intro(const report *r, uint32_t shown)
{
    FILE *f = r->file;
    if (r->lower && same_bounds(r))
        fprintf(f, "<p>Frames run from %.4g to %.4g, the public bounds.",
                r->lower[0], r->upper[0]);
    else if (r->lower)
        fputs("<p>Frames run from the lower to the upper public bound of each "
              "feature.",
              f);
    else
        fputs("<p>There is no box of bounds, so values have no frame.", f);
    if (r->image_width) {
        fputs(" Pictures show each centre, black where a pixel is at its lower "
              "bound and white where it is at its upper one.</p>\n",
              f);
        return;
    }
    if (!isnan(r->noise))
        fputs(" Lines in the bars, and the numbers after ±, are two standard "
              "deviations of the noise that was added.",
              f);
    if (shown < r->d)
        fprintf(f,
                " Of %u features the %u are shown that differ most between "
                "clusters; strips show all, from the lower bound (dark) to the "
                "upper one (light).",
                r->d, shown);
    fputs("</p>\n", f);
}

void report_clusters(const report *r)
{
    FILE *f = r->file;
    int few = r->d <= REPORT_BARS;
    uint32_t shown = few ? r->d : REPORT_TOP;
    spread *order = few ? NULL : rank_features(r);
    fputs("<section><h2>Clusters</h2>\n", f);
    print_intro(r, shown);
    fputs("<div class=\"cards\">\n", f);
    for (uint32_t j = 0; j < r->k; j++) {
        const double *center = r->centers + (size_t)j * r->d;
        open_card(r, j);
        if (r->image_width)
            draw_picture(r, center, 1, r->image_width, r->image_height,
                         "the centre as a picture");
        else if (!few)
            draw_picture(r, center, 1, r->d, 1, "all features as a strip");
        fputs("<table class=\"bars\">\n", f);
        for (uint32_t n = 0; n < shown && !r->image_width; n++)
            print_feature(r, j, order ? order[n].feature : n);
        fputs("</table></section>\n", f);
    }
    fputs("</div>\n", f);
    if (!few)
        print_all_values(r);
    fputs("</section>\n", f);
    free(order);
}

/* ---- sizes ---- */

void report_sizes(const report *r)
{
    FILE *f = r->file;
    double most = 1;
    if (!r->weights)
        return;
    for (uint32_t j = 0; j < r->k; j++)
        most = fmax(most, r->weights[j] + 2 * fmax(0, r->weight_sd));
    fprintf(f,
            "<section><h2>Sizes</h2>\n<p>How many %s are near each centre, "
            "with noise.",
            report_counted(r));
    if (!isnan(r->weight_sd))
        fputs(" Lines show where noise alone leaves the size, 19 times of 20.",
              f);
    fputs("</p>\n<table class=\"bars sizes\">\n", f);
    for (uint32_t j = 0; j < r->k; j++) {
        double low = r->weights[j] - 1.96 * r->weight_sd;
        double high = r->weights[j] + 1.96 * r->weight_sd;
        fprintf(f,
                "<tr class=\"c%u\"><th scope=\"row\">cluster %u</th><td "
                "class=\"chart\"><svg viewBox=\"0 0 100 10\" "
                "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
                "class=\"bar\" y=\"1.5\" width=\"%.2f\" height=\"7\"/>",
                j % 8, j + 1, 100 * r->weights[j] / most);
        if (!isnan(r->weight_sd))
            fprintf(f, "<path class=\"whisker\" d=\"M%.2f 5H%.2f\"/>",
                    100 * fmax(low, 0) / most, 100 * high / most);
        fputs("</svg></td><td class=\"value\">", f);
        report_count(f, r->weights[j]);
        if (!isnan(r->weight_sd)) {
            fputs(" <small>± ", f);
            report_count(f, 1.96 * r->weight_sd);
            fputs("</small>", f);
        }
        fputs("</td></tr>\n", f);
    }
    fputs("</table></section>\n", f);
}

/* ---- planes ---- */

/* The root mean square angle between two planes, in degrees. */
static double plane_angle(const report *r, uint32_t a, uint32_t b)
{
    size_t size = (size_t)r->d * r->q;
    const double *u = r->centers + a * size, *v = r->centers + b * size;
    double sum = 0;
    for (uint32_t s = 0; s < r->q; s++)
        for (uint32_t t = 0; t < r->q; t++) {
            double dot = 0;
            for (uint32_t i = 0; i < r->d; i++)
                dot += u[i * r->q + s] * v[i * r->q + t];
            sum += dot * dot;
        }
    return acos(sqrt(fmin(1, sum / r->q))) * 180 / acos(-1);
}

static void print_angles(const report *r)
{
    enum { MOST = 16 };
    if (r->k < 2 || r->k > MOST)
        return;
    fputs("<h3>Angles between planes</h3><p>Degrees; 0 is the same plane, 90 "
          "has nothing in common.</p><div class=\"wide\"><table><tr><td></td>",
          r->file);
    for (uint32_t j = 0; j < r->k; j++)
        fprintf(r->file, "<th scope=\"col\">%u</th>", j + 1);
    fputs("</tr>\n", r->file);
    for (uint32_t a = 0; a < r->k; a++) {
        fprintf(r->file, "<tr><th scope=\"row\">%u</th>", a + 1);
        for (uint32_t b = 0; b < r->k; b++)
            fprintf(r->file, "<td>%.0f</td>",
                    a == b ? 0 : plane_angle(r, a, b));
        fputs("</tr>\n", r->file);
    }
    fputs("</table></div>\n", r->file);
}

/* The largest entries of one direction; their sign is fixed by the largest. */
static void print_direction(const report *r, uint32_t l, uint32_t s)
{
    const double *basis = r->centers + (size_t)l * r->d * r->q + s;
    spread *order = calloc(r->d, sizeof *order);
    uint32_t shown = r->d < REPORT_TOP ? r->d : REPORT_TOP;
    if (!order)
        return;
    for (uint32_t i = 0; i < r->d; i++)
        order[i] = (spread){fabs(basis[(size_t)i * r->q]), i};
    qsort(order, r->d, sizeof *order, by_spread);
    double sign = basis[(size_t)order[0].feature * r->q] < 0 ? -1 : 1;
    fprintf(r->file, "<h4>Direction %u</h4><table class=\"bars\">\n", s + 1);
    for (uint32_t n = 0; n < shown; n++) {
        uint32_t i = order[n].feature;
        double v = sign * basis[(size_t)i * r->q];
        fputs("<tr><th scope=\"row\">", r->file);
        report_name(r, i);
        fprintf(r->file,
                "</th><td class=\"chart\"><svg viewBox=\"-50 0 100 10\" "
                "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
                "class=\"frame\" x=\"-50\" width=\"100\" height=\"10\"/><rect "
                "class=\"bar\" x=\"%.2f\" y=\"1.5\" width=\"%.2f\" "
                "height=\"7\"/></svg></td><td class=\"value\">%.2f</td></tr>\n",
                v < 0 ? 50 * v : 0, 50 * fabs(v), v);
    }
    fputs("</table>\n", r->file);
    free(order);
}

void report_planes(const report *r)
{
    enum { MOST_DIRECTIONS = 4 };
    fputs("<section><h2>Planes</h2>\n<p>Each plane passes through the origin "
          "and is given by directions that stand at right angles. Bars show "
          "the features that weigh most in each; the sign of a direction has "
          "no meaning.</p>\n<div class=\"cards\">\n",
          r->file);
    for (uint32_t l = 0; l < r->k; l++) {
        open_card(r, l);
        for (uint32_t s = 0; s < r->q && s < MOST_DIRECTIONS; s++) {
            if (r->image_width)
                draw_picture(r, r->centers + (size_t)l * r->d * r->q + s, r->q,
                             r->image_width, r->image_height,
                             "a direction as a picture");
            else
                print_direction(r, l, s);
        }
        if (r->q > MOST_DIRECTIONS)
            fprintf(r->file, "<p class=\"note\">and %u more directions</p>",
                    r->q - MOST_DIRECTIONS);
        fputs("</section>\n", r->file);
    }
    fputs("</div>\n", r->file);
    print_angles(r);
    fputs("</section>\n", r->file);
}
