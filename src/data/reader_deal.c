/* Dealing files to ranks. */
#include "reader_deal.h"

/* The largest file not dealt yet, the first of equal ones; count: none. */
static size_t largest_left(const kith_i_share *files, size_t count)
{
    size_t found = count;
    for (size_t i = 0; i < count; i++)
        if (files[i].parts == UINT32_MAX &&
            (found == count || files[i].bytes > files[found].bytes))
            found = i;
    return found;
}

/* load: `ranks` zeros, destroyed. */
void kith_i_deal(kith_i_share *files, size_t count, uint32_t rank,
                 uint32_t ranks, uint64_t *load)
{
    int whole = count >= ranks;
    for (size_t i = 0; i < count; i++) {
        files[i].part = rank;
        files[i].parts = ranks;
        if (whole || !files[i].can_cut)
            files[i].parts = UINT32_MAX; /* still to be dealt */
    }
    for (size_t at; (at = largest_left(files, count)) < count;) {
        uint32_t least = 0;
        for (uint32_t r = 1; r < ranks; r++)
            if (load[r] < load[least])
                least = r;
        load[least] += files[at].bytes + 1; /* empty files count too */
        files[at].part = 0;
        files[at].parts = least == rank;
    }
}
