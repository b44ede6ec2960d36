/* Posting to the ledger in PostgreSQL: one call of one function.
 *
 * Claim: a run is charged at most once, and KITH_OK means that it was, also
 *   when the answer of the server was lost.
 * Needs: a run id that is this run's alone (T10).
 * Because: whoever lost the answer connects again and asks under the accounts'
 *   locks for its own id; if the entry is there, that is the answer, and if
 *   not, the same call charges. The lost call, should it still arrive, finds
 *   the id taken. */
#include "store.h"

#ifdef KITH_POSTGRESQL
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/base_i.h"
#include "pg_i.h"

/* ---- what this connection has followed of accounts ---- */

static pg_seen *find_seen(const pg_ledger *l, const char *name)
{
    for (size_t i = 0; i < l->seen_count; i++)
        if (!strcmp(l->seen[i].account, name))
            return &l->seen[i];
    return NULL;
}

/* Forgotten when memory is short: the server follows the account again. */
static void keep_seen(pg_ledger *l, const char *name, const PGresult *r,
                      int row)
{
    pg_seen *s = find_seen(l, name);
    if (PQgetisnull(r, row, 2))
        return; /* the answer to a lost call: amounts have moved on */
    if (!s) {
        size_t n = l->seen_count;
        void *grown = kith_i_resize(l->seen, n, n + 1, sizeof *l->seen);
        char *copy = grown ? kith_i_copy_string(name) : NULL;
        if (grown)
            l->seen = grown;
        if (!copy)
            return;
        s = &l->seen[l->seen_count++];
        *s = (pg_seen){.account = copy};
    }
    s->last.seq = kith_i_pg_number(r, row, 0);
    snprintf(s->last.hash, sizeof s->last.hash, "%s", PQgetvalue(r, row, 1));
    s->limit = (kith_i_purses){kith_i_pg_number(r, row, 2),
                               kith_i_pg_number(r, row, 3)};
    s->spent = (kith_i_purses){kith_i_pg_number(r, row, 4),
                               kith_i_pg_number(r, row, 5)};
}

/* ---- parameters ---- */

/* {"a","b"}, as PostgreSQL reads arrays; two bytes for each of a name. */
static char *array_text(const kith_i_posting *p)
{
    size_t room = 3;
    for (size_t i = 0; i < p->count; i++)
        room += 2 * strlen(p->accounts[i]) + 3;
    char *text = kith_i_alloc(room, 1), *at = text;
    if (!text)
        return NULL;
    *at++ = '{';
    for (size_t i = 0; i < p->count; i++) {
        if (i)
            *at++ = ',';
        *at++ = '"';
        for (const char *c = p->accounts[i]; *c; c++) {
            if (*c == '"' || *c == '\\')
                *at++ = '\\';
            *at++ = *c;
        }
        *at++ = '"';
    }
    *at = '}';
    return text;
}

static char *known_text(const pg_ledger *l, const kith_i_posting *p)
{
    enum { ONE = 200 }; /* five numbers, a hash, punctuation */
    size_t room = p->count * ONE + 3, used = 1;
    char *text = kith_i_alloc(room, 1);
    if (!text)
        return NULL;
    text[0] = '[';
    for (size_t i = 0; i < p->count; i++) {
        const pg_seen *s = find_seen(l, p->accounts[i]);
        int n = s ? snprintf(text + used, room - used,
                             "[%llu,\"%s\",%llu,%llu,%llu,%llu],",
                             (unsigned long long)s->last.seq, s->last.hash,
                             (unsigned long long)s->limit.pure,
                             (unsigned long long)s->limit.gauss,
                             (unsigned long long)s->spent.pure,
                             (unsigned long long)s->spent.gauss)
                  : snprintf(text + used, room - used, "null,");
        used += (size_t)n;
    }
    text[used - 1] = ']';
    return text;
}

static const char *call_of(kith_i_posting_kind kind)
{
    return kind == KITH_I_POST_CHARGE
               ? "SELECT * FROM kith_ledger.kith_charge($1::text[], $2, "
                 "$3::jsonb, $4::boolean)"
           : kind == KITH_I_POST_RESULT
               ? "SELECT * FROM kith_ledger.kith_settle($1::text[], $2, "
                 "$3::jsonb, $4::boolean)"
               : "SELECT * FROM kith_ledger.kith_govern($1::text[], $2, "
                 "$3::jsonb, $4::boolean)";
}

static PGresult *call(pg_ledger *l, const kith_i_posting *p, int again,
                      kith_error *err)
{
    char *accounts = array_text(p), *known = known_text(l, p);
    PGresult *result = NULL;
    const char *values[] = {accounts, p->body, known, again ? "t" : "f"};
    if (accounts && known)
        result = PQexecParams(l->connection, call_of(p->kind), 4, NULL, values,
                              NULL, NULL, 0);
    if (!result)
        kith_i_fail_memory(err);
    kith_i_free(accounts);
    kith_i_free(known);
    return result;
}

/* ---- answers ---- */

static const struct {
    const char *word;
    kith_i_refusal_kind kind;
} REFUSALS[] = {
    {"unknown", KITH_I_REFUSED_UNKNOWN}, {"exists", KITH_I_REFUSED_EXISTS},
    {"terms", KITH_I_REFUSED_TERMS},     {"once", KITH_I_REFUSED_ONCE},
    {"limit", KITH_I_REFUSED_LIMIT},     {"raise", KITH_I_REFUSED_RAISE},
    {"spent", KITH_I_REFUSED_SPENT},     {"twice", KITH_I_REFUSED_TWICE},
};

