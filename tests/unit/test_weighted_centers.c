/* weighted-centers, step by step, on answers without noise, where everything
 * it computes is known; and on answers that nobody gave. */
#include <math.h>
#include <string.h>

#include "collect/collect_i.h"
#include "collect/spend_trace.h"
#include "device/places.h"
#include "methods/weighted.h"
#include "support/cmocka_all.h"

/* ---- a crowd that answers exactly ---- */

enum { MOST_ROWS = 4000, MOST_D = 6, MOST_QUESTIONS = 256 };

typedef struct {
    kith_i_collector face;
    uint32_t n;
    double x[MOST_ROWS * MOST_D];
    double sd;                    /* that the answers claim */
    unsigned rounds, silent_from; /* nobody answers from this round on */
    kith_i_question asked[MOST_QUESTIONS]; /* borrowed pointers */
    size_t count;
    double share, epsilon[16]; /* asked so far; by partition */
} crowd;

static uint64_t symbol_of(const crowd *c, const kith_i_question *q, uint32_t i,
                          float *v)
{
    return kith_i_encode(q, c->face.d, c->x + (size_t)i * c->face.d,
                         i * UINT64_C(0x9e3779b97f4a7c15), v);
}

static void add_up(const crowd *c, const kith_i_question *q, kith_i_answer *a)
{
    float v[MOST_D + 1];
    a->received = c->n;
    /* Not all alike: what pools them must weigh them. */
    a->sd = q->place.kind == KITH_I_PLACE_GRID ? 3 * c->sd : c->sd;
    a->noise = c->sd;
    for (uint32_t i = 0; i < c->n; i++) {
        uint64_t s = symbol_of(c, q, i, v);
        if (a->fractions && s < a->symbols)
            a->fractions[s] += 1.0 / c->n;
        for (uint32_t t = 0; a->sums && s < a->buckets && t < c->face.d; t++)
            a->sums[s * c->face.d + t] += (double)v[t] / c->n;
    }
}

static kith_status exact_ask(kith_i_collector *self, const kith_i_question *q,
                             size_t count, kith_i_answer *answers,
                             kith_error *err)
{
    crowd *c = (crowd *)self;
    memset(answers, 0, count * sizeof *answers);
    for (size_t i = 0; i < count; i++) {
        assert_null(kith_i_question_flaw(&q[i], self->d));
        assert_true(c->count < MOST_QUESTIONS);
        c->asked[c->count++] = q[i];
        if (q[i].partition == 0)
            c->share += q[i].share;
        assert_true(q[i].partition < 16);
        c->epsilon[q[i].partition] += q[i].epsilon * q[i].share;
        assert_int_equal(kith_i_answer_alloc(&q[i], self->d, &answers[i], err),
                         KITH_OK);
        if (c->rounds < c->silent_from &&
            !(q[i].wanted && q[i].wanted_count == 0))
            add_up(c, &q[i], &answers[i]);
        else if (c->rounds < c->silent_from)
            answers[i].sd = c->sd;
    }
    c->rounds++;
    return KITH_OK;
}

static kith_status exact_again(kith_i_collector *self, size_t question,
                               const uint64_t *keys, uint32_t count,
                               double *fractions, kith_error *err)
{
    (void)err;
    crowd *c = (crowd *)self;
    assert_true(question < c->count);
    const kith_i_question *q = &c->asked[question];
    assert_int_equal(q->randomizer, KITH_I_RANDOMIZER_OLH);
    memset(fractions, 0, count * sizeof *fractions);
    for (uint32_t i = 0; c->rounds <= c->silent_from && i < c->n; i++) {
        uint64_t s = symbol_of(c, q, i, NULL);
        for (uint32_t t = 0; t < count; t++)
            fractions[t] += (keys[t] == s) / (double)c->n;
    }
    return KITH_OK;
}

static double lower[MOST_D], upper[MOST_D], center[MOST_D];

static kith_i_local_task task_of(uint32_t d, uint32_t k)
{
    for (uint32_t i = 0; i < d; i++) {
        lower[i] = -1;
        upper[i] = 1;
    }
    return (kith_i_local_task){.k = k,
                               .d = d,
                               .epsilon = 2,
                               .lower = lower,
                               .upper = upper,
                               .center = center,
                               .radius = 1,
                               .public_seed = 11};
}

