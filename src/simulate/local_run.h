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
/* The same bounds in their own frame: the unit ball about 0. */
kith_status kith_i_local_unit_bounds(const kith_i_local_bounds *from, size_t d,
                                     kith_i_local_bounds *to, kith_error *err);

/* Copy and check; the defaults are filled in. */
kith_status kith_i_local_read_options(const kith_local_options *from,
                                      kith_local_options *opt, kith_error *err);
void kith_i_local_task_make(const kith_local_options *opt,
                            const kith_i_local_bounds *bounds, uint32_t d,
                            kith_i_local_task *out);

/* 16 bytes that stand for a simulated task: a digest of its bounds, epsilon,
 * delta, k, method, objective and seed. It tells tasks apart. It is not the
 * digest of a task file, which a device would check. */
void kith_i_local_name_task(const kith_local_options *opt,
                            const kith_i_local_bounds *bounds, uint32_t d,
                            uint8_t task[KITH_I_TASK_BYTES]);

/* What a method found: room for k centres, in the domain's units. */
typedef struct kith_i_local_found {
    double *centers, *weights;
    uint32_t count;
    kith_i_local_verdict verdict; /* of `auto` only */
} kith_i_local_found;

/* From the frame of a method, the unit ball, to this centre and radius. */
void kith_i_local_found_place(kith_i_local_found *found, uint32_t d,
                              const double *center, double radius);

kith_status kith_i_local_found_make(uint32_t k, uint32_t d,
                                    kith_i_local_found *out, kith_error *err);
void kith_i_local_found_free(kith_i_local_found *found);

/* The method's script, through the account. */
kith_status kith_i_local_script(kith_local_method method,
                                const kith_i_local_task *task,
                                kith_i_trace *trace, kith_i_local_found *out,
                                kith_error *err);
/* A result of what was found, whose centres are in the units of the domain and
 * are used up. */
kith_status kith_i_local_result(const kith_local_options *opt,
                                const kith_i_domain *domain,
                                const kith_i_trace *trace,
                                const kith_i_local_found *found,
                                kith_result **out, kith_error *err);

/* Run the method of opt over the users of data, each standing for `copies`
 * (above 1: with the law only). */
kith_status kith_i_local_execute(const kith_dataset *data, uint64_t copies,
                                 const kith_local_options *opt,
                                 kith_i_trace *trace, kith_i_local_found *out,
                                 kith_error *err);

/* Move a trace's entries into a new summary. */
kith_status kith_i_local_summarise(kith_i_trace *trace,
                                   kith_local_summary **out, kith_error *err);

#endif
