/* Keys and signatures in minisign's format; see sign_minisign.h. */
#include "sign_minisign.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "cli.h"
#include "output.h"

/* The secret key as it is in its file, base64. */
typedef struct sign_key {
    unsigned char algorithm[2]; /* "Ed" */
    unsigned char stretch[2];   /* "Sc": by a password; zero: none */
    unsigned char check[2];     /* "B2" */
    unsigned char salt[32], operations[8], memory[8];
    struct locked {
        unsigned char name[8], secret[64], checksum[32];
    } locked; /* xor the stretched password */
} secret_key;

typedef struct public_key {
    unsigned char algorithm[2], name[8], key[32];
} public_key;

typedef struct signed_hash {
    unsigned char algorithm[2]; /* "ED": of BLAKE2b-512 of the file */
    unsigned char name[8], signature[64];
} signed_hash;

enum { BASE64_ROOM = 256, LINE_ROOM = 1024 };
_Static_assert(sizeof(secret_key) == 158 && sizeof(public_key) == 42 &&
                   sizeof(signed_hash) == 74,
               "as minisign has them");

static void encode(char out[BASE64_ROOM], const void *data, size_t size)
{
    sodium_bin2base64(out, BASE64_ROOM, data, size,
                      sodium_base64_VARIANT_ORIGINAL);
}

static void checksum(const secret_key *key, unsigned char out[32])
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, 32);
    crypto_generichash_update(&state, key->algorithm, 2);
    crypto_generichash_update(&state, key->locked.name, 8);
    crypto_generichash_update(&state, key->locked.secret, 64);
    crypto_generichash_final(&state, out, 32);
}

static void print_key_name(char out[17], const unsigned char name[8])
{
    for (int i = 0; i < 8; i++)
        snprintf(out + 2 * i, 3, "%02X", name[7 - i]);
}

static int start_sodium(void)
{
    return sodium_init() < 0 ? cli_fail(CLI_ENTROPY, "no secure randomness")
                             : CLI_OK;
}

/* ---- a new key ---- */

/* A file that is not there yet. Exit code. */
static int write_new(const char *path, mode_t mode, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
        return errno == EEXIST
                   ? cli_usage("%s is there already: a key is never "
                               "overwritten",
                               path)
                   : cli_fail(CLI_FAILED, "cannot write %s: %s", path,
                              strerror(errno));
    size_t length = strlen(text);
    int bad = write(fd, text, length) != (ssize_t)length || fsync(fd);
    int saved = errno;
    bad |= close(fd);
    if (!bad)
        return CLI_OK;
    unlink(path);
    return cli_fail(CLI_FAILED, "cannot write %s: %s", path, strerror(saved));
}

int sign_new_key(const char *path)
{
    secret_key secret = {.algorithm = "Ed", .check = "B2"};
    public_key public = {.algorithm = "Ed"};
    unsigned char digest[crypto_generichash_BYTES_MIN]; /* names the key */
    char name[17], line[BASE64_ROOM], text[LINE_ROOM], *beside;
    int code = start_sodium();
    if (code)
        return code;
    crypto_sign_keypair(public.key, secret.locked.secret);
    crypto_generichash(digest, sizeof digest, public.key, 32, NULL, 0);
    memcpy(public.name, digest, sizeof public.name);
    memcpy(secret.locked.name, digest, sizeof public.name);
    checksum(&secret, secret.locked.checksum);
    print_key_name(name, public.name);
    if (asprintf(&beside, "%s.pub", path) < 0)
        return cli_no_memory();
    encode(line, &secret, sizeof secret);
    snprintf(text, sizeof text,
             "untrusted comment: minisign encrypted secret key\n%s\n", line);
    code = write_new(path, 0600, text);
    encode(line, &public, sizeof public);
    snprintf(text, sizeof text,
             "untrusted comment: minisign public key %s\n%s\n", name, line);
    if (!code && (code = write_new(beside, 0644, text)))
        unlink(path);
    if (!code)
        cli_note("secret key: %s (keep it; it has no password)\npublic key %s: "
                 "%s (give it to readers)",
                 path, name, beside);
    sodium_memzero(&secret, sizeof secret);
    sodium_memzero(line, sizeof line);
    sodium_memzero(text, sizeof text);
    free(beside);
    return code;
}

/* ---- the secret key ---- */

static int ask_password(char *out, size_t size)
{
    FILE *terminal = fopen("/dev/tty", "r+");
    struct termios before, silent;
    if (!terminal || tcgetattr(fileno(terminal), &before)) {
        if (terminal)
            fclose(terminal);
        return cli_fail(CLI_INPUT, "the key has a password, and there is no "
                                   "terminal to ask for it");
    }
    silent = before;
    silent.c_lflag &= ~(tcflag_t)ECHO;
    tcsetattr(fileno(terminal), TCSAFLUSH, &silent);
    fputs("Password: ", terminal);
    fflush(terminal);
    char *got = fgets(out, (int)size, terminal);
    tcsetattr(fileno(terminal), TCSAFLUSH, &before);
    fputs("\n", terminal);
    fclose(terminal);
    if (!got)
        return cli_fail(CLI_INPUT, "no password was given");
    out[strcspn(out, "\n")] = 0;
    return CLI_OK;
}

