/* A floor that needs a Gram matrix only: k planes that cover a normal
 * distribution with these (shrunk) second moments well, found by k-plane on
 * synthetic rows. It sees no clusters, but never loses to the one leading
 * plane, and gains on it wherever more than q eigenvalues stand out of the
 * noise. All of it is post-processing. */
#include <math.h>
#include <string.h>

#include "base/watch.h"
#include "kernel/dense.h"
#include "subspace_auto_i.h"

enum { ROWS = 4000, MOST_AXES = 60, STARTS = 4, ROUNDS = 15 };
#define NEARBY .5

uint32_t kith_i_plane_cover_wants(uint32_t d, uint32_t q)
{
    uint32_t most = 2 * q > MOST_AXES ? 2 * q : MOST_AXES;
    return d < most ? d : most;
}

typedef struct {
    uint32_t k, q, m;
    double *rows;   /* ROWS x m */
    double *dots;   /* ROWS x kq */
    double *gather; /* ROWS x m */
    double *gram;   /* m x m */
    double *work, *values;
    int *integers;
    uint32_t *label; /* ROWS */
    double *planes;  /* k x q x m */
    double *best;
} cover;

/* Labels of all rows; the mean of the squared lengths of their projections. */
static double assign_rows(cover *c)
{
    uint32_t kq = c->k * c->q;
    double total = 0;
    kith_i_multiply(KITH_I_FLIP_B, ROWS, kq, c->m, c->rows, c->planes, c->dots);
    for (size_t i = 0; i < ROWS; i++) {
        const double *dot = c->dots + i * kq;
        double best = -1;
        for (uint32_t l = 0; l < c->k; l++, dot += c->q) {
            double sum = 0;
            for (uint32_t j = 0; j < c->q; j++)
                sum += dot[j] * dot[j];
            if (sum > best) {
                best = sum;
                c->label[i] = l;
            }
        }
        total += best;
    }
    return total / ROWS;
}

/* The leading plane of each label; one with fewer than q rows stays. */
static void move_planes(cover *c)
{
    size_t m = c->m, plane = c->q * m;
    for (uint32_t l = 0; l < c->k && !kith_i_stop_wanted(); l++) {
        uint32_t n = 0;
        for (size_t i = 0; i < ROWS; i++)
            if (c->label[i] == l)
                memcpy(c->gather + n++ * m, c->rows + i * m,
                       m * sizeof *c->rows);
        if (n < c->q)
            continue;
        memset(c->gram, 0, m * m * sizeof *c->gram);
        kith_i_gram_add(c->gather, n, c->m, c->gram);
        /* on failure the plane is left as it was */
        (void)kith_i_eigen_top(c->gram, c->m, c->q, c->work, c->integers,
                               c->values, c->planes + l * plane);
    }
}

/* Start 0: planes along random rows; later ones: near the leading plane. */
static void set_start(cover *c, uint32_t start, const double *root,
                      kith_i_coins *coins)
{
    size_t m = c->m, plane = c->q * m;
    for (uint32_t l = 0; l < c->k; l++) {
        double *p = c->planes + l * plane;
        for (size_t j = 0; j < c->q; j++)
            for (size_t i = 0; i < m; i++) {
                double z = kith_i_coins_normal(coins);
                double lead = (i == j) + (l > 0 ? NEARBY * z : 0);
                p[j * m + i] = start == 0 ? root[i] * z : lead;
            }
        kith_i_orthonormalize(p, c->q, c->m, coins);
    }
}

static void make_rows(cover *c, const double *root, double rest,
                      kith_i_coins *coins)
{
    for (size_t i = 0; i < ROWS; i++) {
        double *row = c->rows + i * c->m, square = rest;
        for (uint32_t j = 0; j < c->m; j++) {
            row[j] = root[j] * kith_i_coins_normal(coins);
            square += row[j] * row[j];
        }
        for (uint32_t j = 0; square > 0 && j < c->m; j++)
            row[j] /= sqrt(square);
    }
}

