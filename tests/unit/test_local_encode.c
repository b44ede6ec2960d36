/* From records to symbols and vectors: every kind of place and report against
 * a plain computation, and every kind for records and questions that make no
 * sense. */
#include <math.h>

#include "collect/collect_i.h"
#include "support/cmocka_all.h"
#include "support/gdp_delta.h"

enum { D = 3 };

static kith_i_question base_question(kith_i_place_kind kind, uint64_t places,
                                     kith_i_report_kind report)
{
    return (kith_i_question){
        .what = "test",
        .share = .5,
        .epsilon = 1,
        .report = report,
        .place = {.kind = kind, .places = places, .lens = {.q = D, .d = D}}};
}

static void fill(kith_i_coins *coins, double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 2 * kith_i_coins_unit(coins) - 1;
}

static double distance(const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < D; i++)
        s += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(s);
}

static const double POINTS[] = {-.5, -.5, 0, .5, .5, .5, 0, 0, 0, .9, -.9, 0};
static const double RADII[] = {.3, .6, .1, 2};

static void test_nearest_and_distance(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 0);
    kith_i_question q =
        base_question(KITH_I_PLACE_NEAREST, 4, KITH_I_REPORT_DISTANCE);
    q.place.points = q.centers = POINTS;
    q.bands = 6;
    q.top = 1;
    assert_null(kith_i_question_flaw(&q, D));
    assert_int_equal(kith_i_question_symbols(&q), 24);
    for (int n = 0; n < 2000; n++) {
        double x[D], best = 9;
        fill(&coins, x, D);
        uint64_t at = 0, band = 0;
        for (uint64_t j = 0; j < 4; j++)
            if (distance(x, POINTS + j * D) < best) {
                best = distance(x, POINTS + j * D);
                at = j;
            }
        for (uint64_t b = 1; b < 6; b++)
            if (best <= pow(2, -(double)b / 2))
                band = b;
        assert_int_equal(kith_i_encode(&q, D, x, 0, NULL), at * 6 + band);
    }
    q.report = KITH_I_REPORT_SYMBOL;
    double x[D] = {.51, .5, .5};
    assert_int_equal(kith_i_encode(&q, D, x, 0, NULL), 1);
    assert_int_equal(kith_i_question_symbols(&q), 4);
}

static void test_tree_through_a_lens(void **state)
{
    (void)state;
    static const double rows[] = {0, 1, 0, 1, 0, 0}, offset[] = {.1, 0, 0},
                        half[] = {.4, .2};
    static const kith_i_tree_node tree[] = {{0, 1, 2, .1},
                                            {-1, 0, 0, 0},
                                            {1, 3, 4, -.05},
                                            {-1, 1, 0, 0},
                                            {-1, 2, 0, 0}};
    kith_i_question q =
        base_question(KITH_I_PLACE_TREE, 3, KITH_I_REPORT_SYMBOL);
    q.place.lens = (kith_i_lens){2, D, rows, offset, half};
    q.place.tree = tree;
    q.place.tree_nodes = 5;
    assert_null(kith_i_question_flaw(&q, D));
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 2, 0);
    for (int n = 0; n < 1000; n++) {
        double x[D];
        fill(&coins, x, D);
        double y0 = x[1], y1 = x[0] - .1; /* clipping changes no side here */
        uint64_t want = y0 < .1 ? 0 : y1 < -.05 ? 1 : 2;
        assert_int_equal(kith_i_encode(&q, D, x, 0, NULL), want);
    }
    /* A threshold that only clipping reaches. */
    kith_i_tree_node edge[] = {{1, 1, 2, .2}, {-1, 0, 0, 0}, {-1, 1, 0, 0}};
    q.place.tree = edge;
    q.place.tree_nodes = 3;
    q.place.places = 2;
    double far[D] = {5, 0, 0};
    assert_int_equal(kith_i_encode(&q, D, far, 0, NULL), 1);
    edge[0].threshold = .201;
    assert_int_equal(kith_i_encode(&q, D, far, 0, NULL), 0);
}

