/* Posting to the ledger in a file: one immediate transaction, conditional
 * updates, a new link of each account's chain. An account that is not what its
 * entries come to is charged nothing. */
#include "sqlite_i.h"

#include <stdio.h>
#include <string.h>

#include "base/base_i.h"

/* ---- is the account what its entries say? ---- */

static kith_status follow(void *arg, const kith_entry_view *entry,
                          kith_error *err)
{
    return kith_i_replay_entry(arg, entry, NULL, err);
}

/* What this connection has followed of an account so far. NULL: no memory. */
static kith_i_replay *replay_of(sqlite_ledger *l, const char *name)
{
    for (size_t i = 0; i < l->replay_count; i++)
        if (!strcmp(l->replays[i].account, name))
            return &l->replays[i];
    size_t n = l->replay_count;
    void *grown = kith_i_resize(l->replays, n, n + 1, sizeof *l->replays);
    if (!grown)
        return NULL;
    l->replays = grown;
    if (kith_i_replay_open(&l->replays[n], l->base.id, name, NULL))
        return NULL;
    l->replay_count++;
    return &l->replays[n];
}

static kith_status check_chain(sqlite_ledger *l, const char *name,
                               const sqlite_account *a, kith_error *err)
{
    kith_i_replay *r = replay_of(l, name);
    if (!r)
        return kith_i_fail_memory(err);
    kith_i_reader reader = {.arg = r, .entry = follow};
    kith_status status =
        kith_i_sqlite_entries(l, a->id, r->last.seq, &reader, err);
    if (status)
        return status;
    kith_i_replay_check_account(r, a->unit, a->adjacency, a->limit, a->spent,
                                &a->last);
    if (!r->problem[0])
        return KITH_OK;
    char where[40] = "";
    if (r->problem_entry)
        snprintf(where, sizeof where, ", entry %llu",
                 (unsigned long long)r->problem_entry);
    return kith_i_fail(err, KITH_ERR_STORE,
                       "account '%.100s'%s: %s; somebody changed the ledger, "
                       "and nothing is charged to it: see kith budget verify",
                       name, where, r->problem);
}

/* ---- may it be posted? ---- */

static kith_status refuse(kith_i_refusal *refusal, kith_i_refusal_kind kind,
                          size_t i)
{
    refusal->kind = kind;
    refusal->account = i;
    return KITH_ERR_BUDGET;
}

/* Entry with this run and kind, or with this key; 0: none. */
static uint64_t find_entry(sqlite_ledger *l, const sqlite_account *a,
                           const kith_i_posting *p, int once)
{
    const char *key = once ? p->once : p->run;
    if (!key)
        return 0;
    sqlite3_stmt *s = kith_i_sqlite_prepare(
        l, once ? "SELECT seq FROM entry WHERE account = ?1 AND once = ?2"
                : "SELECT seq FROM entry WHERE account = ?1 AND run = ?2 AND "
                  "kind = ?3");
    if (!s)
        return 0; /* the insert would fail on its unique index */
    sqlite3_bind_int64(s, 1, a->id);
    kith_i_sqlite_bind(s, 2, key);
    if (!once)
        kith_i_sqlite_bind(s, 3, kith_i_posting_word(p->kind));
    uint64_t found =
        sqlite3_step(s) == SQLITE_ROW ? kith_i_sqlite_amount(s, 0) : 0;
    sqlite3_finalize(s);
    return found;
}

