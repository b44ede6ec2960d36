/* Locality-sensitive hashing for weighted-centers: a randomly shifted grid
 * after a public projection, or E2LSH.
 *
 * The grid has sides w = 2 sqrt(d') r. Two points within r of each other
 * (in the projection) share a cell with probability at least
 * (1 - r/w)^d' >= 1/2, two farther apart than 2 d' r never do: it is
 * (r, 2d' r, 1/2, 0)-sensitive, and with q = 0 the paper's union bound over
 * n^2 pairs is not needed. Points are hashed with the (unknown) centre of their
 * ball in mind, so that the promise is about distance r, not 2r (erratum E9).
 *
 * E2LSH concatenates floor((a.x + b) / w), a Gaussian: a grid again, seen
 * through a lens of Gaussian rows. Its cells are not bounded, so it needs the
 * boxes of steps 3 to 6. */
#include <math.h>
#include <string.h>

#include "kernel/planes.h"
#include "weighted.h"

enum { E2_KEYS = 4096 };

/* w / r of E2LSH: near pairs then share one hash with probability .8. */
static const double E2_WIDTH = 4.0;
/* Half of what a.x spans, in standard deviations of a.x for the farthest x. */
static const double E2_SPAN = 3.0;
/* Projected coordinates are clipped to this times the radius of the ball. */
static const double CLIP = 2.0;

static uint64_t power(uint64_t base, uint32_t exponent)
{
    uint64_t value = 1;
    for (uint32_t i = 0; i < exponent; i++)
        value *= base;
    return value;
}

kith_status kith_i_lsh_family_make(kith_i_local_run *run, uint32_t width,
                                   kith_i_lsh_family *out, kith_error *err)
{
    const kith_i_local_task *task = run->task;
    uint32_t d = task->d;
    double *rows = NULL, *offset = kith_i_local_numbers(run, d, 1);
    double *half = kith_i_local_numbers(run, width, 1);
    out->shift = kith_i_local_numbers(run, width, 1);
    if (width < d)
        rows = kith_i_local_numbers(run, width, d);
    if (!offset || !half || !out->shift || (width < d && !rows))
        return kith_i_fail_memory(err);
    if (rows) {
        /* Lengths are kept on average: sqrt(d / d') times a projection. */
        kith_i_plane_random(rows, width, d, &run->coins);
        for (size_t i = 0; i < (size_t)width * d; i++)
            rows[i] *= sqrt((double)d / width);
        memcpy(offset, task->center, d * sizeof *offset);
        for (uint32_t i = 0; i < width; i++)
            half[i] = CLIP * task->radius;
    } else {
        for (uint32_t i = 0; i < d; i++) {
            offset[i] = (task->lower[i] + task->upper[i]) / 2;
            half[i] = (task->upper[i] - task->lower[i]) / 2;
        }
    }
    out->lens = (kith_i_lens){width, d, rows, offset, half};
    double side = 2 * sqrt((double)width) * kith_i_wc_radius(task, 0);
    for (uint32_t i = 0; i < width; i++)
        out->shift[i] = kith_i_coins_unit(&run->coins) * side;
    return KITH_OK;
}

kith_status kith_i_lsh_grid(kith_i_local_run *run,
                            const kith_i_lsh_family *family, double radius,
                            kith_i_hash *out, kith_error *err)
{
    uint32_t q = family->lens.q;
    double side = 2 * sqrt((double)q) * radius, widest = 0;
    double *shift = kith_i_local_numbers(run, q, 1);
    if (!shift)
        return kith_i_fail_memory(err);
    for (uint32_t i = 0; i < q; i++) {
        shift[i] = fmod(family->shift[i], side);
        widest = fmax(widest, family->lens.half[i]);
    }
    double cells = floor(2 * widest / side) + 2;
    if (!(pow(cells, q) < 4e18))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a grid this fine has too many cells: ask for "
                           "fewer radii");
    out->grid = (kith_i_grid){family->lens, side, shift, (uint32_t)cells};
    out->universe = power(out->grid.cells, q);
    out->far = 2 * (double)q * radius;
    return KITH_OK;
}

kith_status kith_i_lsh_e2(kith_i_local_run *run, double radius,
                          kith_i_hash *out, kith_error *err)
{
    const kith_i_local_task *task = run->task;
    uint32_t d = task->d, q = 1;
    double side = E2_WIDTH * radius, half = E2_SPAN * task->radius;
    double cells = floor(2 * half / side) + 2;
    while (pow(cells, q + 1) <= E2_KEYS)
        q++;
    double *rows = kith_i_local_numbers(run, q, d);
    double *halves = kith_i_local_numbers(run, q, 1);
    double *shift = kith_i_local_numbers(run, q, 1);
    if (!rows || !halves || !shift)
        return kith_i_fail_memory(err);
    if (!(pow(cells, q) < 4e18))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a hash this fine has too many keys: ask for fewer "
                           "radii");
    for (size_t i = 0; i < (size_t)q * d; i++)
        rows[i] = kith_i_coins_normal(&run->coins);
    for (uint32_t i = 0; i < q; i++) {
        halves[i] = half;
        shift[i] = kith_i_coins_unit(&run->coins) * side;
    }
    out->grid = (kith_i_grid){
        {q, d, rows, task->center, halves}, side, shift, (uint32_t)cells};
    out->universe = power(out->grid.cells, q);
    out->far = side; /* |a.(x-y)| of a typical pair that shares a cell */
    return KITH_OK;
}

uint32_t kith_i_lsh_children(const kith_i_grid *coarse, uint64_t key,
                             const kith_i_grid *fine, uint64_t *out)
{
    uint32_t q = coarse->lens.q, count = 1;
    uint64_t radix = 1;
    out[0] = 0;
    for (uint32_t i = 0; i < q; i++) {
        double at = (double)(key % coarse->cells);
        key /= coarse->cells;
        /* Lower edge of the cell; the middles of its two halves. */
        double low = at * coarse->side - coarse->shift[i] + fine->shift[i];
        uint32_t before = count;
        for (int half = 0; half < 2; half++) {
            double cell = floor((low + (half + .5) * fine->side) / fine->side);
            if (cell < 0 || cell >= fine->cells)
                continue;
            for (uint32_t c = 0; c < before; c++)
                out[count++] = out[c] + (uint64_t)cell * radix;
        }
        /* What is in front was without this coordinate. */
        count -= before;
        memmove(out, out + before, count * sizeof *out);
        radix *= fine->cells;
    }
    return count;
}

void kith_i_lsh_cell(const kith_i_local_task *task, const kith_i_grid *grid,
                     uint64_t key, double *low, double *high)
{
    for (uint32_t i = 0; i < task->d; i++) {
        double at = (double)(key % grid->cells);
        key /= grid->cells;
        double edge = grid->lens.offset[i] - grid->lens.half[i] -
                      grid->shift[i] + at * grid->side;
        low[i] = fmin(fmax(edge, task->lower[i]), task->upper[i]);
        high[i] = fmax(fmin(edge + grid->side, task->upper[i]), low[i]);
    }
}
