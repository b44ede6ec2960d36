/* What is simulated is what is deployed: every row of a small table is played
 * by a real device (kith/device.h), whose envelopes a server counts, and by the
 * simulator with the same secrets. Both give the same answers, bit for bit. */
#include "collect/publish.h"
#include "data/fold.h"
#include "noise/entropy.h"
#include "simulate/drawn_user.h"
#include "simulate/user_respond.h"
#include "support/device_bed.h"
#include "support/local_rows.h"

enum { ROWS = 1500, FIRST = 4, SECOND = 2, QUESTIONS = FIRST + SECOND };
static const uint64_t SEED = 11;

static double records[ROWS * CROWD_D];

/* Rows as they are stored. */
static void keep_rows(void *arg, uint32_t worker, uint64_t first,
                      const kith_i_block *block)
{
    const kith_i_domain *m = arg;
    (void)worker;
    for (uint32_t r = 0; r < block->rows; r++)
        for (uint32_t i = 0; i < CROWD_D; i++)
            records[(first + r) * CROWD_D + i] =
                m->origin[i] +
                block->dense[r * CROWD_D + i] * kith_i_domain_step(m);
}

static void fill(kith_i_question q[QUESTIONS])
{
    static const kith_i_report_kind kinds[QUESTIONS] = {
        KITH_I_REPORT_VECTOR, KITH_I_REPORT_SYMBOL, KITH_I_REPORT_DISTANCE,
        KITH_I_REPORT_MOMENT, KITH_I_REPORT_VECTOR, KITH_I_REPORT_SYMBOL};
    for (int g = 0; g < QUESTIONS; g++)
        q[g] = crowd_question(kinds[g], g < FIRST ? .15 : .2);
    q[5].randomizer = KITH_I_RANDOMIZER_OLH;
}

/* A device's coins: its secret, then those of its one answer. */
typedef struct {
    uint8_t r[16];
    int joined;
    kith_i_entropy entropy;
} coins;

static int next_coins(void *arg, void *bytes, size_t count)
{
    coins *c = arg;
    if (c->joined)
        return kith_i_user_random(&c->entropy, bytes, count);
    assert_int_equal(count, sizeof c->r);
    memcpy(bytes, c->r, count);
    c->joined = 1;
    return 0;
}

typedef struct {
    kith_i_drawing drawing;
    const kith_task_view *task;
    kith_i_published rounds[2];
    kith_i_tally *tallies[QUESTIONS];
} deployment;

/* One device from joining to its envelope, saved and loaded on the way. */
static void play(deployment *d, uint64_t user)
{
    static uint64_t arena[2][1 << 14], scratch[256];
    kith_i_drawn_user drawn;
    kith_i_entropy_source source = {.seeded = 1, .seed = SEED};
    kith_device device;
    kith_device_host host;
    coins mine = {.joined = 0};
    uint8_t c[16], tag[16], saved[256], envelope[80];
    kith_i_drawn_user_make(&d->drawing, d->task->id, user, &drawn);
    memcpy(mine.r, drawn.r, sizeof mine.r);
    kith_device_host_init(&host, next_coins, &mine);
    assert_int_equal(kith_device_join(&device, &host, d->task), KITH_OK);
    kith_device_commitment(&device, c);
    kith_i_task_tag(d->drawing.task_key, d->task->id, c, tag);
    assert_int_equal(kith_device_enrolled(&device, tag, 0, NULL), KITH_OK);
    for (int n = 0; n < 2; n++) {
        const kith_round_view *round;
        int asked;
        assert_int_equal(kith_round_open(d->rounds[n].json, d->rounds[n].bytes,
                                         arena[n], sizeof arena[n], &round,
                                         NULL),
                         KITH_OK);
        assert_int_equal(kith_device_read(&device, &host, round, &asked),
                         KITH_OK);
        if (!asked)
            continue;
        uint32_t g =
            kith_i_device_group((kith_i_device *)&device, &round->round);
        uint64_t number = (uint64_t)(n ? FIRST : 0) + g;
        kith_i_entropy_open(&mine.entropy, &source, number << 40 ^ user);
        assert_int_equal(kith_device_answer(&device, &host, d->task, round,
                                            records + user * CROWD_D, scratch),
                         KITH_OK);
        kith_device_save(&device, saved);
        assert_int_equal(kith_device_envelope(saved, envelope), KITH_OK);
        assert_int_equal(kith_i_tally_add(d->tallies[number], envelope + 36,
                                          envelope[1], NULL),
                         KITH_OK);
        assert_int_equal(kith_device_load(&device, saved), KITH_OK);
        kith_i_entropy_close(&mine.entropy);
    }
}

