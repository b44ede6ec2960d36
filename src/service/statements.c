/* SQL that SQLite and PostgreSQL both understand. Integers are 64 bits, times
 * milliseconds since 1970. What is stored is only ever added: sums are derived
 * from segments, never updated in place. */
#include "statements.h"

#include <stddef.h>

static const char *const texts[KITH_I_STATEMENTS] = {
    [KITH_I_META_GET] = "SELECT value FROM meta WHERE name = ?1",
    [KITH_I_META_PUT] = "INSERT INTO meta (name, value) VALUES (?1, ?2)",
    [KITH_I_TASK_ADD] =
        "INSERT INTO tasks (id, json, task_key, state, invited, invites, "
        "created, reason) VALUES (?1, ?2, ?3, 1, 0, 0, ?4, '') "
        "ON CONFLICT DO NOTHING",
    [KITH_I_TASK_ALL] =
        "SELECT id, json, task_key, state, invited, created, started, ended, "
        "reason FROM tasks ORDER BY created DESC, id",
    [KITH_I_TASK_ONE] =
        "SELECT id, json, task_key, state, invited, created, started, ended, "
        "reason FROM tasks WHERE id = ?1",
    [KITH_I_TASK_MOVE] = "UPDATE tasks SET state = ?1, reason = ?2, ended = ?3 "
                         "WHERE id = ?4 AND state = ?5",
    [KITH_I_TASK_START] = "UPDATE tasks SET state = 2, invited = ?1, "
                          "started = ?2 WHERE id = ?3 AND state = 1",
    [KITH_I_TASK_INVITE] =
        "UPDATE tasks SET invites = invites + ?1 WHERE id = ?2",
    [KITH_I_TASK_INVITED] = "SELECT invites FROM tasks WHERE id = ?1",
    [KITH_I_ROUND_ADD] =
        "INSERT INTO rounds (task, number, json, digest, previous, state, "
        "published, closes_at, extended, build) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, ?9)",
    [KITH_I_ROUND_ALL] =
        "SELECT number, json, digest, previous, state, published, closes_at, "
        "extended, build FROM rounds WHERE task = ?1 ORDER BY number",
    [KITH_I_ROUND_ONE] =
        "SELECT number, json, digest, previous, state FROM rounds "
        "WHERE task = ?1 AND number = ?2",
    [KITH_I_ROUND_NEWEST] =
        "SELECT number, json, digest, previous, state, published, closes_at, "
        "extended, build FROM rounds WHERE task = ?1 "
        "ORDER BY number DESC LIMIT 1",
    [KITH_I_ROUND_STATE] =
        "SELECT state FROM rounds WHERE task = ?1 AND number = ?2",
    [KITH_I_ROUND_CLOSE] = "UPDATE rounds SET state = 2, closed = ?1 "
                           "WHERE task = ?2 AND number = ?3 AND state = 1",
    [KITH_I_ROUND_ANSWERED] = "UPDATE rounds SET state = 3, answered = ?1 "
                              "WHERE task = ?2 AND number = ?3 AND state = 2",
    [KITH_I_ROUND_PUBLISH] =
        "UPDATE rounds SET state = 1, published = ?1, closes_at = ?2 "
        "WHERE task = ?3 AND number = ?4 AND state = 0",
    [KITH_I_ROUND_EXTEND] =
        "UPDATE rounds SET state = 1, closes_at = ?1, extended = extended + 1 "
        "WHERE task = ?2 AND number = ?3 AND state = ?4",
    [KITH_I_SEGMENT_ADD] =
        "INSERT INTO segments (task, round, grp, process, seq, count, width, "
        "reports, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    [KITH_I_SEGMENT_GROUP] =
        "SELECT id, count, width, reports FROM segments "
        "WHERE task = ?1 AND round = ?2 AND grp = ?3 AND id > ?4 "
        "ORDER BY id LIMIT ?5",
    [KITH_I_SEGMENT_NEWS] =
        "SELECT id, grp, count, width, reports FROM segments "
        "WHERE task = ?1 AND round = ?2 AND id > ?3 AND id <= ?4 "
        "AND process <> ?5 ORDER BY id LIMIT ?6",
    [KITH_I_SEGMENT_LAST] =
        "SELECT max(id) FROM segments "
        "WHERE task = ?1 AND round = ?2 AND id > ?3 AND process <> ?4",
    [KITH_I_SEGMENT_FIND] =
        "SELECT count(*) FROM segments WHERE process = ?1 AND seq = ?2",
    [KITH_I_SEGMENT_DROP] =
        "DELETE FROM segments WHERE id IN (SELECT id FROM segments "
        "WHERE task = ?1 LIMIT 1000)",
    [KITH_I_ANSWER_ADD] =
        "INSERT INTO answers (task, question, round, grp, received, "
        "duplicates, body, body_digest) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [KITH_I_ANSWER_GET] = "SELECT body FROM answers "
                          "WHERE task = ?1 AND question = ?2",
    [KITH_I_ANSWER_ALL] =
        "SELECT question, round, grp, received, duplicates, body_digest "
        "FROM answers WHERE task = ?1 ORDER BY question",
    [KITH_I_AGAIN_ADD] =
        "INSERT INTO agains (task, question, keys_digest, body) "
        "VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    [KITH_I_AGAIN_GET] = "SELECT body FROM agains WHERE task = ?1 "
                         "AND question = ?2 AND keys_digest = ?3",
    [KITH_I_RESULT_ADD] = "INSERT INTO results (task, model, digest, at, "
                          "collected) VALUES (?1, ?2, ?3, ?4, ?5)",
    [KITH_I_RESULT_GET] =
        "SELECT model, collected FROM results WHERE task = ?1",
    [KITH_I_COUNTER_ADD] =
        "INSERT INTO counters (task, process, name, value) "
        "VALUES (?1, ?2, ?3, ?4) ON CONFLICT (task, process, name) "
        "DO UPDATE SET value = counters.value + excluded.value",
    [KITH_I_COUNTER_ALL] = "SELECT name, CAST(sum(value) AS BIGINT) "
                           "FROM counters WHERE task = ?1 "
                           "GROUP BY name ORDER BY name",
    [KITH_I_INVITATION_SPEND] =
        "INSERT INTO invitations (task, serial, commitment, at) "
        "VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    [KITH_I_INVITATION_GET] = "SELECT commitment FROM invitations "
                              "WHERE task = ?1 AND serial = ?2",
    [KITH_I_EVENT_ADD] = "INSERT INTO events (task, at, who, what, detail) "
                         "VALUES (?1, ?2, ?3, ?4, ?5)",
    [KITH_I_EVENT_ALL] = "SELECT at, who, what, detail FROM events "
                         "WHERE task = ?1 ORDER BY id DESC LIMIT 200",
};

