/* A report as bytes: 40 of header, little-endian, and a payload whose size the
 * mechanism fixes, so that length says nothing about a record.
 *
 *   0  'k', version    4  task id (16)   22  group
 *   2  mechanism      20  round          24  nonce (16)
 *   3  flags: 0                          40  payload
 *
 * Client and server code. */
#include "respond.h"

#include <string.h>

enum { MAGIC = 'k', VERSION = 1 };

uint32_t kith_i_number_bytes(uint64_t outputs)
{
    return outputs <= 256 ? 1 : outputs <= 65536 ? 2 : 4;
}

void kith_i_report_write_header(kith_i_randomizer kind,
                                const kith_i_ticket *ticket, uint8_t *bytes)
{
    bytes[0] = MAGIC;
    bytes[1] = VERSION;
    bytes[2] = (uint8_t)kind;
    bytes[3] = 0;
    memcpy(bytes + 4, ticket->task, KITH_I_TASK_BYTES);
    bytes[20] = (uint8_t)ticket->round;
    bytes[21] = (uint8_t)(ticket->round >> 8);
    bytes[22] = (uint8_t)ticket->group;
    bytes[23] = (uint8_t)(ticket->group >> 8);
    memcpy(bytes + 24, ticket->nonce, KITH_I_NONCE_BYTES);
}

const char *kith_i_report_read(const uint8_t *bytes, size_t count,
                               kith_i_report *out)
{
    if (count <= KITH_I_HEADER_BYTES)
        return "the report is too short";
    if (bytes[0] != MAGIC || bytes[1] != VERSION)
        return "this is not a report, or of another version";
    if (bytes[2] < KITH_I_RANDOMIZER_KRR ||
        bytes[2] > KITH_I_RANDOMIZER_GAUSSIAN)
        return "the report names an unknown mechanism";
    if (bytes[3] != 0)
        return "the report has unknown flags";
    out->kind = (kith_i_randomizer)bytes[2];
    memcpy(out->ticket.task, bytes + 4, KITH_I_TASK_BYTES);
    out->ticket.round = (uint16_t)(bytes[20] | bytes[21] << 8);
    out->ticket.group = (uint16_t)(bytes[22] | bytes[23] << 8);
    memcpy(out->ticket.nonce, bytes + 24, KITH_I_NONCE_BYTES);
    out->payload = bytes + KITH_I_HEADER_BYTES;
    out->payload_bytes = count - KITH_I_HEADER_BYTES;
    return NULL;
}

uint64_t kith_i_report_number(const kith_i_report *report, uint64_t outputs)
{
    uint64_t number = 0;
    if (report->payload_bytes != kith_i_number_bytes(outputs))
        return UINT64_MAX;
    for (size_t i = report->payload_bytes; i-- > 0;)
        number = number << 8 | report->payload[i];
    return number < outputs ? number : UINT64_MAX;
}
