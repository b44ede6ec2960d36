/* audit: attacks on a kith program from outside, on rows that the audit makes
 * itself. */
#ifndef KITH_TOOL_AUDIT_H
#define KITH_TOOL_AUDIT_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

enum { AUDIT_CANARIES = 2000, AUDIT_NAME = 96 };

/* The answers that a guess is made from, and so the receipts that it is held
 * against: all; those that a model with one cluster depends on; the last. */
typedef enum audit_judged {
    AUDIT_ALL,
    AUDIT_ONE_CLUSTER,
    AUDIT_LAST
} audit_judged;

/* The program under attack and what it claims. */
typedef struct audit_target {
    const char *program, *method;
    double epsilon, delta;
    double mu;  /* of the claim; 0: pure */
    int chosen; /* epsilon is the user's: it stays as it is */
    int people; /* the promise is one to people with many rows */
    int sparse; /* rows have one entry, of two */
    audit_judged judged;
    char *folder; /* for rows and centres */
} audit_target;

/* What receipts claim: of the judged answers, and of all. Sums of epsilon, or
 * roots of sums of squares of mu. */
typedef struct audit_claim {
    double judged, whole;
    char name[AUDIT_NAME]; /* of the last answer */
} audit_claim;

/* What a model shows besides its centres: the size of the first cluster; how
 * much a row can add to the last answer, and the scale of its noise, as the
 * receipt says (0: it has none); the noise of the answer before it. */
typedef struct audit_view {
    double size, reach, scale, scale_before;
    audit_claim claim;
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
    audit_claim claim; /* of the last run */
} audit_tally;

/* A lower bound of the loss: mu, or epsilon when pure. */
typedef struct audit_bound {
    double estimate, least;
    size_t tries;
} audit_bound;

/* The claim itself, and the same program at 1.25 and 2 times the loss: what it
 * must be possible to catch. */
enum { AUDIT_PROGRAMS = 3 };
extern const double audit_factors[AUDIT_PROGRAMS];

/* One attack: what it asks for, what it is held against, what it came to. */
typedef struct audit_attack {
    const char *name, *words;
    int (*try_once)(const audit_target *t, audit_tally *tally,
                    audit_sight *sight);
    audit_target target; /* with an epsilon of its own */
    double aim;   /* the claim at which few tries show a factor; 0: any */
    double claim; /* mu, or epsilon when pure, of what is judged */
    double part;  /* that this is of the whole loss */
    char judged[AUDIT_NAME]; /* the name of the answer; empty: many */
    audit_tally tallies[AUDIT_PROGRAMS];
    audit_bound bounds[AUDIT_PROGRAMS];
    double alpha;
    double share; /* of the time that is left */
} audit_attack;

typedef struct audit_verdict {
    const char *word;
    double shown; /* the smallest factor that would have been caught; 0: none */
    size_t by;    /* the attack that says so */
} audit_verdict;

/* How long, how often at the least, and which programs: number i in every
 * every[i]-th round, 0: never. */
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

/* ---- audit_sparse.c ------------------------------------------------------ */

/* The same on sparse rows, from the last answer of balcan alone. */
int audit_sparse(const audit_target *t, audit_tally *tally, audit_sight *sight);

/* ---- audit_words.c ------------------------------------------------------- */

/* As JSON, to a file or to standard output. Exit code. */
int audit_print(const audit_attack *attacks, size_t count,
                const audit_verdict *v, const char *path);
/* In words, to standard error. alpha: wrong alarms. */
void audit_say(const audit_attack *attacks, size_t count,
               const audit_verdict *v, double alpha);

/* ---- audit_receipts.c ---------------------------------------------------- */

/* What a model file shows. */
void audit_view_of(const audit_target *t, json_t *model, audit_view *out);
/* The claim of the judged answers. Receipts that add up to more than the
 * promise count for their shares of it. */
double audit_claim_within(const audit_claim *claim, double promise);

/* ---- audit_run.c --------------------------------------------------------- */

/* Run the program with k = 1 on the folder's rows, which the caller wrote.
 * center: dimension numbers. Exit code. */
int audit_run(const audit_target *t, double epsilon, uint32_t dimension,
              double *center, audit_view *view);
/* Write rows.npy: rows x dimension numbers. Exit code. */
int audit_write(const audit_target *t, const double *values, uint64_t rows,
                uint32_t dimension);
/* Write rows.csv for the same: a person for each of the first rows, and one
 * person for all that follow. Exit code. */
int audit_write_people(const audit_target *t, const double *values,
                       uint64_t persons, uint64_t rows);
/* Write rows.svm: rows[0] rows with values[0] at the first feature, rows[1]
 * with values[1] at the second, rows[2] with 1e300 at the first. Exit code. */
int audit_write_sparse(const audit_target *t, const uint64_t rows[3],
                       const double values[2]);
/* Remove the target's folder and what runs left in it. */
void audit_empty(const audit_target *t);
/* Bits that nobody else has. */
void audit_bits(unsigned char *bytes, size_t count);

#endif
