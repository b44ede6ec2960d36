/* Task keys are sealed (XSalsa20-Poly1305) where others can read the database:
 * who has a key could choose groups for devices of its own. */
#include <sodium.h>
#include <string.h>

#include "noise/secret.h"
#include "service_i.h"

_Static_assert(crypto_secretbox_NONCEBYTES == 24 &&
                   crypto_secretbox_MACBYTES == 16 &&
                   crypto_secretbox_KEYBYTES == 32,
               "KITH_I_SEALED_BYTES");

kith_status kith_i_seal(const kith_collect *c, const uint8_t key[32],
                        uint8_t out[KITH_I_SEALED_BYTES], size_t *bytes,
                        kith_error *err)
{
    *bytes = c->opt.seal ? KITH_I_SEALED_BYTES : 32;
    if (!c->opt.seal) {
        memcpy(out, key, 32);
        return KITH_OK;
    }
    kith_status status = kith_i_secret_bytes(out, 24, err);
    if (!status)
        crypto_secretbox_easy(out + 24, key, 32, out, c->opt.seal);
    return status;
}

kith_status kith_i_unseal(const kith_collect *c, const kith_i_cell *stored,
                          uint8_t key[32], kith_error *err)
{
    const uint8_t *bytes = stored->bytes;
    if (stored->count == 32) {
        memcpy(key, bytes, 32);
        return KITH_OK;
    }
    if (stored->count != KITH_I_SEALED_BYTES)
        return kith_i_fail(err, KITH_ERR_STORE,
                           "a task in the store is damaged");
    if (!c->opt.seal)
        return kith_i_fail(err, KITH_ERR_STORE,
                           "the task keys of this database are sealed: give "
                           "the file they were sealed with (--key-file)");
    if (crypto_secretbox_open_easy(key, bytes + 24, 48, bytes, c->opt.seal))
        return kith_i_fail(err, KITH_ERR_STORE,
                           "a task key was sealed with another key file");
    return KITH_OK;
}
