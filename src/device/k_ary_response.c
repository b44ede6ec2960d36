/* k-ary randomised response. Client code.
 *
 * Claim: the symbol itself with probability num / (num + (k - 1) den), each
 *   other one with den / (num + (k - 1) den).
 * Because: for each symbol the rungs 0 .. k-1 go to the k outputs one to one:
 *   0 to the symbol, and the others keep their order around it. */
#include "randomize.h"

uint64_t kith_i_krr_output(uint64_t symbol, uint64_t rung)
{
    if (rung == 0)
        return symbol;
    return rung <= symbol ? rung - 1 : rung;
}
