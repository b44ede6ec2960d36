/* Secrets for operators. */
#include <string.h>

#include "base/digest.h"
#include "device/base64.h"
#include "device/little_endian.h"
#include "noise/secret.h"
#include "service_i.h"

kith_status kith_collect_new_token(char token[44], kith_error *err)
{
    uint8_t secret[32];
    char text[45] = "";
    if (!token)
        return kith_i_fail_place(err);
    kith_status status = kith_i_secret_bytes(secret, sizeof secret, err);
    if (status)
        return status;
    kith_i_base64_write(secret, sizeof secret, text);
    for (int i = 0; i < 43; i++)
        token[i] = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];
    token[43] = 0;
    kith_i_wipe(secret, sizeof secret);
    kith_i_wipe(text, sizeof text);
    return KITH_OK;
}

void kith_collect_token_digest(const char *token, char hex[65])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[32];
    if (hex)
        hex[0] = 0;
    if (!token || !hex)
        return;
    kith_i_digest(token, strlen(token), digest);
    for (int i = 0; i < 32; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[64] = 0;
}
