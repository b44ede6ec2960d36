/* Optimal local hashing (Wang, Blocki, Li, Jha 2017): the nonce chooses a hash
 * into g buckets, and kRR reports the bucket. Client and server code.
 *
 * The nonce is drawn before the record is looked at, so the hash says nothing
 * about it; given the hash this is kRR over g outputs. */
#include "randomize.h"

uint64_t kith_i_olh_hash(const uint8_t nonce[KITH_I_NONCE_BYTES],
                         uint64_t symbol, uint64_t outputs)
{
    uint32_t h = kith_i_nonce_hash(kith_i_load64(nonce),
                                   kith_i_load64(nonce + 8), symbol, 0);
    return ((uint64_t)h * outputs) >> 32;
}
