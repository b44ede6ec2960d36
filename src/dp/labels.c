/* Labels: the cell of every record, computed once, kept in the gate.
 *
 * Claim: an ask that reads its record's label (PLACE_LABEL) is as record-local
 *   as the ask that made the label, so releases through it cost the same.
 * Because: a label is a function of one record and of public or released
 *   values, and stands next to that record only. */
#include "labels.h"

#include <string.h>

#include "ask_private.h"
#include "base/base_i.h"
#include "kernel/kernel_i.h"

typedef struct {
    const kith_i_ask *ask;
    const kith_i_domain *domain;
    struct label_worker {
        double *scratch;
        uint32_t *cell;
    } * workers;
} label_arg;

static void derive(void *p, uint32_t worker, const kith_i_block *block,
                   int16_t *rows)
{
    const label_arg *a = p;
    struct label_worker *w = &a->workers[worker];
    kith_i_ask_rows(a->ask, a->domain, block, 0, w->scratch, w->cell, NULL);
    for (uint32_t r = 0; r < block->rows; r++)
        rows[r] =
            (int16_t)(w->cell[r] < KITH_I_MOST_LABELS ? w->cell[r]
                                                      : KITH_I_MOST_LABELS - 1);
}

static kith_status label_rows(kith_session *s, const kith_i_ask *ask,
                              kith_i_view *view, kith_error *err)
{
    const kith_dataset *data = ask->view ? ask->view->data : s->data;
    size_t block = kith_i_dataset_block_rows(data);
    size_t scratch = kith_i_ask_scratch(ask);
    struct label_worker *w = kith_i_alloc(s->threads, sizeof *w);
    int ok = w != NULL;
    for (uint32_t i = 0; ok && i < s->threads; i++) {
        ok &= !!(w[i].scratch = kith_i_alloc(scratch, sizeof(double)));
        ok &= !!(w[i].cell = kith_i_alloc(block, sizeof(uint32_t)));
    }
    kith_status status = ok ? KITH_OK : kith_i_fail_memory(err);
    if (!status) {
        label_arg arg = {ask, kith_i_ask_domain(s, ask), w};
        int blas = kith_i_blas_single();
        status = kith_i_dataset_derive(data, view->domain, s->threads, derive,
                                       &arg, &view->data, err);
        kith_i_blas_restore(blas);
    }
    for (uint32_t i = 0; w && i < s->threads; i++) {
        kith_i_wipe_free(w[i].scratch, scratch * sizeof(double));
        kith_i_wipe_free(w[i].cell, block * sizeof(uint32_t));
    }
    kith_i_free(w);
    return status;
}

kith_status kith_i_labels_open(kith_session *s, const kith_i_ask *ask,
                               const kith_i_view **out, kith_error *err)
{
    *out = NULL;
    kith_bounds ball = {.radius = KITH_I_MOST_LABELS};
    kith_i_view *view = kith_i_alloc(1, sizeof *view);
    if (!view)
        return kith_i_fail_memory(err);
    /* "in no cell" takes the last label, where there is such a thing */
    uint32_t most = KITH_I_MOST_LABELS - (ask->place.kind == KITH_I_PLACE_TREE);
    kith_status status = kith_i_domain_new(&ball, 1, 0, &view->domain, err);
    if (!status && (ask->place.by || !kith_i_ask_is_valid(s, ask, most, 0)))
        status = kith_i_fail(err, KITH_ERR_INTERNAL,
                             "labels were described wrongly");
    if (!status && view->domain->high_q[0] < (int)KITH_I_MOST_LABELS - 1)
        status = kith_i_fail(err, KITH_ERR_INTERNAL, "labels would not fit");
    if (!status && s->data)
        status = label_rows(s, ask, view, err);
    if (status) {
        kith_i_domain_free(view->domain);
        kith_i_free(view);
        return status;
    }
    view->next = s->views;
    s->views = view;
    *out = view;
    return KITH_OK;
}

void kith_i_labels_close(kith_session *s, const kith_i_view *labels)
{
    for (kith_i_view **at = &s->views; *at; at = &(*at)->next)
        if (*at == labels) {
            kith_i_view *view = *at;
            *at = view->next;
            if (view->data)
                kith_dataset_free(view->data);
            else
                kith_i_domain_free(view->domain);
            kith_i_free(view);
            return;
        }
}
