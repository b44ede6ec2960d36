/* Counts and sums by cell. Two seeded sessions draw the same noise, so on
 * neighbouring data the difference of their releases is exactly what one
 * record contributes: it must not exceed the sensitivity on the receipt, even
 * when what is asked is far longer than what is paid for. */
#include <math.h>

#include "dp/dp_i.h"
#include "support/make_data.h"
#include "support/near_points.h"

enum { N = 500, D = 6, CELLS = 4 };

/* What is asked: cells by the signs of the first two coordinates; the record,
 * or as a value three of its entries, or (hostile) the way from origins so far
 * off that it must be cut to a small part of it. */
typedef enum { RECORDS, VALUES, HOSTILE } kind_of_value;

typedef struct {
    near_points near;
    uint32_t features[CELLS * 3];
    int32_t origins[CELLS * D];
    kith_i_ask ask;
} corners;

static const kith_i_ask *ask_corners(corners *c, kind_of_value kind)
{
    static const double at[CELLS * D] = {-1, -1, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0,
                                         -1, 1,  0, 0, 0, 0, 1, 1,  0, 0, 0, 0};
    for (uint32_t i = 0; i < CELLS * 3; i++)
        c->features[i] = i % 3;
    for (int i = 0; i < CELLS * D; i++)
        c->origins[i] = i * 7 % 3 ? 131000 : -120000;
    c->ask = (kith_i_ask){.place = near_place(&c->near, at, CELLS, D)};
    if (kind == VALUES)
        c->ask.value = (kith_i_value){.kind = KITH_I_VALUE_ENTRIES,
                                      .features = c->features};
    if (kind == HOSTILE)
        c->ask.value = (kith_i_value){
            .kind = KITH_I_VALUE_RESIDUAL, .origins = c->origins, .by_cell = 1};
    return &c->ask;
}

/* Rows, and a session on them. */
typedef struct {
    const double *rows;
    size_t n;
    double epsilon, delta;
    kith_neighbors nb;
    uint32_t threads;
} setting;

static void run(const setting *on, const kith_i_ask *ask,
                kith_i_cells_spec spec, kith_i_cells *out,
                kith_receipt *receipts)
{
    kith_session *s =
        open_session(load(on->rows, on->n, D, unit_box()), on->epsilon,
                     on->delta, on->nb, on->threads, 5);
    kith_i_loss left = kith_i_session_left(s);
    spec.count_charge = spec.count_charge ? left / 3 : 0;
    spec.sum_charge = spec.sum_charge ? left / 3 : 0;
    kith_error err = {0};
    if (kith_i_release_cells(s, ask, &spec, out, &err))
        fail_msg("%s", err.message);
    kith_receipt *list;
    size_t count;
    assert_int_equal(kith_i_session_receipts(s, &list, &count, &err), KITH_OK);
    assert_int_equal(count, !!spec.count_charge + !!spec.sum_charge);
    for (size_t i = 0; i < count; i++) {
        receipts[i] = list[i];
        kith_i_free((void *)(uintptr_t)list[i].what);
        receipts[i].what = NULL;
    }
    kith_i_free(list);
    kith_session_close(s);
}

