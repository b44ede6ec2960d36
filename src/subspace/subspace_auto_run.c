/* The releases of `auto` for planes, in order, as a recipe says. Each start,
 * each step and each candidate is made of released values only. */
#include <math.h>
#include <string.h>

#include "kernel/dense.h"
#include "subspace_auto_i.h"

enum { CHAIN_STEPS = 3, CHAINS = 2, MOST_SETS = 4 };
#define SEEN 4 /* standard deviations of what is surely not none */

typedef struct {
    const plane_recipe *recipe;
    plane_spectrum spectrum;
    const kith_i_view *view; /* NULL: all directions are kept */
    uint32_t r, count;       /* starts so far */
    uint32_t chosen;         /* by the last choice */
    size_t size;             /* k q d */
    double *sets;            /* MOST_SETS x size: starts, then candidates */
    double *small;           /* CHAINS x k q r, in the view */
} pipeline;

/* Eigenpairs that the cover and the view can use. */
static uint32_t spectrum_wants(const plane_run *run, uint32_t r)
{
    uint32_t wants =
        run->k == 1 ? run->q : kith_i_plane_cover_wants(run->d, run->q);
    return r > wants ? r : wants;
}

/* Planes of the view (k x q x r) in the rows' space. */
static void lift(const plane_run *run, const pipeline *p, const double *small,
                 double *out)
{
    if (!p->view) {
        memcpy(out, small, p->size * sizeof *out);
        return;
    }
    int saved = kith_i_blas_single();
    kith_i_multiply(KITH_I_FLIP_NONE, run->k * run->q, run->d, p->r, small,
                    p->spectrum.vectors, out);
    kith_i_blas_restore(saved);
}

/* The closest planes within the view. */
static void drop(plane_run *run, const pipeline *p, const double *full,
                 double *small)
{
    size_t plane = (size_t)run->q * p->r;
    if (!p->view) {
        memcpy(small, full, p->size * sizeof *small);
        return;
    }
    int saved = kith_i_blas_single();
    kith_i_multiply(KITH_I_FLIP_B, run->k * run->q, p->r, run->d, full,
                    p->spectrum.vectors, small);
    kith_i_blas_restore(saved);
    for (uint32_t l = 0; l < run->k; l++)
        kith_i_orthonormalize(small + l * plane, run->q, p->r,
                              &run->run->coins);
}

static kith_status open_view(plane_run *run, pipeline *p, kith_error *err)
{
    if (p->r == run->d)
        return KITH_OK;
    double radius = sqrt(run->length) * kith_i_domain_step(run->domain);
    return kith_i_view_open(run->session, p->spectrum.vectors, p->r, NULL,
                            radius, &p->view, err);
}

/* Fourth moments; where no Gram matrix was bought they stand in for it. */
static kith_status find_fit(plane_run *run, pipeline *p, kith_error *err)
{
    const plane_recipe *recipe = p->recipe;
    double edge = 0, *gram = NULL;
    if (recipe->gram == 0 &&
        !(gram = kith_i_alloc((size_t)run->d * run->d, sizeof *gram)))
        return kith_i_fail_memory(err);
    kith_status status = kith_i_plane_fit_tensor(run, p->view, recipe->tensor,
                                                 p->small, gram, &edge, err);
    if (!status && gram)
        status = kith_i_plane_spectrum_set(
            &p->spectrum, gram, run->d, spectrum_wants(run, run->q), edge, err);
    kith_i_free(gram);
    return status;
}

/* The starts: a cover of the second moments, and the fit. */
static kith_status find_starts(plane_run *run, pipeline *p, kith_error *err)
{
    const plane_recipe *recipe = p->recipe;
    kith_status status = KITH_OK;
    if (recipe->gram > 0)
        status = kith_i_plane_release_gram(
            run, recipe->gram, spectrum_wants(run, p->r), &p->spectrum, err);
    if (!status && recipe->tensor > 0) {
        status = open_view(run, p, err);
        if (!status)
            status = find_fit(run, p, err);
        if (!status)
            lift(run, p, p->small, p->sets + p->size);
        p->count = 1;
    }
    if (!status && !run->plan)
        status = kith_i_plane_cover(&p->spectrum, run->n2, run->k, run->q,
                                    &run->run->coins, p->sets, err);
    p->count++;
    return status;
}

