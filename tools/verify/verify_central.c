/* A central run: each line's loss against its noise, the lines together
 * against the budget, sensitivities against what a reader can work out. */
#include <math.h>
#include <string.h>

#include "verify_i.h"

/* Sums are taken around points of the bounds, or of a projection, with a reach
 * that noise may have made far too long: more noise, no more loss. */
static const double ROOM = 64;

typedef struct spans { /* largest distance between two rows */
    int known;
    double l2, l1;
} spans;

/* A name of a release fits. */
enum { NAME_SIZE = 61, WHERE_SIZE = 100 };

/* ---- bounds ---- */

/* Adds up squares and lengths of the sides; 0: they cannot be read. */
static int read_sides(const json_t *box, double d, int normalize, spans *out)
{
    const json_t *lower = json_object_get(box, "lower");
    const json_t *upper = json_object_get(box, "upper");
    size_t n = json_array_size(lower);
    double squares = 0, sum = 0;
    if (!json_is_array(lower) || !json_is_array(upper) ||
        json_array_size(upper) != n || (n != 1 && n != (size_t)d))
        return 0;
    for (size_t i = 0; i < n; i++) {
        double low, high;
        if (!verify_number(json_array_get(lower, i), -1e60, 1e60, &low) ||
            !verify_number(json_array_get(upper, i), -1e60, 1e60, &high) ||
            !(low < high))
            return 0;
        squares += (high - low) * (high - low);
        sum += high - low;
    }
    double times = d / (double)n;
    out->l2 = normalize ? sqrt(d) : sqrt(times * squares);
    out->l1 = normalize ? d : times * sum;
    return 1;
}

static int is_given(const json_t *value)
{
    return value && !json_is_null(value);
}

static spans read_spans(const json_t *model)
{
    const json_t *parameters = json_object_get(model, "parameters");
    const json_t *box = json_object_get(parameters, "bounds");
    const json_t *radius = json_object_get(parameters, "radius");
    const json_t *normalize = json_object_get(parameters, "normalize");
    spans out = {0, (double)INFINITY, (double)INFINITY};
    double d, r;
    if (!verify_number(json_object_get(model, "dimension"), 1, 4294967296, &d))
        return out;
    if (is_given(normalize) && !json_is_boolean(normalize))
        return out;
    if (is_given(box) && !read_sides(box, d, json_is_true(normalize), &out))
        return out;
    if (is_given(radius)) {
        if (!verify_usual(radius, &r))
            return out;
        out.l2 = fmin(out.l2, 2 * r);
        out.l1 = fmin(out.l1, 2 * r * sqrt(d));
    }
    out.known = 1;
    return out;
}

/* ---- one line ---- */

typedef struct line {
    const char *what, *norm;
    double sensitivity, scale, loss;
} line;

static void check_sensitivity(finding *f, const char *where, const line *l,
                              const spans *s)
{
    int twice = !strcmp(f->adjacency, "replace-one");
    int l1 = !strcmp(l->norm, "l1"), l2 = !strcmp(l->norm, "l2");
    if (strstr(l->what, "counts")) {
        double least = f->group * (!twice ? 1 : l1 ? 2 : sqrt(2));
        if (l->sensitivity < least * (1 - 1e-9))
            verify_bad(f, where,
                       "one %s changes counts by %.6g, more than the "
                       "sensitivity listed",
                       f->group > 1 ? "person" : "row", least);
    }
    double most = f->group * ROOM * (twice ? 2 : 1) * (l1 ? s->l1 : s->l2);
    if (s->known && strstr(l->what, "sums") && !strstr(l->what, "pull") &&
        (l1 || l2) && l->sensitivity > most)
        verify_bad(f, where,
                   "the sensitivity is larger than the bounds of the file "
                   "allow");
}

