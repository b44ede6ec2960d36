/* "collected" of a model: how its reports came together. */
#include <jansson.h>

#include "views.h"

static kith_status digest_row(void *arg, const kith_i_cell *row,
                              kith_error *err)
{
    (void)err;
    json_array_append_new(arg, kith_i_view_hex(row[2].bytes, 32));
    return KITH_OK;
}

static kith_status sum_row(void *arg, const kith_i_cell *row, kith_error *err)
{
    uint64_t *sums = arg;
    (void)err;
    sums[0] += (uint64_t)row[3].number;
    sums[1] += (uint64_t)row[4].number;
    return KITH_OK;
}

kith_status kith_i_collected_text(kith_collect *c, kith_i_live *live,
                                  const uint64_t fresh[2], char **text,
                                  kith_error *err)
{
    uint64_t sums[2] = {fresh[0], fresh[1]};
    json_t *digests = json_array(), *refused = json_object();
    kith_i_cell id = kith_i_bytes_cell(live->id, 16);
    uint64_t enrolled = 0;
    kith_status status = kith_i_live_count_enrolled(c, live, &enrolled, err);
    if (!status)
        status = KITH_I_DB_RUN(c->db, KITH_I_ROUND_ALL, digest_row, digests,
                               err, id);
    if (!status)
        status =
            KITH_I_DB_RUN(c->db, KITH_I_ANSWER_ALL, sum_row, sums, err, id);
    if (!status)
        status = KITH_I_DB_RUN(c->db, KITH_I_COUNTER_ALL, kith_i_view_counter,
                               refused, err, id);
    json_t *json = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "task",
                             kith_i_view_name(live), "rounds", digests,
                             "invited", kith_i_view_count(live->invited),
                             "enrolled", kith_i_view_count(enrolled), "reports",
                             kith_i_view_count(sums[0]), "duplicates",
                             kith_i_view_count(sums[1]), "refused", refused,
                             "enrol", live->task->view->enrol);
    if (status) {
        json_decref(json);
        return status;
    }
    return kith_i_view_text(json, text, err);
}
