/* A caller's slip is an error, not a crash: NULL for each thing that is
 * required, and indices past the end. Here data, runs and results;
 * test_null_*.c have the others, and scripts/check_nulls.py sees that no
 * pointer of a public function is missing. */
#include <string.h>

#include "kith/kith.h"
#include "support/null_call.h"

enum { N = 64, D = 2, FAR = 1 << 20 };

static const double low = -1, high = 1;
static const kith_bounds box = {.lower = &low, .upper = &high, .box_count = 1};
static const kith_privacy privacy = {1, 0, KITH_ADD_REMOVE};

/* Things that are in order, one of each. */
static double rows[N * D];
static kith_dataset *data;
static kith_session *session;
static kith_session_options session_options;
static kith_kmeans_options means;
static kith_kmedian_options medians;
static kith_subspace_options planes;
static kith_plain_options plain;
static kith_plain_subspace_options plain_planes;
static kith_local_options local;
static kith_source_options source;
static kith_generate_options generator;
static kith_ledger *ledger;
static kith_result *result, *got;
static kith_local_summary *summary;
static kith_dataset *got_data;
static kith_session *got_session;
static kith_error err;
static double number;
static uint32_t count;

static int keep_labels(void *arg, const uint32_t *labels, size_t n)
{
    (void)arg;
    (void)labels;
    (void)n;
    return 0;
}

static void prepare(void)
{
    for (int i = 0; i < N * D; i++)
        rows[i] = (i * 7 % 19 - 9) / 10.0;
    kith_session_options_init(&session_options, sizeof session_options);
    session_options.privacy = privacy;
    session_options.insecure = 1;
    kith_kmeans_options_init(&means, sizeof means);
    kith_kmedian_options_init(&medians, sizeof medians);
    kith_subspace_options_init(&planes, sizeof planes);
    kith_plain_options_init(&plain, sizeof plain);
    kith_plain_subspace_options_init(&plain_planes, sizeof plain_planes);
    kith_local_options_init(&local, sizeof local);
    kith_source_options_init(&source, sizeof source);
    kith_generate_options_init(&generator, sizeof generator);
    means.clusters = medians.clusters = planes.clusters = plain.clusters =
        plain_planes.clusters = local.clusters = 2;
    planes.subspace_dimension = plain_planes.subspace_dimension = 1;
    local.epsilon = 2;
    kith_dataset *other = NULL;
    assert_int_equal(kith_dataset_from_rows(rows, N, D, &box, &data, NULL), 0);
    assert_int_equal(kith_dataset_from_rows(rows, N, D, &box, &other, NULL), 0);
    assert_int_equal(kith_session_open(other, &session_options, &session, NULL),
                     0);
    assert_int_equal(kith_plain_kmeans(data, &plain, &result, NULL), 0);
    assert_int_equal(kith_ledger_memory_new(&ledger, NULL), 0);
    kith_result *of_users = NULL;
    local.insecure = 1;
    assert_int_equal(
        kith_local_simulate(data, &local, &of_users, &summary, NULL), 0);
    kith_result_free(of_users);
}

/* ---- rows of the table ---- */

/* A refusal has a message, and the outputs are as they were. */
static int refused(kith_status status)
{
    return (status == KITH_ERR_ARGUMENT || status == KITH_ERR_PRIVACY) &&
           err.status == status && err.message[0] && !got && !got_data &&
           !got_session;
}

#define REFUSED(call) HOLDS(refused(call))

static void test_budget(void **state)
{
    (void)state;
    REFUSED(kith_privacy_mu(1, 1e-6, NULL, &err));
    REFUSED(kith_ledger_memory_new(NULL, &err));
    REFUSED(kith_ledger_grant(NULL, "a", &privacy, &err));
    REFUSED(kith_ledger_grant(ledger, NULL, &privacy, &err));
    REFUSED(kith_ledger_grant(ledger, "a", NULL, &err));
    REFUSED(kith_ledger_remaining(NULL, "a", &number, &err));
    REFUSED(kith_ledger_remaining(ledger, NULL, &number, &err));
    REFUSED(kith_ledger_remaining(ledger, "a", NULL, &err));
    REFUSED(kith_session_open(NULL, &session_options, &got_session, &err));
    REFUSED(kith_session_open(data, NULL, &got_session, &err));
    REFUSED(kith_session_open(data, &session_options, NULL, &err));
    HOLDS((kith_session_options_init(NULL, 8), 1));
    HOLDS((kith_session_close(NULL), kith_ledger_free(NULL), 1));
}

