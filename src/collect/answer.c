/* Answers: memory, layout, and how precise they are. */
#include <math.h>

#include "collect_i.h"

void kith_i_answer_free(kith_i_answer *answer)
{
    kith_i_free(answer->fractions);
    kith_i_free(answer->sums);
    *answer = (kith_i_answer){0};
}

kith_status kith_i_answer_alloc(const kith_i_question *q, uint32_t d,
                                kith_i_answer *answer, kith_error *err)
{
    kith_i_answer made = {.sd = HUGE_VAL, .noise = HUGE_VAL};
    if (kith_i_question_width(q, d) == 0) {
        made.symbols = q->wanted ? q->wanted_count : kith_i_question_symbols(q);
        if (made.symbols > UINT64_C(1) << 24)
            return kith_i_fail(err, KITH_ERR_ARGUMENT,
                               "question \"%s\" has too many symbols: say "
                               "which are wanted",
                               q->what);
        made.fractions = kith_i_alloc(made.symbols, sizeof *made.fractions);
    } else {
        size_t each = q->report == KITH_I_REPORT_VECTOR ? d : (size_t)d * d;
        made.buckets = (uint32_t)q->place.places;
        made.sums = kith_i_alloc(made.buckets * each, sizeof *made.sums);
    }
    if (!made.fractions && !made.sums)
        return kith_i_fail_memory(err);
    *answer = made;
    return KITH_OK;
}

void kith_i_answer_precision(const kith_i_mechanism *m, uint64_t received,
                             kith_i_answer *answer)
{
    answer->received = received;
    if (received == 0)
        return;
    double one = kith_i_mechanism_sd(m) / sqrt((double)received);
    answer->sd = answer->fractions ? one : HUGE_VAL;
    answer->noise = answer->sums ? one : HUGE_VAL;
    answer->per_share = answer->fractions
                            ? kith_i_mechanism_per_share(m) / (double)received
                            : 0;
}

void kith_i_answer_unpack(const kith_i_question *q, uint32_t d,
                          const double *coordinates, kith_i_answer *answer)
{
    size_t kept = kith_i_question_kept(q, d), n = d;
    for (size_t j = 0; j < answer->buckets; j++) {
        const double *from = coordinates + j * kept;
        if (q->report == KITH_I_REPORT_VECTOR) {
            for (size_t i = 0; i < n; i++)
                answer->sums[j * n + i] = from[i];
            continue;
        }
        double *to = answer->sums + j * n * n;
        for (size_t b = 0; b < n; b++)
            for (size_t a = 0; a <= b; a++)
                to[a * n + b] = to[b * n + a] = from[b * (b + 1) / 2 + a];
    }
}
