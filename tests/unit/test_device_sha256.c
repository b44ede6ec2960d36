/* The device's SHA-256 against libsodium's, at every length around a block. */
#include "base/base_i.h"
#include "base/digest.h"
#include "device/sha256.h"
#include "support/cmocka_all.h"

static void test_same_as_libsodium(void **state)
{
    (void)state;
    enum { MOST = 700 };
    uint8_t bytes[MOST], mine[32], theirs[32];
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 3, 0);
    for (size_t i = 0; i < MOST; i++)
        bytes[i] = (uint8_t)kith_i_coins_u64(&coins);
    for (size_t n = 0; n <= MOST; n++) {
        kith_i_sha256(bytes, n, mine);
        kith_i_digest(bytes, n, theirs);
        assert_memory_equal(mine, theirs, 32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_libsodium)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