static uint64_t little_endian(const unsigned char bytes[8])
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static int unlock(secret_key *key)
{
    char password[LINE_ROOM];
    unsigned char stream[sizeof key->locked];
    unsigned char *locked = (unsigned char *)&key->locked;
    int code = ask_password(password, sizeof password);
    if (!code &&
        crypto_pwhash_scryptsalsa208sha256(
            stream, sizeof stream, password, strlen(password), key->salt,
            little_endian(key->operations), (size_t)little_endian(key->memory)))
        code = cli_no_memory();
    for (size_t i = 0; !code && i < sizeof stream; i++)
        locked[i] ^= stream[i];
    sodium_memzero(password, sizeof password);
    sodium_memzero(stream, sizeof stream);
    return code;
}

static int read_secret(const char *path, secret_key *out)
{
    char line[LINE_ROOM] = "";
    unsigned char check[32];
    size_t got = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return cli_fail(CLI_INPUT, "%s: %s", path, strerror(errno));
    int bad = 0;
    for (int i = 0; !bad && i < 2; i++) /* the comment, then the key */
        bad = !fgets(line, sizeof line, file);
    bad = bad ||
          sodium_base642bin((unsigned char *)out, sizeof *out, line,
                            strlen(line), " \t\r\n", &got, NULL,
                            sodium_base64_VARIANT_ORIGINAL) ||
          got != sizeof *out || memcmp(out->algorithm, "Ed", 2) != 0 ||
          memcmp(out->check, "B2", 2) != 0;
    fclose(file);
    sodium_memzero(line, sizeof line);
    if (bad)
        return cli_fail(CLI_INPUT, "%s: not a secret key of minisign", path);
    int code = memcmp(out->stretch, "Sc", 2) ? CLI_OK : unlock(out);
    if (code)
        return code;
    checksum(out, check);
    if (sodium_memcmp(check, out->locked.checksum, sizeof check))
        return cli_fail(CLI_INPUT, "%s: wrong password, or a damaged key",
                        path);
    return CLI_OK;
}

/* ---- a signature ---- */

static int hash_file(const char *path, unsigned char out[64])
{
    unsigned char buffer[1 << 16];
    crypto_generichash_state state;
    size_t n;
    FILE *file = fopen(path, "rb");
    if (!file)
        return cli_fail(CLI_INPUT, "%s: %s", path, strerror(errno));
    crypto_generichash_init(&state, NULL, 0, 64);
    while ((n = fread(buffer, 1, sizeof buffer, file)) > 0)
        crypto_generichash_update(&state, buffer, n);
    int bad = ferror(file);
    fclose(file);
    crypto_generichash_final(&state, out, 64);
    return bad ? cli_fail(CLI_INPUT, "%s: cannot be read", path) : CLI_OK;
}

static int write_signature(const char *path, const secret_key *key,
                           const unsigned char hash[64], const char *comment)
{
    signed_hash s = {.algorithm = "ED"};
    unsigned char over_all[64];
    char first[BASE64_ROOM], second[BASE64_ROOM];
    size_t length = strlen(comment);
    unsigned char *joined = malloc(64 + length + 1);
    output o = {0};
    if (!joined)
        return cli_no_memory();
    memcpy(s.name, key->locked.name, 8);
    crypto_sign_detached(s.signature, NULL, hash, 64, key->locked.secret);
    memcpy(joined, s.signature, 64);
    memcpy(joined + 64, comment, length);
    crypto_sign_detached(over_all, NULL, joined, 64 + length,
                         key->locked.secret);
    free(joined);
    encode(first, &s, sizeof s);
    encode(second, over_all, sizeof over_all);
    int code = output_replace(&o, path);
    if (!code)
        fprintf(o.file,
                "untrusted comment: signature of a kith model\n%s\n"
                "trusted comment: %s\n%s\n",
                first, comment, second);
    return output_save(&o, code);
}

int sign_key_open(const char *path, sign_key **out)
{
    int code = start_sodium();
    *out = code ? NULL : calloc(1, sizeof **out);
    if (code)
        return code;
    return *out ? read_secret(path, *out) : cli_no_memory();
}

void sign_key_close(sign_key *key)
{
    if (key)
        sodium_memzero(key, sizeof *key);
    free(key);
}

int sign_file(const char *file, const sign_key *key, const char *comment)
{
    unsigned char hash[64];
    char *path = NULL;
    int code = hash_file(file, hash);
    if (!code && asprintf(&path, "%s.minisig", file) < 0)
        code = cli_no_memory();
    if (!code)
        code = write_signature(path, key, hash, comment);
    free(path);
    return code;
}
