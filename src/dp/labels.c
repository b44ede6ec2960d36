/* Labels: the cell of every record, computed once, kept in the gate.
 *
 * Claim: an ask that reads its record's label (PLACE_LABEL) is as record-local
 *   as the ask that made the label, so releases through it cost the same.
 * Because: a label is a function of one record, and stands next to it only. */
#include "ask_digest.h"
#include "base/base_i.h"
#include "kernel/kernel_i.h"

typedef struct {
    const kith_i_ask *ask;
    const kith_i_domain *domain;
    kith_i_ask_room room;
} label_arg;

static void label(const void *p, const kith_i_block *block, void *room,
                  int16_t *rows)
{
    const label_arg *a = p;
    uint32_t *cell = kith_i_room_at(room, a->room.cell);
    kith_i_ask_rows(a->ask, a->domain, block, 0,
                    kith_i_room_at(room, a->room.scratch), cell, NULL);
    for (uint32_t r = 0; r < block->rows; r++)
        rows[r] =
            (int16_t)(cell[r] < KITH_I_MOST_LABELS ? cell[r]
                                                   : KITH_I_MOST_LABELS - 1);
}

kith_status kith_i_labels_open(kith_session *s, const kith_i_ask *ask,
                               const kith_i_view **out, kith_error *err)
{
    *out = NULL;
    kith_bounds ball = {.radius = KITH_I_MOST_LABELS};
    kith_i_view *view = kith_i_alloc(1, sizeof *view);
    if (!view)
        return kith_i_fail_memory(err);
    /* "in no cell" takes the last label, where there is such a thing */
    uint32_t most = KITH_I_MOST_LABELS - (ask->place.kind == KITH_I_PLACE_TREE);
    kith_status status = kith_i_domain_new(&ball, 1, 0, &view->domain, err);
    if (!status && (ask->place.by || !kith_i_view_is_of(s, ask->view) ||
                    !kith_i_ask_is_valid(s, ask, most, 0)))
        status = kith_i_fail(err, KITH_ERR_INTERNAL, "ill-described labels");
    if (!status && view->domain->high_q[0] < (int)KITH_I_MOST_LABELS - 1)
        status = kith_i_fail(err, KITH_ERR_INTERNAL, "labels would not fit");
    label_arg arg = {.ask = ask, .domain = kith_i_ask_domain(s, ask)};
    kith_i_derivation how = {.fill = label, .arg = &arg};
    if (!status && s->data) {
        arg.room = kith_i_ask_room_add(s, ask, 0, &how.room);
        status = kith_i_view_derive(s, ask->view ? ask->view->data : s->data,
                                    &how, view, err);
    }
    if (!status && s->team.ranks > 1)
        view->digest = kith_i_mix(kith_i_ask_digest(s, ask, most, 0), most);
    return kith_i_view_keep(s, view, status, out);
}
