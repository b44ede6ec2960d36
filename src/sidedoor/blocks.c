/* Blocks of records and what a solver says on each (release_blocks.c and
 * release_average.c have the claims): a record is in `each` blocks at most, by
 * coins that do not look at it, and every block has an answer.
 *
 * Claim: an answer is a function of its block's records and its coins.
 * Needs: a solver that keeps nothing between two calls, and reads nothing but
 *   its arguments (the files of solver/, block_means.c, block_planes.c).
 * Because: a worker's room is filled anew for each block: behind the block's
 *   rows there are zeros, not those of the block before. */
#include "blocks.h"

#include <math.h>
#include <string.h>

#include "base/watch.h"
#include "kernel/kernel_i.h"

enum { MOST_TRIES = 64 };

/* ---- dealing records to blocks ------------------------------------------- */

void kith_i_blocks_shuffle(kith_i_entropy *e, uint32_t *order, size_t n,
                           size_t some)
{
    for (size_t i = 0; i < some && i + 1 < n; i++) {
        size_t j = i + kith_i_sample_below(e, n - i);
        uint32_t t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}

/* Each record to one block: in equal parts when their number is public, else
 * each on its own. */
static void deal_partition(kith_i_blocks *b, uint32_t *block)
{
    size_t n = b->n;
    int replace = kith_i_session_privacy(b->s).neighbors == KITH_REPLACE_ONE;
    for (size_t r = 0; r < n; r++)
        b->order[r] = (uint32_t)r;
    if (replace)
        kith_i_blocks_shuffle(&b->e, b->order, n, n);
    for (size_t i = 0; i < n; i++)
        block[b->order[i]] = replace
                                 ? (uint32_t)(i * b->m / n)
                                 : (uint32_t)kith_i_sample_below(&b->e, b->m);
    memset(b->from, 0, ((size_t)b->m + 1) * sizeof *b->from);
    for (size_t r = 0; r < n; r++)
        b->from[block[r] + 1]++;
    for (uint32_t i = 0; i < b->m; i++)
        b->from[i + 1] += b->from[i];
    for (size_t r = 0; r < n; r++)
        b->order[b->from[block[r]]++] = (uint32_t)r;
    for (uint32_t i = b->m; i > 0; i--)
        b->from[i] = b->from[i - 1];
    b->from[0] = 0;
}

/* m subsets of n/m records each, drawn again until no record is in more than
 * `each`. Does not look at the records. */
static kith_status deal_overlap(kith_i_blocks *b, uint32_t *seen,
                                kith_error *err)
{
    size_t n = b->n, size = n / b->m;
    uint32_t *all = kith_i_alloc(n, sizeof *all);
    if (!all)
        return kith_i_fail_memory(err);
    for (size_t r = 0; r < n; r++)
        all[r] = (uint32_t)r;
    int fine = 0;
    for (int t = 0; t < MOST_TRIES && !fine; t++) {
        memset(seen, 0, n * sizeof *seen);
        fine = 1;
        for (uint32_t i = 0; i < b->m; i++) {
            kith_i_blocks_shuffle(&b->e, all, n, size);
            b->from[i] = i * size;
            for (size_t r = 0; r < size; r++) {
                b->order[i * size + r] = all[r];
                fine &= ++seen[all[r]] <= b->each;
            }
        }
    }
    b->from[b->m] = b->m * size;
    kith_i_wipe_free(all, n * sizeof *all);
    return fine ? KITH_OK
                : kith_i_fail(err, KITH_ERR_PRIVACY,
                              "the paper's overlapping blocks were not found "
                              "in %d tries: use a partition (no overlap)",
                              MOST_TRIES);
}

kith_status kith_i_blocks_deal(kith_i_blocks *b, uint32_t *room,
                               kith_error *err)
{
    if (b->spec->overlap)
        return deal_overlap(b, room, err);
    deal_partition(b, room);
    return KITH_OK;
}

/* ---- the solver on every block ------------------------------------------- */

/* The first q axes, for every plane. */
static void default_planes(const kith_i_blocks *b, double *planes)
{
    size_t q = b->spec->q, d = b->d;
    memset(planes, 0, b->spec->k * q * d * sizeof *planes);
    for (size_t l = 0; l < b->spec->k; l++)
        for (size_t j = 0; j < q; j++)
            planes[(l * q + j) * d + j] = 1;
}

/* Are the q rows orthonormal? The proof counts on it. */
static int is_plane(const double *rows, uint32_t q, uint32_t d)
{
    for (uint32_t i = 0; i < q; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double dot = 0;
            for (uint32_t t = 0; t < d; t++)
                dot += rows[(size_t)i * d + t] * rows[(size_t)j * d + t];
            if (!(fabs(dot - (i == j)) < 1e-9))
                return 0;
        }
    return 1;
}

/* Lower triangle of 2^bits times the projection, rounded. */
static void round_projection(const double *rows, uint32_t q, uint32_t d,
                             int32_t *out)
{
    for (uint32_t i = 0; i < d; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double sum = 0;
            for (uint32_t t = 0; t < q; t++)
                sum += rows[(size_t)t * d + i] * rows[(size_t)t * d + j];
            *out++ = (int32_t)lrint(ldexp(sum, KITH_I_PLANE_BITS));
        }
}

kith_status kith_i_answer_planes(const kith_i_blocks *b, const double *rows,
                                 uint32_t n, kith_i_coins *coins,
                                 double *planes, int32_t *answer)
{
    uint32_t d = b->d, k = b->spec->k, q = b->spec->q;
    kith_status status = KITH_OK;
    default_planes(b, planes);
    if (n > 0)
        status = b->solve(b->arg, rows, n, coins, planes, NULL);
    /* That LAPACK gave up says something about the block: an answer like any
     * other, not an error that everybody sees (R6). */
    int fine = status != KITH_ERR_INTERNAL;
    if (!fine)
        status = KITH_OK;
    for (size_t l = 0; l < k; l++)
        fine &= is_plane(planes + l * q * d, q, d);
    if (!fine)
        default_planes(b, planes);
    for (size_t l = 0; l < k; l++)
        round_projection(planes + l * q * d, q, d, answer + l * b->triangle);
    return status;
}

static size_t block_size(const kith_i_blocks *b, uint32_t i)
{
    return b->from[i + 1] - b->from[i];
}

/* rows: room for the largest block. Nothing of another block is left in it, nor
 * in `room`: a solver that reads too far must not see it. */
static kith_status solve_block(kith_i_blocks *b, uint32_t i, double *rows,
                               double *room)
{
    size_t n = block_size(b, i), d = b->d;
    for (size_t r = 0; r < n; r++)
        memcpy(rows + r * d, b->x + (size_t)b->order[b->from[i] + r] * d,
               d * sizeof *rows);
    memset(rows + n * d, 0, (b->most - n) * d * sizeof *rows);
    memset(room, 0, b->room * sizeof *room);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, b->seeds[i], 0);
    return b->respond(b, rows, (uint32_t)n, &coins, room,
                      b->answers + i * b->entries);
}

