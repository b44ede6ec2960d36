/* Teams: who draws, who pays, and what happens when a rank fails or differs.
 * Ranks are threads; every one of them must end with the same status, and none
 * may wait for ever (I43, I44).
 * link: support/team_threads.c
 * link: support/mem_failing.c
 * link: support/entropy_failing.c */
#include <stdio.h>

#include "dp/dp_i.h"
#include "support/entropy_failing.h"
#include "support/make_data.h"
#include "support/mem_failing.h"
#include "support/team_threads.h"

enum { RANKS = 3, N = 400, D = 3, K = 2 };

typedef struct scene scene;
struct scene {
    /* What a rank changes before it runs; NULL: nothing. */
    void (*differ)(uint32_t rank, kith_session_options *opt,
                   kith_kmeans_options *means, kith_bounds *bounds);
    void (*instead)(const scene *s, uint32_t rank, kith_session *session,
                    kith_status *status, kith_error *err);
    int secure;
    int quits; /* the last rank is gone once the session is open */
    kith_ledger *ledger;
    const double *rows;
    kith_kmeans_method method;
    kith_status status[RANKS];
    kith_error err[RANKS];
    kith_i_loss left[RANKS];
    int opened[RANKS], models[RANKS];
};

static void run_session(scene *s, uint32_t rank, kith_session *session,
                        const kith_kmeans_options *means)
{
    kith_result *result = NULL;
    if (s->quits && rank == RANKS - 1)
        return;
    if (s->instead)
        s->instead(s, rank, session, &s->status[rank], &s->err[rank]);
    else
        s->status[rank] = kith_kmeans(session, means, &result, &s->err[rank]);
    s->models[rank] = result != NULL;
    s->left[rank] = kith_i_session_left(session);
    kith_result_free(result);
}

static void work(void *arg, const kith_team *team)
{
    scene *s = arg;
    uint32_t r = team->rank;
    kith_bounds bounds = ball(2);
    kith_session_options opt;
    kith_kmeans_options means;
    kith_dataset *data = NULL;
    kith_session *session = NULL;
    kith_session_options_init(&opt, sizeof opt);
    kith_kmeans_options_init(&means, sizeof means);
    opt.privacy = (kith_privacy){1, 1e-6, KITH_ADD_REMOVE};
    opt.threads = 1;
    opt.insecure = !s->secure;
    opt.ledger = s->ledger;
    opt.account = "a";
    opt.team = team;
    means.clusters = K;
    means.method = s->method;
    if (r > 0)
        entropy_forbid();
    if (s->differ)
        s->differ(r, &opt, &means, &bounds);
    s->status[r] = kith_dataset_from_rows(s->rows + r * N * D, N, D, &bounds,
                                          &data, &s->err[r]);
    s->status[r] = kith_team_agree(team, s->status[r], &s->err[r]);
    if (!s->status[r])
        s->status[r] = kith_session_open(data, &opt, &session, &s->err[r]);
    s->opened[r] = session != NULL;
    if (session) {
        run_session(s, r, session, &means);
        kith_session_close(session);
    } else {
        kith_dataset_free(data);
    }
}

static scene play(scene s)
{
    static double *rows;
    if (!rows)
        rows = make_rows(RANKS * N, D, K, 1);
    s.rows = rows;
    if (!s.method)
        s.method = KITH_KMEANS_LLOYD;
    team_run(RANKS, work, &s);
    return s;
}

/* All ranks end with this, none with a model. */
static void assert_all(const scene *s, kith_status want, const char *words)
{
    for (int r = 0; r < RANKS; r++) {
        if (s->status[r] != want)
            fail_msg("rank %d: %s: %s", r, kith_status_name(s->status[r]),
                     s->err[r].message);
        assert_int_equal(s->models[r], want == KITH_OK);
        if (words && !strstr(s->err[r].message, words))
            fail_msg("rank %d says: %s", r, s->err[r].message);
    }
}

/* ---- who draws, who pays ---- */

