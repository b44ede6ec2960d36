/* The model file in the library: what is written is read back bit by bit, a
 * file appears whole or not at all, and nothing odd gets in. The command's
 * tests (cli/test_cli_model.sh, test_cli_evaluate.sh) look at the fields. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kith/kith.h"
#include "support/cmocka_all.h"

enum { N = 40, D = 3, K = 2 };

static const double low = -1, high = 1;
static const kith_bounds box = {.lower = &low, .upper = &high, .box_count = 1};

static kith_result *fit(const kith_plain_options *opt)
{
    static double rows[N * D];
    for (int i = 0; i < N * D; i++)
        rows[i] = sin(i * 1.7) * .9;
    kith_dataset *data = NULL;
    kith_result *result = NULL;
    assert_int_equal(kith_dataset_from_rows(rows, N, D, &box, &data, NULL), 0);
    assert_int_equal(kith_plain_kmeans(data, opt, &result, NULL), KITH_OK);
    kith_dataset_free(data);
    return result;
}

static kith_plain_options plain_options(void)
{
    kith_plain_options opt;
    kith_plain_options_init(&opt, sizeof opt);
    opt.clusters = K;
    opt.threads = 1;
    return opt;
}

static void check_same(const kith_model *model, const kith_result *result)
{
    const kith_model_view *view = kith_model_get_view(model);
    assert_int_equal(view->clusters, K);
    assert_int_equal(view->dimension, D);
    assert_int_equal(kith_model_objective(model), KITH_OBJECTIVE_KMEANS);
    assert_string_equal(kith_model_guarantee(model), "none");
    assert_memory_equal(view->centers, kith_result_centers(result, NULL, NULL),
                        K * D * sizeof(double));
    assert_memory_equal(kith_model_weights(model), kith_result_weights(result),
                        K * sizeof(double));
}

static void test_round_trip(void **state)
{
    (void)state;
    kith_plain_options opt = plain_options();
    kith_result *result = fit(&opt);
    const char *names[] = {"a", "b, \"c\"", "<d>"};
    kith_source_options source;
    kith_source_options_init(&source, sizeof source);
    source.columns = names;
    source.column_count = D;
    kith_run run;
    kith_run_init(&run, sizeof run);
    run.bounds = &box;
    run.source = &source;
    run.plain_kmeans = &opt;
    char *text = NULL, *again = NULL;
    kith_model *model = NULL;
    assert_int_equal(kith_model_text(result, &run, &text, NULL), KITH_OK);
    assert_int_equal(text[strlen(text) - 1], '\n');
    assert_int_equal(kith_model_parse(text, strlen(text), "it", &model, NULL),
                     KITH_OK);
    check_same(model, result);
    size_t count = 0;
    const char *const *read = kith_model_columns(model, &count);
    assert_int_equal(count, D);
    for (int i = 0; i < D; i++)
        assert_string_equal(read[i], names[i]);
    assert_int_equal(kith_json_layout(text, &again, NULL), KITH_OK);
    assert_string_equal(again, text);
    kith_text_free(text);
    kith_text_free(again);
    kith_model_free(model);
    kith_result_free(result);
}

static int files_in(const char *folder)
{
    int count = 0;
    DIR *at = opendir(folder);
    assert_non_null(at);
    for (struct dirent *e = readdir(at); e; e = readdir(at))
        count += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(at);
    return count;
}

static void test_file(void **state)
{
    (void)state;
    char folder[] = "/tmp/kith-model-XXXXXX", path[64], inside[80];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.json", folder);
    kith_plain_options opt = plain_options();
    kith_result *result = fit(&opt);
    kith_run run;
    kith_run_init(&run, sizeof run);
    run.bounds = &box;
    run.plain_kmeans = &opt;
    kith_model *model = NULL;
    kith_error err = {0};
    mode_t mask = umask(027);
    for (int twice = 0; twice < 2; twice++)
        assert_int_equal(kith_model_write(path, result, &run, NULL), KITH_OK);
    umask(mask);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    assert_int_equal(kith_model_read(path, &model, NULL), KITH_OK);
    check_same(model, result);
    kith_model_free(model);
    /* What cannot be written leaves what was there, and nothing beside it. */
    snprintf(inside, sizeof inside, "%s/m.json/x.json", folder);
    assert_int_equal(kith_model_write(inside, result, &run, &err),
                     KITH_ERR_STORE);
    assert_non_null(strstr(err.message, "cannot write"));
    assert_int_equal(kith_model_write("/proc", result, &run, &err),
                     KITH_ERR_STORE);
    assert_int_equal(files_in(folder), 1);
    unlink(path);
    rmdir(folder);
    kith_result_free(result);
}

static void expect_refused(const char *text, const char *words)
{
    kith_model *model = NULL;
    kith_error err = {0};
    assert_int_equal(kith_model_parse(text, strlen(text), "it", &model, &err),
                     KITH_ERR_INPUT);
    assert_null(model);
    if (!strstr(err.message, words))
        fail_msg("%s: %s", text, err.message);
}

