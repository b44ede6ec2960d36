/* An account worked out again from its entries: each hash, each amount. The
 * columns of a store are believed in nothing. */
#include "replay.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_i.h"

kith_status kith_i_replay_open(kith_i_replay *replay, const char *ledger,
                               const char *account, kith_error *err)
{
    *replay = (kith_i_replay){.ledger = ledger};
    replay->account = kith_i_copy_string(account);
    return replay->account ? KITH_OK : kith_i_fail_memory(err);
}

void kith_i_replay_close(kith_i_replay *replay)
{
    for (size_t i = 0; i < replay->sublimit_count; i++)
        kith_i_free(replay->sublimits[i].key);
    kith_i_free(replay->sublimits);
    kith_i_free(replay->dataset);
    kith_i_free(replay->account);
    *replay = (kith_i_replay){0};
}

/* The first problem stays. */
static void blame(kith_i_replay *replay, uint64_t entry, const char *what)
{
    if (replay->problem[0])
        return;
    snprintf(replay->problem, sizeof replay->problem, "%s", what);
    replay->problem_entry = entry;
}

/* ---- bodies ---- */

static const char *text_of(const json_t *body, const char *key)
{
    const char *text = json_string_value(json_object_get(body, key));
    return text ? text : "";
}

/* A whole number from 0; -1: it is not one. */
static int64_t number_of(const json_t *body, const char *key)
{
    const json_t *value = json_object_get(body, key);
    return json_is_integer(value) && json_integer_value(value) >= 0
               ? (int64_t)json_integer_value(value)
               : -1;
}

static int purses_of(const json_t *body, kith_i_purses *out)
{
    int64_t pure = number_of(body, "limit_pure");
    int64_t gauss = number_of(body, "limit_gauss");
    *out = (kith_i_purses){(kith_i_loss)pure, (kith_i_loss)gauss};
    return pure >= 0 && gauss >= 0;
}

static int spend_of(const json_t *body, kith_i_purses *out)
{
    int64_t amount = number_of(body, "amount");
    int pure = !strcmp(text_of(body, "purse"), "pure");
    int gauss = !strcmp(text_of(body, "purse"), "gauss");
    *out = (kith_i_purses){pure ? (kith_i_loss)amount : 0,
                           gauss ? (kith_i_loss)amount : 0};
    return amount > 0 && (pure || gauss);
}

static int add_up(kith_i_purses *spent, kith_i_purses limit, kith_i_purses more)
{
    if (more.pure > limit.pure - spent->pure ||
        more.gauss > limit.gauss - spent->gauss)
        return 0;
    spent->pure += more.pure;
    spent->gauss += more.gauss;
    return 1;
}

static kith_i_replay_sublimit *find(const kith_i_replay *replay,
                                    const char *kind, const char *key)
{
    for (size_t i = 0; i < replay->sublimit_count; i++)
        if (!strcmp(replay->sublimits[i].kind, kind) &&
            !strcmp(replay->sublimits[i].key, key))
            return &replay->sublimits[i];
    return NULL;
}

/* ---- one entry ---- */

static kith_status follow_grant(kith_i_replay *r, const json_t *body,
                                kith_error *err)
{
    if (r->last.seq != 0 || !purses_of(body, &r->limit))
        blame(r, r->last.seq + 1, "a grant that makes no sense");
    snprintf(r->unit, sizeof r->unit, "%s", text_of(body, "unit"));
    snprintf(r->adjacency, sizeof r->adjacency, "%s",
             text_of(body, "adjacency"));
    r->promise.epsilon = strtod(text_of(body, "epsilon"), NULL);
    r->promise.delta = strtod(text_of(body, "delta"), NULL);
    r->promise.neighbors = !strcmp(r->adjacency, "replace-one")
                               ? KITH_REPLACE_ONE
                               : KITH_ADD_REMOVE;
    r->granted = r->limit;
    kith_i_free(r->dataset);
    r->dataset = kith_i_copy_string(text_of(body, "dataset"));
    return r->dataset ? KITH_OK : kith_i_fail_memory(err);
}

static void follow_charge(kith_i_replay *r, const json_t *body,
                          kith_i_purses *spend)
{
    static const char *const kinds[] = {"analyst", "purpose"};
    uint64_t number = r->last.seq + 1;
    if (!spend_of(body, spend))
        blame(r, number, "a charge without an amount");
    else if (!add_up(&r->spent, r->limit, *spend))
        blame(r, number, "a charge beyond the limit");
    else if (strcmp(text_of(body, "unit"), r->unit) != 0 ||
             strcmp(text_of(body, "adjacency"), r->adjacency) != 0)
        blame(r, number, "a charge of another unit or adjacency");
    for (size_t k = 0; !r->problem[0] && k < 2; k++) {
        kith_i_replay_sublimit *s = find(r, kinds[k], text_of(body, kinds[k]));
        if (s && !add_up(&s->spent, s->limit, *spend))
            blame(r, number,
                  "a charge beyond an analyst's or a purpose's "
                  "limit");
    }
}

static kith_status follow_sublimit(kith_i_replay *r, const char *kind,
                                   const char *key, kith_i_purses limit,
                                   kith_error *err)
{
    kith_i_replay_sublimit *s = find(r, kind, key);
    if (!s) {
        size_t more = r->sublimit_room ? 2 * r->sublimit_room : 8;
        if (r->sublimit_count == r->sublimit_room) {
            void *grown = kith_i_resize(r->sublimits, r->sublimit_room, more,
                                        sizeof *r->sublimits);
            if (!grown)
                return kith_i_fail_memory(err);
            r->sublimits = grown;
            r->sublimit_room = more;
        }
        s = &r->sublimits[r->sublimit_count];
        *s = (kith_i_replay_sublimit){.kind = kind,
                                      .key = kith_i_copy_string(key)};
        if (!s->key)
            return kith_i_fail_memory(err);
        r->sublimit_count++;
    }
    s->limit = limit;
    return KITH_OK;
}

