/* Record-locality (R2, I34) of everything that can be asked of a row: each
 * place with each value, dense and sparse; losses, swaps and keys. locality.h
 * says how; here the rows stand at corners as often as not. What is found is
 * also compared with the words of ask.h, read naively. */
#include "dp/ask_private.h"
#include "support/asks.h"
#include "support/locality.h"

enum { PASSES = 9 };

static double reach_of(rows_kind kind)
{
    return kind == ROWS_SMALL ? 2 : 32767;
}

/* ---- places and values --------------------------------------------------- */

typedef struct {
    const ask_case *c;
    const kith_i_domain *domain;
} ask_arg;

/* What stands beside a row in tests: two of its entries, or a label (some of
 * which are none). */
static int16_t beside_of(const kith_i_block *block, uint32_t r, uint32_t j)
{
    uint32_t feature[1] = {block->dimension - 1 - j};
    int32_t entry[1];
    kith_i_row_entries(block, r, feature, 1, entry);
    return (int16_t)entry[0];
}

static void set_beside(const kith_i_place *place, kith_i_block *block,
                       int16_t *beside)
{
    if (!place->by)
        return;
    int labels = place->kind == KITH_I_PLACE_LABEL;
    block->beside = beside;
    block->beside_dimension = labels ? 1 : ASK_BY;
    for (uint32_t r = 0; r < block->rows; r++)
        if (labels)
            beside[r] = (int16_t)((beside_of(block, r, 0) + 32768) % 13 - 1);
        else
            for (uint32_t j = 0; j < ASK_BY; j++)
                beside[r * ASK_BY + j] = beside_of(block, r, j);
}

static void answer_ask(const void *arg, const kith_i_block *given,
                       double *scratch, void *out)
{
    const ask_arg *a = arg;
    uint32_t width = a->c->width, cell[LOCAL_MOST];
    int16_t beside[LOCAL_MOST * ASK_BY];
    kith_i_block block = *given;
    set_beside(&a->c->ask.place, &block, beside);
    int32_t *value = malloc((block.rows * width + 1) * sizeof *value);
    memset(value, 0x5a, block.rows * width * sizeof *value);
    memset(cell, 0x5a, sizeof cell);
    kith_i_ask_rows(&a->c->ask, a->domain, &block, width, scratch, cell,
                    width ? value : NULL);
    for (size_t r = 0; r < block.rows; r++) {
        int32_t *to = (int32_t *)out + r * (width + 1);
        to[0] = (int32_t)cell[r];
        memcpy(to + 1, value + r * width, width * sizeof *value);
    }
    free(value);
}

/* ---- the same by the words ----------------------------------------------- */

static uint32_t naive_leaf(const kith_i_forest *f, const int16_t *y)
{
    double sum = 0, most = 0;
    for (uint32_t i = 0; i < f->q; i++) {
        double square = (double)(y[i] * y[i]) * f->inverse[i];
        sum += square;
        most = fmax(most, square);
    }
    uint32_t root = 1;
    while (root + 1 < f->roots && most > f->edge[root] * f->edge[root])
        root++;
    const kith_i_box *n = &f->node[root > 1 ? root : sum > 4.0 * f->q];
    while (n->child >= 0)
        n = &f->node[n->child + (y[n->axis] > n->middle)];
    return n->cell;
}

static uint32_t naive_plane(const kith_i_axes *axes, const int16_t *x)
{
    uint32_t best = 0;
    double most = -1;
    for (uint32_t p = 0; p < axes->k; p++) {
        long double sum = 0;
        for (uint32_t j = 0; j < axes->q; j++) {
            kith_i_i128 dot = 0;
            for (uint32_t i = 0; i < axes->d; i++)
                dot +=
                    x[i] *
                    (kith_i_i128)axes->coords[(p * axes->q + j) * axes->d + i];
            sum += (long double)dot * (long double)dot;
        }
        if ((double)sum > most) {
            most = (double)sum;
            best = p;
        }
    }
    return best;
}

