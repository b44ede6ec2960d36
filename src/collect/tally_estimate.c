/* Estimates from a tally: unbiased, by the formulas of report_precision.c. What
 * comes out depends on released reports only. */
#include <math.h>

#include "base/watch.h"
#include "tally_i.h"

/* How many OLH reports support each key: each worker takes some keys. */
typedef struct {
    const kith_i_tally *tally;
    const uint64_t *keys;
    uint64_t count;
    uint32_t workers;
    double *supports;
} scan_job;

static void scan_keys(void *arg, uint32_t worker)
{
    scan_job *job = arg;
    const kith_i_tally *t = job->tally;
    uint64_t g = t->mechanism.outputs;
    uint64_t from = job->count * worker / job->workers;
    uint64_t to = job->count * (worker + 1) / job->workers;
    for (uint64_t k = from; k < to && !kith_i_stop_wanted(); k++) {
        uint64_t key = job->keys ? job->keys[k] : k, supports = 0;
        for (uint64_t i = 0; i < t->received; i++) {
            const kith_i_hashed *h = &t->hashed[i];
            uint64_t hash = kith_i_nonce_hash(h->low, h->high, key, 0);
            supports += ((hash * g) >> 32) == h->output;
        }
        job->supports[k] = (double)supports;
    }
}

/* Walsh-Hadamard transform, in place. */
static void transform(int64_t *v, uint64_t n)
{
    for (uint64_t half = 1; half < n; half *= 2)
        for (uint64_t i = 0; i < n; i += 2 * half)
            for (uint64_t j = i; j < i + half; j++) {
                int64_t a = v[j], b = v[j + half];
                v[j] = a + b;
                v[j + half] = a - b;
            }
}

/* Reports whose bit agrees with the key's column: (received + <row sums,
 * column>) / 2. */
static kith_status supports_hadamard(const kith_i_tally *t,
                                     const uint64_t *keys, uint64_t count,
                                     double *supports, kith_error *err)
{
    int64_t *column = kith_i_alloc(t->cells, sizeof *column);
    if (!column)
        return kith_i_fail_memory(err);
    for (uint64_t i = 0; i < t->cells; i++)
        column[i] = t->sums[i];
    transform(column, t->cells);
    for (uint64_t k = 0; k < count; k++) {
        uint64_t key = keys ? keys[k] : k;
        int64_t sum = key < t->cells ? column[key] : 0;
        supports[k] = ((double)t->received + (double)sum) / 2;
    }
    kith_i_free(column);
    return KITH_OK;
}

kith_status kith_i_tally_fractions(const kith_i_tally *t, const uint64_t *keys,
                                   uint64_t count, uint32_t threads,
                                   double *fractions, kith_error *err)
{
    const kith_i_mechanism *m = &t->mechanism;
    kith_i_support s = kith_i_mechanism_support(m);
    if (m->width)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "these reports are vectors: they have no symbols");
    if (m->kind == KITH_I_RANDOMIZER_OLH) {
        scan_job job = {.tally = t,
                        .keys = keys,
                        .count = count,
                        .workers = kith_i_thread_count(threads),
                        .supports = fractions};
        kith_i_parallel(job.workers, scan_keys, &job);
    } else if (m->kind == KITH_I_RANDOMIZER_HADAMARD) {
        kith_status status = supports_hadamard(t, keys, count, fractions, err);
        if (status)
            return status;
    } else {
        for (uint64_t k = 0; k < count; k++) {
            uint64_t key = keys ? keys[k] : k;
            fractions[k] = key < t->cells ? (double)t->sums[key] : 0;
        }
    }
    double n = t->received ? (double)t->received : 1;
    for (uint64_t k = 0; k < count; k++) {
        int exists = (keys ? keys[k] : k) < m->symbols && t->received;
        fractions[k] = exists ? (fractions[k] / n - s.q) / (s.p - s.q) : 0;
    }
    return KITH_OK;
}

static kith_status answer_sums(const kith_i_tally *t, const kith_i_question *q,
                               uint32_t d, kith_i_answer *answer,
                               kith_error *err)
{
    const kith_i_mechanism *m = &t->mechanism;
    double unit = m->kind == KITH_I_RANDOMIZER_GAUSSIAN ? KITH_I_GAUSSIAN_UNIT
                  : m->rank ? KITH_I_MATRIX_UNIT * KITH_I_MATRIX_UNIT * m->alpha
                            : KITH_I_WORD_UNIT * m->alpha;
    double *means = kith_i_alloc(t->cells, sizeof *means);
    if (!means)
        return kith_i_fail_memory(err);
    for (uint64_t i = 0; i < t->cells; i++)
        means[i] = (double)t->sums[i] / ((double)t->received * unit);
    /* Less I / D, which is what codewords are without anybody in them. */
    for (uint64_t j = 0; m->rank && j < m->buckets; j++)
        for (uint64_t b = 0; b < d; b++)
            means[j * m->kept + b * (b + 3) / 2] -=
                1 / (m->alpha * (double)m->width);
    kith_i_answer_unpack(q, d, means, answer);
    kith_i_free(means);
    return KITH_OK;
}

kith_status kith_i_tally_answer(const kith_i_tally *t, const kith_i_question *q,
                                uint32_t d, uint64_t minimum, uint32_t threads,
                                kith_i_answer *answer, kith_error *err)
{
    if (t->received == 0 || t->received < minimum)
        return KITH_OK; /* as it was made: zeros, and no precision */
    kith_i_answer_precision(&t->mechanism, t->received, answer);
    if (answer->sums)
        return answer_sums(t, q, d, answer, err);
    return kith_i_tally_fractions(t, q->wanted, answer->symbols, threads,
                                  answer->fractions, err);
}