/* L1 or L2 norm of the change of all sums (each cell over its radius). */
static void test_sensitivity(void **state)
{
    (void)state;
    static const double far[] = {0.9, 0.9, 0.99, -0.9, 0.9, 0.9};
    static const double other[] = {-0.9, -0.9, -0.99, 0.9, -0.9, -0.9};
    for (int replace = 0; replace < 2; replace++)
        for (int pure = 0; pure < 2; pure++)
            for (kind_of_value kind = RECORDS; kind <= HOSTILE; kind++) {
                double *rows = make_rows(N + 1, D, 3, 8);
                memcpy(rows + N * D, far, sizeof far);
                double *changed = make_rows(N + 1, D, 3, 8);
                memcpy(changed + N * D, other, sizeof other);
                uint64_t radius[CELLS] = {3000, 8000, 500, 20000};
                corners shape;
                const kith_i_ask *ask = ask_corners(&shape, kind);
                kith_i_cells_spec spec = {.what = "test",
                                          .cells = CELLS,
                                          .width = kind == VALUES ? 3 : D,
                                          .radius = kind ? radius : NULL,
                                          .count_charge = 1,
                                          .sum_charge = 1};
                kith_i_cells a, b;
                kith_receipt ra[2], rb[2];
                kith_neighbors nb =
                    replace ? KITH_REPLACE_ONE : KITH_ADD_REMOVE;
                double delta = pure ? 0 : 1e-6;
                setting here = {rows, N + 1, 1, delta, nb, 1};
                setting there = {replace ? changed : rows,
                                 replace ? N + 1 : N,
                                 1,
                                 delta,
                                 nb,
                                 2};
                run(&here, ask, spec, &a, ra);
                run(&there, ask, spec, &b, rb);
                double l1 = 0, l2 = 0, counts1 = 0, counts2 = 0;
                for (uint32_t c = 0; c < CELLS; c++) {
                    double n = (double)(a.counts[c] - b.counts[c]);
                    counts1 += fabs(n);
                    counts2 += n * n;
                    double in_l1 = 0, in_l2 = 0;
                    for (uint32_t i = 0; i < spec.width; i++) {
                        double v = (double)(a.sums[c * spec.width + i] -
                                            b.sums[c * spec.width + i]);
                        /* in units of this cell's noise: scales are the
                         * cell's radius times one constant */
                        v /= a.sum_sd[c];
                        in_l1 += fabs(v);
                        in_l2 += v * v;
                    }
                    l1 += in_l1;
                    l2 += in_l2;
                }
                /* what the loss allows: sensitivity / scale */
                int l1_norm = !strcmp(ra[1].norm, "l1");
                double sd_per_scale = !pure ? 1
                                      : l1_norm
                                          ? sqrt(2)
                                          : sqrt(spec.width + 1.0); /* K-norm */
                double most = ra[1].sensitivity / ra[1].scale / sd_per_scale;
                assert_true((l1_norm ? l1 : sqrt(l2)) <= most * (1 + 1e-12));
                assert_true((l1_norm ? l1 : sqrt(l2)) > 0);
                if (kind == HOSTILE && !replace) /* cut, not dropped */
                    assert_true((l1_norm ? l1 : sqrt(l2)) > .99 * most);
                assert_true((pure ? counts1 : sqrt(counts2)) <=
                            ra[0].sensitivity * (1 + 1e-12));
                double allowed = ra[1].loss;
                assert_true(ra[1].sensitivity / ra[1].scale <= allowed);
                assert_true(ra[1].sensitivity / ra[1].scale >= allowed * 0.999);
                assert_true(ra[0].sensitivity / ra[0].scale <= ra[0].loss);
                kith_i_cells_free(&a);
                kith_i_cells_free(&b);
                free(rows);
                free(changed);
            }
}

/* With an enormous budget counts are exact and sums nearly so. */
static void test_values(void **state)
{
    (void)state;
    double *rows = make_rows(N, D, 3, 9);
    corners shape;
    const kith_i_ask *ask = ask_corners(&shape, RECORDS);
    kith_i_cells_spec spec = {.what = "test",
                              .cells = CELLS,
                              .width = D,
                              .count_charge = 1,
                              .sum_charge = 1};
    kith_i_cells out;
    kith_receipt receipts[2];
    run(&(setting){rows, N, 4000, 1e-6, KITH_ADD_REMOVE, 2}, ask, spec, &out,
        receipts);
    for (uint32_t c = 0; c < CELLS; c++) {
        double count = 0, sum[D] = {0};
        for (size_t r = 0; r < N; r++) {
            const double *x = rows + r * D;
            double clipped[D];
            for (int i = 0; i < D; i++)
                clipped[i] = trunc(fmax(-1, fmin(1, x[i])) * 16384);
            uint32_t cell =
                (clipped[0] > 0 ? 1u : 0u) + (clipped[1] > 0 ? 2u : 0u);
            if (cell != c)
                continue;
            count++;
            for (int i = 0; i < D; i++)
                sum[i] += clipped[i];
        }
        assert_int_equal(out.counts[c], (int64_t)count);
        for (int i = 0; i < D; i++) /* 8 sd: 1e-14 */
            assert_true(fabs((double)out.sums[c * D + (uint32_t)i] - sum[i]) <=
                        8 * out.sum_sd[c] + 1);
    }
    kith_i_cells_free(&out);
    free(rows);
}

/* Empty data, empty cells: the same calls, noise everywhere (R6). */
static void test_empty_cells_get_noise(void **state)
{
    (void)state;
    corners shape;
    const kith_i_ask *ask = ask_corners(&shape, RECORDS);
    kith_i_cells_spec spec = {.what = "test",
                              .cells = CELLS,
                              .width = D,
                              .count_charge = 1,
                              .sum_charge = 1};
    kith_i_cells out;
    kith_receipt receipts[2];
    double none = 0;
    run(&(setting){&none, 0, 0.1, 1e-6, KITH_ADD_REMOVE, 2}, ask, spec, &out,
        receipts);
    int64_t zeros = 0;
    for (uint32_t i = 0; i < CELLS * D; i++)
        zeros += out.sums[i] == 0;
    assert_int_equal(zeros, 0); /* sd > 1e6: 24 zeros by chance < 1e-5 each */
    kith_i_cells_free(&out);
}

/* Noise alone (no rows): each cell's sums have the spread that its own radius
 * asks for, and no draw is used twice. */
