/* Bounds for features whose range nobody knows, for a small share of a budget.
 *
 * First advice: be generous instead. Clipping hurts more than width. */
#ifndef KITH_BOUNDS_H
#define KITH_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

#include "kith/budget.h"
#include "kith/cluster.h"
#include "kith/data.h"
#include "kith/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Load rows for kith_bounds_find: no bounds are needed, because each value is
 * turned into a small whole number, its sign, exponent and eight more bits.
 * together: only the largest size in each row is kept, for one range of all
 * features. Dense rows. */
KITH_API KITH_CHECKED kith_status kith_dataset_load_sizes(
    const kith_source *source, const kith_source_options *opt, int together,
    kith_dataset **out, kith_error *err);

typedef enum kith_range_state {
    KITH_RANGE_FOUND = 0, /* holds nearly all values                        */
    KITH_RANGE_UNCERTAIN, /* 8 times the largest size that was seen         */
    KITH_RANGE_NOT_FOUND  /* noise hides it; lower and upper are NaN        */
} kith_range_state;

typedef struct kith_range {
    double lower, upper;
    kith_range_state state;
} kith_range;

/* Find a range for each feature. session: on rows of kith_dataset_load_sizes;
 * share: of what is left in it, above 0 and at most 1. ranges: room for as many
 * as there are features (all alike if together). rows: their noisy number;
 * hidden: values in fewer rows than about this may be cut. */
KITH_API KITH_CHECKED kith_status kith_bounds_find(kith_session *session,
                                                   double share, int together,
                                                   kith_range *ranges,
                                                   double *rows, double *hidden,
                                                   kith_error *err);

/* Go on with other rows of the same people: a session keeps its budget, its
 * receipts and its ledger's charge. data: taken (untouched on failure); the
 * rows before are wiped. */
KITH_API KITH_CHECKED kith_status kith_session_continue(kith_session *session,
                                                        kith_dataset *data,
                                                        kith_error *err);

/* A result without centres: what was spent in the session so far, for a
 * receipt. */
KITH_API KITH_CHECKED kith_status kith_session_result(kith_session *session,
                                                      kith_result **out,
                                                      kith_error *err);

/* What was found, for a receipt. */
typedef struct kith_found {
    const kith_range *ranges;
    const char *const *names; /* NULL, or one for each feature */
    uint32_t dimension;
    double rows;
    int uncounted; /* no ledger, by choice, as in kith_run */
} kith_found;

/* The receipt as text: a file of kind "bounds" that kith verify can check.
 * insecure: the noise came from a seed. */
KITH_API KITH_CHECKED kith_status kith_bounds_text(const kith_result *spent,
                                                   const kith_found *found,
                                                   int insecure, char **out,
                                                   kith_error *err);

/* What bounds cost that were found by an earlier run, from its receipt. A model
 * that is told (bought in kith_run) shows the sum of both. */
typedef struct kith_bought {
    kith_privacy privacy;
    kith_unit unit;
    int insecure;    /* it promises nothing */
    char digest[65]; /* SHA-256 of the receipt */
    uint32_t dimension;
    double *lower, *upper; /* one each */
} kith_bought;

/* Read a receipt, size bytes. KITH_ERR_INPUT: it is none. */
KITH_API KITH_CHECKED kith_status kith_bought_read(const char *text,
                                                   size_t size,
                                                   kith_bought **out,
                                                   kith_error *err);
KITH_API void kith_bought_free(kith_bought *bought); /* NULL is fine */

/* Do these bounds belong to a run with such a promise and such bounds? */
KITH_API KITH_CHECKED kith_status kith_bought_check(const kith_bought *bought,
                                                    const kith_bounds *bounds,
                                                    const kith_privacy *privacy,
                                                    kith_unit unit,
                                                    kith_error *err);

#ifdef __cplusplus
}
#endif

#endif
