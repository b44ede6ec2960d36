/* What reaches a sum of the gate, for each place with each value: two seeded
 * sessions, one of them with one row more, draw the same noise, so that their
 * difference is what the row adds. It must be in one cell, no longer than the
 * bound that is charged for there in the norm that is charged, and the noise
 * must be that bound's, whatever the rows are like and however small it is.
 * And: no sum of so many can overflow; threads and labels change nothing. */
#include "base/wide.h"
#include "kernel/aggregate.h"
#include "support/asks.h"
#include "support/make_data.h"
#include "support/sparse_data.h"

enum { D = 5, REACH = 16384 };

/* How the sums are paid for. */
typedef struct {
    double epsilon, delta;
    kith_neighbors neighbors;
    int ball;
} payment;

static const payment payments[] = {
    {1, 0, KITH_ADD_REMOVE, 0},    {1, 0, KITH_ADD_REMOVE, 1},
    {1, 1e-6, KITH_ADD_REMOVE, 0}, {1, 0, KITH_REPLACE_ONE, 0},
    {1, 0, KITH_REPLACE_ONE, 1},   {1, 1e-6, KITH_REPLACE_ONE, 0},
};

/* A session over rows, with a view and labels in it. */
typedef struct {
    kith_session *s;
    const kith_i_view *by, *labels;
} room;

