/* Secret bytes through the one door (I27). */
#include "secret.h"

#include <string.h>

#include "base/base_i.h"
#include "entropy.h"

kith_status kith_i_secret_bytes(void *out, size_t bytes, kith_error *err)
{
    const kith_i_entropy_source secure = {0};
    kith_i_entropy e;
    kith_i_entropy_open(&e, &secure, 0);
    for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
        uint64_t word = kith_i_entropy_word(&e);
        size_t rest = bytes - at;
        memcpy((char *)out + at, &word,
               rest < sizeof word ? rest : sizeof word);
        kith_i_wipe(&word, sizeof word);
    }
    int failed = e.failed; /* I29 */
    kith_i_entropy_close(&e);
    if (!failed)
        return KITH_OK;
    kith_i_wipe(out, bytes);
    return kith_i_fail(err, KITH_ERR_ENTROPY,
                       "the system's secure random generator failed");
}
