/* What talking costs: a sum to rank 0 and a share of as many words, by the
 * transport of kith-mpi, best and median of many. Prints a line a size: words,
 * microseconds (best), microseconds (median).
 *     mpirun -n 2 build/release/bench/bench_team */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "team_mpi.h"

enum { TRIES = 200 };

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int measure(const kith_team *t, size_t words)
{
    double took[TRIES];
    uint64_t *values = calloc(words, sizeof *values);
    int bad = !values;
    for (int i = 0; !bad && i < TRIES; i++) {
        uint64_t ready = 0; /* all begin together */
        bad =
            t->sum(t->arg, &ready, 1) || t->share(t->arg, &ready, sizeof ready);
        double start = now_us();
        bad = bad || t->sum(t->arg, values, words) ||
              t->share(t->arg, values, words * sizeof *values);
        took[i] = now_us() - start;
    }
    free(values);
    if (bad)
        return 1;
    qsort(took, TRIES, sizeof *took, compare);
    if (t->rank == 0)
        printf("%zu %.1f %.1f\n", words, took[0], took[TRIES / 2]);
    return 0;
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {1,     16,    256,    4096,
                                   16384, 50240, 307720, 614656};
    kith_team *t = team_mpi_open(&argc, &argv);
    int bad = 0;
    for (size_t i = 0; !bad && i < sizeof sizes / sizeof *sizes; i++)
        bad = measure(t, sizes[i]);
    team_mpi_close(t, bad, 1);
    return bad;
}
