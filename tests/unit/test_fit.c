/* A whole run by one call gives what the calls one after another give. */
#include <string.h>

#include "support/make_data.h"

enum { ROWS = 500, D = 3 };

typedef struct {
    kith_bounds bounds;
    kith_source_options source;
    kith_kmeans_options means;
    kith_kmedian_options medians;
    kith_subspace_options planes;
    kith_local_options local;
    kith_session_options session;
    kith_run run;
} job;

static void job_init(job *j, int way)
{
    memset(j, 0, sizeof *j);
    j->bounds = ball(2);
    kith_source_options_init(&j->source, sizeof j->source);
    kith_kmeans_options_init(&j->means, sizeof j->means);
    kith_kmedian_options_init(&j->medians, sizeof j->medians);
    kith_subspace_options_init(&j->planes, sizeof j->planes);
    kith_local_options_init(&j->local, sizeof j->local);
    kith_session_options_init(&j->session, sizeof j->session);
    kith_run_init(&j->run, sizeof j->run);
    j->means.clusters = j->medians.clusters = j->planes.clusters =
        j->local.clusters = 2;
    j->planes.subspace_dimension = 1;
    j->local.epsilon = 1;
    j->session.privacy = (kith_privacy){1, 1e-6, KITH_ADD_REMOVE};
    j->session.insecure = j->local.insecure = 1;
    j->session.insecure_seed = j->local.insecure_seed = 5;
    j->run.bounds = &j->bounds;
    j->run.source = &j->source;
    j->run.kmeans = way == 0 ? &j->means : NULL;
    j->run.kmedian = way == 1 ? &j->medians : NULL;
    j->run.subspace = way == 2 ? &j->planes : NULL;
    j->run.local = way == 3 ? &j->local : NULL;
}

/* The long way, for the central kinds. */
static char *by_hand(job *j, const double *rows)
{
    kith_session *s = NULL;
    kith_result *result = NULL;
    kith_status status = KITH_OK;
    char *text = NULL;
    assert_int_equal(kith_session_open(load(rows, ROWS, D, j->bounds),
                                       &j->session, &s, NULL),
                     0);
    if (j->run.kmeans)
        status = kith_kmeans(s, &j->means, &result, NULL);
    else if (j->run.kmedian)
        status = kith_kmedian(s, &j->medians, &result, NULL);
    else
        status = kith_subspace(s, &j->planes, &result, NULL);
    assert_int_equal(status, KITH_OK);
    j->run.insecure = 1;
    j->run.insecure_seed = 5;
    assert_int_equal(kith_model_text(result, &j->run, &text, NULL), KITH_OK);
    j->run.insecure = 0;
    kith_result_free(result);
    kith_session_close(s);
    return text;
}

static void test_same_as_by_hand(void **state)
{
    (void)state;
    double *rows = make_rows(ROWS, D, 2, 1);
    kith_array array = {rows, KITH_FLOAT64, ROWS, D, D * 8, 8};
    kith_source source = {.array = &array};
    for (int way = 0; way < 4; way++) {
        job j;
        char *text = NULL, *other = NULL;
        job_init(&j, way);
        assert_int_equal(kith_fit(&source, &j.run, &j.session, &text, NULL),
                         KITH_OK);
        if (way < 3)
            other = by_hand(&j, rows);
        else
            assert_int_equal(kith_fit(&source, &j.run, NULL, &other, NULL), 0);
        assert_string_equal(text, other);
        assert_non_null(strstr(text, "\"insecure_seed\": 5"));
        kith_text_free(text);
        kith_text_free(other);
        kith_shape shape = {ROWS, D, 0, 0};
        assert_int_equal(
            kith_fit_plan(&shape, &j.run, &j.session.privacy, &text, NULL),
            KITH_OK);
        assert_non_null(
            strstr(text, way < 3 ? "\"dry_run\": true" : "\"plan\": true"));
        kith_text_free(text);
    }
    free(rows);
}

static void test_refusals(void **state)
{
    (void)state;
    double rows[D] = {0};
    kith_array array = {rows, KITH_FLOAT64, 1, D, D * 8, 8};
    kith_source source = {.array = &array};
    kith_shape shape = {0, D, 0, 0};
    char *text = NULL;
    job j;
    job_init(&j, 0);
    assert_int_equal(kith_fit(&source, &j.run, &j.session, NULL, NULL),
                     KITH_ERR_ARGUMENT);
    assert_int_equal(kith_fit(NULL, &j.run, &j.session, &text, NULL),
                     KITH_ERR_ARGUMENT);
    assert_int_equal(kith_fit(&source, NULL, &j.session, &text, NULL),
                     KITH_ERR_ARGUMENT);
    assert_int_equal(kith_fit(&source, &j.run, NULL, &text, NULL),
                     KITH_ERR_ARGUMENT);
    assert_int_equal(
        kith_fit_plan(NULL, &j.run, &j.session.privacy, &text, NULL),
        KITH_ERR_ARGUMENT);
    assert_int_equal(
        kith_fit_plan(&shape, &j.run, &j.session.privacy, &text, NULL),
        KITH_ERR_ARGUMENT);
    j.run.kmedian = &j.medians; /* two kinds */
    assert_int_equal(kith_fit(&source, &j.run, &j.session, &text, NULL),
                     KITH_ERR_ARGUMENT);
    job_init(&j, 1);
    j.session.privacy.epsilon = -1;
    assert_int_equal(kith_fit(&source, &j.run, &j.session, &text, NULL),
                     KITH_ERR_PRIVACY);
    assert_null(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_by_hand),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
