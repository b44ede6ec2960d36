/* labels.c: cells of the records, computed once for several releases. */
#ifndef KITH_LABELS_H
#define KITH_LABELS_H

#include "dp_i.h"

/* More cells than this cannot be kept as labels. */
#define KITH_I_MOST_LABELS 16384u

/* The cell that an ask's place gives each record, kept inside the gate as a
 * view of width 1: the `by` of another ask's PLACE_LABEL. Nothing is released,
 * nothing is paid. Fewer than KITH_I_MOST_LABELS cells. */
kith_status kith_i_labels_open(kith_session *session, const kith_i_ask *ask,
                               const kith_i_view **out, kith_error *err);
/* Wiped and freed, before the session is. NULL is fine. */
void kith_i_labels_close(kith_session *session, const kith_i_view *labels);

#endif
