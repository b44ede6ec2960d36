/* Exact sums of doubles (Shewchuk 1997): a list of doubles that do not overlap
 * and add up to the sum. */
#include <math.h>

#include "verify_i.h"

void exact_add(exact_sum *sum, double x)
{
    size_t kept = 0;
    for (size_t i = 0; i < sum->count; i++) {
        double y = sum->part[i];
        double total = x + y, back = total - x;
        double lost = (x - (total - back)) + (y - back);
        if (lost != 0)
            sum->part[kept++] = lost;
        x = total;
    }
    /* 64 parts hold 1e-240 to 1e240 and room to spare: 30 are enough. */
    if (x != 0 && kept < EXACT_PARTS)
        sum->part[kept++] = x;
    sum->count = kept;
}

void exact_add_product(exact_sum *sum, double x, double y)
{
    double product = x * y;
    exact_add(sum, fma(x, y, -product));
    exact_add(sum, product);
}

int exact_sign(const exact_sum *sum)
{
    if (sum->count == 0)
        return 0;
    return sum->part[sum->count - 1] > 0 ? 1 : -1;
}

double exact_value(const exact_sum *sum)
{
    double value = 0;
    for (size_t i = 0; i < sum->count; i++)
        value += sum->part[i];
    return value;
}