static kith_status check_terms(sqlite_ledger *l, const sqlite_account *a,
                               const kith_i_posting *p, size_t i,
                               kith_i_refusal *refusal)
{
    if (find_entry(l, a, p, 0))
        return refuse(refusal, KITH_I_REFUSED_TWICE, i);
    if (p->kind == KITH_I_POST_RESULT || p->kind == KITH_I_POST_CLOSE)
        return KITH_OK;
    if (p->kind == KITH_I_POST_LIMIT) {
        if (p->analyst || p->purpose)
            return KITH_OK;
        if (!p->raise &&
            (p->limit.pure > a->limit.pure || p->limit.gauss > a->limit.gauss))
            return refuse(refusal, KITH_I_REFUSED_RAISE, i);
        if (p->limit.pure < a->spent.pure || p->limit.gauss < a->spent.gauss)
            return refuse(refusal, KITH_I_REFUSED_SPENT, i);
        return KITH_OK;
    }
    if (strcmp(a->unit, p->unit) != 0 ||
        strcmp(a->adjacency, p->adjacency) != 0) {
        memcpy(refusal->unit, a->unit, sizeof refusal->unit);
        memcpy(refusal->adjacency, a->adjacency, sizeof refusal->adjacency);
        return refuse(refusal, KITH_I_REFUSED_TERMS, i);
    }
    refusal->seq = find_entry(l, a, p, 1);
    return refusal->seq ? refuse(refusal, KITH_I_REFUSED_ONCE, i) : KITH_OK;
}

/* ---- spending ---- */

static void bind_purses(sqlite3_stmt *s, int at, kith_i_purses p)
{
    sqlite3_bind_int64(s, at, (sqlite3_int64)p.pure);
    sqlite3_bind_int64(s, at + 1, (sqlite3_int64)p.gauss);
}

static const char SPEND[] =
    "UPDATE account SET spent_pure = spent_pure + ?2, spent_gauss = "
    "spent_gauss + ?3 WHERE id = ?1 AND spent_pure <= lim_pure - ?2 AND "
    "spent_gauss <= lim_gauss - ?3";
static const char SPEND_INSIDE[] =
    "UPDATE sublimit SET spent_pure = spent_pure + ?2, spent_gauss = "
    "spent_gauss + ?3 WHERE account = ?1 AND kind = ?4 AND key = ?5 AND "
    "spent_pure <= lim_pure - ?2 AND spent_gauss <= lim_gauss - ?3";
static const char LOOK_INSIDE[] =
    "SELECT lim_pure, lim_gauss, spent_pure, spent_gauss FROM sublimit WHERE "
    "account = ?1 AND kind = ?4 AND key = ?5";

/* Changes one row: 1. There is none whose limit allows it: 0. Else -1. */
static int spend_row(sqlite_ledger *l, const char *sql, sqlite3_int64 id,
                     kith_i_purses spend, const char *kind, const char *key)
{
    sqlite3_stmt *s = kith_i_sqlite_prepare(l, sql);
    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, id);
    bind_purses(s, 2, spend);
    if (kind) {
        kith_i_sqlite_bind(s, 4, kind);
        kith_i_sqlite_bind(s, 5, key);
    }
    int code = sqlite3_step(s);
    sqlite3_finalize(s);
    return code == SQLITE_DONE ? sqlite3_changes(l->db) == 1 : -1;
}

/* Is there a sub-limit, and what is in it? Fills the refusal. */
static int look_inside(sqlite_ledger *l, sqlite3_int64 id, const char *kind,
                       const char *key, kith_i_refusal *refusal)
{
    sqlite3_stmt *s = kith_i_sqlite_prepare(l, LOOK_INSIDE);
    if (!s)
        return 1; /* refused, then */
    sqlite3_bind_int64(s, 1, id);
    kith_i_sqlite_bind(s, 4, kind);
    kith_i_sqlite_bind(s, 5, key);
    int there = sqlite3_step(s) == SQLITE_ROW;
    if (there) {
        refusal->limit = (kith_i_purses){kith_i_sqlite_amount(s, 0),
                                         kith_i_sqlite_amount(s, 1)};
        refusal->spent = (kith_i_purses){kith_i_sqlite_amount(s, 2),
                                         kith_i_sqlite_amount(s, 3)};
    }
    sqlite3_finalize(s);
    return there;
}

