/* Each allocation of writing and reading a model fails once: the library's own
 * and jansson's. */
/* link: support/mem_failing.c */
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "torture/torture.h"

enum { N = 30, D = 3, K = 2 };
static const double low = -1, high = 1;

/* jansson's allocations: so far, the one that fails, not freed; and how many
 * there were when the text was written. */
static size_t asked, failing, live, asked_to_write;

static kith_status write_and_read(const void *arg, kith_error *err)
{
    const kith_result *result = arg;
    const kith_bounds box = {.lower = &low, .upper = &high, .box_count = 1};
    const char *names[] = {"a", "b", "c"};
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = K;
    kith_source_options source;
    kith_source_options_init(&source, sizeof source);
    source.columns = names;
    source.column_count = D;
    kith_run run;
    kith_run_init(&run, sizeof run);
    run.bounds = &box;
    run.source = &source;
    run.kmeans = &opt;
    run.insecure = 1;
    char *text = NULL;
    kith_model *model = NULL;
    kith_status status = kith_model_text(result, &run, &text, err);
    assert_true((status == KITH_OK) == (text != NULL));
    asked_to_write = asked;
    if (!status)
        status = kith_model_parse(text, strlen(text), "it", &model, err);
    assert_true((status == KITH_OK) == (model != NULL));
    kith_text_free(text);
    kith_model_free(model);
    return status;
}

static kith_result *make_result(void)
{
    static double rows[N * D];
    for (int i = 0; i < N * D; i++)
        rows[i] = (i * 7 % 19 - 9) / 10.0;
    torture_data of = {rows,
                       N,
                       D,
                       1,
                       {.lower = &low, .upper = &high, .box_count = 1},
                       {1, 0, KITH_ADD_REMOVE}};
    kith_kmeans_options opt;
    kith_session *session = NULL;
    kith_result *result = NULL;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = K;
    opt.method = KITH_KMEANS_LLOYD;
    assert_int_equal(torture_session(&of, &session, NULL), KITH_OK);
    assert_int_equal(kith_kmeans(session, &opt, &result, NULL), KITH_OK);
    kith_session_close(session);
    return result;
}

/* ---- jansson's memory ---------------------------------------------------- */

static void *failing_malloc(size_t bytes)
{
    if (++asked == failing)
        return NULL;
    live++;
    return malloc(bytes);
}

static void counting_free(void *p)
{
    live -= p != NULL;
    free(p);
}

static void test_jansson(void **state)
{
    (void)state;
    kith_result *result = make_result();
    json_set_alloc_funcs(failing_malloc, counting_free);
    for (failing = 1;; failing++) {
        kith_error err = {0};
        asked = 0;
        kith_status status = write_and_read(result, &err);
        if (live != 0)
            fail_msg("allocation %zu: %zu blocks leaked", failing, live);
        assert_int_equal(status, err.status);
        if (asked < failing) {
            assert_int_equal(status, KITH_OK);
            break;
        }
        if (asked_to_write < asked)
            continue; /* jansson's parser does not notice every failure */
        assert_int_equal(status, KITH_ERR_MEMORY);
    }
    print_message("jansson: %zu allocations failed in turn\n", failing - 1);
    assert_true(failing > 200);
    kith_result_free(result);
}

/* The result is made before the counting starts: its blocks stay. */
static void test_own(void **state)
{
    (void)state;
    kith_result *result = make_result();
    size_t before = mem_live_blocks();
    for (size_t n = 1;; n++) {
        kith_error err = {0};
        mem_fail_at(n);
        kith_status status = write_and_read(result, &err);
        size_t count = mem_allocations();
        mem_fail_at(0);
        assert_int_equal(mem_live_blocks(), before);
        assert_int_equal(status, count < n ? KITH_OK : KITH_ERR_MEMORY);
        if (count < n)
            break;
    }
    kith_result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own),
        cmocka_unit_test(test_jansson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
