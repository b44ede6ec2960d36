/* labels.c: cells of the records, computed once for several releases. */
#ifndef KITH_LABELS_H
#define KITH_LABELS_H

#include "dp_i.h"

/* More cells than this cannot be kept as labels. */
#define KITH_I_MOST_LABELS 16384u

/* The cell that map (its run, arg, scratch and view; record-local as ever)
 * gives each record, kept inside the gate as a view of width 1: for another
 * map's `beside`. Nothing is released, nothing is paid. The map must use fewer
 * than KITH_I_MOST_LABELS cells. */
kith_status kith_i_labels_open(kith_session *session, const kith_i_map *map,
                               const kith_i_view **out, kith_error *err);
/* Wiped and freed, before the session is. NULL is fine. */
void kith_i_labels_close(kith_session *session, const kith_i_view *labels);

#endif
