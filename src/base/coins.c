/* Public coins: xoshiro256++ (Blackman, Vigna 2019), seeded by splitmix64. */
#include "base_i.h"

#include <math.h>

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

void kith_i_coins_seed(kith_i_coins *coins, uint64_t seed, uint64_t stream)
{
    uint64_t state = seed;
    uint64_t mixed = splitmix64(&state) ^ (stream * 0xda942042e4dd58b5u);
    for (int i = 0; i < 4; i++)
        coins->s[i] = splitmix64(&mixed);
}

uint64_t kith_i_coins_u64(kith_i_coins *coins)
{
    uint64_t *s = coins->s;
    uint64_t result = rotate_left(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t kith_i_coins_below(kith_i_coins *coins, uint64_t limit)
{
    uint64_t reject = -limit % limit; /* 2^64 mod limit */
    uint64_t r;
    do {
        r = kith_i_coins_u64(coins);
    } while (r < reject);
    return r % limit;
}

double kith_i_coins_unit(kith_i_coins *coins)
{
    return (double)(kith_i_coins_u64(coins) >> 11) * 0x1p-53;
}

double kith_i_coins_normal(kith_i_coins *coins)
{
    /* Polar method; the second deviate is dropped to keep no state. */
    double a, b, r;
    do {
        a = 2 * kith_i_coins_unit(coins) - 1;
        b = 2 * kith_i_coins_unit(coins) - 1;
        r = a * a + b * b;
    } while (r >= 1 || r == 0);
    return a * sqrt(-2 * log(r) / r);
}

double kith_i_coins_normals(kith_i_coins *coins, double *x, size_t n)
{
    double square = 0;
    for (size_t i = 0; i < n; i++) {
        x[i] = kith_i_coins_normal(coins);
        square += x[i] * x[i];
    }
    return square;
}