static void test_data(void **state)
{
    (void)state;
    const char *paths[] = {NULL};
    REFUSED(kith_dataset_open(NULL, 1, &source, &box, &got_data, &err));
    REFUSED(kith_dataset_open(paths, 1, &source, &box, &got_data, &err));
    REFUSED(kith_dataset_open(paths, 0, &source, &box, &got_data, &err));
    REFUSED(kith_dataset_open(paths, 1, NULL, &box, &got_data, &err));
    REFUSED(kith_dataset_open(paths, 1, &source, &box, NULL, &err));
    REFUSED(kith_dataset_from_rows(NULL, N, D, &box, &got_data, &err));
    REFUSED(kith_dataset_from_rows(rows, N, D, NULL, &got_data, &err));
    REFUSED(kith_dataset_from_rows(rows, N, 0, &box, &got_data, &err));
    REFUSED(kith_dataset_from_rows(rows, N, D, &box, NULL, &err));
    kith_source none = {0}, both = {.paths = paths, .columns = NULL};
    kith_array array = {
        .data = NULL, .type = KITH_FLOAT64, .rows = 1, .columns = 1};
    kith_csr csr = {.rows = 1, .columns = 1};
    kith_source empty = {.array = &array}, torn = {.csr = &csr};
    REFUSED(kith_dataset_load(NULL, &source, &box, &got_data, &err));
    REFUSED(kith_dataset_load(&none, &source, &box, &got_data, &err));
    REFUSED(kith_dataset_load(&empty, &source, &box, &got_data, &err));
    REFUSED(kith_dataset_load(&torn, &source, &box, &got_data, &err));
    both.array = &array;
    REFUSED(kith_dataset_load(&both, &source, &box, &got_data, &err));
    REFUSED(kith_dataset_load(&empty, NULL, &box, &got_data, &err));
    REFUSED(kith_dataset_load(&empty, &source, &box, NULL, &err));
    HOLDS(kith_dataset_dimension(NULL) == 0 && kith_dataset_step(NULL) == 0);
    HOLDS((kith_dataset_free(NULL), kith_source_options_init(NULL, 8), 1));
}

static void test_runs(void **state)
{
    (void)state;
    REFUSED(kith_kmeans(NULL, &means, &got, &err));
    REFUSED(kith_kmeans(session, NULL, &got, &err));
    REFUSED(kith_kmeans(session, &means, NULL, &err));
    REFUSED(kith_kmedian(NULL, &medians, &got, &err));
    REFUSED(kith_kmedian(session, NULL, &got, &err));
    REFUSED(kith_kmedian(session, &medians, NULL, &err));
    REFUSED(kith_subspace(NULL, &planes, &got, &err));
    REFUSED(kith_subspace(session, NULL, &got, &err));
    REFUSED(kith_subspace(session, &planes, NULL, &err));
    REFUSED(kith_plain_kmeans(NULL, &plain, &got, &err));
    REFUSED(kith_plain_kmeans(data, NULL, &got, &err));
    REFUSED(kith_plain_kmeans(data, &plain, NULL, &err));
    REFUSED(kith_plain_kmedian(NULL, &plain, &got, &err));
    REFUSED(kith_plain_kmedian(data, &plain, NULL, &err));
    REFUSED(kith_plain_subspace(NULL, &plain_planes, &got, &err));
    REFUSED(kith_plain_subspace(data, NULL, &got, &err));
    REFUSED(kith_plain_subspace(data, &plain_planes, NULL, &err));
    HOLDS((kith_kmeans_options_init(NULL, 8), kith_result_free(NULL), 1));
    HOLDS((kith_kmedian_options_init(NULL, 8), 1));
    HOLDS((kith_subspace_options_init(NULL, 8), 1));
    HOLDS((kith_plain_options_init(NULL, 8), 1));
    HOLDS((kith_plain_subspace_options_init(NULL, 8), 1));
}

