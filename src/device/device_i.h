/* Inside a device: what kith_device holds, and its saved record. */
#ifndef KITH_DEVICE_I_H
#define KITH_DEVICE_I_H

#include "draw.h"
#include "kith/device.h"
#include "task.h"

enum {
    KITH_I_REPORT_ROOM = 44, /* bytes of the longest report in an envelope */
    KITH_I_ROUNDS_MAX = 64   /* of a task: more only waste a device's time */
};

typedef enum kith_i_device_state {
    KITH_I_DEVICE_JOINED = 1, /* has its half of the draw */
    KITH_I_DEVICE_ENROLLED,   /* has both */
    KITH_I_DEVICE_ANSWERED    /* paid; the report is kept and never changes */
} kith_i_device_state;

typedef struct kith_i_device {
    const char *why;
    uint64_t epsilon; /* that the task declares, 2^-50 */
    uint64_t charged; /* 0, or what the report cost */
    uint32_t state;
    /* The next round must have this digest itself (1), or follow the round
     * that has it (0). */
    uint32_t joining;
    uint32_t report_bytes;
    kith_i_chain chain;
    uint8_t r[KITH_I_DRAW_BYTES], tag[KITH_I_DRAW_BYTES];
    uint8_t report[KITH_I_REPORT_ROOM];
} kith_i_device;

_Static_assert(sizeof(kith_i_device) <= sizeof(kith_device), "fits");

struct kith_round_view {
    kith_i_round round;
};

/* Everything at once, checked. NULL, or what is wrong. */
const char *kith_i_device_decode(const uint8_t saved[KITH_DEVICE_BYTES],
                                 kith_i_device *out);

/* Which group of the round has this device; UINT32_MAX: none. */
uint32_t kith_i_device_group(const kith_i_device *device,
                             const kith_i_round *round);
/* Where this device's report belongs, and its nonce. */
void kith_i_device_ticket(const kith_i_device *device,
                          const kith_i_round *round, uint32_t group,
                          kith_i_ticket *out);
/* The envelope around a device's report. */
void kith_i_envelope_write(const kith_i_device *device,
                           uint8_t out[KITH_ENVELOPE_BYTES]);
/* Epsilon that the wallet has left, 2^-50. */
uint64_t kith_i_wallet_left(const kith_device_host *host);

#endif