static void test_grid_list_and_reach(void **state)
{
    (void)state;
    static const double half[] = {1, 1, 1}, shift[] = {.1, .2, 0};
    kith_i_question q =
        base_question(KITH_I_PLACE_GRID, 125, KITH_I_REPORT_SYMBOL);
    q.place.grid = (kith_i_grid){.lens = {D, D, NULL, NULL, half},
                                 .side = .5,
                                 .shift = shift,
                                 .cells = 5};
    assert_null(kith_i_question_flaw(&q, D));
    kith_i_question list = q;
    static const uint64_t keys[] = {0, 31, 62, 93};
    list.place.kind = KITH_I_PLACE_LIST;
    list.place.places = 4;
    list.place.keys = keys;
    list.place.reach = .5;
    list.centers = POINTS;
    assert_null(kith_i_question_flaw(&list, D));
    assert_int_equal(kith_i_question_symbols(&list), 5);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 3, 0);
    int listed = 0;
    for (int n = 0; n < 3000; n++) {
        double x[D];
        fill(&coins, x, D);
        uint64_t key = 0, radix = 1;
        for (int i = 0; i < D; i++, radix *= 5)
            key += radix * (uint64_t)floor((x[i] + 1 + shift[i]) / .5);
        assert_int_equal(kith_i_encode(&q, D, x, 0, NULL), key);
        uint64_t want = 4;
        for (uint64_t j = 0; j < 4; j++)
            if (keys[j] == key && distance(x, POINTS + j * D) <= .5)
                want = j;
        listed += want < 4;
        assert_int_equal(kith_i_encode(&list, D, x, 0, NULL), want);
    }
    assert_true(listed > 0);
    list.place.places = 0; /* the empty list */
    assert_null(kith_i_question_flaw(&list, D));
    assert_int_equal(kith_i_question_symbols(&list), 1);
    double x[D] = {0};
    assert_int_equal(kith_i_encode(&list, D, x, 0, NULL), 0);
}

static void test_vectors_are_lifted(void **state)
{
    (void)state;
    kith_i_question q =
        base_question(KITH_I_PLACE_NEAREST, 4, KITH_I_REPORT_VECTOR);
    q.place.points = q.centers = POINTS;
    q.radii = RADII;
    assert_null(kith_i_question_flaw(&q, D));
    assert_int_equal(kith_i_question_width(&q, D), 4);
    assert_int_equal(kith_i_question_kept(&q, D), 3);
    kith_i_question mom = q;
    mom.report = KITH_I_REPORT_MOMENT;
    assert_int_equal(kith_i_question_width(&mom, D), 4);
    assert_int_equal(kith_i_question_kept(&mom, D), 6);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 4, 0);
    int clipped = 0;
    for (int n = 0; n < 1000; n++) {
        double x[D], v[D + 1], norm = 0;
        float z[4], s[4];
        fill(&coins, x, D);
        uint64_t j = kith_i_encode(&q, D, x, 0, z);
        assert_int_equal(j, kith_i_encode(&mom, D, x, 0, s));
        for (int i = 0; i < D; i++)
            v[i] = (x[i] - POINTS[j * D + (uint64_t)i]) / RADII[j];
        for (int i = 0; i < D; i++)
            norm += v[i] * v[i];
        clipped += norm > 1;
        for (int i = 0; i < D; i++)
            v[i] /= norm > 1 ? sqrt(norm) : 1;
        v[D] = norm > 1 ? 0 : sqrt(1 - norm);
        /* sqrt(1 - 1) is as wide as sqrt of a rounding error */
        for (int i = 0; i <= D; i++)
            assert_true(fabs((double)z[i] - v[i]) < (i < D ? 1e-6 : 1e-3));
        assert_memory_equal(z, s, sizeof z);
    }
    assert_true(clipped > 0 && clipped < 1000);
}