static void test_plans(void **state)
{
    (void)state;
    REFUSED(kith_kmeans_plan(&(kith_shape){9, D, 0, 0}, NULL, &privacy, &means,
                             &got, &err));
    REFUSED(kith_kmeans_plan(&(kith_shape){9, D, 0, 0}, &box, NULL, &means,
                             &got, &err));
    REFUSED(kith_kmeans_plan(&(kith_shape){9, D, 0, 0}, &box, &privacy, NULL,
                             &got, &err));
    REFUSED(kith_kmeans_plan(&(kith_shape){9, D, 0, 0}, &box, &privacy, &means,
                             NULL, &err));
    REFUSED(kith_kmeans_plan(&(kith_shape){9, 0, 0, 0}, &box, &privacy, &means,
                             &got, &err));
    REFUSED(kith_kmedian_plan(&(kith_shape){9, D, 0, 0}, NULL, &privacy,
                              &medians, &got, &err));
    REFUSED(kith_kmedian_plan(&(kith_shape){9, D, 0, 0}, &box, &privacy,
                              &medians, NULL, &err));
    REFUSED(kith_subspace_plan(&(kith_shape){9, D, 0, 0}, NULL, &privacy,
                               &planes, &got, &err));
    REFUSED(kith_subspace_plan(&(kith_shape){9, D, 0, 0}, &box, &privacy,
                               &planes, NULL, &err));
    HOLDS((kith_paper_constants(9, 2, 1, NULL), 1));
}

static void test_local(void **state)
{
    (void)state;
    kith_local_forecast forecast;
    REFUSED(kith_local_simulate(NULL, &local, &got, NULL, &err));
    REFUSED(kith_local_simulate(data, NULL, &got, NULL, &err));
    REFUSED(kith_local_simulate(data, &local, NULL, NULL, &err));
    REFUSED(kith_local_predict(9, D, NULL, &local, &forecast, &err));
    REFUSED(kith_local_predict(9, D, &box, NULL, &forecast, &err));
    REFUSED(kith_local_predict(9, D, &box, &local, NULL, &err));
    REFUSED(kith_local_predict_data(NULL, &local, &forecast, &err));
    REFUSED(kith_local_predict_data(data, NULL, &forecast, &err));
    REFUSED(kith_local_predict_data(data, &local, NULL, &err));
    REFUSED(kith_local_plan(&(kith_shape){9, D, 0, 0}, NULL, &local, NULL, NULL,
                            NULL, &err));
    REFUSED(kith_local_plan(&(kith_shape){9, D, 0, 0}, &box, NULL, NULL, NULL,
                            NULL, &err));
    HOLDS(kith_local_plan(&(kith_shape){999, D, 0, 0}, &box, &local, NULL, NULL,
                          NULL, &err) == 0);
    REFUSED(kith_local_lower_bound(9, 1, 2, 2, &local, NULL, &err));
    REFUSED(kith_local_lower_bound(9, 1, 2, 2, NULL, &count, &err));
    HOLDS((kith_local_options_init(NULL, 8), 1));
    HOLDS((kith_local_summary_free(NULL), 1));
    HOLDS(kith_local_group_count(NULL) == 0 && kith_local_rounds(NULL) == 0);
    HOLDS(kith_local_user_bytes(NULL) == 0);
    HOLDS((kith_local_user_loss(NULL, NULL, NULL), 1));
    HOLDS((kith_local_user_loss(summary, NULL, NULL), 1));
}

