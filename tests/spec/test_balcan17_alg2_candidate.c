/* Algorithm 2 of Balcan et al. 2017 (candidate), as repaired: without noise
 * the candidates are the centres of all cubes that hold rows, in two randomly
 * shifted grids of five levels, brought into the ball; at most 300 of them; and
 * never fewer than asked for. The reference replays the public coins and
 * places rows in grids by division. */
#include <math.h>

#include "balcan/balcan_i.h"
#include "support/make_data.h"

enum { MOST = 4000 };

typedef struct {
    double point[3];
} place;

static const kith_i_view *see(kith_session *s, uint32_t p)
{
    double axes[9] = {0};
    for (uint32_t i = 0; i < p; i++)
        axes[i * p + i] = 1;
    const kith_i_view *view = NULL;
    assert_int_equal(kith_i_view_open(s, axes, p, NULL, 1, &view, NULL),
                     KITH_OK);
    return view;
}

/* Onto the ball, then toward 0 to the lattice. */
static place bring_in(const double *c, uint32_t p, double radius)
{
    place out = {{0}};
    double length = 0;
    for (uint32_t i = 0; i < p; i++)
        length += fmin(fmax(c[i], -radius), radius) *
                  fmin(fmax(c[i], -radius), radius);
    length = sqrt(length);
    for (uint32_t i = 0; i < p; i++) {
        double v = fmin(fmax(c[i], -radius), radius);
        out.point[i] = trunc(length > radius ? v * (radius / length) : v);
    }
    return out;
}

/* Centres of the distinct cells of the rows, all levels of both grids. */
static size_t reference(const double *rows, size_t n, uint32_t p, double radius,
                        uint64_t seed, place *out)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 0);
    size_t count = 0;
    double edge = ceil((4 * radius + 1) / 4096) * 4096;
    for (int t = 0; t < 2; t++) {
        double low[3];
        for (uint32_t i = 0; i < p; i++)
            low[i] = -2 * radius +
                     trunc((2 * kith_i_coins_unit(&coins) - 1) * radius);
        for (int level = 1; level <= 5; level++) {
            size_t first = count;
            double side = edge / (1 << level);
            for (size_t r = 0; r < n; r++) {
                double c[3];
                for (uint32_t i = 0; i < p; i++)
                    c[i] =
                        low[i] +
                        (floor((rows[r * p + i] - low[i]) / side) + 0.5) * side;
                place q = {{c[0], p > 1 ? c[1] : 0, p > 2 ? c[2] : 0}};
                int old = 0;
                for (size_t k = first; k < count; k++)
                    old |= !memcmp(&out[k], &q, sizeof q);
                if (!old)
                    out[count++] = q;
            }
        }
    }
    for (size_t k = 0; k < count; k++)
        out[k] = bring_in(out[k].point, p, radius);
    return count;
}

static void check(size_t n, uint32_t p, uint64_t seed, int many)
{
    static place all[MOST];
    double *rows = make_rows(n, p, 4, seed);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 1);
    for (size_t i = 0; i < n * p; i++) /* within the ball */
        rows[i] = many ? 0.55 * (2 * kith_i_coins_unit(&coins) - 1)
                       : fmax(-0.55, fmin(0.55, rows[i]));
    kith_session *s = open_session(load(rows, n, p, ball(1)), 4096, 0,
                                   KITH_ADD_REMOVE, 2, seed);
    const kith_i_view *view = see(s, p);
    const kith_i_domain *domain = kith_i_view_domain(view);
    for (size_t i = 0; i < n * p; i++)
        rows[i] = trunc(ldexp(rows[i], domain->scale_log2));
    double radius = (double)kith_i_domain_l2(domain);
    size_t want = reference(rows, n, p, radius, seed, all);
    kith_i_coins_seed(&coins, seed, 0);
    double *points;
    uint32_t count;
    assert_int_equal(
        kith_i_candidates(
            s,
            &(kith_i_candidates_spec){
                .view = view, .least = 3, .charge = kith_i_session_left(s)},
            &coins, &points, &count, NULL),
        KITH_OK);
    assert_true(many == (want > KITH_I_CANDIDATES));
    assert_int_equal(count, many ? KITH_I_CANDIDATES : want);
    uint8_t used[MOST] = {0};
    for (uint32_t c = 0; c < count; c++) {
        size_t k = 0;
        for (; k < want; k++) { /* each of the reference once */
            int same = !used[k];
            for (uint32_t i = 0; same && i < p; i++)
                same = all[k].point[i] == points[(size_t)c * p + i];
            if (same)
                break;
        }
        assert_true(k < want);
        used[k] = 1;
    }
    kith_i_free(points);
    kith_session_close(s);
    free(rows);
}

static void test_all_cubes(void **state)
{
    (void)state;
    for (uint32_t p = 1; p <= 3; p++)
        for (uint64_t seed = 0; seed < 3; seed++)
            check(12, p, seed, 0);
}

static void test_at_most_300(void **state)
{
    (void)state;
    check(400, 3, 1, 1);
    check(300, 3, 2, 1);
}

/* Nothing active: the wanted number of points of the ball, on the lattice. At
 * epsilon = 1e-3 the noise activates cubes too: they obey the ball as well. */
static void test_padding_and_ball(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; mode++) {
        double none = 0;
        kith_session *s =
            open_session(load(&none, 0, 2, ball(1)), mode ? 1e-3 : 4096, 0,
                         KITH_ADD_REMOVE, 1, 3);
        const kith_i_view *view = see(s, 2);
        const kith_i_domain *domain = kith_i_view_domain(view);
        kith_i_coins coins;
        kith_i_coins_seed(&coins, 1, 0);
        double *points;
        uint32_t count;
        assert_int_equal(
            kith_i_candidates(
                s,
                &(kith_i_candidates_spec){.view = view,
                                          .least = 500,
                                          .charge = kith_i_session_left(s)},
                &coins, &points, &count, NULL),
            KITH_OK);
        assert_int_equal(count, 500);
        double spread = 0;
        for (uint32_t c = 0; c < count; c++) {
            double x = points[2 * c], y = points[2 * c + 1];
            assert_true(x == trunc(x) && y == trunc(y));
            assert_true(x * x + y * y <= (double)domain->l2_squared);
            spread += (x * x + y * y) / (double)domain->l2_squared / count;
        }
        /* uniform in a disk: E|z|^2 = 1/2, sd of the mean 0.013 */
        assert_true(mode || fabs(spread - 0.5) < 0.07);
        kith_i_free(points);
        kith_session_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_cubes),
        cmocka_unit_test(test_at_most_300),
        cmocka_unit_test(test_padding_and_ball),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
