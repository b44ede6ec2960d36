/* The part of math.h that a device uses: instructions of WebAssembly, and
 * ldexp (wasm.c). All are exact or correctly rounded, so native and wasm
 * compute the same bits. */
#ifndef KITH_WASM_MATH_H
#define KITH_WASM_MATH_H
#define M_SQRT2   1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define sqrt(x)   __builtin_sqrt(x)
#define floor(x)  __builtin_floor(x)
#define lrint(x)  ((long)__builtin_rint(x))
double ldexp(double x, int n);
#endif
