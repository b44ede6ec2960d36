/* Planes without noise from a dataset, their cost and labels on a file, and
 * the distance between sets of planes, all against loops. */
#include <unistd.h>

#include "kith/kith.h"
#include "support/planes_naive.h"

enum { N = 300, D = 6, K = 3, Q = 2 };

/* k x q x d to k x d x q. */
static void turn(const double *planes, double *bases)
{
    for (int l = 0; l < K; l++)
        for (int i = 0; i < D; i++)
            for (int j = 0; j < Q; j++)
                bases[(l * D + i) * Q + j] = planes[(l * Q + j) * D + i];
}

static kith_model_view view_of(const double *bases)
{
    return (kith_model_view){
        .clusters = K, .dimension = D, .bases = bases, .subspace_dimension = Q};
}

static void test_result(void **state)
{
    (void)state;
    double truth[K * Q * D], bases[K * D * Q], apart;
    double *x = planes_rows(N, D, K, Q, 0, 4, truth);
    for (int i = 0; i < N * D; i++)
        x[i] *= 1 + i / D % 3; /* rows of other lengths: clipped, or scaled */
    for (int unit = 0; unit < 2; unit++) {
        kith_bounds bounds = {.radius = 4, .unit_rows = unit};
        kith_dataset *data = NULL;
        kith_result *result = NULL;
        kith_error err = {0};
        assert_int_equal(kith_dataset_from_rows(x, N, D, &bounds, &data, &err),
                         KITH_OK);
        kith_plain_subspace_options opt;
        kith_plain_subspace_options_init(&opt, sizeof opt);
        assert_int_equal(kith_plain_subspace(data, &opt, &result, &err),
                         KITH_ERR_ARGUMENT);
        opt.clusters = K;
        opt.subspace_dimension = Q;
        opt.threads = 2;
        assert_int_equal(kith_plain_subspace(data, &opt, &result, &err),
                         KITH_OK);
        uint32_t k, d, q;
        const double *found = kith_result_bases(result, &k, &d, &q);
        assert_true(k == K && d == D && q == Q);
        assert_string_equal(kith_result_guarantee(result), "none");
        assert_int_equal(kith_result_receipt_count(result), 0);
        turn(truth, bases);
        kith_model_view a = view_of(bases), b = view_of(found);
        assert_int_equal(kith_plane_distance(&a, &b, &apart, &err), KITH_OK);
        print_message("lattice: d_W %g\n", apart);
        assert_true(apart < 1e-3); /* rows were rounded to the lattice */
        kith_result_free(result);
        kith_dataset_free(data);
    }
    free(x);
}

/* Planes larger than the space are refused; no rows at all give some planes. */
static void test_corners(void **state)
{
    (void)state;
    double x[D] = {1};
    for (size_t n = 0; n < 2; n++) {
        kith_bounds bounds = {.radius = 1};
        kith_dataset *data = NULL;
        kith_result *result = NULL;
        assert_int_equal(kith_dataset_from_rows(x, n, D, &bounds, &data, NULL),
                         KITH_OK);
        kith_plain_subspace_options opt;
        kith_plain_subspace_options_init(&opt, sizeof opt);
        opt.clusters = 2;
        opt.subspace_dimension = D + 1;
        assert_int_equal(kith_plain_subspace(data, &opt, &result, NULL),
                         KITH_ERR_ARGUMENT);
        assert_null(result);
        opt.subspace_dimension = D;
        assert_int_equal(kith_plain_subspace(data, &opt, &result, NULL),
                         KITH_OK);
        uint32_t q;
        assert_non_null(kith_result_bases(result, NULL, NULL, &q));
        assert_int_equal(q, D);
        kith_result_free(result);
        kith_dataset_free(data);
    }
}

static int keep_labels(void *arg, const uint32_t *labels, size_t count)
{
    uint32_t **at = arg;
    memcpy(*at, labels, count * sizeof *labels);
    *at += count;
    return 0;
}

