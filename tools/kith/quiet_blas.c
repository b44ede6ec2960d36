/* OpenBLAS starts a thread for each processor when it is loaded, and they look
 * for work in a loop for a while, a twelfth of a second or so. Here they never
 * find any, since kith's workers are its own and each keeps to one thread of
 * BLAS (docs/decisions/0011); on a machine of two processors they only take
 * that time from the workers. So they are sent away. Only a program may do
 * that: in a library the host might be waiting for them. */
#include "cli.h"

/* OpenBLAS's own, and what it calls itself before a fork; other makes of BLAS
 * need not have them. */
void openblas_set_num_threads(int count) __attribute__((weak));
int blas_thread_shutdown_(void) __attribute__((weak));

void cli_quiet_blas(void)
{
    if (!openblas_set_num_threads || !blas_thread_shutdown_)
        return;
    openblas_set_num_threads(1); /* this first: it would start them again */
    blas_thread_shutdown_();
}
