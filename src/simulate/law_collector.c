/* The law: sums of reports drawn from their exact law given the rows, without
 * making the reports. For quick studies, and marked as such by its callers:
 * nobody's secret coins are in it and it promises nothing.
 *
 * A symbol's supports are Binomial(own, p) + Binomial(others, q): exact for
 * kRR jointly, for OLH and Hadamard for each symbol by itself. Sums of vectors
 * are in law_sums.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd.h"
#include "draw_binomial.h"
#include "law_sums.h"

/* Domains up to here are counted in a table, larger ones as lists of keys. */
static const uint64_t TABLE_MAX = UINT64_C(1) << 20;

/* What is known of a question that was asked. */
typedef struct {
    kith_i_mechanism mechanism;
    uint64_t number, received;
    uint64_t copies;  /* users that a row stands for */
    uint64_t *counts; /* symbols, or NULL: */
    uint64_t *keys;   /* sorted symbols of the members */
    double *drawn;    /* kRR: all fractions, drawn together */
    size_t key_count, key_room;
} law_record;

typedef struct {
    kith_i_crowd crowd;
    law_record *asked;
    size_t asked_count;
} law_collector;

/* What one worker adds up for one question. */
typedef struct {
    uint64_t received;
    uint64_t *counts, *keys;
    size_t key_count, key_room;
    kith_i_law_sums sums;
} law_part;

typedef struct {
    const kith_i_question *questions;
    const kith_i_mechanism *mechanisms;
    size_t count;
    uint32_t d;
    uint64_t seed;
    uint64_t first;  /* number of the first question, over the run */
    law_part *parts; /* worker x question */
    int failed;
} law_job;

/* ---- draws ---- */

static double fraction_of(kith_i_support s, uint64_t supports, uint64_t n)
{
    return ((double)supports / (double)n - s.q) / (s.p - s.q);
}

/* kRR is the truth with probability p - q and else a uniform symbol. */
static void draw_krr(kith_i_coins *coins, const law_record *r,
                     double *fractions)
{
    kith_i_support s = kith_i_mechanism_support(&r->mechanism);
    uint64_t symbols = r->mechanism.symbols, uniform = r->received;
    uint64_t left = 0;
    for (uint64_t i = 0; i < symbols; i++) {
        uint64_t truths =
            kith_i_draw_binomial(coins, r->counts[i] * r->copies, s.p - s.q);
        fractions[i] = (double)truths;
        uniform -= truths;
    }
    left = uniform;
    for (uint64_t i = 0; i < symbols; i++) {
        uint64_t more =
            kith_i_draw_binomial(coins, left, 1 / (double)(symbols - i));
        left -= more;
        fractions[i] =
            fraction_of(s, (uint64_t)fractions[i] + more, r->received);
    }
}