/* A few steps in the view from each start: two more starts. */
static kith_status run_chains(plane_run *run, pipeline *p, kith_error *err)
{
    size_t size = (size_t)run->k * run->q * p->r;
    double share = p->recipe->chains / (CHAINS * CHAIN_STEPS);
    drop(run, p, p->sets, p->small + size); /* the cover; 0: the fit */
    for (uint32_t chain = 0; chain < CHAINS; chain++) {
        double *at = p->small + chain * size;
        plane_step step = {.view = p->view, .w = p->r, .from = at, .to = at};
        for (int t = 0; t < CHAIN_STEPS; t++) {
            kith_status status = kith_i_plane_take_step(
                run, &step, "second moments by plane, in view", share, err);
            if (status)
                return status;
        }
        lift(run, p, at, p->sets + p->count++ * p->size);
    }
    return KITH_OK;
}

/* Keep the set that a private choice takes, as the first. */
static kith_status keep_one(plane_run *run, pipeline *p, const char *what,
                            const double *prior, double share, kith_error *err)
{
    plane_sets sets = {p->sets, p->count, prior};
    kith_status status =
        kith_i_plane_choose(run, what, &sets, share, &p->chosen, err);
    if (!status)
        memmove(p->sets, p->sets + p->chosen * p->size,
                p->size * sizeof *p->sets);
    p->count = 1;
    return status;
}

/* ---- how far noise turned the answer ---- */

/* The noise of the release that the planes come from, if no step was made: of
 * the fit to the tensor, or of the Gram matrix. */
static kith_i_noisy_matrix start_noise(const plane_run *run,
                                       const plane_recipe *recipe)
{
    double share = recipe->tensor > 0 ? recipe->tensor : recipe->gram;
    return (kith_i_noisy_matrix){
        .width = run->d,
        .sd = kith_i_plane_gram_sd(run, share, 1, run->d),
        .edge = kith_i_plane_edge(run, share, 1, run->d)};
}

/* The second moments of all rows along a plane's directions. */
static void set_moments(const plane_run *run, const plane_spectrum *s,
                        const double *plane, double *values)
{
    memset(values, 0, run->q * sizeof *values);
    for (size_t j = 0; j < run->q; j++)
        for (size_t c = 0; c < s->count; c++) {
            double dot = 0;
            for (size_t i = 0; i < run->d; i++)
                dot += plane[j * run->d + i] * s->vectors[c * run->d + i];
            values[j] += s->values[c] * dot * dot;
        }
}

/* The sum of the rows' squared lengths, by the surer of two releases: of n2 and
 * of the moments' trace. 0: it cannot be told from none. */
static double length_seen(const plane_run *run, const plane_spectrum *s)
{
    double trace_sd = s->edge / sqrt(2); /* sqrt d times that of an entry */
    if (run->n2 * trace_sd > s->trace * run->n2_sd)
        return run->n2 > SEEN * run->n2_sd ? run->n2 : 0;
    return s->trace > SEEN * trace_sd ? s->trace : 0;
}

/* Planes that no step made. A fit to the tensor: as if the rows' lengths filled
 * them evenly; what the moments are along a plane does not tell, as other
 * planes may meet it. Else by that. */
static kith_status rate_start(const plane_run *run, const pipeline *p,
                              const double *planes, kith_error *err)
{
    const plane_spectrum *s = &p->spectrum;
    size_t plane = (size_t)run->q * run->d;
    kith_i_plane_rating rating = {0};
    kith_i_noisy_matrix noise = start_noise(run, p->recipe);
    double each = length_seen(run, s) / ((double)run->k * run->q);
    noise.trace = s->trace;
    double *values = kith_i_alloc(run->q, sizeof *values);
    for (uint32_t l = 0; values && l < run->k; l++)
        if (p->recipe->tensor > 0)
            kith_i_rating_add_even(&rating, &noise, each, run->q);
        else {
            set_moments(run, s, planes + l * plane, values);
            kith_i_rating_add(&rating, &noise, values, run->q);
        }
    run->run->rating = rating;
    int ok = values != NULL;
    kith_i_free(values);
    return ok ? KITH_OK : kith_i_fail_memory(err);
}

