/* The reference ledger: accounts in this process's memory. It is what a
 * durable store must behave like (I24): integer amounts, entries only ever
 * appended, and check and append as one step under one lock. */
#include "ledger_memory.h"

#include <string.h>

#include "base/base_i.h"

typedef kith_i_memory_entry entry;
typedef kith_i_memory_sublimit sublimit;
typedef kith_i_memory_account account;
typedef kith_i_memory_ledger memory_ledger;

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

#define MAKE_ROOM(array, count, room)                                          \
    make_room((void **)(void *)&(array), count, &(room), sizeof *(array))

/* ---- posting ---- */

static void free_entry(entry *e)
{
    kith_i_free(e->body);
    kith_i_free(e->run);
    kith_i_free(e->once);
}

/* What may fail for want of memory, before anything is changed. */
static int prepare(memory_ledger *ledger, const kith_i_posting *p, size_t i,
                   entry *made)
{
    account *a = kith_i_memory_find(ledger, p->accounts[i]);
    made->kind = p->kind;
    made->body = kith_i_copy_string(p->body);
    made->run = p->run ? kith_i_copy_string(p->run) : NULL;
    made->once = p->once ? kith_i_copy_string(p->once) : NULL;
    if (!made->body || (p->run && !made->run) || (p->once && !made->once))
        return 0;
    return !a || MAKE_ROOM(a->entries, a->count, a->room);
}

/* A sub-limit that is there has spent what its charges since then cost. */
static int set_sublimit(account *a, const kith_i_posting *p)
{
    const char *kind = p->analyst ? "analyst" : "purpose";
    const char *key = p->analyst ? p->analyst : p->purpose;
    sublimit *s = kith_i_memory_find_sublimit(a, kind, key);
    if (!s) {
        if (!MAKE_ROOM(a->sublimits, a->sublimit_count, a->sublimit_room))
            return 0;
        s = &a->sublimits[a->sublimit_count];
        *s = (sublimit){.kind = kind, .key = kith_i_copy_string(key)};
        if (!s->key)
            return 0;
        a->sublimit_count++;
    }
    s->limit = p->limit;
    return 1;
}

static void spend(kith_i_purses *spent, kith_i_purses more)
{
    spent->pure += more.pure;
    spent->gauss += more.gauss;
}

static void apply(account *a, const kith_i_posting *p)
{
    sublimit *s;
    switch (p->kind) {
    case KITH_I_POST_CHARGE:
    case KITH_I_POST_ADOPT:
        spend(&a->spent, p->spend);
        if ((s = kith_i_memory_find_sublimit(a, "analyst", p->analyst)))
            spend(&s->spent, p->spend);
        if ((s = kith_i_memory_find_sublimit(a, "purpose", p->purpose)))
            spend(&s->spent, p->spend);
        break;
    case KITH_I_POST_LIMIT:
        if (!p->analyst && !p->purpose)
            a->limit = p->limit;
        break;
    case KITH_I_POST_CLOSE:
        a->limit = a->spent;
        break;
    case KITH_I_POST_GRANT:
    case KITH_I_POST_RESULT:
        break;
    }
}

static int open_account(memory_ledger *ledger, const kith_i_posting *p)
{
    if (!MAKE_ROOM(ledger->accounts, ledger->count, ledger->room))
        return 0;
    account *a = &ledger->accounts[ledger->count];
    *a = (account){.unit = p->unit,
                   .adjacency = p->adjacency,
                   .limit = p->limit,
                   .name = kith_i_copy_string(p->accounts[0])};
    if (!a->name || !MAKE_ROOM(a->entries, a->count, a->room)) {
        kith_i_free(a->name);
        return 0;
    }
    ledger->count++;
    return 1;
}

static void append(memory_ledger *ledger, account *a, entry *made,
                   kith_i_ticket *ticket)
{
    kith_i_time_text(made->at);
    kith_i_link link = {.ledger = ledger->base.id,
                        .account = a->name,
                        .seq = a->count + 1,
                        .before = a->count ? a->entries[a->count - 1].hash : "",
                        .at = made->at,
                        .body = made->body};
    kith_i_entry_hash(&link, made->hash);
    a->entries[a->count++] = *made;
    ticket->seq = a->count;
    memcpy(ticket->hash, made->hash, sizeof ticket->hash);
}

static kith_status post_locked(memory_ledger *ledger, const kith_i_posting *p,
                               kith_i_ticket *tickets, kith_i_refusal *refusal,
                               kith_error *err)
{
    entry made[KITH_I_MAX_ACCOUNTS];
    kith_status status = kith_i_memory_check(ledger, p, refusal);
    if (status)
        return status;
    size_t ready = 0;
    int fine = 1;
    memset(made, 0, p->count * sizeof *made);
    for (; fine && ready < p->count; ready++)
        fine = prepare(ledger, p, ready, &made[ready]);
    if (fine && p->kind == KITH_I_POST_GRANT)
        fine = open_account(ledger, p);
    if (fine && p->kind == KITH_I_POST_LIMIT && (p->analyst || p->purpose))
        fine = set_sublimit(kith_i_memory_find(ledger, p->accounts[0]), p);
    if (!fine) {
        while (ready-- > 0)
            free_entry(&made[ready]);
        return kith_i_fail_memory(err);
    }
    for (size_t i = 0; i < p->count; i++) {
        account *a = kith_i_memory_find(ledger, p->accounts[i]);
        apply(a, p);
        append(ledger, a, &made[i], &tickets[i]);
    }
    return KITH_OK;
}