static uint64_t count_before(const law_record *r, uint64_t key)
{
    size_t low = 0, high = r->key_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t count_of(const law_record *r, uint64_t key)
{
    if (key >= r->mechanism.symbols)
        return 0;
    if (r->counts)
        return r->counts[key] * r->copies;
    return (count_before(r, key + 1) - count_before(r, key)) * r->copies;
}

/* One symbol by itself. The same question gets the same answer. */
static double draw_key(const law_record *r, uint64_t seed, uint64_t key)
{
    if (r->drawn)
        return key < r->mechanism.symbols ? r->drawn[key] : 0;
    kith_i_coins coins;
    kith_i_support s = kith_i_mechanism_support(&r->mechanism);
    uint64_t own = count_of(r, key);
    kith_i_coins_seed(&coins, seed ^ (key * UINT64_C(0x9e3779b97f4a7c15)),
                      r->number);
    uint64_t supports = kith_i_draw_binomial(&coins, own, s.p) +
                        kith_i_draw_binomial(&coins, r->received - own, s.q);
    return fraction_of(s, supports, r->received);
}

/* ---- the members ---- */

static int add_key(law_part *part, uint64_t key)
{
    if (part->key_count == part->key_room) {
        size_t room = part->key_room ? 2 * part->key_room : 1024;
        uint64_t *keys =
            kith_i_resize(part->keys, part->key_room, room, sizeof *part->keys);
        if (!keys)
            return 0;
        part->keys = keys;
        part->key_room = room;
    }
    part->keys[part->key_count++] = key;
    return 1;
}

static void visit_member(void *arg, uint32_t worker, size_t group,
                         uint64_t user, const double *x)
{
    law_job *job = arg;
    law_part *part = &job->parts[worker * job->count + group];
    const kith_i_question *q = &job->questions[group];
    kith_i_coins coins; /* for PREFER: as independent as secret ones, of other
                           users and of the user's other answers */
    kith_i_coins_seed(&coins, job->seed ^ user, job->first + group);
    uint64_t symbol = kith_i_encode(q, job->d, x, kith_i_coins_u64(&coins),
                                    part->sums.vector);
    part->received++;
    if (part->sums.vector)
        kith_i_law_sums_add(&part->sums, &job->mechanisms[group], symbol);
    else if (part->counts)
        part->counts[symbol]++;
    else if (!add_key(part, symbol))
        __atomic_store_n(&job->failed, 1, __ATOMIC_RELAXED);
}

/* ---- a round ---- */

static int part_alloc(law_part *part, const kith_i_mechanism *m)
{
    if (m->width)
        return kith_i_law_sums_open(&part->sums, m);
    if (m->symbols > TABLE_MAX)
        return 1;
    part->counts = kith_i_alloc(m->symbols, sizeof *part->counts);
    return part->counts != NULL;
}

static void parts_free(law_part *parts, size_t count)
{
    for (size_t i = 0; parts && i < count; i++) {
        kith_i_free(parts[i].counts);
        kith_i_free(parts[i].keys);
        kith_i_law_sums_close(&parts[i].sums);
    }
    kith_i_free(parts);
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Everything of question g into the part of worker 0. */
static int merge_parts(law_job *job, size_t g, uint32_t workers)
{
    const kith_i_mechanism *m = &job->mechanisms[g];
    law_part *to = &job->parts[g];
    for (uint32_t w = 1; w < workers; w++) {
        law_part *from = &job->parts[w * job->count + g];
        to->received += from->received;
        for (uint64_t i = 0; to->counts && i < m->symbols; i++)
            to->counts[i] += from->counts[i];
        if (m->width)
            kith_i_law_sums_merge(&to->sums, &from->sums, m);
        for (size_t i = 0; i < from->key_count; i++)
            if (!add_key(to, from->keys[i]))
                return 0;
    }
    if (to->keys)
        qsort(to->keys, to->key_count, sizeof *to->keys, compare_keys);
    return 1;
}

static kith_status draw_sums(const law_record *r, const law_part *part,
                             uint64_t seed, const kith_i_question *q,
                             uint32_t d, kith_i_answer *answer, kith_error *err)
{
    const kith_i_mechanism *m = &r->mechanism;
    double *out = kith_i_alloc((size_t)m->buckets * m->kept, sizeof *out);
    kith_i_coins coins;
    if (!out)
        return kith_i_fail_memory(err);
    kith_i_coins_seed(&coins, seed, r->number);
    kith_i_law_sums_draw(&part->sums, m, r->received, r->copies, &coins, out);
    kith_i_answer_unpack(q, d, out, answer);
    kith_i_free(out);
    return KITH_OK;
}

static kith_status answer_one(law_collector *law, law_record *r, law_part *part,
                              const kith_i_question *q, kith_i_answer *answer,
                              kith_error *err)
{
    uint64_t seed = law->crowd.opt.seed;
    r->copies = law->crowd.opt.copies ? law->crowd.opt.copies : 1;
    r->received = part->received * r->copies;
    r->counts = part->counts;
    r->keys = part->keys;
    r->key_count = part->key_count;
    r->key_room = part->key_room;
    part->counts = part->keys = NULL;
    kith_i_answer_precision(&r->mechanism, r->received, answer);
    if (r->received == 0)
        return KITH_OK;
    if (answer->sums)
        return draw_sums(r, part, seed, q, law->crowd.face.d, answer, err);
    if (r->mechanism.kind == KITH_I_RANDOMIZER_KRR && r->counts) {
        kith_i_coins coins;
        r->drawn = kith_i_alloc(r->mechanism.symbols, sizeof *r->drawn);
        if (!r->drawn)
            return kith_i_fail_memory(err);
        kith_i_coins_seed(&coins, seed, r->number);
        draw_krr(&coins, r, r->drawn);
    }
    for (uint64_t i = 0; i < answer->symbols; i++)
        answer->fractions[i] = draw_key(r, seed, q->wanted ? q->wanted[i] : i);
    return KITH_OK;
}

static int room_for(law_collector *law, size_t more)
{
    size_t have = law->asked_count;
    law_record *asked =
        kith_i_resize(law->asked, have, have + more, sizeof *asked);
    if (!asked)
        return 0;
    memset(asked + have, 0, more * sizeof *asked);
    law->asked = asked;
    return 1;
}

static kith_status collect(law_collector *law, law_job *job,
                           kith_i_answer *answers, kith_error *err)
{
    kith_i_crowd *crowd = &law->crowd;
    kith_i_group *groups = kith_i_alloc(job->count, sizeof *groups);
    int ok = groups && job->parts && room_for(law, job->count);
    for (size_t i = 0; ok && i < job->count * crowd->workers; i++)
        ok = part_alloc(&job->parts[i], &job->mechanisms[i % job->count]);
    kith_status status = ok ? KITH_OK : kith_i_fail_memory(err);
    for (size_t g = 0; !status && g < job->count; g++)
        groups[g] =
            kith_i_crowd_group(crowd, &job->questions[g], &job->mechanisms[g]);
    if (!status)
        status = kith_i_crowd_visit(crowd, groups, job->count, visit_member,
                                    job, err);
    kith_i_free(groups);
    for (size_t g = 0; !status && g < job->count; g++) {
        law_record *record = &law->asked[law->asked_count];
        if (job->failed || !merge_parts(job, g, crowd->workers))
            return kith_i_fail_memory(err);
        record->mechanism = job->mechanisms[g];
        record->number = law->asked_count++;
        crowd->stats.questions++;
        crowd->stats.reports += job->parts[g].received;
        status = answer_one(law, record, &job->parts[g], &job->questions[g],
                            &answers[g], err);
    }
    crowd->stats.rounds++;
    return status;
}

static kith_status law_ask(kith_i_collector *self,
                           const kith_i_question *questions, size_t count,
                           kith_i_answer *answers, kith_error *err)
{
    law_collector *law = (law_collector *)self;
    kith_i_mechanism *mechanisms = kith_i_alloc(count, sizeof *mechanisms);
    kith_status status = mechanisms ? KITH_OK : kith_i_fail_memory(err);
    memset(answers, 0, count * sizeof *answers);
    for (size_t g = 0; !status && g < count; g++) {
        status =
            kith_i_mechanism_make(&questions[g], self->d, &mechanisms[g], err);
        if (!status)
            status =
                kith_i_answer_alloc(&questions[g], self->d, &answers[g], err);
    }
    size_t parts = count * law->crowd.workers;
    law_job job = {.questions = questions,
                   .mechanisms = mechanisms,
                   .count = count,
                   .d = self->d,
                   .seed = law->crowd.opt.seed,
                   .first = law->asked_count};
    if (!status) {
        job.parts = kith_i_alloc(parts, sizeof *job.parts);
        status = collect(law, &job, answers, err);
        parts_free(job.parts, parts);
    }
    kith_i_free(mechanisms);
    for (size_t g = 0; status && g < count; g++)
        kith_i_answer_free(&answers[g]);
    return status;
}

static kith_status law_again(kith_i_collector *self, size_t question,
                             const uint64_t *keys, uint32_t count,
                             double *fractions, kith_error *err)
{
    law_collector *law = (law_collector *)self;
    if (question >= law->asked_count || law->asked[question].mechanism.width)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "this question has no symbols to ask again for");
    const law_record *r = &law->asked[question];
    for (uint32_t i = 0; i < count; i++)
        fractions[i] =
            r->received ? draw_key(r, law->crowd.opt.seed, keys[i]) : 0;
    return KITH_OK;
}

static void law_close(kith_i_crowd *crowd)
{
    law_collector *law = (law_collector *)crowd;
    for (size_t i = 0; i < law->asked_count; i++) {
        kith_i_free(law->asked[i].counts);
        kith_i_free(law->asked[i].keys);
        kith_i_free(law->asked[i].drawn);
    }
    kith_i_free(law->asked);
}

kith_status kith_i_collector_law(const kith_dataset *data,
                                 const kith_i_crowd_options *opt,
                                 kith_i_collector **out, kith_error *err)
{
    *out = NULL;
    law_collector *law = kith_i_alloc(1, sizeof *law);
    if (!law)
        return kith_i_fail_memory(err);
    kith_status status = kith_i_crowd_open(&law->crowd, data, opt, err);
    if (status) {
        kith_i_free(law);
        return status;
    }
    law->crowd.close = law_close;
    law->crowd.face.ask = law_ask;
    law->crowd.face.again = law_again;
    *out = &law->crowd.face;
    return KITH_OK;
}