static void test_cost(void **state)
{
    (void)state;
    char path[] = "/tmp/kith-planes-XXXXXX";
    double planes[K * Q * D], bases[K * D * Q], row[D];
    double *x = planes_rows(N, D, K, Q, 0.1, 6, planes);
    memset(x, 0, D * sizeof *x); /* a row of zeros */
    FILE *file = fdopen(mkstemp(path), "w");
    for (int i = 0; i < N; i++)
        for (int t = 0; t < D; t++)
            fprintf(file, "%.17g%c", x[i * D + t], t + 1 < D ? ',' : '\n');
    fclose(file);
    const char *paths[] = {path};
    kith_source files = {.paths = paths, .path_count = 1};
    kith_source_options source;
    kith_source_options_init(&source, sizeof source);
    source.format = KITH_FORMAT_CSV;
    turn(planes, bases);
    kith_model_view view = view_of(bases);
    for (int unit = 0; unit < 2; unit++) {
        uint64_t rows = 0;
        double cost = 0, want = 0;
        uint32_t labels[N], *at = labels;
        kith_error err = {0};
        view.unit_rows = unit;
        assert_int_equal(kith_evaluate_source(&view, KITH_OBJECTIVE_SUBSPACE,
                                              &files, &source, &rows, &cost,
                                              &err),
                         KITH_OK);
        assert_int_equal(
            kith_assign_source(&view, &files, &source, keep_labels, &at, &err),
            KITH_OK);
        for (int i = 0; i < N; i++) {
            double length = 0, best = HUGE_VAL;
            for (int t = 0; t < D; t++)
                length += x[i * D + t] * x[i * D + t];
            for (int t = 0; t < D; t++)
                row[t] = x[i * D + t] / (unit && length > 0 ? sqrt(length) : 1);
            for (int l = 0; l < K; l++)
                best =
                    fmin(best, planes_distance(row, planes + l * Q * D, Q, D));
            assert_true(planes_distance(row, planes + labels[i] * Q * D, Q,
                                        D) <= best + 1e-12);
            want += best;
        }
        assert_int_equal(rows, N);
        assert_true(fabs(cost - want) < 1e-9);
    }
    assert_int_equal(kith_evaluate_source(&view, KITH_OBJECTIVE_KMEANS, &files,
                                          &source, NULL, NULL, NULL),
                     KITH_ERR_ARGUMENT);
    bases[0] += 0.01;
    assert_int_equal(kith_evaluate_source(&view, KITH_OBJECTIVE_SUBSPACE,
                                          &files, &source, NULL, NULL, NULL),
                     KITH_ERR_ARGUMENT);
    unlink(path);
    free(x);
}

static void test_distance(void **state)
{
    (void)state;
    kith_i_coins coins;
    for (uint64_t seed = 0; seed < 30; seed++) {
        double a[K * Q * D], b[K * Q * D], va[K * D * Q], vb[K * D * Q], apart;
        kith_i_coins_seed(&coins, seed, 8);
        for (int l = 0; l < K; l++) {
            kith_i_plane_random(a + l * Q * D, Q, D, &coins);
            kith_i_plane_random(b + l * Q * D, Q, D, &coins);
        }
        turn(a, va);
        turn(b, vb);
        kith_model_view x = view_of(va), y = view_of(vb);
        assert_int_equal(kith_plane_distance(&x, &y, &apart, NULL), KITH_OK);
        assert_true(fabs(apart - planes_apart(a, b, K, Q, D)) < 1e-12);
        assert_true(apart <= sqrt(K * Q));
        assert_int_equal(kith_plane_distance(&x, &x, &apart, NULL), KITH_OK);
        assert_true(apart < 1e-14);
        y.clusters = K - 1;
        assert_int_equal(kith_plane_distance(&x, &y, &apart, NULL),
                         KITH_ERR_ARGUMENT);
        y.bases = NULL;
        assert_int_equal(kith_plane_distance(&x, &y, &apart, NULL),
                         KITH_ERR_ARGUMENT);
    }
    /* Two lines at an angle: its sine. */
    double one[] = {1, 0}, two[] = {cos(0.3), sin(0.3)}, apart;
    kith_model_view x = {
        .clusters = 1, .dimension = 2, .bases = one, .subspace_dimension = 1};
    kith_model_view y = x;
    y.bases = two;
    assert_int_equal(kith_plane_distance(&x, &y, &apart, NULL), KITH_OK);
    assert_true(fabs(apart - sin(0.3)) < 1e-15);
}

