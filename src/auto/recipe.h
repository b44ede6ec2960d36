/* The numbers of `auto`: how the budget is divided, how fine the summary is and
 * what stands out of noise. One table for each kind of run; docs/auto.md says
 * what each number is worth (bench/ablation.py changes them one at a time).
 *
 * A share is a part of the budget: of mu^2, or (pure) of epsilon. sd: standard
 * deviation of the noise on the number at hand. */
#ifndef KITH_AUTO_RECIPE_H
#define KITH_AUTO_RECIPE_H

#include <stdint.h>

enum {
    AUTO_BINS = 60,
    AUTO_TAXICAB_FROM = 17, /* features: below, L1 does not pay */
    AUTO_SWAPPED = 100,     /* cells that a search improves by swaps */
    AUTO_MOST_ROUNDS = 24
};

typedef struct auto_recipe {
    /* scout */
    double count, norms, mean, taxicab; /* shares; taxicab: 0, not bought */
    double clear;    /* sd of n: less, and it is counted again */
    double sure;     /* n, or a size, is no less than so many sd */
    double nearest;  /* first bin of distances, of the bound */
    double poor;     /* the mean may be off by this part of the variance */
    uint32_t turns;  /* of looking for it, at most */
    double nothing;  /* noise of this part of the variance is */
    double coherent; /* part of clipping's variance that may be bias */
    /* histograms and radii */
    double surely, likely; /* sd of a bin, alone or next to one that counts */
    uint32_t bridge;       /* empty bins between them, at most */
    double window;         /* sd of a run of bins where none counts */
    double dear;           /* squared bias against noise */
    /* axes */
    double least_moments, most_moments; /* share of second moments */
    double edge;         /* their noise edge, of the mean eigenvalue */
    double directions;   /* edges that must fit into the variance, else none; */
    double few_features; /* so many, where the features do for axes */
    /* no summary */
    double few;    /* sd of a count of share .03: fewer rows, no summary */
    double single; /* share that two means are judged by, against one */
    /* what is left is divided by these weights */
    double tree, leaf, cells, steps, last, hist;
    double narrow; /* from tree (tree_falls of it) to last as q/d falls */
    double tree_falls;
    double least_ease; /* part of steps that a loud last step leaves them */
    /* summary */
    double first;              /* sd of an average box before any is cut */
    uint32_t levels, halvings; /* counted, and of a box between two of them */
    double cut, keep;          /* sd of a box to be cut, of a leaf to be kept */
    double most_cells, each;   /* cells: as many, or so many for a cluster; */
    double least_each;         /* fewer for each: none */
    double blurred;            /* a cell's mean is known to 1 / this of it */
    uint32_t cell_steps;
    double stands; /* sd of a cell to be kept */
    /* choice at the end, if the last step is loud */
    double choice; /* its share */
    double noisy;  /* squared noise of the last step, in scales */
    double doubt;  /* what is left of the variance by what is known */
    /* steps */
    double quiet; /* squared noise of a round, in scales, at most */
    double least_rounds, usual_rounds, most_rounds;
    int one_hist;   /* one histogram for all rounds */
    double sizes;   /* part of a step's share for sizes, at least */
    uint32_t zooms; /* last steps in full space, at most */
} auto_recipe;

/* blind: pure, and the axes are random. */
const auto_recipe *kith_i_auto_recipe(int pure, int blind);

#endif
