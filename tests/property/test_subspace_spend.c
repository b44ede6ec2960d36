/* The spend trace of every subspace method adds up (R7): both measures, both
 * adjacencies, plans and runs alike; the guarantee they carry; and degenerate
 * input, for which they make the same calls and give orthonormal planes (R6).
 */
#include <math.h>

#include "dp/dp_i.h"
#include "kernel/planes.h"
#include "support/make_data.h"

static const kith_subspace_method methods[] = {
    KITH_SUBSPACE_SULQ, KITH_SUBSPACE_BINGHAM, KITH_SUBSPACE_GIBBS,
    KITH_SUBSPACE_MINCOST, KITH_SUBSPACE_SAMPLE_AGGREGATE};
enum { METHODS = 5 };

static kith_subspace_options options(kith_subspace_method method, uint32_t k,
                                     uint32_t q, uint32_t rounds)
{
    kith_subspace_options opt;
    kith_subspace_options_init(&opt, sizeof opt);
    opt.clusters = k;
    opt.subspace_dimension = q;
    opt.method = method;
    opt.rounds = rounds;
    opt.force = method == KITH_SUBSPACE_SAMPLE_AGGREGATE;
    return opt;
}

/* Sum of the losses in the session's currency. */
static double spent(const kith_result *result)
{
    double sum = 0;
    for (size_t i = 0; i < kith_result_receipt_count(result); i++) {
        kith_receipt r;
        kith_result_receipt(result, i, &r);
        sum += r.measure == KITH_PURE_DP ? r.loss : r.loss * r.loss;
        if (r.norm && !strcmp(r.norm, "l2") && r.scale > 0) {
            assert_true(r.sensitivity / r.scale <= r.loss);
            assert_true(r.sensitivity / r.scale >= r.loss * (1 - 1e-6));
        }
    }
    return sum;
}

static double declared(kith_privacy p)
{
    double mu = p.epsilon;
    if (p.delta == 0)
        return mu;
    assert_int_equal(kith_privacy_mu(p.epsilon, p.delta, &mu, NULL), KITH_OK);
    return mu * mu;
}

static void test_plans(void **state)
{
    (void)state;
    kith_bounds bounds = ball(1);
    for (int m = 0; m < METHODS; m++)
        for (int mode = 0; mode < 4; mode++)
            for (uint32_t d = 1; d <= 30; d += 7) {
                kith_privacy privacy = {.1 * (d + 1), mode & 1 ? 1e-6 : 0,
                                        mode & 2 ? KITH_REPLACE_ONE
                                                 : KITH_ADD_REMOVE};
                kith_subspace_options opt =
                    options(methods[m], 1 + d % 3, 1 + d % 4, 1 + d % 6);
                kith_result *plan = NULL;
                kith_error err = {0};
                kith_status status =
                    kith_subspace_plan(&(kith_shape){1000, d, 0, 0}, &bounds,
                                       &privacy, &opt, &plan, &err);
                if (opt.subspace_dimension > d) { /* no such plane */
                    assert_int_equal(status, KITH_ERR_ARGUMENT);
                    assert_null(plan);
                    continue;
                }
                if (methods[m] == KITH_SUBSPACE_SAMPLE_AGGREGATE &&
                    privacy.delta == 0) {
                    assert_int_equal(status, KITH_ERR_PRIVACY);
                    continue;
                }
                if (status)
                    fail_msg("method %d: %s", (int)methods[m], err.message);
                double all = declared(privacy), sum = spent(plan);
                assert_true(sum <= all * (1 + 1e-12));
                assert_true(sum >= all * (1 - 1e-9));
                assert_null(kith_result_bases(plan, NULL, NULL, NULL));
                int chain = methods[m] == KITH_SUBSPACE_GIBBS ||
                            methods[m] == KITH_SUBSPACE_MINCOST ||
                            methods[m] == KITH_SUBSPACE_BINGHAM;
                const char *want = chain ? "asymptotic"
                                   : methods[m] == KITH_SUBSPACE_SULQ
                                       ? "exact"
                                       : "none"; /* forced */
                assert_string_equal(kith_result_guarantee(plan), want);
                kith_result_free(plan);
            }
}