static void test_rank_0_draws(void **state)
{
    (void)state;
    entropy_fail_at(0);
    scene s = play((scene){.secure = 1, .method = KITH_KMEANS_AUTO});
    assert_all(&s, KITH_OK, NULL);
    assert_true(entropy_refills() > 10);
    assert_int_equal(entropy_trespasses(), 0);
}

static void test_one_charge(void **state)
{
    (void)state;
    kith_ledger *ledger;
    double left;
    assert_int_equal(kith_ledger_memory_new(&ledger, NULL), KITH_OK);
    kith_privacy limit = {4, 1e-5, KITH_ADD_REMOVE};
    assert_int_equal(kith_ledger_grant(ledger, "a", &limit, NULL), KITH_OK);
    double mu, all;
    assert_int_equal(kith_privacy_mu(1, 1e-6, &mu, NULL), KITH_OK);
    assert_int_equal(kith_privacy_mu(4, 1e-5, &all, NULL), KITH_OK);
    double once = 1 - mu * mu / (all * all);
    entropy_fail_at(0);
    scene s = play((scene){.secure = 1, .ledger = ledger});
    assert_all(&s, KITH_OK, NULL);
    /* nor does another rank draw the id of a charge: here all ids are alike,
     * so that a second charge would not be seen in what is left */
    assert_int_equal(entropy_trespasses(), 0);
    assert_int_equal(kith_ledger_remaining(ledger, "a", &left, NULL), KITH_OK);
    assert_true(left < once + 1e-9 && left > once - 1e-6);
    kith_ledger_free(ledger);
    /* a rank that fails costs the same, once; the scripted words would give
     * both runs one id, which a ledger takes once */
    assert_int_equal(kith_ledger_memory_new(&ledger, NULL), KITH_OK);
    assert_int_equal(kith_ledger_grant(ledger, "a", &limit, NULL), KITH_OK);
    s = play((scene){.secure = 1, .ledger = ledger, .quits = 1});
    assert_int_not_equal(s.status[0], KITH_OK);
    assert_int_equal(kith_ledger_remaining(ledger, "a", &left, NULL), KITH_OK);
    assert_true(left < once + 1e-9 && left > once - 1e-6);
    kith_ledger_free(ledger);
}

/* The ledger refuses: nobody gets a session. */
static void test_ledger_refuses_all(void **state)
{
    (void)state;
    kith_ledger *ledger;
    assert_int_equal(kith_ledger_memory_new(&ledger, NULL), KITH_OK);
    kith_privacy limit = {.5, 1e-6, KITH_ADD_REMOVE};
    assert_int_equal(kith_ledger_grant(ledger, "a", &limit, NULL), KITH_OK);
    scene s = play((scene){.secure = 1, .ledger = ledger});
    assert_all(&s, KITH_ERR_BUDGET, NULL);
    for (int r = 0; r < RANKS; r++)
        assert_int_equal(s.opened[r], 0);
    kith_ledger_free(ledger);
}

/* ---- ranks that differ ---- */

static void differ_privacy(uint32_t rank, kith_session_options *opt,
                           kith_kmeans_options *means, kith_bounds *bounds)
{
    (void)means;
    (void)bounds;
    opt->privacy.epsilon = rank == 1 ? .5 : 1;
}

static void differ_bounds(uint32_t rank, kith_session_options *opt,
                          kith_kmeans_options *means, kith_bounds *bounds)
{
    (void)opt;
    (void)means;
    bounds->radius = rank == 2 ? 1.5 : 2;
}

static void differ_adjacency(uint32_t rank, kith_session_options *opt,
                             kith_kmeans_options *means, kith_bounds *bounds)
{
    (void)means;
    (void)bounds;
    if (rank == 1)
        opt->privacy.neighbors = KITH_REPLACE_ONE;
}

static void differ_clusters(uint32_t rank, kith_session_options *opt,
                            kith_kmeans_options *means, kith_bounds *bounds)
{
    (void)opt;
    (void)bounds;
    means->clusters = rank == 2 ? K + 1 : K;
}

static void differ_coins(uint32_t rank, kith_session_options *opt,
                         kith_kmeans_options *means, kith_bounds *bounds)
{
    (void)opt;
    (void)bounds;
    means->public_seed = rank == 1;
}

