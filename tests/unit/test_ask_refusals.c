/* Wrong descriptions are refused before anything is paid, and nothing is drawn
 * or looked at before it is paid for. */
#include "dp/dp_private.h"
#include "kernel/description.h"
#include "release/release_features.h"
#include "release/release_gram.h"
#include "release/release_select.h"
#include "release/release_sparse.h"
#include "release/release_swap.h"
#include "support/asks.h"
#include "support/make_data.h"
#include "support/sparse_data.h"

enum { D = 6, N = 20, REACH = 16384 };

typedef struct {
    kith_session *s;
    ask_world *w;
    const kith_i_view *by, *labels;
} room;

static room open_room(int sparse)
{
    static const double axes[ASK_BY * D] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 81, 0);
    room r = {.w = ask_world_new(&coins, D, sparse, REACH)};
    double *rows = make_rows(N, D, 2, 1);
    r.s = open_session((sparse ? load_sparse : load)(rows, N, D, unit_box()), 1,
                       1e-6, KITH_ADD_REMOVE, 1, 1);
    free(rows);
    kith_i_ask near = {
        .place = {.kind = KITH_I_PLACE_NEAREST, .centers = &r.w->near}};
    assert_int_equal(
        kith_i_view_open(r.s, axes, ASK_BY, NULL, 1.5, &r.by, NULL), KITH_OK);
    assert_int_equal(kith_i_labels_open(r.s, &near, &r.labels, NULL), KITH_OK);
    return r;
}

static void close_room(room *r)
{
    kith_session_close(r->s);
    ask_world_free(r->w);
}

/* Nothing was paid, nothing was drawn, no receipt. */
static void assert_untouched(const kith_session *s)
{
    assert_true(s->spent == 0 && s->receipt_count == 0 && s->streams == 0);
}

/* ---- cells --------------------------------------------------------------- */

static const uint64_t radius[ASK_CELLS] = {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
                                           9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};

static kith_i_cells_spec spec_of(const room *r, const ask_case *c)
{
    kith_i_loss left = kith_i_session_left(r->s);
    return (kith_i_cells_spec){
        .what = "test",
        .cells = c->cells,
        .width = c->width,
        .radius = c->ask.value.kind == KITH_I_VALUE_RECORD ? NULL : radius,
        .count_charge = left / 100,
        .sum_charge = c->width ? left / 100 : 0};
}

static kith_status try_cells(const room *r, const kith_i_ask *ask,
                             const kith_i_cells_spec *spec)
{
    kith_i_cells out;
    kith_status status = kith_i_release_cells(r->s, ask, spec, &out, NULL);
    assert_true(!status == !!out.room);
    kith_i_cells_free(&out);
    return status;
}

static void refuse_spec(const room *r, const ask_case *c,
                        const kith_i_cells_spec *spec, const char *why)
{
    if (try_cells(r, &c->ask, spec) != KITH_ERR_INTERNAL)
        fail_msg("%s: %s is taken", c->name, why);
    assert_untouched(r->s);
}

static void refuse(const room *r, ask_case c, const char *why)
{
    kith_i_cells_spec spec = spec_of(r, &c);
    refuse_spec(r, &c, &spec, why);
}

/* The case of this name. */
static ask_case find(const room *r, const char *name)
{
    static ask_case cases[ASK_MOST];
    size_t count = ask_cases(r->w, r->by, r->labels, cases);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(cases[i].name, name))
            return cases[i];
    fail_msg("no case %s", name);
    return cases[0];
}

#define REFUSE(r, from, why, ...)                                              \
    do {                                                                       \
        ask_case c = find(r, from);                                            \
        __VA_ARGS__;                                                           \
        refuse(r, c, why);                                                     \
    } while (0)

