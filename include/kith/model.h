/* The model file: JSON that says what a run published, under which guarantee,
 * and what is needed to run it again. Written from a result and the run that
 * made it; read back from a file that anybody may have made.
 *
 * Nothing in it comes from the rows except through the result: no number of
 * rows, no name of an input. Noise is never in it. */
#ifndef KITH_MODEL_H
#define KITH_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "kith/cluster.h"
#include "kith/data.h"
#include "kith/local.h"
#include "kith/plain.h"
#include "kith/status.h"
#include "kith/subspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- writing ------------------------------------------------------------- */

/* The run that made a result: everything is borrowed. Start from kith_run_init
 * and set bounds and exactly one of the options, those that the result was made
 * with. */
typedef struct kith_run {
    size_t size;                       /* set by _init; fields are appended  */
    const kith_bounds *bounds;         /* no default                         */
    const kith_source_options *source; /* NULL: rows from memory, no names   */
    int insecure;                      /* the noise came from insecure_seed  */
    uint64_t insecure_seed;
    const kith_kmeans_options *kmeans;
    const kith_kmedian_options *kmedian;
    const kith_subspace_options *subspace;
    const kith_plain_options *plain_kmeans; /* without noise                 */
    const kith_plain_options *plain_kmedian;
    const kith_plain_subspace_options *plain_subspace;
    const kith_local_options *local;
    const kith_local_summary *summary;   /* local: what was asked            */
    const kith_local_forecast *forecast; /* local                            */
    double trial_error;                  /* local: of a plan                 */
    const char *collected; /* local: how a service came by it, as JSON;      */
                           /* NULL: it was simulated                         */
    double bounds_share;   /* of the budget that found the bounds; 0: given  */
    int uncounted; /* no ledger, by choice: the model says so ("ledger":     */
                   /* "none")                                                */
    const struct kith_bought *bought; /* bounds of an earlier run (bounds.h); */
                                      /* NULL: none                           */
} kith_run;

KITH_API void kith_run_init(kith_run *run, size_t size);

/* The model file as text, ended by a zero. out: free with kith_text_free. */
KITH_API KITH_CHECKED kith_status kith_model_text(const kith_result *result,
                                                  const kith_run *run,
                                                  char **out, kith_error *err);

/* The same into a file, which appears whole or not at all: written beside it,
 * synced, renamed. KITH_ERR_STORE when that cannot be done. */
KITH_API KITH_CHECKED kith_status kith_model_write(const char *path,
                                                   const kith_result *result,
                                                   const kith_run *run,
                                                   kith_error *err);

/* A model of planes that nobody made from rows: the truth behind a synthetic
 * set. view: borrowed; its bases are written. */
KITH_API KITH_CHECKED kith_status kith_model_text_of_planes(
    const kith_model_view *view, char **out, kith_error *err);

/* What a run would cost, from a plan (kith_kmeans_plan, ...; NULL with
 * run->local, whose summary and forecast say it), as text. */
KITH_API KITH_CHECKED kith_status kith_plan_text(const kith_result *plan,
                                                 const kith_run *run,
                                                 uint64_t rows,
                                                 uint32_t dimension, char **out,
                                                 kith_error *err);

/* Any JSON object laid out as model files are: one field a line, one row of a
 * matrix a line, 17 significant digits. */
KITH_API KITH_CHECKED kith_status kith_json_layout(const char *json, char **out,
                                                   kith_error *err);

KITH_API void kith_text_free(char *text); /* NULL is fine */

/* Sum of the receipts' losses: epsilon, or mu. NaN where they do not add up to
 * one number: the loss of smooth sensitivity is an (epsilon, delta). */
KITH_API double kith_result_total_loss(const kith_result *result);

/* ---- words: options as the model file, the command and Python have them -- */

typedef enum kith_vocabulary {
    KITH_WORDS_KMEANS_METHOD = 1, /* "auto", "lloyd", "balcan", ...    */
    KITH_WORDS_KMEDIAN_METHOD,    /* "auto", "balcan"                 */
    KITH_WORDS_RECOVERY,          /* "steps", "sampling"              */
    KITH_WORDS_SUBSPACE_METHOD,   /* "auto", "sulq", ...              */
    KITH_WORDS_SOLVER,            /* "kplane", "tsc", ...             */
    KITH_WORDS_LOCAL_METHOD,      /* "auto", "one-round", ...         */
    KITH_WORDS_OBJECTIVE,         /* "kmeans", "kmedian", "subspace"  */
    KITH_WORDS_FORMAT,            /* "csv", "tsv", "npy", "svm", "svmlight" */
    KITH_WORDS_ADJACENCY,         /* "add-remove", "replace-one"      */
    KITH_WORDS_MISSING            /* "error", "drop"                  */
} kith_vocabulary;

/* The i-th word, the usual one first; NULL: past the end. */
KITH_API const char *kith_word_at(kith_vocabulary vocabulary, size_t i);
/* The word for an enum's value; NULL: there is none. */
KITH_API const char *kith_word_of(kith_vocabulary vocabulary, int value);
/* Is there such a word? Then *value (nullable) is what it stands for. */
KITH_API int kith_word_value(kith_vocabulary vocabulary, const char *word,
                             int *value);

/* ---- reading ------------------------------------------------------------- */

typedef struct kith_model kith_model;

/* Read and check a model: every field that is used is checked, and messages
 * name the file and the field, never what is in it. KITH_ERR_INPUT. */
KITH_API KITH_CHECKED kith_status kith_model_read(const char *path,
                                                  kith_model **out,
                                                  kith_error *err);

/* The same from memory; name: what messages call it. */
KITH_API KITH_CHECKED kith_status kith_model_parse(const char *text,
                                                   size_t length,
                                                   const char *name,
                                                   kith_model **out,
                                                   kith_error *err);

/* Centres or planes to hold against rows (plain.h); borrowed. */
KITH_API const kith_model_view *kith_model_get_view(const kith_model *model);
KITH_API kith_objective kith_model_objective(const kith_model *model);
/* k noisy sizes, borrowed; NULL: it has none. */
KITH_API const double *kith_model_weights(const kith_model *model);
/* Names of the columns it was made from, borrowed; NULL and 0: not given. */
KITH_API const char *const *kith_model_columns(const kith_model *model,
                                               size_t *count);
/* What was done with rows that lack a value; error when the file does not
 * say. */
KITH_API kith_missing kith_model_missing(const kith_model *model);
/* How its files were written, for files like them: delimiter, decimal mark,
 * words for "no value" and the column that says whose row it is; 0 and NULL
 * where the model does not say. opt: the rest is left alone; what it then
 * points to is borrowed. */
KITH_API KITH_CHECKED kith_status kith_model_reading(const kith_model *model,
                                                     kith_source_options *opt,
                                                     kith_error *err);
/* "exact", "asymptotic" or "none"; "none" when the file has none. */
KITH_API const char *kith_model_guarantee(const kith_model *model);

KITH_API void kith_model_free(kith_model *model); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
