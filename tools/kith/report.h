/* report: one self-contained page about a model, from the model file alone, so
 * that what is not in a publishable file cannot get onto the page. */
#ifndef KITH_TOOL_REPORT_H
#define KITH_TOOL_REPORT_H

#include <jansson.h>
#include <kith/kith.h>
#include <stdint.h>
#include <stdio.h>

#include "args.h"

typedef struct report {
    FILE *file;
    const json_t *model, *privacy, *parameters, *quality;
    const char *title;     /* name of the model file, without folders */
    const char *verdict;   /* headline of the check of its promise */
    int holds;             /* the promise holds */
    int promises;          /* guarantee is not "none" */
    uint32_t k, d, q;      /* q: of planes, else 0 */
    const char **names;    /* d names, or NULL */
    double *centers;       /* k x d, or planes k x d x q */
    double *weights;       /* k, or NULL */
    double *lower, *upper; /* d: public bounds, or NULL */
    double noise;          /* sd of a coordinate of an average centre; or NaN */
    int normalize;         /* noise is in shares of the bounds' width */
    double weight_sd;      /* or NaN */
    uint32_t image_width, image_height; /* 0: no pictures */
    char signer[24];                    /* number of a key; "": not asked */
    char *account;                      /* of a ledger that was asked, */
    kith_statement *statement;          /* and what it says; or NULL */
} report;

enum { REPORT_BARS = 12, REPORT_TOP = 10 };

/* ---- report_text.c ---- */

/* A string of the file, escaped. */
void report_escape(FILE *file, const char *text);
/* The name of feature i. */
void report_name(const report *r, uint32_t i);
/* value with as many digits as noise of this sd leaves; NaN: four. */
void report_number(FILE *file, double value, double sd);
/* Two digits of a spread, in full: "340", not "3.4e+02". */
void report_spread(FILE *file, double spread);
/* "10,020" */
void report_count(FILE *file, double value);
/* What sizes count: rows, or people. */
const char *report_counted(const report *r);
/* e^epsilon in digits that people read: "1.02", "2.7", "148". */
void report_factor(FILE *file, double epsilon);
/* A probability that people read: "1 in a million". */
void report_chance(FILE *file, double value);

/* ---- report_page.c ---- */

void report_write(const report *r);

/* ---- report_parts.c: the sections about clusters and planes ---- */

void report_clusters(const report *r);
void report_sizes(const report *r);
void report_planes(const report *r);
/* sd that noise gives to feature i of centre j; NaN: not known. */
double report_noise(const report *r, uint32_t j, uint32_t i);

/* ---- report_witness.c: who signed it, and who paid ---- */

/* By --key and --ledger. Exit code. */
int report_witnesses(report *r, const char *path, const args *a);
void report_witnesses_free(report *r);
void report_account(const report *r);

/* ---- report_choice.c: what the run decided by itself ---- */

void report_choice(const report *r);

/* ---- report_budget.c: budget, releases, parameters ---- */

void report_budget(const report *r);
void report_local(const report *r);
void report_check(const report *r);

/* ---- report_png.c ---- */

/* An <img> of grey values 0 to 255, width x height, as a data URI. */
void report_image(FILE *file, const unsigned char *grey, uint32_t width,
                  uint32_t height, const char *alt);

#endif