static void test_places(void **state)
{
    (void)state;
    room r = open_room(0);
    kith_i_centers wide = r.w->near, thin = r.w->near;
    kith_i_axes planes = r.w->planes;
    kith_i_forest forest = r.w->forest.face;
    wide.d++, thin.sparse = 1, planes.d--, forest.q--;
    REFUSE(&r, "one: counts", "no such place", c.ask.place.kind = 99);
    REFUSE(&r, "nearest: counts", "no centre", c.ask.place.centers = NULL);
    REFUSE(&r, "nearest: counts", "another dimension",
           c.ask.place.centers = &wide);
    REFUSE(&r, "nearest: counts", "sparse centres",
           c.ask.place.centers = &thin);
    REFUSE(&r, "nearest: counts", "too few cells", c.cells = r.w->k - 1);
    REFUSE(&r, "nearest: counts", "centres of the rows by a view",
           c.ask.place.by = r.by);
    REFUSE(&r, "nearest by: counts", "no view", c.ask.place.by = NULL);
    REFUSE(&r, "plane: counts", "no plane", c.ask.place.planes = NULL);
    REFUSE(&r, "plane: counts", "another dimension",
           c.ask.place.planes = &planes);
    REFUSE(&r, "tree: counts", "no forest", c.ask.place.forest = NULL);
    REFUSE(&r, "tree: counts", "another dimension",
           c.ask.place.forest = &forest);
    REFUSE(&r, "tree: counts", "no places", c.ask.place.places = 0);
    REFUSE(&r, "tree: counts", "too few cells",
           c.cells = c.ask.place.places - 1);
    REFUSE(&r, "label: counts", "no labels", c.ask.place.by = NULL);
    REFUSE(&r, "label: counts", "labels of two dimensions",
           c.ask.place.by = r.by);
    close_room(&r);
}

/* Numbers that would let a sum round, and with it the rows around a row decide
 * where it is; or that would read another row. */
static void test_numbers(void **state)
{
    (void)state;
    room r = open_room(0);
    static const double wrong[] = {.5, 32768, -32768, 1e300, NAN};
    double *coords = r.w->near.coords, *squares = r.w->near.squares;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        double coord = coords[D], square = squares[1];
        coords[D] = wrong[i]; /* of the second centre */
        squares[1] += wrong[i] * wrong[i] - coord * coord;
        REFUSE(&r, "nearest: counts", "a centre off the lattice", (void)0);
        coords[D] = coord, squares[1] = square;
    }
    squares[1]++;
    REFUSE(&r, "nearest: counts", "another square", (void)0);
    squares[1]--;
    static const double turned[] = {.5, 0x1p24 + 1, NAN};
    for (size_t i = 0; i < sizeof turned / sizeof *turned; i++) {
        double kept = r.w->planes.coords[D + 1];
        r.w->planes.coords[D + 1] = turned[i];
        REFUSE(&r, "plane: counts", "an axis that is not whole", (void)0);
        r.w->planes.coords[D + 1] = kept;
    }
    assert_true(kith_i_axes_are_exact(&r.w->planes, 0x1p26));
    assert_false(kith_i_axes_are_exact(&r.w->planes, 0x1p28));
    ask_forest *f = &r.w->forest;
    const kith_i_box roots[2] = {f->node[0], f->node[1]};
    const struct {
        uint32_t axis;
        int64_t child;
    } lost[] = {{D, 4}, {UINT32_MAX, 4}, {D, -1}, {0, 0}, {0, f->nodes - 1}};
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        f->node[0].axis = lost[i].axis;
        f->node[0].child = (int32_t)lost[i].child;
        REFUSE(&r, "tree: counts", "a walk that leaves", (void)0);
        f->node[0] = roots[0];
    }
    f->node[1].child = 1;
    REFUSE(&r, "tree: counts", "a walk in circles", (void)0);
    f->node[1] = roots[1];
    f->face.nodes = 3;
    REFUSE(&r, "tree: counts", "a root too many", (void)0);
    f->face.nodes = f->nodes;
    kith_i_pull pulls[4] = {r.w->pull, r.w->pull, r.w->pull, r.w->pull};
    pulls[0].tau = 0, pulls[1].tau = NAN;
    pulls[2].unit = 0x1p31, pulls[3].inverse = -1;
    for (int i = 0; i < 4; i++)
        REFUSE(&r, "nearest: pull", "forces without a bound",
               c.ask.value.pull = &pulls[i]);
    close_room(&r);
}

static void test_bins(void **state)
{
    (void)state;
    room r = open_room(0);
    kith_i_distance_bins none = r.w->bins[0], open = none, far = none,
                         taxicab = none;
    int32_t origins[ASK_CELLS * D] = {0};
    origins[r.w->k * D - 1] = -131072;
    none.bins = 0, open.limits = NULL, taxicab.taxicab = 1;
    far.origins = origins;
    REFUSE(&r, "nearest, bins: counts", "no bin", c.ask.place.bins = &none);
    REFUSE(&r, "nearest, bins: counts", "no edges", c.ask.place.bins = &open);
    REFUSE(&r, "nearest, bins: counts", "far origins", c.ask.place.bins = &far);
    REFUSE(&r, "nearest, bins: counts", "L1 from centres",
           c.ask.place.bins = &taxicab);
    REFUSE(&r, "nearest, bins: counts", "too few cells",
           c.cells = ASK_BINS - 1);
    REFUSE(&r, "tree, bins: counts", "too few cells", c.cells = ASK_BINS - 1);
    REFUSE(&r, "tree: counts", "no origin of a leaf",
           c.ask.place.bins = &r.w->bins[0]);
    REFUSE(&r, "nearest by: counts", "a distance in the view",
           c.ask.place.bins = &r.w->bins[0]);
    close_room(&r);
}

