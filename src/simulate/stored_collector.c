/* Answers from stored reports. */
#include "stored_collector.h"

#include <stdatomic.h>
#include <string.h>

#include "base/digest.h"

/* A question of this run that was answered. */
typedef struct {
    kith_i_mechanism mechanism;
    uint8_t digest[32]; /* of its round */
    uint16_t round, group;
    uint64_t received;
    kith_i_tally *tally; /* NULL: not counted in this run */
} asked_question;

enum { SHARDS_MAX = 16 };

struct kith_i_stored {
    kith_i_collector face;
    const kith_task *task;
    kith_i_shelf shelf;
    uint32_t workers;
    kith_i_publisher publisher;
    asked_question *asked;
    size_t count;
    kith_i_published next;
    int differs;
};

/* ---- counting ---- */

typedef struct {
    kith_i_tally *shards[SHARDS_MAX];
    const asked_question *of;
    const uint8_t *task;
    uint32_t workers;
    uint64_t stored;
    const uint8_t *packed; /* being added */
    size_t count, each;
    atomic_int status;
} counting;

/* Each worker adds the reports that its number stands for; the nonce decides,
 * so a report and its duplicate meet in one shard. */
static void add_shard(void *arg, uint32_t worker)
{
    counting *c = arg;
    uint8_t bytes[KITH_I_HEADER_BYTES + 4];
    kith_i_ticket ticket = {.round = c->of->round, .group = c->of->group};
    memcpy(ticket.task, c->task, sizeof ticket.task);
    for (size_t i = 0; i < c->count; i++) {
        const uint8_t *report = c->packed + i * c->each;
        if (report[0] % c->workers != worker)
            continue;
        memcpy(ticket.nonce, report, KITH_I_NONCE_BYTES);
        kith_i_report_write_header(c->of->mechanism.kind, &ticket, bytes);
        memcpy(bytes + KITH_I_HEADER_BYTES, report + KITH_I_NONCE_BYTES,
               c->each - KITH_I_NONCE_BYTES);
        /* What was stored was checked: a refusal means seen before. */
        if (kith_i_tally_add(c->shards[worker], bytes,
                             KITH_I_HEADER_BYTES + c->each - KITH_I_NONCE_BYTES,
                             NULL) == KITH_ERR_MEMORY)
            atomic_store(&c->status, KITH_ERR_MEMORY);
    }
}

static kith_status take_reports(void *to, const uint8_t *packed, size_t count,
                                kith_error *err)
{
    counting *c = to;
    c->packed = packed;
    c->count = count;
    c->stored += count;
    kith_i_parallel(c->workers, add_shard, c);
    return atomic_load(&c->status) ? kith_i_fail_memory(err) : KITH_OK;
}

/* Count a group. *stored: reports, duplicates included. */
static kith_status count_group(kith_i_stored *s, asked_question *of,
                               uint64_t *stored, kith_error *err)
{
    counting c = {.of = of,
                  .task = s->task->view->id,
                  .workers = s->workers,
                  .each = KITH_I_NONCE_BYTES +
                          kith_i_report_bytes(&of->mechanism) -
                          KITH_I_HEADER_BYTES};
    kith_i_ticket ticket = {.round = of->round, .group = of->group};
    kith_status status = KITH_OK;
    memcpy(ticket.task, c.task, sizeof ticket.task);
    for (uint32_t w = 0; !status && w < c.workers; w++)
        status = kith_i_tally_new(&of->mechanism, &ticket, of->digest,
                                  &c.shards[w], err);
    if (!status)
        status = s->shelf.reports(s->shelf.arg, of->round, of->group,
                                  take_reports, &c, err);
    for (uint32_t w = 1; !status && w < c.workers; w++)
        status = kith_i_tally_merge(c.shards[0], c.shards[w], err);
    if (!status) {
        of->tally = c.shards[0];
        c.shards[0] = NULL;
        *stored = c.stored;
    }
    for (uint32_t w = 0; w < c.workers; w++)
        kith_i_tally_free(c.shards[w]);
    return status;
}

/* ---- one answer ---- */

enum { RECEIVED, SD, NOISE, VALUES };

