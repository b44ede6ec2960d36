/* What the noise is made of, for people. */
#include <pthread.h>
#include <stdio.h>

#include "entropy.h"
#include "kith/version.h"

static char build_info[160];

static void write_build_info(void)
{
    snprintf(build_info, sizeof build_info,
             "noise: exact discrete samplers; randomness: libsodium (%s); "
             "arithmetic: OpenBLAS, GMP, MPFR",
             kith_i_entropy_name());
}

const char *kith_build_info(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, write_build_info);
    return build_info;
}
