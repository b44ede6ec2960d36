/* k-subspaces by the exponential mechanism: in every round each row goes to the
 * nearest plane, which is released, and new planes are drawn with density
 * exp(b sum_l tr U_l A_l U_l'), A_l the second moments of plane l's rows: loss
 * d^2(x, its new plane). T rounds add up; no mixing is assumed.
 *
 * Drawn by the exact joint sampler; where none of TRIES proposals is accepted,
 * by SWEEPS column sweeps from a uniformly random plane. Which of the two it
 * was depends on the records, so the guarantee does not: it is "asymptotic"
 * always. Even the exact sampler is exact in real arithmetic only. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/watch.h"
#include "bingham_draw.h"
#include "kernel/linear.h"
#include "kernel/plane_rows.h"
#include "sidedoor/release_chain.h"
#include "subspace_i.h"

enum { DEFAULT_ROUNDS = 10, TRIES = 1000, SWEEPS = 30 };
enum { ROWS = KITH_I_LABEL_ROWS };

typedef struct {
    uint32_t k, q, d;
    kith_i_axes axes; /* of the planes so far, public */
} step_arg;

/* Second moments by nearest plane, exactly: integers in double. */
static void tally(const step_arg *a, const kith_i_chain_rows *rows,
                  double *dots, double *scores, double *sums)
{
    uint32_t cell[ROWS], none[ROWS];
    memset(none, 0xff, sizeof none);
    for (size_t first = 0; first < rows->n && !kith_i_stop_wanted();
         first += ROWS) {
        uint32_t n =
            rows->n - first < ROWS ? (uint32_t)(rows->n - first) : ROWS;
        const double *x = rows->x + first * rows->stride;
        kith_i_project_rows(a->axes.coords, a->k * a->q, a->d, x, rows->stride,
                            n, dots);
        kith_i_label_scores(dots, a->k, a->q, n, scores);
        for (uint32_t r = 0; r < n; r++) {
            cell[r] = 0;
            for (uint32_t l = 1; l < a->k; l++)
                if (scores[(size_t)l * ROWS + r] >
                    scores[(size_t)cell[r] * ROWS + r])
                    cell[r] = l;
        }
        kith_i_label_move(&(kith_i_strided){x, n, a->d, rows->stride}, none,
                          cell, a->k, sums);
    }
}

static void draw_plane(kith_i_bingham *space, const double *matrix,
                       kith_i_words *coins, double *basis, double *plane)
{
    uint32_t d = space->d, q = space->q;
    if (kith_i_bingham_joint(space, matrix, TRIES, coins, plane))
        return;
    kith_i_plane_haar(basis, d, d, coins);
    for (int i = 0; i < SWEEPS && !kith_i_stop_wanted(); i++)
        kith_i_bingham_sweep(space, matrix, coins, basis);
    memcpy(plane, basis, (size_t)q * d * sizeof *plane);
}

static kith_status draw_planes(void *p, const kith_i_chain_rows *rows,
                               kith_i_words *coins, double *state,
                               kith_error *err)
{
    const step_arg *a = p;
    size_t k = a->k, d = a->d, scatter = d * rows->stride, axes = k * a->q;
    size_t size[] = {axes * ROWS, k * ROWS, k * scatter, d * d, d * d};
    double *part[5];
    kith_i_bingham space = {0};
    int ok = 1;
    for (int i = 0; i < 5; i++)
        ok &= !!(part[i] = kith_i_alloc(size[i], sizeof(double)));
    kith_status status = ok ? kith_i_bingham_open(&space, a->d, a->q, err)
                            : kith_i_fail_memory(err);
    if (!status)
        tally(a, rows, part[0], part[1], part[2]);
    double *matrix = part[3];
    for (size_t l = 0; l < k && !status; l++) {
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j <= i; j++)
                matrix[i * d + j] = matrix[j * d + i] =
                    rows->exponent *
                    part[2][l * scatter + i * rows->stride + j];
        draw_plane(&space, matrix, coins, part[4], state + l * a->q * d);
    }
    kith_i_bingham_close(&space);
    for (int i = 0; i < 5; i++)
        kith_i_wipe_free(part[i], part[i] ? size[i] * sizeof(double) : 0);
    return status;
}

kith_status kith_i_subspace_bingham(kith_i_subspace_run *run, kith_error *err)
{
    const kith_subspace_options *opt = run->opt;
    uint32_t rounds = opt->rounds ? opt->rounds : DEFAULT_ROUNDS;
    kith_i_loss charge = kith_i_session_left(run->session) / rounds;
    size_t size = (size_t)run->q * run->d;
    step_arg arg = {run->k,
                    run->q,
                    run->d,
                    {.sets = 1, .k = run->k, .q = run->q, .d = run->d}};
    arg.axes.coords = kith_i_alloc(run->k * size, sizeof(double));
    kith_status status = arg.axes.coords ? KITH_OK : kith_i_fail_memory(err);
    for (uint32_t l = 0; l < run->k && !status; l++)
        kith_i_plane_random(run->planes + l * size, run->q, run->d,
                            &run->coins);
    for (uint32_t t = 0; t < rounds && !status; t++) {
        char what[64];
        snprintf(what, sizeof what, "planes, round %u of %u", t + 1, rounds);
        kith_i_axes_set(&arg.axes, run->planes);
        kith_i_chain_spec spec = {.what = what,
                                  .run = draw_planes,
                                  .arg = &arg,
                                  .state = run->k * size,
                                  .charge = charge};
        status = kith_i_release_chain(run->session, &spec, run->planes, err);
        if (!status)
            status = kith_i_progress(opt->progress, opt->progress_arg, t + 1,
                                     rounds, err);
    }
    run->rounds = rounds;
    run->noise = kith_i_subspace_angle(run, charge);
    kith_i_free(arg.axes.coords);
    return status;
}
