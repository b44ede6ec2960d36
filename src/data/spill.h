/* spill: quantised rows on disk, for datasets that memory cannot hold.
 *
 * Chunks lie in a file without a name, encrypted and sealed under a key that
 * only this process has and that is forgotten with the dataset: wiping a disk
 * is not possible, forgetting a key is. */
#ifndef KITH_SPILL_H
#define KITH_SPILL_H

#include <stddef.h>
#include <stdint.h>

#include "kith/status.h"

typedef struct kith_i_spill kith_i_spill;

/* A file in this folder. most: bytes of the largest chunk. anywhere: a network
 * file system will do. KITH_ERR_STORE. */
kith_status kith_i_spill_open(const char *folder, size_t most, int anywhere,
                              kith_i_spill **out, kith_error *err);
/* Forgets the key. NULL is fine. */
void kith_i_spill_close(kith_i_spill *spill);

/* Bytes of scratch that a write or a read needs. */
size_t kith_i_spill_room(const kith_i_spill *spill);

/* Chunk `number`, once; by any thread. KITH_ERR_STORE when the disk is full. */
kith_status kith_i_spill_write(const kith_i_spill *spill, uint64_t number,
                               const void *rows, size_t bytes, void *room,
                               kith_error *err);

/* The chunk's rows, in room; NULL if it cannot be read or is not what was
 * written. */
const void *kith_i_spill_read(const kith_i_spill *spill, uint64_t number,
                              size_t bytes, void *room);

kith_status kith_i_spill_fail(kith_error *err); /* why a read was NULL */

#endif
