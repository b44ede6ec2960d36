/* link: support/mem_failing.c */
/* Every allocation of the local methods fails once: the error is the memory's,
 * outputs are untouched, nothing is leaked. Answers come from a collector that
 * hears nobody, in memory of its own that may fail too. */
#include <math.h>
#include <string.h>

#include "methods/method.h"
#include "support/cmocka_all.h"
#include "support/mem_failing.h"

enum { D = 5, K = 2 };

static kith_status ask_nobody(kith_i_collector *self,
                              const kith_i_question *questions, size_t count,
                              kith_i_answer *answers, kith_error *err)
{
    memset(answers, 0, count * sizeof *answers);
    for (size_t i = 0; i < count; i++) {
        const kith_i_question *q = &questions[i];
        kith_i_answer *a = &answers[i];
        uint64_t each = q->report == KITH_I_REPORT_DISTANCE ? q->bands
                        : q->report == KITH_I_REPORT_VECTOR ? self->d
                        : q->report == KITH_I_REPORT_MOMENT ? self->d * self->d
                                                            : 1;
        double *numbers = kith_i_alloc(q->place.places * each, sizeof(double));
        if (!numbers) {
            for (size_t j = 0; j < i; j++)
                kith_i_answer_free(&answers[j]);
            return kith_i_fail_memory(err);
        }
        a->received = 1000;
        a->sd = a->noise = .01;
        if (q->report == KITH_I_REPORT_VECTOR ||
            q->report == KITH_I_REPORT_MOMENT) {
            a->sums = numbers;
            a->buckets = (uint32_t)q->place.places;
        } else {
            a->fractions = numbers;
            a->symbols = q->place.places * each;
            for (uint64_t s = 0; s < a->symbols; s++)
                numbers[s] = 1.0 / (double)a->symbols;
        }
    }
    return KITH_OK;
}

/* auto without its verdict, like the other methods. */
static kith_status plain_auto(const kith_i_local_task *task,
                              kith_i_collector *collector, double *centers,
                              double *weights, uint32_t *found, kith_error *err)
{
    double sd[K];
    kith_i_local_verdict verdict = {.weight_sd = sd};
    return kith_i_local_auto(task, collector, centers, weights, found, &verdict,
                             err);
}

static void torture(kith_i_local_fn *method, uint32_t d)
{
    double lower[D], upper[D], center[D] = {0};
    for (uint32_t i = 0; i < D; i++) {
        lower[i] = -1;
        upper[i] = 1;
    }
    kith_i_local_task task = {.k = K,
                              .d = d,
                              .epsilon = 4,
                              .lower = lower,
                              .upper = upper,
                              .center = center,
                              .radius = 2};
    kith_i_collector collector = {
        .invited = 1000000, .d = d, .ask = ask_nobody};
    size_t failures = 0;
    for (size_t at = 1;; at++) {
        double centers[K * D] = {7}, weights[K] = {7};
        uint32_t found = 99;
        kith_error err;
        size_t live = mem_live_blocks();
        mem_fail_at(at);
        kith_status status =
            method(&task, &collector, centers, weights, &found, &err);
        size_t used = mem_allocations();
        mem_fail_at(0);
        assert_int_equal(mem_live_blocks(), live);
        if (used < at) {
            assert_int_equal(status, KITH_OK);
            break;
        }
        assert_int_equal(status, KITH_ERR_MEMORY);
        assert_true(centers[0] == 7 && weights[0] == 7 && found == 99);
        failures++;
    }
    assert_true(failures > 2);
}

static void test_methods(void **state)
{
    (void)state;
    for (uint32_t d = 2; d <= D; d += 3) {
        torture(plain_auto, d);
        torture(kith_i_local_one_round, d);
        torture(kith_i_local_mean, d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_methods)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
