/* The chain of a task's rounds. Every round names the digest of the one before.
 * A device that has read some of them reads only what follows them: it is not
 * asked again what was answered, and is not led to another past than the one it
 * saw. It cannot know what others were shown; whoever compares the digests of
 * two devices' rounds can. */
#include "round.h"

#include <string.h>

const char *kith_i_round_follows(const kith_i_round *round,
                                 const kith_i_chain *chain)
{
    if (memcmp(round->task, chain->task, sizeof chain->task) != 0)
        return "the round belongs to another task";
    if (round->number < chain->next)
        return "the round was published before";
    if (round->number > chain->next)
        return "rounds are missing before this one";
    if (memcmp(round->previous, chain->digest, sizeof chain->digest) != 0)
        return "the round does not follow the one before it";
    return NULL;
}

void kith_i_chain_advance(kith_i_chain *chain, const kith_i_round *round)
{
    memcpy(chain->digest, round->digest, sizeof chain->digest);
    chain->next = (uint32_t)round->number + 1;
}