/* The scale of smooth sensitivity depends on the rows and is not told. */
static void check_smooth(finding *f, const char *where, const json_t *loss)
{
    double e, d;
    f->smooth = 1;
    if (f->group > 1)
        verify_bad(
            f, where,
            "smooth sensitivity is of one row, and a person has several");
    if (!verify_usual(json_object_get(loss, "epsilon"), &e) ||
        !verify_usual(json_object_get(loss, "delta"), &d))
        verify_bad(f, where,
                   "a loss of smooth sensitivity is an epsilon and a delta");
    else if (e > f->epsilon || d > f->delta)
        verify_bad(f, where, "the loss is larger than what is promised");
}

/* loss >= sensitivity / scale, times .6267 for a selection in Gaussian DP; in
 * integers times doubles, so exactly. */
static void check_noise(finding *f, const char *where, const line *l, int score)
{
    double numerator = score ? 6267 : 1, denominator = score ? 10000 : 1;
    double paid = l->loss * l->scale, lost = fma(l->loss, l->scale, -paid);
    exact_sum missing = {.count = 0};
    exact_add_product(&missing, l->sensitivity, numerator);
    exact_add_product(&missing, paid, -denominator);
    exact_add_product(&missing, lost, -denominator);
    if (exact_sign(&missing) > 0)
        verify_bad(f, where,
                   "the noise costs %.6g, more than the loss of %.6g that is "
                   "listed",
                   l->sensitivity * numerator / (l->scale * denominator),
                   l->loss);
}

typedef struct mechanism {
    const char *name, *norm;
    int in_pure, in_gauss; /* is there a proof? */
} mechanism;

static const mechanism *find_mechanism(const char *name)
{
    static const mechanism known[] = {
        {"discrete-laplace", "l1", 1, 0}, {"k-norm", "l2", 1, 0},
        {"wishart", "trace", 1, 0},       {"permute-and-flip", "score", 1, 0},
        {"exponential", "score", 1, 1},   {"rounded-gaussian", "l2", 0, 1},
    };
    for (size_t i = 0; name && i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, name))
            return &known[i];
    return NULL;
}

/* Is it a line with a loss that can be recomputed? Then *l is it. */
static int read_line(finding *f, const char *where, const json_t *release,
                     line *l)
{
    const json_t *sensitivity = json_object_get(release, "sensitivity");
    const json_t *loss = json_object_get(release, "loss");
    const char *name = json_string_value(json_object_get(release, "mechanism"));
    const char *norm = json_string_value(json_object_get(sensitivity, "norm"));
    int pure = f->delta <= 0;
    const char *unit = pure ? "epsilon" : "mu";
    l->what = json_string_value(json_object_get(release, "what"));
    if (!json_is_object(release))
        return verify_bad(f, where, "it is not an object"), 0;
    if (!l->what || !*l->what)
        return verify_bad(f, where, "it does not say what was released"), 0;
    if (!json_is_object(sensitivity) || !json_is_object(loss))
        return verify_bad(f, where, "it lacks a sensitivity or a loss"), 0;
    if (name && !strcmp(name, "smooth-sensitivity"))
        return check_smooth(f, where, loss), 0;
    const mechanism *m = find_mechanism(name);
    if (!m)
        return verify_strange(f, where, "its mechanism is not known"), 0;
    if (!(pure ? m->in_pure : m->in_gauss) || !norm ||
        strcmp(norm, m->norm) != 0)
        return verify_bad(f, where,
                          "there is no proof for this noise in this norm in "
                          "%s differential privacy",
                          pure ? "pure" : "Gaussian"),
               0;
    if (json_object_size(loss) != 1 || !json_object_get(loss, unit))
        return verify_bad(f, where, "its loss must be one number, %s", unit), 0;
    l->norm = m->norm;
    if (!verify_usual(json_object_get(sensitivity, "value"), &l->sensitivity) ||
        !verify_usual(json_object_get(release, "scale"), &l->scale) ||
        !verify_usual(json_object_get(loss, unit), &l->loss))
        return verify_bad(f, where,
                          "sensitivity, scale and loss must be numbers above "
                          "0"),
               0;
    return 1;
}