const char *kith_i_statement_text(kith_i_statement statement)
{
    return texts[statement];
}

const char *kith_i_schema_text(void)
{
    return "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);\n"
           "CREATE TABLE tasks (id BYTEA PRIMARY KEY, json BYTEA NOT NULL, "
           "task_key BYTEA NOT NULL, "
           "state BIGINT NOT NULL CHECK (state BETWEEN 1 AND 6), "
           "invited BIGINT NOT NULL, invites BIGINT NOT NULL, "
           "created BIGINT NOT NULL, started BIGINT, ended BIGINT, "
           "reason TEXT NOT NULL);\n"
           "CREATE TABLE rounds (task BYTEA NOT NULL, number BIGINT NOT NULL, "
           "json BYTEA NOT NULL, digest BYTEA NOT NULL, "
           "previous BYTEA NOT NULL, "
           "state BIGINT NOT NULL CHECK (state BETWEEN 0 AND 3), "
           "published BIGINT, closes_at BIGINT, extended BIGINT NOT NULL, "
           "closed BIGINT, answered BIGINT, build TEXT NOT NULL, "
           "PRIMARY KEY (task, number), UNIQUE (task, previous));\n"
           "CREATE TABLE segments (id @IDENTITY@, task BYTEA NOT NULL, "
           "round BIGINT NOT NULL, grp BIGINT NOT NULL, "
           "process BIGINT NOT NULL, seq BIGINT NOT NULL, "
           "count BIGINT NOT NULL, width BIGINT NOT NULL, "
           "reports BYTEA NOT NULL, at BIGINT NOT NULL, "
           "UNIQUE (process, seq));\n"
           "CREATE INDEX segments_group ON segments (task, round, grp, id);\n"
           "CREATE INDEX segments_news ON segments (task, round, id);\n"
           "CREATE TABLE answers (task BYTEA NOT NULL, "
           "question BIGINT NOT NULL, round BIGINT NOT NULL, "
           "grp BIGINT NOT NULL, received BIGINT NOT NULL, "
           "duplicates BIGINT NOT NULL, body BYTEA NOT NULL, "
           "body_digest BYTEA NOT NULL, PRIMARY KEY (task, question));\n"
           "CREATE TABLE agains (task BYTEA NOT NULL, question BIGINT NOT "
           "NULL, keys_digest BYTEA NOT NULL, body BYTEA NOT NULL, "
           "PRIMARY KEY (task, question, keys_digest));\n"
           "CREATE TABLE results (task BYTEA PRIMARY KEY, "
           "model BYTEA NOT NULL, digest BYTEA NOT NULL, at BIGINT NOT NULL, "
           "collected BYTEA NOT NULL);\n"
           "CREATE TABLE counters (task BYTEA NOT NULL, "
           "process BIGINT NOT NULL, name TEXT NOT NULL, "
           "value BIGINT NOT NULL, PRIMARY KEY (task, process, name));\n"
           "CREATE TABLE invitations (task BYTEA NOT NULL, "
           "serial BIGINT NOT NULL, commitment BYTEA NOT NULL, "
           "at BIGINT NOT NULL, PRIMARY KEY (task, serial));\n"
           "CREATE TABLE events (id @IDENTITY@, task BYTEA NOT NULL, "
           "at BIGINT NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, "
           "detail TEXT NOT NULL);\n";
}
