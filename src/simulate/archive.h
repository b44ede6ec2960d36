/* The archive of a deployment: enough to compute its model again, on any
 * machine with this build. Numbers are little-endian.
 *
 *   "KITHARC1", u64 invited, u32 n and the task file, u32 n and "collected" of
 *   the model; u32 rounds, each: u32 n and the round, u32 groups, each: u32
 *   bytes of a report, u64 count, the reports (nonce and number) sorted; then
 *   the SHA-256 of all that. */
#ifndef KITH_ARCHIVE_H
#define KITH_ARCHIVE_H

#include "stored_collector.h"

typedef struct kith_i_archive {
    uint8_t *bytes;
    size_t count, room;
    int failed; /* memory was short */
} kith_i_archive;

void kith_i_archive_begin(kith_i_archive *a, uint64_t invited,
                          const kith_task *task, const char *collected);
void kith_i_archive_number(kith_i_archive *a, uint64_t number, int bytes);
void kith_i_archive_text(kith_i_archive *a, const void *text, size_t bytes);
/* Takes the order of reports away: sorts, drops repeats of a nonce. */
void kith_i_archive_group(kith_i_archive *a, uint8_t *packed, size_t count,
                          size_t each);
/* bytes: kith_i_free. */
kith_status kith_i_archive_end(kith_i_archive *a, uint8_t **bytes,
                               size_t *count, kith_error *err);

#endif
