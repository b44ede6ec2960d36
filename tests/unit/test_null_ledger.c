/* Ledgers, whole runs by one call, and what is told of a result: a caller's
 * slip is an error. */
#include <string.h>

#include "kith/kith.h"
#include "support/null_call.h"

enum { N = 64, D = 2 };

static const double low = -1, high = 1;
static const kith_bounds box = {.lower = &low, .upper = &high, .box_count = 1};
static const kith_privacy privacy = {1, 0, KITH_ADD_REMOVE};
static const kith_shape shape = {N, D, 0, 0};
static double rows[N * D];
static kith_error err;
static kith_ledger *ledger, *got_ledger;
static kith_statement *statement, *got_statement;
static kith_dataset *data, *got_data;
static kith_result *plan, *got;
static kith_kmeans_options means;
static kith_kmedian_options medians;
static kith_subspace_options planes;
static kith_local_options local;
static kith_plain_options plain;
static kith_source_options source;
static kith_session_options gate;
static kith_run run;
static char *text;

static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < N * D; i++)
        rows[i] = (i * 7 % 19 - 9) / 10.0;
    kith_kmeans_options_init(&means, sizeof means);
    kith_kmedian_options_init(&medians, sizeof medians);
    kith_subspace_options_init(&planes, sizeof planes);
    kith_local_options_init(&local, sizeof local);
    kith_plain_options_init(&plain, sizeof plain);
    kith_source_options_init(&source, sizeof source);
    kith_session_options_init(&gate, sizeof gate);
    kith_run_init(&run, sizeof run);
    means.clusters = medians.clusters = planes.clusters = plain.clusters =
        local.clusters = 2;
    planes.subspace_dimension = 1;
    local.epsilon = 1;
    gate.privacy = privacy;
    gate.insecure = 1;
    run.bounds = &box;
    run.kmeans = &means;
    assert_int_equal(kith_ledger_memory_new(&ledger, NULL), KITH_OK);
    assert_int_equal(kith_ledger_grant(ledger, "a", &privacy, NULL), KITH_OK);
    assert_int_equal(kith_ledger_statement(ledger, "a", &statement, NULL),
                     KITH_OK);
    assert_int_equal(kith_dataset_from_rows(rows, N, D, &box, &data, NULL),
                     KITH_OK);
    assert_int_equal(
        kith_kmeans_plan(&shape, &box, &privacy, &means, &plan, NULL), KITH_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    kith_result_free(plan);
    kith_dataset_free(data);
    kith_statement_free(statement);
    kith_ledger_free(ledger);
    return 0;
}

static int see(void *arg, const char *account)
{
    (void)arg;
    (void)account;
    return 0;
}

static void test_accounts(void **state)
{
    (void)state;
    const kith_account_terms terms = {"rows", KITH_UNIT_ROW, privacy, 0};
    const kith_limit_change change = {.epsilon = .5};
    const kith_adoption adoption = {privacy, KITH_UNIT_ROW, 0,
                                    "exact", NULL,          "{}"};
    const kith_charge charge = {"x", "y", 0, NULL};
    FAILS(kith_ledger_open(NULL, 0, &got_ledger, &err));
    FAILS(kith_ledger_open("memory:", 0, NULL, &err));
    HOLDS((kith_ledger_id(NULL), 1));
    FAILS(kith_ledger_account_new(NULL, "b", &terms, &err));
    FAILS(kith_ledger_account_new(ledger, NULL, &terms, &err));
    FAILS(kith_ledger_account_new(ledger, "b", NULL, &err));
    FAILS(kith_ledger_limit(NULL, "a", &change, &err));
    FAILS(kith_ledger_limit(ledger, NULL, &change, &err));
    FAILS(kith_ledger_limit(ledger, "a", NULL, &err));
    FAILS(kith_ledger_backup(NULL, "x", &err));
    FAILS(kith_ledger_backup(ledger, NULL, &err));
    FAILS(kith_ledger_settle(NULL, &charge, "exact", 1, "{}", &err));
    FAILS(kith_ledger_settle(ledger, NULL, "exact", 1, "{}", &err));
    FAILS(kith_ledger_settle(ledger, &charge, NULL, 1, "{}", &err));
    FAILS(kith_ledger_settle(ledger, &charge, "exact", 1, NULL, &err));
    FAILS(kith_ledger_adopt(NULL, "a", &adoption, &err));
    FAILS(kith_ledger_adopt(ledger, NULL, &adoption, &err));
    FAILS(kith_ledger_adopt(ledger, "a", NULL, &err));
    FAILS(kith_ledger_statement(NULL, "a", &got_statement, &err));
    FAILS(kith_ledger_statement(ledger, NULL, &got_statement, &err));
    FAILS(kith_ledger_statement(ledger, "a", NULL, &err));
    FAILS(kith_ledger_accounts(NULL, see, NULL, &err));
    FAILS(kith_ledger_accounts(ledger, NULL, NULL, &err));
}

