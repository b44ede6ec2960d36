/* What the files of the checker share. */
#ifndef KITH_VERIFY_I_H
#define KITH_VERIFY_I_H

#include <jansson.h>
#include <stddef.h>

#include "verify.h"

enum {
    MOST_RELEASES = 100000, /* more is no model of ours */
    MOST_PROBLEMS = 20,     /* printed */
    MOST_DEPTH = 64
};

typedef struct problem {
    char *where, *words;
} problem;

typedef struct problem_list {
    problem *items;
    size_t count;
} problem_list;

/* What is known so far about one file. */
typedef struct finding {
    problem_list wrong, unknown;
    problem_list beyond; /* words: fields that no run writes */
    const char *fatal;   /* why it is no model; or NULL */
    int none;            /* the file itself promises nothing */
    int local, smooth, no_memory;
    int has_promise; /* the following are set */
    const char *model, *unit, *adjacency, *guarantee;
    double group; /* rows of one of the units */
    double epsilon, delta;
    int has_recomputed; /* the following are set */
    size_t releases;
    const char *currency;
    double spent, allowed, recomputed_delta;
    int has_bought; /* bounds of an earlier run; the following are set */
    double bought_epsilon, bought_delta; /* both runs together */
    int has_signature, signature_good;   /* key_name, comment are set */
    char key_name[17], comment[501];
    char paid[301]; /* by whom, as a ledger says; "" */
    json_t *json;   /* owns the strings */
} finding;

/* ---- verify_read.c ---- */

/* Read the file; f->fatal says why not. */
void verify_read(finding *f, const char *path);

/* All bytes of a file, free them; NULL: it cannot be read. */
char *verify_load(const char *path, size_t *size);

/* Is it a number from least to most? Then *out is it. */
int verify_number(const json_t *value, double least, double most, double *out);
/* The range of numbers whose products are exact in the checks. */
int verify_usual(const json_t *value, double *out);

/* text as printable ASCII, cut to size - 1 bytes. */
void verify_clean(const char *text, size_t length, char *out, size_t size);

/* The file is wrong there; or has something that is not known. */
void verify_bad(finding *f, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void verify_strange(finding *f, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The file has something that no promise is about. */
void verify_beyond(finding *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- verify_sum.c: exact sums of doubles ---- */

enum { EXACT_PARTS = 64 };

/* Doubles that do not overlap and add up to the sum, small ones first. Exact
 * for numbers between 1e-240 and 1e240 in size. */
typedef struct exact_sum {
    double part[EXACT_PARTS];
    size_t count;
} exact_sum;

void exact_add(exact_sum *sum, double x);
void exact_add_product(exact_sum *sum, double x, double y);
int exact_sign(const exact_sum *sum);
double exact_value(const exact_sum *sum);

/* ---- verify_normal.c ---- */

/* The delta that mu-Gaussian DP has at epsilon, rounded up by 1e-18 of it. */
double verify_delta(double epsilon, double mu);
/* Is it above the delta that is promised? */
int verify_delta_exceeds(double epsilon, double mu, double delta);

/* ---- the checks ---- */

void verify_central(finding *f, const json_t *releases); /* verify_central.c */
void verify_local(finding *f, const json_t *releases);   /* verify_local.c */
void verify_content(finding *f);                         /* verify_content.c */
void verify_signature(finding *f, const char *path,
                      const char *key_path); /* verify_signature.c */

/* ---- verify_words.c ---- */

verify_verdict verify_judge(const finding *f);
char *verify_headline(const finding *f); /* free it; NULL: no memory */
void verify_print_words(const finding *f, FILE *out);
void verify_print_json(const finding *f, FILE *out);

#endif
