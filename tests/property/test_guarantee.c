/* What a result says of its guarantee, for every method and without a seed:
 * "exact" only for what goes through the gate alone; a chain's draw never; and
 * nothing at all with a start at the records, with diagnostics, or by force. */
#include "support/make_data.h"
#include "support/make_planes.h"

enum { N = 400, D = 4 };

static kith_session *open_run(kith_dataset *data, int seeded, double epsilon)
{
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy = (kith_privacy){epsilon, 1e-6, KITH_REPLACE_ONE};
    opt.threads = 1;
    opt.insecure = seeded;
    kith_session *s = NULL;
    kith_error err = {0};
    if (kith_session_open(data, &opt, &s, &err))
        fail_msg("%s", err.message);
    return s;
}

static void check(const char *what, kith_status status, kith_result *result,
                  const kith_error *err, const char *guarantee)
{
    if (status)
        fail_msg("%s: %s", what, err->message);
    if (strcmp(kith_result_guarantee(result), guarantee))
        fail_msg("%s: says %s, should say %s", what,
                 kith_result_guarantee(result), guarantee);
    kith_result_free(result);
}

static void check_centers(int seeded)
{
    static const kith_kmeans_method methods[] = {KITH_KMEANS_LLOYD,
                                                 KITH_KMEANS_BALCAN,
                                                 KITH_KMEANS_AUTO,
                                                 KITH_KMEANS_SULQ,
                                                 KITH_KMEANS_GRID,
                                                 KITH_KMEANS_KVARIATES,
                                                 KITH_KMEANS_SAMPLE_AGGREGATE};
    const char *best = seeded ? "none" : "exact";
    double *rows = make_rows(N, D, 2, 1);
    kith_result *result = NULL;
    kith_error err = {0};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        kith_session *s = open_run(load(rows, N, D, unit_box()), seeded, 1);
        kith_kmeans_options opt;
        kith_kmeans_options_init(&opt, sizeof opt);
        opt.clusters = 2;
        opt.method = methods[m];
        kith_status status = kith_kmeans(s, &opt, &result, &err);
        check("kmeans", status, result, &err, best);
        kith_session_close(s);
    }
    for (int m = 0; m < 3; m++) { /* steps, balcan, sampling */
        kith_session *s = open_run(load(rows, N, D, unit_box()), seeded, 1);
        kith_kmedian_options opt;
        kith_kmedian_options_init(&opt, sizeof opt);
        opt.clusters = 2;
        opt.method = m ? KITH_KMEDIAN_BALCAN : KITH_KMEDIAN_AUTO;
        opt.recovery = m == 2 ? KITH_RECOVERY_SAMPLING : KITH_RECOVERY_STEPS;
        kith_status status = kith_kmedian(s, &opt, &result, &err);
        check(m == 2 ? "kmedian sampling" : "kmedian", status, result, &err,
              m == 2 && !seeded ? "asymptotic" : best);
        kith_session_close(s);
    }
    free(rows);
}

static void check_planes(int seeded)
{
    static const struct {
        const char *what;
        kith_subspace_method method;
        int start, diagnostics, force;
        const char *guarantee;
    } runs[] = {
        {"auto", KITH_SUBSPACE_AUTO, 0, 0, 0, "exact"},
        {"sulq", KITH_SUBSPACE_SULQ, 0, 0, 0, "exact"},
        {"bingham", KITH_SUBSPACE_BINGHAM, 0, 0, 0, "asymptotic"},
        {"gibbs", KITH_SUBSPACE_GIBBS, 0, 0, 0, "asymptotic"},
        {"mincost", KITH_SUBSPACE_MINCOST, 0, 0, 0, "asymptotic"},
        {"gibbs from the rows", KITH_SUBSPACE_GIBBS, 1, 0, 0, "none"},
        {"gibbs watched", KITH_SUBSPACE_GIBBS, 0, 1, 0, "none"},
        {"mincost watched", KITH_SUBSPACE_MINCOST, 0, 1, 0, "none"},
        {"sample-aggregate by force", KITH_SUBSPACE_SAMPLE_AGGREGATE, 0, 0, 1,
         "none"},
        {"sample-aggregate", KITH_SUBSPACE_SAMPLE_AGGREGATE, 0, 0, 0, "exact"},
    };
    double *rows = make_planes(N, D, 1, 1, 0.001, 2, NULL);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        int blocks = runs[i].method == KITH_SUBSPACE_SAMPLE_AGGREGATE;
        kith_session *s =
            open_run(load(rows, N, D, ball(1)), seeded, blocks ? 2000 : 4);
        kith_subspace_options opt;
        kith_subspace_options_init(&opt, sizeof opt);
        opt.clusters = 1;
        opt.subspace_dimension = 1;
        opt.method = runs[i].method;
        opt.rounds = blocks ? 0 : 3;
        opt.non_private_start = runs[i].start;
        opt.diagnostics = runs[i].diagnostics;
        opt.force = runs[i].force;
        kith_result *result = NULL;
        kith_error err = {0};
        kith_status status = kith_subspace(s, &opt, &result, &err);
        check(runs[i].what, status, result, &err,
              seeded ? "none" : runs[i].guarantee);
        kith_session_close(s);
    }
    free(rows);
}

static void test_guarantees(void **state)
{
    (void)state;
    for (int seeded = 0; seeded < 2; seeded++) {
        check_centers(seeded);
        check_planes(seeded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guarantees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
