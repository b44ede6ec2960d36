/* Loops that are worth two copies: one for wide registers, chosen when the
 * program starts, one for any machine. Plain doubles only: the two may differ
 * in the last bits where the order of additions does. */
#ifndef KITH_WIDE_CODE_H
#define KITH_WIDE_CODE_H

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) &&                   \
    !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define KITH_I_WIDE                                                            \
    __attribute__((target_clones("avx2", "default"), optimize("O3")))
#else
#define KITH_I_WIDE
#endif

#endif
