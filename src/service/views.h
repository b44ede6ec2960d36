/* Small parts of views.c that others need. */
#ifndef KITH_VIEWS_H
#define KITH_VIEWS_H

#include <jansson.h>

#include "service_i.h"

/* Two columns of text into char *[2]: kith_i_free. */
kith_i_row_fn kith_i_read_text;
/* A refusal's name and count into a JSON object. */
kith_i_row_fn kith_i_view_counter;

json_t *kith_i_view_hex(const uint8_t *bytes, size_t count);
json_t *kith_i_view_name(const kith_i_live *live);
json_t *kith_i_view_count(uint64_t n);
/* Text for kith_text_free; takes the JSON. */
kith_status kith_i_view_text(json_t *json, char **out, kith_error *err);

#endif