static room open_room(const ask_world *w, const payment *p, const double *rows,
                      size_t n, uint32_t threads)
{
    static const double axes[ASK_BY * D] = {0, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    room r = {.s = open_session(
                  (w->sparse ? load_sparse : load)(rows, n, D, unit_box()),
                  p->epsilon, p->delta, p->neighbors, threads, 5)};
    kith_error err = {0};
    if (kith_i_view_open(r.s, axes, ASK_BY, NULL, 1.5, &r.by, &err))
        fail_msg("%s", err.message);
    kith_i_ask near = {
        .place = {.kind = KITH_I_PLACE_NEAREST, .centers = &w->near}};
    if (kith_i_labels_open(r.s, &near, &r.labels, &err))
        fail_msg("%s", err.message);
    return r;
}

/* The case at this place of the list, of a session. */
static ask_case case_at(const ask_world *w, const room *r, size_t at)
{
    static ask_case cases[ASK_MOST];
    size_t count = ask_cases(w, r->by, r->labels, cases);
    assert_true(at < count);
    return cases[at];
}

static uint64_t radius_of(uint32_t cell, int small)
{
    return small ? 1 + cell % 3 : (uint64_t)900 << cell % 12;
}

/* An eighth for the counts, half for the sums. */
static kith_i_cells release(const ask_world *w, const payment *p,
                            const double *rows, size_t n, uint32_t threads,
                            size_t at, int small)
{
    room r = open_room(w, p, rows, n, threads);
    ask_case c = case_at(w, &r, at);
    kith_i_loss left = kith_i_session_left(r.s);
    uint64_t radius[ASK_CELLS];
    for (uint32_t i = 0; i < ASK_CELLS; i++)
        radius[i] = radius_of(i, small);
    int records = c.ask.value.kind == KITH_I_VALUE_RECORD;
    kith_i_cells_spec spec = {.what = "test",
                              .cells = ASK_CELLS,
                              .width = c.width,
                              .radius = records ? NULL : radius,
                              .ball = p->ball,
                              .count_charge = left / 8,
                              .sum_charge = c.width ? left / 2 : 0};
    kith_i_cells out;
    kith_error err = {0};
    if (kith_i_release_cells(r.s, &c.ask, &spec, &out, &err))
        fail_msg("%s: %s", c.name, err.message);
    kith_session_close(r.s);
    return out;
}

/* ---- the price ----------------------------------------------------------- */

/* Standard deviation that a bound of 1 asks for, by the book. */
static double unit_sd(const payment *p, double share, double moves,
                      uint32_t width, int ball)
{
    if (p->delta > 0) {
        double mu;
        assert_int_equal(kith_privacy_mu(p->epsilon, p->delta, &mu, NULL),
                         KITH_OK);
        return moves / (mu * sqrt(share));
    }
    return moves / (p->epsilon * share) * (ball ? sqrt(width + 1.0) : sqrt(2));
}

static void check_price(const ask_case *c, const payment *p,
                        const kith_i_cells *out, int small)
{
    int replace = p->neighbors == KITH_REPLACE_ONE;
    double moves = !replace ? 1 : p->delta > 0 ? sqrt(2) : 2;
    double want = unit_sd(p, 1 / 8.0, moves, 1, 0);
    assert_true(fabs(out->count_sd / want - 1) < 1e-6);
    if (c->width == 0 || c->ask.value.kind == KITH_I_VALUE_RECORD)
        return;
    for (uint32_t i = 0; i < ASK_CELLS; i++) {
        want = (double)radius_of(i, small) *
               unit_sd(p, 1 / 2.0, replace ? 2 : 1, c->width, p->ball);
        if (!(fabs(out->sum_sd[i] / want - 1) < 1e-6))
            fail_msg("%s: cell %u has noise %g, not %g", c->name, i,
                     out->sum_sd[i], want);
    }
}

/* ---- what a row adds ----------------------------------------------------- */

/* In one cell at most, and there no more than its bound. Returns the part of
 * the bound that it takes. */
static double check_added(const ask_world *w, const ask_case *c,
                          const payment *p, const kith_i_cells *with,
                          const kith_i_cells *without, int small)
{
    int records = c->ask.value.kind == KITH_I_VALUE_RECORD;
    double l1 = (double)w->d * REACH, l2 = sqrt(w->d) * REACH;
    int64_t counted = 0;
    double part = 0;
    for (uint32_t i = 0; i < ASK_CELLS; i++) {
        int64_t one = with->counts[i] - without->counts[i];
        assert_true(one == 0 || one == 1);
        counted += one;
        double sum = 0, square = 0;
        for (uint32_t t = 0; t < c->width; t++) {
            double v = (double)(with->sums[i * c->width + t] -
                                without->sums[i * c->width + t]);
            sum += fabs(v);
            square += v * v;
        }
        if (one == 0 && square > 0)
            fail_msg("%s: a row adds to another cell", c->name);
        double bound = (double)radius_of(i, small);
        int taxicab = p->delta == 0 && !p->ball && !records;
        double took = records   ? fmax(sum / l1, sqrt(square) / l2)
                      : taxicab ? sum / bound
                                : sqrt(square) / bound;
        if (took > 1 + 1e-12)
            fail_msg("%s: a row adds %g of what is charged for in cell %u",
                     c->name, took, i);
        part = fmax(part, took);
    }
    assert_true(counted <= 1);
    return part;
}

/* Corners, zeros, anything. */
static void draw_row(kith_i_coins *coins, double *row)
{
    int kind = (int)kith_i_coins_below(coins, 3);
    for (int i = 0; i < D; i++) {
        double sign = kith_i_coins_below(coins, 2) ? 1 : -1;
        row[i] = kind == 0   ? sign
                 : kind == 1 ? sign * kith_i_coins_unit(coins)
                             : 1e3 * sign * (kith_i_coins_below(coins, 2) > 0);
    }
}

static void check_world(kith_i_coins *coins, int sparse, int small,
                        const payment *p, double *reached)
{
    enum { OTHERS = 7 };
    ask_world *w = ask_world_new(coins, D, sparse, REACH);
    double rows[(OTHERS + 1) * D];
    for (int r = 0; r <= OTHERS; r++)
        draw_row(coins, rows + r * D);
    for (int i = 0; i < D; i++) /* the one in question: a corner */
        rows[OTHERS * D + i] = kith_i_coins_below(coins, 2) ? 1 : -1;
    room first = open_room(w, p, rows, 1, 1);
    static ask_case cases[ASK_MOST];
    size_t count = ask_cases(w, first.by, first.labels, cases);
    kith_session_close(first.s);
    for (size_t at = 0; at < count; at++) {
        kith_i_cells with = release(w, p, rows, OTHERS + 1, 1, at, small);
        kith_i_cells without = release(w, p, rows, OTHERS, 2, at, small);
        check_price(&cases[at], p, &with, small);
        double part = check_added(w, &cases[at], p, &with, &without, small);
        double *best = &reached[cases[at].ask.value.kind];
        *best = fmax(*best, part);
        kith_i_cells_free(&with);
        kith_i_cells_free(&without);
    }
    ask_world_free(w);
}

static void test_bounds(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 73, 0);
    double reached[sizeof payments / sizeof *payments]
                  [KITH_I_VALUE_LENGTHS + 1] = {0};
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < sizeof payments / sizeof *payments; i++)
            for (int sparse = 0; sparse < 2; sparse++)
                check_world(&coins, sparse, pass & 1, &payments[i], reached[i]);
    for (size_t i = 0; i < sizeof payments / sizeof *payments; i++)
        for (int kind = 0; kind <= KITH_I_VALUE_LENGTHS; kind++)
            assert_true(reached[i][kind] > .9); /* not only kept */
}

/* ---- many rows ----------------------------------------------------------- */

/* One thread or several: the same bits, and with an enormous budget the exact
 * number of rows. */