static void solve(cover *c, const double *root, double rest,
                  kith_i_coins *coins)
{
    double most = -1;
    size_t size = (size_t)c->k * c->q * c->m;
    make_rows(c, root, rest, coins);
    for (uint32_t start = 0; start < STARTS; start++) {
        set_start(c, start, root, coins);
        for (int round = 0; round < ROUNDS && !kith_i_stop_wanted(); round++) {
            assign_rows(c);
            move_planes(c);
        }
        double kept = assign_rows(c);
        if (kept > most) {
            most = kept;
            memcpy(c->best, c->planes, size * sizeof *c->best);
        }
    }
}

static int cover_alloc(cover *c)
{
    size_t m = c->m, kq = (size_t)c->k * c->q;
    c->rows = kith_i_alloc(ROWS * m, sizeof(double));
    c->dots = kith_i_alloc(ROWS * kq, sizeof(double));
    c->gather = kith_i_alloc(ROWS * m, sizeof(double));
    c->gram = kith_i_alloc(m * m, sizeof(double));
    c->work = kith_i_alloc(kith_i_eigen_work(c->m), sizeof(double));
    c->integers = kith_i_alloc(kith_i_eigen_integers(c->m), sizeof(int));
    c->values = kith_i_alloc(m, sizeof(double));
    c->label = kith_i_alloc(ROWS, sizeof *c->label);
    c->planes = kith_i_alloc(kq * m, sizeof(double));
    c->best = kith_i_alloc(kq * m, sizeof(double));
    return c->rows && c->dots && c->gather && c->gram && c->work &&
           c->integers && c->values && c->label && c->planes && c->best;
}

static void cover_free(cover *c)
{
    kith_i_free(c->rows);
    kith_i_free(c->dots);
    kith_i_free(c->gather);
    kith_i_free(c->gram);
    kith_i_free(c->work);
    kith_i_free(c->integers);
    kith_i_free(c->values);
    kith_i_free(c->label);
    kith_i_free(c->planes);
    kith_i_free(c->best);
}

/* Eigenvalues above the noise's edge, shrunk (root: their roots, a row each);
 * the rest of the rows' length is spread over all other directions. */
static uint32_t shrink(const plane_spectrum *s, double n, uint32_t most,
                       double *root, double *rest)
{
    double edge = s->edge, sum = 0;
    uint32_t m = 0;
    for (; m < s->count && m < most && s->values[m] > edge; m++) {
        double w = s->values[m];
        double v = (w + sqrt(w * w - edge * edge)) / 2;
        root[m] = sqrt(v / n);
        sum += v;
    }
    *rest = fmax(n - sum, 0) / n;
    return m;
}

kith_status kith_i_plane_cover(const plane_spectrum *s, double n, uint32_t k,
                               uint32_t q, kith_i_coins *coins, double *planes,
                               kith_error *err)
{
    size_t d = s->d;
    cover c = {.k = k, .q = q};
    double rest, *root = kith_i_alloc(s->count, sizeof *root);
    if (!root)
        return kith_i_fail_memory(err);
    kith_status status = KITH_OK;
    c.m = shrink(s, n, kith_i_plane_cover_wants(s->d, q), root, &rest);
    if (c.m <= q || k == 1) {
        for (uint32_t l = 0; l < k; l++)
            memcpy(planes + l * q * d, s->vectors, q * d * sizeof *planes);
    } else if (!cover_alloc(&c))
        status = kith_i_fail_memory(err);
    else {
        int saved = kith_i_blas_single();
        solve(&c, root, rest, coins);
        kith_i_multiply(KITH_I_FLIP_NONE, k * q, s->d, c.m, c.best, s->vectors,
                        planes);
        kith_i_blas_restore(saved);
    }
    cover_free(&c);
    kith_i_free(root);
    return status;
}