/* A user in no region does as much and sends as much as any other. */
static void test_none_is_a_vector_too(void **state)
{
    (void)state;
    static const double half[] = {1, 1, 1};
    static const uint64_t keys[] = {0};
    kith_i_question q =
        base_question(KITH_I_PLACE_LIST, 1, KITH_I_REPORT_VECTOR);
    q.place.grid =
        (kith_i_grid){.lens = {D, D, NULL, NULL, half}, .side = 1, .cells = 2};
    q.place.keys = keys;
    q.radii = RADII;
    assert_null(kith_i_question_flaw(&q, D));
    double x[D] = {.5, .5, .5};
    float z[4];
    assert_int_equal(kith_i_encode(&q, D, x, 0, z), 1);
    assert_true(z[0] == 0 && z[1] == 0 && z[2] == 0 && z[3] == 1);
    q.place.places = 0; /* T = 0: nobody is anywhere */
    assert_null(kith_i_question_flaw(&q, D));
    assert_int_equal(kith_i_encode(&q, D, x, 0, z), 0);
    kith_i_mechanism none, some;
    assert_int_equal(kith_i_mechanism_make(&q, D, &none, NULL), KITH_OK);
    q.place.places = 1;
    assert_int_equal(kith_i_mechanism_make(&q, D, &some, NULL), KITH_OK);
    assert_int_equal(kith_i_report_bytes(&none), kith_i_report_bytes(&some));
    assert_int_equal(kith_i_report_bytes(&some), 41);
}

/* Records that are not numbers stay inside the domain. */
static void test_any_record(void **state)
{
    (void)state;
    static const double half[] = {1, 1, 1}, top = 1e300;
    static const double odd[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 1e308,
                                 -1e308,      5e-324,   0};
    kith_i_question tree =
        base_question(KITH_I_PLACE_TREE, 1, KITH_I_REPORT_SYMBOL);
    static const kith_i_tree_node leaf = {-1, 0, 0, 0};
    tree.place.tree = &leaf;
    tree.place.tree_nodes = 1;
    kith_i_question grid =
        base_question(KITH_I_PLACE_GRID, 8, KITH_I_REPORT_SYMBOL);
    grid.place.grid =
        (kith_i_grid){.lens = {D, D, NULL, NULL, half}, .side = 1, .cells = 2};
    kith_i_question vector =
        base_question(KITH_I_PLACE_NEAREST, 4, KITH_I_REPORT_MOMENT);
    vector.place.points = vector.centers = POINTS;
    vector.radii = RADII;
    kith_i_question far = vector;
    far.report = KITH_I_REPORT_DISTANCE;
    far.bands = 30;
    far.top = top;
    for (int n = 0; n < 343; n++) {
        double x[D] = {odd[n % 7], odd[n / 7 % 7], odd[n / 49]};
        float s[4];
        assert_int_equal(kith_i_encode(&tree, D, x, 0, NULL), 0);
        assert_true(kith_i_encode(&grid, D, x, 0, NULL) < 8);
        assert_true(kith_i_encode(&far, D, x, 0, NULL) < 120);
        assert_true(kith_i_encode(&vector, D, x, 0, s) < 4);
        double norm = 0;
        for (int i = 0; i < 4; i++)
            norm += (double)s[i] * (double)s[i];
        assert_true(fabs(norm - 1) < 1e-4);
    }
}