/* The last steps from the chosen start, then the guard: what they made, in the
 * full space and within the view, must not be worse than the start. */
static kith_status refine(plane_run *run, pipeline *p, kith_error *err)
{
    static const double prior[3] = {0, 4, 0};
    const plane_recipe *recipe = p->recipe;
    double *start = p->sets, *refined = start + p->size;
    kith_i_plane_rating rating[2] = {{0}};
    int inside = 2 * p->r <= run->d; /* else it would hardly differ */
    kith_status status = KITH_OK;
    for (uint32_t t = 0; !status && t < recipe->steps; t++) {
        int last = t + 1 == recipe->steps;
        plane_step step = {.w = run->d,
                           .from = t ? refined : start,
                           .to = refined,
                           .rating = rating};
        if (last && inside) {
            step.axes = p->spectrum.vectors;
            step.r = p->r;
            step.inside = refined + p->size;
        }
        double part = last ? (t == 0 ? 1 : .7) : .3 / (recipe->steps - 1);
        status = kith_i_plane_take_step(run, &step, "second moments by plane",
                                        recipe->step * part, err);
    }
    p->count = inside ? 3 : 2;
    if (!status && !run->plan) /* before the choice takes its place */
        status = rate_start(run, p, start, err);
    if (!status)
        status = keep_one(run, p, "guard", prior, recipe->guard, err);
    if (!status && p->chosen > 0)
        run->run->rating = rating[p->chosen - 1];
    return status;
}

/* Of a plan: the noise of the release that the planes would come from. */
static void foretell(const plane_run *run, const plane_recipe *recipe)
{
    kith_i_noisy_matrix noise = start_noise(run, recipe);
    if (recipe->steps > 0) {
        double share = recipe->step * (recipe->steps > 1 ? .7 : 1);
        noise.sd = kith_i_plane_gram_sd(run, share, run->k, run->d);
        noise.edge = kith_i_plane_edge(run, share, run->k, run->d);
    }
    kith_i_subspace_foretell(run->run, &noise, 1);
}

kith_status kith_i_plane_run_recipe(plane_run *run, const plane_recipe *recipe,
                                    kith_error *err)
{
    pipeline p = {.recipe = recipe,
                  .r = recipe->r,
                  .size = (size_t)run->k * run->q * run->d};
    size_t small = (size_t)run->k * run->q * p.r;
    p.sets = kith_i_alloc(MOST_SETS * p.size, sizeof(double));
    p.small = kith_i_alloc(CHAINS * small, sizeof(double));
    kith_status status = p.sets && p.small ? KITH_OK : kith_i_fail_memory(err);
    if (!status)
        status = find_starts(run, &p, err);
    if (!status && recipe->chains > 0)
        status = run_chains(run, &p, err);
    if (!status && recipe->choice > 0)
        status = keep_one(run, &p, "start", NULL, recipe->choice, err);
    if (!status && recipe->steps > 0)
        status = refine(run, &p, err);
    else if (!status && !run->plan)
        status = rate_start(run, &p, p.sets, err);
    if (!status)
        memcpy(run->run->planes, p.sets, p.size * sizeof *p.sets);
    run->run->rounds = recipe->steps;
    run->run->blind = run->k > 1 && !(recipe->tensor > 0);
    if (run->plan)
        foretell(run, recipe);
    else
        run->run->noise = kith_i_rating_turn(&run->run->rating, run->q);
    kith_i_plane_spectrum_free(&p.spectrum);
    kith_i_free(p.sets);
    kith_i_free(p.small);
    return status;
}