static void check_noise(int pure)
{
    enum { WIDTH = 3000 };
    uint64_t radius[CELLS] = {10, 1000, 30, 20000};
    kith_session *s = open_session(load(NULL, 0, D, unit_box()), 1,
                                   pure ? 0 : 1e-6, KITH_ADD_REMOVE, 2, 3);
    static const uint32_t features[CELLS * WIDTH];
    corners shape;
    ask_corners(&shape, VALUES);
    shape.ask.value.features = features;
    kith_i_cells_spec spec = {.what = "test",
                              .cells = CELLS,
                              .width = WIDTH,
                              .radius = radius,
                              .sum_charge = kith_i_session_left(s)};
    kith_i_cells out;
    kith_error err = {0};
    if (kith_i_release_cells(s, &shape.ask, &spec, &out, &err))
        fail_msg("%s", err.message);
    for (uint32_t c = 0; c < CELLS; c++) {
        double square = 0, expect = (double)radius[c];
        if (pure)
            expect *= sqrt(2);
        else { /* sigma / radius at (1, 1e-6) */
            expect *= 4.224679;
        }
        assert_true(fabs(out.sum_sd[c] / expect - 1) < 1e-5);
        for (int i = 0; i < WIDTH; i++) {
            double z = (double)out.sums[c * WIDTH + (uint32_t)i] / expect;
            square += z * z;
        }
        /* Var of z^2 is 2 (normal) or 5 (Laplace): 9 sd of the mean */
        assert_true(fabs(square / WIDTH - 1) < 9 * sqrt(5.0 / WIDTH));
    }
    /* the same value at the same place of two chunks: chance 1e-4 each */
    int same = 0;
    for (int i = 0; i + 1024 < WIDTH; i++)
        same += out.sums[3 * WIDTH + i] == out.sums[3 * WIDTH + i + 1024];
    assert_true(same < 20);
    kith_i_cells_free(&out);
    kith_session_close(s);
}

/* Two releases of one session draw from different streams. */
static void test_noise_is_not_reused(void **state)
{
    (void)state;
    kith_session *s =
        open_session(load(NULL, 0, D, unit_box()), 1, 0, KITH_ADD_REMOVE, 1, 3);
    kith_i_ask ask = {0};
    kith_i_cells_spec spec = {.what = "twice",
                              .cells = 1,
                              .width = D,
                              .sum_charge = kith_i_session_left(s) / 2};
    kith_i_cells a, b;
    assert_int_equal(kith_i_release_cells(s, &ask, &spec, &a, NULL), KITH_OK);
    assert_int_equal(kith_i_release_cells(s, &ask, &spec, &b, NULL), KITH_OK);
    assert_memory_not_equal(a.sums, b.sums, D * sizeof *a.sums);
    kith_i_cells_free(&a);
    kith_i_cells_free(&b);
    kith_session_close(s);
}

static void test_noise_by_cell(void **state)
{
    (void)state;
    check_noise(0);
    check_noise(1);
}

static void test_budget_is_enforced(void **state)
{
    (void)state;
    double *rows = make_rows(N, D, 3, 9);
    kith_session *s =
        open_session(load(rows, N, D, unit_box()), 1, 0, KITH_ADD_REMOVE, 1, 1);
    kith_i_loss left = kith_i_session_left(s);
    assert_int_equal(left, (kith_i_loss)1 << 50);
    corners shape;
    const kith_i_ask *ask = ask_corners(&shape, RECORDS);
    kith_i_cells_spec spec = {
        .what = "test", .cells = CELLS, .count_charge = left + 1};
    kith_i_cells out;
    kith_error err = {0};
    assert_int_equal(kith_i_release_cells(s, ask, &spec, &out, &err),
                     KITH_ERR_BUDGET);
    assert_null(out.counts);
    assert_int_equal(kith_i_session_left(s), left);
    /* both or none */
    spec.width = D;
    spec.count_charge = left / 2;
    spec.sum_charge = left / 2 + 1;
    assert_int_equal(kith_i_release_cells(s, ask, &spec, &out, &err),
                     KITH_ERR_BUDGET);
    assert_int_equal(kith_i_session_left(s), left);
    spec.sum_charge = left / 2;
    assert_int_equal(kith_i_release_cells(s, ask, &spec, &out, &err), KITH_OK);
    kith_i_cells_free(&out);
    assert_int_equal(kith_i_session_left(s), 0);
    spec.count_charge = 1;
    spec.sum_charge = 0;
    assert_int_equal(kith_i_release_cells(s, ask, &spec, &out, &err),
                     KITH_ERR_BUDGET);
    kith_session_close(s);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sensitivity),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_empty_cells_get_noise),
        cmocka_unit_test(test_noise_by_cell),
        cmocka_unit_test(test_noise_is_not_reused),
        cmocka_unit_test(test_budget_is_enforced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