static void test_questions_with_flaws(void **state)
{
    (void)state;
    kith_i_question good =
        base_question(KITH_I_PLACE_NEAREST, 4, KITH_I_REPORT_VECTOR);
    good.place.points = good.centers = POINTS;
    good.radii = RADII;
    double bad[12];
    kith_i_question q;
#define FLAW(change)                                                           \
    do {                                                                       \
        q = good;                                                              \
        change;                                                                \
        assert_non_null(kith_i_question_flaw(&q, D));                          \
    } while (0)
    assert_null(kith_i_question_flaw(&good, D));
    FLAW(q.epsilon = 0);
    FLAW(q.epsilon = (double)NAN);
    FLAW(q.epsilon = 21);
    FLAW(q.delta = 1);
    FLAW(q.share = 1.5);
    FLAW(q.share = (double)NAN);
    FLAW(q.share = .5; q.offset = .8);
    FLAW(q.offset = (double)NAN);
    FLAW(q.report = (kith_i_report_kind)9);
    FLAW(q.report = KITH_I_REPORT_DISTANCE);
    FLAW(q.randomizer = KITH_I_RANDOMIZER_KRR);
    FLAW(q.randomizer = (kith_i_randomizer)77);
    FLAW(q.place.kind = (kith_i_place_kind)0);
    FLAW(q.place.kind = KITH_I_PLACE_GRID);
    FLAW(q.place.kind = KITH_I_PLACE_TREE);
    FLAW(q.place.places = 0);
    FLAW(q.place.places = UINT64_C(1) << 40);
    FLAW(q.place.lens.q = 2);
    FLAW(q.place.lens.d = 2);
    FLAW(q.radii = NULL);
    FLAW(memcpy(bad, RADII, 32); bad[2] = 0; q.radii = bad);
    FLAW(memcpy(bad, RADII, 32); bad[3] = HUGE_VAL; q.radii = bad);
    FLAW(memcpy(bad, POINTS, 96); bad[11] = (double)NAN; q.centers = bad);
    FLAW(memcpy(bad, POINTS, 96); bad[11] = (double)NAN; q.place.points = bad);
    static const kith_i_tree_node loops[] = {{0, 0, 1, 0}, {-1, 0, 0, 0}};
    static const kith_i_tree_node outside[] = {{0, 1, 2, 0}, {-1, 0, 0, 0}};
    static const kith_i_tree_node leaf[] = {{-1, 4, 0, 0}};
    good.place.kind = KITH_I_PLACE_TREE;
    good.place.tree_nodes = 2;
    FLAW(q.place.tree = loops);
    FLAW(q.place.tree = outside);
    FLAW(q.place.tree = leaf; q.place.tree_nodes = 1);
    assert_non_null(kith_i_question_flaw(&good, 0));
#undef FLAW
}

/* Questions that fit into a message, and would keep a device for hours. */
static void test_questions_that_take_too_long(void **state)
{
    (void)state;
    enum { WIDE = 4096, SEEN = 129, MANY = 8200, CELLS = 1 << 20 };
    double *numbers = calloc(SEEN * MANY, sizeof *numbers); /* > SEEN x WIDE */
    uint64_t *keys = calloc(CELLS, sizeof *keys);
    uint32_t *center = calloc(CELLS, sizeof *center);
    kith_i_tree_node *tree = calloc(CELLS + 1, sizeof *tree);
    assert_true(numbers && keys && center && tree);
    kith_i_lens lens = {.q = SEEN, .d = WIDE, .rows = numbers};
    kith_i_question q =
        base_question(KITH_I_PLACE_NEAREST, MANY, KITH_I_REPORT_SYMBOL);
    q.place.lens = lens;
    q.place.points = numbers;
    assert_non_null(kith_i_question_flaw(&q, WIDE));
    q.place.places = MANY / 2;
    assert_null(kith_i_question_flaw(&q, WIDE));
    /* A tree that is one long branch. */
    for (uint32_t i = 0; i < CELLS; i++)
        tree[i] = (kith_i_tree_node){0, i + 1, i + 1, 0};
    tree[CELLS].axis = -1;
    q = base_question(KITH_I_PLACE_TREE, 1, KITH_I_REPORT_SYMBOL);
    q.place.lens = lens;
    q.place.tree = tree;
    q.place.tree_nodes = CELLS + 1;
    assert_non_null(kith_i_question_flaw(&q, WIDE));
    q.place.tree = tree + CELLS;
    q.place.tree_nodes = 1;
    assert_null(kith_i_question_flaw(&q, WIDE));
    /* All cells of one long list made the same centre. */
    for (uint32_t i = 0; i < CELLS; i++)
        keys[i] = i;
    double half[1] = {1};
    kith_i_creation made = {.grid = {.lens = {1, WIDE, numbers, NULL, half},
                                     .side = 1,
                                     .cells = CELLS},
                            .count = CELLS,
                            .keys = keys,
                            .center = center};
    q = base_question(KITH_I_PLACE_PREFER, 1, KITH_I_REPORT_SYMBOL);
    q.place.points = numbers;
    q.place.creations = &made;
    q.place.creation_count = 1;
    assert_non_null(kith_i_question_flaw(&q, WIDE));
    made.count = CELLS / 2;
    assert_null(kith_i_question_flaw(&q, WIDE));
    free(numbers);
    free(keys);
    free(center);
    free(tree);
}