static void differ_method(uint32_t rank, kith_session_options *opt,
                          kith_kmeans_options *means, kith_bounds *bounds)
{
    (void)opt;
    (void)bounds;
    if (rank == 1)
        means->method = KITH_KMEANS_AUTO;
}

static void test_differences_are_refused(void **state)
{
    (void)state;
    scene s = play((scene){.differ = differ_privacy});
    assert_all(&s, KITH_ERR_TEAM, "rank 1");
    assert_int_equal(s.opened[0], 0);
    s = play((scene){.differ = differ_bounds});
    assert_all(&s, KITH_ERR_TEAM, "rank 2");
    assert_int_equal(s.opened[1], 0);
    s = play((scene){.differ = differ_adjacency});
    assert_all(&s, KITH_ERR_TEAM, "rank 1");
    s = play((scene){.differ = differ_clusters});
    assert_all(&s, KITH_ERR_TEAM, "rank 2");
    assert_int_equal(s.opened[0], 1);
    s = play((scene){.differ = differ_coins});
    assert_all(&s, KITH_ERR_TEAM, "rank 1");
    s = play((scene){.differ = differ_method});
    assert_all(&s, KITH_ERR_TEAM, "rank 1");
}

/* A centre, a radius, an origin, an edge, an axis of a view that is another in
 * its last bit: each kind of number that an ask is made of. */
static int which;

static void ask_differently(const scene *sc, uint32_t rank, kith_session *s,
                            kith_status *status, kith_error *err)
{
    (void)sc;
    int odd = rank == 1;
    double coords[K * D] = {100, 200, 300, -5000, 7, 9}, squares[K] = {0};
    double limits[1] = {1e6}, inverse[D] = {1, 1, 1}, edge[2] = {2, 12};
    int32_t origins[K * D] = {0};
    uint64_t radius[K] = {30000, 30000};
    kith_i_box nodes[4] = {{.axis = 0, .middle = 10, .child = 2},
                           {.child = -1, .cell = 0},
                           {.child = -1, .cell = 1},
                           {.child = -1, .cell = 0}};
    double axis[D] = {1, 0, 0};
    if (odd && which == 0)
        coords[4]++;
    if (odd && which == 1)
        limits[0]++;
    if (odd && which == 2)
        origins[5]++;
    if (odd && which == 3)
        radius[1]--;
    if (odd && which == 4)
        nodes[0].middle++;
    if (odd && which == 5)
        inverse[2] *= 1 + 0x1p-52;
    if (odd && which == 6)
        axis[0] = 1 - 0x1p-40;
    for (int j = 0; j < K; j++)
        for (int i = 0; i < D; i++)
            squares[j] += coords[j * D + i] * coords[j * D + i];
    kith_i_centers centers = {
        .k = K, .d = D, .coords = coords, .squares = squares};
    kith_i_distance_bins bins = {.bins = 2, .limits = limits};
    kith_i_forest forest = {.q = D,
                            .roots = 2,
                            .edge = edge,
                            .inverse = inverse,
                            .node = nodes,
                            .nodes = 4};
    const kith_i_view *view = NULL;
    kith_i_ask ask = {
        .place = {.kind = KITH_I_PLACE_NEAREST, .centers = &centers}};
    kith_i_cells_spec spec = {
        .what = "test", .cells = K, .count_charge = kith_i_session_left(s) / 4};
    if (which == 1)
        ask.place.bins = &bins;
    if (which == 2 || which == 3) {
        ask.value = (kith_i_value){
            .kind = KITH_I_VALUE_RESIDUAL, .origins = origins, .by_cell = 1};
        spec.width = D;
        spec.radius = radius;
        spec.sum_charge = kith_i_session_left(s) / 4;
    }
    if (which == 4 || which == 5)
        ask.place = (kith_i_place){
            .kind = KITH_I_PLACE_TREE, .places = K, .forest = &forest};
    if (which == 6) {
        *status = kith_i_view_open(s, axis, 1, NULL, 2, &view, err);
        ask = (kith_i_ask){.view = view};
    }
    kith_i_cells cells = {0};
    if (!*status)
        *status = kith_i_release_cells(s, &ask, &spec, &cells, err);
    kith_i_cells_free(&cells);
    *status = kith_i_session_settle(s, *status, err);
}

