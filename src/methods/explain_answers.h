/* All that was asked, explained together by k round clusters. */
#ifndef KITH_EXPLAIN_ANSWERS_H
#define KITH_EXPLAIN_ANSWERS_H

#include "refine_means.h"

/* ---- explain_answers.c ---- */

enum { KITH_I_EXPLAIN_MOST = 16 }; /* clusters; more are not tried */

/* Clusters, at most `wanted` of them, that explain best what this run has asked
 * so far, all rounds together (the run remembers its questions). model: where
 * to begin, perhaps with more than are wanted; centres, shares, what is known
 * of them and the spread are changed, if the clusters are believed.
 * excess: standard deviations of chi squared above its mean; HUGE_VAL: not
 * tried. */
kith_status kith_i_explain(kith_i_local_run *run, kith_i_local_model *model,
                           uint32_t wanted, double *excess, kith_error *err);
/* The same at the end: the model becomes the clusters, if they are believed; of
 * both what it does not become is offered to the users (kith_i_local_offer). */
kith_status kith_i_explain_last(kith_i_local_run *run,
                                kith_i_local_model *model, kith_error *err);

/* ---- explain_told.c: what clusters would answer ---- */

enum { KITH_I_EXPLAIN_USERS = 128, KITH_I_EXPLAIN_AXES = 3 };

/* One question, and what the clusters would answer. */
typedef struct kith_i_explain_item {
    const kith_i_question *q;
    uint32_t cells;   /* symbols, or buckets x d                        */
    uint32_t buckets; /* vectors: their number; else 0                  */
    double precision; /* of each number, for the fit                    */
    double empty, per_share; /* cells: variance of an empty one, and what a
                                unit of share adds                          */
    const double *seen;   /* cells                                          */
    double *told, *wider; /* room x cells: of a cluster alone; with a width
                             KITH_I_EXPLAIN_WIDER times its own             */
    double *slope; /* tree: room x cells x axes, by the place on the plane   */
    double *pull;  /* vectors: room x buckets, what a unit of the centre
                      moves the answer                                      */
    double *left;  /* cells: seen less told                                 */
    /* About centres: places x USERS products with the made-up users, squared
     * lengths, and products with the centre of the cluster that is asked. NULL:
     * about cells only. */
    double *dot, *length, *at;
} kith_i_explain_item;

/* The clusters: share, width (sd of a coordinate), centre; one block. */
typedef struct kith_i_explain_fit {
    uint32_t k, room, d, items, axes;
    kith_i_explain_item *item;
    double *share, *width, *center;
    double *best, *keep;  /* other states: room x (d + 2) */
    double *held;         /* shares, while one is left out */
    double *normal;       /* made-up users: USERS x d     */
    double *flat;         /* the same on the plane: x axes */
    double *x;            /* d */
    double *a, *b, *work; /* normal equations */
    const kith_i_lens *lens;
    double on_plane[KITH_I_EXPLAIN_AXES]; /* the centre that is asked */
    double off;     /* variance of a coordinate of a centre out of the plane */
    double numbers; /* of the answers */
    const kith_i_local_task *task;
} kith_i_explain_fit;

static const double KITH_I_EXPLAIN_WIDER = 1.1;

/* Chi squared of the answers above its mean if all is explained, in standard
 * deviations; left is up to date (explain_answers.c). */
double kith_i_explain_excess(const kith_i_explain_fit *f);
/* Ask the users of all clusters, or of cluster j. wider: `wider` is filled,
 * else told, slope and pull. */
void kith_i_explain_ask(kith_i_explain_fit *f, int wider);
void kith_i_explain_ask_one(kith_i_explain_fit *f, uint32_t j, int wider);
double kith_i_explain_dot(const double *a, const double *b, size_t d);
/* Chi squared with the priors'; left is up to date after it. */
double kith_i_explain_misfit(kith_i_explain_fit *f);
/* Offset of a centre from the plane's origin, out of the plane. */
void kith_i_explain_off(const kith_i_explain_fit *f, uint32_t j, double *out);

/* ---- explain_steps.c: Gauss and Newton ---- */

/* Shares by linear least squares, for what is told now. */
void kith_i_explain_shares(kith_i_explain_fit *f);
/* The sum of all shares, if nothing is said of it, and its sd; for what is told
 * now. */
double kith_i_explain_total(kith_i_explain_fit *f, double *sd);
/* Go down, so many steps at most. Returns chi squared with the priors'. */
double kith_i_explain_descend(kith_i_explain_fit *f, int steps);
/* Precision of a coordinate of a centre, by the vectors. */
double kith_i_explain_precision(const kith_i_explain_fit *f, uint32_t j);
void kith_i_explain_copy(const kith_i_explain_fit *f, double *to,
                         const double *from);

/* ---- explain_search.c ---- */

enum { KITH_I_EXPLAIN_SPOTS = 14 };
/* Steps of a descent: to the end, and of a try. */
enum { KITH_I_EXPLAIN_STEPS = 48, KITH_I_EXPLAIN_SHORT = 16 };

/* What is lost without cluster j: the cost of its users if they went to the
 * next centre, less what may be noise. Below 0: there may be nobody in it, and
 * less is missed less. told and shares are up to date; left is not after it. */
double kith_i_explain_worth(kith_i_explain_fit *f, uint32_t j);
/* One cluster elsewhere, if that lowers chi squared (with the priors'), which
 * is returned, and all is explained then or the cluster is not worth less than
 * where it was. told and left are up to date; they are not after it. spots:
 * room for SPOTS x d. */
double kith_i_explain_move(kith_i_explain_fit *f, double chi, double *spots);

#endif
