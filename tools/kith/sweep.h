/* sweep: parts of `kith sweep`. */
#ifndef KITH_TOOL_SWEEP_H
#define KITH_TOOL_SWEEP_H

#include <kith/kith.h>
#include <stdio.h>

#include "run_common.h"

enum { SWEEP_VALUES = 32 };

typedef enum sweep_trials {
    SWEEP_PLANS = 0, /* none */
    SWEEP_STAND_IN,  /* on rows that are made up */
    SWEEP_PUBLIC     /* on rows that the caller declares public */
} sweep_trials;

typedef struct sweep {
    uint32_t clusters[SWEEP_VALUES];
    double epsilons[SWEEP_VALUES];
    size_t cluster_count, epsilon_count;
    kith_privacy privacy;
    kith_kmeans_options options;
    uint64_t rows;
    uint32_t dimension;
    bounds bounds;
    double width; /* of the widest bound, in the units of the noise */
    sweep_trials trials;
    double spread;       /* of a stand-in */
    const char *file;    /* of public rows */
    const char *account; /* NULL: nobody was asked */
} sweep;

/* Epsilons one after another, each with all numbers of clusters. */
typedef struct sweep_cell {
    uint32_t clusters, sensible;
    double epsilon, noise;
    size_t releases;
    double ratio;  /* of the costs in a trial; NaN: none was made */
    uint64_t left; /* runs that the account can pay */
} sweep_cell;

/* sweep_trial.c: the options, which may tell rows and dimension; costs of all
 * cells over those of runs without privacy. Exit code. */
int sweep_trial_parse(sweep *g, const args *a);
int sweep_trial(const sweep *g, sweep_cell *cells);

/* sweep_print.c: text, csv, json, page. Exit code. */
int sweep_print(FILE *file, const sweep *g, const sweep_cell *cells,
                unsigned form);
const char *sweep_verdict(const sweep *g, const sweep_cell *c);
/* Runs that the account can still pay, for all cells. Exit code. */
int sweep_left(sweep *g, sweep_cell *cells, const args *a);

/* sweep_page.c */
void sweep_page(FILE *file, const sweep *g, const sweep_cell *cells);

#endif