/* Centres as rows, whatever their form. */
static uint32_t naive_cell(const kith_i_place *p, const int16_t *x,
                           const int16_t *beside)
{
    const int16_t *y = p->by ? beside : x;
    if (p->kind == KITH_I_PLACE_NEAREST) {
        const kith_i_centers *c = p->centers;
        double *real = malloc((size_t)c->k * c->d * sizeof *real);
        for (uint32_t j = 0; j < c->k; j++)
            for (uint32_t i = 0; i < c->d; i++)
                real[j * c->d + i] =
                    c->coords[c->sparse ? i * c->k + j : j * c->d + i];
        kith_i_i128 square = 0;
        uint32_t cell = naive_nearest(y, real, c->k, c->d, &square);
        free(real);
        return cell;
    }
    if (p->kind == KITH_I_PLACE_PLANE)
        return naive_plane(p->planes, y);
    if (p->kind == KITH_I_PLACE_TREE) {
        uint32_t leaf = naive_leaf(p->forest, y);
        return leaf < p->places ? leaf : KITH_I_NO_CELL;
    }
    if (p->kind == KITH_I_PLACE_LABEL)
        return y[0] >= 0 && (uint32_t)y[0] < p->places ? (uint32_t)y[0]
                                                       : KITH_I_NO_CELL;
    return 0;
}

static uint32_t naive_bin(const kith_i_place *p, const int16_t *x, uint32_t d,
                          uint32_t cell)
{
    const kith_i_distance_bins *b = p->bins;
    if (!b || cell == KITH_I_NO_CELL)
        return cell;
    kith_i_i128 square = 0, size = 0;
    for (uint32_t i = 0; i < d; i++) {
        const kith_i_centers *c = p->centers;
        int64_t at =
            b->origins
                ? b->origins[cell * d + i]
                : (int64_t)
                      c->coords[c->sparse ? i * c->k + cell : cell * d + i];
        square += (kith_i_i128)(x[i] - at) * (x[i] - at);
        size += llabs(x[i] - at);
    }
    double length = b->taxicab ? (double)(size * size) : (double)square;
    const double *limit = b->limits + (b->by_cell ? cell * (b->bins - 1) : 0);
    uint32_t bin = 0;
    while (bin + 1 < b->bins && length > limit[bin])
        bin++;
    return bin;
}

static int32_t naive_halved(int32_t v, int halvings)
{
    if (halvings == 0)
        return v;
    int32_t half = halvings > 1 ? 1 << (halvings - 1) : 0;
    return v < 0 ? -((-v + half) >> halvings) : (v + half) >> halvings;
}

static int32_t naive_value_at(const ask_arg *a, const int16_t *x, uint32_t d,
                              uint32_t cell, uint32_t t)
{
    const kith_i_value *v = &a->c->ask.value;
    if (v->kind == KITH_I_VALUE_RESIDUAL)
        return naive_halved(x[t] - v->origins[(v->by_cell ? cell * d : 0) + t],
                            v->halvings);
    if (v->kind == KITH_I_VALUE_ENTRIES) {
        uint32_t feature = v->features[cell * ASK_PICKS + t];
        return feature < d ? x[feature] : 0;
    }
    double part = floor((double)naive_norm(x, d) * v->one /
                        (double)a->domain->l2_squared);
    return (int32_t)(t ? floor(part * part / v->one) : part);
}

