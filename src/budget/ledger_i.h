/* ledger_i: a store of accounts behind five functions. What a charge is, what
 * it may not do and what a refusal says is the same for all stores (ledger.c,
 * entry.c); a store only makes one posting durable, in one step.
 *
 * An entry is a text (canonical JSON) in a chain: its hash covers the hash of
 * the entry before it (T7). Entries are only ever appended. The amounts of an
 * account are a cache of its entries; a statement follows them again. */
#ifndef KITH_LEDGER_I_H
#define KITH_LEDGER_I_H

#include <pthread.h>

#include "base/digest.h"
#include "base/process.h"
#include "kith/ledger.h"
#include "purse.h"

enum {
    KITH_I_HASH_TEXT = 65,   /* hexadecimal, with its zero */
    KITH_I_RUN_TEXT = 33,    /* of run ids and ledger ids  */
    KITH_I_TIME_TEXT = 24,   /* 2026-11-16T21:40:00Z       */
    KITH_I_NAME_MAX = 200,   /* bytes of a name            */
    KITH_I_MAX_ACCOUNTS = 64 /* charged in one step        */
};

/* ---- entry.c: canonical bodies and the chain ---- */

typedef struct kith_i_body {
    char *text; /* NULL once memory was short */
    size_t used, room;
} kith_i_body;

/* Fields must come in the order of their names: the text is canonical. A NULL
 * text is left out. */
void kith_i_body_text(kith_i_body *body, const char *key, const char *value);
void kith_i_body_number(kith_i_body *body, const char *key, uint64_t value);
/* A real number as the shortest text that reads back as the same. */
void kith_i_body_real(kith_i_body *body, const char *key, double value);
/* The finished text, to be freed; NULL when memory was short. */
char *kith_i_body_done(kith_i_body *body);

typedef struct kith_i_link {
    const char *ledger, *account;
    uint64_t seq;
    const char *before; /* hash of the entry before; "" for the first */
    const char *at, *body;
} kith_i_link;
void kith_i_entry_hash(const kith_i_link *link, char out[KITH_I_HASH_TEXT]);
void kith_i_hex(const uint8_t *bytes, size_t count, char *out);
/* SHA-256 of a text, in hexadecimal. */
void kith_i_text_digest(const char *text, char out[KITH_I_HASH_TEXT]);
/* UTC, for people: no rule looks at it (T15). */
void kith_i_time_text(char out[KITH_I_TIME_TEXT]);

/* ---- a store ---- */

typedef enum kith_i_posting_kind {
    KITH_I_POST_GRANT = 1, /* a new account: limit, unit, adjacency           */
    KITH_I_POST_CHARGE,    /* spend, if all limits allow it                   */
    KITH_I_POST_ADOPT,     /* the same for a model that exists already        */
    KITH_I_POST_RESULT,    /* nothing but an entry                            */
    KITH_I_POST_LIMIT,     /* the account's limit, or that of an analyst, ... */
    KITH_I_POST_CLOSE      /* the limit becomes what is spent                 */
} kith_i_posting_kind;

/* Word of a kind, as in entries. */
const char *kith_i_posting_word(kith_i_posting_kind kind);

/* One entry in each of some accounts: all are made, or none. Everything that a
 * store acts on is in the body too. */
typedef struct kith_i_posting {
    kith_i_posting_kind kind;
    const char *const *accounts; /* in order of name, all different */
    size_t count;
    const char *run, *once;        /* or NULL */
    const char *unit, *adjacency;  /* a grant sets them, a charge must agree */
    const char *analyst, *purpose; /* whose limits apply; whose is set       */
    kith_i_purses spend, limit;
    int raise;
    const char *body;
} kith_i_posting;

typedef struct kith_i_ticket {
    uint64_t seq;
    char hash[KITH_I_HASH_TEXT];
} kith_i_ticket;

/* Why a store said no: nothing was changed. */
typedef enum kith_i_refusal_kind {
    KITH_I_REFUSED_UNKNOWN = 1, /* no such account                           */
    KITH_I_REFUSED_EXISTS,      /* granted already                           */
    KITH_I_REFUSED_TERMS,       /* another unit or adjacency                 */
    KITH_I_REFUSED_ONCE,        /* seq has the same key                      */
    KITH_I_REFUSED_LIMIT,       /* limit and spent; whose: "" the account's  */
    KITH_I_REFUSED_RAISE,       /* a limit may only be lowered               */
    KITH_I_REFUSED_SPENT,       /* more than the new limit is spent          */
    KITH_I_REFUSED_TWICE        /* the run id is there already               */
} kith_i_refusal_kind;