static size_t answer_length(const kith_i_answer *a, const kith_i_question *q,
                            uint32_t d)
{
    if (a->fractions)
        return a->symbols;
    return a->buckets *
           (q->report == KITH_I_REPORT_VECTOR ? (size_t)d : (size_t)d * d);
}

static double *answer_values(const kith_i_answer *a)
{
    return a->fractions ? a->fractions : a->sums;
}

static kith_status keep(kith_i_stored *s, const kith_i_fresh *fresh,
                        kith_error *err)
{
    return s->shelf.keep ? s->shelf.keep(s->shelf.arg, fresh, err) : KITH_OK;
}

/* Count, estimate, and hand to whoever keeps answers. */
static kith_status answer_fresh(kith_i_stored *s, size_t number,
                                const kith_i_question *q, kith_i_answer *a,
                                kith_error *err)
{
    asked_question *of = &s->asked[number];
    uint64_t minimum = s->publisher.minimum, stored = 0;
    kith_status status = count_group(s, of, &stored, err);
    if (status)
        return status;
    of->received = kith_i_tally_received(of->tally);
    status = kith_i_tally_answer(of->tally, q, s->face.d, minimum, s->workers,
                                 a, err);
    size_t length = answer_length(a, q, s->face.d);
    double *values = kith_i_alloc(VALUES + length, sizeof *values);
    if (!status && !values)
        status = kith_i_fail_memory(err);
    if (!status) {
        values[RECEIVED] = (double)a->received;
        values[SD] = a->sd;
        values[NOISE] = a->noise;
        memcpy(values + VALUES, answer_values(a), length * sizeof *values);
        kith_i_fresh fresh = {.round = of->round,
                              .group = of->group,
                              .question = number,
                              .received = of->received,
                              .duplicates = stored - of->received,
                              .values = values,
                              .count = VALUES + length};
        status = keep(s, &fresh, err);
    }
    kith_i_free(values);
    return status;
}

static kith_status answer_known(kith_i_stored *s, size_t number,
                                const kith_i_question *q, kith_i_answer *a,
                                int *found, kith_error *err)
{
    size_t length = answer_length(a, q, s->face.d);
    *found = 0;
    if (!s->shelf.known)
        return KITH_OK;
    double *values = kith_i_alloc(VALUES + length, sizeof *values);
    if (!values)
        return kith_i_fail_memory(err);
    kith_status status = s->shelf.known(s->shelf.arg, number, values,
                                        VALUES + length, found, err);
    if (!status && *found) {
        kith_i_answer_precision(&s->asked[number].mechanism,
                                (uint64_t)values[RECEIVED], a);
        a->sd = values[SD];
        a->noise = values[NOISE];
        s->asked[number].received = a->received;
        memcpy(answer_values(a), values + VALUES, length * sizeof *values);
    }
    kith_i_free(values);
    return status;
}

static kith_status answer_question(kith_i_stored *s, size_t number,
                                   const kith_i_question *q, kith_i_answer *a,
                                   kith_error *err)
{
    int found = 0;
    kith_status status = kith_i_answer_alloc(q, s->face.d, a, err);
    if (!status)
        status = answer_known(s, number, q, a, &found, err);
    if (!status && !found)
        status = answer_fresh(s, number, q, a, err);
    return status;
}

/* ---- the collector ---- */

static kith_status note_questions(kith_i_stored *s, const kith_i_round *round,
                                  kith_error *err)
{
    size_t have = s->count, count = round->count;
    asked_question *asked =
        kith_i_resize(s->asked, have, have + count, sizeof *asked);
    if (!asked)
        return kith_i_fail_memory(err);
    s->asked = asked;
    for (size_t g = 0; g < count; g++) {
        asked[have + g] = (asked_question){.mechanism = round->mechanisms[g],
                                           .round = round->number,
                                           .group = (uint16_t)g};
        memcpy(asked[have + g].digest, round->digest, 32);
    }
    s->count += count;
    return KITH_OK;
}

/* The round that is stored under this number, held against the one that the
 * script asks now. */
