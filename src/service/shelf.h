/* What the store has of a task, for a script that runs from the top; and what
 * the run adds. */
#ifndef KITH_SERVICE_SHELF_H
#define KITH_SERVICE_SHELF_H

#include "service_i.h"

/* A round in memory for the run. */
typedef struct kith_i_known_round {
    char *json;
    size_t bytes;
    uint8_t digest[32];
    kith_i_round_state state;
} kith_i_known_round;

/* A fresh answer that waits for the commit. */
typedef struct kith_i_kept_answer {
    kith_i_fresh head;
    uint8_t keys[32];
    double *values;
} kith_i_kept_answer;

typedef struct kith_i_store_shelf {
    kith_collect *c;
    kith_i_live *live;
    kith_i_known_round *rounds;
    size_t round_count;
    kith_i_kept_answer *kept;
    size_t kept_count;
} kith_i_store_shelf;

kith_status kith_i_store_shelf_open(kith_i_store_shelf *s, kith_error *err);
void kith_i_store_shelf_close(kith_i_store_shelf *s);
kith_i_shelf kith_i_store_shelf_face(kith_i_store_shelf *s);

#endif