typedef struct kith_i_refusal {
    kith_i_refusal_kind kind;
    size_t account;    /* which of the posting's */
    const char *whose; /* constant: "analyst", "purpose", or "" */
    kith_i_purses limit, spent;
    uint64_t seq;
    char unit[16], adjacency[16];
} kith_i_refusal;

/* What a store has of an account, as it has it. Texts are borrowed for the
 * call; a visit that fails stops the reading. */
typedef struct kith_i_reader {
    void *arg;
    kith_status (*account)(void *arg, const char *unit, const char *adjacency,
                           kith_i_purses limit, kith_i_purses spent,
                           const kith_i_ticket *last, kith_error *err);
    kith_status (*entry)(void *arg, const kith_entry_view *entry,
                         kith_error *err);
    kith_status (*sublimit)(void *arg, const kith_sublimit_view *sublimit,
                            kith_error *err);
} kith_i_reader;

typedef struct kith_i_store {
    /* tickets: one for each account. KITH_OK: durable. KITH_ERR_BUDGET with
     * *refusal set, KITH_ERR_STORE otherwise; nothing was posted, unless the
     * store was lost on the way: then it may have been. */
    kith_status (*post)(kith_ledger *self, const kith_i_posting *posting,
                        kith_i_ticket *tickets, kith_i_refusal *refusal,
                        kith_error *err);
    /* The account, its sub-limits, its entries in order, as of one moment. */
    kith_status (*read)(kith_ledger *self, const char *account,
                        const kith_i_reader *reader, kith_error *err);
    kith_status (*names)(kith_ledger *self,
                         int (*visit)(void *arg, const char *account),
                         void *arg, kith_error *err);
    /* NULL: it cannot. */
    kith_status (*backup)(kith_ledger *self, const char *path, kith_error *err);
    void (*close)(kith_ledger *self);
} kith_i_store;

struct kith_ledger {
    const kith_i_store *store;
    kith_i_process maker; /* a copy of it would grant everything twice (I22) */
    char id[KITH_I_RUN_TEXT];
    const char *login; /* who the store says we are; NULL: it does not */
    int read_only, unsafe_fs;
};

/* ---- ledger.c: what sessions call ---- */

typedef struct kith_i_charge {
    const char *account; /* and more of them, in any order */
    const char *const *accounts;
    size_t account_count;
    kith_privacy privacy; /* as declared */
    kith_unit unit;
    int convert;
    const char *analyst, *purpose, *once, *parameters; /* or NULL */
    const char *run;
} kith_i_charge;

/* Charge for all of privacy; durable on KITH_OK. *out: one block, the
 * caller's, freed with kith_i_free. */
kith_status kith_i_ledger_charge(kith_ledger *ledger,
                                 const kith_i_charge *charge, kith_charge **out,
                                 kith_error *err);
/* A copy in one block; NULL when memory is short. */
kith_charge *kith_i_charge_copy(const kith_charge *charge);

/* A posting to the store, with the words of its refusal. */
kith_status kith_i_ledger_post(kith_ledger *ledger,
                               const kith_i_posting *posting,
                               const kith_privacy *asked,
                               kith_i_ticket *tickets, kith_error *err);
/* A lock that its holder may take again: a visitor of names may read. 0: the
 * system has no room for one. */
int kith_i_lock_init(pthread_mutex_t *lock);
/* Opened by this process? Else KITH_ERR_BUDGET. */
kith_status kith_i_ledger_ours(const kith_ledger *ledger, kith_error *err);
/* Is it there, with a name that can be written down? */
kith_status kith_i_ledger_check(const kith_ledger *ledger, const char *account,
                                kith_error *err);
kith_status kith_i_name_check(const char *what, const char *name,
                              kith_error *err);
const char *kith_i_unit_word(kith_unit unit);
const char *kith_i_neighbors_word(kith_neighbors neighbors);

/* ledger_words.c */
kith_status kith_i_refusal_words(const kith_i_posting *posting,
                                 const kith_i_refusal *refusal,
                                 const kith_privacy *asked, kith_error *err);

#endif
