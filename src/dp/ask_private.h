/* Inside the gate: what ask.c does with a description, and the one frame in
 * which rows are visited (visit_rows.c). */
#ifndef KITH_ASK_PRIVATE_H
#define KITH_ASK_PRIVATE_H

#include "dp_private.h"

/* The rows that an ask shows its values of. */
const kith_i_domain *kith_i_ask_domain(const kith_session *session,
                                       const kith_i_ask *ask);

/* Is the description whole, and are its numbers of the right shape? width: of
 * a value; 0: none is asked for. */
int kith_i_ask_is_valid(const kith_session *session, const kith_i_ask *ask,
                        uint32_t cells, uint32_t width);

/* Doubles that kith_i_ask_rows needs as scratch. */
size_t kith_i_ask_scratch(const kith_i_ask *ask);

/* cell[r], and value[r * width ...] unless value is NULL, of every row of the
 * block: a function of that row and of the description only (R2). */
void kith_i_ask_rows(const kith_i_ask *ask, const kith_i_domain *domain,
                     const kith_i_block *block, uint32_t width, double *scratch,
                     uint32_t *cell, int32_t *value);

/* One pass over the rows: every worker has totals of its own, and room. */
typedef struct kith_i_tally {
    const kith_i_view *view, *beside;
    size_t totals; /* numbers */
    size_t room;   /* bytes */
    void (*visit)(const void *arg, const kith_i_block *block, void *room,
                  int64_t *totals);
    const void *arg;
    /* Of all that visit depends on besides rows: the ranks of a team compare
     * it. */
    uint64_t (*digest)(const kith_session *session, const void *arg);
} kith_i_tally;

/* totals += the exact sums over all rows, modulo 2^64; nothing in a plan, and
 * nothing where another rank draws. All that was in a worker's hands is
 * wiped. */
kith_status kith_i_tally_rows(kith_session *session, const kith_i_tally *tally,
                              int64_t *totals, kith_error *err);

/* Pieces of a worker's room, one after the other, each aligned. */
static inline size_t kith_i_room_add(size_t *bytes, size_t count, size_t size)
{
    size_t at = *bytes;
    *bytes += (count * size + 63) / 64 * 64;
    return at;
}

static inline void *kith_i_room_at(void *room, size_t at)
{
    return (char *)room + at;
}

/* Room for a block's cells and values. */
typedef struct kith_i_ask_room {
    size_t scratch, cell, value; /* offsets */
} kith_i_ask_room;
kith_i_ask_room kith_i_ask_room_add(const kith_session *session,
                                    const kith_i_ask *ask, size_t width,
                                    size_t *bytes);

#endif
