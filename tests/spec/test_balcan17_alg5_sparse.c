/* Algorithm 5 of Balcan et al. 2017, repaired (central.md, items 20 to 22):
 * the choice of features follows the law of the listing, read naively; with
 * little noise the centres are the naive ones; entries are clamped to the bound
 * that is paid for; choice, sizes and values add up to the charge and no more.
 */
#include <math.h>

#include "balcan/balcan_i.h"
#include "release/release_features.h"
#include "support/near_points.h"
#include "support/sparse_data.h"
#include "support/stat.h"

/* ---- the law of the choice ---- */

enum { D = 4, ROWS = 6, PICKS = 2 };

/* Probability of the next pick among `left` by the listing: with weight
 * exp(b |S|) in Gaussian DP, by permute-and-flip in pure DP (all orders). */
static double next_pick(const double *score, const int *left, int n, int at,
                        double b, int pure)
{
    double most = 0, sum = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, score[left[i]]);
    if (!pure) {
        for (int i = 0; i < n; i++)
            sum += exp(b * (score[left[i]] - most));
        return exp(b * (score[left[at]] - most)) / sum;
    }
    /* average over subsets that come before `at` in a random order */
    double p = 0;
    for (int mask = 0; mask < 1 << n; mask++) {
        if (mask >> at & 1)
            continue;
        double none = 1, ways = 1;
        int before = 0;
        for (int i = 0; i < n; i++)
            if (mask >> i & 1) {
                none *= 1 - exp(b * (score[left[i]] - most));
                before++;
            }
        for (int i = 1; i <= before; i++)
            ways *= i;
        for (int i = 1; i <= n - 1 - before; i++)
            ways *= i;
        for (int i = 1; i <= n; i++)
            ways /= i;
        p += ways * none;
    }
    return p * exp(b * (score[left[at]] - most));
}

static void check_law(double epsilon, double delta, kith_neighbors nb,
                      int nonnegative)
{
    enum { RUNS = 1500 };
    /* in units of a 32nd; the third row exceeds BOUND and is clamped */
    static const double rows[ROWS * D] = {2, 0, 1, 0, 1, 0, 0, 0, 900, 0, 0, 0,
                                          0, 0, 2, 1, 0, 3, 0, 0, 0,   0, 1, 1};
    static const double zero = 0, one = 1, minus = -1;
    double scaled[ROWS * D];
    for (int i = 0; i < ROWS * D; i++)
        scaled[i] = rows[i] / 1024;
    kith_bounds bounds = {.lower = nonnegative ? &zero : &minus,
                          .upper = &one,
                          .box_count = 1,
                          .radius = 2}; /* about 0 */
    uint64_t seen[D * D] = {0};
    double step = 0, score[D] = {0};
    for (uint64_t run = 0; run < RUNS; run++) {
        kith_dataset *data = load(scaled, ROWS, D, bounds);
        step = kith_dataset_step(data);
        kith_session *s = open_session(data, epsilon, delta, nb, 1, run);
        /* cell 0, but for those with a negative last entry */
        static const double ends[2 * D] = {[D - 1] = 1, [2 * D - 1] = -1};
        near_points near;
        kith_i_ask ask = {.place = near_place(&near, ends, 2, D)};
        kith_i_features_spec spec = {.what = "choice",
                                     .cells = 2,
                                     .picks = PICKS,
                                     .bound = (uint32_t)(4 / 1024. / step),
                                     .charge = kith_i_session_left(s)};
        uint32_t out[2 * PICKS];
        kith_error err = {0};
        if (kith_i_release_features(s, &ask, &spec, out, &err))
            fail_msg("%s", err.message);
        assert_true(out[0] != out[1] && out[0] < D && out[1] < D);
        assert_true(out[2] != out[3] && out[2] < D && out[3] < D);
        assert_true(kith_i_session_left(s) == 0);
        seen[out[0] * D + out[1]]++;
        kith_session_close(s);
    }
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < D; i++)
            score[i] += fmin(rows[r * D + i], 4);
    double range = epsilon / PICKS, mu;
    if (delta > 0) {
        assert_int_equal(kith_privacy_mu(epsilon, delta, &mu, NULL), KITH_OK);
        range = mu / sqrt(PICKS) / 0.6267;
    }
    /* item 21: t = 1 for scores that only grow, else 2; twice for replace */
    double t = (nonnegative ? 1 : 2) * (nb == KITH_REPLACE_ONE ? 2 : 1);
    double b = range / (t * 4), p[D * D] = {0};
    for (int a = 0; a < D; a++)
        for (int c = 0; c < D; c++) {
            int all[D] = {0, 1, 2, 3}, rest[D - 1], n = 0, at = 0;
            if (a == c)
                continue;
            for (int i = 0; i < D; i++)
                if (i != a) {
                    at = i == c ? n : at;
                    rest[n++] = i;
                }
            p[a * D + c] = next_pick(score, all, D, a, b, delta <= 0) *
                           next_pick(score, rest, D - 1, at, b, delta <= 0);
        }
    size_t degrees;
    double x = chi_square(seen, p, D * D, 0, RUNS, &degrees);
    assert_true(degrees > 5 && x <= chi_square_limit(degrees));
}

