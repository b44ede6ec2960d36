/* release_select.c: choose one of several candidates (R5). */
#ifndef KITH_RELEASE_SELECT_H
#define KITH_RELEASE_SELECT_H

#include "dp/dp_i.h"

typedef struct kith_i_select_spec {
    const char *what;
    uint32_t candidates;
    uint32_t bound; /* of one record's loss, at most 2^31 - 1 */
    double unit;    /* of a loss in the data's units, for the receipt; 0: 1 */
    kith_i_loss charge;
    const int64_t *handicap; /* public, added to the totals; NULL: none */
} kith_i_select_spec;

/* *out: a candidate whose total loss is small. */
kith_status kith_i_release_select(kith_session *session,
                                  const kith_i_losses *losses,
                                  const kith_i_select_spec *spec, uint32_t *out,
                                  kith_error *err);

#endif
