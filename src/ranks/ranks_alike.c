/* Are the ranks of a team of one make? A guard against accidents: whatever the
 * answer, what is released has the law that was paid for. */
#include <stdio.h>
#include <string.h>

#include "base/base_i.h"
#include "kernel/fingerprint.h"
#include "kith/version.h"
#include "meeting.h"

enum { MAKE = 256 };

/* Everybody's make must be rank 0's, word for word. */
kith_status kith_i_ranks_compare(const kith_team *t, kith_error *err)
{
    char mine[MAKE] = {0}, other[MAKE] = {0};
    uint32_t odd = 0; /* rank 0 does not differ from itself */
    snprintf(mine, MAKE, "kith %s, %s", kith_version(), kith_i_fingerprint());
    void *all = NULL;
    size_t total = 0;
    if (t->gather(t->arg, mine, MAKE, &all, &total))
        return kith_i_ranks_lost(err);
    for (uint32_t i = t->ranks; t->rank == 0 && i-- > 0;) {
        const char *theirs = (const char *)all + (size_t)i * MAKE;
        if (total != (size_t)t->ranks * MAKE ||
            memcmp(theirs, mine, MAKE) != 0) {
            odd = i;
            snprintf(other, MAKE, "%.*s", MAKE - 1, theirs);
        }
    }
    if (t->share(t->arg, &odd, sizeof odd) ||
        t->share(t->arg, other, sizeof other))
        return kith_i_ranks_lost(err);
    if (t->share(t->arg, mine, sizeof mine))
        return kith_i_ranks_lost(err);
    if (!odd)
        return KITH_OK;
    return kith_i_fail(err, KITH_ERR_TEAM,
                       "ranks compute differently, so they would part ways: "
                       "rank 0 has %s; rank %u has %s. Nothing was charged; "
                       "use one version, and OPENBLAS_CORETYPE=Haswell on all "
                       "machines",
                       mine, (unsigned)odd, other);
}
