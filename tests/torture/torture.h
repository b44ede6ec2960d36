/* Every allocation of a scenario fails once. */
#ifndef KITH_TEST_TORTURE_H
#define KITH_TEST_TORTURE_H

#include "kith/kith.h"
#include "support/cmocka_all.h"
#include "support/mem_failing.h"

/* A session on n rows of d numbers. Seeded: the same draws, so the same
 * allocations, each time. */
typedef struct torture_data {
    const double *rows;
    uint64_t n;
    uint32_t d, threads;
    kith_bounds bounds;
    kith_privacy privacy;
} torture_data;

static inline kith_status torture_session(const torture_data *of,
                                          kith_session **out, kith_error *err)
{
    kith_dataset *data = NULL;
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy = of->privacy;
    opt.threads = of->threads;
    opt.insecure = 1;
    kith_status status =
        kith_dataset_from_rows(of->rows, of->n, of->d, &of->bounds, &data, err);
    assert_true((status == KITH_OK) == (data != NULL));
    if (status)
        return status;
    status = kith_session_open(data, &opt, out, err);
    if (status)
        kith_dataset_free(data);
    return status;
}

/* Does its work, frees what it got, and checks that a step that failed gave
 * out nothing. Must ask for memory the same number of times in every run. */
typedef kith_status torture_fn(const void *arg, kith_error *err);

/* One allocation of so many fails. Returns the number of all. */
static inline size_t torture_some(const char *name, torture_fn *run,
                                  const void *arg, size_t stride)
{
    for (size_t n = 1;; n += stride) {
        kith_error err = {0};
        mem_fail_at(n);
        kith_status status = run(arg, &err);
        size_t asked = mem_allocations();
        mem_fail_at(0);
        kith_status want = asked < n ? KITH_OK : KITH_ERR_MEMORY;
        if (status != want || err.status != status)
            fail_msg("%s: allocation %zu fails: %s, and the message has %s: %s",
                     name, n, kith_status_name(status),
                     kith_status_name(err.status), err.message);
        if (mem_live_blocks() != 0)
            fail_msg("%s: allocation %zu fails: %zu blocks leaked", name, n,
                     mem_live_blocks());
        if (asked < n) {
            print_message("%s: %zu allocations failed in turn\n", name,
                          (n - 1) / stride);
            return asked;
        }
    }
}

static inline size_t torture(const char *name, torture_fn *run, const void *arg)
{
    return torture_some(name, run, arg, 1);
}

#endif
