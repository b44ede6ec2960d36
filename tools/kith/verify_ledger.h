/* verify_ledger: what a model says about who paid for it, against a ledger. */
#ifndef KITH_TOOL_VERIFY_LEDGER_H
#define KITH_TOOL_VERIFY_LEDGER_H

#include <jansson.h>

#include <kith/kith.h>

/* A model file and the entries that it names, one for each account that paid
 * (T12); texts are borrowed from model. */
typedef struct claim {
    char *text; /* of the file */
    json_t *model;
    const json_t *privacy;
    const char *id, *account, *run; /* NULL: it names none; the first account */
    size_t count;                   /* of accounts */
} claim;

/* The bytes of a file, ended by a zero, and their number; free them. NULL: it
 * cannot be read. */
char *claim_text(const char *path, size_t *size);

/* 0: not a model of kith. Free in any case. */
int claim_read(claim *c, const char *path);
void claim_free(claim *c);

typedef enum claim_fate {
    CLAIM_RECORDED,   /* its entry is there, and names this file       */
    CLAIM_ADOPTED,    /* it was booked later                           */
    CLAIM_UNRECORDED, /* its entry is there; no result names this file */
    CLAIM_CHEAP,      /* its entry paid for less than it lists         */
    CLAIM_MISSING,    /* it names an entry that is not there           */
    CLAIM_ELSEWHERE,  /* another ledger paid, or none                  */
    CLAIM_BROKEN      /* the account is not intact                     */
} claim_fate;

/* The name of the i-th account that paid; NULL: past the end. */
const char *claim_account(const claim *c, size_t i);

/* What became of the i-th entry that it names in this ledger (0 also of a model
 * that names none). *entry, *account (free it): which. Exit code of the
 * ledger. */
int claim_look_at(const claim *c, size_t i, kith_ledger *ledger,
                  claim_fate *out, uint64_t *entry, char **account);
/* Of all of them: the first of the worst. */
int claim_look(const claim *c, kith_ledger *ledger, claim_fate *out,
               uint64_t *entry, char **account);
int claim_is_booked(claim_fate fate);

enum { CLAIM_MOST_WORDS = 21 };

/* The same for a finding about the model: what is wrong (free each), or who
 * paid (free it). */
typedef struct claim_words {
    char *problems[CLAIM_MOST_WORDS];
    size_t count;
    char *paid;
} claim_words;
/* Exit code of the ledger; free in any case. */
int claim_find_words(const char *path, const char *uri, claim_words *out);
void claim_words_free(claim_words *words);

/* Is the model's charge in the ledger? Says so, or why not. Exit code. */
int verify_in_ledger(const char *path, const char *uri);

#endif
