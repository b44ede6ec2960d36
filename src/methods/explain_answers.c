/* Every answer is an unbiased estimate with known noise, and says something of
 * the same users: a cell of the tree where a cluster is in three directions, a
 * mean offset where it is in all of them, a histogram of distances how wide it
 * is. So round clusters (share, centre, width) are fitted to all answers of all
 * rounds at once, each by its precision. What is worth least is left out until
 * there are k. Then, and whenever chi squared says that something is missed,
 * each of them is tried where users are missing. */
#include "explain_answers.h"

#include <math.h>
#include <string.h>

enum { STEPS = KITH_I_EXPLAIN_STEPS, SHORT = KITH_I_EXPLAIN_SHORT };
enum { USERS = KITH_I_EXPLAIN_USERS, AXES = KITH_I_EXPLAIN_AXES };
/* Variance of a cell that is told by so few made-up users, for the fit; and how
 * many more of them may be anywhere, for its misfit. */
static const double ROUGH = 6e-3 / KITH_I_EXPLAIN_USERS;
static const double ANYWHERE = 32;

typedef kith_i_explain_fit fit;
typedef kith_i_explain_item item;

/* ---- beginning ---- */

/* Is a question one that made-up users know how to answer? */
static int is_known(const kith_i_question *q)
{
    int centers = q->place.kind == KITH_I_PLACE_ONE ||
                  q->place.kind == KITH_I_PLACE_NEAREST;
    if (q->report == KITH_I_REPORT_MOMENT)
        return 0;
    if (q->place.kind == KITH_I_PLACE_TREE)
        return q->place.lens.rows && q->place.lens.half && q->place.lens.offset;
    return centers && q->centers && !q->place.lens.rows;
}

/* Products of what a question is about with the made-up users. */
static int open_products(kith_i_local_run *run, const fit *f, item *i)
{
    size_t places = i->q->place.places, d = f->d;
    if (!i->q->centers)
        return 1;
    i->dot = kith_i_local_numbers(run, places, USERS + 2);
    if (!i->dot)
        return 0;
    i->length = i->dot + places * USERS;
    i->at = i->length + places;
    for (size_t p = 0; p < places; p++) {
        const double *center = i->q->centers + p * d;
        i->length[p] = kith_i_norm_squared(center, d);
        for (size_t u = 0; u < USERS; u++)
            i->dot[p * USERS + u] =
                kith_i_explain_dot(center, f->normal + u * d, d);
    }
    return 1;
}

static kith_status open_item(kith_i_local_run *run, fit *f,
                             const kith_i_answer *a, kith_error *err)
{
    item *i = &f->item[f->items];
    size_t k = f->room;
    int tree = i->q->place.kind == KITH_I_PLACE_TREE;
    i->buckets = a->sums ? a->buckets : 0;
    i->cells = a->sums ? a->buckets * f->d : (uint32_t)a->symbols;
    i->precision = 1 / (a->sums ? a->noise * a->noise : a->sd * a->sd + ROUGH);
    i->empty = a->sd * a->sd;
    i->per_share = a->per_share;
    i->seen = a->sums ? a->sums : a->fractions;
    i->told = kith_i_local_numbers(run, k, i->cells);
    i->wider = kith_i_local_numbers(run, k, i->cells);
    i->left = kith_i_local_numbers(run, i->cells, 1);
    i->pull = a->sums ? kith_i_local_numbers(run, k, i->buckets) : NULL;
    i->slope =
        tree && !a->sums ? kith_i_local_numbers(run, k * i->cells, AXES) : NULL;
    if (!i->told || !i->wider || !i->left || (a->sums && !i->pull) ||
        (tree && !a->sums && !i->slope) || !open_products(run, f, i))
        return kith_i_fail_memory(err);
    if (tree) {
        f->lens = &i->q->place.lens;
        f->axes = f->lens->q;
    }
    f->items++;
    f->numbers += i->cells;
    return KITH_OK;
}

static kith_status open_items(kith_i_local_run *run, fit *f, kith_error *err)
{
    kith_status status = KITH_OK;
    f->item = kith_i_local_take(run, run->answer_count, sizeof *f->item);
    if (!f->item)
        return kith_i_fail_memory(err);
    for (size_t t = 0; !status && t < run->answer_count; t++) {
        const kith_i_answer *a = &run->answers[t];
        double sd = a->sums ? a->noise : a->sd;
        f->item[f->items].q = &run->remembered[t];
        if (is_known(&run->remembered[t]) && a->received > 0 && isfinite(sd) &&
            sd > 0)
            status = open_item(run, f, a, err);
    }
    return status;
}

