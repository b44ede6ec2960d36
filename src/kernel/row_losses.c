/* What a row loses with each of several candidate solutions.
 *
 * All swaps are valued in one pass (FastPAM: Schubert, Rousseeuw 2021). With
 * the distances d1 <= d2 to the nearest and second nearest of Z, a record
 * loses min(D_c, d1) after a swap that leaves its owner and min(D_c, d2) after
 * one that removes it. */
#include "row_losses.h"

#include <math.h>

/* Toward zero; more than fits is as much as fits. */
static inline int32_t whole_loss(double loss)
{
    return loss < INT32_MAX ? (int32_t)loss : INT32_MAX;
}

void kith_i_center_losses(const kith_i_center_sets *sets,
                          const kith_i_block *block, double *scratch,
                          int32_t *loss)
{
    double *score = scratch;
    uint32_t labels[KITH_I_BLOCK_ROWS];
    for (uint32_t t = 0; t < sets->count; t++) {
        kith_i_assign_block(&sets->set[t], block, scratch + KITH_I_BLOCK_ROWS,
                            labels, score);
        for (uint32_t r = 0; r < block->rows; r++)
            loss[(size_t)r * sets->count + t] =
                whole_loss((kith_i_row_square(block, r) + score[r]) *
                           ldexp(1, -sets->shift));
    }
}

size_t kith_i_center_losses_scratch(const kith_i_center_sets *sets)
{
    const kith_i_centers *c = sets->set;
    return KITH_I_BLOCK_ROWS +
           kith_i_assign_scratch(KITH_I_BLOCK_ROWS, c->k, c->d, c->sparse);
}

/* Rows that are scored together (their scores stay in the cache), and losses
 * that a compiler may do side by side. */
enum { BATCH = 64, LANES = 8 };

/* out[c] = |y - c|^2 / 2^shift, toward zero: exact up to that division. */
static void row_distances(const kith_i_swap_state *a, const int16_t *row,
                          const double *scores, int32_t *out)
{
    int64_t square = 0;
    for (uint32_t i = 0; i < a->points.d; i++)
        square += (int64_t)row[i] * row[i];
    double own = (double)square, unit = ldexp(1, -a->shift);
    uint32_t n = a->points.k, c = 0;
    for (; c + LANES <= n; c += LANES)
        for (uint32_t t = 0; t < LANES; t++)
            out[c + t] = whole_loss((own + scores[c + t]) * unit);
    for (; c < n; c++)
        out[c] = whole_loss((own + scores[c]) * unit);
}

/* The same for |y - c|: the square is an exact integer and sqrt is correctly
 * rounded, so this too depends on the one record only (R2). */
static void row_lengths(const kith_i_swap_state *a, const int16_t *row,
                        const double *scores, int32_t *out)
{
    int64_t square = 0;
    for (uint32_t i = 0; i < a->points.d; i++)
        square += (int64_t)row[i] * row[i];
    for (uint32_t c = 0; c < a->points.k; c++)
        out[c] = (int32_t)sqrt((double)square + scores[c]);
}

/* kept: holds the distances on entry. */
static uint32_t row_losses(const kith_i_swap_state *a, int32_t *restrict kept,
                           int32_t *restrict extra)
{
    uint32_t owner = 0;
    int32_t d1 = INT32_MAX, d2 = a->bound; /* no second: anything goes */
    for (uint32_t j = 0; j < a->k; j++) {
        int32_t d = kept[a->chosen[j]];
        if (d < d1) {
            d2 = j ? d1 : d2;
            d1 = d;
            owner = j;
        } else if (d < d2) {
            d2 = d;
        }
    }
    uint32_t n = a->points.k, c = 0;
    for (; c + LANES <= n; c += LANES)
        for (uint32_t t = 0; t < LANES; t++) {
            int32_t d = kept[c + t], least = d < d1 ? d : d1;
            extra[c + t] = (d < d2 ? d : d2) - least;
            kept[c + t] = least;
        }
    for (; c < n; c++) {
        int32_t d = kept[c], least = d < d1 ? d : d1;
        extra[c] = (d < d2 ? d : d2) - least;
        kept[c] = least;
    }
    return owner;
}

void kith_i_swap_losses(const kith_i_swap_state *a, const kith_i_block *block,
                        double *scratch, uint32_t *owner, int32_t *kept,
                        int32_t *extra)
{
    size_t n = a->points.k, p = block->dimension;
    double *scores = scratch, *rest = scratch + BATCH * n;
    for (uint32_t first = 0; first < block->rows; first += BATCH) {
        uint32_t left = block->rows - first;
        kith_i_block part = {.rows = left < BATCH ? left : BATCH,
                             .dimension = block->dimension,
                             .dense = block->dense + first * p};
        kith_i_score_block(&a->points, &part, rest, scores);
        for (uint32_t r = 0; r < part.rows; r++) {
            size_t at = (size_t)(first + r) * n;
            (a->median ? row_lengths : row_distances)(
                a, part.dense + r * p, scores + r * n, kept + at);
            owner[first + r] = row_losses(a, kept + at, extra + at);
        }
    }
}

size_t kith_i_swap_scratch(uint32_t candidates, uint32_t p)
{
    return (size_t)BATCH * candidates +
           kith_i_assign_scratch(BATCH, candidates, p, 0);
}
