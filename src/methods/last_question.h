/* The last question of `auto`. */
#ifndef KITH_LAST_QUESTION_H
#define KITH_LAST_QUESTION_H

#include "refine_means.h"

/* The users who were kept (run->kept) compare the model with one mean and with
 * the run's other answers. The model becomes what serves them best, if that is
 * surely better. verdict: all but weight_sd. */
kith_status kith_i_ask_at_last(kith_i_local_run *run, kith_i_local_model *model,
                               kith_i_local_verdict *verdict, kith_error *err);

#endif
