/* verify: the promise of a model file, recomputed without kith. Nothing here
 * includes a header of kith or calls its library; kith_verify.py is the same
 * check once more (docs/verify.md). */
#ifndef KITH_VERIFY_H
#define KITH_VERIFY_H

#include <stdio.h>

typedef enum verify_verdict {
    VERIFY_NO_MEMORY = -1,
    VERIFY_HOLDS,
    VERIFY_NO_PROMISE, /* the file says so itself */
    VERIFY_UNKNOWN,    /* something newer than this checker */
    VERIFY_WRONG,
    VERIFY_NOT_A_MODEL
} verify_verdict;

/* 0 holds; 1 does not, or cannot be judged; 4 not a model; -1 no memory. */
int verify_exit_code(verify_verdict verdict);

typedef struct verify_options {
    const char *key; /* public key of minisign; NULL: no signature is asked */
    int json;        /* print JSON, not words */
    /* What a ledger says: what is wrong, or "Paid for by entry ...". */
    const char *const *unpaid;
    size_t unpaid_count;
    const char *paid; /* or NULL */
} verify_options;

/* Why the file is no public key of minisign; NULL: it is one. */
const char *verify_key_problem(const char *path);

/* Check the model at path and print the finding to out. */
verify_verdict verify_file(const char *path, const verify_options *options,
                           FILE *out);

/* Check only. *headline is what to tell people: free it. */
verify_verdict verify_promise(const char *path, char **headline);

#endif