static void test_statements(void **state)
{
    (void)state;
    kith_amounts amounts;
    HOLDS(!kith_statement_account(NULL) && !kith_statement_entry(NULL, 0));
    HOLDS(!kith_statement_entry(statement, SIZE_MAX));
    HOLDS(!kith_statement_sublimit(NULL, 0));
    HOLDS(!kith_statement_sublimit(statement, SIZE_MAX));
    HOLDS(kith_statement_result(NULL, "{}") == 0);
    HOLDS(kith_statement_result(statement, NULL) == 0);
    HOLDS((kith_statement_free(NULL), 1));
    FAILS(kith_privacy_price(NULL, 0, &amounts, &err));
    FAILS(kith_privacy_price(&privacy, 0, NULL, &err));
    FAILS(kith_team_agree(NULL, KITH_OK, &err));
}

/* ---- runs and plans ---- */

static void test_fit(void **state)
{
    (void)state;
    kith_array array = {rows, KITH_FLOAT64, N, D, D * 8, 8};
    kith_source of = {.array = &array};
    const char *guarantee = NULL;
    FAILS(kith_fit(NULL, &run, &gate, &text, &err));
    FAILS(kith_fit(&of, NULL, &gate, &text, &err));
    FAILS(kith_fit(&of, &run, NULL, &text, &err));
    FAILS(kith_fit(&of, &run, &gate, NULL, &err));
    FAILS(kith_fit_plan(NULL, &run, &privacy, &text, &err));
    FAILS(kith_fit_plan(&shape, NULL, &privacy, &text, &err));
    FAILS(kith_fit_plan(&shape, &run, NULL, &text, &err));
    FAILS(kith_fit_plan(&shape, &run, &privacy, NULL, &err));
    FAILS(kith_fit_check(NULL, &run, &privacy, &guarantee, &err));
    FAILS(kith_fit_check(data, NULL, &privacy, &guarantee, &err));
    FAILS(kith_fit_check(data, &run, NULL, &guarantee, &err));
    HOLDS(kith_fit_check(data, &run, &privacy, NULL, &err) == KITH_OK);
    FAILS(kith_kmeans_plan(NULL, &box, &privacy, &means, &got, &err));
    FAILS(kith_kmedian_plan(NULL, &box, &privacy, &medians, &got, &err));
    FAILS(kith_kmedian_plan(&shape, &box, NULL, &medians, &got, &err));
    FAILS(kith_kmedian_plan(&shape, &box, &privacy, NULL, &got, &err));
    FAILS(kith_subspace_plan(NULL, &box, &privacy, &planes, &got, &err));
    FAILS(kith_subspace_plan(&shape, &box, NULL, &planes, &got, &err));
    FAILS(kith_subspace_plan(&shape, &box, &privacy, NULL, &got, &err));
    FAILS(kith_local_plan(NULL, &box, &local, NULL, NULL, NULL, &err));
    FAILS(kith_plain_kmedian(data, NULL, &got, &err));
}

