/* Takes the place of noise/noise.c and noise/noise_wishart.c: see
 * noise_replay.h. */
#include "support/noise_replay.h"
#include "release/release_sparse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_i.h"
#include "dp/dp_private.h"
#include "kernel/aggregate.h"
#include "kernel/quartic.h"
#include "noise/noise.h"
#include "noise/noise_wishart.h"
#include "noise/select.h"
#include "release/choice.h"
#include "support/nuclear.h"
#include "support/replay_odds.h"

typedef struct {
    replay_part part;
    size_t count;
    double *exact, *scale, *step; /* step: x - x', learned by a replay */
    int64_t *out;
    size_t steps; /* count when step was learned */
    /* a sparse histogram: exact counts of these keys, what was listed, and the
     * keys of the steps */
    uint64_t domain_size, *keys, *moved;
    int64_t threshold;
    kith_i_sparse_cell *list;
    size_t listed;
} call;
static call calls[REPLAY_MOST_CALLS];
static size_t recorded;
static kith_i_coins coins;
replay_state replay;

void replay_record(uint64_t seed)
{
    kith_i_coins_seed(&coins, seed, 77);
    replay.replaying = replay.differs = 0;
    replay.calls = 0;
}

void replay_again(void)
{
    recorded = replay.calls;
    replay.replaying = 1;
    replay.calls = 0;
    replay.loss = replay.squares = 0;
    memset(replay.parts, 0, sizeof replay.parts);
}

void replay_reset(replay_fault fault)
{
    for (size_t i = 0; i < REPLAY_MOST_CALLS; i++) {
        free(calls[i].exact);
        free(calls[i].scale);
        free(calls[i].step);
        free(calls[i].out);
        free(calls[i].keys);
        free(calls[i].moved);
        free(calls[i].list);
    }
    memset(calls, 0, sizeof calls);
    memset(&replay, 0, sizeof replay);
    replay.fault = fault;
}

static void count_loss(replay_part part, double loss)
{
    replay.loss += loss;
    replay.parts[part] += loss;
}

static void count_square(replay_part part, double square)
{
    replay.squares += square;
    replay.parts[part] += square;
}

/* Room for count statistics of a call that is being recorded. */
static void make_room(call *c, replay_part part, size_t count)
{
    c->part = part;
    c->exact = realloc(c->exact, (count + 1) * sizeof *c->exact);
    c->scale = realloc(c->scale, (count + 1) * sizeof *c->scale);
    c->out = realloc(c->out, (count + 1) * sizeof *c->out);
    c->keys = realloc(c->keys, (count + 1) * sizeof *c->keys);
    c->count = count;
}

/* Is this call to go along a direction that was learned? */
static int is_steered(const call *c)
{
    return replay.calls < replay.known && c->step != NULL;
}

/* A K-norm vector is long in L2; other noise is in each coordinate alone. */
typedef enum { GAUSSIAN, EACH, BALL } shape;

/* Along the learned direction, far out: there the loss is largest. */
static void record(call *c, const int64_t *values, const double *scale,
                   size_t count, int exact)
{
    make_room(c, REPLAY_NOISE, count);
    int along = is_steered(c) && c->steps == count;
    double norm = 0;
    for (size_t i = 0; along && i < count; i++)
        norm += pow(c->step[i] / scale[i], 2);
    for (size_t i = 0; i < count; i++) {
        double noise = kith_i_coins_normal(&coins) * scale[i];
        if (along && norm > 0)
            noise = 3 * scale[i] * (c->step[i] / scale[i]) / sqrt(norm);
        c->exact[i] = (double)values[i];
        c->scale[i] = scale[i];
        c->out[i] = exact ? values[i] : values[i] + (int64_t)nearbyint(noise);
    }
}

static double distance(const call *c, const double *x, shape s)
{
    double sum = 0, square = 0;
    for (size_t i = 0; i < c->count; i++) {
        double v = fabs((double)c->out[i] - x[i]) / c->scale[i];
        sum += v;
        square += v * v;
    }
    return s == BALL ? sqrt(square) : sum;
}

