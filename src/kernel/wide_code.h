/* Loops that are worth two copies: one for wide registers, chosen when the
 * program starts, one for any machine. Plain doubles only: the two may differ
 * in the last bits where the order of additions does. */
#ifndef KITH_WIDE_CODE_H
#define KITH_WIDE_CODE_H

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) &&                   \
    !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#if __GNUC__ >= 12 /* the first to know levels here: AVX2 and FMA */
#define KITH_I_WIDE                                                            \
    __attribute__((target_clones("arch=x86-64-v3", "default"), optimize("O"    \
                                                                        "3")))
#else
#define KITH_I_WIDE                                                            \
    __attribute__((target_clones("avx2", "default"), optimize("O3")))
#endif
#else
#define KITH_I_WIDE
#endif

/* Four numbers at once; the compiler splits them where registers are narrow. */
typedef double lanes __attribute__((vector_size(32), may_alias, aligned(8)));

#endif
