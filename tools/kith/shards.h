/* shards: rows that lie on the disks of the machines that read them (kith-mpi
 * --shards-local): every rank reads all files that it finds under the names
 * given. */
#ifndef KITH_TOOL_SHARDS_H
#define KITH_TOOL_SHARDS_H

#include "args.h"

/* From now on names mean files of this machine. */
void shards_set_local(void);
int shards_local(void);

/* Operands that are patterns become the files that match here, in order of
 * name. Exit code. */
int shards_expand(args *a);

/* Do two ranks read one file? Exit code, the same on all ranks, if shards are
 * local; else code. All ranks call it, code: this rank's. inputs are not
 * looked at if it is set, repeats are fine if `allowed`. */
int shards_compare(int code, const char *const *inputs, size_t count,
                   int allowed);

/* Do all ranks have features of the same names, in this order? The same. */
int shards_compare_names(int code, const char *const *names, size_t count);

#endif
