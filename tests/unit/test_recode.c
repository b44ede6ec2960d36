/* Values as codes (base/recode.c): increasing, odd, and exactly where octaves
 * and their parts begin; nothing finite is lost, however large or small. */
#include <float.h>
#include <math.h>

#include "base/recode.h"
#include "support/cmocka_all.h"

static void test_edges(void **state)
{
    (void)state;
    for (int32_t c = 1; c <= KITH_I_CODE_MOST; c++) {
        double low = kith_i_code_lower(c), high = kith_i_code_upper(c);
        /* by another way: octave 2^-41 times 2^(c-1)/256, straight between */
        double octave = exp2((double)((c - 1) / 256) - 41);
        /* the first has everything that is smaller, too */
        assert_true(low == (c > 1 ? octave * (1 + (c - 1) % 256 / 256.0) : 0));
        assert_true(high == kith_i_code_lower(c + 1));
        assert_int_equal(kith_i_code_of(c > 1 ? low : octave), c);
        assert_int_equal(kith_i_code_of(-(c > 1 ? low : octave)), -c);
        if (c < KITH_I_CODE_MOST) {
            assert_int_equal(kith_i_code_of(nextafter(high, 0)), c);
            assert_int_equal(kith_i_code_of(high), c + 1);
        }
        assert_true(kith_i_code_upper(-c) == -low);
        assert_true(kith_i_code_lower(-c) == -high);
    }
}

static void test_ends(void **state)
{
    (void)state;
    assert_int_equal(kith_i_code_of(0.0), 0);
    assert_int_equal(kith_i_code_of(-0.0), 0);
    assert_int_equal(kith_i_code_of(DBL_TRUE_MIN), 1);
    assert_int_equal(kith_i_code_of(-DBL_TRUE_MIN), -1);
    assert_int_equal(kith_i_code_of(DBL_MIN), 1);
    assert_int_equal(kith_i_code_of(0x1p63), KITH_I_CODE_MOST - 255);
    assert_int_equal(kith_i_code_of(0x1p64), KITH_I_CODE_MOST);
    assert_int_equal(kith_i_code_of(1e300), KITH_I_CODE_MOST);
    assert_int_equal(kith_i_code_of(-DBL_MAX), -KITH_I_CODE_MOST);
    assert_true(kith_i_code_upper(0) == 0 && kith_i_code_lower(0) == 0);
}

static void test_rows(void **state)
{
    (void)state;
    double row[] = {.5, -3, 0}, codes[3];
    kith_i_code_row(row, 3, 0, codes);
    for (int i = 0; i < 3; i++)
        assert_true(codes[i] == kith_i_code_of(row[i]));
    kith_i_code_row(row, 3, 1, codes);
    assert_true(codes[0] == kith_i_code_of(3) && codes[1] == 0 &&
                codes[2] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
