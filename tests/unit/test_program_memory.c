/* A freed block of some size leaves the process at once, also after one of its
 * size was freed before: by itself malloc would keep the room for the next. */
#include "support/cmocka_all.h"

#include <stdlib.h>

#include "../../tools/kith/program_memory.c" /* of the command, not the library */

static void test_blocks_go_back(void **state)
{
    (void)state;
#if defined(__GLIBC__) && !defined(KITH_SANITIZED)
    enum { BLOCK = 1 << 20 };
    cli_prepare_memory();
    size_t mapped = mallinfo2().hblkhd, heap = mallinfo2().arena;
    for (int i = 0; i < 3; i++) {
        char *volatile block = malloc(BLOCK);
        assert_non_null(block);
        assert_true(mallinfo2().hblkhd >= mapped + BLOCK);
        free(block);
        assert_int_equal(mallinfo2().hblkhd, mapped);
    }
    assert_true(mallinfo2().arena < heap + BLOCK);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks_go_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
