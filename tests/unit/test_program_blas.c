/* Kernels for a processor that OpenBLAS does not know (decision 35). OpenBLAS's
 * own functions are replaced here by ones that note when they are called. */
#include "support/cmocka_all.h"

#include "../../tools/kith/program_blas.c" /* of the command, not the library */

static char *chosen; /* by OpenBLAS */
static int quits, starts;

char *openblas_get_corename(void)
{
    return chosen;
}

void gotoblas_dynamic_quit(void)
{
    assert_int_equal(quits, starts);
    quits++;
}

/* It reads the variable: that must be there by now. */
void gotoblas_dynamic_init(void)
{
    assert_int_equal(quits, ++starts);
    assert_non_null(getenv("OPENBLAS_CORETYPE"));
}

static int prepare(char *name, const char *variable)
{
    chosen = name;
    quits = starts = 0;
    if (variable)
        setenv("OPENBLAS_CORETYPE", variable, 1);
    else
        unsetenv("OPENBLAS_CORETYPE");
    cli_prepare_blas();
    return starts;
}

static void test_unknown_processor(void **state)
{
    (void)state;
#ifdef __x86_64__
    int wide = __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq");
    int some = __builtin_cpu_supports("avx2") != 0;
    assert_int_equal(prepare("Prescott", NULL), some);
    if (some)
        assert_string_equal(getenv("OPENBLAS_CORETYPE"),
                            wide ? "SkylakeX" : "Haswell");
#else
    assert_int_equal(prepare("Prescott", NULL), 0);
#endif
}

static void test_left_alone(void **state)
{
    (void)state;
    assert_int_equal(prepare("Zen", NULL), 0); /* known to OpenBLAS */
    assert_null(getenv("OPENBLAS_CORETYPE"));
    assert_int_equal(prepare("Prescott", "Prescott"), 0); /* somebody's wish */
    assert_string_equal(getenv("OPENBLAS_CORETYPE"), "Prescott");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_processor),
        cmocka_unit_test(test_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
