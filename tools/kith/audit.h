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
    int people;   /* the promise is one to people with many rows */
    char *folder; /* for rows and centres */
} audit_target;

/* What a model shows besides its centres: the size of the first cluster; how
 * much a row can add to the last answer, and the scale of its noise, as the
 * receipt says (0: it has none). */
typedef struct audit_view {
    double size, reach, scale;
} audit_view;

/* One run of a pair: was the row in, and what came out? */
typedef struct audit_sight {
    double sum, count; /* less those of the rows that are always in */
    int in;
} audit_sight;

/* What tries came to. Shares of runs are in sums, sights of pairs in a list. */
typedef struct audit_tally {
    double epsilon;         /* that the program is asked for */
    size_t runs;            /* canaries */
    double shares, squares; /* sum of the shares of right guesses, squared */
    uint64_t crowd;         /* pairs: rows that are always in */
    size_t tries, room;
    audit_sight *sights;
} audit_tally;

/* A lower bound of the loss: mu, or epsilon when pure. */
typedef struct audit_bound {
    double estimate, least;
    size_t tries;
} audit_bound;

/* How long, how often at the least, and which programs: number i in every
 * every[i]-th round, 0: never. */
enum { AUDIT_PROGRAMS = 3 };
typedef struct audit_plan {
    int (*try_once)(const audit_target *t, audit_tally *tally,
                    audit_sight *sight);
    unsigned every[AUDIT_PROGRAMS];
    size_t programs;
    uint64_t tries; /* rounds */
    double end;     /* by audit_now */
} audit_plan;

/* ---- audit_crew.c -------------------------------------------------------- */

/* Tries of all programs, as many at a time as there are cores; what they come
 * to is added to the tallies. Exit code. */
int audit_crew(const audit_target *t, const audit_plan *plan,
               audit_tally *tallies);
double audit_now(void);

/* ---- audit_canary.c ------------------------------------------------------ */

/* One run on rows of which each canary is one with probability 1/2, into the
 * tally. Exit code. */
int audit_canary(const audit_target *t, audit_tally *tally, audit_sight *sight);
void audit_canary_bound(const audit_tally *tally, double alpha,
                        audit_bound *out);

/* ---- audit_pair.c -------------------------------------------------------- */

/* One run on a crowd of equal rows, and perhaps one far row, or one person with
 * many: what was seen. Exit code. */
int audit_pair(const audit_target *t, audit_tally *tally, audit_sight *sight);
void audit_pair_bound(const audit_target *t, const audit_tally *tally,
                      double alpha, audit_bound *out);

/* ---- audit_run.c --------------------------------------------------------- */

/* Run the program with k = 1 on the folder's rows.npy, which the caller wrote.
 * center: dimension numbers; view: nullable. Exit code. */
int audit_run(const audit_target *t, double epsilon, uint32_t dimension,
              double *center, audit_view *view);
/* Write rows.npy: rows x dimension numbers. Exit code. */
int audit_write(const audit_target *t, const double *values, uint64_t rows,
                uint32_t dimension);
/* Write rows.csv for the same: a person for each of the first rows, and one
 * person for all that follow. Exit code. */
int audit_write_people(const audit_target *t, const double *values,
                       uint64_t persons, uint64_t rows);
/* Remove the target's folder and what runs left in it. */
void audit_empty(const audit_target *t);
/* Bits that nobody else has. */
void audit_bits(unsigned char *bytes, size_t count);

#endif
