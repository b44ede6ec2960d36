/* db: the seam to a database. Two drivers (db_sqlite.c, db_postgresql.c) run
 * one list of statements (statements.c); nothing above knows which. */
#ifndef KITH_DB_H
#define KITH_DB_H

#include "base/base_i.h"
#include "statements.h"

typedef enum kith_i_cell_kind {
    KITH_I_CELL_NULL,
    KITH_I_CELL_NUMBER,
    KITH_I_CELL_BYTES,
    KITH_I_CELL_WORDS
} kith_i_cell_kind;

/* A parameter, or a column of a row. */
typedef struct kith_i_cell {
    kith_i_cell_kind kind;
    int64_t number;
    const void *bytes; /* of bytes and words; borrowed */
    size_t count;
} kith_i_cell;

kith_i_cell kith_i_number_cell(int64_t number);
kith_i_cell kith_i_bytes_cell(const void *bytes, size_t count);
kith_i_cell kith_i_text_cell(const char *words); /* NULL becomes null */

/* Why the last call failed, where it matters to whoever asked. */
typedef enum kith_i_db_trouble {
    KITH_I_DB_FINE,
    KITH_I_DB_DOWN,    /* cannot be reached: later, perhaps            */
    KITH_I_DB_FULL,    /* no room on the disk                          */
    KITH_I_DB_UNKNOWN, /* the connection broke inside COMMIT           */
    KITH_I_DB_TAKEN,   /* somebody else was first: a key exists        */
    KITH_I_DB_BROKEN   /* anything else                                */
} kith_i_db_trouble;

typedef struct kith_i_db kith_i_db;

/* columns: of one row, borrowed. Not KITH_OK: stop and return it. */
typedef kith_status kith_i_row_fn(void *arg, const kith_i_cell *columns,
                                  kith_error *err);

/* What a driver does. Connections are used by one thread at a time. */
typedef struct kith_i_driver {
    const char *name;
    kith_status (*run)(kith_i_db *db, kith_i_statement statement,
                       const kith_i_cell *in, unsigned count,
                       kith_i_row_fn *row, void *arg, kith_error *err);
    kith_status (*begin)(kith_i_db *db, kith_error *err);
    kith_status (*commit)(kith_i_db *db, kith_error *err);
    void (*rollback)(kith_i_db *db);
    /* Inside of a transaction, until its end: shared by those who add to the
     * thing, exclusively by who closes it. */
    kith_status (*lock)(kith_i_db *db, uint64_t thing, int exclusive,
                        kith_error *err);
    /* Is the work on this thing mine? Saves work and guards nothing. */
    int (*lease)(kith_i_db *db, uint64_t thing, int take);
    kith_status (*now)(kith_i_db *db, int64_t *ms, kith_error *err);
    kith_status (*script)(kith_i_db *db, const char *sql, kith_error *err);
    const char *identity; /* type of a column that numbers rows */
    /* Free bytes where it is kept; -1: not known. */
    int64_t (*room)(kith_i_db *db);
    /* Bytes of the write-ahead log; -1: not known. */
    int64_t (*log_bytes)(kith_i_db *db);
    void (*close)(kith_i_db *db);
} kith_i_driver;

struct kith_i_db {
    const kith_i_driver *driver;
    uint64_t changed; /* rows, by the last statement */
    kith_i_db_trouble trouble;
};

/* where: "sqlite:FILE" or "postgresql://...". KITH_ERR_STORE, and the message
 * says what to do. */
kith_status kith_i_db_open(const char *where, kith_i_db **out, kith_error *err);
kith_status kith_i_db_open_sqlite(const char *path, kith_i_db **out,
                                  kith_error *err);
/* A copy of a database that may be in use, to a file that is not there. */
kith_status kith_i_db_copy_sqlite(const char *from, const char *to,
                                  kith_error *err);
kith_status kith_i_db_open_postgresql(const char *url, kith_i_db **out,
                                      kith_error *err);

/* Run with a list of cells. */
#define KITH_I_DB_RUN(db, statement, row, arg, err, ...)                       \
    (db)->driver->run(db, statement, (kith_i_cell[]){__VA_ARGS__},             \
                      (unsigned)(sizeof((kith_i_cell[]){__VA_ARGS__}) /        \
                                 sizeof(kith_i_cell)),                         \
                      row, arg, err)

#endif
