/* progress: a bar on standard error. Steps only: how many there are never
 * depends on the data. While rows are read: how much of the files. */
#ifndef KITH_TOOL_PROGRESS_H
#define KITH_TOOL_PROGRESS_H

#include "args.h"

typedef struct progress {
    int enabled;
    int terminal;
    unsigned shown; /* last step that was drawn */
    unsigned told;  /* of what was read, in percent */
} progress;

/* From --progress and --quiet. Exit code. */
int progress_parse(progress *out, const args *a);

/* A kith_progress_fn; arg is a progress. */
int progress_step(void *arg, unsigned done, unsigned total);

/* The same while rows are read: how much of the files' bytes. */
int progress_read(void *arg, unsigned done, unsigned total);

/* Take the bar away. */
void progress_clear(progress *p);

#endif
