/* oplog: every change that this process makes to the files of one folder, to be
 * replayed up to any point as a power cut may leave it; and calls that fail, or
 * that are the last of the process. Takes the place of libc's functions, also
 * for SQLite. */
#ifndef KITH_OPLOG_H
#define KITH_OPLOG_H

#include <stddef.h>
#include <stdint.h>

/* From here on, changes inside of folder are kept, from what it is now. */
void oplog_start(const char *folder);
void oplog_stop(void);
/* A note between two changes: something was promised. */
void oplog_mark(void);
/* Changes and notes so far. */
size_t oplog_count(void);
/* Notes among the first n. */
size_t oplog_marks(size_t n);

/* Write into a folder what is there after the first n changes when the power
 * fails: what was synced; of what was not, nothing (coins 0), or a part that
 * depends on the coins. */
void oplog_replay(size_t n, uint64_t coins, const char *to);

/* The n-th changing call from now fails with this errno, or (errno 0) is the
 * last thing that this process does. 0: never. */
void oplog_fault(long n, int reason);
/* Calls that changed something, since the fault was set. */
long oplog_calls(void);

#endif
