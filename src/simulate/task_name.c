/* A task's id as it is in links: 22 characters of base64url. */
#include <string.h>

#include "device/base64.h"
#include "kith/task.h"

enum { CHARACTERS = 22, PADDED = 24 };

void kith_task_name(const uint8_t id[KITH_TASK_ID_BYTES], char out[23])
{
    char text[PADDED];
    if (out)
        out[0] = 0;
    if (!id || !out)
        return;
    kith_i_base64_write(id, KITH_TASK_ID_BYTES, text);
    for (int i = 0; i < CHARACTERS; i++)
        out[i] = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];
    out[CHARACTERS] = 0;
}

int kith_task_named(const char *name, uint8_t id[KITH_TASK_ID_BYTES])
{
    char text[PADDED];
    if (!name || !id || strlen(name) != CHARACTERS)
        return 0;
    for (int i = 0; i < CHARACTERS; i++) {
        if (name[i] == '+' || name[i] == '/')
            return 0;
        text[i] = name[i] == '-' ? '+' : name[i] == '_' ? '/' : name[i];
    }
    text[22] = text[23] = '=';
    if (kith_i_base64_read(text, PADDED, NULL) != KITH_TASK_ID_BYTES)
        return 0;
    kith_i_base64_read(text, PADDED, id);
    return 1;
}
