/* The ledger in memory: may this be posted? Limits of the account and of
 * analysts and purposes, terms, runs and keys that are taken once. */
#include <stdio.h>
#include <string.h>

#include "ledger_memory.h"

typedef kith_i_memory_sublimit sublimit;
typedef kith_i_memory_account account;
typedef kith_i_memory_ledger memory_ledger;

account *kith_i_memory_find(const memory_ledger *ledger, const char *name)
{
    for (size_t i = 0; i < ledger->count; i++)
        if (strcmp(ledger->accounts[i].name, name) == 0)
            return &ledger->accounts[i];
    return NULL;
}

sublimit *kith_i_memory_find_sublimit(const account *a, const char *kind,
                                      const char *key)
{
    for (size_t i = 0; key && i < a->sublimit_count; i++)
        if (!strcmp(a->sublimits[i].kind, kind) &&
            !strcmp(a->sublimits[i].key, key))
            return &a->sublimits[i];
    return NULL;
}

static kith_status refuse(kith_i_refusal *refusal, kith_i_refusal_kind kind,
                          size_t account_index)
{
    refusal->kind = kind;
    refusal->account = account_index;
    return KITH_ERR_BUDGET;
}

static int has_room(kith_i_purses limit, kith_i_purses spent,
                    kith_i_purses more)
{
    return more.pure <= limit.pure - spent.pure &&
           more.gauss <= limit.gauss - spent.gauss;
}

static kith_status refuse_limit(kith_i_refusal *refusal, size_t i,
                                const char *whose, kith_i_purses limit,
                                kith_i_purses spent)
{
    refusal->whose = whose;
    refusal->limit = limit;
    refusal->spent = spent;
    return refuse(refusal, KITH_I_REFUSED_LIMIT, i);
}

static kith_status check_spend(const account *a, const kith_i_posting *p,
                               size_t i, kith_i_refusal *refusal)
{
    if (strcmp(a->unit, p->unit) != 0 ||
        strcmp(a->adjacency, p->adjacency) != 0) {
        snprintf(refusal->unit, sizeof refusal->unit, "%s", a->unit);
        snprintf(refusal->adjacency, sizeof refusal->adjacency, "%s",
                 a->adjacency);
        return refuse(refusal, KITH_I_REFUSED_TERMS, i);
    }
    for (size_t e = 0; p->once && e < a->count; e++)
        if (a->entries[e].once && !strcmp(a->entries[e].once, p->once)) {
            refusal->seq = e + 1;
            return refuse(refusal, KITH_I_REFUSED_ONCE, i);
        }
    if (!has_room(a->limit, a->spent, p->spend))
        return refuse_limit(refusal, i, "", a->limit, a->spent);
    const sublimit *s = kith_i_memory_find_sublimit(a, "analyst", p->analyst);
    if (s && !has_room(s->limit, s->spent, p->spend))
        return refuse_limit(refusal, i, "analyst", s->limit, s->spent);
    s = kith_i_memory_find_sublimit(a, "purpose", p->purpose);
    if (s && !has_room(s->limit, s->spent, p->spend))
        return refuse_limit(refusal, i, "purpose", s->limit, s->spent);
    return KITH_OK;
}

static kith_status check_limit(const account *a, const kith_i_posting *p,
                               kith_i_refusal *refusal)
{
    if (p->analyst || p->purpose)
        return KITH_OK;
    if (!p->raise &&
        (p->limit.pure > a->limit.pure || p->limit.gauss > a->limit.gauss))
        return refuse(refusal, KITH_I_REFUSED_RAISE, 0);
    if (p->limit.pure < a->spent.pure || p->limit.gauss < a->spent.gauss)
        return refuse(refusal, KITH_I_REFUSED_SPENT, 0);
    return KITH_OK;
}

static int has_run(const account *a, const kith_i_posting *p)
{
    for (size_t e = 0; p->run && e < a->count; e++)
        if (a->entries[e].kind == p->kind && a->entries[e].run &&
            !strcmp(a->entries[e].run, p->run))
            return 1;
    return 0;
}

kith_status kith_i_memory_check(const memory_ledger *ledger,
                                const kith_i_posting *p,
                                kith_i_refusal *refusal)
{
    kith_status status = KITH_OK;
    for (size_t i = 0; !status && i < p->count; i++) {
        const account *a = kith_i_memory_find(ledger, p->accounts[i]);
        if (!a || p->kind == KITH_I_POST_GRANT)
            return a ? refuse(refusal, KITH_I_REFUSED_EXISTS, i)
                   : p->kind == KITH_I_POST_GRANT
                       ? KITH_OK
                       : refuse(refusal, KITH_I_REFUSED_UNKNOWN, i);
        if (has_run(a, p))
            return refuse(refusal, KITH_I_REFUSED_TWICE, i);
        if (p->kind == KITH_I_POST_CHARGE || p->kind == KITH_I_POST_ADOPT)
            status = check_spend(a, p, i, refusal);
        else if (p->kind == KITH_I_POST_LIMIT)
            status = check_limit(a, p, refusal);
    }
    return status;
}
