/* Small datasets for tests. */
#ifndef KITH_TEST_MAKE_DATA_H
#define KITH_TEST_MAKE_DATA_H

#include "base/base_i.h"
#include "kith/kith.h"
#include "support/cmocka_all.h"

/* n x d values, normal about `groups` corners, roughly within [-1, 1]. */
static inline double *make_rows(size_t n, uint32_t d, uint32_t groups,
                                uint64_t seed)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 9);
    double *rows = malloc((n * d + 1) * sizeof *rows);
    double *centers = malloc((size_t)groups * d * sizeof *centers);
    for (size_t i = 0; i < (size_t)groups * d; i++)
        centers[i] = kith_i_coins_unit(&coins) * 1.4 - 0.7;
    for (size_t r = 0; r < n; r++) {
        size_t g = kith_i_coins_below(&coins, groups);
        for (uint32_t i = 0; i < d; i++)
            rows[r * d + i] =
                centers[g * d + i] + 0.1 * kith_i_coins_normal(&coins);
    }
    free(centers);
    return rows;
}

static inline kith_bounds unit_box(void)
{
    static const double low = -1, high = 1;
    return (kith_bounds){.lower = &low, .upper = &high, .box_count = 1};
}

static inline kith_bounds ball(double radius)
{
    return (kith_bounds){.radius = radius};
}

static inline kith_dataset *load(const double *rows, size_t n, uint32_t d,
                                 kith_bounds bounds)
{
    kith_dataset *data = NULL;
    kith_error err = {0};
    if (kith_dataset_from_rows(rows, n, d, &bounds, &data, &err))
        fail_msg("dataset: %s", err.message);
    return data;
}

/* A seeded session that takes the data. */
static inline kith_session *open_session(kith_dataset *data, double epsilon,
                                         double delta, kith_neighbors nb,
                                         uint32_t threads, uint64_t seed)
{
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy = (kith_privacy){epsilon, delta, nb};
    opt.threads = threads;
    opt.insecure = 1;
    opt.insecure_seed = seed;
    kith_session *session = NULL;
    kith_error err = {0};
    if (kith_session_open(data, &opt, &session, &err))
        fail_msg("session: %s", err.message);
    return session;
}

/* A session that takes the data and that a fresh ledger paid for. */
static inline kith_session *
ledger_session(kith_dataset *data, kith_privacy privacy, kith_ledger **ledger)
{
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy = privacy;
    opt.account = "a";
    assert_int_equal(kith_ledger_memory_new(ledger, NULL), KITH_OK);
    assert_int_equal(kith_ledger_grant(*ledger, "a", &privacy, NULL), KITH_OK);
    opt.ledger = *ledger;
    kith_session *session = NULL;
    kith_error err = {0};
    if (kith_session_open(data, &opt, &session, &err))
        fail_msg("session: %s", err.message);
    return session;
}

#endif
