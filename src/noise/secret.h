/* Secret bytes at once: keys, names of runs and processes. */
#ifndef KITH_SECRET_H
#define KITH_SECRET_H

#include <stddef.h>

#include "kith/status.h"

/* KITH_ERR_ENTROPY: the generator failed, and out holds zeros. */
kith_status kith_i_secret_bytes(void *out, size_t bytes, kith_error *err);

#endif