/* Normal users, with each its opposite; the same in every run. */
static void draw_users(fit *f)
{
    size_t d = f->d;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 0x6578);
    for (size_t u = 0; u < USERS; u += 2)
        for (size_t c = 0; c < d; c++) {
            f->normal[u * d + c] = kith_i_coins_normal(&coins);
            f->normal[(u + 1) * d + c] = -f->normal[u * d + c];
        }
}

static kith_status open_fit(kith_i_local_run *run,
                            const kith_i_local_model *model, fit *f,
                            kith_error *err)
{
    size_t k = model->count, d = model->d, n = k * AXES, state = k * (d + 2);
    *f = (fit){.k = model->count,
               .room = model->count,
               .d = model->d,
               .task = run->task};
    f->share = kith_i_local_numbers(run, state, 3);
    f->held = kith_i_local_numbers(run, k, 1);
    f->normal = kith_i_local_numbers(run, USERS, d + AXES);
    f->x = kith_i_local_numbers(run, d, 1);
    f->a = kith_i_local_numbers(run, n, n);
    f->b = kith_i_local_numbers(run, n, 1);
    f->work = kith_i_local_numbers(run, k, k + d + AXES);
    if (!f->share || !f->held || !f->normal || !f->x || !f->a || !f->b ||
        !f->work)
        return kith_i_fail_memory(err);
    f->width = f->share + k;
    f->center = f->width + k;
    f->best = f->share + state;
    f->keep = f->best + state;
    f->flat = f->normal + USERS * d;
    draw_users(f);
    kith_status status = open_items(run, f, err);
    for (size_t u = 0; !status && u < USERS; u++)
        for (size_t a = 0; a < f->axes; a++)
            for (size_t c = 0; c < d; c++)
                f->flat[u * AXES + a] +=
                    f->lens->rows[a * d + c] * f->normal[u * d + c];
    return status;
}

static void begin(fit *f, const kith_i_local_model *model)
{
    double spread = 0;
    memcpy(f->center, model->center, (size_t)f->k * f->d * sizeof *f->center);
    for (uint32_t j = 0; j < f->k; j++)
        spread += model->raw[j] * model->spread[j];
    for (uint32_t j = 0; j < f->k; j++) {
        f->share[j] = model->raw[j];
        f->width[j] = sqrt((spread > 0 ? spread : kith_i_recipe.width) / f->d);
    }
    f->off = kith_i_recipe.far / f->d;
}

/* ---- one cluster fewer ---- */

static void take_out(fit *f, uint32_t j)
{
    size_t d = f->d, after = --f->k - j;
    memmove(f->share + j, f->share + j + 1, after * sizeof *f->share);
    memmove(f->width + j, f->width + j + 1, after * sizeof *f->width);
    memmove(f->center + j * d, f->center + (j + 1) * d,
            after * d * sizeof *f->center);
}

/* Leave out the cluster that is worth least. */
static void drop_one(fit *f)
{
    double least = HUGE_VAL;
    uint32_t worst = 0;
    kith_i_explain_ask(f, 0);
    for (uint32_t j = 0; j < f->k; j++) {
        double worth = kith_i_explain_worth(f, j);
        if (worth < least) {
            least = worth;
            worst = j;
        }
    }
    take_out(f, worst);
}

/* Variance of a cell, if its share is what the clusters tell: what the users in
 * it add, and that so few made-up users tell it roughly, even if none of them
 * is there. The fit itself has the same for all cells: it is as good. */
static double cell_variance(const fit *f, const item *i, size_t c)
{
    double share = 0, rough = 0;
    for (size_t j = 0; j < f->k; j++) {
        double told =
            (i->told[j * i->cells + c] * USERS + ANYWHERE / i->cells) /
            (USERS + ANYWHERE);
        share += f->share[j] * told;
        rough += f->share[j] * f->share[j] * told * (1 - told);
    }
    return i->empty + i->per_share * share + rough / USERS;
}

/* Chi squared of the answers, without priors. */
static double chi_of(const fit *f)
{
    double chi = 0;
    for (uint32_t t = 0; t < f->items; t++) {
        const item *i = &f->item[t];
        for (size_t c = 0; c < i->cells; c++)
            chi += i->left[c] * i->left[c] *
                   (i->buckets ? i->precision : 1 / cell_variance(f, i, c));
    }
    return chi;
}

/* Chi squared of the answers above its mean if all is explained, in standard
 * deviations. Out of the plane a centre is fitted as far as the prior lets it.
 */
double kith_i_explain_excess(const fit *f)
{
    double known = f->numbers, off = f->d - f->axes;
    for (uint32_t j = 0; j < f->k; j++)
        known -= 2 + f->axes +
                 off * (1 - 1 / (f->off * kith_i_explain_precision(f, j)));
    known = fmax(1, known);
    return (chi_of(f) - known) / sqrt(2 * known);
}

