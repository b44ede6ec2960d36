/* kith/device.h - what runs on a user's device. */
#ifndef KITH_DEVICE_H
#define KITH_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fill `count` bytes that nobody can guess; 0 when that was done. */
typedef int kith_random_fn(void *arg, void *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