/* Forced: no promise, even where the blocks would have been enough; not forced:
 * "exact" or refused. The label depends on the options alone. */
static void test_forced_label(void **state)
{
    (void)state;
    kith_bounds bounds = ball(1);
    int refused = 0, exact = 0;
    for (int i = 0; i < 8; i++) {
        kith_privacy privacy = {i & 2 ? .05 : 300, 1e-6,
                                i & 1 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE};
        kith_subspace_options opt =
            options(KITH_SUBSPACE_SAMPLE_AGGREGATE, 2, 2, 0);
        opt.force = i & 4;
        kith_result *plan = NULL;
        kith_status status =
            kith_subspace_plan(&(kith_shape){40000, 5, 0, 0}, &bounds, &privacy,
                               &opt, &plan, NULL);
        if (opt.force) {
            assert_int_equal(status, KITH_OK);
            assert_string_equal(kith_result_guarantee(plan), "none");
        } else if (!status) {
            assert_string_equal(kith_result_guarantee(plan), "exact");
            exact++;
        } else {
            assert_int_equal(status, KITH_ERR_PRIVACY);
            refused++;
        }
        kith_result_free(plan);
    }
    assert_true(refused == 2 && exact == 2);
}

/* Basic composition, recomputed: T releases of the mu of (eps/T, delta/T). */
static void test_basic(void **state)
{
    (void)state;
    kith_bounds bounds = ball(1);
    for (uint32_t rounds = 1; rounds <= 50; rounds += 7) {
        kith_privacy privacy = {1, 1e-6, KITH_ADD_REMOVE};
        kith_subspace_options opt = options(KITH_SUBSPACE_SULQ, 3, 2, rounds);
        opt.basic_composition = 1;
        kith_result *plan = NULL;
        assert_int_equal(kith_subspace_plan(&(kith_shape){1000, 6, 0, 0},
                                            &bounds, &privacy, &opt, &plan,
                                            NULL),
                         KITH_OK);
        assert_int_equal(kith_result_receipt_count(plan), rounds);
        kith_privacy each = {1.0 / rounds, 1e-6 / rounds, KITH_ADD_REMOVE};
        double want = declared(each) * rounds, sum = spent(plan);
        assert_true(fabs(sum / want - 1) < 1e-6);
        assert_true(sum <= declared(privacy));
        kith_result_free(plan);
    }
}

static void check_planes(const kith_result *result, uint32_t k, uint32_t d,
                         uint32_t q)
{
    uint32_t got_k, got_d, got_q;
    const double *u = kith_result_bases(result, &got_k, &got_d, &got_q);
    assert_non_null(u);
    assert_true(got_k == k && got_d == d && got_q == q);
    for (size_t l = 0; l < k; l++, u += (size_t)got_d * got_q)
        for (uint32_t a = 0; a < got_q; a++)
            for (uint32_t b = 0; b <= a; b++) {
                double dot = 0;
                for (uint32_t i = 0; i < d; i++)
                    dot += u[i * got_q + a] * u[i * got_q + b];
                assert_true(fabs(dot - (a == b)) < 1e-9);
            }
}

static void run(kith_subspace_method method, const double *rows, size_t n,
                uint32_t d, uint32_t k, uint32_t q, kith_privacy privacy)
{
    kith_session *s = open_session(load(rows, n, d, ball(1)), privacy.epsilon,
                                   privacy.delta, privacy.neighbors, 2, 7);
    kith_subspace_options opt = options(method, k, q, 3);
    kith_result *result = NULL;
    kith_error err = {0};
    kith_status status = kith_subspace(s, &opt, &result, &err);
    if (q > d) { /* refused before anything is paid */
        assert_int_equal(status, KITH_ERR_ARGUMENT);
        assert_null(result);
        assert_false(kith_i_session_is_spent(s));
        kith_session_close(s);
        return;
    }
    if (status)
        fail_msg("method %d n %zu d %u k %u q %u: %s", (int)method, n, d, k, q,
                 err.message);
    check_planes(result, k, d, q);
    double all = declared(privacy), sum = spent(result);
    assert_true(sum <= all * (1 + 1e-12) && sum >= all * (1 - 1e-9));
    kith_result_free(result);
    kith_session_close(s);
}

