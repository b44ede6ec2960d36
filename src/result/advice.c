/* What a user should be told about a result, from released and public values
 * only: how many clusters the budget carries, and whether centres coincide. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_i.h"
#include "result_i.h"

/* The part of the bound of a row's length that noise may move a centre. Beyond
 * it the noise on an average centre costs about as much as k-means gains over a
 * single mean (docs/central.md). */
static const double CALM = 0.25;

uint32_t kith_result_sensible_clusters(const kith_result *result)
{
    if (!result)
        return 0;
    if (!(result->noise > 0))
        return result->k; /* not private */
    double most = floor(result->room);
    if (result->rows > 0)
        most = fmin(most, floor(result->rows));
    if (result->carried)
        most = fmin(most, result->carried);
    return (uint32_t)fmax(1, fmin(most, UINT32_MAX));
}

double kith_i_calm(void)
{
    return CALM;
}

void kith_i_result_room(kith_result *result, const kith_i_domain *domain)
{
    result->reach =
        sqrt((double)domain->l2_squared) * kith_i_domain_step(domain);
    /* noise per centre grows like k: a cluster has 1/k of the rows */
    if (!(result->room > 0) && result->noise > 0)
        result->room = result->k * CALM * result->reach / result->noise;
}

/* Distances come from a histogram of all clusters, in units of what was
 * expected of each: measured, that is off by so much without any noise
 * (bench/RESULTS.md). Bins that noise left over lean
 * upwards: twice their noise. What may be off by half is not known. */
static const double CRUDE = .1;

void kith_i_result_expect(kith_result *result, const double *squares,
                          double unit, double loose)
{
    double sum = 0, total = 0;
    for (uint32_t j = 0; j < result->k; j++) {
        sum += result->weights[j] * squares[j] * unit;
        total += result->weights[j];
    }
    double rows = result->rows > 0 ? result->rows : total;
    double off = sqrt(CRUDE * CRUDE + 4 * loose * loose);
    result->cost = total > 0 && off < .5 ? sum / total * rows : 0;
    result->cost_sd = result->cost * off;
}

/* Noisy sizes, negative ones cut off, add up to more than there are rows: the
 * nearest sizes that do not (the projection onto a simplex). What is cut off is
 * the same for all, so that large clusters keep theirs. */
static void settle_weights(kith_result *result)
{
    double *w = result->weights, sum = 0, cut = 0, rows = result->rows;
    uint32_t k = result->k, left = 0;
    for (uint32_t j = 0; j < k; j++)
        sum += w[j];
    for (uint32_t j = 0; sum <= rows && j < k; j++)
        w[j] = sum > 0 ? w[j] * (rows / sum) : rows / k;
    while (sum > rows) {
        double above = 0;
        uint32_t now = 0;
        for (uint32_t j = 0; j < k; j++)
            if (w[j] > cut) {
                above += w[j];
                now++;
            }
        /* settled, or lost in rounding: the cut only grows, but for that */
        if (now == 0 || (left && now >= left))
            break;
        left = now;
        cut = (above - rows) / now;
    }
    for (uint32_t j = 0; sum > rows && j < k; j++)
        w[j] = fmax(w[j] - cut, 0);
}

void kith_i_result_count_people(kith_result *result)
{
    for (uint32_t j = 0; result->weights && j < result->k; j++)
        result->weights[j] /= result->group;
    result->rows /= result->group;
    result->rows_sd /= result->group;
    result->cost /= result->group;
    result->cost_sd /= result->group;
}

uint32_t kith_result_distinct_centers(const kith_result *result)
{
    return result && result->centers ? result->distinct : 0;
}

static uint64_t digest(const double *row, size_t d)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < d; i++) {
        double v = row[i] + 0.0; /* -0 is 0 */
        uint64_t bits;
        memcpy(&bits, &v, sizeof bits);
        h = (h ^ bits) * 0x100000001b3u;
        h ^= h >> 29;
    }
    return h;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static kith_status count_centers(kith_result *result, kith_error *err)
{
    uint64_t *keys = kith_i_alloc(result->k, sizeof *keys);
    if (!keys)
        return kith_i_fail_memory(err);
    for (size_t j = 0; j < result->k; j++)
        keys[j] = digest(result->centers + j * result->d, result->d);
    qsort(keys, result->k, sizeof *keys, compare);
    result->distinct = result->k > 0;
    for (size_t j = 1; j < result->k; j++)
        result->distinct += keys[j] != keys[j - 1];
    kith_i_free(keys);
    return KITH_OK;
}

kith_status kith_i_result_advise(kith_result *result,
                                 const kith_i_domain *domain, kith_error *err)
{
    if (result->bases)
        return kith_i_result_count_planes(result, err);
    kith_i_result_room(result, domain);
    if (result->rows > 0)
        settle_weights(result);
    kith_status status = count_centers(result, err);
    return status ? status : kith_i_result_find_bounds(result, domain, err);
}
