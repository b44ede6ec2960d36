/* Status codes and error messages.
 *
 * Every function that can fail returns a kith_status and takes a nullable
 * kith_error as its last argument. On failure the message says what to do
 * next, outputs are NULL or untouched, and nothing has been half-done.
 * The library never prints and never exits. Messages may name an option, a
 * file or a line; never the value of a record, never a count of records. */
#ifndef KITH_STATUS_H
#define KITH_STATUS_H

#if defined(__GNUC__)
#define KITH_API     __attribute__((visibility("default")))
#define KITH_CHECKED __attribute__((warn_unused_result))
#else
#define KITH_API
#define KITH_CHECKED
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kith_status {
    KITH_OK = 0,
    KITH_ERR_ARGUMENT,  /* a documented precondition was broken            */
    KITH_ERR_MEMORY,    /* out of memory                                   */
    KITH_ERR_STORE,     /* the ledger cannot be reached                    */
    KITH_ERR_INPUT,     /* a file is not what it claims; curator's eyes    */
    KITH_ERR_PRIVACY,   /* privacy parameters or bounds unset or unusable  */
    KITH_ERR_BUDGET,    /* budget refused: nothing was released            */
    KITH_ERR_ENTROPY,   /* no secure randomness: nothing was released      */
    KITH_ERR_CANCELLED, /* progress said stop: spent budget stays spent    */
    KITH_ERR_INTERNAL,  /* an invariant did not hold: please report        */
    KITH_ERR_TEAM       /* ranks of a team differ, or one is gone          */
} kith_status;

typedef struct kith_error {
    kith_status status;
    char message[512];
} kith_error;

/* A short constant name such as "input"; never NULL. */
KITH_API const char *kith_status_name(kith_status status);

/* done and total never depend on the data. Return nonzero to cancel. */
typedef int kith_progress_fn(void *arg, unsigned done, unsigned total);

#ifdef __cplusplus
}
#endif

#endif
