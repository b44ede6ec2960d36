/* kith_collect: opened on a database, closed. */
#include <string.h>
#include <time.h>

#include "noise/secret.h"
#include "service_i.h"

void kith_collect_options_init(kith_collect_options *opt, size_t size)
{
    if (!opt || size < sizeof *opt)
        return;
    *opt = (kith_collect_options){.size = sizeof *opt,
                                  .queue_bytes = UINT64_C(64) << 20,
                                  .disk_floor = UINT64_C(64) << 20,
                                  .dedupe_bytes = UINT64_C(1) << 30};
}

const char *kith_outcome_name(kith_outcome outcome)
{
    static const char *const names[KITH_COLLECT_OUTCOMES] = {
        "stored",          "duplicate",     "bad_report",   "bad_token",
        "round_closed",    "wrong_round",   "wrong_group",  "task_over",
        "no_task",         "not_published", "not_finished", "bad_task",
        "cannot_work",     "wrong_state",   "moved_on",     "invitation_needed",
        "invitation_used", "busy",          "store_down",   "disk_full",
        "failed"};
    return outcome < KITH_COLLECT_OUTCOMES ? names[outcome] : "failed";
}

const char *kith_task_state_name(kith_task_state state)
{
    static const char *const names[] = {
        "", "enrolling", "running", "paused", "finished", "aborted", "stuck"};
    return state <= KITH_TASK_STUCK ? names[state] : "";
}

kith_outcome kith_i_outcome_of(kith_collect *c, const kith_i_db *db)
{
    c->store_errors++;
    if (db->trouble == KITH_I_DB_FULL)
        return KITH_COLLECT_DISK_FULL;
    atomic_store(&c->down, 1);
    return KITH_COLLECT_STORE_DOWN;
}

int kith_i_disk_is_low(const kith_collect *c, kith_i_db *db)
{
    int64_t room = db->driver->room(db);
    return room >= 0 && (uint64_t)room < c->opt.disk_floor;
}

uint64_t kith_i_thing_of(const uint8_t task[16], int64_t round)
{
    uint64_t thing;
    memcpy(&thing, task, sizeof thing);
    return thing ^ (uint64_t)(round + 2) * UINT64_C(0x9e3779b97f4a7c15);
}

/* ---- opening ---- */

static kith_status read_words(void *arg, const kith_i_cell *row,
                              kith_error *err)
{
    char *out = arg;
    size_t n = row[0].count < 31 ? row[0].count : 31;
    (void)err;
    memcpy(out, row[0].bytes, n);
    out[n] = 0;
    return KITH_OK;
}

/* The schema with the driver's word for columns that number rows. */
static kith_status make_tables(kith_i_db *db, kith_error *err)
{
    static const char mark[] = "@IDENTITY@";
    const char *from = kith_i_schema_text(), *at;
    size_t length = strlen(from) + 1024, used = 0;
    char *sql = kith_i_alloc(length, 1);
    if (!sql)
        return kith_i_fail_memory(err);
    while ((at = strstr(from, mark))) {
        memcpy(sql + used, from, (size_t)(at - from));
        used += (size_t)(at - from);
        memcpy(sql + used, db->driver->identity, strlen(db->driver->identity));
        used += strlen(db->driver->identity);
        from = at + sizeof mark - 1;
    }
    memcpy(sql + used, from, strlen(from));
    kith_status status = db->driver->script(db, sql, err);
    kith_i_free(sql);
    return status;
}

/* The tables, made at the first start. A newer schema is refused. */
static kith_status check_schema(kith_collect *c, kith_error *err)
{
    char version[32] = "";
    kith_i_db *db = c->db;
    kith_status status = KITH_I_DB_RUN(db, KITH_I_META_GET, read_words, version,
                                       NULL, kith_i_text_cell("schema"));
    if (status && db->trouble == KITH_I_DB_DOWN)
        return kith_i_fail(err, KITH_ERR_STORE,
                           "the database cannot be reached");
    if (!status && version[0]) {
        if (strcmp(version, KITH_I_SCHEMA) != 0)
            return kith_i_fail(err, KITH_ERR_STORE,
                               "the database has schema %s and this kithd "
                               "knows " KITH_I_SCHEMA ": install a newer kithd",
                               version);
        return KITH_OK;
    }
    db->driver->rollback(db);
    status = db->driver->begin(db, err);
    if (!status)
        status = db->driver->lock(db, 1, 1, err);
    if (!status) /* perhaps somebody else has made it meanwhile */
        status = make_tables(db, err);
    if (!status)
        status = KITH_I_DB_RUN(db, KITH_I_META_PUT, NULL, NULL, err,
                               kith_i_text_cell("schema"),
                               kith_i_text_cell(KITH_I_SCHEMA));
    if (!status)
        return db->driver->commit(db, err);
    db->driver->rollback(db);
    kith_status again = KITH_I_DB_RUN(db, KITH_I_META_GET, read_words, version,
                                      NULL, kith_i_text_cell("schema"));
    return !again && version[0] ? KITH_OK : status;
}

