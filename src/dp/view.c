/* Views: records through a public linear map, computed once, kept in the gate.
 *
 * Claim: a view's row is a function of one record and of public values, and
 *   obeys the view's bounds. So whatever is released from a view is released
 *   from the records, at the same price.
 * Because: project.c is exact on each row; the derived dataset enforces its
 *   bounds in integers. */
#include "dp_private.h"

#include <math.h>

#include "base/base_i.h"
#include "base/mix.h"
#include "kernel/kernel_i.h"

typedef struct {
    const kith_i_derivation *how;
    char **rooms; /* one per worker */
} derive_job;

static void derive(void *p, uint32_t worker, const kith_i_block *block,
                   int16_t *rows)
{
    const derive_job *job = p;
    job->how->fill(job->how->arg, block, job->rooms[worker], rows);
}

kith_status kith_i_view_derive(kith_session *s, const kith_dataset *data,
                               const kith_i_derivation *how, kith_i_view *view,
                               kith_error *err)
{
    char **rooms = kith_i_alloc(s->threads, sizeof *rooms);
    int ok = rooms != NULL;
    for (uint32_t i = 0; ok && i < s->threads; i++)
        ok = !!(rooms[i] = kith_i_alloc(how->room, 1));
    kith_status status = ok ? KITH_OK : kith_i_fail_memory(err);
    if (!status) {
        derive_job job = {how, rooms};
        int blas = kith_i_blas_single();
        status = kith_i_dataset_derive(data, view->domain, s->threads, derive,
                                       &job, &view->data, err);
        kith_i_blas_restore(blas);
    }
    for (uint32_t i = 0; rooms && i < s->threads; i++)
        kith_i_wipe_free(rooms[i], how->room);
    kith_i_free(rooms);
    return status;
}

static void project(const void *arg, const kith_i_block *block, void *room,
                    int16_t *rows)
{
    kith_i_project_block(arg, block, room, rows);
}

/* Every partial sum of x . axis is below |x| |axis| 2^24: keep that below 2^51,
 * so that no sum in double rounds (R2). The offset's is rounded once, the same
 * for all rows. */
static kith_status check_axes(const kith_i_domain *domain, const double *axes,
                              uint32_t q, const double *offset, kith_error *err)
{
    for (uint32_t i = 0; offset && i < domain->dimension; i++)
        if (!(fabs(offset[i]) <= 0x1p17))
            return kith_i_fail(err, KITH_ERR_INTERNAL,
                               "a view's offset is far from its rows");
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
        status = check_axes(s->domain, axes, q, offset, err);
    if (!status)
        status = kith_i_domain_new(&ball, q, 0, &view->domain, err);
    if (!status) {
        kith_i_projection_set(&p, axes, offset,
                              view->domain->scale_log2 - s->domain->scale_log2);
        kith_i_derivation how = {project, &p, 0};
        if (s->data) {
            size_t rows = kith_i_dataset_block_rows(s->data);
            how.room =
                kith_i_project_scratch((uint32_t)rows, p.q, p.d, p.sparse) *
                sizeof(double);
            status = kith_i_view_derive(s, s->data, &how, view, err);
        }
    }
    if (!status && s->team.ranks > 1) {
        size_t d = s->domain->dimension;
        uint64_t h = kith_i_mix_bytes(s->focused, axes, q * d * sizeof *axes);
        h = kith_i_mix_bytes(h, offset, d * sizeof *offset);
        view->digest = kith_i_mix_real(h, radius);
    }
    kith_i_free(p.axes);
    kith_i_free(p.offsets);
    return kith_i_view_keep(s, view, status, out);
}

static void view_free(kith_i_view *view)
{
    if (view && view->data)
        kith_dataset_free(view->data); /* and its domain */
    else if (view)
        kith_i_domain_free(view->domain);
    kith_i_free(view);
}

kith_status kith_i_view_keep(kith_session *s, kith_i_view *view,
                             kith_status status, const kith_i_view **out)
{
    *out = NULL;
    if (status) {
        view_free(view);
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
        view_free(view);
    }
}

void kith_i_labels_close(kith_session *s, const kith_i_view *labels)
{
    for (kith_i_view **at = &s->views; *at; at = &(*at)->next)
        if (*at == labels) {
            kith_i_view *view = *at;
            *at = view->next;
            view_free(view);
            return;
        }
}

const kith_i_domain *kith_i_view_domain(const kith_i_view *view)
{
    return view->domain;
}

int kith_i_view_is_of(const kith_session *s, const kith_i_view *view)
{
    const kith_i_view *at = s->views;
    while (view && at && at != view)
        at = at->next;
    return !view || at;
}

kith_status kith_i_session_fold(const kith_session *s, const kith_i_view *view,
                                const kith_i_view *beside,
                                kith_i_visit_fn *visit, void *arg,
                                kith_error *err)
{
    if (!kith_i_view_is_of(s, view) || !kith_i_view_is_of(s, beside))
        return kith_i_fail(err, KITH_ERR_INTERNAL,
                           "a view is not of this session, or closed");
    int blas = kith_i_blas_single();
    kith_status status = kith_i_fold_beside(view ? view->data : s->data,
                                            beside ? beside->data : NULL,
                                            s->threads, visit, arg, err);
    kith_i_blas_restore(blas);
    return status;
}
