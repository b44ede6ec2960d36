/* Takes the place of dp/noise.c: see noise_replay.h. */
#include "support/noise_replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_i.h"
#include "dp/noise.h"

typedef struct {
    size_t count;
    double *exact, *scale, *step; /* step: x - x', learned by a replay */
    int64_t *out;
    size_t steps; /* count when step was learned */
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
}

void replay_reset(replay_fault fault)
{
    for (size_t i = 0; i < REPLAY_MOST_CALLS; i++) {
        free(calls[i].exact);
        free(calls[i].scale);
        free(calls[i].step);
        free(calls[i].out);
    }
    memset(calls, 0, sizeof calls);
    memset(&replay, 0, sizeof replay);
    replay.fault = fault;
}

/* A K-norm vector is long in L2; other noise is in each coordinate alone. */
typedef enum { GAUSSIAN, EACH, BALL } shape;

/* Along the learned direction, far out: there the loss is largest. */
static void record(call *c, const int64_t *values, const double *scale,
                   size_t count, int exact)
{
    c->exact = realloc(c->exact, (count + 1) * sizeof *c->exact);
    c->scale = realloc(c->scale, (count + 1) * sizeof *c->scale);
    c->out = realloc(c->out, (count + 1) * sizeof *c->out);
    c->count = count;
    int along = replay.calls < replay.known && c->steps == count;
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
    int same = replay.calls < recorded && c->count == count;
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
        replay.squares += square;
    else
        replay.loss += distance(c, other, s) - distance(c, c->exact, s);
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
