/* Orthonormal bases: Gram-Schmidt, twice, which is enough (Kahan, Parlett). */
#include "planes.h"

#include <math.h>

#include "vectors.h"

double kith_i_orthogonal_row_along(double *rows, double *along, uint32_t j,
                                   uint32_t d)
{
    double *row = rows + (size_t)j * d;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < j; i++) {
            double c = kith_i_dot(row, rows + i * d, d);
            kith_i_add_scaled(row, -c, rows + i * d, d);
            if (along)
                kith_i_add_scaled(along + (size_t)j * d, -c, along + i * d, d);
        }
    return kith_i_dot(row, row, d);
}

double kith_i_orthogonal_row(double *rows, uint32_t j, uint32_t d)
{
    return sqrt(kith_i_orthogonal_row_along(rows, NULL, j, d));
}

int kith_i_orthonormal_row(double *rows, uint32_t j, uint32_t d)
{
    double *row = rows + (size_t)j * d,
           length = kith_i_orthogonal_row(rows, j, d);
    for (uint32_t t = 0; length > 0 && t < d; t++)
        row[t] /= length;
    return length > 0;
}

void kith_i_orthonormalize(double *rows, uint32_t q, uint32_t d,
                           kith_i_coins *coins)
{
    for (uint32_t j = 0; j < q; j++) {
        double *row = rows + (size_t)j * d;
        double before = sqrt(kith_i_dot(row, row, d)),
               after = kith_i_orthogonal_row(rows, j, d);
        while (!(after > 1e-10 * before && after > 0)) {
            before = sqrt(kith_i_coins_normals(coins, row, d));
            after = kith_i_orthogonal_row(rows, j, d);
        }
        for (uint32_t t = 0; t < d; t++)
            row[t] /= after;
    }
}

void kith_i_plane_random(double *rows, uint32_t q, uint32_t d,
                         kith_i_coins *coins)
{
    (void)kith_i_coins_normals(coins, rows, (size_t)q * d);
    kith_i_orthonormalize(rows, q, d, coins);
}