/* ---- the generator behind such rows -------------------------------------- */

typedef struct {
    double *rows;
    uint32_t *labels;
    size_t count;
} sample;

static int keep_row(void *arg, uint32_t label, const uint32_t *index,
                    const double *value, uint32_t count)
{
    sample *s = arg;
    assert_null(index);
    memcpy(s->rows + s->count * count, value, count * sizeof *value);
    s->labels[s->count++] = label;
    return 0;
}

static void test_generate_planes(void **state)
{
    (void)state;
    enum { ROWS = 20000 };
    static const double weights[K] = {6, 3, 1}, wrong[K] = {1, -1, 1};
    kith_generate_options opt;
    kith_generate_options_init(&opt, sizeof opt);
    opt.kind = KITH_GENERATE_SUBSPACES;
    opt.rows = ROWS;
    opt.dimension = D;
    opt.clusters = K;
    opt.subspace_dimension = Q;
    opt.spread = 0;
    opt.seed = 12;
    opt.weights = weights;
    opt.decay = 0.5;
    double bases[K * D * Q], tall = 0;
    double *rows = malloc(sizeof(double) * ROWS * D);
    uint32_t *labels = malloc(sizeof *labels * ROWS);
    sample s = {rows, labels, 0};
    double counts[K] = {0};
    assert_int_equal(kith_generate_planes(&opt, bases, NULL), KITH_OK);
    assert_int_equal(kith_generate(&opt, keep_row, &s, NULL), KITH_OK);
    for (size_t i = 0; i < ROWS; i++) {
        const double *x = rows + i * D;
        const double *u = bases + labels[i] * (size_t)D * Q;
        double c[Q] = {0};
        counts[labels[i]]++;
        for (int t = 0; t < D; t++)
            for (int j = 0; j < Q; j++)
                c[j] += x[t] * u[t * Q + j];
        assert_true(fabs(c[0] * c[0] + c[1] * c[1] - 1) < 1e-12); /* inside */
        tall += c[0] * c[0];
    }
    /* Shares within 5 sd (a false alarm in 1.7 million); E c_0^2 of the angle
     * of (g, g'/2) is 1/(1 + 1/2) = 2/3, its sd below 0.5. */
    assert_true(fabs(counts[0] / 2e4 - 0.6) < 5 * sqrt(0.24 / 2e4));
    assert_true(fabs(counts[1] / 2e4 - 0.3) < 5 * sqrt(0.21 / 2e4));
    assert_true(fabs(counts[2] / 2e4 - 0.1) < 5 * sqrt(0.09 / 2e4));
    print_message("first coefficient: %g of the square\n", tall / ROWS);
    assert_true(fabs(tall / ROWS - 2.0 / 3) < 5 * 0.5 / sqrt(ROWS));
    opt.decay = 1.5;
    assert_int_equal(kith_generate_planes(&opt, bases, NULL),
                     KITH_ERR_ARGUMENT);
    opt.decay = 0;
    opt.weights = wrong;
    assert_int_equal(kith_generate_planes(&opt, bases, NULL),
                     KITH_ERR_ARGUMENT);
    opt.weights = NULL;
    opt.kind = KITH_GENERATE_GAUSSIANS;
    assert_int_equal(kith_generate_planes(&opt, bases, NULL),
                     KITH_ERR_ARGUMENT);
    free(rows);
    free(labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_result), cmocka_unit_test(test_corners),
        cmocka_unit_test(test_cost), cmocka_unit_test(test_distance),
        cmocka_unit_test(test_generate_planes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
