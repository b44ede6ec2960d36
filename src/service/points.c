/* Where tests stop the process (tests/support/point_kill.c replaces this). */
#include "service_i.h"

void kith_i_point(const char *name)
{
    (void)name;
}