/* Pull is compared in test_kmedian.c. */
static void check_words(const ask_arg *a, const naive_rows *from, uint32_t d,
                        int sparse)
{
    kith_i_block block = sparse ? from->sparse : from->dense;
    uint32_t width = a->c->width;
    int16_t beside[LOCAL_MOST * ASK_BY];
    set_beside(&a->c->ask.place, &block, beside);
    int32_t *got = malloc(block.rows * (width + 1) * sizeof *got);
    double *scratch = naive_scratch_new(kith_i_ask_scratch(&a->c->ask));
    answer_ask(a, sparse ? &from->sparse : &from->dense, scratch, got);
    naive_scratch_free(scratch, 0);
    int written = width && a->c->ask.value.kind != KITH_I_VALUE_RECORD &&
                  a->c->ask.value.kind != KITH_I_VALUE_PULL;
    for (uint32_t r = 0; r < block.rows; r++) {
        const int16_t *x = from->q + (size_t)r * d;
        const kith_i_place *p = &a->c->ask.place;
        uint32_t cell = naive_cell(
            p, x, beside + r * (p->kind == KITH_I_PLACE_LABEL ? 1 : ASK_BY));
        cell = naive_bin(p, x, d, cell);
        if ((uint32_t)got[r * (width + 1)] != cell)
            fail_msg("%s: row %u is in cell %d, not %u", a->c->name, r,
                     got[r * (width + 1)], cell);
        for (uint32_t t = 0; written && cell != KITH_I_NO_CELL && t < width;
             t++)
            if (got[r * (width + 1) + 1 + t] !=
                naive_value_at(a, x, d, cell, t))
                fail_msg("%s: row %u adds %d at %u", a->c->name, r,
                         got[r * (width + 1) + 1 + t], t);
    }
    free(got);
}

static void check_asks(kith_i_coins *coins, rows_kind kind, int sparse)
{
    uint32_t d = 3 + (uint32_t)kith_i_coins_below(coins, 30);
    uint32_t rows = 5 + (uint32_t)kith_i_coins_below(coins, 90);
    naive_rows from = naive_rows_new(coins, rows, d, kind);
    if (kind == ROWS_RANDOM) /* every third row is a corner */
        for (size_t i = 0; i < (size_t)rows * d; i++)
            if (i / d % 3 == 0)
                from.q[i] = naive_value(coins, ROWS_EXTREME);
    naive_rows_index(&from, rows, d);
    ask_world *w = ask_world_new(coins, d, sparse, reach_of(kind));
    kith_i_domain domain = {.dimension = d,
                            .sparse = sparse,
                            .l2_squared = (uint64_t)d * 32767 * 32767};
    kith_i_view view = {.domain = &domain};
    static ask_case cases[ASK_MOST];
    size_t count = ask_cases(w, &view, &view, cases);
    for (size_t i = 0; i < count; i++) {
        ask_arg arg = {&cases[i], &domain};
        local_answer a = {.name = cases[i].name,
                          .answer = answer_ask,
                          .arg = &arg,
                          .bytes = (cases[i].width + 1) * sizeof(int32_t),
                          .scratch = kith_i_ask_scratch(&cases[i].ask),
                          .d = d,
                          .sparse = sparse};
        check_local(&a, coins, from.q, rows);
        check_words(&arg, &from, d, sparse);
    }
    ask_world_free(w);
    naive_rows_free(&from);
}

static void test_places_and_values(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 71, 0);
    for (int pass = 0; pass < PASSES; pass++)
        for (int sparse = 0; sparse < 2; sparse++)
            check_asks(&coins, (rows_kind)(pass % (int)ROWS_KINDS), sparse);
}

/* ---- losses, swaps, keys ------------------------------------------------- */

static void answer_sets(const void *arg, const kith_i_block *block,
                        double *scratch, void *out)
{
    kith_i_center_losses(arg, block, scratch, out);
}

static void answer_swaps(const void *arg, const kith_i_block *block,
                         double *scratch, void *out)
{
    const kith_i_swap_state *a = arg;
    size_t n = a->points.k;
    uint32_t owner[LOCAL_MOST];
    int32_t *both = malloc((2 * block->rows * n + 1) * sizeof *both);
    kith_i_swap_losses(a, block, scratch, owner, both, both + block->rows * n);
    for (size_t r = 0; r < block->rows; r++) {
        int32_t *to = (int32_t *)out + r * (2 * n + 1);
        to[0] = (int32_t)owner[r];
        memcpy(to + 1, both + r * n, n * sizeof *both);
        memcpy(to + 1 + n, both + (block->rows + r) * n, n * sizeof *both);
    }
    free(both);
}