static void test_every_number_is_compared(void **state)
{
    (void)state;
    for (which = 0; which < 7; which++) {
        scene s = play((scene){.instead = ask_differently});
        for (int r = 0; r < RANKS; r++)
            if (s.status[r] != KITH_ERR_TEAM)
                fail_msg("difference %d is not noticed: %s", which,
                         s.err[r].message);
    }
    which = 7; /* nothing differs */
    scene s = play((scene){.instead = ask_differently});
    for (int r = 0; r < RANKS; r++)
        assert_int_equal(s.status[r], KITH_OK);
}

/* ---- ranks that fail ---- */

static void test_each_allocation(void **state)
{
    (void)state;
    static const kith_kmeans_method methods[] = {
        KITH_KMEANS_LLOYD, KITH_KMEANS_BALCAN, KITH_KMEANS_AUTO};
    for (int m = 0; m < 3; m++)
        for (size_t n = 1;; n += m ? 1 + n / 7 : 1) {
            size_t live = mem_live_blocks();
            mem_fail_at(n);
            scene s = play((scene){.method = methods[m]});
            size_t asked = mem_allocations();
            mem_fail_at(0);
            assert_int_equal(mem_live_blocks(), live);
            if (asked < n) {
                assert_all(&s, KITH_OK, NULL);
                break;
            }
            assert_all(&s, KITH_ERR_MEMORY, "out of memory");
        }
}

static void test_rank_0_without_entropy(void **state)
{
    (void)state;
    for (size_t n = 1; n < 12; n += 3) {
        entropy_fail_at(n);
        scene s = play((scene){.secure = 1});
        entropy_fail_at(0);
        assert_all(&s, KITH_ERR_ENTROPY, "budget stays spent");
    }
}

static void test_rank_that_leaves(void **state)
{
    (void)state;
    scene s = play((scene){.quits = 1});
    for (int r = 0; r < RANKS - 1; r++) {
        assert_int_equal(s.status[r], KITH_ERR_TEAM);
        assert_int_equal(s.models[r], 0);
        assert_non_null(strstr(s.err[r].message, "lost touch"));
    }
}

static int stop_late(void *arg, unsigned done, unsigned total)
{
    (void)arg;
    return done + 1 == total;
}

static void differ_patience(uint32_t rank, kith_session_options *opt,
                            kith_kmeans_options *means, kith_bounds *bounds)
{
    (void)opt;
    (void)bounds;
    means->progress = rank == 1 ? stop_late : NULL;
}

static void test_cancelled_by_one(void **state)
{
    (void)state;
    scene s = play((scene){.differ = differ_patience});
    assert_all(&s, KITH_ERR_CANCELLED, "rank 1");
}

/* ---- what a team cannot do ----------------------------------------------- */

static void run_refused(const scene *sc, uint32_t rank, kith_session *s,
                        kith_status *status, kith_error *err)
{
    (void)sc;
    (void)rank;
    static const kith_subspace_method methods[] = {
        KITH_SUBSPACE_GIBBS, KITH_SUBSPACE_MINCOST, KITH_SUBSPACE_BINGHAM,
        KITH_SUBSPACE_SAMPLE_AGGREGATE};
    kith_subspace_options opt;
    kith_kmedian_options medians;
    kith_subspace_options_init(&opt, sizeof opt);
    kith_kmedian_options_init(&medians, sizeof medians);
    opt.clusters = medians.clusters = 2;
    opt.subspace_dimension = 1;
    opt.method = methods[which % 4];
    medians.recovery = KITH_RECOVERY_SAMPLING;
    kith_result *result = NULL;
    *status = which < 4 ? kith_subspace(s, &opt, &result, err)
                        : kith_kmedian(s, &medians, &result, err);
    kith_result_free(result);
}

