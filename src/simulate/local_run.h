/* Inside simulate/: the pieces of the public local API that share a run. */
#ifndef KITH_LOCAL_RUN_H
#define KITH_LOCAL_RUN_H

#include "base/domain.h"
#include "collect/spend_trace.h"
#include "crowd.h"
#include "kith/local.h"
#include "methods/method.h"

/* The public box and ball of a domain as a method sees them. */
typedef struct kith_i_local_bounds {
    double *lower, *upper, *center; /* d each; one allocation */
    double radius;
} kith_i_local_bounds;

kith_status kith_i_local_bounds_make(const kith_i_domain *domain,
                                     kith_i_local_bounds *out, kith_error *err);
void kith_i_local_bounds_free(kith_i_local_bounds *bounds);

/* Copy and check; the defaults are filled in. */
kith_status kith_i_local_read_options(const kith_local_options *from,
                                      kith_local_options *opt, kith_error *err);
void kith_i_local_task_make(const kith_local_options *opt,
                            const kith_i_local_bounds *bounds, uint32_t d,
                            kith_i_local_task *out);

/* Run the method of opt over the users of data, each standing for `copies`
 * (above 1: with the law only). centers: room for k x d, in the domain's
 * units. */
kith_status kith_i_local_execute(const kith_dataset *data, uint64_t copies,
                                 const kith_local_options *opt,
                                 kith_i_trace *trace, double *centers,
                                 double *weights, uint32_t *found,
                                 kith_error *err);

/* Move a trace's entries into a new summary. */
kith_status kith_i_local_summarise(kith_i_trace *trace,
                                   kith_local_summary **out, kith_error *err);

#endif
