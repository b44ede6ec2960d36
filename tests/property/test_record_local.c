/* Record-locality (R2) of every method, from outside: a seeded run is the same,
 * to the bit, when each row is shown to the gate in a block of its own, in
 * another order, or in uneven pieces. So nothing that is asked of a row can
 * look at a row beside it, or at what a row before it left behind. Whatever
 * maps there are, and whoever wrote them. */
/* link: support/fold_cut.c */
#include "support/fold_cut.h"
#include "support/make_data.h"
#include "support/make_planes.h"
#include "support/sparse_data.h"

enum { N = 2500, D = 9, K = 3, Q = 2 };

typedef kith_status run_fn(kith_session *s, int method, kith_result **out,
                           kith_error *err);

static kith_status run_kmeans(kith_session *s, int method, kith_result **out,
                              kith_error *err)
{
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = K;
    opt.method = (kith_kmeans_method)method;
    opt.public_seed = 3;
    return kith_kmeans(s, &opt, out, err);
}

static kith_status run_kmedian(kith_session *s, int method, kith_result **out,
                               kith_error *err)
{
    kith_kmedian_options opt;
    kith_kmedian_options_init(&opt, sizeof opt);
    opt.clusters = K;
    opt.method = (kith_kmedian_method)method;
    opt.public_seed = 3;
    return kith_kmedian(s, &opt, out, err);
}

static kith_status run_subspace(kith_session *s, int method, kith_result **out,
                                kith_error *err)
{
    kith_subspace_options opt;
    kith_subspace_options_init(&opt, sizeof opt);
    opt.clusters = 2;
    opt.subspace_dimension = Q;
    opt.method = (kith_subspace_method)method;
    opt.public_seed = 3;
    return kith_subspace(s, &opt, out, err);
}

/* DENSE, SPARSE: rows in groups; PLANES: rows about planes. */
typedef enum { DENSE, SPARSE, PLANES } rows_of;

static const struct {
    const char *name;
    run_fn *run;
    int method;
    rows_of rows;
    double epsilon;
} methods[] = {
    {"lloyd", run_kmeans, KITH_KMEANS_LLOYD, DENSE, 1},
    {"lloyd, sparse", run_kmeans, KITH_KMEANS_LLOYD, SPARSE, 1},
    {"sulq", run_kmeans, KITH_KMEANS_SULQ, DENSE, 4},
    {"grid", run_kmeans, KITH_KMEANS_GRID, DENSE, 4},
    {"balcan", run_kmeans, KITH_KMEANS_BALCAN, DENSE, 4},
    {"balcan, sparse", run_kmeans, KITH_KMEANS_BALCAN, SPARSE, 4},
    {"auto", run_kmeans, KITH_KMEANS_AUTO, DENSE, 4},
    {"auto, sparse", run_kmeans, KITH_KMEANS_AUTO, SPARSE, 4},
    {"kmedian", run_kmedian, KITH_KMEDIAN_AUTO, DENSE, 4},
    {"kmedian, sparse", run_kmedian, KITH_KMEDIAN_AUTO, SPARSE, 4},
    {"kmedian balcan", run_kmedian, KITH_KMEDIAN_BALCAN, DENSE, 4},
    {"subspace auto", run_subspace, KITH_SUBSPACE_AUTO, PLANES, 4},
    {"sulq", run_subspace, KITH_SUBSPACE_SULQ, PLANES, 4},
    {"bingham", run_subspace, KITH_SUBSPACE_BINGHAM, PLANES, 4},
};
enum { METHODS = sizeof methods / sizeof *methods };

static kith_dataset *load_rows(rows_of of)
{
    kith_dataset *data;
    double *rows = of == PLANES ? make_planes(N, D, 2, Q, 0.02, 4, NULL)
                                : make_rows(N, D, K, 4);
    for (size_t i = 0; of == SPARSE && i < N * D; i++)
        if ((i / D + i) % 3)
            rows[i] = 0;
    for (size_t r = 0; r < N; r += 100) /* a few far outside */
        rows[r * D] *= 40;
    data = of == SPARSE ? load_sparse(rows, N, D, ball(2))
                        : load(rows, N, D, ball(2));
    free(rows);
    return data;
}

static kith_result *run(int m, int mode, cut_mode cut)
{
    kith_session *s = open_session(
        load_rows(methods[m].rows), methods[m].epsilon, mode & 1 ? 0 : 1e-6,
        mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE, 2, 11);
    kith_result *result = NULL;
    kith_error err = {0};
    cut_folds(cut);
    kith_status status = methods[m].run(s, methods[m].method, &result, &err);
    if (status)
        print_message("%s: %s\n", methods[m].name, err.message);
    kith_session_close(s);
    return result;
}

static int same(const double *a, const double *b, size_t n)
{
    return !a || !n || !memcmp(a, b, n * sizeof *a);
}

static void assert_same(const kith_result *a, const kith_result *b,
                        const char *name, int cut)
{
    uint32_t k = 0, d = 0, q = 0;
    const double *centers = kith_result_centers(a, &k, &d);
    int ok = same(centers, kith_result_centers(b, NULL, NULL), (size_t)k * d);
    ok &= same(kith_result_weights(a), kith_result_weights(b), k);
    const double *bases = kith_result_bases(a, &k, &d, &q);
    ok &= same(bases, kith_result_bases(b, NULL, NULL, NULL),
               bases ? (size_t)k * d * q : 0);
    ok &= kith_result_receipt_count(a) == kith_result_receipt_count(b);
    assert_true(centers || bases);
    if (!ok)
        fail_msg("%s: rows are not looked at one by one (cut %d)", name, cut);
}

static void test_methods(void **state)
{
    (void)state;
    cut_counts all = {0};
    for (int m = 0; m < METHODS; m++)
        for (int mode = 0; mode < 4; mode++) {
            kith_result *whole = run(m, mode, CUT_NOT);
            assert_non_null(whole);
            for (int cut = CUT_SINGLES; cut < CUT_MODES; cut++) {
                kith_result *other = run(m, mode, (cut_mode)cut);
                assert_non_null(other);
                assert_same(whole, other, methods[m].name, cut);
                kith_result_free(other);
                cut_counts seen = cut_pieces();
                all.dense += seen.dense;
                all.sparse += seen.sparse;
                all.derived += seen.derived;
            }
            kith_result_free(whole);
        }
    /* The cuts took place. */
    assert_true(all.dense > 100 * N && all.sparse > 20 * N &&
                all.derived > 10 * N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
