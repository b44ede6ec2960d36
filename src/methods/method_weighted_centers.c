/* WeightedCenters (Stemmer 2021, Section 4): candidates for every radius, the
 * weights a of the preference assignment, the centres W that weigh enough, the
 * weights b after re-assignment, and k-means or k-median of (W, b).
 *
 * The earlier algorithm of Kaplan and Stemmer (2018), as Figure 1 of the paper
 * tells it, differs in the last steps only: everybody counts for the nearest
 * candidate, all users of both groups are asked that, and nothing is dropped.
 *
 * Rounds: heavy cells (with boxes: and positions along axes); LDP-AVG; unless
 * the cells are boxes themselves, step 8; weights a; weights b. */
#include <math.h>
#include <string.h>

#include "weighted.h"

enum { RESTARTS = 20 };

/* The paper's free constants a > b > 0, where its t is smallest. */
static const double PAPER_A = 0.02, PAPER_B = 0.005;

/* ---- one mean, when there is nothing to choose from ---- */

/* The users that have not been asked yet tell at least where the mean is. For
 * k-median too: a median would need to be found about a first guess, and there
 * is one group left, which is asked once. */
static kith_status one_mean(kith_i_local_run *run, const kith_i_wc_setup *setup,
                            int b, double *centers, double *weights,
                            uint32_t *found, kith_error *err)
{
    const kith_i_local_task *task = run->task;
    size_t d = task->d;
    kith_i_answer answer;
    kith_i_question q = kith_i_local_question(run, "mean of all users", 0,
                                              KITH_I_REPORT_VECTOR);
    kith_i_wc_pay_weights(task, setup, b, &q);
    if (!b && !task->split_epsilon)
        q.share += setup->b;
    q.centers = task->center;
    q.radii = &task->radius;
    kith_status status = kith_i_wc_ask(run, &q, 1, &answer, err);
    double pull = 0;
    if (!status && isfinite(answer.noise))
        pull = kith_i_james_stein(answer.sums, d, answer.noise);
    for (size_t t = 0; !status && t < d; t++)
        centers[t] = task->center[t] + task->radius * pull * answer.sums[t];
    if (!status) {
        kith_i_local_clip(task, 1, centers);
        weights[0] = 1;
        *found = 1;
    }
    kith_i_answer_free(&answer);
    return status;
}

/* ---- Y: all candidates ---- */

typedef struct {
    uint32_t count;
    double *points; /* count x d */
    kith_i_creation *creations;
    uint32_t creation_count;
    uint8_t *kept; /* W */
} candidates;

static kith_status gather(kith_i_local_run *run, const kith_i_wc_setup *setup,
                          const kith_i_procedure *procedures, candidates *out,
                          kith_error *err)
{
    size_t all = (size_t)setup->radii * setup->repetitions, d = run->task->d;
    *out = (candidates){0};
    for (size_t i = 0; i < all; i++)
        out->count += procedures[i].count;
    out->points = kith_i_local_numbers(run, out->count, d);
    out->creations = kith_i_local_take(run, all, sizeof *out->creations);
    out->kept = kith_i_local_take(run, out->count, sizeof *out->kept);
    uint32_t *number = kith_i_local_take(run, out->count, sizeof *number);
    if (!out->points || !out->creations || !out->kept || !number)
        return kith_i_fail_memory(err);
    uint32_t at = 0;
    for (size_t i = 0; i < all; i++) {
        const kith_i_procedure *p = &procedures[i];
        /* One that found nothing is published too: the device's coin may
         * choose it, and then it created no centre for this radius. */
        out->creations[out->creation_count++] =
            (kith_i_creation){.grid = p->hash.grid,
                              .radius_number = p->radius_number,
                              .count = p->count,
                              .keys = p->keys,
                              .center = number + at,
                              .reach = setup->cells ? 0 : 5 * p->hash.far};
        if (p->count)
            memcpy(out->points + at * d, p->y, p->count * d * sizeof *p->y);
        for (uint32_t t = 0; t < p->count; t++, at++)
            number[at] = at;
    }
    return KITH_OK;
}

/* ---- weights a and b ---- */

static kith_status ask_weights(kith_i_local_run *run,
                               const kith_i_wc_setup *setup,
                               const candidates *y, int b,
                               kith_i_answer *answer, kith_error *err)
{
    kith_i_question q = kith_i_local_question(
        run, b ? "weights of the centres kept" : "weights of the candidates", 0,
        KITH_I_REPORT_SYMBOL);
    q.place = (kith_i_place){.kind = KITH_I_PLACE_PREFER,
                             .places = y->count,
                             .points = y->points,
                             .creations = y->creations,
                             .creation_count = y->creation_count,
                             .kept = b ? y->kept : NULL};
    kith_i_wc_pay_weights(run->task, setup, b, &q);
    if (run->task->nearest_weights) {
        q.place.creation_count = 0; /* nobody made one: the nearest of all */
        if (run->task->split_epsilon)
            q.epsilon *= 2; /* what both questions cost */
        else
            q.share = setup->a + setup->b;
    }
    return kith_i_wc_ask(run, &q, 1, answer, err);
}