static void test_not_private(void **state)
{
    (void)state;
    const char *paths[] = {"/dev/null"};
    kith_source files = {.paths = paths, .path_count = 1};
    kith_model_view view = {.clusters = 1, .dimension = D, .centers = rows};
    kith_model_view empty = {0};
    REFUSED(kith_evaluate_source(NULL, KITH_OBJECTIVE_KMEANS, &files, &source,
                                 NULL, NULL, &err));
    REFUSED(kith_evaluate_source(&empty, KITH_OBJECTIVE_KMEANS, &files, &source,
                                 NULL, NULL, &err));
    REFUSED(kith_evaluate_source(&view, KITH_OBJECTIVE_KMEANS,
                                 &(kith_source){.path_count = 1}, &source, NULL,
                                 NULL, &err));
    REFUSED(kith_evaluate_source(&view, KITH_OBJECTIVE_KMEANS, &files, NULL,
                                 NULL, NULL, &err));
    REFUSED(kith_assign_source(NULL, &files, &source, keep_labels, NULL, &err));
    REFUSED(kith_assign_source(&view, &files, &source, NULL, NULL, &err));
    REFUSED(kith_assign_source(&view, &(kith_source){.path_count = 1}, &source,
                               keep_labels, NULL, &err));
    kith_source rows_of = {0};
    REFUSED(kith_evaluate_source(&view, KITH_OBJECTIVE_KMEANS, &rows_of,
                                 &source, NULL, NULL, &err));
    REFUSED(kith_evaluate_source(NULL, KITH_OBJECTIVE_KMEANS, NULL, NULL, NULL,
                                 NULL, &err));
    REFUSED(kith_assign_source(&view, NULL, NULL, NULL, NULL, &err));
    REFUSED(kith_assign_source(NULL, NULL, NULL, keep_labels, NULL, &err));
    REFUSED(kith_plane_distance(NULL, &view, &number, &err));
    REFUSED(kith_plane_distance(&view, &view, &number, &err));
    REFUSED(kith_generate(&generator, NULL, NULL, &err));
    REFUSED(kith_generate(NULL, NULL, NULL, &err));
    REFUSED(kith_generate_planes(&generator, NULL, &err));
    HOLDS((kith_generate_options_init(NULL, 8), 1));
}

static void test_models(void **state)
{
    (void)state;
    kith_run run;
    kith_run_init(&run, sizeof run);
    run.bounds = &box;
    run.plain_kmeans = &plain;
    char *text = NULL;
    kith_model *model = NULL;
    REFUSED(kith_model_text(NULL, &run, &text, &err));
    REFUSED(kith_model_text(result, NULL, &text, &err));
    REFUSED(kith_model_text(result, &run, NULL, &err));
    REFUSED(kith_model_write(NULL, result, &run, &err));
    REFUSED(kith_model_write("/dev/null/x", NULL, &run, &err));
    REFUSED(kith_model_text_of_planes(NULL, &text, &err));
    REFUSED(kith_plan_text(NULL, &run, 9, D, &text, &err));
    REFUSED(kith_json_layout(NULL, &text, &err));
    REFUSED(kith_json_layout("{}", NULL, &err));
    REFUSED(kith_model_read(NULL, &model, &err));
    REFUSED(kith_model_read("/dev/null", NULL, &err));
    REFUSED(kith_model_parse(NULL, 0, "x", &model, &err));
    REFUSED(kith_model_parse("", 0, NULL, &model, &err));
    REFUSED(kith_model_parse("", 0, "x", NULL, &err));
    HOLDS((kith_run_init(NULL, 8), kith_text_free(NULL), 1));
    HOLDS(!kith_model_get_view(NULL) && !kith_model_weights(NULL));
    HOLDS(!kith_model_columns(NULL, NULL));
    HOLDS(!strcmp(kith_model_guarantee(NULL), "none"));
    HOLDS((kith_model_objective(NULL), kith_model_free(NULL), 1));
}

static int no_receipt(const kith_result *of, size_t i)
{
    kith_receipt receipt = {.what = "old"};
    return kith_result_receipt(of, i, &receipt) == KITH_ERR_ARGUMENT &&
           receipt.what[0] == 0 && receipt.mechanism[0] == 0 &&
           receipt.norm[0] == 0 && receipt.loss == 0;
}

static int no_group(const kith_local_summary *of, size_t i)
{
    kith_local_group group = {.what = "old"};
    return kith_local_group_at(of, i, &group) == KITH_ERR_ARGUMENT &&
           group.what[0] == 0 && group.mechanism[0] == 0 && group.bytes == 0;
}

