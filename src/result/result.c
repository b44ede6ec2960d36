/* Results: construction and the public accessors. */
#include "result_i.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_i.h"
#include "kith/subspace.h"

kith_result *kith_i_result_new(uint32_t k, const kith_i_domain *domain)
{
    kith_result *result = kith_i_alloc(1, sizeof *result);
    if (!result)
        return NULL;
    result->k = k;
    result->d = domain->dimension;
    result->step = kith_i_domain_step(domain);
    result->guarantee = "none";
    result->unit = KITH_UNIT_ROW;
    result->group = 1;
    result->centers = kith_i_alloc((size_t)k * result->d, sizeof(double));
    result->weights = kith_i_alloc(k, sizeof(double));
    if (!result->centers || !result->weights) {
        kith_result_free(result);
        return NULL;
    }
    return result;
}

void kith_i_result_set_centers(kith_result *result, const kith_i_domain *domain,
                               const double *lattice)
{
    for (size_t j = 0; j < result->k; j++)
        kith_i_domain_restore(domain, lattice + j * result->d,
                              result->centers + j * result->d);
}

typedef struct {
    const char *what;
    size_t at;
} named;

static int compare_named(const void *p, const void *q)
{
    const named *a = p, *b = q;
    int order = strcmp(a->what, b->what);
    return order ? order : (a->at > b->at) - (a->at < b->at);
}

kith_status kith_i_result_number(kith_result *result, kith_error *err)
{
    size_t n = result->receipt_count;
    named *list = kith_i_alloc(n, sizeof *list);
    if (!list)
        return kith_i_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        list[i] = (named){result->receipts[i].what, i};
    qsort(list, n, sizeof *list, compare_named);
    kith_status status = KITH_OK;
    for (size_t i = 0, same = 0; !status && i < n; i += same) {
        for (same = 1; i + same < n; same++)
            if (strcmp(list[i].what, list[i + same].what) != 0)
                break;
        size_t room = strlen(list[i].what) + 64;
        for (size_t r = same; !status && same > 1 && r-- > 0;) {
            char *text = kith_i_alloc(room, 1);
            const char **what = &result->receipts[list[i + r].at].what;
            if (!text) {
                status = kith_i_fail_memory(err);
                break;
            }
            snprintf(text, room, "%s, round %zu of %zu", *what, r + 1, same);
            kith_i_free((void *)(uintptr_t)*what);
            *what = text;
        }
    }
    kith_i_free(list);
    return status;
}

int kith_i_result_set_planes(kith_result *result, uint32_t q,
                             const double *planes)
{
    size_t d = result->d;
    double *bases = kith_i_alloc(result->k * d * q, sizeof *bases);
    if (!bases)
        return -1;
    for (size_t l = 0; l < result->k; l++)
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < q; j++)
                bases[(l * d + i) * q + j] = planes[(l * q + j) * d + i];
    kith_i_free(result->bases);
    result->bases = bases;
    result->q = q;
    return 0;
}

const double *kith_result_bases(const kith_result *result, uint32_t *k,
                                uint32_t *d, uint32_t *q)
{
    if (k)
        *k = result ? result->k : 0;
    if (d)
        *d = result ? result->d : 0;
    if (q)
        *q = result ? result->q : 0;
    return result ? result->bases : NULL;
}

const kith_chain_diagnostics *kith_result_diagnostics(const kith_result *result)
{
    return result ? result->diagnostics : NULL;
}

void kith_result_free(kith_result *result)
{
    if (!result)
        return;
    for (size_t i = 0; i < result->receipt_count; i++)
        kith_i_free((void *)(uintptr_t)result->receipts[i].what);
    kith_i_free(result->receipts);
    kith_i_free(result->centers);
    kith_i_free(result->weights);
    kith_i_free(result->bases);
    kith_i_free(result->diagnostics);
    kith_i_free(result->on_bound);
    kith_i_free(result->stretch);
    kith_i_free(result->weight_sds);
    kith_i_free(result->charge);
    kith_i_free(result->choice);
    kith_i_free(result);
}

/* One block, so that a result has one to free. */
kith_choice *kith_i_result_choose(kith_result *result, uint32_t from,
                                  uint32_t to, double **curve)
{
    size_t head = (sizeof(kith_choice) + 63) / 64 * 64;
    char *block = kith_i_alloc(head + 2 * (to - from + 1) * sizeof(double), 1);
    if (!block)
        return NULL;
    *curve = (double *)(void *)(block + head);
    result->choice = (kith_choice *)(void *)block;
    *result->choice = (kith_choice){.from = from,
                                    .to = to,
                                    .chosen = from,
                                    .cost = *curve,
                                    .noise = *curve + (to - from + 1)};
    return result->choice;
}

const kith_choice *kith_result_choice(const kith_result *result)
{
    return result ? result->choice : NULL;
}

const double *kith_result_centers(const kith_result *result, uint32_t *k,
                                  uint32_t *d)
{
    if (k)
        *k = result ? result->k : 0;
    if (d)
        *d = result ? result->d : 0;
    return result ? result->centers : NULL;
}

const double *kith_result_weights(const kith_result *result)
{
    return result ? result->weights : NULL;
}

size_t kith_result_receipt_count(const kith_result *result)
{
    return result ? result->receipt_count : 0;
}

kith_status kith_result_receipt(const kith_result *result, size_t i,
                                kith_receipt *out)
{
    if (!out)
        return KITH_ERR_ARGUMENT;
    *out = (kith_receipt){.what = "", .mechanism = "", .norm = ""};
    if (!result || i >= result->receipt_count)
        return KITH_ERR_ARGUMENT;
    *out = result->receipts[i];
    return KITH_OK;
}

const char *kith_result_guarantee(const kith_result *result)
{
    return result ? result->guarantee : "none";
}

const kith_charge *kith_result_charge(const kith_result *result)
{
    return result ? result->charge : NULL;
}

kith_unit kith_result_unit(const kith_result *result)
{
    return result ? result->unit : KITH_UNIT_ROW;
}

kith_privacy kith_result_privacy(const kith_result *result)
{
    return result ? result->privacy : (kith_privacy){0};
}

double kith_result_noise(const kith_result *result)
{
    return result ? result->noise : 0;
}

uint32_t kith_result_rounds(const kith_result *result)
{
    return result ? result->rounds : 0;
}

uint64_t kith_result_public_seed(const kith_result *result)
{
    return result ? result->public_seed : 0;
}

double kith_result_step(const kith_result *result)
{
    return result ? result->step : 0;
}
