/* Out of memory in each kind of release of the gate, whether or not an
 * algorithm uses it yet. What was computed exactly must not stay behind. */
/* link: support/mem_failing.c */
#include "support/each_release.h"
#include "support/make_data.h"
#include "torture/torture.h"

enum { N = 200, THREADS = 2 };

/* What happens between opening and closing a seeded session. */
typedef struct {
    const double *rows;
    uint32_t d;
    double delta;
    release_fn *release;
} scenario;

static kith_status run(const void *arg, kith_error *err)
{
    const scenario *sc = arg;
    torture_data data = {.rows = sc->rows,
                         .n = N,
                         .d = sc->d,
                         .threads = THREADS,
                         .bounds = unit_box(),
                         .privacy = {1, sc->delta, KITH_ADD_REMOVE}};
    kith_session *s = NULL;
    kith_status status = torture_session(&data, &s, err);
    if (status)
        return status;
    status = sc->release(s, err);
    kith_session_close(s);
    return status;
}

static kith_status nothing(kith_session *s, kith_error *err)
{
    (void)s, (void)err;
    return KITH_OK;
}

static void test_releases(void **state)
{
    (void)state;
    for (int pure = 0; pure <= 1; pure++)
        for (size_t i = 0; i < EACH_RELEASE; i++) {
            uint32_t d = each_release[i].d;
            double *rows = make_rows(N, d, 3, 1);
            scenario sc = {rows, d, pure ? 0 : 1e-6, nothing};
            size_t before = torture("session", run, &sc);
            sc.release = each_release[i].release;
            /* receipts, their text, and something of each worker's */
            assert_true(torture(each_release[i].name, run, &sc) >=
                        before + 2 + THREADS);
            free(rows);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_releases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
