/* What only a program may do to OpenBLAS, before it computes anything: in a
 * library the host might be using it at that moment. The functions are
 * OpenBLAS's own; other makes of BLAS need not have them. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

void openblas_set_num_threads(int count) __attribute__((weak));
int blas_thread_shutdown_(void) __attribute__((weak));
char *openblas_get_corename(void) __attribute__((weak));
void gotoblas_dynamic_quit(void) __attribute__((weak));
void gotoblas_dynamic_init(void) __attribute__((weak));

/* OpenBLAS starts a thread for each processor when it is loaded, and they look
 * for work in a loop for a while, a twelfth of a second or so. Here they never
 * find any, since kith's workers are its own and each keeps to one thread of
 * BLAS (docs/decisions/0011); on a machine of two processors they only take
 * that time from the workers. So they are sent away. */
static void send_threads_away(void)
{
    if (!openblas_set_num_threads || !blas_thread_shutdown_)
        return;
    openblas_set_num_threads(1); /* this first: it would start them again */
    blas_thread_shutdown_();
}

/* The kernels that a processor's instructions allow, by OpenBLAS's names. */
static const char *kernels_allowed(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "Haswell";
#endif
    return NULL;
}

/* OpenBLAS chooses its kernels by the processor's name. One that is younger
 * than the library gets its last resort, Prescott, of 2004: two to three times
 * the time of a whole run on rows of MNIST. Where the instructions allow more,
 * it chooses again, by the variable that it reads for this; one that somebody
 * has set stays (docs/decisions/0035). */
static void choose_kernels(void)
{
    static const char variable[] = "OPENBLAS_CORETYPE";
    const char *better = kernels_allowed();
    if (!better || getenv(variable) || !openblas_get_corename ||
        !gotoblas_dynamic_quit || !gotoblas_dynamic_init ||
        strcmp(openblas_get_corename(), "Prescott") != 0)
        return;
    if (setenv(variable, better, 0))
        return;
    gotoblas_dynamic_quit();
    gotoblas_dynamic_init();
}

void cli_prepare_blas(void)
{
    send_threads_away();
    choose_kernels();
}
