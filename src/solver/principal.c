/* The plane closest to a set of rows: leading eigenvectors of their Gram
 * matrix (no mean is taken out: planes pass through the origin). */
#include <string.h>

#include "kernel/dense.h"
#include "kernel/kernel_i.h"
#include "kernel/planes.h"
#include "parts.h"

int kith_i_principal_init(kith_i_principal *p, uint32_t d, uint32_t q)
{
    *p = (kith_i_principal){.d = d, .q = q};
    p->gram = kith_i_alloc((size_t)d * d, sizeof *p->gram);
    p->work = kith_i_alloc(kith_i_eigen_work(d), sizeof *p->work);
    /* LAPACK writes d eigenvalues into work, q into values. */
    p->values = kith_i_alloc(q, sizeof *p->values);
    p->gather = kith_i_alloc((size_t)KITH_I_GATHER * d, sizeof *p->gather);
    p->integers = kith_i_alloc(kith_i_eigen_integers(d), sizeof *p->integers);
    return p->gram && p->work && p->values && p->gather && p->integers;
}

void kith_i_principal_free(kith_i_principal *p)
{
    size_t d = p->d;
    kith_i_wipe_free(p->gram, p->gram ? d * d * sizeof *p->gram : 0);
    kith_i_wipe_free(p->gather,
                     p->gather ? KITH_I_GATHER * d * sizeof *p->gather : 0);
    kith_i_free(p->work);
    kith_i_free(p->values);
    kith_i_free(p->integers);
}

void kith_i_principal_plane(kith_i_principal *p, const kith_i_matrix *rows,
                            const uint32_t *labels, uint32_t label,
                            double *plane)
{
    size_t d = p->d;
    uint32_t held = 0;
    memset(p->gram, 0, d * d * sizeof *p->gram);
    for (uint32_t i = 0; i < rows->n; i++) {
        if (labels[i] != label)
            continue;
        memcpy(p->gather + held++ * d, rows->coords + i * d,
               d * sizeof *p->gather);
        if (held < KITH_I_GATHER)
            continue;
        kith_i_gram_add(p->gather, held, p->d, p->gram);
        held = 0;
    }
    kith_i_gram_add(p->gather, held, p->d, p->gram);
    (void)kith_i_eigen_top(p->gram, p->d, p->q, p->work, p->integers, p->values,
                           plane);
}

kith_status kith_i_principal_planes(const kith_i_solve *s,
                                    const uint32_t *labels, kith_error *err)
{
    const kith_i_matrix *rows = s->rows;
    kith_i_principal p;
    kith_status status = KITH_OK;
    if (!kith_i_principal_init(&p, rows->d, s->q))
        status = kith_i_fail_memory(err);
    for (uint32_t l = 0; !status && l < s->k; l++) {
        double *plane = s->bases + (size_t)l * s->q * rows->d;
        uint32_t i = 0;
        while (i < rows->n && labels[i] != l)
            i++;
        kith_i_plane_random(plane, s->q, rows->d, s->coins);
        if (i < rows->n)
            kith_i_principal_plane(&p, rows, labels, l, plane);
    }
    kith_i_principal_free(&p);
    return status;
}