static void same_answer(const kith_i_answer *a, const kith_i_answer *b)
{
    assert_int_equal(a->received, b->received);
    assert_true(a->received > 100);
    assert_int_equal(a->symbols, b->symbols);
    assert_int_equal(a->buckets, b->buckets);
    if (a->fractions)
        assert_memory_equal(a->fractions, b->fractions,
                            a->symbols * sizeof *a->fractions);
    else
        assert_memory_equal(a->sums, b->sums,
                            a->buckets * CROWD_D * sizeof *a->sums);
}

static void test_equal(void **state)
{
    (void)state;
    static const double low[] = {-1, -1}, high[] = {1, 1}, zero[] = {0, 0};
    kith_dataset *data = crowd_rows(ROWS);
    kith_i_question q[QUESTIONS];
    kith_i_answer simulated[QUESTIONS], deployed;
    struct kith_task_view task = bed_task();
    task.lower = low;
    task.upper = high;
    task.center = zero;
    task.radius = 1.5;
    task.epsilon = 2 * KITH_LOSS_UNIT;
    deployment d = {.drawing = {.task_key = {4}, .run_key = {5, 6}}};
    d.task = bed_open_task(&task);
    d.drawing.frame = (kith_i_frame){CROWD_D, d.task->lower, d.task->upper,
                                     d.task->center, d.task->radius};
    fill(q);
    kith_i_fold(data, 1, keep_rows,
                (void *)(uintptr_t)kith_i_dataset_domain(data));
    /* The simulator. */
    kith_i_crowd_options opt = {.epsilon = 2,
                                .seeded = 1,
                                .seed = SEED,
                                .minimum = 50,
                                .threads = 2,
                                .draw = &d.drawing};
    kith_i_collector *collector = NULL;
    memcpy(opt.task, d.task->id, sizeof opt.task);
    assert_int_equal(kith_i_collector_simulate(data, &opt, &collector, NULL),
                     KITH_OK);
    for (int n = 0; n < 2; n++)
        assert_int_equal(collector->ask(collector, q + (n ? FIRST : 0),
                                        n ? SECOND : FIRST,
                                        simulated + (n ? FIRST : 0), NULL),
                         KITH_OK);
    kith_i_collector_close(collector);
    /* The deployment. */
    kith_i_publisher publisher = {.invited = ROWS, .minimum = 50, .d = CROWD_D};
    memcpy(publisher.chain.task, d.task->id, 16);
    for (int g = 0; g < QUESTIONS; g++) {
        int n = g >= FIRST;
        if (g == 0 || g == FIRST)
            assert_int_equal(kith_i_publish(&publisher, q + g,
                                            n ? SECOND : FIRST, &d.rounds[n],
                                            NULL),
                             KITH_OK);
        kith_i_ticket ticket = {.round = (uint16_t)n,
                                .group = (uint16_t)(g - (n ? FIRST : 0))};
        memcpy(ticket.task, d.task->id, 16);
        assert_int_equal(
            kith_i_tally_new(&d.rounds[n].round->mechanisms[ticket.group],
                             &ticket, d.rounds[n].round->digest, &d.tallies[g],
                             NULL),
            KITH_OK);
    }
    for (uint64_t user = 0; user < ROWS; user++)
        play(&d, user);
    for (int g = 0; g < QUESTIONS; g++) {
        int n = g >= FIRST;
        const kith_i_question *asked =
            &d.rounds[n].round->questions[g - (n ? FIRST : 0)];
        assert_int_equal(kith_i_answer_alloc(asked, CROWD_D, &deployed, NULL),
                         KITH_OK);
        assert_int_equal(kith_i_tally_answer(d.tallies[g], asked, CROWD_D, 50,
                                             1, &deployed, NULL),
                         KITH_OK);
        same_answer(&simulated[g], &deployed);
        kith_i_answer_free(&deployed);
        kith_i_answer_free(&simulated[g]);
        kith_i_tally_free(d.tallies[g]);
    }
    kith_i_published_free(&d.rounds[0]);
    kith_i_published_free(&d.rounds[1]);
    free((void *)(uintptr_t)d.task);
    kith_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
