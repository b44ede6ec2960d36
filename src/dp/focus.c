/* Restricting a session to a few features.
 *
 * Claim: what is released from a session that looks at a view of features
 *   costs what it would cost on a dataset made of the view's rows.
 * Needs: features that are public or already released.
 * Because: a row of the view is a function of one record; it is a part of the
 *   record's entries, so it has no more non-zero ones and no greater norm, and
 *   kith_i_dataset_derive enforces box and norm again in integers. Neighbouring
 *   datasets have neighbouring views. */
#include <string.h>

#include "base/base_i.h"
#include "base/mix.h"
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

static void restrict_rows(const void *p, const kith_i_block *block, void *room,
                          int16_t *rows)
{
    (void)room;
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

kith_status kith_i_view_features(kith_session *s, const uint32_t *features,
                                 uint32_t q, const kith_i_view **out,
                                 kith_error *err)
{
    *out = NULL;
    uint32_t d = s->domain->dimension;
    kith_i_view *view = kith_i_alloc(1, sizeof *view);
    uint32_t *column = kith_i_alloc(d, sizeof *column);
    kith_status status = view && column ? KITH_OK : kith_i_fail_memory(err);
    for (uint32_t j = 0; !status && j < q; j++)
        if (features[j] >= d || (j && features[j] <= features[j - 1]))
            status = kith_i_fail(err, KITH_ERR_INTERNAL,
                                 "a view's features are not increasing");
    if (!status)
        status =
            kith_i_domain_narrow(s->domain, features, q, &view->domain, err);
    if (!status && s->data) {
        for (uint32_t i = 0; i < d; i++)
            column[i] = q;
        for (uint32_t j = 0; j < q; j++)
            column[features[j]] = j;
        restrict_arg a = {column, q,
                          view->domain->scale_log2 - s->domain->scale_log2};
        kith_i_derivation how = {restrict_rows, &a, 0};
        status = kith_i_view_derive(s, s->data, &how, view, err);
    }
    if (!status)
        view->digest =
            kith_i_mix_bytes(s->focused, features, q * sizeof *features);
    kith_i_free(column);
    return kith_i_view_keep(s, view, status, out);
}

void kith_i_session_focus(kith_session *s, const kith_i_view *view)
{
    if (s->whole_domain) {
        s->data = s->whole;
        s->domain = s->whole_domain;
        s->whole = NULL;
        s->whole_domain = NULL;
        s->focused = 0;
    }
    if (view && kith_i_view_is_of(s, view)) { /* else: all features */
        s->whole = s->data;
        s->whole_domain = s->domain;
        s->data = view->data;
        s->domain = view->domain;
        s->focused = view->digest;
    }
}
