/* Starts of k-plane from the rows: like k-means++, a row is drawn in
 * proportion to its squared distance from the planes so far; the plane is the
 * leading one of the row and its neighbours in angle. */
#include <math.h>
#include <string.h>

#include "kernel/dense.h"
#include "kernel/planes.h"
#include "kernel/vectors.h"
#include "parts.h"

static uint32_t draw_row(const double *far, uint32_t n, kith_i_coins *coins)
{
    double total = 0;
    for (uint32_t i = 0; i < n; i++)
        total += far[i];
    double left = kith_i_coins_unit(coins) * total;
    if (!(total > 0) || !isfinite(total))
        return (uint32_t)kith_i_coins_below(coins, n);
    for (uint32_t i = 0; i < n; i++)
        if ((left -= far[i]) < 0)
            return i;
    return n - 1; /* rounding left a crumb */
}

/* Copies of the `want` rows with the smallest angle to row `at`, which is one
 * of them, go to near (want x d). best and who: want entries each. */
static void copy_neighbours(const kith_i_matrix *rows, uint32_t at,
                            uint32_t want, double *best, uint32_t *who,
                            double *near)
{
    size_t d = rows->d;
    const double *x = rows->coords + at * d;
    uint32_t held = 0;
    for (uint32_t i = 0; i < rows->n; i++) {
        const double *y = rows->coords + i * d;
        double square = kith_i_dot(y, y, d), c = kith_i_dot(x, y, d);
        double score = i == at ? HUGE_VAL : square > 0 ? c * c / square : 0;
        held = kith_i_list_add(best, who, want, held, score, i);
    }
    for (uint32_t t = 0; t < held; t++)
        memcpy(near + t * d, rows->coords + who[t] * d, d * sizeof *near);
}

/* far[i] = min(far[i], squared distance of row i to the plane). */
static void lower_far(const kith_i_matrix *rows, uint32_t q,
                      const double *plane, double *far)
{
    size_t d = rows->d;
    for (uint32_t i = 0; i < rows->n; i++) {
        const double *x = rows->coords + i * d;
        double rest = kith_i_dot(x, x, d);
        for (uint32_t j = 0; j < q; j++) {
            double c = kith_i_dot(x, plane + j * d, d);
            rest -= c * c;
        }
        far[i] = fmin(far[i], fmax(rest, 0));
    }
}

typedef struct {
    uint32_t want;     /* rows of a neighbourhood */
    double *best;      /* want */
    uint32_t *who;     /* want */
    double *near;      /* want x d */
    double *u, *v, *s; /* of the decomposition of near */
    double *work;
    int *integers;
} local_space;

static int space_init(local_space *m, uint32_t want, uint32_t d)
{
    uint32_t least = want < d ? want : d;
    *m = (local_space){.want = want};
    m->best = kith_i_alloc(want, sizeof *m->best);
    m->who = kith_i_alloc(want, sizeof *m->who);
    m->near = kith_i_alloc((size_t)want * d, sizeof *m->near);
    m->u = kith_i_alloc((size_t)want * least, sizeof *m->u);
    m->v = kith_i_alloc((size_t)least * d, sizeof *m->v);
    m->s = kith_i_alloc(least, sizeof *m->s);
    m->work = kith_i_alloc(kith_i_svd_work(want, d), sizeof *m->work);
    m->integers =
        kith_i_alloc(kith_i_svd_integers(want, d), sizeof *m->integers);
    return m->best && m->who && m->near && m->u && m->v && m->s && m->work &&
           m->integers;
}

static void space_free(local_space *m)
{
    kith_i_free(m->best);
    kith_i_free(m->who);
    kith_i_free(m->near);
    kith_i_free(m->u);
    kith_i_free(m->v);
    kith_i_free(m->s);
    kith_i_free(m->work);
    kith_i_free(m->integers);
}

kith_status kith_i_kplane_local(const kith_i_matrix *rows, uint32_t k,
                                uint32_t q, kith_i_coins *coins, double *far,
                                double *planes, kith_error *err)
{
    uint32_t n = rows->n, want = 2 * q + 1 < n ? 2 * q + 1 : n;
    size_t d = rows->d;
    uint32_t rank = want < q ? want : q; /* vectors that rows can give */
    local_space m;
    kith_status status = KITH_OK;
    if (!space_init(&m, want, rows->d))
        status = kith_i_fail_memory(err);
    for (uint32_t i = 0; !status && i < n; i++)
        far[i] = kith_i_dot(rows->coords + i * d, rows->coords + i * d, d);
    for (uint32_t l = 0; !status && l < k; l++) {
        double *plane = planes + (size_t)l * q * d;
        kith_i_plane_random(plane, q, rows->d, coins);
        if (n == 0)
            continue;
        copy_neighbours(rows, draw_row(far, n, coins), want, m.best, m.who,
                        m.near);
        if (kith_i_svd(m.near, want, rows->d, m.work, m.integers,
                       &(kith_i_singular){m.u, m.s, m.v}) == 0) {
            memcpy(plane, m.v, rank * d * sizeof *plane);
            kith_i_orthonormalize(plane, q, rows->d, coins);
        }
        lower_far(rows, q, plane, far);
    }
    space_free(&m);
    return status;
}
