/* Bodies as they come in: each report checked, the good ones handed to the
 * committer. */
#include <string.h>

#include "collect/task_text.h"
#include "device/little_endian.h"
#include "service_i.h"

static kith_i_body *body_new(kith_i_live *live, size_t count,
                             kith_collect_done_fn *done, void *arg)
{
    kith_i_body *body = kith_i_alloc(1, sizeof *body);
    if (body)
        *body = (kith_i_body){.live = live,
                              .count = count,
                              .serial = -1,
                              .done = done,
                              .arg = arg};
    return body;
}

static void refuse_all(kith_outcome why, kith_collect_done_fn *done, void *arg)
{
    kith_receipt_of_reports receipt = {.failed = why};
    done(arg, &receipt);
}

/* How many reports of a body were refused for which reason. */
typedef uint64_t refusals[KITH_COLLECT_OUTCOMES];

static void note_refusal(kith_receipt_of_reports *receipt, size_t at,
                         kith_outcome why)
{
    receipt->refused++;
    if (receipt->reason_count < KITH_RECEIPT_REASONS) {
        receipt->reasons[receipt->reason_count].at = (uint32_t)at;
        receipt->reasons[receipt->reason_count++].why = why;
    }
}

/* Twice what a group can have, until a fold has counted the duplicates. */
static int is_full(const kith_i_open_group *group)
{
    return group->stored >= 2 * group->expected + 1000;
}

static kith_outcome over(const kith_i_live *live)
{
    return live->state == KITH_TASK_FINISHED || live->state == KITH_TASK_ABORTED
               ? KITH_COLLECT_TASK_OVER
               : KITH_COLLECT_OK;
}

/* The envelopes into body->reports, good ones first to last. live->lock is held
 * for reading. */
static void check_all(kith_i_live *live, const uint8_t *envelopes, size_t count,
                      kith_i_body *body, refusals refused)
{
    size_t good = 0;
    for (size_t i = 0; i < count; i++) {
        kith_i_waiting *to = &body->reports[good];
        kith_outcome why =
            kith_i_check_report(live, envelopes + i * KITH_ENVELOPE_BYTES, to);
        if (!why) {
            kith_i_open_group *group = &live->groups[to->group];
            uint64_t print = kith_i_nonce_fingerprint(
                kith_i_load64(to->packed), kith_i_load64(to->packed + 8));
            if (kith_i_nonce_has(&group->seen, print)) {
                body->receipt.duplicates++;
                continue;
            }
            if (is_full(group))
                why = KITH_COLLECT_BUSY;
        }
        if (why) {
            note_refusal(&body->receipt, i, why);
            refused[why]++;
        } else {
            good++;
        }
    }
    body->count = good;
}

static void check_body(kith_i_live *live, const uint8_t *envelopes,
                       size_t count, kith_i_body *body, refusals refused)
{
    memset(refused, 0, sizeof(refusals));
    pthread_rwlock_rdlock(&live->lock);
    body->receipt = (kith_receipt_of_reports){.failed = over(live)};
    body->round = live->number;
    if (!body->receipt.failed)
        check_all(live, envelopes, count, body, refused);
    pthread_rwlock_unlock(&live->lock);
}

/* Another process may have published a round, which a device has read there and
 * answers here: is there one of which this process does not know? */
static int is_behind(kith_collect *c, kith_i_live *live, const refusals refused)
{
    int64_t before = live->number;
    if (!refused[KITH_COLLECT_WRONG_ROUND] || c->ingest == c->db)
        return 0;
    pthread_mutex_lock(&c->lock);
    kith_status status = kith_i_live_refresh(c, live, NULL);
    pthread_mutex_unlock(&c->lock);
    return !status && live->number != before;
}

void kith_collect_add(kith_collect *c, const uint8_t task[16],
                      const uint8_t *envelopes, size_t count,
                      kith_collect_done_fn *done, void *arg)
{
    if (!done)
        return;
    kith_i_live *live = envelopes ? kith_i_live_find(c, task) : NULL;
    kith_i_body *body = live ? body_new(live, count, done, arg) : NULL;
    if (!body) {
        refuse_all(live ? KITH_COLLECT_BUSY : KITH_COLLECT_NO_TASK, done, arg);
        return;
    }
    body->reports = kith_i_alloc(count, sizeof *body->reports);
    if (!body->reports) {
        body->receipt.failed = KITH_COLLECT_BUSY;
        kith_i_body_finish(body);
        return;
    }
    refusals refused;
    check_body(live, envelopes, count, body, refused);
    if (is_behind(c, live, refused))
        check_body(live, envelopes, count, body, refused);
    for (int why = 0; why < KITH_COLLECT_OUTCOMES; why++)
        if (refused[why])
            live->counted[why] += refused[why];
    if (body->receipt.failed || body->count == 0) {
        live->counted[KITH_COLLECT_DUPLICATE] += body->receipt.duplicates;
        kith_i_body_finish(body);
    } else {
        kith_i_commit_queue(c, body);
    }
}

static kith_outcome may_enrol(const kith_i_live *live, const kith_enrolment *e,
                              int64_t *serial)
{
    const char *how = live->task->view->enrol;
    if (over(live))
        return KITH_COLLECT_TASK_OVER;
    if (how[0] == 'b' && !e->trusted)
        return KITH_COLLECT_INVITATION_NEEDED;
    if (how[0] != 'i')
        return KITH_COLLECT_OK;
    *serial =
        e->count == 1 ? kith_i_invitation_serial(live, e->invitation) : -1;
    return *serial < 0 ? KITH_COLLECT_INVITATION_NEEDED : KITH_COLLECT_OK;
}

void kith_collect_enrol(kith_collect *c, const uint8_t task[16],
                        const kith_enrolment *enrolment,
                        kith_collect_done_fn *done, void *arg)
{
    if (!done)
        return;
    int whole = enrolment && enrolment->commitments;
    kith_i_live *live = whole ? kith_i_live_find(c, task) : NULL;
    size_t count = whole ? enrolment->count : 0;
    kith_i_body *body = live ? body_new(live, count, done, arg) : NULL;
    if (!body) {
        refuse_all(live ? KITH_COLLECT_BUSY : KITH_COLLECT_NO_TASK, done, arg);
        return;
    }
    body->round = KITH_I_ENROLMENT;
    body->commitments = kith_i_alloc(count, 16);
    body->tags = kith_i_alloc(count, 16);
    pthread_rwlock_rdlock(&live->lock);
    body->receipt.failed = may_enrol(live, enrolment, &body->serial);
    pthread_rwlock_unlock(&live->lock);
    if (!body->commitments || !body->tags)
        body->receipt.failed = KITH_COLLECT_BUSY;
    if (body->receipt.failed) {
        kith_i_body_finish(body);
        return;
    }
    memcpy(body->commitments, enrolment->commitments, 16 * count);
    for (size_t i = 0; i < count; i++)
        kith_i_task_tag(live->key, live->id, body->commitments + 16 * i,
                        body->tags + 16 * i);
    kith_i_commit_queue(c, body);
}
