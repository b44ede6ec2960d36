/* An envelope held against the open round: who sent it took part in the draw,
 * and answers what she was asked. About three hashes. */
#include <string.h>

#include "collect/task_text.h"
#include "service_i.h"

enum { AT_R = 4, AT_TAG = 20, AT_REPORT = 36, REPORT_ROOM = 44 };

/* Constant time: a tag is a MAC. */
static int same_tag(const uint8_t *a, const uint8_t *b)
{
    unsigned differ = 0;
    for (int i = 0; i < 16; i++)
        differ |= (unsigned)(a[i] ^ b[i]);
    return differ == 0;
}

/* NULL, or what is wrong: a strict reader. */
static const char *open_envelope(const uint8_t *e, kith_i_report *report)
{
    if (e[0] != 1 || e[2] != 0 || e[3] != 0)
        return "this is not an envelope";
    if (e[1] <= KITH_I_HEADER_BYTES || e[1] > REPORT_ROOM)
        return "the report has no such length";
    for (unsigned i = e[1]; i < REPORT_ROOM; i++)
        if (e[AT_REPORT + i] != 0)
            return "there is something after the report";
    return kith_i_report_read(e + AT_REPORT, e[1], report);
}

kith_outcome kith_i_check_report(const kith_i_live *live,
                                 const uint8_t envelope[KITH_ENVELOPE_BYTES],
                                 kith_i_waiting *out)
{
    kith_i_report report;
    uint8_t commitment[16], tag[16], seed[KITH_I_SHA256_BYTES],
        nonce[KITH_I_NONCE_BYTES];
    if (open_envelope(envelope, &report) ||
        memcmp(report.ticket.task, live->id, sizeof live->id) != 0)
        return KITH_COLLECT_BAD_REPORT;
    kith_i_draw_commit(live->id, envelope + AT_R, commitment);
    kith_i_task_tag(live->key, live->id, commitment, tag);
    if (!same_tag(tag, envelope + AT_TAG))
        return KITH_COLLECT_BAD_TOKEN;
    if (live->number < 0 || report.ticket.round > live->number ||
        live->round_state == KITH_I_ROUND_DRAFT)
        return KITH_COLLECT_WRONG_ROUND;
    if (report.ticket.round < live->number ||
        live->round_state != KITH_I_ROUND_COLLECTING)
        return KITH_COLLECT_ROUND_CLOSED;
    if (report.ticket.group >= live->group_count)
        return KITH_COLLECT_WRONG_GROUP;
    const kith_i_open_group *group = &live->groups[report.ticket.group];
    kith_i_draw_seed(tag, envelope + AT_R, seed);
    if (!kith_i_circle_has(group->range, kith_i_draw_point(seed)))
        return KITH_COLLECT_WRONG_GROUP;
    kith_i_draw_nonce(seed, live->digest, report.ticket.group, nonce);
    if (memcmp(nonce, report.ticket.nonce, sizeof nonce) != 0)
        return KITH_COLLECT_WRONG_ROUND; /* of a round with another digest */
    if (report.kind != group->kind ||
        kith_i_report_number(&report, group->outputs) == UINT64_MAX)
        return KITH_COLLECT_BAD_REPORT;
    out->group = report.ticket.group;
    memcpy(out->packed, nonce, sizeof nonce);
    memcpy(out->packed + sizeof nonce, report.payload, report.payload_bytes);
    return KITH_COLLECT_OK;
}
