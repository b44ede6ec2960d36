/* Statements: what a store has of an account, kept, and checked against what
 * its entries come to. */
#include "replay.h"

#include <string.h>

#include "base/base_i.h"

struct kith_statement {
    kith_i_replay replay;
    kith_account_view view;
    kith_entry_view *entries; /* owned, texts too */
    size_t count, room;
    kith_sublimit_view *sublimits; /* owned, keys too */
    size_t sublimit_count;
    struct { /* as the store has it */
        char unit[16], adjacency[16];
        kith_i_purses limit, spent;
        kith_i_ticket last;
    } cache;
};

static void copy_word(char out[16], const char *word)
{
    size_t n = strnlen(word, 15);
    memcpy(out, word, n);
    out[n] = '\0';
}

static kith_status take_account(void *arg, const char *unit,
                                const char *adjacency, kith_i_purses limit,
                                kith_i_purses spent, const kith_i_ticket *last,
                                kith_error *err)
{
    kith_statement *s = arg;
    (void)err;
    copy_word(s->cache.unit, unit);
    copy_word(s->cache.adjacency, adjacency);
    s->cache.limit = limit;
    s->cache.spent = spent;
    s->cache.last = *last;
    return KITH_OK;
}

static kith_status take_sublimit(void *arg, const kith_sublimit_view *view,
                                 kith_error *err)
{
    kith_statement *s = arg;
    size_t n = s->sublimit_count;
    void *grown = kith_i_resize(s->sublimits, n, n + 1, sizeof *s->sublimits);
    if (!grown)
        return kith_i_fail_memory(err);
    s->sublimits = grown;
    s->sublimits[n] = *view;
    s->sublimits[n].kind =
        !strcmp(view->kind, "analyst") ? "analyst" : "purpose";
    s->sublimits[n].key = kith_i_copy_string(view->key);
    if (!s->sublimits[n].key)
        return kith_i_fail_memory(err);
    s->sublimit_count++;
    return KITH_OK;
}

static void free_entry(kith_entry_view *e)
{
    const char *texts[] = {e->kind, e->at, e->run, e->once, e->body, e->hash};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        kith_i_free((void *)(uintptr_t)texts[i]);
}

static kith_status take_entry(void *arg, const kith_entry_view *view,
                              kith_error *err)
{
    kith_statement *s = arg;
    if (s->count == s->room) {
        size_t more = s->room ? 2 * s->room : 16;
        void *grown =
            kith_i_resize(s->entries, s->room, more, sizeof *s->entries);
        if (!grown)
            return kith_i_fail_memory(err);
        s->entries = grown;
        s->room = more;
    }
    kith_entry_view *e = &s->entries[s->count];
    *e = (kith_entry_view){.number = view->number,
                           .kind = kith_i_copy_string(view->kind),
                           .at = kith_i_copy_string(view->at),
                           .run = kith_i_copy_string(view->run),
                           .once = kith_i_copy_string(view->once),
                           .body = kith_i_copy_string(view->body),
                           .hash = kith_i_copy_string(view->hash)};
    s->count++;
    if (!e->kind || !e->at || !e->run || !e->once || !e->body || !e->hash)
        return kith_i_fail_memory(err);
    return kith_i_replay_entry(&s->replay, view, &e->spend, err);
}

static kith_amounts amounts(kith_i_purses p)
{
    return (kith_amounts){p.pure, p.gauss};
}

static void judge(kith_statement *s)
{
    kith_i_replay *r = &s->replay;
    kith_i_replay_check_account(r, s->cache.unit, s->cache.adjacency,
                                s->cache.limit, s->cache.spent, &s->cache.last);
    for (size_t i = 0; i < s->sublimit_count; i++)
        kith_i_replay_check_sublimit(r, &s->sublimits[i]);
    kith_i_replay_check_count(r, s->sublimit_count);
    s->view = (kith_account_view){
        .name = r->account,
        .dataset = r->dataset ? r->dataset : "",
        .unit = !strcmp(r->unit, "user") ? KITH_UNIT_USER : KITH_UNIT_ROW,
        .promise = r->promise,
        .granted = amounts(r->granted),
        .limit = amounts(s->cache.limit),
        .spent = amounts(s->cache.spent),
        .runs = r->charges + r->adopted,
        .without_result = r->charges > r->results ? r->charges - r->results : 0,
        .raised = r->raised[0] ? r->raised : NULL,
        .problem = r->problem[0] ? r->problem : NULL,
        .problem_entry = r->problem_entry};
}

kith_status kith_ledger_statement(kith_ledger *ledger, const char *account,
                                  kith_statement **out, kith_error *err)
{
    if (!out)
        return kith_i_fail_place(err);
    *out = NULL;
    kith_status status = kith_i_ledger_check(ledger, account, err);
    if (!status)
        status = kith_i_ledger_ours(ledger, err);
    if (status)
        return status;
    kith_statement *s = kith_i_alloc(1, sizeof *s);
    if (!s)
        return kith_i_fail_memory(err);
    kith_i_reader reader = {s, take_account, take_entry, take_sublimit};
    status = kith_i_replay_open(&s->replay, ledger->id, account, err);
    if (!status)
        status = ledger->store->read(ledger, account, &reader, err);
    if (status) {
        kith_statement_free(s);
        return status;
    }
    judge(s);
    *out = s;
    return KITH_OK;
}

void kith_statement_free(kith_statement *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++)
        free_entry(&s->entries[i]);
    for (size_t i = 0; i < s->sublimit_count; i++)
        kith_i_free((void *)(uintptr_t)s->sublimits[i].key);
    kith_i_free(s->entries);
    kith_i_free(s->sublimits);
    kith_i_replay_close(&s->replay);
    kith_i_free(s);
}

const kith_account_view *kith_statement_account(const kith_statement *s)
{
    return s ? &s->view : NULL;
}

const kith_entry_view *kith_statement_entry(const kith_statement *s, size_t i)
{
    return s && i < s->count ? &s->entries[i] : NULL;
}

const kith_sublimit_view *kith_statement_sublimit(const kith_statement *s,
                                                  size_t i)
{
    return s && i < s->sublimit_count ? &s->sublimits[i] : NULL;
}

uint64_t kith_statement_result(const kith_statement *s, const char *text)
{
    char wanted[KITH_I_HASH_TEXT + 16] = "\"model\":\"";
    if (!s || !text)
        return 0;
    kith_i_text_digest(text, wanted + strlen(wanted));
    for (size_t i = 0; i < s->count; i++)
        if ((!strcmp(s->entries[i].kind, "result") ||
             !strcmp(s->entries[i].kind, "adopt")) &&
            strstr(s->entries[i].body, wanted))
            return s->entries[i].number;
    return 0;
}