#define HEAD "{\"kith\": 1, \"kind\": \"kmeans\", \"k\": 1, \"dimension\": 2"

static void test_refusals(void **state)
{
    (void)state;
    expect_refused("", "not JSON");
    expect_refused("[1]", "no field 'kith'");
    expect_refused("{\"kith\": 2}", "newer");
    expect_refused("{\"kith\": 1, \"kind\": \"trees\"}", "'kind'");
    expect_refused("{\"kith\": 1, \"kind\": \"kmeans\", \"k\": 0}", "'k'");
    expect_refused(HEAD "}", "'centers'");
    expect_refused(HEAD ", \"centers\": [[1]]}", "'dimension'");
    expect_refused(HEAD ", \"centers\": [[1, true]]}", "not a number");
    expect_refused(HEAD ", \"centers\": [[1, 2]], \"weights\": [1, 2]}",
                   "'weights'");
    expect_refused(HEAD ", \"centers\": [[1, 2]], \"parameters\": 3}",
                   "'parameters'");
    expect_refused(HEAD ", \"centers\": [[1, 2]], \"parameters\": "
                        "{\"normalize\": true}}",
                   "'bounds'");
    expect_refused(HEAD ", \"centers\": [[1, 2]], \"parameters\": "
                        "{\"columns\": [\"a\", \"\"]}}",
                   "not a name");
    expect_refused("{\"kith\": 1, \"kind\": \"subspace\", \"k\": 1, "
                   "\"dimension\": 2, \"subspace_dimension\": 1, \"bases\": "
                   "[[[1], [1]]]}",
                   "orthonormal");
}

/* A guarantee that is not one of ours promises nothing. */
static void test_guarantee(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"exact", "exact"},
                                           {"asymptotic", "asymptotic"},
                                           {"none", "none"},
                                           {"perfect", "none"}};
    for (int i = 0; i < 4; i++) {
        char text[256];
        kith_model *model = NULL;
        snprintf(text, sizeof text,
                 HEAD ", \"centers\": [[1, 2]], \"privacy\": "
                      "{\"guarantee\": \"%s\"}}",
                 pairs[i][0]);
        assert_int_equal(
            kith_model_parse(text, strlen(text), "it", &model, NULL), KITH_OK);
        assert_string_equal(kith_model_guarantee(model), pairs[i][1]);
        kith_model_free(model);
    }
}

static void test_runs(void **state)
{
    (void)state;
    kith_plain_options opt = plain_options();
    kith_kmeans_options other;
    kith_kmeans_options_init(&other, sizeof other);
    other.clusters = K;
    kith_result *result = fit(&opt);
    kith_run run;
    char *text = NULL;
    kith_run_init(&run, sizeof run);
    run.plain_kmeans = &opt;
    assert_int_equal(kith_model_text(result, &run, &text, NULL),
                     KITH_ERR_ARGUMENT); /* no bounds */
    run.bounds = &box;
    run.kmeans = &other;
    assert_int_equal(kith_model_text(result, &run, &text, NULL),
                     KITH_ERR_ARGUMENT); /* two kinds */
    run.plain_kmeans = NULL;
    kith_result *plan = NULL;
    kith_privacy privacy = {1, 0, KITH_ADD_REMOVE};
    assert_int_equal(kith_kmeans_plan(&(kith_shape){1000, D, 0, 0}, &box,
                                      &privacy, &other, &plan, NULL),
                     KITH_OK);
    assert_int_equal(kith_model_text(plan, &run, &text, NULL),
                     KITH_ERR_ARGUMENT); /* a plan has no centres */
    assert_null(text);
    assert_int_equal(kith_plan_text(plan, &run, 1000, D, &text, NULL), KITH_OK);
    assert_non_null(strstr(text, "\"predicted_noise_per_center\""));
    double total = kith_result_total_loss(plan);
    assert_true(total > 0.99 && total <= 1);
    kith_text_free(text);
    kith_result_free(plan);
    kith_result_free(result);
}

static void test_words(void **state)
{
    (void)state;
    for (int v = KITH_WORDS_KMEANS_METHOD; v <= KITH_WORDS_MISSING; v++) {
        size_t count = 0;
        const char *word;
        while ((word = kith_word_at((kith_vocabulary)v, count))) {
            /* "svmlight" and "svm" are one value: its word is the first. */
            int value = -1, back = -2;
            assert_true(kith_word_value((kith_vocabulary)v, word, &value));
            assert_true(kith_word_value((kith_vocabulary)v,
                                        kith_word_of((kith_vocabulary)v, value),
                                        &back));
            assert_int_equal(back, value);
            count++;
        }
        assert_true(count >= 2);
        assert_false(kith_word_value((kith_vocabulary)v, "nonsense", NULL));
        assert_false(kith_word_value((kith_vocabulary)v, NULL, NULL));
        assert_null(kith_word_of((kith_vocabulary)v, 99));
    }
    assert_null(kith_word_at((kith_vocabulary)99, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_file),
        cmocka_unit_test(test_refusals),   cmocka_unit_test(test_guarantee),
        cmocka_unit_test(test_runs),       cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
