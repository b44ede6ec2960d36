/* What this machine's floating point looks like. */
#ifndef KITH_FINGERPRINT_H
#define KITH_FINGERPRINT_H

/* The BLAS and its kernel, and a digest of a small fixed computation
 * whose last bits depend on the machine: products, eigenvectors, a minimiser,
 * functions of the C library. Machines with the same words compute alike. */
const char *kith_i_fingerprint(void);

#endif
