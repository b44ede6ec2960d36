/* What a file of the command asks of the command, for tests that include such a
 * file: no options are given, nothing is said, nothing is written. */
#include "../../tools/kith/args.h"
#include "../../tools/kith/cli.h"
#include "../../tools/kith/output.h"
/* ---- of the command, and not needed by an audit without one ---- */

int cli_fail(int code, const char *format, ...)
{
    (void)format;
    return code;
}

int cli_usage(const char *format, ...)
{
    (void)format;
    return CLI_FAILED;
}

void cli_note(const char *format, ...)
{
    (void)format;
}

int cli_no_memory(void)
{
    return CLI_FAILED;
}

int cli_status(kith_status status, const kith_error *err)
{
    (void)err;
    return status == KITH_OK ? CLI_OK : CLI_FAILED;
}

const char *args_value(const args *a, const char *name)
{
    (void)a, (void)name;
    return NULL;
}

int args_given(const args *a, const char *name)
{
    return args_value(a, name) != NULL;
}

int args_real(const args *a, const char *name, double *out)
{
    (void)a, (void)name, (void)out;
    return CLI_OK;
}

int args_whole(const args *a, const char *name, uint64_t min, uint64_t max,
               uint64_t *out)
{
    (void)a, (void)name, (void)min, (void)max, (void)out;
    return CLI_OK;
}

int args_choice(const args *a, const char *name, const char *const *choices,
                unsigned *out)
{
    (void)a, (void)name, (void)choices, (void)out;
    return CLI_OK;
}

int output_open(output *o, const char *path)
{
    (void)o, (void)path;
    return CLI_FAILED;
}

int output_save(output *o, int code)
{
    (void)o, (void)code;
    return CLI_FAILED;
}

int print_json(FILE *file, json_t *json)
{
    (void)file, (void)json;
    return CLI_FAILED;
}