/* The device's own limits: no more than it allows, whatever is published. */
static void test_device_limits(void **state)
{
    (void)state;
    kith_i_question q =
        base_question(KITH_I_PLACE_NEAREST, 4, KITH_I_REPORT_SYMBOL);
    q.place.points = POINTS;
    kith_i_mechanism m, wrong;
    assert_int_equal(kith_i_mechanism_make(&q, D, &m, NULL), KITH_OK);
    kith_i_limits limits = {.odds = m.odds};
    assert_null(kith_i_limits_flaw(&m, &q, D, &limits));
    limits.odds.num--;
    assert_non_null(kith_i_limits_flaw(&m, &q, D, &limits));
    limits.odds.num++;
#define FLAW(change)                                                           \
    do {                                                                       \
        wrong = m;                                                             \
        change;                                                                \
        assert_non_null(kith_i_limits_flaw(&wrong, &q, D, &limits));           \
    } while (0)
    FLAW(wrong.odds.num++);
    FLAW(wrong.odds.den = 0);
    FLAW(wrong.odds.den = 1);
    FLAW(wrong.kind = KITH_I_RANDOMIZER_AUTO);
    FLAW(wrong.symbols = 5);
    FLAW(wrong.outputs = 3);
    FLAW(wrong.kind = KITH_I_RANDOMIZER_CODEBOOK);
    FLAW(wrong.kind = KITH_I_RANDOMIZER_HADAMARD);
    /* Memory by the gigabyte, for nothing. */
    for (int kind = KITH_I_RANDOMIZER_KRR; kind <= KITH_I_RANDOMIZER_HADAMARD;
         kind++) {
        q.randomizer = (kith_i_randomizer)kind;
        assert_int_equal(kith_i_mechanism_make(&q, D, &m, NULL), KITH_OK);
        assert_null(kith_i_limits_flaw(&m, &q, D, &limits));
        assert_true(kith_i_respond_scratch(&m) < 100);
        FLAW(wrong.width = UINT32_MAX);
        FLAW(wrong.width = 1);
        FLAW(wrong.kept = 1);
        FLAW(wrong.buckets = 1);
        FLAW(wrong.top = 1);
        FLAW(wrong.rank = 1);
        FLAW(wrong.rows += 1 + m.rows);
    }
    /* Limits that were never filled in allow nothing. */
    limits = (kith_i_limits){0};
    FLAW(wrong.odds.num += 0);
    q.randomizer = KITH_I_RANDOMIZER_AUTO;
    q.report = KITH_I_REPORT_VECTOR;
    q.radii = RADII;
    assert_int_equal(kith_i_mechanism_make(&q, D, &m, NULL), KITH_OK);
    FLAW(wrong.odds.num += 0);
    limits.odds = m.odds;
    assert_null(kith_i_limits_flaw(&m, &q, D, &limits));
    FLAW(wrong.width++);
    FLAW(wrong.rows = 1);
    FLAW(wrong.symbols = 1);
    FLAW(wrong.rank = 1);
    FLAW(wrong.outputs = 255);
    FLAW(wrong.top = 256);
    /* Matrices: any number of codewords that is one byte and not too long. */
    q.report = KITH_I_REPORT_MOMENT;
    assert_int_equal(kith_i_mechanism_make(&q, D, &m, NULL), KITH_OK);
    assert_null(kith_i_limits_flaw(&m, &q, D, &limits));
    FLAW(wrong.rank = 0);
    FLAW(wrong.rank = 3);
    FLAW(wrong.rank = UINT32_MAX);
    FLAW(wrong.outputs = 257);
    FLAW(wrong.outputs = wrong.top);
    FLAW(wrong.top = 0);
    FLAW(wrong.kept = D);
    FLAW(wrong.kind = KITH_I_RANDOMIZER_GAUSSIAN);
    m.outputs = 128;
    m.rank = 4;
    m.top = 127;
    assert_null(kith_i_limits_flaw(&m, &q, D, &limits));
    /* A vector report's Gaussian would read past the end of a moment's. */
    q.randomizer = KITH_I_RANDOMIZER_GAUSSIAN;
    assert_non_null(kith_i_question_flaw(&q, D));
    q.randomizer = KITH_I_RANDOMIZER_AUTO;
    m = (kith_i_mechanism){.kind = KITH_I_RANDOMIZER_GAUSSIAN,
                           .width = D + 1,
                           .kept = D * (D + 1) / 2,
                           .buckets = 4,
                           .sigma = {1 << 20, 0}};
    limits.sigma = m.sigma;
    limits.delta = q.delta = .1;
    assert_non_null(kith_i_limits_flaw(&m, &q, D, &limits));
    q.report = KITH_I_REPORT_VECTOR;
    m.kept = D;
    assert_null(kith_i_limits_flaw(&m, &q, D, &limits));
#undef FLAW
}

