/* Rows on disk; see spill.h.
 *
 * Claim: the file tells whoever reads it nothing but the number of chunks, and
 *   a chunk that was changed, cut or moved is not taken for rows.
 * Because: ChaCha20-Poly1305 under a key drawn for this file alone, with the
 *   chunk's number as nonce, and each number is written once; the key lives in
 *   locked memory and is wiped. */
#include "spill.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/base_i.h"
#include "noise/secret.h"

enum {
    TAG = crypto_aead_chacha20poly1305_ietf_ABYTES,
    NONCE = crypto_aead_chacha20poly1305_ietf_NPUBBYTES,
    KEY = crypto_aead_chacha20poly1305_ietf_KEYBYTES
};

struct kith_i_spill {
    int fd;
    size_t place; /* bytes from a chunk to the next */
    unsigned char *key;
};

static int is_network(const char *folder)
{
    /* NFS, SMB (three), AFS, Ceph, Lustre, GPFS, FUSE (perhaps) */
    static const unsigned long known[] = {0x6969,     0x517b,     0xff534d42,
                                          0xfe534d42, 0x5346414f, 0x00c36400,
                                          0x0bd00bd0, 0x47504653, 0x65735546};
    struct statfs info;
    if (statfs(folder, &info))
        return 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (((unsigned long)info.f_type & 0xffffffff) == known[i])
            return 1;
    return 0;
}

/* A file that has no name, or loses it at once. */
static int open_nameless(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    size_t room = strlen(folder) + 32;
    char *name = kith_i_alloc(room, 1);
    if (!name)
        return -1;
    snprintf(name, room, "%s/.kith-spill-XXXXXX", folder);
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    kith_i_free(name);
    return fd;
}

kith_status kith_i_spill_open(const char *folder, size_t most, int anywhere,
                              kith_i_spill **out, kith_error *err)
{
    if (!anywhere && is_network(folder))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "%.200s is on a network file system: rows would "
                           "travel to it in every pass; name a local folder, "
                           "or force it",
                           folder);
    kith_i_spill *s = kith_i_alloc(1, sizeof *s);
    if (!s)
        return kith_i_fail_memory(err);
    s->place = most + TAG;
    s->fd = open_nameless(folder);
    if (s->fd < 0) {
        int why = errno;
        kith_i_free(s);
        return kith_i_fail(err, KITH_ERR_STORE,
                           "%.200s: rows cannot be kept there: %s", folder,
                           strerror(why));
    }
    s->key = sodium_init() < 0 ? NULL : sodium_malloc(KEY);
    if (!s->key) {
        kith_i_spill_close(s);
        return kith_i_fail_memory(err);
    }
    kith_status status = kith_i_secret_bytes(s->key, KEY, err);
    if (status) {
        kith_i_spill_close(s);
        return status;
    }
    /* Every pass is from the beginning to the end: the kernel reads ahead
     * (decision 33). */
    (void)posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    *out = s;
    return KITH_OK;
}

void kith_i_spill_close(kith_i_spill *s)
{
    if (!s)
        return;
    if (s->key)
        sodium_free(s->key); /* wipes */
    close(s->fd);
    kith_i_free(s);
}

size_t kith_i_spill_room(const kith_i_spill *s)
{
    return 2 * s->place;
}

static void set_nonce(uint64_t number, unsigned char nonce[NONCE])
{
    memset(nonce, 0, NONCE);
    memcpy(nonce, &number, sizeof number);
}

kith_status kith_i_spill_write(const kith_i_spill *s, uint64_t number,
                               const void *rows, size_t bytes, void *room,
                               kith_error *err)
{
    unsigned char nonce[NONCE], *sealed = room;
    unsigned long long length = 0;
    set_nonce(number, nonce);
    crypto_aead_chacha20poly1305_ietf_encrypt(sealed, &length, rows, bytes,
                                              NULL, 0, NULL, nonce, s->key);
    off_t at = (off_t)(number * s->place);
    for (size_t done = 0; done < length;) {
        ssize_t put =
            pwrite(s->fd, sealed + done, length - done, at + (off_t)done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return kith_i_fail(err, KITH_ERR_STORE,
                               "rows cannot be kept on disk: %s; nothing was "
                               "charged",
                               put ? strerror(errno) : "nothing is written");
        done += (size_t)put;
    }
    return KITH_OK;
}

const void *kith_i_spill_read(const kith_i_spill *s, uint64_t number,
                              size_t bytes, void *room)
{
    unsigned char nonce[NONCE], *sealed = room, *rows = sealed + s->place;
    size_t length = bytes + TAG;
    off_t at = (off_t)(number * s->place);
    for (size_t done = 0; done < length;) {
        ssize_t got =
            pread(s->fd, sealed + done, length - done, at + (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return NULL;
        done += (size_t)got;
    }
    set_nonce(number, nonce);
    return crypto_aead_chacha20poly1305_ietf_decrypt(
               rows, NULL, NULL, sealed, length, NULL, 0, nonce, s->key)
               ? NULL
               : rows;
}

kith_status kith_i_spill_fail(kith_error *err)
{
    return kith_i_fail(err, KITH_ERR_STORE,
                       "rows that were kept on disk cannot be read back, or "
                       "were changed: nothing was released, the budget stays "
                       "spent");
}