static void solve_some(void *p, uint32_t worker)
{
    (void)worker;
    kith_i_blocks *b = p;
    double *rows = kith_i_alloc(b->most * b->d, sizeof *rows);
    double *room = kith_i_alloc(b->room, sizeof *room);
    if (!rows || !room)
        atomic_store(&b->failed, 1);
    for (;;) {
        uint32_t i = atomic_fetch_add(&b->next, 1);
        if (i >= b->m || !rows || !room || kith_i_stop_wanted())
            break;
        if (solve_block(b, i, rows, room))
            atomic_store(&b->failed, 1);
    }
    kith_i_wipe_free(rows, rows ? b->most * b->d * sizeof *rows : 0);
    kith_i_wipe_free(room, room ? b->room * sizeof *room : 0);
}

kith_status kith_i_blocks_solve(kith_i_blocks *b, kith_error *err)
{
    b->most = 0;
    for (uint32_t i = 0; i < b->m; i++) {
        b->seeds[i] = kith_i_entropy_word(&b->e);
        b->most = block_size(b, i) > b->most ? block_size(b, i) : b->most;
    }
    atomic_init(&b->next, 0);
    atomic_init(&b->failed, 0);
    int saved = kith_i_blas_single();
    kith_i_parallel(kith_i_session_threads(b->s), solve_some, b);
    kith_i_blas_restore(saved);
    kith_status stopped = kith_i_stop_check(err); /* I10 */
    if (stopped)
        return stopped;
    return atomic_load(&b->failed) ? kith_i_fail_memory(err) : KITH_OK;
}

/* ---- the frame of a release ---------------------------------------------- */

static kith_status answer_all(kith_i_blocks *b, int64_t *out, kith_error *err)
{
    kith_session *s = b->s;
    size_t n = b->n, m = b->m;
    b->order = kith_i_alloc(n, sizeof *b->order);
    b->from = kith_i_alloc(m + 1, sizeof *b->from);
    b->seeds = kith_i_alloc(m, sizeof *b->seeds);
    b->answers = kith_i_alloc(m * b->entries, sizeof *b->answers);
    uint32_t *room = kith_i_alloc(n, sizeof *room);
    kith_status status = KITH_OK;
    if (!b->order || !b->from || !b->seeds || !b->answers || !room)
        status = kith_i_fail_memory(err);
    if (!status) {
        kith_i_entropy_open(&b->e, kith_i_session_source(s),
                            kith_i_session_stream(s) << 32);
        status = kith_i_blocks_deal(b, room, err);
        if (!status)
            status = kith_i_blocks_solve(b, err);
        if (!status)
            status = b->publish(b, out, err);
        if (!status && b->e.failed)
            status = kith_i_fail_entropy(err);
        kith_i_entropy_close(&b->e);
    }
    kith_i_wipe_free(b->order, b->order ? n * sizeof *b->order : 0);
    kith_i_wipe_free(room, room ? n * sizeof *room : 0);
    kith_i_wipe_free(b->answers,
                     b->answers ? m * b->entries * sizeof *b->answers : 0);
    kith_i_wipe_free(b->seeds, b->seeds ? m * sizeof *b->seeds : 0);
    kith_i_wipe_free(b->from, b->from ? (m + 1) * sizeof *b->from : 0);
    return status;
}

kith_status kith_i_blocks_release(kith_i_blocks *b, const kith_i_bill *bill,
                                  int64_t *out, size_t size, kith_error *err)
{
    kith_i_block_copy copy;
    memset(out, 0, size * sizeof *out);
    kith_status status =
        kith_i_block_copy_open(b->s, bill, b->spec->force, &copy, err);
    b->x = copy.x;
    b->n = copy.n;
    if (!status && !kith_i_session_is_plan(b->s))
        status = answer_all(b, out, err);
    kith_i_block_copy_close(&copy);
    if (status) /* I21 */
        kith_i_wipe(out, size * sizeof *out);
    return status;
}
