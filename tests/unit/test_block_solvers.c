/* What is said of a block is a function of its rows and its coins: the rows of
 * all other blocks change, and no bit of its answer does. For every solver, and
 * for one that reads as far as its memory goes. */
#include <math.h>

#include "sidedoor/block_means.h"
#include "sidedoor/block_planes.h"
#include "sidedoor/blocks.h"
#include "support/make_data.h"

enum { BLOCKS = 4, K = 2, Q = 2, D = 5, ROWS = 30 + 24 + 25 + 7 };
enum { ROOM = K * Q * D, ENTRIES = K * D * (D + 1) / 2, REPEATS = 3 };

/* Large blocks first: a worker's room has held more rows than the next block
 * fills. */
static size_t from[BLOCKS + 1] = {0, 30, 54, 79, ROWS};

/* The whole of the room, as a solver with a mistake might read it. */
static kith_status read_too_far(const kith_i_blocks *b, const double *rows,
                                uint32_t n, kith_i_coins *coins, double *room,
                                int32_t *answer)
{
    double sum = 0;
    (void)n;
    (void)coins;
    for (size_t i = 0; i < b->most * D; i++)
        sum += rows[i];
    for (size_t i = 0; i < b->room; i++) {
        sum += 1000 * room[i];
        room[i] = rows[i];
    }
    answer[0] = (int32_t)sum;
    return KITH_OK;
}

static kith_status means(const kith_i_blocks *b, const double *rows, uint32_t n,
                         kith_i_coins *coins, double *room, int32_t *answer)
{
    kith_i_matrix all = {rows, n, b->d};
    kith_status status = kith_i_solve_means(&all, K, coins, room);
    for (int i = 0; i < K * D; i++)
        answer[i] = (int32_t)lrint(ldexp(room[i], 8));
    return status;
}

/* answers: BLOCKS x ENTRIES. solver NULL: respond. */
static void solve(const double *x, kith_i_block_answer *respond,
                  const kith_i_plane_solver *solver, kith_session *s,
                  int32_t *answers)
{
    uint32_t order[ROWS];
    uint64_t seeds[BLOCKS];
    for (uint32_t r = 0; r < ROWS; r++)
        order[r] = (r * 31 + 5) % ROWS; /* 31 and ROWS have no divisor */
    kith_i_blocks_spec spec = {.k = K, .q = Q};
    kith_i_blocks b = {.s = s,
                       .spec = &spec,
                       .solve = kith_i_solve_planes,
                       .arg = solver,
                       .respond = respond,
                       .entries = ENTRIES,
                       .room = ROOM,
                       .d = D,
                       .m = BLOCKS,
                       .each = 1,
                       .triangle = D * (D + 1) / 2,
                       .x = x,
                       .n = ROWS,
                       .order = order,
                       .from = from,
                       .seeds = seeds,
                       .answers = answers};
    kith_i_entropy_source seeded = {.seeded = 1, .seed = 7};
    memset(answers, 0, BLOCKS * ENTRIES * sizeof *answers);
    kith_i_entropy_open(&b.e, &seeded, 0);
    assert_int_equal(kith_i_blocks_solve(&b, NULL), KITH_OK);
    kith_i_entropy_close(&b.e);
}

static size_t block_of(size_t row)
{
    size_t at = 0, i = 0;
    while ((at * 31 + 5) % ROWS != row)
        at++;
    while (from[i + 1] <= at)
        i++;
    return i;
}

/* Other rows in all blocks but one. */
static void check(kith_i_block_answer *respond,
                  const kith_i_plane_solver *solver, uint32_t threads)
{
    double *some = make_rows(ROWS, D, 3, 1), *others = make_rows(ROWS, D, 5, 2);
    kith_session *s = open_session(load(some, ROWS, D, unit_box()), 1, 1e-6,
                                   KITH_REPLACE_ONE, threads, 1);
    double x[ROWS * D];
    int32_t want[BLOCKS * ENTRIES], got[BLOCKS * ENTRIES];
    for (int i = 0; i < ROWS * D; i++) {
        some[i] = round(ldexp(some[i], 14));
        others[i] = round(ldexp(others[i], 15));
    }
    solve(some, respond, solver, s, want);
    for (size_t kept = 0; kept < BLOCKS; kept++)
        for (int t = 0; t < REPEATS; t++) { /* workers take turns */
            size_t changed = 0;
            for (size_t r = 0; r < ROWS; r++)
                memcpy(x + r * D, (block_of(r) == kept ? some : others) + r * D,
                       D * sizeof *x);
            solve(x, respond, solver, s, got);
            assert_memory_equal(got + kept * ENTRIES, want + kept * ENTRIES,
                                ENTRIES * sizeof *got);
            for (size_t i = 0; i < BLOCKS * ENTRIES; i++)
                changed += got[i] != want[i];
            assert_true(changed > 0); /* the others' answers say who they are */
        }
    kith_session_close(s);
    free(some);
    free(others);
}

static void test_planes(void **state)
{
    (void)state;
    const kith_subspace_solver all[] = {KITH_SOLVER_KPLANE, KITH_SOLVER_TSC,
                                        KITH_SOLVER_TSC_COMPONENTS,
                                        KITH_SOLVER_SSC, KITH_SOLVER_LRR};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        kith_i_plane_solver solver = {all[i], K, Q, D};
        check(kith_i_answer_planes, &solver, 1);
        check(kith_i_answer_planes, &solver, 2);
    }
}

static void test_means(void **state)
{
    (void)state;
    check(means, NULL, 1);
    check(means, NULL, 2);
}

/* There is nothing of other blocks to be read. */
static void test_room(void **state)
{
    (void)state;
    check(read_too_far, NULL, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planes),
                                       cmocka_unit_test(test_means),
                                       cmocka_unit_test(test_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
