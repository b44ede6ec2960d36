/* Audit of `--method mincost` on neighbouring rows (R15). The law aimed at is
 * exp(b held), held the sum over rows of the largest square of a projection: by
 * the sampler's own code it is computed for two neighbours and many states,
 * among them those where their log-ratio is extreme; its range is held against
 * what was declared. (That the walk keeps its law:
 * tests/spec/test_wws15_eq10_gibbs.c.) No false alarms. The heat of the walk is
 * watched too: it must end at that law and never be colder. Planted: the 2 of a
 * replaced row forgotten, more than was declared, a walk that is too cold. */
#include "base/words.h"
#include "sidedoor/release_chain.h"
#include "support/bingham_spy.h"

static double heat_fault = 1, most_heat;

static double watched_pow(double x, double y)
{
    double heat = heat_fault * pow(x, y);
    most_heat = fmax(most_heat, heat);
    return heat;
}

/* mincost.c, its own text, with eyes */
#define pow watched_pow
#include "subspace/mincost.c"
#undef pow

/* What the gate shows to a sampler, kept. */
typedef struct {
    kith_i_chain_rows rows;
    double *x;
} seen;

static kith_status look(void *arg, const kith_i_chain_rows *rows,
                        kith_i_words *coins, double *state, kith_error *err)
{
    (void)coins;
    (void)err;
    seen *s = arg;
    state[0] = 0;
    s->rows = *rows;
    size_t bytes = sizeof *s->x * rows->n * rows->stride;
    s->x = aligned_alloc(64, (bytes + 64) / 64 * 64); /* as the gate's are */
    memcpy(s->x, rows->x, bytes);
    s->rows.x = s->x;
    return KITH_OK;
}

static void show(const spy_claim *c, const double *rows, size_t n, int mistaken,
                 double more, seen *out)
{
    kith_session *s =
        open_session(load(rows, n, SPY_D, ball(1)), c->epsilon * more, c->delta,
                     mistaken ? KITH_ADD_REMOVE : c->neighbors, 1, 1);
    kith_i_chain_spec spec = {.what = "test",
                              .run = look,
                              .arg = out,
                              .state = 1,
                              .charge = kith_i_session_left(s)};
    double state;
    kith_error err = {0};
    if (kith_i_release_chain(s, &spec, &state, &err))
        fail_msg("%s", err.message);
    kith_session_close(s);
}

/* b held, by the sampler's own code. */
static double log_density(const spy_claim *c, const seen *s, double *planes)
{
    kith_i_chain_job job = {c->k, c->q, SPY_D, 1};
    walk w = {.job = &job, .rows = &s->rows, .planes = planes};
    assert_int_equal(walk_open(&w, NULL), KITH_OK);
    double held = s->rows.exponent * w.held;
    walk_close(&w);
    return held;
}

/* All planes through one axis, or without it, or random ones. */
static void set_state(const spy_claim *c, int i, kith_i_coins *coins,
                      double *planes)
{
    for (uint32_t l = 0; l < c->k; l++) {
        double *plane = planes + (size_t)l * c->q * SPY_D;
        kith_i_plane_random(plane, c->q, SPY_D, coins);
        memset(plane, 0, i < 6 ? sizeof *plane * c->q * SPY_D : 0);
        for (uint32_t j = 0; i < 6 && j < c->q; j++)
            plane[j * SPY_D + (i < 3 ? ((uint32_t)i + j) % SPY_D
                                     : ((uint32_t)i + 2 * j) % SPY_D)] = 1;
    }
}

static double audit(const spy_claim *c, int mistaken, double more)
{
    double *a = spy_rows(0), *b = spy_rows(c->replaced);
    size_t m = c->neighbors == KITH_REPLACE_ONE ? SPY_ROWS : SPY_ROWS - 1;
    seen sa, sb;
    show(c, a, SPY_ROWS, mistaken, more, &sa);
    show(c, b, m, mistaken, more, &sb);
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 5, 5);
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < 300; i++) {
        double planes[3 * SPY_D * SPY_D];
        set_state(c, i, &coins, planes);
        double ratio =
            log_density(c, &sa, planes) - log_density(c, &sb, planes);
        low = fmin(low, ratio);
        high = fmax(high, ratio);
    }
    free(a);
    free(b);
    free(sa.x);
    free(sb.x);
    most_heat = 0;
    double *rows = spy_rows(0);
    spy_run(c, KITH_SUBSPACE_MINCOST, 20, rows, SPY_ROWS, mistaken, more);
    free(rows);
    return spy_worth(c, most_heat * (high - low)) / spy_allowed(c);
}

static const spy_claim claims[] = {
    {"removed", 2, 1, 2, 0, KITH_ADD_REMOVE, 0, .99},
    {"replaced", 2, 1, 2, 0, KITH_REPLACE_ONE, 1, .99},
    {"replaced, planes of 2", 1, 2, 8, 0, KITH_REPLACE_ONE, 1, .99},
    {"replaced by another", 3, 1, 2, 0, KITH_REPLACE_ONE, 2, .99},
    {"to a row near it", 2, 1, 1, 0, KITH_REPLACE_ONE, 3, .7},
    {"to an outlier", 2, 1, 1, 0, KITH_REPLACE_ONE, 4, .5},
    {"Gaussian, removed", 2, 1, 2, 1e-6, KITH_ADD_REMOVE, 0, .99},
    {"Gaussian, replaced", 2, 1, 2, 1e-6, KITH_REPLACE_ONE, 1, .99},
};

int main(void)
{
    spy_suite suite = {.claims = claims,
                       .count = sizeof claims / sizeof *claims,
                       .audit = audit,
                       .fault = &heat_fault,
                       .planted = 2.1};
    return spy_main(&suite);
}
