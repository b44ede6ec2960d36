/* link: support/noise_replay.c */
/* Audit of people as the unit (R15): data with and without a person of 500
 * rows, for every family of methods, by replay (support/replay_pair.h): the
 * loss is a sum, so there are no false alarms. When all rows are kept, as if
 * each were somebody's, the audit must notice. */
#include "support/replay_pair.h"

enum { OTHERS = 60, HERS = 500 };

typedef enum { LLOYD, AUTO, BALCAN, MEDIAN, PLANES } family;

typedef struct {
    const char *name;
    family family;
    uint32_t d;
    double epsilon, delta;
    kith_neighbors neighbors;
    int all_rows; /* the mistake */
} claim;

static uint32_t each = 1; /* rows that are drawn of a person */

/* The rows of one person and of those who take her place, in a corner or
 * spread over many places. */
static double *make(const claim *c, int other)
{
    size_t n = OTHERS + HERS;
    double *rows = make_rows(n, c->d, 2, 3);
    for (size_t r = OTHERS; r < n; r++)
        for (uint32_t i = 0; i < c->d; i++)
            rows[r * c->d + i] = other        ? -.9
                                 : r % 2 == 0 ? .9
                                              : .9 - (double)(r % 7) / 40;
    return rows;
}

static kith_dataset *load_people(const claim *c, const double *rows, size_t n)
{
    static const char *users[OTHERS + HERS];
    static char names[OTHERS + HERS][8];
    for (size_t r = 0; r < n; r++) {
        snprintf(names[r], sizeof names[r], "%zu",
                 r < OTHERS || c->all_rows ? r : OTHERS);
        users[r] = names[r];
    }
    kith_array array = {rows,
                        KITH_FLOAT64,
                        n,
                        c->d,
                        (ptrdiff_t)(c->d * sizeof(double)),
                        sizeof(double)};
    kith_source source = {.array = &array, .users = users};
    kith_source_options opt;
    kith_source_options_init(&opt, sizeof opt);
    opt.rows_per_user = each;
    kith_bounds bounds = ball(2);
    bounds.unit_rows = c->family == PLANES;
    bounds.radius = c->family == PLANES ? 1 : 2;
    kith_dataset *data = NULL;
    kith_error err = {0};
    if (kith_dataset_load(&source, &opt, &bounds, &data, &err))
        fail_msg("%s", err.message);
    return data;
}

static kith_status run_family(const claim *c, kith_session *s,
                              kith_result **out, kith_error *err)
{
    kith_kmeans_options means;
    kith_kmedian_options medians;
    kith_subspace_options planes;
    kith_kmeans_options_init(&means, sizeof means);
    kith_kmedian_options_init(&medians, sizeof medians);
    kith_subspace_options_init(&planes, sizeof planes);
    means.clusters = medians.clusters = planes.clusters = 2;
    means.method = c->family == LLOYD    ? KITH_KMEANS_LLOYD
                   : c->family == BALCAN ? KITH_KMEANS_BALCAN
                                         : KITH_KMEANS_AUTO;
    planes.subspace_dimension = 1;
    planes.method = KITH_SUBSPACE_SULQ; /* replay cannot follow a tensor */
    return c->family == MEDIAN   ? kith_kmedian(s, &medians, out, err)
           : c->family == PLANES ? kith_subspace(s, &planes, out, err)
                                 : kith_kmeans(s, &means, out, err);
}

static void run(const void *arg, const double *rows, size_t n, double more,
                double *charged)
{
    const claim *c = arg;
    kith_session *s = open_session(load_people(c, rows, n), c->epsilon * more,
                                   c->delta, c->neighbors, 1, 1);
    kith_result *r = NULL;
    kith_error err = {0};
    if (run_family(c, s, &r, &err))
        fail_msg("%s: %s", c->name, err.message);
    assert_int_equal(kith_result_unit(r), KITH_UNIT_USER);
    replay_receipts(r, charged);
    kith_result_free(r);
    kith_session_close(s);
}

static replay_losses audit(const claim *c)
{
    double *a = make(c, 0), *b = make(c, 1);
    int replace = c->neighbors == KITH_REPLACE_ONE;
    replay_pair pair = {run,
                        c,
                        {c->epsilon, c->delta, c->neighbors},
                        {a, b},
                        {OTHERS + HERS, replace ? OTHERS + HERS : OTHERS}};
    replay_losses l = replay_audit(&pair, FAULT_NONE, 1);
    free(a);
    free(b);
    return l;
}

static const claim claims[] = {
    {"lloyd, pure", LLOYD, 2, 1, 0, KITH_ADD_REMOVE, 0},
    {"lloyd, replaced", LLOYD, 2, 1, 1e-6, KITH_REPLACE_ONE, 0},
    {"auto", AUTO, 2, 4, 1e-6, KITH_ADD_REMOVE, 0},
    {"balcan", BALCAN, 3, 2, 1e-6, KITH_ADD_REMOVE, 0},
    {"k-median", MEDIAN, 2, 2, 1e-6, KITH_ADD_REMOVE, 0},
    {"planes", PLANES, 3, 2, 1e-6, KITH_ADD_REMOVE, 0},
};

static void check_people(uint32_t rows)
{
    each = rows;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        replay_losses l = audit(&claims[i]);
        replay_print(claims[i].name, &l);
        assert_true(replay_worst(&l) <= 1 + 1e-6);
        assert_true(l.whole > .05); /* else it is blind */
    }
    each = 1;
}

static void test_people(void **state)
{
    (void)state;
    check_people(1);
}

/* With several rows a person is a group: five rows come and go at once. */
static void test_groups(void **state)
{
    (void)state;
    check_people(5);
}

static void test_all_rows_are_caught(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        claim broken = claims[i];
        broken.all_rows = 1;
        replay_losses l = audit(&broken);
        replay_print(broken.name, &l);
        assert_true(replay_worst(&l) > 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_people),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_all_rows_are_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