static void test_values(void **state)
{
    (void)state;
    room r = open_room(0);
    int32_t origins[ASK_CELLS * D] = {0};
    origins[r.w->k * D - 1] = 131072;
    kith_i_pull pull = r.w->pull;
    pull.centers = &r.w->near_by;
    REFUSE(&r, "one: record", "no such value", c.ask.value.kind = 99);
    REFUSE(&r, "one: record", "a width of its own", c.width = D - 1);
    REFUSE(&r, "one: residual", "no origin", c.ask.value.origins = NULL);
    REFUSE(&r, "one: residual", "a width of its own", c.width = D + 1);
    REFUSE(&r, "one: residual", "less than no halving",
           c.ask.value.halvings = -1);
    REFUSE(&r, "nearest: residual by cell", "far origins",
           c.ask.value.origins = origins);
    REFUSE(&r, "nearest: residual by cell", "bins in place of cells",
           c.ask.place.bins = &r.w->bins[0]);
    REFUSE(&r, "one: entries", "no features", c.ask.value.features = NULL);
    REFUSE(&r, "nearest: pull", "no pull", c.ask.value.pull = NULL);
    REFUSE(&r, "nearest: pull", "other centres", c.ask.value.pull = &pull);
    REFUSE(&r, "nearest: pull", "no inverse", c.width = D);
    REFUSE(&r, "nearest: pull", "rows by a view", c.ask.place.by = r.by);
    REFUSE(&r, "one: lengths", "a width of its own", c.width = 3);
    REFUSE(&r, "one: lengths", "no unit", c.ask.value.one = 0);
    REFUSE(&r, "one: lengths", "too large a unit",
           c.ask.value.one = (1u << 30) + 1);
    close_room(&r);
}

static void test_specs(void **state)
{
    (void)state;
    room r = open_room(0);
    uint64_t wild[ASK_CELLS], none[ASK_CELLS];
    memcpy(wild, radius, sizeof wild);
    memcpy(none, radius, sizeof none);
    wild[ASK_CELLS - 1] = ((uint64_t)1 << 31) + 1;
    none[ASK_CELLS - 1] = 0;
    ask_case record = find(&r, "one: record"), c = find(&r, "one: residual");
    kith_i_cells_spec spec = spec_of(&r, &record);
    spec.radius = radius;
    refuse_spec(&r, &record, &spec, "a bound for records");
    spec = spec_of(&r, &c);
    spec.radius = NULL;
    refuse_spec(&r, &c, &spec, "values without a bound");
    spec.radius = wild;
    refuse_spec(&r, &c, &spec, "a bound beyond 2^31");
    spec.radius = none;
    refuse_spec(&r, &c, &spec, "a bound of 0");
    spec = spec_of(&r, &c);
    spec.cells = 0;
    refuse_spec(&r, &c, &spec, "no cells");
    spec = spec_of(&r, &c);
    spec.count_charge = spec.sum_charge = 0;
    refuse_spec(&r, &c, &spec, "no charge");
    spec = spec_of(&r, &c);
    spec.width = 0;
    refuse_spec(&r, &c, &spec, "sums of no width");
    close_room(&r);
}

/* Sparse rows: what is computed of dense ones only. */
static void test_sparse_rows(void **state)
{
    (void)state;
    room r = open_room(1);
    kith_i_centers dense = r.w->near;
    dense.sparse = 0;
    ask_case c = find(&r, "sparse, one: counts");
    c.ask.place =
        (kith_i_place){.kind = KITH_I_PLACE_PLANE, .planes = &r.w->planes};
    refuse(&r, c, "planes");
    c.ask.place = (kith_i_place){
        .kind = KITH_I_PLACE_TREE, .places = 3, .forest = &r.w->forest.face};
    refuse(&r, c, "a forest");
    c.ask.place =
        (kith_i_place){.kind = KITH_I_PLACE_NEAREST, .centers = &dense};
    refuse(&r, c, "dense centres");
    c = find(&r, "sparse, nearest: counts");
    c.ask.place.bins = &r.w->bins[1];
    refuse(&r, c, "distances from origins");
    c = find(&r, "sparse, one: record");
    c.ask.value =
        (kith_i_value){.kind = KITH_I_VALUE_RESIDUAL, .origins = r.w->origins};
    refuse(&r, c, "residuals");
    c.ask.value = (kith_i_value){.kind = KITH_I_VALUE_LENGTHS, .one = 9};
    c.width = 2;
    refuse(&r, c, "lengths");
    close_room(&r);
}

