/* The transport itself, run by mpirun: sums that wrap, bytes that are shared,
 * parts of different lengths that are gathered. Exit status 0: right. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "team_mpi.h"

static int check_sum(const kith_team *t, size_t count)
{
    uint64_t *values = malloc(count * sizeof *values);
    int bad = 0;
    for (size_t i = 0; i < count; i++) /* most sums pass 2^64 */
        values[i] = (UINT64_MAX / 3) * (t->rank + 1) + i * i;
    bad |= t->sum(t->arg, values, count);
    for (size_t i = 0; t->rank == 0 && i < count; i++) {
        uint64_t want = 0;
        for (uint32_t r = 0; r < t->ranks; r++)
            want += (UINT64_MAX / 3) * (r + 1) + i * i;
        bad |= values[i] != want;
    }
    free(values);
    return bad;
}

static int check_share(const kith_team *t, size_t count)
{
    unsigned char *bytes = malloc(count + 1);
    int bad = 0;
    for (size_t i = 0; i <= count; i++)
        bytes[i] = t->rank == 0 ? (unsigned char)(i * 7) : 0;
    bad |= t->share(t->arg, bytes, count);
    for (size_t i = 0; i < count; i++)
        bad |= bytes[i] != (unsigned char)(i * 7);
    free(bytes);
    return bad;
}

/* Rank r gives r * step bytes of value r. */
static int check_gather(const kith_team *t, size_t step)
{
    size_t mine = t->rank * step, total = 0, at = 0;
    char *bytes = malloc(mine + 1);
    void *all = NULL;
    memset(bytes, (int)t->rank, mine);
    int bad = t->gather(t->arg, bytes, mine, &all, &total);
    free(bytes);
    if (t->rank > 0 || bad)
        return bad;
    for (uint32_t r = 0; r < t->ranks; r++)
        for (size_t i = 0; i < r * step; i++, at++)
            bad |= ((char *)all)[at] != (char)r;
    return bad | (total != at);
}

int main(int argc, char **argv)
{
    kith_team *t = team_mpi_open(&argc, &argv);
    int bad = 0;
    for (size_t n = 1; n < 300000; n = n * 3 + 1)
        bad |= check_sum(t, n) | check_share(t, n) | check_gather(t, n / 8);
    bad |= check_share(t, 0) | check_gather(t, 0);
    if (bad)
        fprintf(stderr, "rank %u: wrong\n", (unsigned)t->rank);
    team_mpi_close(t, bad, 1);
    return bad;
}
