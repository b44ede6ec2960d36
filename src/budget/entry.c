/* Entries of a ledger: canonical texts and the chain of their hashes.
 *
 * A body is a JSON object with its keys in order, strings and whole numbers
 * only, no blanks: the same facts are the same bytes, in every store and every
 * language. A hash covers seven texts, each after its length in 8 bytes, the
 * highest first, so that no two entries are the same bytes. */
#include "ledger_i.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base_i.h"

/* ---- bodies ---- */

static void add(kith_i_body *body, const char *text, size_t count)
{
    if (body->room && !body->text)
        return; /* memory was short before */
    if (body->used + count + 2 > body->room) {
        size_t room = 2 * (body->used + count) + 256;
        char *grown = kith_i_resize(body->text, body->room, room, 1);
        if (!grown)
            kith_i_free(body->text);
        body->text = grown;
        body->room = room;
        if (!grown)
            return;
    }
    memcpy(body->text + body->used, text, count);
    body->used += count;
}

static void add_string(kith_i_body *body, const char *text)
{
    add(body, "\"", 1);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            add(body, "\\", 1);
        add(body, text, 1);
    }
    add(body, "\"", 1);
}

static void add_key(kith_i_body *body, const char *key)
{
    add(body, body->used ? "," : "{", 1);
    add_string(body, key);
    add(body, ":", 1);
}

void kith_i_body_text(kith_i_body *body, const char *key, const char *value)
{
    if (!value)
        return;
    add_key(body, key);
    add_string(body, value);
}

void kith_i_body_number(kith_i_body *body, const char *key, uint64_t value)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    add_key(body, key);
    add(body, text, (size_t)n);
}

void kith_i_body_real(kith_i_body *body, const char *key, double value)
{
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    kith_i_body_text(body, key, text);
}

char *kith_i_body_done(kith_i_body *body)
{
    add(body, body->used ? "}" : "{}", body->used ? 1 : 2);
    if (body->text)
        body->text[body->used] = '\0';
    return body->text;
}

/* ---- the chain ---- */

void kith_i_hex(const uint8_t *bytes, size_t count, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * count] = '\0';
}

void kith_i_text_digest(const char *text, char out[KITH_I_HASH_TEXT])
{
    uint8_t digest[KITH_I_DIGEST_BYTES];
    kith_i_digest(text, strlen(text), digest);
    kith_i_hex(digest, sizeof digest, out);
}

void kith_i_entry_hash(const kith_i_link *link, char out[KITH_I_HASH_TEXT])
{
    char seq[24];
    snprintf(seq, sizeof seq, "%llu", (unsigned long long)link->seq);
    const char *parts[] = {"kith-ledger-1", link->ledger, link->account, seq,
                           link->before,    link->at,     link->body};
    kith_i_digest_state state;
    uint8_t digest[KITH_I_DIGEST_BYTES];
    kith_i_digest_start(&state);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        uint64_t count = strlen(parts[i]);
        uint8_t length[8];
        for (int b = 0; b < 8; b++)
            length[b] = (uint8_t)(count >> (56 - 8 * b));
        kith_i_digest_add(&state, length, sizeof length);
        kith_i_digest_add(&state, parts[i], count);
    }
    kith_i_digest_end(&state, digest);
    kith_i_hex(digest, sizeof digest, out);
}

void kith_i_time_text(char out[KITH_I_TIME_TEXT])
{
    time_t now = time(NULL);
    struct tm parts;
    if (!gmtime_r(&now, &parts) ||
        !strftime(out, KITH_I_TIME_TEXT, "%Y-%m-%dT%H:%M:%SZ", &parts))
        out[0] = '\0';
}