static void compare(call *c, const int64_t *values, const double *scale,
                    size_t count, shape s)
{
    int same =
        replay.calls < recorded && c->part == REPLAY_NOISE && c->count == count;
    for (size_t i = 0; same && i < count; i++)
        same = c->scale[i] == scale[i];
    if (!same) {
        replay.differs = 1;
        return;
    }
    double *other = calloc(count + 1, sizeof *other), square = 0;
    c->step = realloc(c->step, (count + 1) * sizeof *c->step);
    c->steps = count;
    for (size_t i = 0; i < count; i++) {
        other[i] = (double)values[i];
        c->step[i] = c->exact[i] - other[i];
        square += pow(c->step[i] / scale[i], 2);
    }
    if (s == GAUSSIAN)
        count_square(REPLAY_NOISE, square);
    else
        count_loss(REPLAY_NOISE,
                   distance(c, other, s) - distance(c, c->exact, s));
    free(other);
}

static void release(int64_t *values, double *scale, size_t count, shape s)
{
    int exact = replay.fault == FAULT_EXACT_N && replay.calls == 0;
    if (replay.fault == FAULT_SQRT_D && s == BALL)
        s = EACH;
    for (size_t i = 0; i < count; i++)
        scale[i] *= replay.fault == FAULT_HALF_THE_NOISE ? 0.5 : 1;
    if (replay.calls >= REPLAY_MOST_CALLS) {
        replay.differs = 1;
        return;
    }
    call *c = &calls[replay.calls];
    if (!replay.replaying)
        record(c, values, scale, count, exact);
    else if (!exact)
        compare(c, values, scale, count, s);
    if (!exact && !replay.differs)
        memcpy(values, c->out, count * sizeof *values);
    replay.calls++;
}

kith_status kith_i_noise_add(const kith_i_noise *noise, int64_t *values,
                             size_t count, kith_error *err)
{
    (void)err;
    double *scale = calloc(count + 1, sizeof *scale);
    for (size_t i = 0; i < count; i++)
        scale[i] = kith_i_scale_value(noise->scales[i / noise->per_scale]);
    release(values, scale, count,
            noise->kind == KITH_I_GAUSSIAN ? GAUSSIAN : EACH);
    free(scale);
    return KITH_OK;
}

kith_status kith_i_noise_add_knorm(const kith_i_noise *noise, int64_t *values,
                                   size_t vectors, kith_error *err)
{
    (void)err;
    size_t w = noise->per_scale;
    double *scale = calloc(w + 1, sizeof *scale);
    for (size_t v = 0; v < vectors; v++) {
        for (size_t i = 0; i < w; i++)
            scale[i] = kith_i_scale_value(noise->rest && i >= noise->split
                                              ? noise->rest[v]
                                              : noise->scales[v]);
        release(values + v * w, scale, w, BALL);
    }
    free(scale);
    return KITH_OK;
}

/* Wishart differences: the largest loss that any output can show, the nuclear
 * norm of x - x' over b (spec/test_wishart_difference.c shows that it is
 * reached), whatever y is. */
static void release_trace(int64_t *values, size_t count, double b,
                          double (*norm)(const double *change, size_t width),
                          size_t width)
{
    b *= replay.fault == FAULT_HALF_THE_NOISE ? .5 : 1;
    if (replay.calls >= REPLAY_MOST_CALLS) {
        replay.differs = 1;
        return;
    }
    call *c = &calls[replay.calls];
    if (!replay.replaying) {
        double *scale = calloc(count + 1, sizeof *scale);
        for (size_t i = 0; i < count; i++)
            scale[i] = b;
        record(c, values, scale, count, 0);
        free(scale);
    } else if (replay.calls >= recorded || c->part != REPLAY_NOISE ||
               c->count != count || c->scale[0] != b) {
        replay.differs = 1;
    } else {
        c->step = realloc(c->step, (count + 1) * sizeof *c->step);
        c->steps = count;
        for (size_t i = 0; i < count; i++)
            c->step[i] = c->exact[i] - (double)values[i];
        count_loss(REPLAY_NOISE, norm(c->step, width) / b);
    }
    if (!replay.differs)
        memcpy(values, c->out, count * sizeof *values);
    replay.calls++;
}