/* With enough digits to see a difference. */
static void bad_delta(finding *f)
{
    char found[32], promised[32];
    for (int digits = 6; digits <= 12; digits++) {
        snprintf(found, sizeof found, "%.*g", digits, f->recomputed_delta);
        snprintf(promised, sizeof promised, "%.*g", digits, f->delta);
        if (strcmp(found, promised) != 0)
            break;
    }
    verify_bad(f, "privacy",
               "this mu means a delta of %s at this epsilon, more than the %s "
               "that is promised",
               found, promised);
}

/* ---- all lines ---- */

static void check_sum(finding *f, exact_sum *total)
{
    double mu, spent = exact_value(total);
    f->has_recomputed = 1;
    if (f->delta <= 0) {
        f->currency = "epsilon";
        f->spent = spent;
        f->allowed = f->epsilon;
        f->recomputed_delta = 0;
        exact_add(total, -f->epsilon);
        if (exact_sign(total) > 0)
            verify_bad(f, "releases",
                       "their losses add up to more than epsilon");
        return;
    }
    const json_t *privacy = json_object_get(f->json, "privacy");
    f->has_recomputed = 0;
    if (!verify_number(json_object_get(privacy, "mu"), 1e-8, 100, &mu)) {
        verify_strange(f, "privacy", "no usable 'mu' next to delta");
        return;
    }
    if (f->delta < 1e-250) {
        verify_strange(f, "privacy", "a delta below 1e-250");
        return;
    }
    f->has_recomputed = 1;
    f->currency = "mu";
    f->spent = sqrt(spent);
    f->allowed = mu;
    f->recomputed_delta = verify_delta(f->epsilon, mu);
    exact_add_product(total, -mu, mu);
    if (exact_sign(total) > 0)
        verify_bad(f, "releases",
                   "the squares of their losses add up to more than the "
                   "square of mu");
    if (verify_delta_exceeds(f->epsilon, mu, f->delta))
        bad_delta(f);
}

static void name_line(size_t i, const char *what, char where[WHERE_SIZE])
{
    char name[NAME_SIZE] = "";
    if (what)
        verify_clean(what, strlen(what), name, sizeof name);
    snprintf(where, WHERE_SIZE, *name ? "release %zu (%s)" : "release %zu",
             i + 1, name);
}

static void check_line(finding *f, const char *where, const json_t *release,
                       const spans *s, exact_sum *total)
{
    line l;
    if (!read_line(f, where, release, &l))
        return;
    int pure = f->delta <= 0;
    check_noise(f, where, &l, !pure && !strcmp(l.norm, "score"));
    check_sensitivity(f, where, &l, s);
    if (pure)
        exact_add(total, l.loss);
    else
        exact_add_product(total, l.loss, l.loss);
}

void verify_central(finding *f, const json_t *releases)
{
    const char *kind = json_string_value(json_object_get(f->json, "kind"));
    spans s = {0};
    exact_sum total = {.count = 0};
    json_t *seen = json_object();
    f->no_memory |= !seen;
    if (kind && (!strcmp(kind, "kmeans") || !strcmp(kind, "kmedian"))) {
        s = read_spans(f->json);
        if (!s.known)
            verify_bad(f, "parameters", "the bounds cannot be read");
    }
    for (size_t i = 0; i < json_array_size(releases); i++) {
        const json_t *release = json_array_get(releases, i);
        const char *what = json_string_value(json_object_get(release, "what"));
        char where[WHERE_SIZE];
        name_line(i, what, where);
        check_line(f, where, release, &s, &total);
        if (what && json_object_get(seen, what))
            verify_bad(f, where, "a line with these words is there already");
        if (what && json_object_set_new(seen, what, json_null()))
            f->no_memory = 1;
    }
    json_decref(seen);
    f->releases = json_array_size(releases);
    if (!f->smooth) {
        check_sum(f, &total);
        return;
    }
    f->has_recomputed = 1;
    f->currency = "epsilon, delta";
    f->spent = f->allowed = f->epsilon;
    f->recomputed_delta = f->delta;
}