static kith_status compare(kith_i_stored *s, const kith_i_published *made,
                           int *known, kith_error *err)
{
    const char *json = NULL;
    size_t bytes = 0;
    int closed = 0;
    uint32_t n = made->round->number;
    kith_status status =
        s->shelf.round(s->shelf.arg, n, &json, &bytes, &closed, err);
    *known = status || json;
    if (status)
        return status;
    if (!json)
        return KITH_I_PENDING;
    if (bytes != made->bytes || memcmp(json, made->json, bytes) != 0) {
        s->differs = 1;
        return kith_i_fail(err, KITH_ERR_INTERNAL,
                           "round %u would be asked differently now than it "
                           "was published: another build or machine computes "
                           "other bits; go on with the one that published it",
                           n);
    }
    return closed ? KITH_OK : KITH_I_PENDING;
}

static kith_status stored_ask(kith_i_collector *self,
                              const kith_i_question *questions, size_t count,
                              kith_i_answer *answers, kith_error *err)
{
    kith_i_stored *s = (kith_i_stored *)self;
    kith_i_published made;
    int known = 1;
    size_t first = s->count;
    memset(answers, 0, count * sizeof *answers);
    kith_status status =
        kith_i_publish(&s->publisher, questions, count, &made, err);
    if (status)
        return status;
    status = compare(s, &made, &known, err);
    if (status == KITH_I_PENDING && !known) {
        s->next = made;
        return status;
    }
    if (!status)
        status = note_questions(s, made.round, err);
    for (size_t g = 0; !status && g < count; g++)
        status = answer_question(s, first + g, &made.round->questions[g],
                                 &answers[g], err);
    for (size_t g = 0; status && g < count; g++)
        kith_i_answer_free(&answers[g]);
    kith_i_published_free(&made);
    return status;
}

static kith_status stored_again(kith_i_collector *self, size_t question,
                                const uint64_t *keys, uint32_t count,
                                double *fractions, kith_error *err)
{
    kith_i_stored *s = (kith_i_stored *)self;
    uint8_t digest[32];
    uint64_t stored = 0;
    int found = 0;
    kith_status status = KITH_OK;
    if (question >= s->count)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "this question was not asked");
    asked_question *of = &s->asked[question];
    if (of->received < s->publisher.minimum || of->received == 0) {
        memset(fractions, 0, count * sizeof *fractions);
        return KITH_OK;
    }
    kith_i_digest(keys, count * sizeof *keys, digest);
    if (s->shelf.known_again)
        status = s->shelf.known_again(s->shelf.arg, question, digest, fractions,
                                      count, &found, err);
    if (status || found)
        return status;
    if (!of->tally)
        status = count_group(s, of, &stored, err);
    if (!status)
        status = kith_i_tally_fractions(of->tally, keys, count, s->workers,
                                        fractions, err);
    kith_i_fresh fresh = {.round = of->round,
                          .group = of->group,
                          .question = question,
                          .keys_digest = digest,
                          .received = of->received,
                          .values = fractions,
                          .count = count};
    return status ? status : keep(s, &fresh, err);
}

kith_status kith_i_stored_open(const kith_task *task, uint64_t invited,
                               uint32_t threads, const kith_i_shelf *shelf,
                               kith_i_stored **out, kith_error *err)
{
    kith_i_stored *s = kith_i_alloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return kith_i_fail_memory(err);
    s->task = task;
    s->shelf = *shelf;
    s->workers = kith_i_thread_count(threads);
    s->workers = s->workers > SHARDS_MAX ? SHARDS_MAX : s->workers;
    uint64_t minimum = task->view->minimum ? task->view->minimum : 1;
    s->face = (kith_i_collector){.invited = invited,
                                 .minimum = minimum,
                                 .d = task->view->d,
                                 .ask = stored_ask,
                                 .again = stored_again};
    s->publisher = (kith_i_publisher){
        .invited = invited, .minimum = minimum, .d = task->view->d};
    memcpy(s->publisher.chain.task, task->view->id, KITH_I_TASK_BYTES);
    *out = s;
    return KITH_OK;
}

kith_i_collector *kith_i_stored_face(kith_i_stored *stored)
{
    return &stored->face;
}

const kith_i_published *kith_i_stored_next(const kith_i_stored *stored)
{
    return stored->next.json ? &stored->next : NULL;
}

int kith_i_stored_differs(const kith_i_stored *stored)
{
    return stored->differs;
}

void kith_i_stored_close(kith_i_stored *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++)
        kith_i_tally_free(s->asked[i].tally);
    kith_i_free(s->asked);
    kith_i_published_free(&s->next);
    kith_i_free(s);
}