static void test_rows(void **state)
{
    (void)state;
    const char *paths[] = {"/dev/null"};
    kith_source files = {.paths = paths, .path_count = 1};
    kith_check check = {.size = sizeof check};
    double number;
    kith_generate_options kind;
    kith_model_view view = {
        .clusters = 1, .dimension = D, .bases = rows, .subspace_dimension = 1};
    kith_generate_options_init(&kind, sizeof kind);
    HOLDS(kith_dataset_open(paths, 1, &source, NULL, &got_data, &err) != 0);
    HOLDS(kith_dataset_load(&files, &source, NULL, &got_data, &err) != 0);
    HOLDS(kith_dataset_shape(NULL).dimension == 0);
    HOLDS(!kith_dataset_name(NULL, 0) && !kith_dataset_name(data, UINT32_MAX));
    FAILS(kith_check_rows(NULL, 1, &source, &box, &check, &err));
    FAILS(kith_check_rows(paths, 1, NULL, &box, &check, &err));
    FAILS(kith_check_rows(paths, 1, &source, NULL, &check, &err));
    FAILS(kith_check_rows(paths, 1, &source, &box, NULL, &err));
    HOLDS((kith_check_clear(NULL), 1));
    FAILS(kith_generate_planes(NULL, &number, &err));
    FAILS(kith_plane_distance(&view, NULL, &number, &err));
    FAILS(kith_plane_distance(&view, &view, NULL, &err));
}

/* ---- what is told ---- */

static int is_noise(void)
{
    kith_quality quality = {.size = sizeof quality};
    char line[KITH_QUALITY_LINE];
    kith_result_quality(NULL, &quality);
    return quality.verdict == KITH_VERDICT_NOISE &&
           quality.size == sizeof quality && quality.parts == 0 &&
           quality.rows != quality.rows &&
           kith_quality_words(&quality, 9, line, sizeof line) == 0;
}

static void test_told(void **state)
{
    (void)state;
    kith_quality quality = {.size = sizeof quality, .parts = 2};
    kith_receipt receipt;
    kith_local_group group;
    char line[KITH_QUALITY_LINE];
    int value;
    HOLDS(is_noise());
    HOLDS((kith_result_quality(plan, NULL), 1));
    HOLDS(!kith_result_on_bound(NULL, 0));
    HOLDS(!kith_result_on_bound(plan, UINT32_MAX));
    HOLDS(!kith_quality_words(NULL, 0, line, sizeof line));
    HOLDS(!kith_quality_words(&quality, 0, NULL, sizeof line));
    HOLDS(!kith_quality_words(&quality, 0, line, 0));
    HOLDS(!kith_quality_words(&quality, SIZE_MAX, line, sizeof line));
    HOLDS(kith_result_unit(NULL) == KITH_UNIT_ROW);
    HOLDS(!kith_result_charge(NULL) && !kith_result_choice(NULL));
    HOLDS(kith_result_receipt(NULL, 0, &receipt) == KITH_ERR_ARGUMENT);
    HOLDS(kith_local_group_at(NULL, 0, &group) == KITH_ERR_ARGUMENT);
    HOLDS(!kith_word_value(KITH_WORDS_SOLVER, NULL, &value));
    HOLDS(kith_word_value(KITH_WORDS_SOLVER, "tsc", NULL));
    HOLDS(!kith_word_at((kith_vocabulary)-1, 0));
    HOLDS(!kith_word_at(KITH_WORDS_SOLVER, SIZE_MAX));
    HOLDS(!kith_word_of((kith_vocabulary)99, 1));
}

static void test_texts(void **state)
{
    (void)state;
    kith_model_view view = {
        .clusters = 1, .dimension = D, .bases = rows, .subspace_dimension = 1};
    HOLDS(kith_model_missing(NULL) == KITH_MISSING_ERROR);
    FAILS(kith_model_reading(NULL, &source, &err));
    double plane[D] = {1, 0};
    kith_model *model = NULL;
    view.bases = plane;
    assert_int_equal(kith_model_text_of_planes(&view, &text, NULL), KITH_OK);
    assert_int_equal(kith_model_parse(text, strlen(text), "x", &model, NULL),
                     KITH_OK);
    FAILS(kith_model_reading(model, NULL, &err));
    kith_model_free(model);
    kith_text_free(text);
    text = NULL;
    FAILS(kith_model_text_of_planes(&view, NULL, &err));
    FAILS(kith_model_write("/dev/null/x", plan, NULL, &err));
    FAILS(kith_plan_text(plan, NULL, N, D, &text, &err));
    FAILS(kith_plan_text(plan, &run, N, D, NULL, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accounts), cmocka_unit_test(test_statements),
        cmocka_unit_test(test_fit),      cmocka_unit_test(test_rows),
        cmocka_unit_test(test_told),     cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