static kith_status follow_limit(kith_i_replay *r, const json_t *body,
                                const char *at, kith_error *err)
{
    kith_i_purses limit;
    uint64_t number = r->last.seq + 1;
    if (!purses_of(body, &limit)) {
        blame(r, number, "a limit without amounts");
        return KITH_OK;
    }
    if (*text_of(body, "analyst"))
        return follow_sublimit(r, "analyst", text_of(body, "analyst"), limit,
                               err);
    if (*text_of(body, "purpose"))
        return follow_sublimit(r, "purpose", text_of(body, "purpose"), limit,
                               err);
    int higher = limit.pure > r->limit.pure || limit.gauss > r->limit.gauss;
    if (limit.pure < r->spent.pure || limit.gauss < r->spent.gauss ||
        (higher && number_of(body, "raise") != 1))
        blame(r, number, "a limit that is not allowed");
    if (higher)
        snprintf(r->raised, sizeof r->raised, "%s", at);
    if (limit.pure > r->granted.pure)
        r->granted.pure = limit.pure;
    if (limit.gauss > r->granted.gauss)
        r->granted.gauss = limit.gauss;
    r->limit = limit;
    return KITH_OK;
}

static kith_status follow(kith_i_replay *r, const kith_entry_view *entry,
                          const json_t *body, kith_i_purses *spend,
                          kith_error *err)
{
    const char *kind = entry->kind;
    if (!strcmp(kind, "grant"))
        return follow_grant(r, body, err);
    if (r->last.seq == 0)
        blame(r, 1, "the first entry is not a grant");
    else if (!strcmp(kind, "charge") || !strcmp(kind, "adopt"))
        follow_charge(r, body, spend);
    else if (!strcmp(kind, "limit"))
        return follow_limit(r, body, entry->at, err);
    else if (!strcmp(kind, "close"))
        r->limit = r->spent;
    else if (strcmp(kind, "result") != 0)
        blame(r, r->last.seq + 1, "an entry of an unknown kind");
    r->charges += !strcmp(kind, "charge");
    r->adopted += !strcmp(kind, "adopt");
    r->results += !strcmp(kind, "result");
    return KITH_OK;
}

kith_status kith_i_replay_entry(kith_i_replay *r, const kith_entry_view *entry,
                                kith_amounts *out, kith_error *err)
{
    kith_i_purses spend = {0, 0};
    if (out)
        *out = (kith_amounts){0, 0};
    if (r->problem[0])
        return KITH_OK;
    kith_i_ticket next = {.seq = r->last.seq + 1};
    kith_i_link link = {.ledger = r->ledger,
                        .account = r->account,
                        .seq = next.seq,
                        .before = r->last.hash,
                        .at = entry->at,
                        .body = entry->body};
    kith_i_entry_hash(&link, next.hash);
    if (entry->number != next.seq) {
        blame(r, next.seq, "an entry is missing");
        return KITH_OK;
    }
    if (strcmp(next.hash, entry->hash) != 0) {
        blame(r, next.seq,
              "its hash is not that of its text after the entry "
              "before it");
        return KITH_OK;
    }
    json_t *body = json_loads(entry->body, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(body) ||
        strcmp(text_of(body, "kind"), entry->kind) != 0 ||
        strcmp(text_of(body, "run"), entry->run) != 0 ||
        strcmp(text_of(body, "once"), entry->once) != 0)
        blame(r, next.seq, "its text is not what the store says it is");
    kith_status status =
        r->problem[0] ? KITH_OK : follow(r, entry, body, &spend, err);
    json_decref(body);
    if (!status && !r->problem[0]) {
        r->last = next;
        if (out)
            *out = (kith_amounts){spend.pure, spend.gauss};
    }
    return status;
}

/* ---- the cache ---- */

static int same(kith_i_purses a, kith_i_purses b)
{
    return a.pure == b.pure && a.gauss == b.gauss;
}

void kith_i_replay_check_account(kith_i_replay *r, const char *unit,
                                 const char *adjacency, kith_i_purses limit,
                                 kith_i_purses spent, const kith_i_ticket *last)
{
    if (r->last.seq != last->seq || strcmp(r->last.hash, last->hash) != 0)
        blame(r, r->last.seq + 1,
              "the account ends at another entry than its entries");
    if (!same(r->limit, limit))
        blame(r, 0, "the account's limit is not that of its entries");
    if (!same(r->spent, spent))
        blame(r, 0, "what is spent is not the sum of the entries");
    if (strcmp(r->unit, unit) != 0 || strcmp(r->adjacency, adjacency) != 0)
        blame(r, 0,
              "the account's unit or adjacency is not that of its "
              "grant");
}

void kith_i_replay_check_sublimit(kith_i_replay *r,
                                  const kith_sublimit_view *view)
{
    const kith_i_replay_sublimit *s = find(r, view->kind, view->key);
    if (!s || s->limit.pure != view->limit.pure ||
        s->limit.gauss != view->limit.gauss ||
        s->spent.pure != view->spent.pure ||
        s->spent.gauss != view->spent.gauss)
        blame(r, 0,
              "an analyst's or a purpose's limit is not that of the "
              "entries");
}

void kith_i_replay_check_count(kith_i_replay *r, size_t sublimits)
{
    if (r->sublimit_count != sublimits)
        blame(r, 0, "an analyst's or a purpose's limit has gone");
}
