/* Records in units of a task's bounds: one place for devices and simulator, so
 * that both compute the same bits. Client code. */
#include <math.h>

#include "task.h"

void kith_i_frame_record(const kith_i_frame *f, const double *x, double *out)
{
    double square = 0;
    for (uint32_t i = 0; i < f->d; i++) {
        double v = x[i];
        if (!(v == v))
            v = f->center[i];
        if (f->lower && v < f->lower[i])
            v = f->lower[i];
        if (f->upper && v > f->upper[i])
            v = f->upper[i];
        out[i] = (v - f->center[i]) / f->radius;
        square += out[i] * out[i];
    }
    if (!(square > 1))
        return;
    double by = square <= 1e300 ? 1 / sqrt(square) : 0;
    for (uint32_t i = 0; i < f->d; i++)
        out[i] = by > 0 ? out[i] * by : 0;
}
