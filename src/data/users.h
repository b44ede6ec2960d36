/* users: whose row it is, and the one row that is kept of each person. */
#ifndef KITH_USERS_H
#define KITH_USERS_H

#include "dataset_i.h"
#include "reader.h"
#include "reader_field.h"

/* Ids are texts and nothing else: 7 and 7.0 are two people. */
void kith_i_user_of_text(const char *text, kith_i_user *out);
/* The id in the field that begins at `at`. out: NULL when nobody asks. Nonzero:
 * it is missing. */
int kith_i_user_find(const kith_i_dialect *dialect, const char *at,
                     const char *end, kith_i_user *out);

/* ---- the table of kept rows ---------------------------------------------- */

typedef struct kith_i_users kith_i_users;

/* For one thread at a time. data: empty, borrowed; it is filled with the rows
 * that are kept. seed: public coins. */
kith_status kith_i_users_open(kith_dataset *data, uint64_t seed,
                              kith_i_users **out, kith_error *err);

/* What a quantised row draws: the lowest of a person's rows is kept. */
typedef struct kith_i_lot {
    uint8_t mac[16];
} kith_i_lot;
/* Any number of threads at once. */
void kith_i_users_draw(const kith_i_users *users, const kith_i_user *user,
                       const int16_t *row, kith_i_lot *out);

/* Another person in place of this one: nobody's text is the id of one, and no
 * two people get the same. Any number of threads at once. */
void kith_i_users_next(const kith_i_users *users, kith_i_user *user);

kith_status kith_i_users_offer(kith_i_users *users, const kith_i_user *user,
                               const kith_i_lot *lot, const int16_t *row,
                               kith_error *err);

/* Put the kept rows in an order that nothing but the people tell. */
kith_status kith_i_users_sort(kith_i_users *users, kith_error *err);
void kith_i_users_close(kith_i_users *users); /* wipes; NULL is fine */

/* ---- load_users.c -------------------------------------------------------- */

/* All rows of the reader into an empty dataset. */
kith_status kith_i_load_users(kith_dataset *data, kith_i_reader *reader,
                              const kith_source_options *opt, uint32_t workers,
                              kith_error *err);

#endif
