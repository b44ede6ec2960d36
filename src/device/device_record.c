/* A device as 256 bytes, little-endian:
 *
 *   0  'k' 'd', version, state    40  r (16)          104  loss charged
 *   4  next round                 56  tag (16)        112  report (44)
 *   8  joining                    72  digest (32)     156  zeros
 *   9  bytes of the report                            224  SHA-256 of 0..224
 *  10  zeros
 *  16  loss declared (8)
 *  24  task (16)
 *
 * The envelope, which is made of these bytes alone:
 *
 *   0  version, bytes of the report, 0, 0
 *   4  r (16)    20  tag (16)    36  report (44)
 *
 * Client code. */
#include <string.h>

#include "device_i.h"
#include "forget.h"
#include "little_endian.h"

enum {
    VERSION = 1,
    AT_NEXT = 4,
    AT_JOINING = 8,
    AT_LENGTH = 9,
    AT_ZERO = 10,
    AT_EPSILON = 16,
    AT_TASK = 24,
    AT_R = 40,
    AT_TAG = 56,
    AT_DIGEST = 72,
    AT_CHARGED = 104,
    AT_REPORT = 112,
    AT_END = AT_REPORT + KITH_I_REPORT_ROOM,
    AT_SUM = KITH_DEVICE_BYTES - KITH_I_SHA256_BYTES
};

void kith_device_save(const kith_device *device, uint8_t out[KITH_DEVICE_BYTES])
{
    const kith_i_device *d = (const kith_i_device *)device;
    if (out)
        memset(out, 0, KITH_DEVICE_BYTES); /* which cannot be loaded */
    if (!device || !out)
        return;
    out[0] = 'k';
    out[1] = 'd';
    out[2] = VERSION;
    out[3] = (uint8_t)d->state;
    kith_i_store(d->chain.next, out + AT_NEXT, 4);
    out[AT_JOINING] = (uint8_t)d->joining;
    out[AT_LENGTH] = (uint8_t)d->report_bytes;
    kith_i_store(d->epsilon, out + AT_EPSILON, 8);
    memcpy(out + AT_TASK, d->chain.task, KITH_I_TASK_BYTES);
    memcpy(out + AT_R, d->r, sizeof d->r);
    memcpy(out + AT_TAG, d->tag, sizeof d->tag);
    memcpy(out + AT_DIGEST, d->chain.digest, KITH_I_SHA256_BYTES);
    kith_i_store(d->charged, out + AT_CHARGED, 8);
    memcpy(out + AT_REPORT, d->report, sizeof d->report);
    kith_i_sha256(out, AT_SUM, out + AT_SUM);
}

static int all_zero(const uint8_t *p, size_t count)
{
    uint8_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= p[i];
    return any == 0;
}

static const char *record_flaw(const uint8_t *saved, const kith_i_device *d)
{
    int answered = d->state == KITH_I_DEVICE_ANSWERED;
    if (d->state < KITH_I_DEVICE_JOINED || d->state > KITH_I_DEVICE_ANSWERED ||
        d->joining > 1 || d->chain.next > KITH_I_ROUNDS_MAX ||
        !all_zero(saved + AT_ZERO, AT_EPSILON - AT_ZERO) ||
        !all_zero(saved + AT_END, AT_SUM - AT_END))
        return "the saved device makes no sense";
    if (answered ? d->charged == 0 || d->charged > d->epsilon ||
                       d->report_bytes <= KITH_I_HEADER_BYTES ||
                       d->report_bytes > KITH_I_REPORT_ROOM
                 : d->charged != 0 || d->report_bytes != 0)
        return "the saved device was charged for nothing, or not for an answer";
    return NULL;
}

const char *kith_i_device_decode(const uint8_t saved[KITH_DEVICE_BYTES],
                                 kith_i_device *out)
{
    uint8_t sum[KITH_I_SHA256_BYTES];
    kith_i_sha256(saved, AT_SUM, sum);
    if (memcmp(sum, saved + AT_SUM, sizeof sum) != 0 || saved[0] != 'k' ||
        saved[1] != 'd')
        return "this is not a saved device, or it was damaged";
    if (saved[2] != VERSION)
        return "the device was saved by another version";
    *out = (kith_i_device){.why = "",
                           .state = saved[3],
                           .joining = saved[AT_JOINING],
                           .report_bytes = saved[AT_LENGTH],
                           .epsilon = kith_i_load64(saved + AT_EPSILON),
                           .charged = kith_i_load64(saved + AT_CHARGED)};
    out->chain.next = kith_i_load32(saved + AT_NEXT);
    memcpy(out->chain.task, saved + AT_TASK, KITH_I_TASK_BYTES);
    memcpy(out->chain.digest, saved + AT_DIGEST, KITH_I_SHA256_BYTES);
    memcpy(out->r, saved + AT_R, sizeof out->r);
    memcpy(out->tag, saved + AT_TAG, sizeof out->tag);
    memcpy(out->report, saved + AT_REPORT, sizeof out->report);
    return record_flaw(saved, out);
}

kith_status kith_device_load(kith_device *device,
                             const uint8_t saved[KITH_DEVICE_BYTES])
{
    kith_i_device *d = (kith_i_device *)device;
    if (!device || !saved)
        return KITH_ERR_ARGUMENT;
    const char *flaw = kith_i_device_decode(saved, d);
    if (!flaw)
        return KITH_OK;
    *d = (kith_i_device){.why = flaw};
    return KITH_ERR_INPUT;
}

kith_status kith_device_spent(const uint8_t saved[KITH_DEVICE_BYTES],
                              uint64_t *spent)
{
    kith_i_device d;
    if (spent)
        *spent = 0;
    if (!saved || !spent)
        return KITH_ERR_ARGUMENT;
    kith_status status =
        kith_i_device_decode(saved, &d) ? KITH_ERR_INPUT : KITH_OK;
    if (!status)
        *spent = d.charged;
    kith_i_forget(&d, sizeof d);
    return status;
}

void kith_i_envelope_write(const kith_i_device *d,
                           uint8_t out[KITH_ENVELOPE_BYTES])
{
    enum { ENVELOPE_VERSION = 1 };
    memset(out, 0, KITH_ENVELOPE_BYTES);
    out[0] = ENVELOPE_VERSION;
    out[1] = (uint8_t)d->report_bytes;
    memcpy(out + 4, d->r, sizeof d->r);
    memcpy(out + 20, d->tag, sizeof d->tag);
    memcpy(out + 36, d->report, sizeof d->report);
}

kith_status kith_device_envelope(const uint8_t saved[KITH_DEVICE_BYTES],
                                 uint8_t out[KITH_ENVELOPE_BYTES])
{
    kith_i_device d;
    if (out)
        memset(out, 0, KITH_ENVELOPE_BYTES);
    if (!saved || !out)
        return KITH_ERR_ARGUMENT;
    kith_status status =
        kith_i_device_decode(saved, &d) ? KITH_ERR_INPUT : KITH_OK;
    if (!status && d.state != KITH_I_DEVICE_ANSWERED)
        status = KITH_ERR_ARGUMENT;
    if (!status)
        kith_i_envelope_write(&d, out);
    kith_i_forget(&d, sizeof d);
    return status;
}