static void test_side_doors_are_refused(void **state)
{
    (void)state;
    static const char *names[] = {"gibbs", "mincost", "bingham",
                                  "sample-aggregate", "sampling"};
    kith_i_loss whole = 0;
    for (which = 0; which < 5; which++) {
        scene s = play((scene){.instead = run_refused});
        whole = whole ? whole : s.left[0];
        for (int r = 0; r < RANKS; r++) {
            if (s.status[r] != KITH_ERR_ARGUMENT)
                fail_msg("method %d: %s", which, s.err[r].message);
            assert_non_null(strstr(s.err[r].message, "team of ranks"));
            assert_non_null(strstr(s.err[r].message, names[which]));
            assert_true(s.left[r] == s.left[0] && s.left[r] == whole);
        }
    }
}

/* A rank says that it has 2^31 rows. */
static int sum_of_many(void *arg, uint64_t *values, size_t count)
{
    (void)arg;
    if (count == 1)
        values[0] += 0x7fffffff;
    if (count == 2) /* a meeting: two ranks of the same mind */
        values[1] *= 2;
    return 0;
}

static int share_nothing(void *arg, void *bytes, size_t count)
{
    (void)arg;
    (void)bytes;
    (void)count;
    return 0;
}

static int gather_twice(void *arg, const void *mine, size_t bytes, void **all,
                        size_t *total)
{
    static char room[4096];
    (void)arg;
    if (2 * bytes > sizeof room)
        return 1;
    memcpy(room, mine, bytes);
    memcpy(room + bytes, mine, bytes);
    *all = room;
    *total = 2 * bytes;
    return 0;
}

static void test_too_many_rows(void **state)
{
    (void)state;
    kith_team team = {sizeof team,   0,           2, NULL, sum_of_many,
                      share_nothing, gather_twice};
    double rows[D] = {0};
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy = (kith_privacy){1, 1e-6, KITH_ADD_REMOVE};
    opt.team = &team;
    kith_session *s = NULL;
    kith_error err = {0};
    kith_dataset *data = load(rows, 1, D, ball(1));
    assert_int_equal(kith_session_open(data, &opt, &s, &err), KITH_ERR_INPUT);
    assert_null(s);
    kith_dataset_free(data);
    data = load(rows, 0, D, ball(1)); /* as many as there may be */
    assert_int_equal(kith_session_open(data, &opt, &s, &err), KITH_OK);
    kith_session_close(s);
}

/* A team without functions, or of a rank that is not in it. */
static void test_teams_of_the_wrong_shape(void **state)
{
    (void)state;
    kith_team good = {sizeof good,   0,           2, NULL, sum_of_many,
                      share_nothing, gather_twice};
    double rows[D] = {0};
    for (int i = 0; i < 6; i++) {
        kith_team team = good;
        if (i == 0)
            team.size = 8;
        if (i == 1)
            team.rank = 2;
        if (i == 2)
            team.ranks = 0;
        if (i == 3)
            team.sum = NULL;
        if (i == 4)
            team.share = NULL;
        if (i == 5)
            team.gather = NULL;
        kith_session_options opt;
        kith_session_options_init(&opt, sizeof opt);
        opt.privacy = (kith_privacy){1, 1e-6, KITH_ADD_REMOVE};
        opt.team = &team;
        kith_session *s = NULL;
        kith_dataset *data = load(rows, 1, D, ball(1));
        assert_int_equal(kith_session_open(data, &opt, &s, NULL),
                         KITH_ERR_ARGUMENT);
        assert_int_equal(kith_team_agree(&team, KITH_OK, NULL),
                         KITH_ERR_ARGUMENT);
        kith_dataset_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank_0_draws),
        cmocka_unit_test(test_one_charge),
        cmocka_unit_test(test_ledger_refuses_all),
        cmocka_unit_test(test_differences_are_refused),
        cmocka_unit_test(test_every_number_is_compared),
        cmocka_unit_test(test_each_allocation),
        cmocka_unit_test(test_rank_0_without_entropy),
        cmocka_unit_test(test_rank_that_leaves),
        cmocka_unit_test(test_cancelled_by_one),
        cmocka_unit_test(test_side_doors_are_refused),
        cmocka_unit_test(test_too_many_rows),
        cmocka_unit_test(test_teams_of_the_wrong_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
