/* audit: attacks on a kith program from outside, on rows that the audit makes
 * itself. */
#ifndef KITH_TOOL_AUDIT_H
#define KITH_TOOL_AUDIT_H

#include <stddef.h>
#include <stdint.h>

enum { AUDIT_CANARIES = 2000 };

/* The program under attack and what it claims. */
typedef struct audit_target {
    const char *program, *method;
    double epsilon, delta;
    double mu;    /* of the claim; 0: pure */
    char *folder; /* for rows and centres */
} audit_target;

/* What tries came to. Shares of runs are in sums, events in pairs. */
typedef struct audit_tally {
    double epsilon;         /* that the program is asked for */
    size_t runs;            /* canaries */
    double shares, squares; /* sum of the shares of right guesses, squared */
    size_t pairs, room;     /* pairs */
    double *without, *with; /* 2 statistics a run */
} audit_tally;

/* A lower bound of the loss: mu, or epsilon when pure. */
typedef struct audit_bound {
    double estimate, least;
    size_t tries;
} audit_bound;

/* ---- audit_canary.c ------------------------------------------------------ */

/* One run on rows of which each canary is one with probability 1/2. Exit
 * code. */
int audit_canary(const audit_target *t, audit_tally *tally);
void audit_canary_bound(const audit_tally *tally, double alpha,
                        audit_bound *out);

/* ---- audit_pair.c -------------------------------------------------------- */

/* One run without a far row and one with it. Exit code. */
int audit_pair(const audit_target *t, audit_tally *tally);
void audit_pair_bound(const audit_target *t, const audit_tally *tally,
                      double alpha, audit_bound *out);

/* ---- audit_run.c --------------------------------------------------------- */

/* Run the program with k = 1 on the folder's rows.npy, which the caller wrote.
 * center: dimension numbers; weight: nullable. Exit code. */
int audit_run(const audit_target *t, double epsilon, uint32_t dimension,
              double *center, double *weight);
/* Write rows.npy: rows x dimension numbers. Exit code. */
int audit_write(const audit_target *t, const double *values, uint64_t rows,
                uint32_t dimension);
/* Bits that nobody else has. */
void audit_bits(unsigned char *bytes, size_t count);

#endif