static kith_status memory_post(kith_ledger *self, const kith_i_posting *p,
                               kith_i_ticket *tickets, kith_i_refusal *refusal,
                               kith_error *err)
{
    memory_ledger *ledger = (memory_ledger *)self;
    pthread_mutex_lock(&ledger->lock);
    kith_status status = post_locked(ledger, p, tickets, refusal, err);
    pthread_mutex_unlock(&ledger->lock);
    return status;
}

/* ---- reading ---- */

static kith_status read_locked(const account *a, const kith_i_reader *reader,
                               kith_error *err)
{
    kith_i_ticket last = {.seq = a->count};
    memcpy(last.hash, a->entries[a->count - 1].hash, sizeof last.hash);
    kith_status status = reader->account(reader->arg, a->unit, a->adjacency,
                                         a->limit, a->spent, &last, err);
    for (size_t i = 0; reader->sublimit && !status && i < a->sublimit_count;
         i++) {
        const sublimit *s = &a->sublimits[i];
        kith_sublimit_view view = {s->kind,
                                   s->key,
                                   {s->limit.pure, s->limit.gauss},
                                   {s->spent.pure, s->spent.gauss}};
        status = reader->sublimit(reader->arg, &view, err);
    }
    for (size_t i = 0; reader->entry && !status && i < a->count; i++) {
        const entry *e = &a->entries[i];
        kith_entry_view view = {.number = i + 1,
                                .kind = kith_i_posting_word(e->kind),
                                .at = e->at,
                                .run = e->run ? e->run : "",
                                .once = e->once ? e->once : "",
                                .body = e->body,
                                .hash = e->hash};
        status = reader->entry(reader->arg, &view, err);
    }
    return status;
}

static kith_status memory_read(kith_ledger *self, const char *name,
                               const kith_i_reader *reader, kith_error *err)
{
    memory_ledger *ledger = (memory_ledger *)self;
    pthread_mutex_lock(&ledger->lock);
    const account *a = kith_i_memory_find(ledger, name);
    kith_i_posting asked = {.accounts = &name, .count = 1};
    kith_i_refusal unknown = {.kind = KITH_I_REFUSED_UNKNOWN};
    kith_status status = a ? read_locked(a, reader, err)
                           : kith_i_refusal_words(&asked, &unknown, NULL, err);
    pthread_mutex_unlock(&ledger->lock);
    return status;
}

static kith_status memory_names(kith_ledger *self,
                                int (*visit)(void *arg, const char *account),
                                void *arg, kith_error *err)
{
    memory_ledger *ledger = (memory_ledger *)self;
    const char *last = "";
    (void)err;
    pthread_mutex_lock(&ledger->lock);
    for (size_t done = 0; done < ledger->count; done++) {
        const char *next = NULL;
        for (size_t i = 0; i < ledger->count; i++)
            if (strcmp(ledger->accounts[i].name, last) > 0 &&
                (!next || strcmp(ledger->accounts[i].name, next) < 0))
                next = ledger->accounts[i].name;
        if (!next || visit(arg, next))
            break;
        last = next;
    }
    pthread_mutex_unlock(&ledger->lock);
    return KITH_OK;
}

/* ---- close, new ---- */

static void memory_close(kith_ledger *self)
{
    memory_ledger *ledger = (memory_ledger *)self;
    for (size_t i = 0; i < ledger->count; i++) {
        account *a = &ledger->accounts[i];
        for (size_t e = 0; e < a->count; e++)
            free_entry(&a->entries[e]);
        for (size_t s = 0; s < a->sublimit_count; s++)
            kith_i_free(a->sublimits[s].key);
        kith_i_free(a->sublimits);
        kith_i_free(a->entries);
        kith_i_free(a->name);
    }
    kith_i_free(ledger->accounts);
    pthread_mutex_destroy(&ledger->lock);
    kith_i_free(ledger);
}

kith_status kith_ledger_memory_new(kith_ledger **out, kith_error *err)
{
    static const kith_i_store store = {.post = memory_post,
                                       .read = memory_read,
                                       .names = memory_names,
                                       .close = memory_close};
    if (!out)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "no place for the ledger was given");
    *out = NULL;
    memory_ledger *ledger = kith_i_alloc(1, sizeof *ledger);
    if (!ledger)
        return kith_i_fail_memory(err);
    if (!kith_i_lock_init(&ledger->lock)) {
        kith_i_free(ledger);
        return kith_i_fail(err, KITH_ERR_MEMORY,
                           "the system has no room for another lock");
    }
    ledger->base = (kith_ledger){.store = &store};
    ledger->base.maker = kith_i_process_now();
    /* Nobody else can ever ask for it: an id that says so. */
    memset(ledger->base.id, '0', KITH_I_RUN_TEXT - 1);
    *out = &ledger->base;
    return KITH_OK;
}
