/* A cell that was split and turns out to be noise is asked about as one again,
 * and in parts when it is seen again; the others always in parts. */
#include <math.h>
#include <string.h>

#include "methods/grow_tree.h"
#include "support/cmocka_all.h"

typedef struct {
    kith_i_local_run run;
    kith_i_collector collector;
    kith_i_local_task task;
    kith_i_grow grow;
} bed;

static const double LOW[] = {-1}, HIGH[] = {1};

static void open_bed(bed *b)
{
    kith_i_grow_box box = {1, LOW, HIGH, 2, 16};
    memset(b, 0, sizeof *b);
    b->task = (kith_i_local_task){.k = 3, .d = 1, .epsilon = 1};
    kith_i_local_open(&b->run, &b->task, &b->collector, 1);
    assert_int_equal(kith_i_grow_open(&b->run, &box, &b->grow, NULL), KITH_OK);
    b->grow.split_levels = 1;
    b->grow.split_z = 3;
}

/* The tree is asked about in so many places, which say this. */
static void answer_with(bed *b, double *fractions, uint32_t wanted, double sd)
{
    kith_i_lens lens = {.q = 1, .d = 1};
    kith_i_place place;
    uint32_t *leaf;
    assert_int_equal(kith_i_grow_publish(&b->run, &b->grow, UINT32_MAX, &lens,
                                         &place, &leaf, NULL),
                     KITH_OK);
    assert_int_equal(place.places, wanted);
    assert_int_equal(place.tree_nodes, 2 * wanted - 1);
    kith_i_answer answer = {
        .received = 9, .fractions = fractions, .symbols = wanted, .sd = sd};
    kith_i_grow_take(&b->grow, leaf, &answer);
}

static void test_merge(void **state)
{
    (void)state;
    /* Places are in the order of the nodes: parts come last. */
    double cells[] = {.8, .2, 0, 0}, parts[] = {.1, .1, .4, .4, .1, -.1},
           whole[] = {.2, 0, 0, .4, .4}, again[] = {0, 0, .4, .4, .1, .1};
    bed b;
    open_bed(&b);
    answer_with(&b, cells, 4, .05);
    kith_i_grow_split(&b.grow, .05);
    kith_i_grow_merge(&b.grow);
    answer_with(&b, parts, 6, .02);
    kith_i_grow_merge(&b.grow);
    answer_with(&b, whole, 5, .002);
    /* What was said of the parts is not forgotten. */
    assert_true(fabs(b.grow.node[4].estimate - .2) < .01);
    assert_true(fabs(b.grow.node[9].estimate - .2) < .01);
    kith_i_grow_merge(&b.grow);
    answer_with(&b, again, 6, .002);
    assert_true(fabs(b.grow.node[9].estimate - .1) < .01);
    kith_i_local_close(&b.run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_merge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
