/* Restricting a session to a few features.
 *
 * Claim: what is released from a session that looks at a view of features
 *   costs what it would cost on a dataset made of the view's rows.
 * Needs: features that are public or already released.
 * Because: a row of the view is a function of one record; it is a part of the
 *   record's entries, so it has no more non-zero ones and no greater norm, and
 *   kith_i_dataset_derive enforces box and norm again in integers. Neighbouring
 *   datasets have neighbouring views. */
#include "focus.h"

#include <math.h>
#include <string.h>

#include "base/base_i.h"
#include "dp_private.h"

typedef struct {
    const uint32_t *column; /* of each feature; q: none */
    uint32_t q;
    int finer; /* log2 of view steps per record step */
} restrict_arg;

static int16_t rescale(int16_t value, int finer)
{
    int64_t v = finer >= 0 ? (int64_t)value * ((int64_t)1 << finer)
                           : value / ((int64_t)1 << -finer);
    return (int16_t)(v > INT16_MAX    ? INT16_MAX
                     : v < -INT16_MAX ? -INT16_MAX
                                      : v);
}

static void restrict_rows(void *p, uint32_t worker, const kith_i_block *block,
                          int16_t *rows)
{
    (void)worker;
    const restrict_arg *a = p;
    size_t q = a->q, d = block->dimension;
    memset(rows, 0, block->rows * q * sizeof *rows);
    for (size_t r = 0; r < block->rows; r++)
        if (block->dense) {
            for (size_t i = 0; i < d; i++)
                if (a->column[i] < q)
                    rows[r * q + a->column[i]] =
                        rescale(block->dense[r * d + i], a->finer);
        } else {
            for (uint32_t t = block->start[r]; t < block->start[r + 1]; t++)
                if (a->column[block->index[t]] < q)
                    rows[r * q + a->column[block->index[t]]] =
                        rescale(block->value[t], a->finer);
        }
}

/* The bounds of the records in these features, about their origin. */
static kith_status narrow_domain(const kith_i_domain *m,
                                 const uint32_t *features, uint32_t q,
                                 kith_i_domain **out, kith_error *err)
{
    double step = kith_i_domain_step(m);
    double *low = kith_i_alloc(q, sizeof *low);
    double *high = kith_i_alloc(q, sizeof *high);
    kith_status status = low && high ? KITH_OK : kith_i_fail_memory(err);
    for (uint32_t j = 0; !status && j < q; j++) {
        low[j] = m->low_q[features[j]] * step;
        high[j] = m->high_q[features[j]] * step;
        if (low[j] >= high[j]) /* one value only: leave room for a lattice */
            high[j] = low[j] + step;
    }
    kith_bounds b = {.lower = low,
                     .upper = high,
                     .box_count = q,
                     .radius = (double)kith_i_domain_l2(m) * step,
                     .sparsity = m->sparsity};
    if (!status)
        status = kith_i_domain_new(&b, q, 0, out, err);
    kith_i_free(low);
    kith_i_free(high);
    return status;
}

kith_status kith_i_view_features(kith_session *s, const uint32_t *features,
                                 uint32_t q, const kith_i_view **out,
                                 kith_error *err)
{
    *out = NULL;
    uint32_t d = s->domain->dimension;
    kith_i_view *view = kith_i_alloc(1, sizeof *view);
    uint32_t *column = kith_i_alloc(d, sizeof *column);
    kith_status status = view && column ? KITH_OK : kith_i_fail_memory(err);
    if (!status)
        status = narrow_domain(s->domain, features, q, &view->domain, err);
    if (!status && s->data) {
        for (uint32_t i = 0; i < d; i++)
            column[i] = q;
        for (uint32_t j = 0; j < q; j++)
            column[features[j]] = j;
        restrict_arg a = {column, q,
                          view->domain->scale_log2 - s->domain->scale_log2};
        status = kith_i_dataset_derive(s->data, view->domain, s->threads,
                                       restrict_rows, &a, &view->data, err);
        if (status)
            kith_i_domain_free(view->domain);
    }
    kith_i_free(column);
    if (status) {
        kith_i_free(view);
        return status;
    }
    view->next = s->views;
    s->views = view;
    *out = view;
    return KITH_OK;
}

void kith_i_session_focus(kith_session *s, const kith_i_view *view)
{
    if (s->whole_domain) {
        s->data = s->whole;
        s->domain = s->whole_domain;
        s->whole = NULL;
        s->whole_domain = NULL;
    }
    if (view) {
        s->whole = s->data;
        s->whole_domain = s->domain;
        s->data = view->data;
        s->domain = view->domain;
    }
}
