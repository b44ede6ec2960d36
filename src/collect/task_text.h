/* A task file as the operator's side writes it. */
#ifndef KITH_TASK_TEXT_H
#define KITH_TASK_TEXT_H

#include "collect_i.h"
#include "device/task.h"

/* json: kith_i_free; not terminated. id: its digest. KITH_ERR_INPUT: a device
 * would refuse it, and the message says why. */
kith_status kith_i_task_write(const struct kith_task_view *task, char **json,
                              size_t *bytes, uint8_t id[KITH_I_TASK_BYTES],
                              kith_error *err);

/* The service's half of the draw: BLAKE2b-128(key, task | commitment). The same
 * commitment always gets the same tag. */
void kith_i_task_tag(const uint8_t key[32],
                     const uint8_t task[KITH_I_TASK_BYTES],
                     const uint8_t commitment[16], uint8_t tag[16]);

#endif