/* Shapes: n, d, k, q. */
static void test_degenerate(void **state)
{
    (void)state;
    static const uint32_t shape[][4] = {
        {200, 6, 1, 2},  /* k = 1     */
        {200, 3, 2, 3},  /* q = d     */
        {200, 3, 2, 9},  /* q > d     */
        {4, 5, 3, 2},    /* n < kq    */
        {1, 4, 2, 1},    /* one row   */
        {0, 4, 2, 1},    /* no row    */
        {50, 1, 2, 1},   /* d = 1     */
        {300, 5, 40, 4}, /* many planes */
    };
    for (int m = 0; m < METHODS; m++)
        for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
            for (int mode = 0; mode < 8; mode++) {
                int aggregate = methods[m] == KITH_SUBSPACE_SAMPLE_AGGREGATE;
                kith_privacy privacy = {1, mode & 1 || aggregate ? 1e-6 : 0,
                                        mode & 2 ? KITH_REPLACE_ONE
                                                 : KITH_ADD_REMOVE};
                size_t n = shape[i][0];
                uint32_t d = shape[i][1];
                double *rows = make_rows(n, d, 2, 3);
                if (mode & 4) /* zero rows */
                    memset(rows, 0, n * d * sizeof *rows);
                run(methods[m], rows, n, d, shape[i][2], shape[i][3], privacy);
                free(rows);
            }
}

/* Easy data, generous epsilon: each method finds the planes from one of four
 * starts. */
static void test_finds(void **state)
{
    (void)state;
    enum { N = 3000, D = 6 };
    double found[METHODS] = {1, 1, 1, 1, 1};
    double *rows = calloc(N * D, sizeof *rows);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 8, 0);
    double planes[2 * 2 * D];
    for (int l = 0; l < 2; l++)
        kith_i_plane_random(planes + 2 * D * l, 2, D, &coins);
    for (int r = 0; r < N; r++) {
        double t = kith_i_coins_unit(&coins) * 6.28;
        const double *u = planes + r % 2 * 2 * D;
        for (int i = 0; i < D; i++)
            rows[r * D + i] = .99 * (cos(t) * u[i] + sin(t) * u[D + i]);
    }
    for (int i = 0; i < 4 * METHODS; i++) { /* four public starts each */
        int m = i / 4;
        kith_session *s = open_session(load(rows, N, D, ball(1)), 300, 1e-6,
                                       KITH_REPLACE_ONE, 2, 11 + (uint64_t)i);
        kith_subspace_options opt = options(methods[m], 2, 2, 0);
        opt.force = 0;
        if (methods[m] == KITH_SUBSPACE_GIBBS ||
            methods[m] == KITH_SUBSPACE_MINCOST)
            opt.rounds = 200;
        opt.public_seed = (uint64_t)i % 4;
        kith_result *result = NULL;
        kith_error err = {0};
        if (kith_subspace(s, &opt, &result, &err))
            fail_msg("method %d: %s", (int)methods[m], err.message);
        const double *u = kith_result_bases(result, NULL, NULL, NULL);
        double cost = 0;
        for (int r = 0; r < N; r++) {
            double best = 0;
            for (int l = 0; l < 2; l++) {
                double share = 0;
                for (int j = 0; j < 2; j++) {
                    double dot = 0;
                    for (int t = 0; t < D; t++)
                        dot += rows[r * D + t] * u[(l * D + t) * 2 + j];
                    share += dot * dot;
                }
                best = fmax(best, share);
            }
            cost += (.99 * .99 - best) / N;
        }
        found[m] = fmin(found[m], cost);
        kith_result_free(result);
        kith_session_close(s);
    }
    for (int m = 0; m < METHODS; m++) {
        print_message("method %d: cost %g\n", (int)methods[m], found[m]);
        assert_true(found[m] < .02); /* one plane for all: more than .2 */
    }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans), cmocka_unit_test(test_forced_label),
        cmocka_unit_test(test_basic), cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
