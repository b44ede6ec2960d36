/* Error messages and the names of status codes. */
#include "base_i.h"

#include <stdarg.h>
#include <stdio.h>

#include "kith/version.h"

kith_status kith_i_fail(kith_error *err, kith_status status, const char *format,
                        ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        err->status = status;
        vsnprintf(err->message, sizeof err->message, format, args);
        va_end(args);
    }
    return status;
}

kith_status kith_i_fail_memory(kith_error *err)
{
    return kith_i_fail(err, KITH_ERR_MEMORY, "out of memory");
}

const char *kith_status_name(kith_status status)
{
    switch (status) {
    case KITH_OK:
        return "ok";
    case KITH_ERR_ARGUMENT:
        return "argument";
    case KITH_ERR_MEMORY:
        return "memory";
    case KITH_ERR_STORE:
        return "store";
    case KITH_ERR_INPUT:
        return "input";
    case KITH_ERR_PRIVACY:
        return "privacy";
    case KITH_ERR_BUDGET:
        return "budget";
    case KITH_ERR_ENTROPY:
        return "entropy";
    case KITH_ERR_CANCELLED:
        return "cancelled";
    case KITH_ERR_TEAM:
        return "team";
    case KITH_ERR_INTERNAL:
        break;
    }
    return "internal";
}

const char *kith_version(void)
{
    return KITH_VERSION;
}

kith_status kith_i_fail_entropy(kith_error *err)
{
    return kith_i_fail(err, KITH_ERR_ENTROPY,
                       "the secure random generator failed, or this process "
                       "is a copy (fork) of the one that opened the session: "
                       "nothing was released, the budget stays spent");
}

kith_status kith_i_fail_place(kith_error *err)
{
    return kith_i_fail(err, KITH_ERR_ARGUMENT,
                       "no place for the result was given");
}
