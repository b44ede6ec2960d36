/* A signature in minisign's format: Ed25519 over the file, or over BLAKE2b-512
 * of it, and over the trusted comment. */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verify_i.h"

enum { KEY_SIZE = 42, SIGNATURE_SIZE = 74, NAME_AT = 2, NAME_BYTES = 8 };
enum { VALUE_AT = NAME_AT + NAME_BYTES };
static const char TRUSTED[] = "trusted comment: ";

/* Line number i of data (with a NUL behind it), without its end; 0: there is
 * none. */
static int find_line(const char *data, size_t size, int i, const char **line,
                     size_t *length)
{
    const char *at = data, *end = data + size;
    for (; i > 0; i--) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at)
            return 0;
        at++;
    }
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    *line = at;
    *length = (size_t)((stop ? stop : end) - at);
    while (*length && (at[*length - 1] == '\r'))
        --*length;
    return 1;
}

static int decode_line(const char *data, size_t size, int i, unsigned char *out,
                       size_t out_size)
{
    const char *line;
    size_t length, got = 0;
    return find_line(data, size, i, &line, &length) &&
           !sodium_base642bin(out, out_size, line, length, " \t", &got, NULL,
                              sodium_base64_VARIANT_ORIGINAL) &&
           got == out_size;
}

/* Why not; NULL: key is set. */
static const char *read_key(const char *path, unsigned char key[KEY_SIZE])
{
    size_t size = 0;
    char *data = verify_load(path, &size);
    const char *why = !data ? "cannot be read"
                      : !decode_line(data, size, 1, key, KEY_SIZE) ||
                              memcmp(key, "Ed", 2) != 0
                          ? "is not a public key of minisign"
                          : NULL;
    free(data);
    return why;
}

const char *verify_key_problem(const char *path)
{
    unsigned char key[KEY_SIZE];
    return read_key(path, key);
}

typedef struct signature {
    unsigned char key[KEY_SIZE], value[SIGNATURE_SIZE];
    /* What the second signature is over: the first one and the comment. */
    unsigned char over_all[crypto_sign_BYTES], *over;
    size_t over_size;
} signature;

static int read_signature(signature *s, const char *path, const char *key_path)
{
    const char *comment;
    char *name = NULL;
    size_t size = 0, length = 0, prefix = sizeof TRUSTED - 1;
    char *data = asprintf(&name, "%s.minisig", path) < 0
                     ? NULL
                     : verify_load(name, &size);
    int good = data && !read_key(key_path, s->key) &&
               decode_line(data, size, 1, s->value, SIGNATURE_SIZE) &&
               decode_line(data, size, 3, s->over_all, sizeof s->over_all) &&
               find_line(data, size, 2, &comment, &length) &&
               length >= prefix && !memcmp(comment, TRUSTED, prefix);
    if (good) {
        s->over_size = crypto_sign_BYTES + length - prefix;
        s->over = malloc(s->over_size + 1);
        good = s->over != NULL;
    }
    if (good) {
        memcpy(s->over, s->value + VALUE_AT, crypto_sign_BYTES);
        memcpy(s->over + crypto_sign_BYTES, comment + prefix, length - prefix);
    }
    free(name);
    free(data);
    return good;
}

static int is_good(const signature *s, const char *path)
{
    unsigned char hash[crypto_generichash_BYTES_MAX];
    size_t size = 0;
    char *data = verify_load(path, &size);
    const unsigned char *message = (const unsigned char *)data;
    int hashed = !memcmp(s->value, "ED", 2);
    int good = data && (hashed || !memcmp(s->value, "Ed", 2)) &&
               !memcmp(s->value + NAME_AT, s->key + NAME_AT, NAME_BYTES);
    if (good && hashed) {
        crypto_generichash(hash, sizeof hash, message, size, NULL, 0);
        message = hash;
        size = sizeof hash;
    }
    good = good &&
           !crypto_sign_verify_detached(s->value + VALUE_AT, message, size,
                                        s->key + VALUE_AT) &&
           !crypto_sign_verify_detached(s->over_all, s->over, s->over_size,
                                        s->key + VALUE_AT);
    free(data);
    return good;
}

static int is_missing(const char *path)
{
    char *name = NULL;
    int missing =
        asprintf(&name, "%s.minisig", path) < 0 ? 0 : access(name, F_OK) != 0;
    free(name);
    return missing;
}

void verify_signature(finding *f, const char *path, const char *key_path)
{
    signature s = {0};
    if (is_missing(path)) {
        verify_bad(f, "signature",
                   "MODEL.minisig is missing: nobody has signed this file, or "
                   "it was left behind");
        return;
    }
    if (sodium_init() < 0 || !read_signature(&s, path, key_path)) {
        verify_bad(f, "signature", "MODEL.minisig cannot be read");
        free(s.over);
        return;
    }
    f->has_signature = 1;
    f->signature_good = is_good(&s, path);
    for (int i = 0; i < NAME_BYTES; i++)
        snprintf(f->key_name + 2 * i, 3, "%02X", s.key[VALUE_AT - 1 - i]);
    if (f->signature_good)
        verify_clean((const char *)s.over + crypto_sign_BYTES,
                     s.over_size - crypto_sign_BYTES, f->comment,
                     sizeof f->comment);
    else
        verify_bad(f, "signature", "it is not one of this file by this key");
    free(s.over);
}
