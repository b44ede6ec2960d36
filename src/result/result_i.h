/* The result of a run: released values and their receipts, nothing else (I37).
 */
#ifndef KITH_RESULT_I_H
#define KITH_RESULT_I_H

#include <stddef.h>
#include <stdint.h>

#include "base/domain.h"
#include "kith/cluster.h"
#include "kith/ledger.h"
#include "kith/quality.h"

/* The last question of local `auto`: other answers than the first, by how much
 * each is cheaper for a user, and the standard deviation. Names are constants;
 * count 0: nobody was asked. */
enum { KITH_I_LAST_OTHERS = 3 };
typedef struct kith_i_other_answer {
    const char *name;
    double gain, sd;
} kith_i_other_answer;
typedef struct kith_i_last_question {
    const char *first, *won;
    kith_i_other_answer other[KITH_I_LAST_OTHERS];
    uint32_t count;
} kith_i_last_question;

struct kith_result {
    uint32_t k, d;
    double *centers; /* k x d, original units; NULL for a plan */
    double *weights; /* k */
    double *bases;   /* k x d x q of planes; NULL: none, or a plan */
    uint32_t q;
    void *diagnostics; /* kith_chain_diagnostics, owned; or NULL */
    kith_receipt *receipts;
    size_t receipt_count;
    size_t first_receipt;  /* of the run itself, after what came before it */
    const char *guarantee; /* constant string */
    kith_privacy privacy;
    kith_unit unit;
    uint32_t group;      /* rows of each of them */
    kith_charge *charge; /* one block; NULL: no ledger paid */
    uint32_t rounds;
    uint64_t public_seed;
    double step, noise;
    double reach;   /* bound of a row's length, (normalised) units */
    double rows;    /* noisy number of rows, or a plan's; 0: not known */
    double rows_sd; /* its noise, if several counts were joined; 0: of one */
    double room;    /* clusters that noise leaves room for; 0: not known */
    double cost, cost_sd; /* expected, (normalised) units; 0: not known */
    uint32_t distinct;    /* centres or planes that differ */
    uint32_t directions;  /* of all planes, held against noise; 0: unknown */
    uint32_t lost;        /* those of them that may be noise */
    int blind;            /* planes were found without looking for clusters */
    uint32_t carried;     /* groups that the budget told apart; 0: not known */
    unsigned char *on_bound; /* d: all centres on one bound; or NULL */
    kith_choice *choice;     /* of k, one block; or NULL */
    double *stretch;         /* d: of a normalised domain; or NULL */
    /* local `auto` (kith_i_local_verdict); NULL: another method */
    double *weight_sds;
    double mean_gain, mean_gain_sd;
    int lost_to_mean;
    uint32_t asked;                     /* centres */
    double mean_error;                  /* (normalised) units; NaN: no mean */
    double misfit;                      /* NaN: not known */
    double unexplained, unexplained_sd; /* share of the users; NaN likewise */
    kith_i_last_question last;
};

/* A result with room for k centres and weights, all zero, guarantee "none";
 * NULL when memory is short. domain: borrowed for the call. */
kith_result *kith_i_result_new(uint32_t k, const kith_i_domain *domain);

/* Copy k real-valued centres in lattice units into the result's centres, in
 * original units. */
void kith_i_result_set_centers(kith_result *result, const kith_i_domain *domain,
                               const double *lattice);

/* quality_local.c: what a local verdict adds, weight_sds not being NULL. */
void kith_i_quality_local(const kith_result *result, kith_quality *q);

/* advice.c: fill what the advice of a result with centres is made of; weights
 * become sizes of parts of the rows. */
kith_status kith_i_result_advise(kith_result *result,
                                 const kith_i_domain *domain, kith_error *err);

/* advice.c: sizes and costs of rows become those of the people whose they are.
 */
void kith_i_result_count_people(kith_result *result);

/* shape.c: how many planes differ; where all centres lie on a bound. */
kith_status kith_i_result_count_planes(kith_result *result, kith_error *err);
kith_status kith_i_result_find_bounds(kith_result *result,
                                      const kith_i_domain *domain,
                                      kith_error *err);

/* The numbers of clusters from .. to are compared: room for that, and for two
 * values of each (curve). NULL when memory is short. */
kith_choice *kith_i_result_choose(kith_result *result, uint32_t from,
                                  uint32_t to, double **curve);

/* Room for clusters, unless it is known, if noise grows like their number. */
void kith_i_result_room(kith_result *result, const kith_i_domain *domain);

/* k-means: what the rows cost at these centres, by their mean squared distances
 * from them (k, in this unit) and the weights, which are set. loose: relative
 * sd of the squares. */
void kith_i_result_expect(kith_result *result, const double *squares,
                          double unit, double loose);

/* The part of the bound of a row's length that noise may move a centre by:
 * docs/central.md. */
double kith_i_calm(void);

/* Receipts of the same words are told apart: "..., round 2 of 5". */
kith_status kith_i_result_number(kith_result *result, kith_error *err);

/* Make room for bases of dimension q and fill them from planes (k x q x d).
 * Nonzero when memory is short. */
int kith_i_result_set_planes(kith_result *result, uint32_t q,
                             const double *planes);

#endif