/* ---- the other releases -------------------------------------------------- */

static void test_labels(void **state)
{
    (void)state;
    room r = open_room(0);
    const kith_i_view *out = r.by;
    kith_i_ask by_view = find(&r, "nearest by: counts").ask;
    kith_i_ask none = find(&r, "nearest: counts").ask;
    kith_i_ask many = find(&r, "tree: counts").ask;
    none.place.centers = NULL;
    many.place.places = KITH_I_MOST_LABELS;
    const kith_i_ask *asks[] = {&by_view, &none, &many};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(kith_i_labels_open(r.s, asks[i], &out, NULL),
                         KITH_ERR_INTERNAL);
        assert_null(out);
    }
    assert_untouched(r.s);
    close_room(&r);
}

static void test_gram(void **state)
{
    (void)state;
    room r = open_room(0);
    kith_i_gram_spec good = {.what = "test",
                             .cells = ASK_CELLS,
                             .width = D,
                             .charge = kith_i_session_left(r.s) / 4};
    static int64_t out[ASK_CELLS * D * D];
    double sd;
    struct {
        const char *from;
        uint32_t cells, width;
        uint64_t bound;
        int halvings;
    } bad[] = {{"one: record", 0, D, 0, 0},
               {"one: record", 1, 0, 0, 0},
               {"one: record", 1, D - 1, 0, 0},
               {"one: record", 1, D, 9, 0},
               {"one: residual", 1, D, 0, 0},
               {"one: residual", 1, D, 1 << 26, 0},
               {"one: residual", 1, D, 9, 1},
               {"one: halved residual", 1, D, 9, 0},
               {"nearest: record", r.w->k - 1, D, 0, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kith_i_gram_spec spec = good;
        spec.cells = bad[i].cells;
        spec.width = bad[i].width;
        spec.radius = bad[i].bound;
        spec.halvings = bad[i].halvings;
        kith_i_ask ask = find(&r, bad[i].from).ask;
        assert_int_equal(kith_i_release_gram(r.s, &ask, &spec, out, &sd, NULL),
                         KITH_ERR_INTERNAL);
        assert_untouched(r.s);
    }
    close_room(&r);
}

static void test_select(void **state)
{
    (void)state;
    room r = open_room(0);
    kith_i_centers set[2] = {r.w->near, r.w->near}, wide = set[0],
                   less = set[0], thin = set[0], off = set[0];
    double squares[ASK_CELLS] = {0};
    wide.d--, less.k--, thin.sparse = 1, off.squares = squares;
    kith_i_axes planes = r.w->planes, long_ones = planes;
    double axes[ASK_CELLS * ASK_CELLS * D];
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        axes[i] = 0x1p25;
    planes.d++, long_ones.coords = axes;
    kith_i_center_sets sets = {.set = set, .count = 2, .shift = 8}, no = sets;
    no.count = 0;
    kith_i_select_spec good = {.what = "test",
                               .candidates = 2,
                               .bound = 100,
                               .charge = kith_i_session_left(r.s) / 4};
    struct {
        kith_i_losses losses;
        uint32_t candidates, bound;
        const kith_i_centers *second;
    } bad[] = {{{0}, 2, 100, NULL},
               {{.sets = &sets, .planes = &r.w->planes}, 2, 100, NULL},
               {{.sets = &no}, 0, 100, NULL},
               {{.sets = &sets}, 3, 100, NULL},
               {{.sets = &sets}, 2, 0, NULL},
               {{.sets = &sets}, 2, (uint32_t)INT32_MAX + 1, NULL},
               {{.sets = &sets}, 2, 100, &wide},
               {{.sets = &sets}, 2, 100, &less},
               {{.sets = &sets}, 2, 100, &thin},
               {{.sets = &sets}, 2, 100, &off},
               {{.planes = &long_ones}, long_ones.sets, 100, NULL},
               {{.planes = &planes}, 1, 100, NULL}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kith_i_select_spec spec = good;
        uint32_t out = 77;
        spec.candidates = bad[i].candidates;
        spec.bound = bad[i].bound;
        set[1] = bad[i].second ? *bad[i].second : set[0];
        assert_int_equal(
            kith_i_release_select(r.s, &bad[i].losses, &spec, &out, NULL),
            KITH_ERR_INTERNAL);
        assert_int_equal(out, 77);
        assert_untouched(r.s);
    }
    close_room(&r);
}

static kith_i_swap_spec swap_spec(const room *r)
{
    return (kith_i_swap_spec){.what = "test",
                              .slots = 2,
                              .candidates = r->w->k,
                              .bound = 100,
                              .charge = kith_i_session_left(r->s) / 4};
}

static void test_swap(void **state)
{
    (void)state;
    room r = open_room(0);
    static const uint32_t chosen[2] = {0, 1};
    const uint32_t beyond[2] = {0, r.w->k};
    kith_i_swap_state good = {.points = r.w->near,
                              .chosen = chosen,
                              .k = 2,
                              .shift = 8,
                              .bound = 100},
                      bad[6] = {good, good, good, good, good, good};
    double squares[ASK_CELLS] = {0};
    bad[0].chosen = NULL;
    bad[1].points.d--;
    bad[2].points.k--;
    bad[3].k = 3;
    bad[4].chosen = beyond; /* would read what other rows left behind */
    bad[5].points.squares = squares;
    kith_i_swap_spec spec = swap_spec(&r), wrong[2] = {spec, spec};
    wrong[0].bound = 0;
    wrong[1].slots = 0;
    kith_i_swap out;
    for (int i = 0; i < 8; i++) {
        assert_int_equal(kith_i_release_swap(r.s, i < 6 ? &bad[i] : &good,
                                             i < 6 ? &spec : &wrong[i - 6],
                                             &out, NULL),
                         KITH_ERR_INTERNAL);
        assert_untouched(r.s);
    }
    close_room(&r);
}

static void test_keys(void **state)
{
    (void)state;
    room r = open_room(0);
    kith_i_tree tree = {.p = D, .edge = 1 << 16}, thin = tree;
    thin.p--;
    kith_i_sparse_spec good = {.what = "test",
                               .domain_size = 64,
                               .threshold = 9,
                               .charge = kith_i_session_left(r.s) / 4};
    struct {
        const kith_i_tree *tree;
        uint64_t size;
        int64_t threshold;
    } bad[] = {{NULL, 64, 9},
               {&thin, 64, 9},
               {&tree, 0, 9},
               {&tree, ((uint64_t)1 << 62) + 1, 9},
               {&tree, 64, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kith_i_sparse_spec spec = good;
        spec.domain_size = bad[i].size;
        spec.threshold = bad[i].threshold;
        kith_i_sparse_cell *cells = NULL;
        size_t count;
        double sd;
        assert_int_equal(
            kith_i_release_sparse(r.s, &(kith_i_keys){.tree = bad[i].tree},
                                  &spec, &cells, &count, &sd, NULL),
            KITH_ERR_INTERNAL);
        assert_null(cells);
        assert_untouched(r.s);
    }
    close_room(&r);
}

static void test_features(void **state)
{
    (void)state;
    room r = open_room(0);
    kith_i_features_spec good = {.what = "test",
                                 .cells = ASK_CELLS,
                                 .picks = 2,
                                 .bound = 100,
                                 .charge = kith_i_session_left(r.s) / 4},
                         bad[6] = {good, good, good, good, good, good};
    kith_i_ask ask = find(&r, "nearest: counts").ask, view = ask;
    view.view = r.by;
    bad[0].cells = 0;
    bad[1].cells = r.w->k - 1;
    bad[2].picks = 0;
    bad[3].picks = D + 1;
    bad[4].bound = 0;
    bad[5].bound = 1 << 15;
    uint32_t out[ASK_CELLS * D];
    for (int i = 0; i < 7; i++) {
        assert_int_equal(kith_i_release_features(r.s, i < 6 ? &ask : &view,
                                                 i < 6 ? &bad[i] : &good, out,
                                                 NULL),
                         KITH_ERR_INTERNAL);
        assert_untouched(r.s);
    }
    close_room(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),      cmocka_unit_test(test_bins),
        cmocka_unit_test(test_values),      cmocka_unit_test(test_specs),
        cmocka_unit_test(test_sparse_rows), cmocka_unit_test(test_labels),
        cmocka_unit_test(test_numbers),     cmocka_unit_test(test_gram),
        cmocka_unit_test(test_select),      cmocka_unit_test(test_swap),
        cmocka_unit_test(test_keys),        cmocka_unit_test(test_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