static void test_accessors(void **state)
{
    (void)state;
    HOLDS(kith_result_receipt(result, 0, NULL) == KITH_ERR_ARGUMENT);
    HOLDS(no_receipt(NULL, 0));
    HOLDS(no_receipt(result, kith_result_receipt_count(result)));
    HOLDS(no_receipt(result, FAR) && no_receipt(result, SIZE_MAX));
    HOLDS(kith_local_group_at(summary, 0, NULL) == KITH_ERR_ARGUMENT);
    HOLDS(no_group(NULL, 0) && no_group(summary, SIZE_MAX));
    HOLDS(no_group(summary, kith_local_group_count(summary)));
    HOLDS(!kith_result_centers(NULL, &count, &count) && count == 0);
    HOLDS(kith_result_centers(result, NULL, NULL) != NULL);
    HOLDS(!kith_result_bases(NULL, &count, &count, &count));
    HOLDS(!kith_result_bases(result, NULL, NULL, NULL));
    HOLDS(!kith_result_weights(NULL) && !kith_result_diagnostics(NULL));
    HOLDS(kith_result_receipt_count(NULL) == 0);
    HOLDS(!strcmp(kith_result_guarantee(NULL), "none"));
    HOLDS(kith_result_privacy(NULL).epsilon == 0);
    HOLDS(kith_result_noise(NULL) == 0 && kith_result_step(NULL) == 0);
    HOLDS(kith_result_sensible_clusters(NULL) == 0);
    HOLDS(kith_result_distinct_centers(NULL) == 0);
    HOLDS(kith_result_rounds(NULL) == 0 && kith_result_public_seed(NULL) == 0);
    HOLDS(kith_result_total_loss(NULL) == 0);
    HOLDS(kith_status_name((kith_status)FAR) != NULL);
}

/* ---- a session is for one run ---- */

static kith_session *open_again(double delta)
{
    kith_session_options opt = session_options;
    kith_session *fresh = NULL;
    kith_dataset *again = NULL;
    opt.privacy.delta = delta;
    kith_bounds ball = {.radius = 2};
    assert_int_equal(kith_dataset_from_rows(rows, N, D, &ball, &again, NULL),
                     0);
    assert_int_equal(kith_session_open(again, &opt, &fresh, NULL), 0);
    return fresh;
}

static kith_status run_kind(kith_session *s, int kind)
{
    static const kith_kmeans_method methods[] = {
        KITH_KMEANS_AUTO, KITH_KMEANS_LLOYD, KITH_KMEANS_BALCAN};
    kith_kmeans_options opt = means;
    kith_result_free(got);
    got = NULL;
    if (kind == 3)
        return kith_kmedian(s, &medians, &got, &err);
    if (kind == 4)
        return kith_subspace(s, &planes, &got, &err);
    opt.method = methods[kind];
    return kith_kmeans(s, &opt, &got, &err);
}

static void test_spent(void **state)
{
    (void)state;
    for (int pure = 0; pure < 2; pure++)
        for (int first = 0; first < 5; first++) {
            kith_session *s = open_again(pure ? 0 : 1e-6);
            assert_int_equal(run_kind(s, first), KITH_OK);
            for (int second = 0; second < 5; second++) {
                assert_int_equal(run_kind(s, second), KITH_ERR_BUDGET);
                assert_non_null(strstr(err.message, "spent its budget"));
                assert_null(got);
            }
            kith_session_close(s);
        }
}

static int tear_down(void **state)
{
    (void)state;
    kith_local_summary_free(summary);
    kith_result_free(result);
    kith_ledger_free(ledger);
    kith_session_close(session);
    kith_dataset_free(data);
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    prepare();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_budget), cmocka_unit_test(test_data),
        cmocka_unit_test(test_runs),   cmocka_unit_test(test_plans),
        cmocka_unit_test(test_local),  cmocka_unit_test(test_not_private),
        cmocka_unit_test(test_models), cmocka_unit_test(test_accessors),
        cmocka_unit_test(test_spent),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