static double matrix_norm(const double *change, size_t width)
{
    double *a = calloc(width * width, sizeof *a);
    memcpy(a, change, width * width * sizeof *a);
    double norm = nuclear_norm(a, width);
    free(a);
    return norm;
}

kith_status kith_i_noise_add_wishart(const kith_i_noise *noise, uint32_t p,
                                     int64_t *values, kith_error *err)
{
    (void)err;
    release_trace(values, (size_t)p * p, kith_i_scale_value(noise->scales[0]),
                  matrix_norm, p);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < i; j++)
            values[j * p + i] = values[i * p + j];
    return KITH_OK;
}

kith_status kith_i_noise_add_quartic(const kith_i_noise *noise, uint32_t width,
                                     int64_t *values, kith_error *err)
{
    (void)err;
    release_trace(values, kith_i_quartic_size(width),
                  kith_i_scale_value(noise->scales[0]), quartic_nuclear, width);
    return KITH_OK;
}

/* Releases of other methods: not recorded. */
kith_status kith_i_noise_add_parts(const kith_i_noise *noise,
                                   const kith_i_scale *scales,
                                   const size_t *ends, size_t width,
                                   int64_t *values, kith_error *err)
{
    (void)noise;
    (void)scales;
    (void)ends;
    (void)width;
    (void)values;
    return kith_i_fail(err, KITH_ERR_INTERNAL, "not recorded");
}

/* ---- aggregate.c: its own text, with faults ------------------------------ */

void sound_values(const kith_i_values *in, int64_t *sums, int64_t *counts);
void sound_swaps(const kith_i_swaps *in, int64_t *kept, int64_t *extra);
size_t sound_keys(uint64_t *keys, uint64_t *other, size_t n, uint64_t limit,
                  int64_t *counts);
void sound_scaled(const kith_i_block *block, uint64_t norm, int pure,
                  int64_t *sums);
void sound_clamped(const kith_i_block *block, const uint32_t *cell,
                   uint32_t cells, uint32_t bound, int64_t *sums);
#define kith_i_aggregate_values  sound_values
#define kith_i_aggregate_swaps   sound_swaps
#define kith_i_aggregate_keys    sound_keys
#define kith_i_aggregate_scaled  sound_scaled
#define kith_i_aggregate_clamped sound_clamped
#include "kernel/aggregate.c"
#undef kith_i_aggregate_values
#undef kith_i_aggregate_swaps
#undef kith_i_aggregate_keys
#undef kith_i_aggregate_scaled
#undef kith_i_aggregate_clamped

void kith_i_aggregate_values(const kith_i_values *in, int64_t *sums,
                             int64_t *counts)
{
    kith_i_values values = *in;
    if (replay.fault == FAULT_SQRT_D)
        values.pure = 0;
    uint64_t *wide = NULL;
    if (replay.fault == FAULT_UNCLIPPED && in->radius) {
        wide = calloc(in->cells, sizeof *wide);
        for (uint32_t c = 0; c < in->cells; c++)
            wide[c] = (uint64_t)1 << 31;
        values.radius = wide;
    }
    sound_values(&values, sums, counts);
    free(wide);
}

void kith_i_aggregate_scaled(const kith_i_block *block, uint64_t norm, int pure,
                             int64_t *sums)
{
    sound_scaled(block, norm, pure && replay.fault != FAULT_SQRT_D, sums);
}

void kith_i_aggregate_clamped(const kith_i_block *block, const uint32_t *cell,
                              uint32_t cells, uint32_t bound, int64_t *sums)
{
    int clamps =
        replay.fault != FAULT_UNCLAMPED && replay.fault != FAULT_UNCLIPPED;
    sound_clamped(block, cell, cells, clamps ? bound : INT16_MAX, sums);
}

void kith_i_aggregate_swaps(const kith_i_swaps *in, int64_t *kept,
                            int64_t *extra)
{
    if (replay.fault != FAULT_UNCLAMPED) {
        sound_swaps(in, kept, extra);
        return;
    }
    for (size_t r = 0; r < in->rows; r++)
        for (size_t c = 0, n = in->candidates; c < n; c++) {
            kept[c] += in->kept[r * n + c];
            extra[in->owner[r] * n + c] += in->extra[r * n + c];
        }
}

/* ---- selections ---------------------------------------------------------- */

