/* Out of memory everywhere in what sparse rows and the other k-median ways
 * need: each allocation fails once. Seeded, so that every run asks for memory
 * alike. */
/* link: support/mem_failing.c */
#include "torture/torture.h"

#include <stdio.h>
#include <unistd.h>

enum { N = 120, D = 90, K = 2 };

static char path[] = "/tmp/kith_torture_XXXXXX.svm";
static double rows[N * 3];

typedef struct {
    double delta;
    int sparse, method; /* k-means by features or balcan; k-median ways */
} way;

static kith_status open_data(const way *w, kith_dataset **out, kith_error *err)
{
    static const double low = -1, high = 1;
    kith_bounds b = {.lower = &low,
                     .upper = &high,
                     .box_count = 1,
                     .radius = 1,
                     .sparsity = w->sparse ? 4 : 0};
    if (!w->sparse)
        return kith_dataset_from_rows(rows, N, 3, &b, out, err);
    const char *paths[] = {path};
    kith_source_options so;
    kith_source_options_init(&so, sizeof so);
    so.dimension = D;
    return kith_dataset_open(paths, 1, &so, &b, out, err);
}

static kith_status cluster(kith_session *session, const way *w,
                           kith_result **result, kith_error *err)
{
    if (w->sparse) {
        kith_kmeans_options ko;
        kith_kmeans_options_init(&ko, sizeof ko);
        ko.clusters = K;
        ko.method = w->method ? KITH_KMEANS_BALCAN : KITH_KMEANS_AUTO;
        return kith_kmeans(session, &ko, result, err);
    }
    kith_kmedian_options mo;
    kith_kmedian_options_init(&mo, sizeof mo);
    mo.clusters = K;
    mo.method = KITH_KMEDIAN_BALCAN;
    mo.recovery = w->method ? KITH_RECOVERY_SAMPLING : KITH_RECOVERY_STEPS;
    return kith_kmedian(session, &mo, result, err);
}

static kith_status run_private(const void *arg, kith_error *err)
{
    const way *w = arg;
    kith_dataset *data = NULL;
    kith_session *session = NULL;
    kith_result *result = NULL;
    kith_session_options so;
    kith_session_options_init(&so, sizeof so);
    so.privacy = (kith_privacy){1, w->delta, KITH_ADD_REMOVE};
    so.threads = 2;
    so.insecure = 1;
    so.insecure_seed = 5;
    kith_status status = open_data(w, &data, err);
    if (!status) {
        status = kith_session_open(data, &so, &session, err);
        if (status)
            kith_dataset_free(data);
    }
    if (!status) {
        result = (kith_result *)session;
        status = cluster(session, w, &result, err);
        assert_true((status == KITH_OK) == (result != NULL));
    }
    kith_result_free(result);
    kith_session_close(session);
    return status;
}

static void test_all(void **state)
{
    (void)state;
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    for (int r = 0; r < N; r++)
        fprintf(file, "0 %d:0.5 %d:0.4 %d:0.2\n", 1 + r % 2, 10 + r % 3,
                20 + r * 7 % 60);
    fclose(file);
    for (int i = 0; i < N * 3; i++)
        rows[i] = (i * 7 % 19 - 9) / 20.0;
    for (int i = 0; i < 8; i++) {
        way w = {i & 1 ? 1e-6 : 0, i >> 1 & 1, i >> 2};
        assert_true(torture("sparse", run_private, &w) > 60);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