static kith_status spend(sqlite_ledger *l, const sqlite_account *a,
                         const kith_i_posting *p, size_t i,
                         kith_i_refusal *refusal, kith_error *err)
{
    const char *kinds[] = {"analyst", "purpose"};
    const char *keys[] = {p->analyst, p->purpose};
    int done = spend_row(l, SPEND, a->id, p->spend, NULL, NULL);
    if (done < 0)
        return kith_i_sqlite_fail(l, "charging it", err);
    if (!done) {
        refusal->limit = a->limit;
        refusal->spent = a->spent;
        return refuse(refusal, KITH_I_REFUSED_LIMIT, i);
    }
    for (size_t k = 0; k < 2; k++) {
        if (!keys[k])
            continue;
        done = spend_row(l, SPEND_INSIDE, a->id, p->spend, kinds[k], keys[k]);
        if (done < 0)
            return kith_i_sqlite_fail(l, "charging it", err);
        if (!done && look_inside(l, a->id, kinds[k], keys[k], refusal)) {
            refusal->whose = kinds[k];
            return refuse(refusal, KITH_I_REFUSED_LIMIT, i);
        }
    }
    return KITH_OK;
}

/* ---- the other kinds ---- */

static kith_status step_once(sqlite_ledger *l, sqlite3_stmt *s, kith_error *err)
{
    int code = s ? sqlite3_step(s) : SQLITE_ERROR;
    sqlite3_finalize(s);
    return code == SQLITE_DONE ? KITH_OK
                               : kith_i_sqlite_fail(l, "writing", err);
}

static kith_status set_limit(sqlite_ledger *l, const sqlite_account *a,
                             const kith_i_posting *p, kith_error *err)
{
    int inside = p->analyst || p->purpose,
        closing = p->kind == KITH_I_POST_CLOSE;
    sqlite3_stmt *s = kith_i_sqlite_prepare(
        l, closing ? "UPDATE account SET lim_pure = spent_pure, lim_gauss = "
                     "spent_gauss WHERE id = ?1"
           : inside
               ? "INSERT INTO sublimit (account, lim_pure, lim_gauss, kind, "
                 "key) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET "
                 "lim_pure = ?2, lim_gauss = ?3"
               : "UPDATE account SET lim_pure = ?2, lim_gauss = ?3 WHERE "
                 "id = ?1");
    if (s) {
        sqlite3_bind_int64(s, 1, a->id);
        if (!closing)
            bind_purses(s, 2, p->limit);
        if (inside) {
            kith_i_sqlite_bind(s, 4, p->analyst ? "analyst" : "purpose");
            kith_i_sqlite_bind(s, 5, p->analyst ? p->analyst : p->purpose);
        }
    }
    return step_once(l, s, err);
}

static kith_status open_account(sqlite_ledger *l, const kith_i_posting *p,
                                sqlite_account *out, kith_error *err)
{
    sqlite3_stmt *s = kith_i_sqlite_prepare(
        l, "INSERT INTO account (name, lim_pure, lim_gauss, unit, adjacency) "
           "VALUES (?1, ?2, ?3, ?4, ?5)");
    if (s) {
        kith_i_sqlite_bind(s, 1, p->accounts[0]);
        bind_purses(s, 2, p->limit);
        kith_i_sqlite_bind(s, 4, p->unit);
        kith_i_sqlite_bind(s, 5, p->adjacency);
    }
    *out = (sqlite_account){0};
    kith_status status = step_once(l, s, err);
    out->id = sqlite3_last_insert_rowid(l->db);
    return status;
}

/* ---- the chain ---- */