uint32_t sound_flip(kith_i_entropy *e, kith_i_exponent b, const int64_t *losses,
                    uint32_t n, uint32_t *order);
uint32_t sound_exponential(kith_i_entropy *e, kith_i_exponent b,
                           const int64_t *losses, uint32_t n);
#define kith_i_permute_and_flip sound_flip
#define kith_i_exponential      sound_exponential
#include "noise/select.c"
#undef kith_i_permute_and_flip
#undef kith_i_exponential

typedef void logs_fn(double b, const double *totals, size_t n, double *out);

static uint32_t farthest(const call *c, logs_fn *logs)
{
    size_t n = c->count, best = 0;
    double *p = calloc(n, sizeof *p), *q = calloc(n, sizeof *q);
    double *other = calloc(n, sizeof *other);
    for (size_t i = 0; i < n; i++)
        other[i] = c->exact[i] - c->step[i];
    logs(c->scale[0], c->exact, n, p);
    logs(c->scale[0], other, n, q);
    for (size_t i = 1; i < n; i++)
        best = p[i] - q[i] > p[best] - q[best] ? i : best;
    free(p);
    free(q);
    free(other);
    return (uint32_t)best;
}

static void compare_choice(call *c, double b, const int64_t *totals, size_t n,
                           int pure)
{
    if (replay.calls >= recorded || c->part != REPLAY_CHOICE || c->count != n ||
        c->scale[0] != b) {
        replay.differs = 1;
        return;
    }
    logs_fn *logs = pure ? flip_logs : exponential_logs;
    double *p = calloc(n, sizeof *p), *q = calloc(n, sizeof *q);
    double *other = calloc(n, sizeof *other);
    c->step = realloc(c->step, (n + 1) * sizeof *c->step);
    c->steps = n;
    for (size_t i = 0; i < n; i++) {
        other[i] = (double)totals[i];
        c->step[i] = c->exact[i] - other[i];
    }
    logs(b, c->exact, n, p);
    logs(b, other, n, q);
    if (pure)
        count_loss(REPLAY_CHOICE, p[c->out[0]] - q[c->out[0]]);
    else
        replay.squares += pow(gdp_of(p, q, n), 2);
    for (size_t i = 0; !pure && i < n; i++)
        q[i] -= p[i];
    if (!pure) /* the part: what the proof says that this range is worth */
        replay.parts[REPLAY_CHOICE] +=
            pow(sqrt(2 * M_PI) / 4 * (most_of(q, n) - least_of(q, n)), 2);
    free(p);
    free(q);
    free(other);
}

/* drawn: what the coins say. */
static uint32_t choose(kith_i_exponent exponent, const int64_t *totals,
                       size_t n, int pure, uint32_t drawn)
{
    double b = kith_i_exponent_value(exponent) *
               (replay.fault == FAULT_HALF_THE_NOISE ? 2 : 1);
    if (replay.calls >= REPLAY_MOST_CALLS) {
        replay.differs = 1;
        return drawn;
    }
    call *c = &calls[replay.calls];
    if (replay.replaying) {
        compare_choice(c, b, totals, n, pure);
    } else {
        make_room(c, REPLAY_CHOICE, n);
        for (size_t i = 0; i < n; i++)
            c->exact[i] = (double)totals[i];
        c->scale[0] = b;
        c->out[0] = is_steered(c) && c->steps == n
                        ? farthest(c, pure ? flip_logs : exponential_logs)
                        : drawn;
    }
    replay.calls++;
    return replay.differs ? drawn : (uint32_t)c->out[0];
}

uint32_t kith_i_permute_and_flip(kith_i_entropy *e, kith_i_exponent b,
                                 const int64_t *losses, uint32_t n,
                                 uint32_t *order)
{
    return choose(b, losses, n, 1, sound_flip(e, b, losses, n, order));
}

uint32_t kith_i_exponential(kith_i_entropy *e, kith_i_exponent b,
                            const int64_t *losses, uint32_t n)
{
    return choose(b, losses, n, 0, sound_exponential(e, b, losses, n));
}

/* ---- sparse histograms --------------------------------------------------- */

