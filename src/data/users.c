/* One row a person (I45).
 *
 * Claim: a guarantee of the run for rows is one for people, at the same price.
 * Needs: ids that tell people apart (128 bits of SHA-256 do, but for a chance
 *   of 2^-69 among 2^30 people).
 * Because: what is kept of a person is one row, and a function of that person's
 *   own rows and of public coins: the row that draws the lowest lot, a keyed
 *   BLAKE2b of id and row. So a person more or less is a row more or less, a
 *   person replaced is a row replaced, and no other row changes. A person of
 *   several rows is as many people who have the same ones (kith_i_users_next):
 *   the session gives each of them a part of the budget. Rows are sorted by id,
 *   so that not even their order tells where in the files, or how
 *   often, a person stood. */
#include "users.h"

#include <stdlib.h>
#include <string.h>

#include "base/base_i.h"
#include "base/digest.h"
#include "reader_value.h"

enum { FIRST_SLOTS = 1 << 10, NOBODY = 0 };

/* ---- ids ----------------------------------------------------------------- */

/* The text without the second of two quotes. */
static void digest_quoted(kith_i_digest_state *state, const char *p,
                          const char *end)
{
    while (p < end) {
        const char *quote = memchr(p, '"', (size_t)(end - p));
        const char *stop = quote ? quote + 1 : end;
        kith_i_digest_add(state, p, (size_t)(stop - p));
        p = quote && stop < end ? stop + 1 : stop;
    }
}

static void finish(kith_i_digest_state *state, kith_i_user *out)
{
    uint8_t digest[KITH_I_DIGEST_BYTES];
    kith_i_digest_end(state, digest);
    memcpy(out->id, digest, sizeof out->id);
    kith_i_wipe(digest, sizeof digest);
    kith_i_wipe(state, sizeof *state);
}

void kith_i_user_of_text(const char *text, kith_i_user *out)
{
    kith_i_digest_state state;
    kith_i_digest_start(&state);
    kith_i_digest_add(&state, text, strlen(text));
    finish(&state, out);
}

int kith_i_user_find(const kith_i_dialect *dialect, const char *at,
                     const char *end, kith_i_user *out)
{
    kith_i_field field;
    (void)kith_i_field_cut(dialect, at, end, &field);
    if (kith_i_field_is_missing(dialect, &field))
        return 1;
    if (out) {
        kith_i_digest_state state;
        kith_i_digest_start(&state);
        if (field.quoted)
            digest_quoted(&state, field.begin, field.end);
        else
            kith_i_digest_add(&state, field.begin,
                              (size_t)(field.end - field.begin));
        finish(&state, out);
    }
    return 0;
}

/* ---- the table ----------------------------------------------------------- */

/* Of row i of the dataset. */
typedef struct {
    kith_i_user user;
    kith_i_lot lot;
} person;

struct kith_i_users {
    kith_dataset *data;
    uint8_t key[KITH_I_MAC_KEY_BYTES];
    person *people;
    uint32_t count, room;
    uint32_t *slots;     /* a person's number from 1, or NOBODY */
    uint32_t slot_count; /* a power of two */
};

kith_status kith_i_users_open(kith_dataset *data, uint64_t seed,
                              kith_i_users **out, kith_error *err)
{
    static const char purpose[] = "kith: one row a person";
    kith_i_users *users = kith_i_alloc(1, sizeof *users);
    if (!users)
        return kith_i_fail_memory(err);
    users->data = data;
    memcpy(users->key, &seed, sizeof seed);
    memcpy(users->key + sizeof seed, purpose, sizeof purpose);
    users->room = FIRST_SLOTS / 2;
    users->slot_count = FIRST_SLOTS;
    users->people = kith_i_alloc(users->room, sizeof *users->people);
    users->slots = kith_i_alloc(users->slot_count, sizeof *users->slots);
    if (!users->people || !users->slots) {
        kith_i_users_close(users);
        return kith_i_fail_memory(err);
    }
    *out = users;
    return KITH_OK;
}

void kith_i_users_close(kith_i_users *users)
{
    if (!users)
        return;
    kith_i_wipe_free(users->people, users->room * sizeof *users->people);
    kith_i_wipe_free(users->slots, users->slot_count * sizeof *users->slots);
    kith_i_free(users);
}

void kith_i_users_draw(const kith_i_users *users, const kith_i_user *user,
                       const int16_t *row, kith_i_lot *out)
{
    uint8_t of_row[KITH_I_MAC_BYTES], both[sizeof user->id + sizeof of_row];
    kith_i_mac(users->key, row, users->data->domain->dimension * sizeof *row,
               of_row);
    memcpy(both, user->id, sizeof user->id);
    memcpy(both + sizeof user->id, of_row, sizeof of_row);
    kith_i_mac(users->key, both, sizeof both, out->mac);
    kith_i_wipe(of_row, sizeof of_row);
    kith_i_wipe(both, sizeof both);
}

/* By another function than texts: whoever could name himself by the next id of
 * somebody would share a kept row with him, which then changes where it should
 * be gone, and that costs as much as two rows. */
