/* Second moments by cell: values, sensitivity by differences under the same
 * noise, the shape of the noise (diagonal variance twice the off-diagonal). */
#include <math.h>

#include "dp/dp_i.h"
#include "release/release_gram.h"
#include "support/make_data.h"
#include "support/near_points.h"
#include "support/nuclear.h"
#include "support/stat.h"

enum { N = 300, D = 5, CELLS = 3, BY_TRACE = 2 };

/* Three cells by the first coordinate, or one; the record or, with a radius,
 * the way from an origin: 0 or (hostile) one far off for each cell, orthogonal
 * to the others. */
typedef struct {
    near_points near;
    int32_t origins[CELLS * D];
    kith_i_ask ask;
} thirds;

static const kith_i_ask *ask_thirds(thirds *t, int cells, int values, int far)
{
    /* -5001 is in the first, 5000 in the last */
    static const double at[CELLS] = {-10001, 0, 9999};
    memset(t->origins, 0, sizeof t->origins);
    for (int c = 0; far && c < CELLS; c++)
        t->origins[c * D + c] = 131071;
    t->ask = (kith_i_ask){0};
    if (cells > 1)
        t->ask.place = near_first(&t->near, at, CELLS, D);
    if (values)
        t->ask.value = (kith_i_value){.kind = KITH_I_VALUE_RESIDUAL,
                                      .origins = t->origins,
                                      .by_cell = cells > 1};
    return &t->ask;
}

typedef struct {
    double epsilon, delta;
    kith_neighbors nb;
    int cells, far;
    uint64_t radius, seed;
} setting;

static double release(const double *rows, size_t n, const setting *how,
                      int64_t *out)
{
    int by_trace = how->delta < 0; /* pure, too */
    int cells = how->cells;
    uint64_t radius = how->radius;
    kith_session *s =
        open_session(load(rows, n, D, unit_box()), how->epsilon,
                     by_trace ? 0 : how->delta, how->nb, 2, how->seed);
    thirds t;
    const kith_i_ask *ask = ask_thirds(&t, cells, radius > 0, how->far);
    kith_i_gram_spec spec = {.what = "moments",
                             .cells = (uint32_t)cells,
                             .width = D,
                             .radius = radius,
                             .by_trace = by_trace,
                             .charge = kith_i_session_left(s)};
    double sd;
    kith_error err = {0};
    if (kith_i_release_gram(s, ask, &spec, out, &sd, &err))
        fail_msg("%s", err.message);
    kith_session_close(s);
    return sd;
}

static void test_values(void **state)
{
    (void)state;
    double *rows = make_rows(N, D, 4, 3);
    for (int cells = 1; cells <= CELLS; cells += CELLS - 1) {
        int64_t got[CELLS * D * D];
        double sd = release(
            rows, N, &(setting){4000, 1e-6, KITH_ADD_REMOVE, cells, 0, 0, 1},
            got);
        double want[CELLS * D * D] = {0};
        for (size_t r = 0; r < N; r++) {
            double q[D];
            for (int i = 0; i < D; i++)
                q[i] =
                    trunc(fmax(-1, fmin(1, rows[r * D + (size_t)i])) * 16384);
            int c = cells == 1 ? 0 : (q[0] < -5000 ? 0 : (q[0] < 5000 ? 1 : 2));
            for (int i = 0; i < D; i++)
                for (int j = 0; j < D; j++)
                    want[(c * D + i) * D + j] += q[i] * q[j];
        }
        for (int i = 0; i < cells * D * D; i++) /* 8 sd: 1e-14 */
            assert_true(fabs((double)got[i] - want[i]) <= 8 * sd + 1);
        for (int c = 0; c < cells; c++)
            for (int i = 0; i < D; i++)
                for (int j = 0; j < D; j++)
                    assert_int_equal(got[(c * D + i) * D + j],
                                     got[(c * D + j) * D + i]);
    }
    free(rows);
}

/* What two neighbouring releases under the same noise differ by, in units of
 * what was paid: at most 1. */
static double spent_on(const double *a, size_t n, const double *b, size_t m,
                       int pure, setting how)
{
    double mu, square = 0, length = 0, traces = 0;
    int cells = how.cells;
    how.delta = pure == BY_TRACE ? -1 : pure ? 0 : 1e-6;
    int64_t x[CELLS * D * D], y[CELLS * D * D];
    assert_int_equal(kith_privacy_mu(1, 1e-6, &mu, NULL), KITH_OK);
    double sd = release(a, n, &how, x);
    release(b, m, &how, y);
    for (int c = 0; c < cells; c++) {
        double cell = 0;
        for (int i = c * D * D; i < (c + 1) * D * D; i++)
            cell += (double)(x[i] - y[i]) * (double)(x[i] - y[i]);
        square += cell;
        length += sqrt(cell);
        double change[D * D];
        for (int i = 0; i < D * D; i++)
            change[i] = (double)(x[c * D * D + i] - y[c * D * D + i]);
        traces += nuclear_norm(change, D);
    }
    if (pure == BY_TRACE) /* sd is sqrt(D + 1) scales */
        return traces / (sd / sqrt(D + 1));
    /* K-norm: sd is sqrt(D(D+1)/2 + 1) scales */
    return pure ? length / (sd / sqrt(D * (D + 1) / 2 + 1))
                : sqrt(square) / sd / mu;
}

