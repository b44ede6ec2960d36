/* Uniformly random planes, and the column sweep: a step of a Markov chain on
 * planes that is made of Bingham draws on the sphere.
 *
 * Claim: kith_i_bingham_sweep leaves exp(tr U A U') invariant.
 * Because: given the other rows, row j is a unit vector in the span of itself
 *   and the complement; in that basis its law is a vector Bingham with the
 *   block of W = Q A Q'. The reflection that takes e1 to z makes it the new
 *   row and keeps the rest a basis of the complement. */
#include "bingham_draw.h"

#include <math.h>
#include <string.h>

#include "kernel/kernel_i.h"
#include "kernel/linear.h"
#include "kernel/planes.h"

kith_status kith_i_bingham_open(kith_i_bingham *s, uint32_t d, uint32_t q,
                                kith_error *err)
{
    memset(s, 0, sizeof *s);
    s->d = d;
    s->q = q;
    size_t n = d, work = kith_i_eigen_work(d) + 80 * n;
    size_t square = kith_i_padded(d) * (size_t)kith_i_padded(d);
    size_t count = 3 * square + 4 * n + work;
    s->bytes = count * sizeof(double) + kith_i_eigen_integers(d) * sizeof(int);
    s->w = kith_i_alloc(s->bytes, 1);
    if (!s->w)
        return kith_i_fail_memory(err);
    s->factor = s->w + square;
    s->vectors = s->factor + square;
    s->values = s->vectors + square;
    s->z = s->values + n;
    s->v = s->z + n;
    s->other = s->v + n;
    s->work = s->other + n;
    s->integers = (int *)(void *)(s->work + work);
    return KITH_OK;
}

void kith_i_bingham_close(kith_i_bingham *s)
{
    kith_i_wipe_free(s->w, s->w ? s->bytes : 0);
    s->w = NULL;
}

void kith_i_plane_haar(double *rows, uint32_t q, uint32_t d,
                       kith_i_words *words)
{
    for (uint32_t j = 0; j < q; j++)
        do
            for (uint32_t i = 0; i < d; i++)
                rows[(size_t)j * d + i] = kith_i_words_normal(words);
        while (!kith_i_orthonormal_row(rows, j, d)); /* probability 0 */
}

/* ---- the column sweep ---- */

static void swap_rows(double *a, double *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

/* Row i and row j of the basis change places. */
static void swap_axes(double *basis, double *w, uint32_t d, uint32_t i,
                      uint32_t j)
{
    if (i == j)
        return;
    swap_rows(basis + (size_t)i * d, basis + (size_t)j * d, d);
    swap_rows(w + (size_t)i * d, w + (size_t)j * d, d);
    for (uint32_t r = 0; r < d; r++) {
        double t = w[(size_t)r * d + i];
        w[(size_t)r * d + i] = w[(size_t)r * d + j];
        w[(size_t)r * d + j] = t;
    }
}

void kith_i_bingham_sweep(kith_i_bingham *s, const double *a,
                          kith_i_words *words, double *basis)
{
    uint32_t d = s->d, q = s->q, m = d - q + 1, last = q - 1;
    if (q == d)
        return; /* there is only one plane */
    kith_i_congruence(basis, a, d, s->factor, s->w);
    for (uint32_t j = 0; j < q; j++) {
        swap_axes(basis, s->w, d, j, last);
        double *block = s->w + (size_t)last * d + last, *z = s->z;
        kith_i_bingham_vector(s, block, d, m, words, z);
        int flip = z[0] > 0; /* reflect e1 to -z: no cancellation */
        for (uint32_t i = 0; i < m; i++)
            s->v[i] = flip ? z[i] : -z[i];
        s->v[0] += 1;
        double scale = 1 / s->v[0], *row = basis + (size_t)last * d;
        kith_i_reflect_rows(row, m, d, s->v, scale, s->work);
        kith_i_reflect_both(s->w, d, m, s->v, scale, s->work);
        for (uint32_t i = 0; flip && i < d; i++) {
            row[i] = -row[i];
            if (i != last) {
                s->w[(size_t)last * d + i] = -s->w[(size_t)last * d + i];
                s->w[(size_t)i * d + last] = -s->w[(size_t)i * d + last];
            }
        }
    }
}
