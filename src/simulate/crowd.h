/* The crowd: a dataset seen as users, one a row. NOT private by itself: who
 * opens a collector over a dataset holds the rows, which in the local model
 * nobody does. Two collectors (collect/collector.h) are made of it:
 *
 * - simulate: every member of a group runs the code of a device with coins
 *   of its own, and its bytes go through the real server;
 * - law: the sums are drawn from their exact law given the rows. Quick, for
 *   studies; its answers are not reports of anybody.
 *
 * Records are in the units of the domain: without normalize the caller's,
 * with it the box is [0,1] in each coordinate (kith_i_domain.shift, stretch).
 * With a frame they are (x - center) / radius of it: rounds are published in
 * float32, which knows nothing of a box of width 10 at a billion. */
#ifndef KITH_CROWD_H
#define KITH_CROWD_H

#include "base/block.h"
#include "base/watch.h"
#include "collect/collect_i.h"
#include "device/circle.h"
#include "kith/data.h"

typedef struct kith_i_crowd_options {
    double epsilon, delta; /* no user spends more in a run: checked           */
    uint64_t group_seed;   /* public: which user is in which group            */
    int seeded;            /* simulate: secret coins from a seed: no promise; */
    uint64_t seed;         /*   law: always                                   */
    uint32_t threads;      /* 0: all processors                               */
    uint64_t minimum;      /* simulate: least reports in a group, or nothing
                              is estimated from it; at least 1                */
    kith_progress_fn *progress; /* rounds done, rounds in all; or NULL        */
    void *progress_arg;
    uint64_t copies; /* law: users that a row stands for, in plans; 0: 1      */
    const double *frame_center; /* d; NULL: no frame. Borrowed           */
    double frame_radius;        /* > 0                                   */
    uint8_t
        task[KITH_I_TASK_BYTES]; /* simulate: which task the rounds are of */
    /* simulate: groups, nonces and frame as the devices of a service have them
     * (drawn_user.h); NULL: groups by a public hash. Borrowed */
    const struct kith_i_drawing *draw;
} kith_i_crowd_options;

/* What a run has cost so far. */
typedef struct kith_i_crowd_stats {
    uint64_t questions, rounds, reports, bytes;
    uint64_t published; /* bytes of all rounds' JSON (simulate) */
    uint32_t longest;   /* bytes of the longest report, header included */
} kith_i_crowd_stats;

/* data: borrowed until the collector is closed; it must have a row. */
kith_status kith_i_collector_simulate(const kith_dataset *data,
                                      const kith_i_crowd_options *opt,
                                      kith_i_collector **out, kith_error *err);
kith_status kith_i_collector_law(const kith_dataset *data,
                                 const kith_i_crowd_options *opt,
                                 kith_i_collector **out, kith_error *err);
/* For both. NULL is fine. */
void kith_i_collector_close(kith_i_collector *collector);

/* ---- inside: crowd.c ---- */

typedef struct kith_i_crowd {
    kith_i_collector face; /* first: what the methods see */
    const kith_dataset *data;
    kith_i_crowd_options opt;
    uint32_t workers;
    double asked;          /* shares of the users asked so far              */
    kith_i_loss cap;       /* of a user, and what each has spent: R7        */
    kith_i_loss *spent;    /*                                               */
    kith_i_u128 delta_cap; /* likewise, 2^-120: kith_i_delta_charge      */
    kith_i_u128 *delta_spent;
    uint64_t *points; /* on the circle, with opt.draw; else NULL */
    kith_i_crowd_stats stats;
    unsigned done, total; /* rounds, as last told */
    kith_i_watch watch;   /* what the method works for */
    void (*close)(
        struct kith_i_crowd *self); /* of the collector's own memory */
} kith_i_crowd;

kith_status kith_i_crowd_open(kith_i_crowd *crowd, const kith_dataset *data,
                              const kith_i_crowd_options *opt, kith_error *err);

/* A group: the users whose point is in a range of the circle. */
typedef struct kith_i_group {
    kith_i_range range;
    uint32_t partition; /* of the question: another hash of the tokens */
    kith_i_loss loss;
    kith_i_u128 delta; /* 2^-120 */
} kith_i_group;

/* The next `share` of the circle; with a partition (epsilon is split) the
 * share at the question's offset. */
kith_i_group kith_i_crowd_group(kith_i_crowd *crowd,
                                const kith_i_question *question,
                                const kith_i_mechanism *mechanism);

/* The group of a question that was published: the range is in it. */
kith_i_group kith_i_group_of(const kith_i_question *question,
                             const kith_i_mechanism *mechanism);

/* Visit every member of every group once: charge it, then call. A user whose
 * budget would be exceeded is not visited, and KITH_ERR_BUDGET comes back. */
typedef void kith_i_member_fn(void *arg, uint32_t worker, size_t group,
                              uint64_t user, const double *x);
kith_status kith_i_crowd_visit(kith_i_crowd *crowd, const kith_i_group *groups,
                               size_t count, kith_i_member_fn *visit, void *arg,
                               kith_error *err);

/* x += row, in the units of the domain. */
void kith_i_row_add(const kith_i_block *block, uint32_t row, double step,
                    double *x);

/* Refuse several rows of a person: each row is a user with a device. */
kith_status kith_i_crowd_check(const kith_dataset *data, kith_error *err);

#endif
