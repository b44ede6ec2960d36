/* The stored reports of one group, in memory. */
#ifndef KITH_SERVICE_SEGMENTS_H
#define KITH_SERVICE_SEGMENTS_H

#include "service_i.h"

typedef struct kith_i_segments {
    const uint8_t *task; /* of 16 bytes */
    int64_t round;
    uint32_t group;
    uint8_t *packed; /* kith_i_free */
    size_t bytes, count, room;
    int64_t last; /* the id that was read last */
    uint64_t rows;
    int all; /* nothing is left */
} kith_i_segments;

/* Adds the next few to what is there. */
kith_status kith_i_segments_more(kith_i_db *db, kith_i_segments *segments,
                                 kith_error *err);

#endif
