/* respond: one report from one record. Public parameters, secret coins; no
 * allocation and no I/O. Every pointer of a question is used only after
 * kith_i_mechanism_flaw found nothing wrong with it. */
#ifndef KITH_RESPOND_H
#define KITH_RESPOND_H

#include "mechanism.h"
#include "secret_words.h"

#define KITH_I_NONCE_BYTES 16u
#define KITH_I_TASK_BYTES  16u

/* Where a report belongs. The nonce is fixed before the record is looked at.
 */
typedef struct kith_i_ticket {
    uint8_t task[KITH_I_TASK_BYTES];
    uint16_t round, group;
    uint8_t nonce[KITH_I_NONCE_BYTES];
} kith_i_ticket;

/* One group's question, as this device answers it. */
typedef struct kith_i_asked {
    const kith_i_question *question;
    const kith_i_mechanism *mechanism;
    uint32_t d;
    const kith_i_ticket *ticket;
} kith_i_asked;

/* Bytes of every report of this mechanism, and of scratch that a device needs
 * (aligned to 8). */
size_t kith_i_report_bytes(const kith_i_mechanism *mechanism);
size_t kith_i_respond_scratch(const kith_i_mechanism *mechanism);

/* Randomise x and write the report. mechanism and question: without a flaw for
 * this device. Look at words->failed before the bytes leave. */
void kith_i_respond(const kith_i_asked *asked, const double *x,
                    kith_i_words *words, void *scratch, uint8_t *bytes);

/* ---- report_bytes.c: bytes ---- */

#define KITH_I_HEADER_BYTES 40u

typedef struct kith_i_report {
    kith_i_randomizer kind;
    kith_i_ticket ticket;
    const uint8_t *payload; /* into the bytes that were read */
    size_t payload_bytes;
} kith_i_report;

void kith_i_report_write_header(kith_i_randomizer kind,
                                const kith_i_ticket *ticket, uint8_t *bytes);
/* NULL, or what is wrong. Strict: nothing is skipped, nothing is optional. */
const char *kith_i_report_read(const uint8_t *bytes, size_t count,
                               kith_i_report *out);
/* The number in a payload; UINT64_MAX if it is not below `outputs` or the
 * payload has another size. */
uint64_t kith_i_report_number(const kith_i_report *report, uint64_t outputs);

#endif
