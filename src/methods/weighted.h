/* weighted-centers: the method of Stemmer 2021, complete and repaired
 * (docs/local.md has the errata). One file per procedure of the paper; each
 * writes its questions and reads their answers, and method_weighted_centers.c
 * puts them into rounds.
 *
 * Everything here is public: keys, regions and centres come from answers. */
#ifndef KITH_WEIGHTED_H
#define KITH_WEIGHTED_H

#include "method_run.h"

/* ---- weighted_budget.c: who is asked what, with which epsilon ---- */

/* The steps of CentersProcedure that ask. */
typedef enum kith_i_wc_step {
    KITH_I_WC_LIST = 0, /* step 2 */
    KITH_I_WC_BOXES,    /* step 4 */
    KITH_I_WC_SUM,      /* step 7 */
    KITH_I_WC_COUNT,    /* step 7 */
    KITH_I_WC_FILTER,   /* step 8 */
    KITH_I_WC_STEPS
} kith_i_wc_step;

typedef struct kith_i_wc_setup {
    uint32_t radii, repetitions; /* J, M */
    uint32_t width;              /* d': of the grid */
    int e2lsh, boxes;
    int cells; /* a cell of the grid is a box of R^d: steps 3 to 6 and 8 have
                  nothing to add */
    double share[KITH_I_WC_STEPS]; /* of the users of one (radius, repetition);
                                      0: the step is left out */
    double good, a, b;             /* shares of all users; sum to 1 */
} kith_i_wc_setup;

/* J, M and the shares: functions of public numbers only. */
void kith_i_wc_setup_make(const kith_i_local_task *task, uint64_t invited,
                          kith_i_wc_setup *out);
/* Radius of number j: the largest is 0. */
double kith_i_wc_radius(const kith_i_local_task *task, uint32_t j);
/* Who answers a step: part `part` of `parts` (axes of step 4) of a radius and
 * repetition. */
typedef struct kith_i_wc_group {
    uint32_t radius, repetition, part, parts;
} kith_i_wc_group;

/* Fill in share, epsilon, delta, partition and offset: of a step, and of the
 * weights (step a: 0, b: 1). */
void kith_i_wc_pay_step(const kith_i_local_task *task,
                        const kith_i_wc_setup *setup, kith_i_wc_step step,
                        kith_i_wc_group group, kith_i_question *question);
void kith_i_wc_pay_weights(const kith_i_local_task *task,
                           const kith_i_wc_setup *setup, int b,
                           kith_i_question *question);

/* ---- weighted_hash.c ---- */

typedef struct kith_i_hash {
    kith_i_grid grid;
    uint64_t universe; /* number of keys */
    double far; /* cr: points with the same key are closer, or as good as */
} kith_i_hash;

/* One projection and one shift for all radii of a repetition, so that the
 * grids of halved radii nest. */
typedef struct kith_i_lsh_family {
    kith_i_lens lens;
    double *shift; /* width, in [0, side of the largest radius) */
} kith_i_lsh_family;

kith_status kith_i_lsh_family_make(kith_i_local_run *run, uint32_t width,
                                   kith_i_lsh_family *out, kith_error *err);
kith_status kith_i_lsh_grid(kith_i_local_run *run,
                            const kith_i_lsh_family *family, double radius,
                            kith_i_hash *out, kith_error *err);
/* E2LSH: as many concatenated hashes as 4096 keys allow. */
kith_status kith_i_lsh_e2(kith_i_local_run *run, double radius,
                          kith_i_hash *out, kith_error *err);
/* Keys of `fine` whose cell overlaps cell `key` of `coarse`, a grid of the same
 * family with sides twice as large: appended to out (room for 2^q), returns
 * how many. */
uint32_t kith_i_lsh_children(const kith_i_grid *coarse, uint64_t key,
                             const kith_i_grid *fine, uint64_t *out);
/* The box of a cell of a grid without projection, cut to the bounds. */
void kith_i_lsh_cell(const kith_i_local_task *task, const kith_i_grid *grid,
                     uint64_t key, double *low, double *high);

/* ---- weighted_procedure.c: CentersProcedure ---- */

