/* The reference ledger: accounts in this process's memory. It is what a
 * durable store must behave like (I24): integer amounts, a limit set once,
 * charges only ever appended, and check and append as one step under one lock.
 */
#include "budget_i.h"

#include <pthread.h>
#include <string.h>

#include "base/base_i.h"
#include "base/process.h"

typedef struct {
    kith_privacy privacy; /* as declared by the one who was charged */
    kith_measure measure; /* and the currency it was declared in    */
    kith_i_loss amount;   /* in the account's currency              */
} entry;

typedef struct {
    char *name;
    kith_neighbors neighbors;
    kith_measure measure;
    kith_i_loss limit, spent; /* spent == sum of the entries <= limit */
    entry *entries;
    size_t count, room;
} account;

typedef struct {
    kith_ledger base;     /* first: a kith_ledger * is a memory_ledger * */
    kith_i_process maker; /* a copy of it would grant everything twice */
    pthread_mutex_t lock;
    account *accounts;
    size_t count, room;
} memory_ledger;

static account *find_account(const memory_ledger *ledger, const char *name)
{
    for (size_t i = 0; i < ledger->count; i++)
        if (strcmp(ledger->accounts[i].name, name) == 0)
            return &ledger->accounts[i];
    return NULL;
}

static kith_status fail_unknown(const char *name, kith_error *err)
{
    return kith_i_fail(err, KITH_ERR_ARGUMENT,
                       "the ledger has no account '%.100s': grant it a limit "
                       "first",
                       name);
}

/* Room for one more: doubles when full. 0 when memory is short. */
static int make_room(void **array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return 1;
    size_t more = *room ? 2 * *room : 8;
    void *grown = kith_i_resize(*array, *room, more, size);
    if (!grown)
        return 0;
    *array = grown;
    *room = more;
    return 1;
}

/* ---- grant --------------------------------------------------------------- */

static kith_status add_account(memory_ledger *ledger, const account *opened,
                               kith_error *err)
{
    if (find_account(ledger, opened->name))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "account '%.100s' exists already: a limit is "
                           "granted once and never changed",
                           opened->name);
    void *accounts = ledger->accounts;
    if (!make_room(&accounts, ledger->count, &ledger->room, sizeof *opened))
        return kith_i_fail_memory(err);
    ledger->accounts = accounts;
    ledger->accounts[ledger->count++] = *opened;
    return KITH_OK;
}

static kith_status memory_grant(kith_ledger *self, const char *name,
                                const kith_privacy *limit, kith_error *err)
{
    memory_ledger *ledger = (memory_ledger *)self;
    account opened = {.neighbors = limit->neighbors};
    kith_status status =
        kith_i_privacy_total(limit, &opened.measure, &opened.limit, err);
    if (status != KITH_OK)
        return status;
    opened.name = kith_i_copy_string(name);
    if (!opened.name)
        return kith_i_fail_memory(err);
    pthread_mutex_lock(&ledger->lock);
    status = add_account(ledger, &opened, err);
    pthread_mutex_unlock(&ledger->lock);
    if (status != KITH_OK)
        kith_i_free(opened.name);
    return status;
}

/* ---- charge -------------------------------------------------------------- */

/* The charge in the account's own currency. */
static kith_status convert(const account *a, const kith_i_charge *charge,
                           kith_i_loss *amount, kith_error *err)
{
    if (charge->privacy.neighbors != a->neighbors)
        return kith_i_fail(
            err, KITH_ERR_BUDGET,
            "account '%.100s' counts in %s neighbours: run with the same "
            "adjacency, or use another account",
            a->name,
            a->neighbors == KITH_ADD_REMOVE ? "add-remove" : "replace-one");
    if (charge->measure == a->measure) {
        *amount = charge->amount;
        return KITH_OK;
    }
    if (a->measure == KITH_PURE_DP)
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "account '%.100s' is pure (delta = 0) and a "
                           "Gaussian loss has no finite epsilon there: run "
                           "with delta 0, or use an account with delta > 0",
                           a->name);
    *amount = kith_i_pure_as_gaussian(charge->amount);
    return KITH_OK;
}