/* The one that is being made. */
static struct {
    call *c;
    const kith_i_sparse_spec *spec;
    uint64_t *keys; /* occupied cells of this run's data */
    double *exact;
    size_t count;
    double scale;
    int pure;
    size_t next;   /* of the recorded list: empty cells before it were given */
    uint64_t rank; /* the next empty cell is at least the one of this rank */
    int64_t value; /* of the empty cell that was given last */
} now;

size_t kith_i_aggregate_keys(uint64_t *keys, uint64_t *other, size_t n,
                             uint64_t limit, int64_t *counts)
{
    size_t m = sound_keys(keys, other, n, limit, counts);
    now.keys = calloc(m + 1, sizeof *now.keys);
    now.exact = calloc(m + 1, sizeof *now.exact);
    now.count = m;
    for (size_t i = 0; i < m; i++) {
        now.keys[i] = keys[i];
        now.exact[i] = (double)counts[i];
    }
    return m;
}

/* First of n increasing keys that is not below this one. */
static size_t place_of(const uint64_t *keys, size_t n, uint64_t key)
{
    size_t i = 0;
    while (i < n && keys[i] < key)
        i++;
    return i;
}

static const kith_i_sparse_cell *listed(const call *c, uint64_t key)
{
    for (size_t i = 0; i < c->listed; i++)
        if (c->list[i].key == key)
            return &c->list[i];
    return NULL;
}

/* A noisy count: if a replay saw this cell with less, far above the threshold;
 * if it saw more, below the exact count. */
static int64_t noisy_count(const call *c, size_t i)
{
    double x = now.exact[i], t = (double)now.spec->threshold;
    double step = 0;
    size_t at = is_steered(c) && c->part == REPLAY_SPARSE
                    ? place_of(c->moved, c->steps, now.keys[i])
                    : SIZE_MAX;
    if (at < SIZE_MAX && at < c->steps && c->moved[at] == now.keys[i])
        step = c->step[at];
    if (step > 0)
        return (int64_t)(fmax(x, t) + nearbyint(3 * now.scale));
    if (step < 0)
        return (int64_t)(x >= t ? t : x - nearbyint(now.scale));
    return (int64_t)(x + nearbyint(kith_i_coins_normal(&coins) * now.scale));
}

static kith_status sparse_noise(const kith_i_noise *noise, int64_t *values,
                                size_t count, kith_error *err)
{
    (void)err;
    now.scale = kith_i_scale_value(noise->scales[0]) *
                (replay.fault == FAULT_HALF_THE_NOISE ? .5 : 1);
    now.pure = noise->kind == KITH_I_LAPLACE;
    for (size_t i = 0; i < count; i++)
        if (replay.replaying) {
            const kith_i_sparse_cell *cell = listed(now.c, now.keys[i]);
            values[i] = cell ? cell->count : now.spec->threshold - 1;
        } else {
            values[i] = noisy_count(now.c, i);
        }
    return KITH_OK;
}

/* While replaying: the next cell of the recorded list that is empty here. */
static uint64_t sparse_gap(kith_i_entropy *e, kith_i_noise_kind kind,
                           kith_i_scale scale, int64_t least)
{
    if (replay.fault == FAULT_EMPTY_SKIPPED)
        return UINT64_MAX;
    if (!replay.replaying)
        return kith_i_sample_gap(e, kind, scale, least);
    while (now.next < now.c->listed) {
        const kith_i_sparse_cell *cell = &now.c->list[now.next++];
        size_t before = place_of(now.keys, now.count, cell->key);
        if (before < now.count && now.keys[before] == cell->key)
            continue;
        uint64_t rank = cell->key - before, gap = rank - now.rank;
        now.rank = rank + 1;
        now.value = cell->count;
        return gap;
    }
    return UINT64_MAX;
}

static int64_t sparse_geometric(kith_i_entropy *e, kith_i_scale t)
{
    return replay.replaying ? now.value - now.spec->threshold
                            : kith_i_sample_geometric(e, t);
}

static int64_t sparse_tail(kith_i_entropy *e, kith_i_scale sigma, int64_t least)
{
    return replay.replaying ? now.value
                            : kith_i_sample_gaussian_tail(e, sigma, least);
}

