/* Draws per second of every exact sampler over scales from 1 to 1e9, one
 * thread, randomness from the operating system included. Prints Markdown. */
#include <stdio.h>
#include <time.h>

#include "noise/sampler.h"

static double cpu(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

int main(void)
{
    static const double scales[] = {1, 4.2, 1e2, 1e4, 1e6, 1e9};
    kith_i_entropy_source source = {.seeded = 0, .seed = 0};
    kith_i_entropy e;
    kith_i_entropy_open(&e, &source, 0);
    printf("| scale | discrete Laplace, M/s | rounded Gaussian, M/s |\n");
    printf("|---|---|---|\n");
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        /* about 40 significant bits, as the gate uses */
        kith_i_scale s = {(uint64_t)(scales[i] * 0x1p10), 10};
        while (s.num < (uint64_t)1 << 40) {
            s.num <<= 1;
            s.shift++;
        }
        enum { N = 1000000 };
        volatile int64_t sink = 0;
        double t0 = cpu();
        for (int n = 0; n < N; n++)
            sink += kith_i_sample_laplace(&e, s);
        double t1 = cpu();
        for (int n = 0; n < N; n++)
            sink += kith_i_sample_gaussian(&e, s);
        double t2 = cpu();
        printf("| %g | %.2f | %.2f |\n", scales[i], N / (t1 - t0) / 1e6,
               N / (t2 - t1) / 1e6);
    }
    kith_i_entropy_close(&e);
    return 0;
}