static kith_status draw_process(kith_collect *c, kith_error *err)
{
    uint64_t word = 0;
    kith_status status = kith_i_secret_bytes(&word, sizeof word, err);
    c->process = (int64_t)(word >> 1);
    return status;
}

static kith_status open_store(kith_collect *c, kith_error *err)
{
    kith_status status = kith_i_db_open(c->database, &c->db, err);
    if (!status)
        status = check_schema(c, err);
    if (status)
        return status;
    c->ingest = c->db;
    c->ingest_lock = &c->lock;
    if (strcmp(c->db->driver->name, "sqlite") != 0) {
        c->ingest = NULL;
        status = kith_i_db_open(c->database, &c->ingest, err);
        c->ingest_lock = &c->own_lock;
    }
    return status;
}

kith_status kith_collect_open(const kith_collect_options *opt,
                              kith_collect **out, kith_error *err)
{
    if (!opt || opt->size < sizeof *opt || !opt->database || !out)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "start from kith_collect_options_init and name a "
                           "database");
    *out = NULL;
    kith_collect *c = kith_i_alloc(1, sizeof *c);
    if (!c)
        return kith_i_fail_memory(err);
    c->opt = *opt;
    c->queue_end = &c->queue;
    pthread_mutex_init(&c->lock, NULL);
    pthread_mutex_init(&c->own_lock, NULL);
    pthread_mutex_init(&c->queue_lock, NULL);
    pthread_rwlock_init(&c->tasks_lock, NULL);
    pthread_cond_init(&c->queue_filled, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&c->due, &monotonic);
    pthread_condattr_destroy(&monotonic);
    c->database = kith_i_copy_string(opt->database);
    c->opt.database = c->database;
    if (opt->seal) {
        memcpy(c->seal, opt->seal, sizeof c->seal);
        c->opt.seal = c->seal;
    }
    kith_status status =
        c->database ? draw_process(c, err) : kith_i_fail_memory(err);
    if (!status)
        status = open_store(c, err);
    if (!status)
        status = kith_i_live_load(c, err);
    if (!status)
        status = kith_i_commit_start(c, err);
    if (status)
        kith_collect_close(c);
    else
        *out = c;
    return status;
}

void kith_collect_close(kith_collect *c)
{
    if (!c)
        return;
    kith_i_commit_stop(c);
    if (c->ingest && c->ingest != c->db)
        c->ingest->driver->close(c->ingest);
    if (c->db)
        c->db->driver->close(c->db);
    kith_i_live_free_all(c);
    pthread_mutex_destroy(&c->lock);
    pthread_mutex_destroy(&c->own_lock);
    pthread_mutex_destroy(&c->queue_lock);
    pthread_rwlock_destroy(&c->tasks_lock);
    pthread_cond_destroy(&c->queue_filled);
    pthread_cond_destroy(&c->due);
    kith_i_free(c->database);
    kith_i_wipe_free(c, sizeof *c);
}

kith_status kith_collect_backup(const char *database, const char *path,
                                kith_error *err)
{
    if (!database || !path)
        return kith_i_fail_place(err);
    if (strncmp(database, "sqlite:", 7) != 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "PostgreSQL has tools of its own: pg_dump");
    return kith_i_db_copy_sqlite(database + 7, path, err);
}

/* ---- waiting ---- */

void kith_collect_wait(kith_collect *c, uint32_t ms)
{
    struct timespec until;
    if (!c)
        return;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&c->queue_lock);
    if (!c->something_due)
        pthread_cond_timedwait(&c->due, &c->queue_lock, &until);
    c->something_due = 0;
    pthread_mutex_unlock(&c->queue_lock);
}

const char *kith_collect_ready(kith_collect *c)
{
    if (!c)
        return "nothing is open";
    if (atomic_load(&c->down))
        return "the store cannot be reached";
    if (kith_i_disk_is_low(c, c->db))
        return "the disk is almost full";
    return NULL;
}