/* Noise is the device's to demand: sigma of its own epsilon and delta, to the
 * last bit, however the two numbers are written. */
static void test_device_limits_of_the_gaussian(void **state)
{
    (void)state;
    kith_i_question q =
        base_question(KITH_I_PLACE_NEAREST, 4, KITH_I_REPORT_VECTOR);
    q.place.points = q.centers = POINTS;
    q.radii = RADII;
    q.randomizer = KITH_I_RANDOMIZER_GAUSSIAN;
    q.epsilon = 1 / 3.0;
    q.delta = 1e-6;
    kith_i_mechanism m, wrong;
    kith_i_limits limits, none;
    kith_i_loss loss;
    assert_int_equal(kith_i_report_loss(q.epsilon, &loss, NULL), KITH_OK);
    assert_int_equal(kith_i_mechanism_make(&q, D, &m, NULL), KITH_OK);
    assert_int_equal(kith_i_limits_make(&m, &q, loss, 1e-6, &limits, NULL),
                     KITH_OK);
    assert_null(kith_i_limits_flaw(&m, &q, D, &limits));
    /* What the least sigma is worth, by the accountant. */
    double mu = 2.0 * KITH_I_GAUSSIAN_UNIT / kith_i_scale_value(limits.sigma);
    assert_true(gdp_delta(q.epsilon, mu) <= 1e-6 * (1 + 1e-9));
    assert_true(gdp_delta(q.epsilon, mu * 1.0001) > 1e-6);
#define FLAW(change)                                                           \
    do {                                                                       \
        wrong = m;                                                             \
        change;                                                                \
        assert_non_null(kith_i_limits_flaw(&wrong, &q, D, &limits));           \
    } while (0)
    FLAW(wrong.sigma.num--);
    FLAW(wrong.sigma = ((kith_i_scale){1, 0}));
    FLAW(wrong.sigma =
             ((kith_i_scale){2 * m.sigma.num - 1, m.sigma.shift + 1}));
    FLAW(wrong.sigma.shift++);
    FLAW(wrong.sigma = ((kith_i_scale){UINT64_C(1) << 62, 40}));
    FLAW(wrong.outputs = 1);
    wrong = m;
    wrong.sigma = (kith_i_scale){2 * m.sigma.num, m.sigma.shift + 1};
    assert_null(kith_i_limits_flaw(&wrong, &q, D, &limits));
    /* No more than declared, no more than is left, and not without delta. */
    wrong = m;
    wrong.loss /= 2;
    assert_int_equal(kith_i_limits_make(&wrong, &q, loss, 1, &none, NULL),
                     KITH_OK);
    assert_non_null(kith_i_limits_flaw(&wrong, &q, D, &none));
    assert_int_equal(kith_i_limits_make(&m, &q, loss - 4096, 1, &none, NULL),
                     KITH_OK);
    assert_non_null(kith_i_limits_flaw(&m, &q, D, &none));
    assert_int_equal(kith_i_limits_make(&m, &q, loss, 9e-7, &none, NULL),
                     KITH_OK);
    assert_non_null(kith_i_limits_flaw(&m, &q, D, &none));
    assert_int_equal(kith_i_limits_make(&m, &q, loss, 0, &none, NULL), KITH_OK);
    assert_non_null(kith_i_limits_flaw(&m, &q, D, &none));
    limits.sigma = (kith_i_scale){0};
    FLAW(wrong.sigma.num += 0);
#undef FLAW
}