static void test_threads(void **state)
{
    (void)state;
    enum { N = 60000 };
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 74, 0);
    ask_world *w = ask_world_new(&coins, D, 0, REACH);
    double *rows = malloc((size_t)N * D * sizeof *rows);
    for (int r = 0; r < N; r++)
        draw_row(&coins, rows + (size_t)r * D);
    const payment rich = {4000, 1e-6, KITH_ADD_REMOVE, 0};
    const size_t tried[] = {0, 10, 20, 30}; /* some of the list */
    for (size_t i = 0; i < 4; i++) {
        kith_i_cells one = release(w, &rich, rows, N, 1, tried[i], 0);
        kith_i_cells four = release(w, &rich, rows, N, 4, tried[i], 0);
        int64_t sum = 0;
        for (uint32_t c = 0; c < ASK_CELLS; c++)
            sum += one.counts[c];
        assert_true(sum <= N + ASK_CELLS && sum > N / 2);
        assert_memory_equal(one.counts, four.counts,
                            ASK_CELLS * sizeof *one.counts);
        if (one.sums) {
            room r = open_room(w, &rich, rows, 1, 1);
            uint32_t width = case_at(w, &r, tried[i]).width;
            kith_session_close(r.s);
            assert_memory_equal(one.sums, four.sums,
                                ASK_CELLS * width * sizeof *one.sums);
        }
        kith_i_cells_free(&one);
        kith_i_cells_free(&four);
    }
    free(rows);
    ask_world_free(w);
}

/* ---- labels -------------------------------------------------------------- */

/* Labels say where a row is at the time they are made, and no longer: with the
 * same noise a release by labels is the release by the centres, bit for bit,
 * also after these have moved. */
static void test_labels(void **state)
{
    (void)state;
    enum { N = 3000 };
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 75, 0);
    double *rows = malloc((size_t)N * D * sizeof *rows);
    for (int r = 0; r < N; r++)
        draw_row(&coins, rows + (size_t)r * D);
    ask_world *w = ask_world_new(&coins, D, 0, REACH);
    ask_world *moved = ask_world_new(&coins, D, 0, REACH);
    kith_i_cells by[2];
    for (int labels = 0; labels < 2; labels++) {
        room r = open_room(w, &payments[0], rows, N, 2);
        kith_i_ask near = {
            .place = {.kind = KITH_I_PLACE_NEAREST, .centers = &moved->near}};
        const kith_i_view *fresh;
        assert_int_equal(kith_i_labels_open(r.s, &near, &fresh, NULL), KITH_OK);
        kith_i_ask label = {.place = {.kind = KITH_I_PLACE_LABEL,
                                      .places = moved->near.k,
                                      .by = fresh}};
        kith_i_cells_spec spec = {.what = "test",
                                  .cells = moved->near.k,
                                  .width = D,
                                  .count_charge = kith_i_session_left(r.s) / 2,
                                  .sum_charge = kith_i_session_left(r.s) / 2};
        assert_int_equal(kith_i_release_cells(r.s, labels ? &label : &near,
                                              &spec, &by[labels], NULL),
                         KITH_OK);
        kith_i_labels_close(r.s, fresh);
        kith_session_close(r.s);
    }
    assert_memory_equal(by[0].counts, by[1].counts,
                        moved->near.k * sizeof *by[0].counts);
    assert_memory_equal(by[0].sums, by[1].sums,
                        moved->near.k * D * sizeof *by[0].sums);
    kith_i_cells_free(&by[0]);
    kith_i_cells_free(&by[1]);
    ask_world_free(w);
    ask_world_free(moved);
    free(rows);
}

/* ---- 64 bits are enough -------------------------------------------------- */

/* The largest that one row can add, of each kind, times as many rows as there
 * can be: below 2^62, so that noise of scales up to 2^54 fits beside it (I13).
 */
static void test_no_overflow(void **state)
{
    (void)state;
    const kith_i_i128 rows = KITH_I_MAX_ROWS, room_left = (kith_i_i128)1 << 62;
    /* clipped values, radius up to 2^31: what clipping leaves at most */
    int32_t v[3] = {INT32_MIN, INT32_MAX, INT32_MIN}, alone = INT32_MIN;
    kith_i_clip_l2(v, 3, (uint64_t)1 << 31);
    kith_i_clip_l2(&alone, 1, (uint64_t)1 << 31);
    kith_i_i128 most = -(kith_i_i128)alone;
    assert_true(most == (kith_i_i128)1 << 31);
    for (int i = 0; i < 3; i++)
        assert_true(llabs(v[i]) <= most);
    assert_true(most * rows < room_left);
    /* records, and entries that are clamped: |q| < 2^15 */
    assert_true((kith_i_i128)INT16_MAX * rows < room_left);
    /* losses: at most INT32_MAX; of a swap that too, kept and extra together */
    int32_t loss = INT32_MAX;
    int64_t kept = 0, extra = 0;
    uint32_t owner = 0;
    kith_i_swaps swap = {1, 1, 1, INT32_MAX, &owner, &loss, &loss};
    kith_i_aggregate_swaps(&swap, &kept, &extra);
    assert_true(kept + extra == INT32_MAX);
    assert_true((kith_i_i128)INT32_MAX * rows < room_left);
    /* second moments: products of two 16-bit numbers */
    assert_true((kith_i_i128)INT16_MAX * INT16_MAX * rows < room_left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_no_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