static void check_losses(kith_i_coins *coins, const int16_t *rows,
                         uint32_t count, uint32_t d, double reach)
{
    for (int sparse = 0; sparse < 2; sparse++) {
        kith_i_centers set[3];
        for (int s = 0; s < 3; s++)
            set[s] = some_centers(coins, 4, d, sparse, reach);
        kith_i_center_sets sets = {.set = set, .count = 3, .shift = 8};
        local_answer a = {.name = "losses of sets of centres",
                          .answer = answer_sets,
                          .arg = &sets,
                          .bytes = 3 * sizeof(int32_t),
                          .scratch = kith_i_center_losses_scratch(&sets),
                          .d = d,
                          .sparse = sparse};
        check_local(&a, coins, rows, count);
        for (int s = 0; s < 3; s++)
            naive_centers_free(&set[s]);
    }
}

static void check_swaps(kith_i_coins *coins, const int16_t *rows,
                        uint32_t count, uint32_t d, double reach)
{
    enum { SLOTS = 4 };
    uint32_t n = 5 + (uint32_t)kith_i_coins_below(coins, 30), chosen[SLOTS];
    for (int j = 0; j < SLOTS; j++)
        chosen[j] = (uint32_t)kith_i_coins_below(coins, n);
    for (int median = 0; median < 2; median++) {
        kith_i_swap_state state = {.points =
                                       some_centers(coins, n, d, 0, reach),
                                   .chosen = chosen,
                                   .k = SLOTS,
                                   .shift = 8,
                                   .median = median,
                                   .bound = 1 << 20};
        local_answer a = {.name = median ? "swaps by distance" : "swaps",
                          .answer = answer_swaps,
                          .arg = &state,
                          .bytes = (2 * n + 1) * sizeof(int32_t),
                          .scratch = kith_i_swap_scratch(n, d),
                          .d = d};
        check_local(&a, coins, rows, count);
        naive_centers_free(&state.points);
    }
}

static void answer_keys(const void *arg, const kith_i_block *block,
                        double *scratch, void *out)
{
    (void)scratch;
    for (uint32_t r = 0; r < block->rows; r++) {
        uint64_t key =
            kith_i_tree_key(arg, block->dense + (size_t)r * block->dimension);
        memcpy((char *)out + r * sizeof key, &key, sizeof key);
    }
}

static void check_keys(kith_i_coins *coins, const int16_t *rows, uint32_t count)
{
    enum { P = 3 };
    kith_i_tree tree = {.p = P, .depth = 2, .edge = 1 << 16};
    kith_i_sparse_cell cubes[2][40];
    for (int i = 0; i < P; i++)
        tree.low[i] = -32768;
    for (int a = 0; a < 2; a++) {
        tree.level[a].cubes = cubes[a];
        tree.level[a].count = 0;
        size_t all = a ? tree.level[0].count << P : 1 << P;
        for (size_t key = 0; key < all; key++) /* three of four are active */
            if (kith_i_coins_below(coins, 4) && tree.level[a].count < 40)
                cubes[a][tree.level[a].count++].key = key;
    }
    local_answer a = {.name = "keys",
                      .answer = answer_keys,
                      .arg = &tree,
                      .bytes = sizeof(uint64_t),
                      .d = P};
    check_local(&a, coins, rows, count);
}

static void test_losses_swaps_keys(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 72, 0);
    for (int pass = 0; pass < PASSES; pass++) {
        rows_kind kind = (rows_kind)(pass % (int)ROWS_KINDS);
        uint32_t d = 1 + (uint32_t)kith_i_coins_below(&coins, 12);
        uint32_t rows = 3 + (uint32_t)kith_i_coins_below(&coins, 200);
        naive_rows from = naive_rows_new(&coins, rows, d, kind);
        check_losses(&coins, from.q, rows, d, reach_of(kind));
        check_swaps(&coins, from.q, rows, d, reach_of(kind));
        naive_rows cubes = naive_rows_new(&coins, rows, 3, kind);
        check_keys(&coins, cubes.q, rows);
        naive_rows_free(&from);
        naive_rows_free(&cubes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_and_values),
        cmocka_unit_test(test_losses_swaps_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
