/* Cells, and which driver. */
#include "db.h"

#include <string.h>

kith_i_cell kith_i_number_cell(int64_t number)
{
    return (kith_i_cell){.kind = KITH_I_CELL_NUMBER, .number = number};
}

kith_i_cell kith_i_bytes_cell(const void *bytes, size_t count)
{
    return (kith_i_cell){
        .kind = KITH_I_CELL_BYTES, .bytes = bytes, .count = count};
}

kith_i_cell kith_i_text_cell(const char *words)
{
    return words ? (kith_i_cell){.kind = KITH_I_CELL_WORDS,
                                 .bytes = words,
                                 .count = strlen(words)}
                 : (kith_i_cell){0};
}

kith_status kith_i_db_open(const char *where, kith_i_db **out, kith_error *err)
{
    *out = NULL;
    if (strncmp(where, "sqlite:", 7) == 0)
        return kith_i_db_open_sqlite(where + 7, out, err);
    if (strncmp(where, "postgresql://", 13) == 0)
        return kith_i_db_open_postgresql(where, out, err);
    return kith_i_fail(err, KITH_ERR_ARGUMENT,
                       "a database is sqlite:FILE or postgresql://...");
}