/* k small clusters around far-apart points; their means in truth. */
static void fill(crowd *c, uint32_t d, uint32_t k, uint32_t n, double *truth)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 5 * d + k, 2);
    memset(c, 0, sizeof *c);
    c->face = (kith_i_collector){
        .invited = n, .d = d, .ask = exact_ask, .again = exact_again};
    c->n = n;
    c->sd = 1e-9;
    c->silent_from = 1000;
    memset(truth, 0, (size_t)k * d * sizeof *truth);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t t = 0; t < d; t++) {
            uint32_t j = i % k;
            double at = j == 0                 ? 0
                        : t == (j - 1) / 2 % d ? (j % 2 ? .7 : -.7)
                                               : 0;
            double x = at + .03 * (2 * kith_i_coins_unit(&coins) - 1);
            c->x[(size_t)i * d + t] = x;
            truth[(size_t)j * d + t] += x * k / n;
        }
}

static double distance(const double *a, const double *b, uint32_t d)
{
    return sqrt(kith_i_distance_squared(a, b, d));
}

static void check_found(const double *truth, const double *found, uint32_t k,
                        uint32_t d, double limit)
{
    for (uint32_t j = 0; j < k; j++) {
        double nearest = HUGE_VAL;
        for (uint32_t i = 0; i < k; i++)
            nearest = fmin(nearest, distance(truth + (size_t)j * d,
                                             found + (size_t)i * d, d));
        assert_true(nearest <= limit);
    }
}

/* ---- with nothing but the truth ---- */

/* Without noise every cell with a user is heavy, its centre is the mean of its
 * users, everybody prefers her smallest cell, and the weighted means of the
 * cells are the means of the clusters. */
static void exact_answers_give_exact_means(void **state)
{
    (void)state;
    static crowd c;
    for (uint32_t d = 1; d <= 3; d++)
        for (int mode = 0; mode < 4; mode++) {
            uint32_t k = 3, found = 0;
            double truth[3 * MOST_D], centers[3 * MOST_D], weights[3];
            kith_i_local_task task = task_of(d, k);
            task.radii = mode == 3 ? 2 : 3;
            task.repetitions = mode == 1 ? 2 : 1;
            task.split_epsilon = mode == 2;
            task.boxes = mode == 3;
            fill(&c, d, k, 900, truth);
            assert_int_equal(kith_i_local_weighted_centers(&task, &c.face,
                                                           centers, weights,
                                                           &found, NULL),
                             KITH_OK);
            assert_int_equal(found, k);
            /* A user with her own coin for the repetition is counted for a
             * cell of one of them, whose mean is of all of its users. */
            check_found(truth, centers, k, d, mode == 1 ? .02 : 1e-6);
            double sum = 0;
            for (uint32_t j = 0; j < k; j++) {
                assert_true(fabs(weights[j] - 1.0 / k) < 1e-6);
                sum += weights[j];
            }
            assert_true(fabs(sum - 1) < 1e-9);
            assert_int_equal(c.rounds, mode == 3 ? 5 : 4);
        }
}