static kith_i_loss loss_at(const json_t *list, size_t i)
{
    json_int_t value = json_integer_value(json_array_get(list, i));
    return value > 0 ? (kith_i_loss)value : 0;
}

static void copy_word(char out[16], const json_t *word)
{
    snprintf(out, 16, "%s",
             json_is_string(word) ? json_string_value(word) : "");
}

/* The detail of an error of our own, {"kind", "account", "more"}. */
static void read_refusal(const char *detail, size_t count,
                         kith_i_refusal *refusal)
{
    json_t *all = detail ? json_loads(detail, 0, NULL) : NULL;
    const json_t *more = json_object_get(all, "more");
    const char *word = json_string_value(json_object_get(all, "kind"));
    json_int_t which = json_integer_value(json_object_get(all, "account"));
    for (size_t i = 0; word && i < sizeof REFUSALS / sizeof *REFUSALS; i++)
        if (!strcmp(word, REFUSALS[i].word))
            refusal->kind = REFUSALS[i].kind;
    if (which > 0 && (size_t)which < count)
        refusal->account = (size_t)which;
    if (refusal->kind == KITH_I_REFUSED_LIMIT) {
        const char *whose = json_string_value(json_array_get(more, 0));
        refusal->whose = !whose || !*whose           ? ""
                         : !strcmp(whose, "analyst") ? "analyst"
                                                     : "purpose";
        refusal->limit = (kith_i_purses){loss_at(more, 1), loss_at(more, 2)};
        refusal->spent = (kith_i_purses){loss_at(more, 3), loss_at(more, 4)};
    } else if (refusal->kind == KITH_I_REFUSED_TERMS) {
        copy_word(refusal->unit, json_array_get(more, 0));
        copy_word(refusal->adjacency, json_array_get(more, 1));
    } else {
        refusal->seq = loss_at(more, 0);
    }
    json_decref(all);
}

static kith_status answer(pg_ledger *l, const PGresult *r,
                          const kith_i_posting *p, kith_i_ticket *tickets,
                          kith_i_refusal *refusal, kith_error *err)
{
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char *detail = PQresultErrorField(r, PG_DIAG_MESSAGE_DETAIL);
    if (PQresultStatus(r) == PGRES_TUPLES_OK && PQntuples(r) == (int)p->count) {
        for (int i = 0; i < (int)p->count; i++) {
            tickets[i].seq = kith_i_pg_number(r, i, 0);
            snprintf(tickets[i].hash, sizeof tickets[i].hash, "%s",
                     PQgetvalue(r, i, 1));
            keep_seen(l, p->accounts[i], r, i);
        }
        return KITH_OK;
    }
    if (state && !strcmp(state, "KT001")) {
        read_refusal(detail, p->count, refusal);
        return KITH_ERR_BUDGET;
    }
    if (state && !strcmp(state, "KT002"))
        return kith_i_fail(
            err, KITH_ERR_STORE,
            "account '%.100s': %.150s; somebody changed the ledger, and "
            "nothing is charged to it: see kith budget verify",
            detail ? detail : "",
            PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY));
    return kith_i_pg_fail(l, r, "charging it", err);
}

/* ---- until there is an answer ---- */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Connect again, for as long as a lock would be waited for: a server that is
 * starting refuses in many ways. */
static kith_status reconnect(pg_ledger *l, double until, kith_error *err)
{
    const struct timespec pause = {0, 50 * 1000 * 1000};
    kith_status status;
    while ((status = kith_i_pg_connect(l, err)) && seconds() < until)
        nanosleep(&pause, NULL);
    return status;
}

static kith_status post_locked(pg_ledger *l, const kith_i_posting *p,
                               kith_i_ticket *tickets, kith_i_refusal *refusal,
                               kith_error *err)
{
    double until = seconds() + 1e-3 * kith_i_ledger_patience;
    for (int again = 0;; again = 1) {
        PGresult *r = call(l, p, again, err);
        if (!r)
            return KITH_ERR_MEMORY;
        if (!kith_i_pg_lost(l, r)) {
            kith_status status = answer(l, r, p, tickets, refusal, err);
            PQclear(r);
            return status;
        }
        PQclear(r);
        kith_status status = reconnect(l, until, err);
        if (!status && !p->run)
            status = kith_i_fail(err, KITH_ERR_STORE,
                                 "the connection to PostgreSQL was lost: it "
                                 "may have been written, see kith budget "
                                 "history");
        if (!status && seconds() > until)
            status = kith_i_fail(err, KITH_ERR_STORE,
                                 "the connection to PostgreSQL is lost again "
                                 "and again");
        if (status)
            return status;
    }
}

kith_status kith_i_pg_post(kith_ledger *self, const kith_i_posting *p,
                           kith_i_ticket *tickets, kith_i_refusal *refusal,
                           kith_error *err)
{
    pg_ledger *l = (pg_ledger *)self;
    pthread_mutex_lock(&l->lock);
    kith_status status = post_locked(l, p, tickets, refusal, err);
    pthread_mutex_unlock(&l->lock);
    return status;
}

const char *kith_i_pg_line(const char *text, char out[KITH_I_PG_LINE])
{
    size_t used = 0;
    for (; *text && used < KITH_I_PG_LINE - 1; text++) {
        int blank = strchr(" \t\r\n", *text) != NULL;
        if (!blank)
            out[used++] = *text;
        else if (used && out[used - 1] != ' ')
            out[used++] = ' ';
    }
    while (used && out[used - 1] == ' ')
        used--;
    out[used] = '\0';
    return out;
}

#endif