void kith_i_users_next(const kith_i_users *users, kith_i_user *user)
{
    uint8_t next[KITH_I_MAC_BYTES];
    kith_i_mac(users->key, user->id, sizeof user->id, next);
    memcpy(user->id, next, sizeof user->id);
    kith_i_wipe(next, sizeof next);
}

/* The slot of this person, or the empty one where it belongs. */
static uint32_t *find_slot(const kith_i_users *users, const kith_i_user *user)
{
    uint32_t at;
    memcpy(&at, user->id, sizeof at);
    for (;; at++) {
        uint32_t *slot = &users->slots[at & (users->slot_count - 1)];
        if (*slot == NOBODY ||
            !memcmp(&users->people[*slot - 1].user, user, sizeof *user))
            return slot;
    }
}

static kith_status grow(kith_i_users *users, kith_error *err)
{
    uint32_t room = 2 * users->room, slots = 2 * users->slot_count;
    uint32_t *wider = kith_i_alloc(slots, sizeof *wider);
    person *people =
        wider ? kith_i_resize(users->people, users->room, room, sizeof *people)
              : NULL;
    if (!people) {
        kith_i_free(wider);
        return kith_i_fail_memory(err);
    }
    kith_i_wipe_free(users->slots, users->slot_count * sizeof *users->slots);
    users->people = people;
    users->room = room;
    users->slots = wider;
    users->slot_count = slots;
    for (uint32_t i = 0; i < users->count; i++)
        *find_slot(users, &people[i].user) = i + 1;
    return KITH_OK;
}

static int16_t *row_at(const kith_dataset *data, uint32_t i)
{
    const kith_i_chunk *c = &data->chunks[i / data->block_rows];
    return c->dense + (size_t)(i % data->block_rows) * data->domain->dimension;
}

/* Room for one row more. */
static kith_status add_row(kith_dataset *data, kith_error *err)
{
    kith_i_chunk *c =
        data->chunk_count ? &data->chunks[data->chunk_count - 1] : NULL;
    if (!c || c->rows == c->capacity) {
        int16_t *dense = kith_i_alloc(kith_i_chunk_values(data), sizeof *dense);
        c = dense ? kith_i_chunk_append(data) : NULL;
        if (!c) {
            kith_i_free(dense);
            return kith_i_fail_memory(err);
        }
        c->dense = dense;
        c->capacity = data->block_rows;
        c->owned = 1;
    }
    c->rows++;
    return kith_i_dataset_count(data, 1, err);
}

kith_status kith_i_users_offer(kith_i_users *users, const kith_i_user *user,
                               const kith_i_lot *lot, const int16_t *row,
                               kith_error *err)
{
    kith_status status =
        users->count == users->room ? grow(users, err) : KITH_OK;
    if (status)
        return status;
    uint32_t *slot = find_slot(users, user);
    if (*slot == NOBODY) {
        status = add_row(users->data, err);
        if (status)
            return status;
        users->people[users->count].user = *user;
        *slot = ++users->count;
    } else if (memcmp(lot, &users->people[*slot - 1].lot, sizeof *lot) >= 0) {
        return KITH_OK;
    }
    users->people[*slot - 1].lot = *lot;
    memcpy(row_at(users->data, *slot - 1), row,
           users->data->domain->dimension * sizeof *row);
    return KITH_OK;
}

/* ---- the order ----------------------------------------------------------- */

typedef struct {
    kith_i_user user;
    uint32_t row;
} place;

static int compare_places(const void *a, const void *b)
{
    return memcmp(&((const place *)a)->user, &((const place *)b)->user,
                  sizeof(kith_i_user));
}

/* Cycle by cycle: places[i].row is where row i is now. hand: one row. */
static void permute(kith_dataset *data, place *places, uint32_t count,
                    int16_t *hand)
{
    size_t bytes = data->domain->dimension * sizeof *hand;
    for (uint32_t i = 0; i < count; i++) {
        if (places[i].row == i)
            continue;
        memcpy(hand, row_at(data, i), bytes);
        uint32_t at = i;
        while (places[at].row != i) {
            uint32_t from = places[at].row;
            memcpy(row_at(data, at), row_at(data, from), bytes);
            places[at].row = at;
            at = from;
        }
        memcpy(row_at(data, at), hand, bytes);
        places[at].row = at;
    }
}

kith_status kith_i_users_sort(kith_i_users *users, kith_error *err)
{
    size_t d = users->data->domain->dimension;
    place *places = kith_i_alloc(users->count, sizeof *places);
    int16_t *hand = kith_i_alloc(d, sizeof *hand);
    kith_status status = places && hand ? KITH_OK : kith_i_fail_memory(err);
    if (!status) {
        for (uint32_t i = 0; i < users->count; i++)
            places[i] = (place){users->people[i].user, i};
        qsort(places, users->count, sizeof *places, compare_places);
        permute(users->data, places, users->count, hand);
    }
    kith_i_wipe_free(places, users->count * sizeof *places);
    kith_i_wipe_free(hand, d * sizeof *hand);
    return status;
}
