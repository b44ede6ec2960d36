/* What all shards must agree on, and the rows that were taken from one but not
 * converted yet. */
#include <string.h>

#include "base/base_i.h"
#include "base/block.h"
#include "base/domain.h"
#include "reader_shard.h"

enum { BLOCK_DOUBLES = 1 << 17 }; /* 1 MiB */

kith_status kith_i_layout_settle(kith_i_layout *layout, uint64_t dimension,
                                 const char *name, kith_error *err)
{
    if (dimension == 0 || dimension > KITH_I_MAX_DIMENSION)
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "%s: the dimension must be 1 to %u", name,
                           KITH_I_MAX_DIMENSION);
    uint32_t d = (uint32_t)dimension;
    if (layout->opt.dimension && layout->opt.dimension != d)
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "%s: has %u columns, not the %u that the model or "
                           "--dimension asks for",
                           name, d, layout->opt.dimension);
    if (layout->dimension && layout->dimension != d)
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "%s: has %u columns, but %s has %u", name, d,
                           layout->first, layout->dimension);
    if (layout->dimension)
        return KITH_OK;
    uint32_t rows = BLOCK_DOUBLES / d;
    layout->dimension = d;
    layout->block_rows = rows < 1                   ? 1
                         : rows > KITH_I_BLOCK_ROWS ? KITH_I_BLOCK_ROWS
                                                    : rows;
    size_t length = strnlen(name, sizeof layout->first - 1);
    memcpy(layout->first, name, length);
    return KITH_OK;
}

kith_status kith_i_raw_reserve(kith_i_raw *raw, size_t keep, size_t bytes,
                               kith_error *err)
{
    if (bytes <= raw->room)
        return KITH_OK;
    /* what grows will grow again, unless it is the first time */
    size_t room = keep && bytes < 2 * raw->room ? 2 * raw->room : bytes;
    char *grown = kith_i_alloc(room, 1);
    if (!grown)
        return kith_i_fail_memory(err);
    if (keep)
        memcpy(grown, raw->bytes, keep);
    kith_i_wipe_free(raw->bytes, raw->room);
    raw->bytes = grown;
    raw->room = room;
    return KITH_OK;
}

kith_status kith_i_raw_want_users(kith_i_raw *raw, uint32_t most,
                                  kith_error *err)
{
    raw->users = kith_i_alloc(most, sizeof *raw->users);
    raw->user_room = raw->users ? most : 0;
    return raw->users ? KITH_OK : kith_i_fail_memory(err);
}

void kith_i_raw_clear(kith_i_raw *raw)
{
    kith_i_wipe_free(raw->users, raw->user_room * sizeof *raw->users);
    kith_i_wipe_free(raw->bytes, raw->room);
    kith_i_free(raw->lines);
    memset(raw, 0, sizeof *raw);
}
