/* Is an answer about a row a function of that row alone (R2)? The answers of a
 * block, row by row, must be those that each row gets in a block of its own:
 * for all rows, for some of them, in another order, and with outliers or zeros
 * in place of all others. To the bit; scratch holds rubbish before each call.
 */
#ifndef KITH_TEST_LOCALITY_H
#define KITH_TEST_LOCALITY_H

#include "support/cmocka_all.h"
#include "support/kernel_naive.h"

/* Writes `bytes` for each row of the block, one row after the other. */
typedef void answer_fn(const void *arg, const kith_i_block *block,
                       double *scratch, void *out);

typedef struct {
    const char *name;
    answer_fn *answer;
    const void *arg;
    size_t bytes, scratch; /* of a row; doubles */
    uint32_t d;
    int sparse; /* which form of rows it gets */
} local_answer;

enum { LOCAL_MOST = 300 };

/* Rows order[0..count) of from, as a block, in the form that is asked for. */
static inline void answer_rows(const local_answer *a, const int16_t *from,
                               const uint32_t *order, uint32_t count, void *out)
{
    size_t d = a->d;
    naive_rows n = {.q = malloc((count * d + 1) * sizeof(int16_t)),
                    .start = malloc((count + 1u) * sizeof(uint32_t)),
                    .index = malloc((count * d + 1) * sizeof(uint32_t)),
                    .value = malloc((count * d + 1) * sizeof(int16_t))};
    for (uint32_t r = 0; r < count; r++)
        memcpy(n.q + r * d, from + order[r] * d, d * sizeof(int16_t));
    naive_rows_index(&n, count, a->d);
    double *scratch = naive_scratch_new(a->scratch);
    memset(out, 0xa5, count * a->bytes);
    a->answer(a->arg, a->sparse ? &n.sparse : &n.dense, scratch, out);
    assert_true(naive_scratch_free(scratch, a->scratch));
    naive_rows_free(&n);
}

/* Whether each row of the block gets the answer that it gets alone. */
static inline int rows_agree(const local_answer *a, const int16_t *from,
                             const uint32_t *order, uint32_t count,
                             const unsigned char *alone)
{
    unsigned char *got = malloc(count * a->bytes + 1);
    int ok = 1;
    answer_rows(a, from, order, count, got);
    for (uint32_t r = 0; r < count; r++)
        ok &=
            !memcmp(got + r * a->bytes, alone + order[r] * a->bytes, a->bytes);
    free(got);
    return ok;
}

static inline void shuffle_rows(kith_i_coins *coins, uint32_t *order,
                                uint32_t count)
{
    for (uint32_t r = 0; r < count; r++) {
        uint32_t other = (uint32_t)kith_i_coins_below(coins, r + 1);
        order[r] = order[other];
        order[other] = r;
    }
}

/* Every other row replaced: this one must not notice. */
static inline int strangers_agree(const local_answer *a, kith_i_coins *coins,
                                  const int16_t *rows, uint32_t count,
                                  const unsigned char *alone)
{
    size_t d = a->d;
    int ok = 1;
    uint32_t same[LOCAL_MOST];
    int16_t *other = malloc((count * d + 1) * sizeof *other);
    unsigned char *got = malloc(count * a->bytes + 1);
    for (uint32_t r = 0; r < count; r++)
        same[r] = r;
    for (int trial = 0; trial < 6; trial++) {
        uint32_t mine = (uint32_t)kith_i_coins_below(coins, count);
        for (size_t i = 0; i < count * d; i++)
            other[i] =
                trial % 3 ? naive_value(coins, ROWS_EXTREME) : (int16_t)0;
        memcpy(other + mine * d, rows + mine * d, d * sizeof *other);
        answer_rows(a, other, same, count, got);
        ok &= !memcmp(got + mine * a->bytes, alone + mine * a->bytes, a->bytes);
    }
    free(other);
    free(got);
    return ok;
}

/* NULL, or what makes a difference. */
static inline const char *find_dependence(const local_answer *a,
                                          kith_i_coins *coins,
                                          const int16_t *rows, uint32_t count)
{
    const char *found = NULL;
    uint32_t order[LOCAL_MOST];
    assert_true(count >= 1 && count <= LOCAL_MOST);
    unsigned char *alone = malloc(count * a->bytes + 1);
    for (uint32_t r = 0; r < count; r++) {
        order[r] = r;
        answer_rows(a, rows, &r, 1, alone + r * a->bytes);
    }
    if (!rows_agree(a, rows, order, count, alone))
        found = "rows beside it";
    shuffle_rows(coins, order, count);
    if (!found && !rows_agree(a, rows, order, count, alone))
        found = "the order of rows";
    for (uint32_t at = 0, part; !found && at < count; at += part) {
        part = 1 + (uint32_t)kith_i_coins_below(coins, count - at);
        if (!rows_agree(a, rows, order + at, part, alone))
            found = "dropped rows";
    }
    if (!found && !strangers_agree(a, coins, rows, count, alone))
        found = "outliers";
    free(alone);
    return found;
}

static inline void check_local(const local_answer *a, kith_i_coins *coins,
                               const int16_t *rows, uint32_t count)
{
    const char *found = find_dependence(a, coins, rows, count);
    if (found)
        fail_msg("%s, d = %u, %u rows: the answer about a row depends on %s",
                 a->name, a->d, count, found);
}

#endif
