/* The set of nonces that were seen, against devices that choose theirs: nonces
 * whose fingerprints agree in all the bits that a table would look at must not
 * pile up. Counted are slots, not seconds: an insertion looks at a run of taken
 * slots, and in a table at most two thirds full the longest run of a random
 * filling is of order log n: one of 400 has probability 40000 exp(-.072 400),
 * about 1e-8; crafted ones made one of 40000. And the key is of the process:
 * saved states do not show it. */
#include <string.h>

#include "collect/tally_i.h"
#include "support/cmocka_all.h"
#include "support/tally_same.h"

enum { N = 40000, LONGEST = 400 };

/* 1 / a modulo 2^64, by Newton. */
static uint64_t inverse(uint64_t a)
{
    uint64_t x = a;
    for (int i = 0; i < 6; i++)
        x *= 2 - a * x;
    return x;
}

/* The high half of a nonce, with low half 0, that has this fingerprint: every
 * step of the fingerprint can be undone. */
static uint64_t craft(uint64_t fingerprint)
{
    const uint64_t undo = inverse(UINT64_C(0xd6e8feb86659fd93));
    uint64_t z = fingerprint ^ fingerprint >> 32;
    z *= undo;
    z ^= z >> 32;
    z *= undo;
    return z ^ z >> 32;
}

static uint64_t longest_run(const kith_i_nonce_set *set)
{
    uint64_t longest = 0, run = 0;
    for (uint64_t i = 0; i < 2 * set->room; i++) { /* it may wrap around */
        run = set->slots[i % set->room] ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void crafted_nonces_do_not_pile_up(void **state)
{
    (void)state;
    kith_i_nonce_set set;
    assert_int_equal(kith_i_nonce_open(&set, NULL), KITH_OK);
    for (uint64_t i = 1; i <= N; i++) {
        uint64_t print = kith_i_nonce_fingerprint(0, craft(i << 32));
        assert_true(print == i << 32); /* the attack works as it is meant to */
        assert_true(kith_i_nonce_reserve(&set, 1));
        assert_false(kith_i_nonce_has(&set, print));
        kith_i_nonce_put(&set, print);
        assert_true(kith_i_nonce_has(&set, print));
    }
    assert_true(set.count == N && set.room >= 3 * N / 2);
    assert_in_range(longest_run(&set), 1, LONGEST);
    kith_i_free(set.slots);
}

static kith_i_tally *filled(int backwards)
{
    static const double points[] = {0, 0, .5, .5};
    kith_i_question q = {.what = "x",
                         .share = 1,
                         .epsilon = 1,
                         .report = KITH_I_REPORT_SYMBOL,
                         .place = {.kind = KITH_I_PLACE_NEAREST,
                                   .places = 2,
                                   .lens = {.q = 2, .d = 2},
                                   .points = points}};
    kith_i_mechanism m;
    kith_i_ticket ticket = {.round = 3};
    kith_i_tally *tally = NULL;
    uint8_t digest[32] = {5}, bytes[64] = {0};
    assert_int_equal(kith_i_mechanism_make(&q, 2, &m, NULL), KITH_OK);
    assert_int_equal(kith_i_tally_new(&m, &ticket, digest, &tally, NULL),
                     KITH_OK);
    for (int i = 0; i < 300; i++) {
        uint64_t number = (uint64_t)(backwards ? 299 - i : i) + 1;
        memcpy(ticket.nonce, &number, sizeof number);
        kith_i_report_write_header(m.kind, &ticket, bytes);
        bytes[KITH_I_HEADER_BYTES] = (uint8_t)(number % 2);
        assert_int_equal(
            kith_i_tally_add(tally, bytes, kith_i_report_bytes(&m), NULL),
            KITH_OK);
    }
    return tally;
}

static void the_key_is_not_in_the_state(void **state)
{
    (void)state;
    kith_i_tally *a = filled(0), *b = filled(1);
    assert_memory_not_equal(a->nonces.key, b->nonces.key, 16);
    assert_true(tally_same(a, b));
    kith_i_tally_free(a);
    kith_i_tally_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crafted_nonces_do_not_pile_up),
        cmocka_unit_test(the_key_is_not_in_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
