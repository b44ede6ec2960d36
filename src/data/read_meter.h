/* read_meter: how much of a reader's files has been read, in bytes as they are
 * on disk. Of several files, or of parts of them, the sizes tell beforehand. */
#ifndef KITH_READ_METER_H
#define KITH_READ_METER_H

#include <stdatomic.h>

#include "reader_deal.h"
#include "stream.h"

enum { KITH_I_READ_STEPS = 1000 };

typedef struct kith_i_read_meter {
    uint64_t all, before; /* bytes; of the files that are done with */
    atomic_uint done;     /* of KITH_I_READ_STEPS */
} kith_i_read_meter;

/* Bytes of a file that are this reader's. */
static inline uint64_t kith_i_share_bytes(const kith_i_share *share)
{
    return share->parts ? share->bytes / share->parts : 0;
}

/* Where the stream is (NULL: rows in memory). A part begins some way into its
 * file. */
static inline void kith_i_meter_set(kith_i_read_meter *meter,
                                    const kith_i_share *share,
                                    const kith_i_stream *stream)
{
    uint64_t place = stream ? kith_i_stream_place(stream) : 0;
    uint64_t own = kith_i_share_bytes(share), first = own * share->part;
    uint64_t here = place > first ? place - first : 0;
    double read = (double)(meter->before + (here < own ? here : own));
    if (meter->all > 0)
        atomic_store(&meter->done,
                     (unsigned)(KITH_I_READ_STEPS * read / (double)meter->all));
}

#endif
