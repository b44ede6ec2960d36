/* A whole run by one call: rows in, model file out. What the functions of
 * data.h, budget.h, cluster.h, subspace.h, local.h and model.h do one after
 * another; the Python package is made of these two. */
#ifndef KITH_FIT_H
#define KITH_FIT_H

#include <stdint.h>

#include "kith/budget.h"
#include "kith/data.h"
#include "kith/model.h"
#include "kith/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Load the rows, open a session, run, and write the model as text (free with
 * kith_text_free). run: bounds, source options, and one of kmeans, kmedian,
 * subspace and local; columns of rows in memory are names for the model.
 * session: who pays and how private it is, and whether it is seeded; local
 * options have their own, and charge no ledger: each user pays. Everything is
 * borrowed for the call, and the rows are wiped at its end. */
KITH_API KITH_CHECKED kith_status kith_fit(const kith_source *source,
                                           const kith_run *run,
                                           const kith_session_options *session,
                                           char **text, kith_error *err);

/* What kith_fit would cost on such rows: no rows, no charge. privacy: not used
 * with run->local. */
KITH_API KITH_CHECKED kith_status kith_fit_plan(const kith_shape *shape,
                                                const kith_run *run,
                                                const kith_privacy *privacy,
                                                char **text, kith_error *err);

/* Before a session is opened with a ledger: would this run be refused whatever
 * its rows are? Makes a plan of it, from public numbers alone; nothing is
 * charged. Also refused is what no account can hold: runs without a guarantee,
 * and sample-aggregate (KITH_ERR_BUDGET). *guarantee (or NULL): "exact" or
 * "asymptotic"; a line "guarantee=" with that word in the session's parameters
 * is written into the entry. kith_fit does both itself. run->bounds_share: the
 * bounds are still to be found. */
KITH_API KITH_CHECKED kith_status kith_fit_check(const kith_dataset *data,
                                                 const kith_run *run,
                                                 const kith_privacy *privacy,
                                                 const char **guarantee,
                                                 kith_error *err);

#ifdef __cplusplus
}
#endif

#endif
