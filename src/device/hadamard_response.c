/* Hadamard response with one bit (Acharya, Sun, Zhang 2019): the nonce chooses
 * a row, the symbol a column, and kRR reports the sign found there. The server
 * keeps one integer a row, whatever is asked later. Client and server code. */
#include "randomize.h"

uint64_t kith_i_hadamard_row(const uint8_t nonce[KITH_I_NONCE_BYTES],
                             uint64_t rows)
{
    return kith_i_load64(nonce) & (rows - 1);
}