/* Step 2 and step 7 against loops over the users. */
static void lists_and_means_are_right(void **state)
{
    (void)state;
    static crowd c;
    uint32_t d = 2, k = 5;
    double truth[5 * MOST_D];
    kith_i_local_task task = task_of(d, k);
    kith_i_wc_setup setup;
    kith_i_local_run run;
    kith_i_procedure procedures[8];
    task.radii = 4;
    fill(&c, d, k, 1000, truth);
    kith_i_wc_setup_make(&task, c.n, &setup);
    kith_i_local_open(&run, &task, &c.face, 4);
    assert_int_equal(kith_i_good_centers(&run, &setup, procedures, NULL),
                     KITH_OK);
    for (uint32_t j = 0; j < 4; j++) {
        const kith_i_procedure *p = &procedures[j];
        uint32_t users = 0;
        assert_true(p->count >= k);
        for (uint32_t u = 0; u < p->count; u++) {
            double mean[2] = {0, 0};
            uint32_t inside = 0;
            for (uint32_t i = 0; i < c.n; i++) {
                if (kith_i_grid_key(&p->hash.grid, c.x + i * 2) != p->keys[u])
                    continue;
                inside++;
                mean[0] += c.x[i * 2];
                mean[1] += c.x[i * 2 + 1];
            }
            users += inside;
            assert_true(fabs(p->share[u] - inside / (double)c.n) < 1e-9);
            assert_true(fabs(p->y[u * 2] - mean[0] / inside) < 1e-5);
            assert_true(fabs(p->y[u * 2 + 1] - mean[1] / inside) < 1e-5);
        }
        assert_int_equal(users, c.n); /* nobody is in two cells, or in none */
    }
    run.answer_count = 0;
    kith_i_local_close(&run);
}

/* Steps 3 to 6: the ball around the box holds the users of the cell, and has
 * the diameter of the box. */
static void boxes_hold_their_users(void **state)
{
    (void)state;
    static crowd c;
    for (uint32_t d = 1; d <= 3; d++) {
        double truth[3 * MOST_D];
        kith_i_local_task task = task_of(d, 3);
        kith_i_wc_setup setup;
        kith_i_local_run run;
        kith_i_procedure procedures[8];
        task.radii = 3;
        task.boxes = 1;
        fill(&c, d, 3, 300, truth);
        kith_i_wc_setup_make(&task, c.n, &setup);
        assert_true(setup.share[KITH_I_WC_BOXES] > 0);
        kith_i_local_open(&run, &task, &c.face, 5);
        assert_int_equal(kith_i_good_centers(&run, &setup, procedures, NULL),
                         KITH_OK);
        for (uint32_t j = 0; j < 3; j++) {
            const kith_i_procedure *p = &procedures[j];
            assert_true(p->count > 0);
            assert_true(p->interval <= p->hash.far * (1 + 1e-12));
            for (uint32_t u = 0; u < p->count; u++) {
                assert_true(fabs(p->reach[u] - 1.5 * p->interval * sqrt(d)) <
                            1e-12);
                for (uint32_t i = 0; i < c.n; i++)
                    if (kith_i_grid_key(&p->hash.grid, c.x + i * d) ==
                        p->keys[u])
                        assert_true(distance(p->center + u * d, c.x + i * d,
                                             d) <= p->reach[u]);
            }
        }
        run.answer_count = 0;
        kith_i_local_close(&run);
    }
}

/* Claimed noise hides the small cluster: its users go to the nearest centre
 * that is kept, nobody is lost, and k asks for more than there is. */
static void small_clusters_are_reassigned(void **state)
{
    (void)state;
    static crowd c;
    double truth[2 * MOST_D], centers[5 * MOST_D], weights[5];
    uint32_t found = 0;
    kith_i_local_task task = task_of(2, 5);
    task.radii = 2;
    fill(&c, 2, 2, 1000, truth);
    for (uint32_t i = 0; i < 40; i++) {
        c.x[i * 2] = -.8;
        c.x[i * 2 + 1] = -.8;
    }
    c.sd = .02;
    assert_int_equal(kith_i_local_weighted_centers(&task, &c.face, centers,
                                                   weights, &found, NULL),
                     KITH_OK);
    assert_in_range(found, 1, 5);
    double sum = 0;
    for (uint32_t j = 0; j < found; j++) {
        sum += weights[j];
        assert_true(centers[j * 2] > -.4); /* no centre at the small one */
    }
    assert_true(fabs(sum - 1) < 1e-9);
}

/* Kaplan and Stemmer 2018: the weights are the shares of users nearest to each
 * candidate, counted here by hand; none is dropped however little it weighs. */
