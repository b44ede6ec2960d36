/* Which noise moments get in pure DP, and how much: the rule against what is
 * released and against drawn matrices. */
#include <math.h>

#include "kernel/kernel_i.h"
#include "noise/noise_wishart.h"
#include "release/release_gram.h"
#include "release/release_tensor.h"
#include "support/make_data.h"

/* What is said is what is released: receipts and sd, for both kinds. */
static void check_release(uint32_t d, kith_neighbors neighbors, uint32_t cells,
                          int by_trace)
{
    double *rows = make_rows(20, d, 2, 1);
    kith_session *s =
        open_session(load(rows, 20, d, ball(1)), 100, 0, neighbors, 1, 1);
    kith_i_loss one = (kith_i_loss)1 << KITH_I_LOSS_BITS;
    kith_i_ask ask = {0};
    kith_i_gram_spec gram = {.what = "second",
                             .cells = cells,
                             .width = d,
                             .by_trace = by_trace,
                             .charge = one};
    kith_i_tensor_spec tensor = {.what = "fourth", .bits = 10, .charge = one};
    kith_i_tensor about;
    int64_t *out = calloc(cells * 4096, sizeof *out);
    double sd, unit = (double)kith_i_session_domain(s)->l2_squared;
    kith_i_trace_noise second =
        kith_i_gram_noise(neighbors, cells, d, by_trace);
    kith_i_trace_noise fourth = kith_i_tensor_noise(neighbors, d);
    assert_int_equal(kith_i_release_gram(s, &ask, &gram, out, &sd, NULL),
                     KITH_OK);
    assert_true(fabs(sd / unit / second.sd - 1) < 1e-6);
    assert_int_equal(kith_i_release_tensor(s, &tensor, out, &about, NULL),
                     KITH_OK);
    unit /= about.step * about.step;
    assert_true(fabs(about.sd / (unit * unit) / fourth.sd - 1) < 1e-2);
    kith_receipt *receipts;
    size_t count;
    assert_int_equal(kith_i_session_receipts(s, &receipts, &count, NULL),
                     KITH_OK);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < 2; i++) {
        int wishart = i ? fourth.by_trace : second.by_trace;
        assert_string_equal(receipts[i].mechanism,
                            wishart ? "wishart" : "k-norm");
        assert_string_equal(receipts[i].norm, wishart ? "trace" : "l2");
        assert_true(fabs(receipts[i].sensitivity / receipts[i].scale - 1) <
                    1e-6);
        kith_i_free((void *)(uintptr_t)receipts[i].what);
    }
    kith_i_free(receipts);
    kith_session_close(s);
    free(rows);
    free(out);
}

static void test_releases(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 9; d++)
        for (int mode = 0; mode < 8; mode++)
            check_release(d, mode & 1 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE,
                          mode & 2 ? 3 : 1, mode >> 2);
}

/* The smaller one is taken; where a map would have to be refused, never. */
static void test_choice(void **state)
{
    (void)state;
    kith_neighbors replace = KITH_REPLACE_ONE, add = KITH_ADD_REMOVE;
    assert_false(kith_i_gram_noise(replace, 1, 3, 1).by_trace);
    assert_true(kith_i_gram_noise(replace, 1, 4, 1).by_trace);
    assert_true(kith_i_gram_noise(replace, 2, 2, 1).by_trace);
    assert_true(kith_i_gram_noise(add, 1, 2, 1).by_trace);
    assert_false(kith_i_gram_noise(add, 1, 2, 0).by_trace);
    assert_true(kith_i_gram_noise(add, 1, KITH_I_WISHART_MOST, 1).by_trace);
    assert_false(
        kith_i_gram_noise(add, 1, KITH_I_WISHART_MOST + 1, 1).by_trace);
    assert_false(kith_i_tensor_noise(replace, 2).by_trace);
    assert_true(kith_i_tensor_noise(replace, 3).by_trace);
    assert_true(kith_i_tensor_noise(replace, 48).by_trace);
    assert_false(kith_i_tensor_noise(replace, 64).by_trace);
    for (uint32_t d = 1; d < 100; d++)
        for (uint32_t cells = 1; cells < 3; cells++) {
            double both = kith_i_gram_noise(replace, cells, d, 1).sd;
            assert_true(both <= kith_i_gram_noise(replace, cells, d, 0).sd);
        }
}

/* The edge, from drawn matrices (seeded): within a tenth. */
static void test_edge(void **state)
{
    (void)state;
    enum { P = 120 };
    kith_i_scale b = {(uint64_t)1 << 40, 0};
    kith_i_entropy_source source = {.seeded = 1, .seed = 3};
    kith_i_noise noise = {.scales = &b, .source = &source, .threads = 1};
    int64_t *z = calloc(P * P, sizeof *z);
    double *m = calloc(P * P, sizeof *m), value, vector[P];
    double *work = calloc(kith_i_eigen_work(P), sizeof *work);
    int *integers = calloc(kith_i_eigen_integers(P), sizeof *integers);
    assert_int_equal(kith_i_noise_add_wishart(&noise, P, z, NULL), KITH_OK);
    for (size_t i = 0; i < P * P; i++)
        m[i] = ldexp((double)z[i], -40);
    assert_int_equal(kith_i_eigen_top(m, P, 1, work, integers, &value, vector),
                     0);
    double edge = kith_i_gram_noise(KITH_ADD_REMOVE, 1, P, 1).edge;
    print_message("largest eigenvalue %.1f, edge %.1f\n", value, edge);
    assert_true(fabs(value / edge - 1) < .1);
    free(z);
    free(m);
    free(work);
    free(integers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_releases),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
