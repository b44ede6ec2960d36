/* The bracket for samplers: what it shows, what it charges, what it says about
 * the guarantee; and that the law it asks for has the ratios it charges for,
 * with orthogonal rows, in the same and in different clusters. */
#include <math.h>

#include "sidedoor/release_chain.h"
#include "support/make_data.h"

enum { D = 3 };

typedef struct {
    kith_i_chain_rows seen;
    double first[2 * D];
    int calls;
} witness;

static kith_status look(void *arg, const kith_i_chain_rows *rows,
                        kith_i_words *coins, double *state, kith_error *err)
{
    (void)err;
    witness *w = arg;
    w->calls++;
    w->seen = *rows;
    for (size_t r = 0; r < rows->n && r < 2; r++)
        for (uint32_t i = 0; i < D; i++)
            w->first[r * D + i] = rows->x[r * rows->stride + i];
    for (size_t i = 0; i < rows->n * rows->stride; i++)
        if (i % rows->stride >= rows->d)
            assert_true(rows->x[i] == 0);
    state[0] = kith_i_words_unit(coins);
    state[1] = 7;
    return KITH_OK;
}

static double exponent_of(double epsilon, double delta, kith_neighbors nb,
                          double radius, witness *w, kith_receipt *receipt)
{
    double rows[2 * D] = {1, 0, 0, 0, -.5, .25};
    kith_session *s =
        open_session(load(rows, 2, D, ball(radius)), epsilon, delta, nb, 2, 1);
    kith_i_chain_spec spec = {.what = "test",
                              .run = look,
                              .arg = w,
                              .state = 2,
                              .charge = kith_i_session_left(s)};
    double state[2];
    kith_error err = {0};
    if (kith_i_release_chain(s, &spec, state, &err))
        fail_msg("%s", err.message);
    assert_true(state[0] > 0 && state[0] < 1 && state[1] == 7);
    kith_receipt *all;
    size_t count;
    assert_int_equal(kith_i_session_receipts(s, &all, &count, NULL), KITH_OK);
    assert_int_equal(count, 1);
    *receipt = all[0];
    assert_string_equal(all[0].mechanism, "exponential");
    kith_i_free((void *)(uintptr_t)all[0].what);
    kith_i_free(all);
    assert_true(kith_i_session_left(s) == 0);
    kith_session_close(s);
    return w->seen.exponent;
}

static void test_exponent(void **state)
{
    (void)state;
    witness w = {0};
    kith_receipt r;
    for (double radius = 1; radius < 8; radius *= 2.5) {
        double b = exponent_of(2, 0, KITH_ADD_REMOVE, radius, &w, &r);
        double square = w.seen.square;
        double step = radius * radius / square; /* of u^2 per lattice^2 */
        assert_true(fabs(b * square - 2) < 1e-12 && b * square <= 2);
        assert_true(fabs(r.sensitivity - radius * radius) < 1e-3 * r.loss);
        assert_true(fabs(r.sensitivity / r.scale - 2) < 1e-9);
        assert_true(fabs(w.first[0] * w.first[0] * step - 1) < 1e-3);
        assert_true(w.first[4] == -floor(.5 / sqrt(step) * (1 - 1e-9) + .5));
        b = exponent_of(2, 0, KITH_REPLACE_ONE, radius, &w, &r);
        assert_true(fabs(b * square - 1) < 1e-12 && b * square <= 1);
        assert_true(fabs(r.sensitivity - 2 * radius * radius) < 2e-3 * r.loss);
        assert_true(fabs(r.sensitivity / r.scale - 2) < 1e-9);
        /* Gaussian: mu = 0.6267 e */
        b = exponent_of(2, 1e-6, KITH_ADD_REMOVE, radius, &w, &r);
        assert_true(fabs(b * square * .6267 / r.loss - 1) < 1e-9);
    }
    assert_int_equal(w.calls, 9);
}

/* k = 2 lines in the plane, labels from released lines: rows may change place.
 * Density exp(b (x'P x - ...)) on a grid of both angles, for two datasets that
 * differ in the last row; the largest log-ratio. */
static double largest_ratio(const double *rows, size_t n, const double *other,
                            size_t m, double b)
{
    enum { GRID = 256 };
    double log_total[2], worst = 0;
    static double value[2][GRID * GRID];
    for (int set = 0; set < 2; set++) {
        const double *x = set ? other : rows;
        size_t count = set ? m : n;
        double total = 0;
        for (int i = 0; i < GRID * GRID; i++) {
            double angle[2] = {M_PI * (i / GRID) / GRID,
                               M_PI * (i % GRID) / GRID};
            double loss = 0;
            for (size_t r = 0; r < count; r++) {
                const double *p = x + 3 * r; /* x, y, label */
                double a = angle[p[2] > 0];
                double share = p[0] * cos(a) + p[1] * sin(a);
                loss += p[0] * p[0] + p[1] * p[1] - share * share;
            }
            value[set][i] = -b * loss;
            total += exp(-b * loss);
        }
        log_total[set] = log(total);
    }
    for (int i = 0; i < GRID * GRID; i++) {
        double ratio = value[0][i] - log_total[0] - value[1][i] + log_total[1];
        worst = fmax(worst, fabs(ratio));
    }
    return worst;
}