static kith_status append(sqlite_ledger *l, const char *name,
                          const sqlite_account *a, const kith_i_posting *p,
                          kith_i_ticket *ticket, kith_error *err)
{
    char at[KITH_I_TIME_TEXT];
    kith_i_time_text(at);
    ticket->seq = a->last.seq + 1;
    kith_i_link link = {.ledger = l->base.id,
                        .account = name,
                        .seq = ticket->seq,
                        .before = a->last.hash,
                        .at = at,
                        .body = p->body};
    kith_i_entry_hash(&link, ticket->hash);
    sqlite3_stmt *s = kith_i_sqlite_prepare(
        l, "INSERT INTO entry (account, seq, kind, at, run, once, body, hash) "
           "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    if (s) {
        sqlite3_bind_int64(s, 1, a->id);
        sqlite3_bind_int64(s, 2, (sqlite3_int64)ticket->seq);
        kith_i_sqlite_bind(s, 3, kith_i_posting_word(p->kind));
        kith_i_sqlite_bind(s, 4, at);
        kith_i_sqlite_bind(s, 5, p->run);
        kith_i_sqlite_bind(s, 6, p->once);
        kith_i_sqlite_bind(s, 7, p->body);
        kith_i_sqlite_bind(s, 8, ticket->hash);
    }
    kith_status status = step_once(l, s, err);
    if (status)
        return status;
    s = kith_i_sqlite_prepare(
        l, "UPDATE account SET seq = ?2, head = ?3 WHERE id = ?1");
    if (s) {
        sqlite3_bind_int64(s, 1, a->id);
        sqlite3_bind_int64(s, 2, (sqlite3_int64)ticket->seq);
        kith_i_sqlite_bind(s, 3, ticket->hash);
    }
    return step_once(l, s, err);
}

static kith_status post_one(sqlite_ledger *l, const kith_i_posting *p, size_t i,
                            kith_i_ticket *ticket, kith_i_refusal *refusal,
                            kith_error *err)
{
    sqlite_account a;
    kith_status status = KITH_OK;
    int found = kith_i_sqlite_account(l, p->accounts[i], &a);
    if (found != SQLITE_ROW && found != SQLITE_DONE)
        return kith_i_sqlite_fail(l, "reading an account", err);
    if (p->kind == KITH_I_POST_GRANT) {
        if (found == SQLITE_ROW)
            return refuse(refusal, KITH_I_REFUSED_EXISTS, i);
        status = open_account(l, p, &a, err);
        return status ? status : append(l, p->accounts[i], &a, p, ticket, err);
    }
    if (found == SQLITE_DONE)
        return refuse(refusal, KITH_I_REFUSED_UNKNOWN, i);
    status = check_chain(l, p->accounts[i], &a, err);
    if (!status)
        status = check_terms(l, &a, p, i, refusal);
    if (!status &&
        (p->kind == KITH_I_POST_CHARGE || p->kind == KITH_I_POST_ADOPT))
        status = spend(l, &a, p, i, refusal, err);
    if (!status &&
        (p->kind == KITH_I_POST_LIMIT || p->kind == KITH_I_POST_CLOSE))
        status = set_limit(l, &a, p, err);
    return status ? status : append(l, p->accounts[i], &a, p, ticket, err);
}

/* After a failed commit the connection is not asked again: what its cache holds
 * may not be what the disk holds (T2). */
static kith_status fail_commit(sqlite_ledger *l, kith_error *err)
{
    int busy = (sqlite3_errcode(l->db) & 0xff) == SQLITE_BUSY;
    kith_status status = kith_i_sqlite_fail(l, "charging it", err);
    kith_i_sqlite_run(l, "ROLLBACK");
    l->lost = !busy;
    return status;
}

kith_status kith_i_sqlite_post(kith_ledger *self, const kith_i_posting *p,
                               kith_i_ticket *tickets, kith_i_refusal *refusal,
                               kith_error *err)
{
    sqlite_ledger *l = (sqlite_ledger *)self;
    kith_status status = KITH_OK;
    pthread_mutex_lock(&l->lock);
    if (l->lost)
        status = kith_i_fail(err, KITH_ERR_STORE,
                             "the ledger '%.200s' failed before: open it "
                             "again",
                             l->path);
    else if (kith_i_sqlite_run(l, "BEGIN IMMEDIATE"))
        status = kith_i_sqlite_fail(l, "locking it", err);
    else {
        if (!l->sound)
            status = kith_i_sqlite_sound(l, err);
        l->sound = !status;
        for (size_t i = 0; !status && i < p->count; i++)
            status = post_one(l, p, i, &tickets[i], refusal, err);
        if (status)
            kith_i_sqlite_run(l, "ROLLBACK");
        else if (kith_i_sqlite_run(l, "COMMIT"))
            status = fail_commit(l, err);
        else
            kith_i_sqlite_files_safe(l->files);
    }
    pthread_mutex_unlock(&l->lock);
    return status;
}