kith_status sound_sparse(kith_session *session, const kith_i_keys *keys,
                         const kith_i_sparse_spec *spec,
                         kith_i_sparse_cell **out, size_t *count, double *sd,
                         kith_error *err);
#define kith_i_release_sparse       sound_sparse
#define kith_i_noise_add            sparse_noise
#define kith_i_sample_gap           sparse_gap
#define kith_i_sample_geometric     sparse_geometric
#define kith_i_sample_gaussian_tail sparse_tail
#include "release/release_sparse.c"
#undef kith_i_release_sparse
#undef kith_i_noise_add
#undef kith_i_sample_gap
#undef kith_i_sample_geometric
#undef kith_i_sample_gaussian_tail

/* log Pr[noise < m], discrete Laplace noise of this scale. */
static double log_below(double m, double scale)
{
    double tail = exp(-1 / scale) + 1;
    return m >= 1 ? log1p(-exp(-m / scale) / tail)
                  : (m - 1) / scale - log(tail);
}

static double cell_loss(const call *c, uint64_t key, double x, double other)
{
    const kith_i_sparse_cell *cell = listed(c, key);
    double t = (double)c->threshold, scale = c->scale[0];
    if (!cell)
        return log_below(t - x, scale) - log_below(t - other, scale);
    double y = (double)cell->count;
    return (fabs(y - other) - fabs(y - x)) / scale;
}

/* Walk over the cells that are occupied in either run. */
static void compare_counts(call *c)
{
    size_t i = 0, j = 0;
    c->step = realloc(c->step, (c->count + now.count + 1) * sizeof *c->step);
    c->moved = realloc(c->moved, (c->count + now.count + 1) * sizeof *c->moved);
    c->steps = 0;
    while (i < c->count || j < now.count) {
        int mine =
            i < c->count && (j == now.count || c->keys[i] <= now.keys[j]);
        uint64_t key = mine ? c->keys[i] : now.keys[j];
        int both = j < now.count && now.keys[j] == key;
        double x = mine ? c->exact[i++] : 0, other = both ? now.exact[j++] : 0;
        if (x == other)
            continue;
        c->moved[c->steps] = key;
        c->step[c->steps++] = x - other;
        if (now.pure)
            count_loss(REPLAY_SPARSE, cell_loss(c, key, x, other));
        else
            count_square(REPLAY_SPARSE, pow((x - other) / c->scale[0], 2));
    }
}

static void finish_sparse(call *c, const kith_i_sparse_cell *list, size_t count)
{
    if (replay.replaying) {
        int same = replay.calls < recorded && c->part == REPLAY_SPARSE &&
                   c->domain_size == now.spec->domain_size &&
                   c->threshold == now.spec->threshold &&
                   c->scale[0] == now.scale && c->listed == count;
        for (size_t i = 0; same && i < count; i++)
            same = c->list[i].key == list[i].key &&
                   c->list[i].count == list[i].count;
        if (same)
            compare_counts(c);
        else
            replay.differs = 1;
        return;
    }
    make_room(c, REPLAY_SPARSE, now.count);
    memcpy(c->keys, now.keys, now.count * sizeof *c->keys);
    memcpy(c->exact, now.exact, now.count * sizeof *c->exact);
    c->scale[0] = now.scale;
    c->domain_size = now.spec->domain_size;
    c->threshold = now.spec->threshold;
    c->list = realloc(c->list, (count + 1) * sizeof *c->list);
    c->listed = count;
    for (size_t i = 0; i < count; i++)
        c->list[i] = list[i];
}

kith_status kith_i_release_sparse(kith_session *s, const kith_i_keys *keys,
                                  const kith_i_sparse_spec *spec,
                                  kith_i_sparse_cell **out, size_t *count,
                                  double *sd, kith_error *err)
{
    if (replay.calls >= REPLAY_MOST_CALLS)
        return kith_i_fail(err, KITH_ERR_INTERNAL, "too many releases");
    memset(&now, 0, sizeof now);
    now.c = &calls[replay.calls];
    now.spec = spec;
    kith_status status = sound_sparse(s, keys, spec, out, count, sd, err);
    if (!status)
        finish_sparse(now.c, *out, *count);
    free(now.keys);
    free(now.exact);
    replay.calls++;
    return status;
}
