/* Which process is this? A copy made by fork(), _Fork() or the bare system call
 * holds the same budget and the same random words as the process it was made
 * from: it must neither draw with the one nor pay with the other (I22). */
#ifndef KITH_PROCESS_H
#define KITH_PROCESS_H

#include <stdatomic.h>
#include <stdint.h>

/* The mark of this process: differs from its parent's, or is still 0. */
extern atomic_uint *kith_i_fork_mark;

typedef struct kith_i_process {
    uint32_t mark;
    int pid;
} kith_i_process;
kith_i_process kith_i_process_now(void);
int kith_i_process_same(kith_i_process before);

/* From now on copies are noticed; 0 if they would not be. */
int kith_i_process_watch(void);

#endif