static void test_law(void **state)
{
    (void)state;
    check_law(4, 0, KITH_ADD_REMOVE, 1);
    check_law(4, 0, KITH_ADD_REMOVE, 0);
    check_law(4, 0, KITH_REPLACE_ONE, 1);
    check_law(4, 1e-3, KITH_ADD_REMOVE, 0);
    check_law(4, 1e-3, KITH_REPLACE_ONE, 0);
}

/* ---- the centres ---- */

enum { WIDE = 200, MANY = 600, CLUSTERS = 3, TOPIC = 4 };

/* Three topics of four words of their own, and random other words. */
static double *make_topics(uint64_t seed)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, seed, 5);
    double *rows = calloc((size_t)MANY * WIDE, sizeof *rows);
    for (int r = 0; r < MANY; r++) {
        double *x = rows + (size_t)r * WIDE;
        for (int t = 0; t < TOPIC; t++)
            x[r % CLUSTERS * TOPIC + t] = .3 + .05 * t;
        for (int t = 0; t < 4; t++)
            x[12 + kith_i_coins_below(&coins, WIDE - 12)] = .2;
    }
    return rows;
}

static void test_centers(void **state)
{
    (void)state;
    double *rows = make_topics(1);
    kith_bounds bounds = {.radius = 1, .sparsity = 8};
    for (int mode = 0; mode < 4; mode++) {
        double delta = mode & 1 ? 1e-6 : 0;
        kith_neighbors nb = mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE;
        kith_session *s = open_session(load_sparse(rows, MANY, WIDE, bounds),
                                       4000, delta, nb, 2, 1);
        const kith_i_domain *domain = kith_i_session_domain(s);
        double weights[CLUSTERS];
        kith_i_coins coins;
        kith_i_coins_seed(&coins, 1, 0);
        kith_i_recovery r;
        assert_int_equal(
            kith_i_recovery_open(&r, s, CLUSTERS, &coins, weights, NULL),
            KITH_OK);
        kith_i_loss part = kith_i_session_left(s) / 10;
        assert_int_equal(kith_i_recover_mean(&r, 0, part, 0, NULL), KITH_OK);
        assert_true(fabs(r.rows - MANY) < 2);
        for (int j = 0; j < CLUSTERS; j++) /* one word of each topic */
            r.centers[j * WIDE + j * TOPIC] = 8192;
        kith_i_loss before = kith_i_session_left(s);
        assert_int_equal(
            kith_i_recover_sparse(&r, "test", NULL, NULL, 1, before, NULL),
            KITH_OK);
        assert_true(kith_i_session_left(s) == 0);
        uint32_t m = kith_i_sparse_picks(s, kith_i_loss_share(before, .55),
                                         CLUSTERS, r.rows);
        assert_true(m >= TOPIC && m <= 4 * 8);
        for (int j = 0; j < CLUSTERS; j++) {
            assert_true(fabs(weights[j] - MANY / CLUSTERS) < 2);
            const double *c = r.centers + j * WIDE;
            uint32_t entries = 0;
            for (int i = 0; i < WIDE; i++)
                entries += c[i] != 0;
            assert_true(entries >= TOPIC && entries <= m);
            for (int t = 0; t < TOPIC; t++)
                assert_true(fabs(c[j * TOPIC + t] -
                                 ldexp(.3 + .05 * t, domain->scale_log2)) <
                            ldexp(.01, domain->scale_log2));
        }
        kith_i_recovery_close(&r);
        kith_session_close(s);
    }
    free(rows);
}

