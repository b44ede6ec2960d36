/* One-time codes: a serial and a MAC of it, so that only spent ones are kept.
 * 4 + 12 bytes, 22 characters of base64url. */
#include <string.h>

#include "base/digest.h"
#include "device/base64.h"
#include "device/little_endian.h"
#include "service_i.h"

enum { SERIAL = 4, CODE = 16, TEXT = 22, PADDED = 24 };

static void fill(const kith_i_live *live, uint32_t serial, uint8_t code[CODE])
{
    uint8_t all[KITH_I_TASK_BYTES + SERIAL + 6], mac[KITH_I_MAC_BYTES];
    memcpy(all, live->id, KITH_I_TASK_BYTES);
    memcpy(all + KITH_I_TASK_BYTES, "invite", 6);
    kith_i_store(serial, all + KITH_I_TASK_BYTES + 6, SERIAL);
    kith_i_mac(live->key, all, sizeof all, mac);
    kith_i_store(serial, code, SERIAL);
    memcpy(code + SERIAL, mac, CODE - SERIAL);
}

static void swap(char *text, char a, char b)
{
    for (; *text; text++)
        *text = *text == a ? b : *text;
}

void kith_i_invitation_make(const kith_i_live *live, uint32_t serial,
                            char out[TEXT + 1])
{
    uint8_t code[CODE];
    char text[PADDED + 1] = "";
    fill(live, serial, code);
    kith_i_base64_write(code, CODE, text);
    text[TEXT] = 0;
    swap(text, '+', '-');
    swap(text, '/', '_');
    memcpy(out, text, TEXT + 1);
}

int64_t kith_i_invitation_serial(const kith_i_live *live, const char *given)
{
    uint8_t code[CODE], wanted[CODE];
    char text[PADDED + 1];
    unsigned differ = 0;
    if (!given || strlen(given) != TEXT)
        return -1;
    memcpy(text, given, TEXT);
    memcpy(text + TEXT, "==", 3);
    swap(text, '-', '+');
    swap(text, '_', '/');
    if (kith_i_base64_read(text, PADDED, NULL) != CODE)
        return -1;
    kith_i_base64_read(text, PADDED, code);
    uint32_t serial = (uint32_t)kith_i_load32(code);
    fill(live, serial, wanted);
    for (int i = 0; i < CODE; i++)
        differ |= (unsigned)(code[i] ^ wanted[i]);
    return differ ? -1 : (int64_t)serial;
}