static void nearest_weights_keep_everything(void **state)
{
    (void)state;
    static crowd c;
    double truth[2 * MOST_D], centers[64 * MOST_D], weights[64];
    uint32_t found = 0;
    kith_i_local_task task = task_of(2, 64);
    task.radii = 2;
    task.nearest_weights = 1;
    fill(&c, 2, 2, 1000, truth);
    for (uint32_t i = 0; i < 40; i++) {
        c.x[i * 2] = -.8;
        c.x[i * 2 + 1] = -.8;
    }
    c.sd = .002;
    assert_int_equal(kith_i_local_weighted_centers(&task, &c.face, centers,
                                                   weights, &found, NULL),
                     KITH_OK);
    assert_in_range(found, 3, 63); /* k is more than there are candidates */
    assert_int_equal(c.asked[c.count - 1].place.creation_count, 0);
    assert_true(fabs(c.share - 1) < 1e-9); /* both groups, once */
    double light = 0;
    for (uint32_t j = 0; j < found; j++) {
        uint32_t mine = 0;
        for (uint32_t i = 0; i < c.n; i++) {
            double here = hypot(c.x[i * 2] - centers[j * 2],
                                c.x[i * 2 + 1] - centers[j * 2 + 1]);
            int nearest = 1;
            for (uint32_t o = 0; o < found; o++)
                nearest &=
                    hypot(c.x[i * 2] - centers[o * 2],
                          c.x[i * 2 + 1] - centers[o * 2 + 1]) >= here - 1e-12;
            mine += (uint32_t)nearest;
        }
        assert_true(fabs(weights[j] - mine / (double)c.n) < 1e-9);
        light += centers[j * 2] < -.6 ? weights[j] : 0;
    }
    assert_true(fabs(light - .04) < 1e-9); /* the small cluster is kept */
}

/* ---- with nobody ---- */

static void silence_is_survived(void **state)
{
    (void)state;
    static crowd c;
    for (uint32_t d = 1; d <= 6; d += 5)
        for (int mode = 0; mode < 3; mode++)
            for (unsigned from = 0; from <= 5; from++) {
                double truth[3 * MOST_D], centers[3 * MOST_D], weights[3];
                uint32_t found = 0;
                kith_i_local_task task = task_of(d, 3);
                task.split_epsilon = mode == 1;
                task.e2lsh = mode == 2;
                fill(&c, d, 3, 300, truth);
                c.silent_from = from;
                assert_int_equal(kith_i_local_weighted_centers(&task, &c.face,
                                                               centers, weights,
                                                               &found, NULL),
                                 KITH_OK);
                assert_in_range(found, 1, 3);
                for (uint32_t i = 0; i < found * d; i++)
                    assert_true(centers[i] >= -1 && centers[i] <= 1);
                for (uint32_t j = 0; j < found; j++)
                    assert_true(weights[j] >= 0 && weights[j] <= 1 + 1e-9);
                if (from == 0) /* nothing is known: the centre of the ball */
                    assert_true(distance(centers, center, d) < 1e-12);
            }
}

static void tiny_crowds(void **state)
{
    (void)state;
    static crowd c;
    for (uint32_t n = 1; n <= 3; n++) {
        double truth[MOST_D], centers[10 * MOST_D], weights[10];
        uint32_t found = 0;
        kith_i_local_task task = task_of(2, 10);
        fill(&c, 2, 1, n, truth);
        assert_int_equal(kith_i_local_weighted_centers(&task, &c.face, centers,
                                                       weights, &found, NULL),
                         KITH_OK);
        assert_in_range(found, 1, 10);
    }
}

/* ---- payment ---- */

static void shares_and_epsilons_add_up(void **state)
{
    (void)state;
    static crowd c;
    for (int mode = 0; mode < 16; mode++) {
        double truth[3 * MOST_D], centers[3 * MOST_D], weights[3], total = 0;
        uint32_t found = 0, d = mode & 4 ? 6 : 2;
        kith_i_local_task task = task_of(d, 3);
        task.split_epsilon = mode & 1;
        task.boxes = (mode & 2) && d == 2;
        task.nearest_weights = mode >= 8;
        task.repetitions = 2;
        task.radii = 3;
        fill(&c, d, 3, 600, truth);
        assert_int_equal(kith_i_local_weighted_centers(&task, &c.face, centers,
                                                       weights, &found, NULL),
                         KITH_OK);
        if (!task.split_epsilon) {
            assert_true(fabs(c.share - 1) < 1e-9); /* everybody, once */
            for (size_t i = 0; i < c.count; i++)
                assert_true(fabs(c.asked[i].epsilon - 2) < 1e-12);
            continue;
        }
        assert_true(c.share <= 0);
        /* Averages over users; in each partition all users pay the same. */
        for (int p = 1; p < 16; p++)
            total += c.epsilon[p];
        assert_true(fabs(total - 2) < 1e-9); /* E7: nothing is wasted */
    }
}

