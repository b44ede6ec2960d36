/* Rows are wiped before their memory goes back: by one worker or several, in
 * small datasets and large ones, and in those that were derived. base/mem.c is
 * compiled again here, with a free() that looks. */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { LARGE = 1 << 15 }; /* bytes: of rows, not of lists */

static atomic_size_t large_blocks, dirty_blocks;

static void look_and_free(void *block)
{
    size_t bytes = malloc_usable_size(block), set = 0;
    for (size_t i = 0; bytes >= LARGE && i < bytes; i++)
        set += ((const char *)block)[i] != 0;
    large_blocks += bytes >= LARGE;
    dirty_blocks += set > sizeof(void *); /* its own pointer */
    free(block);
}

#define free look_and_free
#include "base/mem.c"
#undef free

#include "data/fold.h"

static void fill(void *arg, uint32_t worker, const kith_i_block *block,
                 int16_t *rows)
{
    (void)arg;
    (void)worker;
    for (uint32_t r = 0; r < block->rows; r++)
        rows[r] = 7;
}

static void check(size_t n, uint32_t workers)
{
    enum { D = 64 };
    static const kith_bounds unit = {.radius = 1}, wide = {.radius = 100};
    double *x = calloc(n * D, sizeof *x);
    kith_dataset *data = NULL, *derived = NULL;
    kith_i_domain *domain = NULL;
    for (size_t i = 0; i < n * D; i++)
        x[i] = .1;
    assert_int_equal(kith_dataset_from_rows(x, n, D, &unit, &data, NULL),
                     KITH_OK);
    assert_int_equal(kith_i_domain_new(&wide, 1, 0, &domain, NULL), KITH_OK);
    assert_int_equal(kith_i_dataset_derive(data, domain, workers, fill, NULL,
                                           &derived, NULL),
                     KITH_OK);
    large_blocks = dirty_blocks = 0;
    kith_dataset_free(derived);
    if (workers)
        kith_i_dataset_close(data, workers);
    else
        kith_dataset_free(data);
    assert_true(large_blocks > 0);
    assert_int_equal(dirty_blocks, 0);
    free(x);
}

static void test_wiped(void **state)
{
    (void)state;
    for (uint32_t workers = 0; workers < 4; workers++) {
        check(2000, workers);
        check(((size_t)1 << 16) + 900, workers); /* worth workers */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wiped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