/* Orthogonal replacement rows, in the same and in different cells; values that
 * are longer than what is paid for, also by far. In units of the noise the
 * change must not exceed mu, and some pair must reach it in each way of paying:
 * both measures, both adjacencies, one cell and several, records and values;
 * and by the trace. (From one far origin all rows are alike: replacing one
 * changes little.) */
static void test_sensitivity(void **state)
{
    (void)state;
    double *rows = make_rows(N + 1, D, 4, 3),
           *changed = make_rows(N + 1, D, 4, 3);
    static const double pairs[][2][D] = {
        {{.1, 1, 1, -1, 1}, {.1, 1, -1, -1, -1}}, /* same cell */
        {{1, 1, 1, 1, 1}, {-1, 1, -1, 1, 0}},     /* two cells */
        {{1, -1, 1, -1, 1}, {-1, 1, 1, -1, 1}},   /* two, full length */
        {{1, 1, 1, 1, 1}, {1, 1, -1, -1, 0}},     /* one, orthogonal */
        {{1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}}};
    for (int mode = 0; mode < 48; mode++) {
        int replace = mode & 1, way = mode % 24, far = mode >= 24;
        int pure = way >= 16 ? BY_TRACE : way >> 1 & 1;
        int cells = way & 4 ? CELLS : 1;
        uint64_t radius = way & (way < 16 ? 8 : 2) ? 9000 : 0;
        if (far && !radius)
            continue;
        double reached = 0;
        for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
            memcpy(rows + N * D, pairs[p][0], sizeof pairs[p][0]);
            memcpy(changed + N * D, pairs[p][1], sizeof pairs[p][1]);
            setting how = {.epsilon = 1,
                           .nb = replace ? KITH_REPLACE_ONE : KITH_ADD_REMOVE,
                           .cells = cells,
                           .far = far,
                           .radius = radius,
                           .seed = 4};
            double spent = spent_on(rows, N + 1, replace ? changed : rows,
                                    replace ? N + 1 : N, pure, how);
            assert_true(spent <= 1 + 1e-9);
            reached = fmax(reached, spent);
        }
        print_message("mode %d: %.4f of what was paid\n", mode, reached);
        if (!far || !replace || cells > 1)
            assert_true(reached > .97); /* 5 odd signs are not orthogonal */
    }
    free(rows);
    free(changed);
}

/* On empty data the release is pure noise: variances of diagonal and
 * off-diagonal are 2 : 1. Chi-square sums, false alarm <= 4e-6. */
static void test_noise_shape(void **state)
{
    (void)state;
    double diagonal = 0, off = 0, none = 0;
    size_t nd = 0, no = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        int64_t a[D * D];
        double sd = release(
            &none, 0, &(setting){1, 1e-6, KITH_ADD_REMOVE, 1, 0, 0, seed}, a);
        for (int i = 0; i < D; i++)
            for (int j = 0; j <= i; j++) {
                double z = (double)a[i * D + j] / sd;
                if (i == j) {
                    diagonal += z * z;
                    nd++;
                } else {
                    off += 2 * z * z;
                    no++;
                }
            }
    }
    assert_true(diagonal <= chi_square_limit(nd));
    assert_true(off <= chi_square_limit(no));
    /* lower side: Laurent, Massart: k - 2 sqrt(k x) */
    assert_true(diagonal >= (double)nd - 2 * sqrt((double)nd * ALARM));
    assert_true(off >= (double)no - 2 * sqrt((double)no * ALARM));
}

/* Cells without a row have noise of their own, in each way of paying, without a
 * seed as with one: no cell is zero, no two are alike (chance of a false alarm:
 * below 1e-20, for every entry has a deviation of more than 1e8). */
static void test_empty_cells(void **state)
{
    (void)state;
    for (int way = 0; way < 6; way++) {
        kith_session_options opt;
        kith_session_options_init(&opt, sizeof opt);
        opt.privacy = (kith_privacy){1, way % 3 ? 0 : 1e-6, KITH_ADD_REMOVE};
        opt.threads = 2;
        opt.insecure = way >= 3;
        kith_session *s = NULL;
        assert_int_equal(
            kith_session_open(load(NULL, 0, D, unit_box()), &opt, &s, NULL),
            KITH_OK);
        thirds t;
        kith_i_gram_spec spec = {.what = "moments",
                                 .cells = CELLS,
                                 .width = D,
                                 .by_trace = way % 3 == BY_TRACE,
                                 .charge = kith_i_session_left(s)};
        int64_t out[CELLS + 1][D * D] = {{0}};
        double sd;
        assert_int_equal(kith_i_release_gram(s, ask_thirds(&t, CELLS, 0, 0),
                                             &spec, out[1], &sd, NULL),
                         KITH_OK);
        assert_true(sd > 1e8);
        for (int a = 0; a <= CELLS; a++)
            for (int b = 0; b < a; b++)
                for (int i = 0; i < D * D; i++)
                    assert_true(out[a][i] != out[b][i]);
        kith_session_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_sensitivity),
        cmocka_unit_test(test_noise_shape),
        cmocka_unit_test(test_empty_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
