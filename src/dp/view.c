/* Views: records through a public linear map, computed once, kept in the gate.
 *
 * Claim: a view's row is a function of one record and of public values, and
 *   obeys the view's bounds. So whatever is released from a view is released
 *   from the records, at the same price.
 * Because: project.c is exact on each row; the derived dataset enforces its
 *   bounds in integers. */
#include "dp_private.h"

#include "base/base_i.h"
#include "kernel/kernel_i.h"

typedef struct {
    const kith_i_projection *projection;
    double **scratch;
} derive_arg;

static void derive(void *p, uint32_t worker, const kith_i_block *block,
                   int16_t *rows)
{
    const derive_arg *a = p;
    kith_i_project_block(a->projection, block, a->scratch[worker], rows);
}

static kith_status derive_rows(kith_session *s,
                               const kith_i_projection *projection,
                               kith_i_view *view, kith_error *err)
{
    double **scratch = kith_i_alloc(s->threads, sizeof *scratch);
    size_t size = kith_i_project_scratch(kith_i_dataset_block_rows(s->data),
                                         projection->q, projection->d,
                                         projection->sparse);
    int ok = scratch != NULL;
    for (uint32_t i = 0; ok && i < s->threads; i++)
        ok = !!(scratch[i] = kith_i_alloc(size, sizeof **scratch));
    kith_status status = ok ? KITH_OK : kith_i_fail_memory(err);
    if (!status) {
        derive_arg arg = {projection, scratch};
        int blas = kith_i_blas_single();
        status = kith_i_dataset_derive(s->data, view->domain, s->threads,
                                       derive, &arg, &view->data, err);
        kith_i_blas_restore(blas);
    }
    for (uint32_t i = 0; scratch && i < s->threads; i++)
        kith_i_wipe_free(scratch[i], size * sizeof(double));
    kith_i_free(scratch);
    return status;
}

/* Every partial sum of x . axis is below |x| |axis| 2^24: keep that, and the
 * offset's, below 2^51, so that no sum in double rounds (R2). */
static kith_status check_axes(const kith_i_domain *domain, const double *axes,
                              uint32_t q, kith_error *err)
{
    double limit = 0x1p51 / 0x1p24 / (double)kith_i_domain_l2(domain);
    for (uint32_t j = 0; j < q; j++) {
        double square = 0;
        for (uint32_t i = 0; i < domain->dimension; i++) {
            double a = axes[(size_t)j * domain->dimension + i];
            square += a * a;
        }
        if (!(square <= limit * limit))
            return kith_i_fail(err, KITH_ERR_INTERNAL,
                               "a view's axis is too long for exact sums");
    }
    return KITH_OK;
}

kith_status kith_i_view_open(kith_session *s, const double *axes, uint32_t q,
                             const double *offset, double radius,
                             const kith_i_view **out, kith_error *err)
{
    *out = NULL;
    kith_bounds ball = {.radius = radius};
    kith_i_projection p = {
        .q = q, .d = s->domain->dimension, .sparse = s->domain->sparse};
    kith_i_view *view = kith_i_alloc(1, sizeof *view);
    p.axes = kith_i_alloc((size_t)q * p.d, sizeof *p.axes);
    p.offsets = kith_i_alloc(q, sizeof *p.offsets);
    kith_status status =
        view && p.axes && p.offsets ? KITH_OK : kith_i_fail_memory(err);
    if (!status)
        status = check_axes(s->domain, axes, q, err);
    if (!status)
        status = kith_i_domain_new(&ball, q, 0, &view->domain, err);
    if (!status) {
        kith_i_projection_set(&p, axes, offset,
                              view->domain->scale_log2 - s->domain->scale_log2);
        if (s->data)
            status = derive_rows(s, &p, view, err);
        if (status)
            kith_i_domain_free(view->domain);
    }
    kith_i_free(p.axes);
    kith_i_free(p.offsets);
    if (status) {
        kith_i_free(view);
        return status;
    }
    view->next = s->views;
    s->views = view;
    *out = view;
    return KITH_OK;
}

void kith_i_views_free(kith_session *s)
{
    while (s->views) {
        kith_i_view *view = s->views;
        s->views = view->next;
        if (view->data)
            kith_dataset_free(view->data);
        else
            kith_i_domain_free(view->domain);
        kith_i_free(view);
    }
}

const kith_i_domain *kith_i_view_domain(const kith_i_view *view)
{
    return view->domain;
}

void kith_i_session_fold(const kith_session *s, const kith_i_view *view,
                         const kith_i_view *beside, kith_i_visit_fn *visit,
                         void *arg)
{
    int blas = kith_i_blas_single();
    kith_i_fold_beside(view ? view->data : s->data,
                       beside ? beside->data : NULL, s->threads, visit, arg);
    kith_i_blas_restore(blas);
}