/* Step 4. The printed threshold is n^a above what CREATION promises (E5); this
 * one is above the error of the histogram for every candidate at once. */
static uint32_t keep_heavy(candidates *y, const kith_i_answer *a)
{
    uint32_t kept = 0;
    double z = fmax(3, sqrt(2 * log(fmax(1, y->count))));
    for (uint32_t j = 0; j < y->count; j++) {
        y->kept[j] = a->fractions[j] > z * a->sd;
        kept += y->kept[j];
    }
    return kept;
}

static kith_status solve(kith_i_local_run *run, const candidates *y,
                         const kith_i_answer *b, double *centers,
                         double *weights, uint32_t *found, kith_error *err)
{
    uint32_t k = run->task->k, d = run->task->d;
    double *mass = kith_i_local_numbers(run, y->count, 1);
    uint32_t *labels = kith_i_local_take(run, y->count, sizeof *labels);
    if (!mass || !labels)
        return kith_i_fail_memory(err);
    double total = 0;
    for (uint32_t j = 0; j < y->count; j++) {
        mass[j] = y->kept[j] ? fmax(0, b->fractions[j]) : 0;
        total += mass[j];
    }
    /* Nobody answered, or noise alone: all that is kept weighs the same. */
    for (uint32_t j = 0; !(total > 0) && j < y->count; j++)
        mass[j] = y->kept[j];
    kith_i_points from = {y->points, mass, y->count, d};
    kith_i_solution solved = {.centers = centers, .labels = labels};
    kith_status status =
        kith_i_local_solve(run, &from, k, RESTARTS, &solved, err);
    if (status)
        return status;
    *found = solved.found;
    memset(weights, 0, k * sizeof *weights);
    for (uint32_t j = 0; j < y->count; j++)
        if (labels[j] < *found)
            weights[labels[j]] += total > 0 ? mass[j] : 0;
    kith_i_local_clip(run->task, *found, centers);
    return KITH_OK;
}

/* ---- the method ---- */

static kith_status refuse_paper(const kith_i_local_task *task, uint64_t n,
                                kith_error *err)
{
    double lg = log10(fmax(2, (double)n));
    double share = kith_i_wc_paper_share(lg, task->epsilon, task->d, task->k,
                                         PAPER_A, PAPER_B);
    double least = kith_i_wc_paper_users(task->epsilon, task->d, task->k,
                                         PAPER_A, PAPER_B);
    return kith_i_fail(err, KITH_ERR_ARGUMENT,
                       "with the printed constants a cluster would have to "
                       "hold %.3g times all users (t / n with a = %g, b = %g) "
                       "before it is promised a centre; this stops being "
                       "vacuous at n = 10^%.1f users. Run without the paper's "
                       "constants",
                       share, PAPER_A, PAPER_B, least);
}

static kith_status run_script(kith_i_local_run *run,
                              const kith_i_wc_setup *setup, double *centers,
                              double *weights, uint32_t *found, kith_error *err)
{
    kith_i_procedure *procedures = kith_i_local_take(
        run, (size_t)setup->radii * setup->repetitions, sizeof *procedures);
    candidates y;
    kith_i_answer answer = {0};
    kith_status status = KITH_OK;
    if (!procedures)
        return kith_i_fail_memory(err);
    status = kith_i_good_centers(run, setup, procedures, err);
    if (!status)
        status = gather(run, setup, procedures, &y, err);
    if (status)
        return status;
    if (y.count == 0)
        return one_mean(run, setup, 0, centers, weights, found, err);
    if (run->task->nearest_weights) {
        memset(y.kept, 1, y.count * sizeof *y.kept);
        status = ask_weights(run, setup, &y, 1, &answer, err);
        if (!status)
            status = solve(run, &y, &answer, centers, weights, found, err);
        kith_i_answer_free(&answer);
        return status;
    }
    status = ask_weights(run, setup, &y, 0, &answer, err);
    uint32_t kept = status ? 0 : keep_heavy(&y, &answer);
    kith_i_answer_free(&answer);
    if (!status && kept == 0)
        return one_mean(run, setup, 1, centers, weights, found, err);
    if (!status)
        status = ask_weights(run, setup, &y, 1, &answer, err);
    if (!status)
        status = solve(run, &y, &answer, centers, weights, found, err);
    kith_i_answer_free(&answer);
    return status;
}

kith_status kith_i_local_weighted_centers(const kith_i_local_task *task,
                                          kith_i_collector *collector,
                                          double *centers, double *weights,
                                          uint32_t *found, kith_error *err)
{
    kith_i_wc_setup setup;
    kith_i_local_run run;
    if (task->paper_constants)
        return refuse_paper(task, collector->invited, err);
    kith_i_wc_setup_make(task, collector->invited, &setup);
    kith_i_local_open(&run, task, collector,
                      4 + (setup.share[KITH_I_WC_FILTER] > 0));
    kith_status status = run_script(&run, &setup, centers, weights, found, err);
    run.answer_count = 0; /* the script has freed its answers */
    kith_i_local_close(&run);
    return status;
}
