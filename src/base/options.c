/* Structs of options of any age. */
#include "options.h"

#include <string.h>

#include "base_i.h"

void kith_i_options_init(void *opt, size_t size, const void *fresh,
                         size_t known)
{
    if (!opt || size < sizeof size)
        return;
    memset(opt, 0, size);
    if (fresh)
        memcpy(opt, fresh, size < known ? size : known);
    memcpy(opt, &size, sizeof size);
}

kith_status kith_i_options_read(const void *given, const char *init,
                                size_t size, void *opt, kith_error *err)
{
    size_t known = 0;
    if (given)
        memcpy(&known, given, sizeof known);
    if (known < sizeof known)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "initialise the options with %s", init);
    memcpy(opt, given, known < size ? known : size);
    return KITH_OK;
}