typedef struct kith_i_procedure {
    char name[KITH_I_WC_STEPS][80]; /* of its questions */
    uint32_t radius_number, repetition;
    double radius; /* r */
    kith_i_hash hash;
    double *basis;   /* Z of step 3, d x d; with boxes only */
    double interval; /* p of step 3 */
    size_t list_question, box_question; /* numbers over the whole run */
    /* L, and what is known of each of its cells */
    uint32_t count;
    uint64_t *keys; /* increasing */
    double *share;  /* of the users in it, estimated, and its variance */
    double *variance;
    double *center; /* count x d: of the region, and its radius */
    double *reach;
    double *y; /* count x d: the centres */
} kith_i_procedure;

/* "heavy cells, radius 2 of 3", and so on. */
void kith_i_procedure_names(const kith_i_wc_setup *setup,
                            kith_i_procedure *procedure);
/* Step 2. parent: the procedure of the next larger radius, or NULL. */
void kith_i_procedure_list(const kith_i_local_run *run,
                           const kith_i_wc_setup *setup,
                           const kith_i_procedure *procedure,
                           kith_i_question *question);
kith_status kith_i_procedure_take_list(kith_i_local_run *run,
                                       const kith_i_procedure *parent,
                                       const kith_i_answer *answer,
                                       kith_i_procedure *procedure,
                                       kith_error *err);
/* The regions without steps 3 to 6: the cell, or the whole ball. */
void kith_i_procedure_regions(const kith_i_local_run *run,
                              const kith_i_wc_setup *setup,
                              kith_i_procedure *procedure);
/* Step 7, LDP-AVG: two questions, sums and counts. */
void kith_i_procedure_average(const kith_i_local_run *run,
                              const kith_i_wc_setup *setup,
                              const kith_i_procedure *procedure,
                              kith_i_question questions[2]);
void kith_i_procedure_take_average(const kith_i_local_run *run,
                                   const kith_i_wc_setup *setup,
                                   const kith_i_answer answers[2],
                                   kith_i_procedure *procedure);
/* Step 8. */
void kith_i_procedure_filter(const kith_i_local_run *run,
                             const kith_i_wc_setup *setup,
                             const kith_i_procedure *procedure,
                             kith_i_question *question);
void kith_i_procedure_take_filter(const kith_i_local_run *run,
                                  const kith_i_answer *answer,
                                  kith_i_procedure *procedure);

/* ---- weighted_boxes.c: steps 3 to 6 ---- */

kith_status kith_i_boxes_make(kith_i_local_run *run,
                              kith_i_procedure *procedure, kith_error *err);
/* Step 4: one question for each axis. */
kith_status kith_i_boxes_ask(kith_i_local_run *run,
                             const kith_i_wc_setup *setup,
                             const kith_i_procedure *procedure,
                             kith_i_question *questions, kith_error *err);
/* Steps 5 and 6: regions from the fullest interval of each axis. */
kith_status kith_i_boxes_take(kith_i_local_run *run,
                              const kith_i_question *questions,
                              kith_i_procedure *procedure, kith_error *err);

/* ---- weighted_good_centers.c: GoodCenters, all radii and repetitions ---- */

/* procedures: room for repetitions x radii; run->answer_count counts the
 * questions. */
kith_status kith_i_good_centers(kith_i_local_run *run,
                                const kith_i_wc_setup *setup,
                                kith_i_procedure *procedures, kith_error *err);
/* One round of any size, answers to be freed by the caller even on failure. */
kith_status kith_i_wc_ask(kith_i_local_run *run,
                          const kith_i_question *questions, size_t count,
                          kith_i_answer *answers, kith_error *err);

/* ---- weighted_paper.c: the constants as printed ---- */

/* The printed t over n, on which a cluster is large; and the power of ten of
 * the smallest n at which k clusters of this size fit into n. */
double kith_i_wc_paper_share(double log10_n, double epsilon, uint32_t d,
                             uint32_t k, double a, double b);
double kith_i_wc_paper_users(double epsilon, uint32_t d, uint32_t k, double a,
                             double b);

#endif