/* Odds are worth the loss that is declared, and charged. */
static void test_limits_of_a_declared_loss(void **state)
{
    (void)state;
    kith_i_question q =
        base_question(KITH_I_PLACE_NEAREST, 4, KITH_I_REPORT_SYMBOL);
    q.place.points = POINTS;
    q.epsilon = .001;
    kith_i_mechanism m;
    kith_i_limits limits;
    kith_i_loss cap;
    assert_int_equal(kith_i_report_loss(8, &cap, NULL), KITH_OK);
    assert_int_equal(kith_i_mechanism_make(&q, D, &m, NULL), KITH_OK);
    assert_int_equal(kith_i_limits_make(&m, &q, cap, 0, &limits, NULL),
                     KITH_OK);
    assert_null(kith_i_limits_flaw(&m, &q, D, &limits));
    m.odds.num++;
    assert_non_null(kith_i_limits_flaw(&m, &q, D, &limits));
    m.odds = kith_i_odds_floor(cap);
    assert_non_null(kith_i_limits_flaw(&m, &q, D, &limits));
    /* and no more than the device has left */
    m.loss = 2 * cap;
    assert_int_equal(kith_i_limits_make(&m, &q, cap, 0, &limits, NULL),
                     KITH_OK);
    assert_null(kith_i_limits_flaw(&m, &q, D, &limits));
    m.odds.num++;
    assert_non_null(kith_i_limits_flaw(&m, &q, D, &limits));
    m.loss = 0;
    assert_int_equal(kith_i_limits_make(&m, &q, cap, 0, &limits, NULL),
                     KITH_ERR_PRIVACY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest_and_distance),
        cmocka_unit_test(test_tree_through_a_lens),
        cmocka_unit_test(test_grid_list_and_reach),
        cmocka_unit_test(test_vectors_are_lifted),
        cmocka_unit_test(test_none_is_a_vector_too),
        cmocka_unit_test(test_any_record),
        cmocka_unit_test(test_questions_with_flaws),
        cmocka_unit_test(test_questions_that_take_too_long),
        cmocka_unit_test(test_device_limits),
        cmocka_unit_test(test_device_limits_of_the_gaussian),
        cmocka_unit_test(test_limits_of_a_declared_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