/* Splitting epsilon: whatever it is, the integers that one user is charged add
 * up to no more than the whole; groups of a radius do not overlap. */
static void parts_never_exceed_the_whole(void **state)
{
    (void)state;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 3, 8);
    for (int round = 0; round < 4000; round++) {
        kith_i_local_task task = task_of(round % 2 ? 2 : 6, 3);
        kith_i_wc_setup setup;
        kith_i_loss cap, spent = 0, loss;
        double end = 0;
        task.split_epsilon = 1;
        task.boxes = round % 3 == 0;
        task.radii = 1 + (uint32_t)kith_i_coins_below(&coins, 12);
        task.repetitions = 1 + (uint32_t)kith_i_coins_below(&coins, 9);
        task.epsilon = 20 * (1 - kith_i_coins_unit(&coins));
        task.delta = 1e-6 * (1 - kith_i_coins_unit(&coins));
        kith_i_wc_setup_make(&task, 100000, &setup);
        kith_i_u128 chance = 0;
        for (uint32_t r = 0; r < setup.radii; r++)
            for (int s = 0; s < KITH_I_WC_STEPS; s++) {
                kith_i_question q = {0};
                if (!(setup.share[s] > 0))
                    continue;
                kith_i_wc_group group = {.radius = r, .parts = 1};
                kith_i_wc_pay_step(&task, &setup, (kith_i_wc_step)s, group, &q);
                kith_i_report_loss(q.epsilon, &loss, NULL);
                spent += loss;
                chance += kith_i_delta_charge(q.delta);
            }
        for (int b = 0; b < 2; b++) {
            kith_i_question q = {0};
            kith_i_wc_pay_weights(&task, &setup, b, &q);
            kith_i_report_loss(q.epsilon, &loss, NULL);
            spent += loss;
        }
        kith_i_report_loss(task.epsilon, &cap, NULL);
        assert_true(spent <= cap && spent >= cap - 200);
        assert_true(chance <= kith_i_delta_budget(task.delta));
        for (uint32_t m = 0; m < setup.repetitions; m++)
            for (uint32_t part = 0; part < 3; part++) {
                kith_i_question q = {0};
                kith_i_wc_group group = {0, m, part, 3};
                kith_i_wc_pay_step(&task, &setup, KITH_I_WC_BOXES, group, &q);
                assert_true(q.offset >= end && q.offset <= end); /* exactly */
                end = q.offset + q.share;
            }
        assert_true(end >= 1 && end <= 1);
    }
}

static void paper_constants_are_refused(void **state)
{
    (void)state;
    static crowd c;
    double truth[3 * MOST_D], centers[3 * MOST_D], weights[3];
    uint32_t found = 0;
    kith_error err = {0};
    kith_i_local_task task = task_of(2, 3);
    task.paper_constants = 1;
    fill(&c, 2, 3, 100, truth);
    assert_int_equal(kith_i_local_weighted_centers(&task, &c.face, centers,
                                                   weights, &found, &err),
                     KITH_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "10^2"));
    assert_int_equal(c.count, 0); /* nobody was asked */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_answers_give_exact_means),
        cmocka_unit_test(lists_and_means_are_right),
        cmocka_unit_test(boxes_hold_their_users),
        cmocka_unit_test(small_clusters_are_reassigned),
        cmocka_unit_test(nearest_weights_keep_everything),
        cmocka_unit_test(silence_is_survived),
        cmocka_unit_test(tiny_crowds),
        cmocka_unit_test(shares_and_epsilons_add_up),
        cmocka_unit_test(parts_never_exceed_the_whole),
        cmocka_unit_test(paper_constants_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
