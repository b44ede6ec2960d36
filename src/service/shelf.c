/* The store as a script sees it: rounds, reports, answers that are known, and
 * a place for new ones until they are committed. */
#include <string.h>

#include "segments.h"
#include "shelf.h"

static kith_status read_round(void *arg, const kith_i_cell *row,
                              kith_error *err)
{
    kith_i_store_shelf *s = arg;
    kith_i_known_round *more = kith_i_resize(s->rounds, s->round_count,
                                             s->round_count + 1, sizeof *more);
    if (!more)
        return kith_i_fail_memory(err);
    s->rounds = more;
    kith_i_known_round *r = &more[s->round_count++];
    *r = (kith_i_known_round){.bytes = row[1].count,
                              .state = (kith_i_round_state)row[4].number};
    r->json = kith_i_alloc(r->bytes, 1);
    if (!r->json)
        return kith_i_fail_memory(err);
    memcpy(r->json, row[1].bytes, r->bytes);
    memcpy(r->digest, row[2].bytes, 32);
    return KITH_OK;
}

kith_status kith_i_store_shelf_open(kith_i_store_shelf *s, kith_error *err)
{
    pthread_mutex_lock(&s->c->lock);
    kith_status status =
        KITH_I_DB_RUN(s->c->db, KITH_I_ROUND_ALL, read_round, s, err,
                      kith_i_bytes_cell(s->live->id, 16));
    pthread_mutex_unlock(&s->c->lock);
    return status;
}

void kith_i_store_shelf_close(kith_i_store_shelf *s)
{
    for (size_t i = 0; i < s->round_count; i++)
        kith_i_free(s->rounds[i].json);
    for (size_t i = 0; i < s->kept_count; i++)
        kith_i_free(s->kept[i].values);
    kith_i_free(s->rounds);
    kith_i_free(s->kept);
}

static kith_status shelf_round(void *arg, uint32_t n, const char **json,
                               size_t *bytes, int *closed, kith_error *err)
{
    const kith_i_store_shelf *s = arg;
    (void)err;
    *json = NULL;
    *closed = 0;
    if (n >= s->round_count)
        return KITH_OK;
    *json = s->rounds[n].json;
    *bytes = s->rounds[n].bytes;
    *closed = s->rounds[n].state >= KITH_I_ROUND_CLOSED;
    return KITH_OK;
}

/* A group's segments, some at a time, so that the store is not held. */
static kith_status
shelf_reports(void *arg, uint32_t n, uint32_t group,
              kith_status (*take)(void *to, const uint8_t *packed, size_t count,
                                  kith_error *err),
              void *to, kith_error *err)
{
    kith_i_store_shelf *s = arg;
    kith_i_segments segments = {
        .task = s->live->id, .round = n, .group = group};
    kith_status status = KITH_OK;
    do {
        segments.bytes = segments.count = 0;
        pthread_mutex_lock(&s->c->lock);
        status = kith_i_segments_more(s->c->db, &segments, err);
        pthread_mutex_unlock(&s->c->lock);
        if (!status && segments.count)
            status = take(to, segments.packed, segments.count, err);
    } while (!status && !segments.all);
    kith_i_free(segments.packed);
    return status;
}

typedef struct {
    double *values;
    size_t count;
    int found;
} body_reader;

static kith_status read_body(void *arg, const kith_i_cell *row, kith_error *err)
{
    body_reader *r = arg;
    if (row[0].count != r->count * sizeof *r->values)
        return kith_i_fail(err, KITH_ERR_STORE,
                           "an answer in the store is damaged");
    memcpy(r->values, row[0].bytes, row[0].count);
    r->found = 1;
    return KITH_OK;
}

static kith_status shelf_known(void *arg, uint64_t question, double *values,
                               size_t count, int *found, kith_error *err)
{
    kith_i_store_shelf *s = arg;
    body_reader r = {values, count, 0};
    pthread_mutex_lock(&s->c->lock);
    kith_status status =
        KITH_I_DB_RUN(s->c->db, KITH_I_ANSWER_GET, read_body, &r, err,
                      kith_i_bytes_cell(s->live->id, 16),
                      kith_i_number_cell((int64_t)question));
    pthread_mutex_unlock(&s->c->lock);
    *found = r.found;
    return status;
}

static kith_status shelf_known_again(void *arg, uint64_t question,
                                     const uint8_t digest[32], double *values,
                                     size_t count, int *found, kith_error *err)
{
    kith_i_store_shelf *s = arg;
    body_reader r = {values, count, 0};
    pthread_mutex_lock(&s->c->lock);
    kith_status status = KITH_I_DB_RUN(
        s->c->db, KITH_I_AGAIN_GET, read_body, &r, err,
        kith_i_bytes_cell(s->live->id, 16),
        kith_i_number_cell((int64_t)question), kith_i_bytes_cell(digest, 32));
    pthread_mutex_unlock(&s->c->lock);
    *found = r.found;
    return status;
}

static kith_status shelf_keep(void *arg, const kith_i_fresh *fresh,
                              kith_error *err)
{
    kith_i_store_shelf *s = arg;
    kith_i_kept_answer *more =
        kith_i_resize(s->kept, s->kept_count, s->kept_count + 1, sizeof *more);
    if (!more)
        return kith_i_fail_memory(err);
    s->kept = more;
    kith_i_kept_answer *k = &more[s->kept_count++];
    *k = (kith_i_kept_answer){.head = *fresh};
    k->values = kith_i_alloc(fresh->count, sizeof *k->values);
    if (!k->values)
        return kith_i_fail_memory(err);
    memcpy(k->values, fresh->values, fresh->count * sizeof *k->values);
    if (fresh->keys_digest)
        memcpy(k->keys, fresh->keys_digest, sizeof k->keys);
    kith_i_point("while counting");
    return KITH_OK;
}

kith_i_shelf kith_i_store_shelf_face(kith_i_store_shelf *s)
{
    return (kith_i_shelf){.arg = s,
                          .round = shelf_round,
                          .reports = shelf_reports,
                          .known = shelf_known,
                          .known_again = shelf_known_again,
                          .keep = shelf_keep};
}