static kith_status append(account *a, const kith_i_charge *charge,
                          kith_i_loss amount, kith_error *err)
{
    if (amount > a->limit - a->spent)
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "account '%.100s' has not enough budget left for "
                           "this run: nothing was charged; lower epsilon or "
                           "use another account",
                           a->name);
    void *entries = a->entries;
    if (!make_room(&entries, a->count, &a->room, sizeof *a->entries))
        return kith_i_fail_memory(err);
    a->entries = entries;
    a->entries[a->count++] = (entry){charge->privacy, charge->measure, amount};
    a->spent += amount;
    return KITH_OK;
}

/* Claim: the charges of an account never add up to more than its limit, with
 *   any number of threads; on failure nothing is charged. Hence everything
 *   ever released against the account together has its (epsilon, delta), even
 *   when each run was chosen after seeing the earlier results.
 * Needs: each session keeps within what it was charged for.
 * Because: check and append are under one lock, in integers, and a pure
 *   charge is converted upward. Losses may be chosen adaptively up to a fixed
 *   limit: Rogers, Roth, Ullman, Vadhan 2016 (pure), Smith, Thakurta 2022
 *   (Gaussian DP). */
static kith_status memory_charge(kith_ledger *self, const kith_i_charge *charge,
                                 kith_error *err)
{
    memory_ledger *ledger = (memory_ledger *)self;
    kith_i_loss amount = 0;
    if (!kith_i_process_same(ledger->maker)) /* I22 */
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "a ledger in memory belongs to the process that "
                           "made it: after fork() charge it there");
    pthread_mutex_lock(&ledger->lock);
    account *a = find_account(ledger, charge->account);
    kith_status status = a ? convert(a, charge, &amount, err)
                           : fail_unknown(charge->account, err);
    if (status == KITH_OK)
        status = append(a, charge, amount, err);
    pthread_mutex_unlock(&ledger->lock);
    return status;
}

/* ---- remaining, close, new ----------------------------------------------- */

static kith_status memory_remaining(kith_ledger *self, const char *name,
                                    double *out, kith_error *err)
{
    memory_ledger *ledger = (memory_ledger *)self;
    kith_status status = KITH_OK;
    pthread_mutex_lock(&ledger->lock);
    const account *a = find_account(ledger, name);
    if (a) {
        /* floor(2^53 left / limit) is exact in 128 bits and in a double */
        kith_i_u128 left = a->limit - a->spent;
        *out = (double)(uint64_t)((left << 53) / a->limit) * 0x1p-53;
    } else {
        status = fail_unknown(name, err);
    }
    pthread_mutex_unlock(&ledger->lock);
    return status;
}

static void memory_close(kith_ledger *self)
{
    memory_ledger *ledger = (memory_ledger *)self;
    for (size_t i = 0; i < ledger->count; i++) {
        kith_i_free(ledger->accounts[i].name);
        kith_i_free(ledger->accounts[i].entries);
    }
    kith_i_free(ledger->accounts);
    pthread_mutex_destroy(&ledger->lock);
    kith_i_free(ledger);
}

kith_status kith_ledger_memory_new(kith_ledger **out, kith_error *err)
{
    if (!out)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "no place for the ledger was given");
    *out = NULL;
    memory_ledger *ledger = kith_i_alloc(1, sizeof *ledger);
    if (!ledger)
        return kith_i_fail_memory(err);
    if (pthread_mutex_init(&ledger->lock, NULL) != 0) {
        kith_i_free(ledger);
        return kith_i_fail(err, KITH_ERR_MEMORY,
                           "the system has no room for another lock");
    }
    ledger->maker = kith_i_process_now();
    ledger->base = (kith_ledger){.grant = memory_grant,
                                 .charge = memory_charge,
                                 .remaining = memory_remaining,
                                 .close = memory_close};
    *out = &ledger->base;
    return KITH_OK;
}
