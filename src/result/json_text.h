/* JSON as text that people can read, and a text that grows. */
#ifndef KITH_JSON_TEXT_H
#define KITH_JSON_TEXT_H

#include <jansson.h>
#include <stddef.h>

#include "kith/status.h"

/* value (taken; NULL: memory was short when it was made) as text: one field a
 * line, one row of a matrix a line, 17 significant digits. out: the caller's,
 * kith_i_free. */
kith_status kith_i_json_text(json_t *value, char **out, kith_error *err);

/* Put value (taken, may be NULL) under key; nonzero and *failed is set when
 * memory is short. */
int kith_i_json_put(json_t *object, const char *key, json_t *value,
                    int *failed);

/* object, or NULL (and it is freed) if failed. */
json_t *kith_i_json_done(json_t *object, int failed);

#endif