/* ---- the fit ---- */

static void look_again(fit *f)
{
    kith_i_explain_ask(f, 0);
    kith_i_explain_misfit(f);
}

/* Variance of the share of cluster j, by cells and histograms. */
static double share_variance(const fit *f, uint32_t j)
{
    double counted = 0;
    for (uint32_t t = 0; t < f->items; t++) {
        const item *i = &f->item[t];
        for (size_t c = 0; !i->buckets && c < i->cells; c++)
            counted += i->precision * pow(i->told[j * i->cells + c], 2);
    }
    return counted > 0 ? 1 / counted : 1;
}

/* What was found, and how well it is known. */
static void take_fit(const fit *f, kith_i_local_model *model)
{
    double all = 0;
    for (uint32_t j = 0; j < f->k; j++)
        all += f->share[j];
    model->count = f->k;
    memcpy(model->center, f->center, (size_t)f->k * f->d * sizeof *f->center);
    for (uint32_t j = 0; j < f->k; j++) {
        model->raw[j] = model->share[j] = f->share[j] / all;
        model->raw_var[j] = share_variance(f, j);
        model->var[j] = 1 / kith_i_explain_precision(f, j);
        model->spread[j] = f->d * f->width[j] * f->width[j];
    }
}

/* The best clusters, at most `wanted` of them; f->k is 0 if it was not tried.
 */
static kith_status fit_all(kith_i_local_run *run,
                           const kith_i_local_model *model, uint32_t wanted,
                           fit *f, kith_error *err)
{
    *f = (fit){0};
    if (wanted > KITH_I_EXPLAIN_MOST || model->count < 2)
        return KITH_OK;
    kith_status status = open_fit(run, model, f, err);
    double *spots = kith_i_local_numbers(run, KITH_I_EXPLAIN_SPOTS, model->d);
    if (status)
        return status;
    if (!spots)
        return kith_i_fail_memory(err);
    if (!f->lens || f->lens->q >= f->d) {
        f->k = 0;
        return KITH_OK;
    }
    begin(f, model);
    double chi = kith_i_explain_descend(f, f->k > wanted ? SHORT : STEPS);
    while (f->k > wanted) {
        drop_one(f);
        chi = kith_i_explain_descend(f, f->k > wanted ? SHORT : STEPS);
    }
    look_again(f);
    int first = model->count > wanted; /* which were left out was a guess */
    for (uint32_t r = 0;
         r < kith_i_recipe.searches &&
         ((first && r == 0) || kith_i_explain_excess(f) > kith_i_recipe.missed);
         r++) {
        double now = kith_i_explain_move(f, chi, spots);
        look_again(f);
        if (!(now < chi))
            break;
        chi = now;
    }
    return KITH_OK;
}

kith_status kith_i_explain(kith_i_local_run *run, kith_i_local_model *model,
                           uint32_t wanted, double *excess_sd, kith_error *err)
{
    fit f;
    *excess_sd = HUGE_VAL;
    kith_status status = fit_all(run, model, wanted, &f, err);
    if (status || f.k == 0)
        return status;
    *excess_sd = kith_i_explain_excess(&f);
    if (*excess_sd <= kith_i_recipe.fits) {
        take_fit(&f, model);
        kith_i_local_clip(run->task, model->count, model->center);
    }
    return KITH_OK;
}

static kith_i_candidate answer_of(const char *name,
                                  const kith_i_local_model *model)
{
    return (kith_i_candidate){name, model->center, model->raw, model->raw_var,
                              model->count};
}

kith_status kith_i_explain_last(kith_i_local_run *run,
                                kith_i_local_model *model, kith_error *err)
{
    fit f;
    kith_i_local_model clusters;
    run->name = "means";
    kith_status status = fit_all(run, model, run->task->k, &f, err);
    if (status || f.k == 0)
        return status;
    run->misfit = kith_i_explain_excess(&f);
    run->unexplained = 1 - kith_i_explain_total(&f, &run->unexplained_sd);
    int believed = run->misfit <= kith_i_recipe.fits;
    status = kith_i_model_new(run, f.k, &clusters, err);
    if (status)
        return status;
    take_fit(&f, &clusters);
    kith_i_candidate other =
        believed ? answer_of("means", model) : answer_of("clusters", &clusters);
    status = kith_i_local_offer(run, &other, err);
    if (status || !believed)
        return status;
    run->name = "clusters";
    kith_i_local_clip(run->task, clusters.count, clusters.center);
    *model = clusters;
    return KITH_OK;
}
