/* What only a program may do to malloc: in a library the host has its own
 * wishes. */
#include "cli.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Blocks of this many bytes and more are mapped one by one. */
enum { MAPPED = 1 << 16 };

/* A large block goes back to the system when it is freed. By itself malloc
 * takes a freed block as a sign that more of its size will come, and keeps
 * their room from then on: the peak of a run would hold what earlier stages of
 * it have long given up, 1 MB or so (bench/RESULTS.md). */
void cli_prepare_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, MAPPED);
    mallopt(M_TRIM_THRESHOLD, MAPPED);
    mallopt(M_TOP_PAD, 0);
#endif
}
