/* A round from questions. */
#include "publish.h"

#include <math.h>
#include <string.h>

#include "device/circle.h"

/* Shares are added up as doubles; a sum that exceeds everybody by rounding ends
 * at the last user, so that the last group does not reach into the first. */
static double snap(double sum)
{
    return sum > 1 && sum < 1 + 1e-9 ? 1 : sum;
}

void kith_i_publish_place(double *asked, kith_i_question *q)
{
    double begin = q->partition ? q->offset : *asked;
    double end = snap(begin + q->share);
    double turns = floor(begin);
    uint64_t from = (uint64_t)((begin - turns) * (double)KITH_I_CIRCLE);
    uint64_t to = (uint64_t)((end - turns) * (double)KITH_I_CIRCLE);
    if (!q->partition)
        *asked = end;
    q->offset = (double)from * 0x1p-53;
    q->share = (double)(to - from) * 0x1p-53;
}

void kith_i_published_free(kith_i_published *published)
{
    kith_i_free(published->json);
    kith_i_round_free(published->round);
    *published = (kith_i_published){0};
}

/* Written, read again, and the next of its chain. */
static kith_status spell(const kith_i_round *made, const kith_i_chain *chain,
                         kith_i_published *out, kith_error *err)
{
    uint8_t digest[KITH_I_DIGEST_BYTES];
    kith_status status =
        kith_i_round_write(made, &out->json, &out->bytes, digest, err);
    if (!status)
        status = kith_i_round_read(out->json, out->bytes, &out->round, err);
    const char *flaw = status ? NULL : kith_i_round_follows(out->round, chain);
    return flaw ? kith_i_fail(err, KITH_ERR_PRIVACY,
                              "a round is refused by the clients: %s", flaw)
                : status;
}

kith_status kith_i_publish(kith_i_publisher *p,
                           const kith_i_question *questions, size_t count,
                           kith_i_published *out, kith_error *err)
{
    kith_i_round made = {.number = (uint16_t)p->chain.next,
                         .invited = p->invited,
                         .minimum = p->minimum,
                         .d = p->d,
                         .count = (uint32_t)count};
    double asked = p->asked;
    *out = (kith_i_published){0};
    made.questions = kith_i_alloc(count, sizeof *made.questions);
    made.mechanisms = kith_i_alloc(count, sizeof *made.mechanisms);
    kith_status status =
        made.questions && made.mechanisms ? KITH_OK : kith_i_fail_memory(err);
    memcpy(made.task, p->chain.task, sizeof made.task);
    memcpy(made.previous, p->chain.digest, sizeof made.previous);
    for (size_t g = 0; !status && g < count; g++) {
        made.questions[g] = questions[g];
        status = kith_i_mechanism_make(&questions[g], p->d, &made.mechanisms[g],
                                       err);
        kith_i_publish_place(&asked, &made.questions[g]);
        if (!status && asked > 1)
            status = kith_i_fail(err, KITH_ERR_BUDGET,
                                 "a question was put to users who have no "
                                 "budget left for it: the shares of all rounds "
                                 "must add up to 1");
    }
    if (!status)
        status = spell(&made, &p->chain, out, err);
    kith_i_free(made.questions);
    kith_i_free(made.mechanisms);
    if (status) {
        kith_i_published_free(out);
        return status;
    }
    for (size_t g = 0; g < count; g++) {
        out->round->questions[g].wanted = questions[g].wanted;
        out->round->questions[g].wanted_count = questions[g].wanted_count;
    }
    p->asked = asked;
    kith_i_chain_advance(&p->chain, out->round);
    return KITH_OK;
}