/* ---- as printed: 2 s / eta features ---- */

static void test_as_published(void **state)
{
    (void)state;
    double *rows = make_topics(2);
    kith_bounds bounds = {.radius = 1, .sparsity = 8};
    kith_session *s = open_session(load_sparse(rows, MANY, WIDE, bounds), 1,
                                   1e-6, KITH_ADD_REMOVE, 2, 3);
    kith_kmeans_options opt;
    kith_kmeans_options_init(&opt, sizeof opt);
    opt.clusters = CLUSTERS;
    opt.method = KITH_KMEANS_BALCAN;
    opt.as_published = 1;
    kith_result *r = NULL;
    assert_int_equal(kith_kmeans(s, &opt, &r, NULL), KITH_OK);
    size_t choices = 0;
    for (size_t i = 0; i < kith_result_receipt_count(r); i++) {
        kith_receipt line;
        kith_result_receipt(r, i, &line);
        const char *picks = strstr(line.what, " features, ");
        if (!picks)
            continue;
        choices++;
        assert_non_null(strstr(picks, " 32 picks")); /* 2 * 8 / .5 */
    }
    assert_int_equal(choices, 9); /* the recovery and 8 rounds */
    kith_result_free(r);
    kith_session_close(s);
    free(rows);
}

/* ---- whole runs ---- */

static void test_runs(void **state)
{
    (void)state;
    double *rows = make_topics(2);
    kith_bounds bounds = {.radius = 1, .sparsity = 8};
    for (int mode = 0; mode < 4; mode++) {
        double delta = mode & 1 ? 1e-6 : 0, total = 1, sum = 0;
        kith_neighbors nb = mode & 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE;
        kith_privacy privacy = {1, delta, nb};
        kith_kmeans_options opt;
        kith_kmeans_options_init(&opt, sizeof opt);
        opt.clusters = CLUSTERS;
        opt.method = KITH_KMEANS_BALCAN;
        kith_session *s = open_session(load_sparse(rows, MANY, WIDE, bounds), 1,
                                       delta, nb, 2, 3);
        kith_result *real = NULL, *plan = NULL;
        assert_int_equal(kith_kmeans(s, &opt, &real, NULL), KITH_OK);
        kith_session_close(s);
        assert_int_equal(kith_kmeans_plan(&(kith_shape){MANY, WIDE, 1, 0},
                                          &bounds, &privacy, &opt, &plan, NULL),
                         KITH_OK);
        size_t count = kith_result_receipt_count(real);
        assert_int_equal(count, kith_result_receipt_count(plan));
        for (size_t i = 0; i < count; i++) {
            kith_receipt a, b;
            kith_result_receipt(real, i, &a);
            kith_result_receipt(plan, i, &b);
            /* how many picks follows from the noisy number of rows */
            const char *picks = strstr(a.what, " features, ");
            if (picks)
                assert_memory_equal(a.what, b.what, (size_t)(picks - a.what));
            else
                assert_string_equal(a.what, b.what);
            assert_true(a.loss == b.loss);
            sum += delta > 0 ? a.loss * a.loss : a.loss;
        }
        if (delta > 0) {
            assert_int_equal(kith_privacy_mu(1, delta, &total, NULL), KITH_OK);
            total *= total;
        }
        assert_true(sum <= total * (1 + 1e-12) && sum >= total * (1 - 1e-9));
        /* sparse centres: never more than a few entries */
        const double *c = kith_result_centers(real, NULL, NULL);
        for (int j = 0; j < CLUSTERS; j++) {
            int entries = 0;
            for (int i = 0; i < WIDE; i++)
                entries += c[j * WIDE + i] != 0;
            assert_true(entries <= 32);
        }
        kith_result_free(real);
        kith_result_free(plan);
    }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law),
        cmocka_unit_test(test_centers),
        cmocka_unit_test(test_as_published),
        cmocka_unit_test(test_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
