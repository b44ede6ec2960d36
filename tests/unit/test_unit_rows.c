/* Rows scaled to length 1: each by itself, exactly within the ball, zero rows
 * left alone, and refused where it would mean nothing. */
#include <math.h>

#include "base/domain.h"
#include "data/fold.h"
#include "support/make_data.h"

enum { N = 500, D = 7 };

static kith_bounds unit(double low, double high)
{
    static double lower, upper;
    lower = low;
    upper = high;
    return (kith_bounds){
        .lower = &lower, .upper = &upper, .box_count = 1, .unit_rows = 1};
}

typedef struct {
    int16_t *rows;
    size_t at;
} collector;

static void collect(void *p, uint32_t worker, uint64_t first,
                    const kith_i_block *block)
{
    (void)worker;
    collector *c = p;
    memcpy(c->rows + first * block->dimension, block->dense,
           (size_t)block->rows * block->dimension * sizeof *c->rows);
    c->at += block->rows;
}

static int16_t *stored(const double *rows, size_t n, uint32_t d,
                       kith_bounds bounds)
{
    kith_dataset *data = load(rows, n, d, bounds);
    collector c = {calloc(n * d + 1, sizeof(int16_t)), 0};
    kith_i_fold(data, 1, collect, &c);
    assert_int_equal(c.at, n);
    kith_dataset_free(data);
    return c.rows;
}

/* The direction survives to a lattice step, the length is 1 within a few, and
 * never more. Independent arithmetic: long double. */
static void test_lengths(void **state)
{
    (void)state;
    double *rows = make_rows(N, D, 4, 1);
    for (size_t i = 0; i < N * D; i++) /* lengths over 20 orders */
        rows[i] *= pow(10, (double)(i / D % 21) - 10);
    int16_t *q = stored(rows, N, D, unit(-1e12, 1e12));
    for (size_t r = 0; r < N; r++) {
        long double square = 0;
        int64_t length = 0;
        for (size_t i = 0; i < D; i++) {
            square += (long double)rows[r * D + i] * rows[r * D + i];
            length += (int32_t)q[r * D + i] * q[r * D + i];
        }
        assert_true(length <= (int64_t)1 << 28);
        assert_true(length >= ((int64_t)1 << 28) - 2 * 16384 * D);
        for (size_t i = 0; i < D; i++) {
            double want = (double)(rows[r * D + i] / sqrtl(square) * 16384.0L);
            assert_true(fabs(want - q[r * D + i]) <= 1.0001);
        }
    }
    free(q);
    free(rows);
}

/* Rows at and beyond the ends of double's range, and zero. */
static void test_extremes(void **state)
{
    (void)state;
    double rows[][3] = {{0, 0, 0},          {5e-324, 0, 0},
                        {8e307, -8e307, 0}, {1e-300, 0, 1e-300},
                        {0, 0, -1e-310},    {-0.0, 0, 0}};
    int16_t *q = stored(&rows[0][0], 6, 3, unit(-8e307, 8e307));
    const int16_t want[][3] = {{0, 0, 0},          {16384, 0, 0},
                               {11585, -11585, 0}, {11585, 0, 11585},
                               {0, 0, -16384},     {0, 0, 0}};
    for (size_t i = 0; i < 18; i++)
        assert_int_equal(q[i], (&want[0][0])[i]);
    free(q);
}

/* The box comes first, in the units of the features. */
static void test_box_first(void **state)
{
    (void)state;
    double row[2] = {100, 3};
    int16_t *q = stored(row, 1, 2, unit(-4, 4));
    assert_int_equal(q[0], (int)(.8 * 16384)); /* (4, 3) / 5 */
    assert_int_equal(q[1], (int)(.6 * 16384));
    free(q);
    /* a ball alone will do: it does not change directions */
    q = stored(row, 1, 2, (kith_bounds){.radius = 50, .unit_rows = 1});
    assert_int_equal(q[0], (int)(100 / sqrt(10009) * 16384));
    free(q);
}

/* A row's integers do not depend on the rows around it. */
static void test_record_local(void **state)
{
    (void)state;
    double *rows = make_rows(N, D, 4, 1);
    int16_t *all = stored(rows, N, D, unit(-1, 1));
    for (size_t r = 0; r < N; r += 37) {
        int16_t *one = stored(rows + r * D, 1, D, unit(-1, 1));
        assert_memory_equal(one, all + r * D, D * sizeof *one);
        free(one);
    }
    free(all);
    free(rows);
}

static void test_domain(void **state)
{
    (void)state;
    kith_i_domain *m = NULL;
    kith_error err = {0};
    kith_bounds b = unit(.2, .5); /* narrower than the ball */
    assert_int_equal(kith_i_domain_new(&b, D, 0, &m, &err), KITH_OK);
    assert_int_equal(m->l2_squared, 1 << 28);
    assert_int_equal(m->scale_log2, 14);
    for (size_t i = 0; i < D; i++) {
        assert_true(m->origin[i] == 0);
        assert_int_equal(m->low_q[i], -16384);
        assert_int_equal(m->high_q[i], 16384);
    }
    double point[D] = {16384}, out[D];
    kith_i_domain_restore(m, point, out);
    assert_true(out[0] == 1); /* not clipped to the features' box */
    kith_i_domain_free(m);

    double zero = 0;
    assert_int_equal(kith_i_domain_new(&b, D, 1, &m, &err), KITH_ERR_PRIVACY);
    b.normalize = 1;
    assert_int_equal(kith_i_domain_new(&b, D, 0, &m, &err), KITH_ERR_PRIVACY);
    b.normalize = 0;
    b.radius = 1;
    b.center = &zero;
    b.center_count = 1;
    assert_int_equal(kith_i_domain_new(&b, D, 0, &m, &err), KITH_ERR_PRIVACY);
    assert_null(m);
    kith_bounds none = {.unit_rows = 1}; /* R10: bounds are still required */
    assert_int_equal(kith_i_domain_new(&none, D, 0, &m, &err),
                     KITH_ERR_PRIVACY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths),   cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_box_first), cmocka_unit_test(test_record_local),
        cmocka_unit_test(test_domain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
