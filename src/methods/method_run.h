/* What the scripts share: a run with its memory, questions asked through it,
 * small estimators, and the solver for released points. Each module leaves
 * public numbers in the run's memory, which is freed as a whole. */
#ifndef KITH_METHOD_RUN_H
#define KITH_METHOD_RUN_H

#include "kernel/kernel_i.h"
#include "local_recipe.h"
#include "method.h"

/* ---- method_run.c: one run of a method ---- */

enum { KITH_I_LOCAL_QUESTIONS = 64 };

/* An answer: count x d centres, their shares of the users, and the variances
 * of these (NULL: not known). name: what it is, for people. */
typedef struct kith_i_candidate {
    const char *name;
    const double *center, *share, *variance;
    uint32_t count;
} kith_i_candidate;

enum { KITH_I_OTHERS = 2 };

typedef struct kith_i_local_run {
    const kith_i_local_task *task;
    kith_i_collector *collector;
    kith_i_coins coins;
    double asked; /* shares of the users asked so far: never above 1 */
    double kept;  /* share that is kept for a last question */
    unsigned round, rounds;
    void *memory; /* blocks of kith_i_local_take */
    kith_i_answer answers[KITH_I_LOCAL_QUESTIONS];
    kith_i_question remembered[KITH_I_LOCAL_QUESTIONS]; /* if remember */
    int remember;
    size_t answer_count;
    /* Answers besides the one that a script returns, for the last question; and
     * what that one is. */
    kith_i_candidate others[KITH_I_OTHERS];
    uint32_t other_count;
    const char *name;
    /* Chi squared of all answers, if there are k round clusters, above its
     * mean, in standard deviations; HUGE_VAL: not known. */
    double misfit;
    /* Share of the users that k round clusters do not explain, if nothing says
     * that they explain all of them; sd HUGE_VAL: not known. */
    double unexplained, unexplained_sd;
    /* If the answer is the mean of all users: how far noise moves it, root mean
     * square; NaN: it is not, or nobody answered. */
    double mean_error;
} kith_i_local_run;

void kith_i_local_open(kith_i_local_run *run, const kith_i_local_task *task,
                       kith_i_collector *collector, unsigned rounds);
void kith_i_local_close(kith_i_local_run *run);
/* Zeroed memory that lives as long as the run; NULL when memory is short. */
void *kith_i_local_take(kith_i_local_run *run, size_t count, size_t size);
double *kith_i_local_numbers(kith_i_local_run *run, size_t a, size_t b);
/* One round. answers: kept by the run. */
kith_status kith_i_local_ask(kith_i_local_run *run,
                             const kith_i_question *questions, size_t count,
                             const kith_i_answer **answers, kith_error *err);
/* Share of the users that a script may still ask. */
double kith_i_local_left(const kith_i_local_run *run);
/* Users that a share means. */
double kith_i_local_users(const kith_i_local_run *run, double share);
/* A vector report about one place with this centre and radius, and a symbol
 * report: the parts of a question that never vary. */
kith_i_question kith_i_local_question(const kith_i_local_run *run,
                                      const char *what, double share,
                                      kith_i_report_kind report);
/* Keep another answer, a copy, if there is room. */
kith_status kith_i_local_offer(kith_i_local_run *run,
                               const kith_i_candidate *answer, kith_error *err);
void kith_i_local_clip(const kith_i_local_task *task, uint32_t count,
                       double *points);

/* ---- answer_estimators.c: small estimators ---- */

/* out_i = max(0, p_i - t var_i), t such that they sum to 1. */
void kith_i_norm_sub(const double *p, const double *var, size_t n, double *out);
/* Top eigenvalue without what noise of this variance adds to it; 0 when it
 * is not above the noise. */
double kith_i_debias(double value, double variance, double d);
/* 1 - (d-2) sd^2 / |s|^2, between 0 and 1; 1 when d <= 2. 0 for infinite sd. */
double kith_i_james_stein(const double *s, size_t d, double sd);
double kith_i_norm_squared(const double *v, size_t d);
/* Solve A x = b for a symmetric positive A (destroyed, lower triangle): x in
 * b. Nonzero when A is not positive. */
int kith_i_solve_positive(double *a, double *b, size_t n);

/* ---- solve_points.c: weighted k-means or k-median of released points ---- */

/* centers: room for k; labels (nullable): of each point, UINT32_MAX for those
 * left out. */
typedef struct kith_i_solution {
    double *centers;
    uint32_t *labels, found;
} kith_i_solution;

/* Best of `restarts`. Points of weight <= 0 are left out; with at most k
 * others these are the answer. */
kith_status kith_i_local_solve(kith_i_local_run *run, const kith_i_points *from,
                               uint32_t k, uint32_t restarts,
                               kith_i_solution *out, kith_error *err);

#endif
