/* Structs of options, whose first member is their size: a caller that was
 * compiled with an older header has a shorter one. */
#ifndef KITH_OPTIONS_H
#define KITH_OPTIONS_H

#include <stddef.h>

#include "kith/status.h"

/* opt (size bytes, by the caller) = fresh (known bytes), and its size; what the
 * caller knows beyond is zero. fresh: NULL for all zeros. */
void kith_i_options_init(void *opt, size_t size, const void *fresh,
                         size_t known);

/* Options of a caller over the defaults in opt (size bytes). init: the function
 * that should have set their size. */
kith_status kith_i_options_read(const void *given, const char *init,
                                size_t size, void *opt, kith_error *err);

#endif
