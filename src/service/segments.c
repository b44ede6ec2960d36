/* The stored reports of one group, in the order of their ids. */
#include <string.h>

#include "segments.h"

static kith_status read_segment(void *arg, const kith_i_cell *row,
                                kith_error *err)
{
    kith_i_segments *s = arg;
    size_t more = row[3].count;
    if (s->bytes + more > s->room) {
        size_t room = 2 * (s->bytes + more);
        uint8_t *packed = kith_i_resize(s->packed, s->room, room, 1);
        if (!packed)
            return kith_i_fail_memory(err);
        s->packed = packed;
        s->room = room;
    }
    memcpy(s->packed + s->bytes, row[3].bytes, more);
    s->bytes += more;
    s->count += (size_t)row[1].number;
    s->last = row[0].number;
    s->rows++;
    return KITH_OK;
}

kith_status kith_i_segments_more(kith_i_db *db, kith_i_segments *segments,
                                 kith_error *err)
{
    enum { AT_A_TIME = 200 };
    segments->rows = 0;
    kith_status status = KITH_I_DB_RUN(
        db, KITH_I_SEGMENT_GROUP, read_segment, segments, err,
        kith_i_bytes_cell(segments->task, 16),
        kith_i_number_cell(segments->round),
        kith_i_number_cell(segments->group), kith_i_number_cell(segments->last),
        kith_i_number_cell(AT_A_TIME));
    segments->all = segments->rows < AT_A_TIME;
    return status;
}