static void test_sensitivity(void **state)
{
    (void)state;
    witness w = {0};
    kith_receipt r;
    static const double epsilons[] = {.1, 1, 5};
    for (int i = 0; i < 3; i++) {
        double epsilon = epsilons[i];
        double add =
            exponent_of(epsilon, 0, KITH_ADD_REMOVE, 1, &w, &r) * w.seen.square;
        double replace = exponent_of(epsilon, 0, KITH_REPLACE_ONE, 1, &w, &r) *
                         w.seen.square;
        /* 30 rows along the first axis, so that planes are sharp there; then
         * one row more, or x against y orthogonal to it. */
        double x[32 * 3] = {0}, y[32 * 3] = {0};
        for (size_t t = 0; t < 31; t++)
            x[3 * t] = y[3 * t] = 1;
        for (int cluster = 0; cluster < 2; cluster++) {
            y[90] = 0; /* the last row: orthogonal, same or other cluster */
            y[91] = 1;
            y[92] = cluster;
            double ratio = largest_ratio(x, 31, y, 31, replace);
            print_message("replace, epsilon %g, cluster %d: %g\n", epsilon,
                          cluster, ratio);
            assert_true(ratio <= epsilon);
            assert_true(ratio >= .45 * epsilon);
            ratio = largest_ratio(y, 31, y, 30, add);
            assert_true(ratio <= epsilon);
            assert_true(ratio >= .45 * epsilon);
            /* the price is for its adjacency: the other one would break it */
            if (i > 0 && cluster == 0)
                assert_true(largest_ratio(x, 31, y, 31, add) > epsilon);
        }
    }
}

/* Secure sessions: what the result may claim. */
static void test_guarantee(void **state)
{
    (void)state;
    double rows[2 * D] = {1, 0, 0, 0, 1, 0};
    for (int unproved = 0; unproved < 2; unproved++) {
        kith_session_options opt;
        kith_session_options_init(&opt, sizeof opt);
        opt.privacy = (kith_privacy){1, 0, KITH_ADD_REMOVE};
        kith_session *s = NULL;
        assert_int_equal(
            kith_session_open(load(rows, 2, D, ball(1)), &opt, &s, NULL),
            KITH_OK);
        assert_string_equal(kith_i_session_guarantee(s), "exact");
        witness w = {0};
        kith_i_chain_spec spec = {.what = "test",
                                  .run = look,
                                  .arg = &w,
                                  .state = 2,
                                  .charge = kith_i_session_left(s) / 2,
                                  .unproved = unproved};
        double out[2], again[2];
        assert_int_equal(kith_i_release_chain(s, &spec, out, NULL), KITH_OK);
        assert_string_equal(kith_i_session_guarantee(s),
                            unproved ? "none" : "asymptotic");
        spec.unproved = 0;
        assert_int_equal(kith_i_release_chain(s, &spec, again, NULL), KITH_OK);
        assert_true(out[0] != again[0]); /* fresh coins */
        assert_string_equal(kith_i_session_guarantee(s),
                            unproved ? "none" : "asymptotic");
        /* and not a third time */
        assert_int_equal(kith_i_release_chain(s, &spec, again, NULL),
                         KITH_ERR_BUDGET);
        assert_int_equal(w.calls, 2);
        kith_session_close(s);
    }
}

/* A ledger pays for what can be proved at the price of its law, never for a
 * chain that promises nothing: that is refused before the sampler sees a row,
 * and costs the session nothing. */
static void test_ledger(void **state)
{
    (void)state;
    double rows[2 * D] = {1, 0, 0, 0, 1, 0}, out[2] = {-1, -1};
    kith_ledger *ledger;
    kith_session *s =
        ledger_session(load(rows, 2, D, ball(1)),
                       (kith_privacy){1, 0, KITH_ADD_REMOVE}, &ledger);
    witness w = {0};
    kith_i_chain_spec spec = {.what = "test",
                              .run = look,
                              .arg = &w,
                              .state = 2,
                              .charge = kith_i_session_left(s),
                              .unproved = 1};
    kith_error err = {0};
    assert_int_equal(kith_i_release_chain(s, &spec, out, &err),
                     KITH_ERR_BUDGET);
    assert_non_null(strstr(err.message, "ledger"));
    assert_true(w.calls == 0 && out[0] == -1 && out[1] == -1);
    assert_true(kith_i_session_left(s) == spec.charge);
    assert_string_equal(kith_i_session_guarantee(s), "exact");
    spec.unproved = 0;
    assert_int_equal(kith_i_release_chain(s, &spec, out, NULL), KITH_OK);
    assert_string_equal(kith_i_session_guarantee(s), "asymptotic");
    assert_int_equal(w.calls, 1);
    kith_session_close(s);
    kith_ledger_free(ledger);
}

/* The same through the public door. */
static void test_ledger_methods(void **state)
{
    (void)state;
    double rows[4 * D] = {1, 0, 0, 0, 1, 0, .5, .5, 0, 0, 0, 1};
    kith_privacy privacy = {1, 1e-6, KITH_REPLACE_ONE};
    for (int m = 0; m < 2; m++)
        for (int what = 0; what < 3; what++) {
            kith_ledger *ledger;
            kith_session *s =
                ledger_session(load(rows, 4, D, ball(1)), privacy, &ledger);
            kith_subspace_options opt;
            kith_subspace_options_init(&opt, sizeof opt);
            opt.clusters = 2;
            opt.subspace_dimension = 1;
            opt.rounds = 3;
            opt.method = m ? KITH_SUBSPACE_MINCOST : KITH_SUBSPACE_GIBBS;
            opt.non_private_start = what == 1;
            opt.diagnostics = what == 2;
            kith_result *result = NULL;
            kith_status status = kith_subspace(s, &opt, &result, NULL);
            assert_int_equal(status, what ? KITH_ERR_BUDGET : KITH_OK);
            if (what)
                assert_null(result);
            else
                assert_string_equal(kith_result_guarantee(result),
                                    "asymptotic");
            kith_result_free(result);
            kith_session_close(s);
            kith_ledger_free(ledger);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exponent),
        cmocka_unit_test(test_sensitivity),
        cmocka_unit_test(test_guarantee),
        cmocka_unit_test(test_ledger),
        cmocka_unit_test(test_ledger_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
