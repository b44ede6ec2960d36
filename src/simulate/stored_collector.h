/* A collector that answers from stored reports: behind a service, and in a
 * replay. The script is run from the top; known rounds must be asked again byte
 * for byte, a closed one is counted, and the first unknown one is captured. */
#ifndef KITH_STORED_COLLECTOR_H
#define KITH_STORED_COLLECTOR_H

#include "collect/publish.h"
#include "task_run.h"

/* A stored report: nonce, then the number in 1, 2 or 4 bytes. */
enum { KITH_I_STORED_MAX = 20 };

/* An answer that was computed in this run. */
typedef struct kith_i_fresh {
    uint32_t round, group;
    uint64_t question;
    const uint8_t *keys_digest; /* of `again`; NULL: the answer itself */
    uint64_t received, duplicates;
    const double *values;
    size_t count;
} kith_i_fresh;

/* What is stored, whoever stores it. Functions that may be NULL are marked. */
typedef struct kith_i_shelf {
    void *arg;
    /* Round n as it was published; *json NULL: it is not. *closed: its reports
     * are complete. Borrowed until the next call. */
    kith_status (*round)(void *arg, uint32_t n, const char **json,
                         size_t *bytes, int *closed, kith_error *err);
    /* Hand over all reports of a group, packed, in one order for everybody,
     * in as many calls as suits. */
    kith_status (*reports)(void *arg, uint32_t n, uint32_t group,
                           kith_status (*take)(void *to, const uint8_t *packed,
                                               size_t count, kith_error *err),
                           void *to, kith_error *err);
    /* NULL, or: the kept answer of a question (values: received, sd, noise, and
     * what was estimated). *found: there is one of this length. */
    kith_status (*known)(void *arg, uint64_t question, double *values,
                         size_t count, int *found, kith_error *err);
    kith_status (*known_again)(void *arg, uint64_t question,
                               const uint8_t digest[32], double *values,
                               size_t count, int *found, kith_error *err);
    /* NULL, or: a fresh answer to keep. */
    kith_status (*keep)(void *arg, const kith_i_fresh *fresh, kith_error *err);
} kith_i_shelf;

typedef struct kith_i_stored kith_i_stored;

kith_status kith_i_stored_open(const kith_task *task, uint64_t invited,
                               uint32_t threads, const kith_i_shelf *shelf,
                               kith_i_stored **out, kith_error *err);
kith_i_collector *kith_i_stored_face(kith_i_stored *stored);
void kith_i_stored_close(kith_i_stored *stored); /* NULL is fine */

/* After KITH_I_PENDING: the round that nobody has published yet; NULL: the
 * newest one is still open. */
const kith_i_published *kith_i_stored_next(const kith_i_stored *stored);
/* After an error: the script asked another question than the one that was
 * published, because this build or machine computes other bits. */
int kith_i_stored_differs(const kith_i_stored *stored);

#endif
