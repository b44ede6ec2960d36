/* A task file on this machine: `kith local simulate --task`. */
#include "local_simulate_task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output.h"
#include "run_common.h"
#include "source.h"

int local_write_file(const char *path, const void *bytes, size_t count)
{
    output o = {0};
    int code = output_open(&o, path);
    if (!code)
        fwrite(bytes, 1, count, o.file);
    return output_save(&o, code);
}

int local_read_file(const char *path, char **bytes, size_t *count)
{
    FILE *file = fopen(path, "rb");
    size_t room = 1 << 16;
    *bytes = NULL;
    *count = 0;
    if (!file)
        return cli_fail(CLI_INPUT, "%s: cannot be read", path);
    for (;;) {
        char *more = realloc(*bytes, room + 1);
        if (!more) {
            fclose(file);
            return cli_no_memory();
        }
        *bytes = more;
        *count += fread(more + *count, 1, room - *count, file);
        if (*count < room)
            break;
        room *= 2;
    }
    (*bytes)[*count] = 0;
    fclose(file);
    return CLI_OK;
}

static int open_rows(const args *a, const kith_task *task, source *from,
                     kith_dataset **data)
{
    kith_error err = {0};
    kith_bounds box;
    kith_task_get_bounds(task, &box);
    int code = source_parse(from, a);
    if (!code)
        code = source_fix_rows(from, 1);
    return code
               ? code
               : cli_status(kith_dataset_open(a->operands, a->operand_count,
                                              &from->options, &box, data, &err),
                            &err);
}

int local_simulate_task(const args *a)
{
    static const char *const others[] = {
        "clusters", "epsilon", "delta",       "bounds",  "bounds-file",
        "radius",   "center",  "normalize",   "method",  "objective",
        "radii",    "hash",    "repetitions", "boxes",   "split-epsilon",
        "weights",  "law",     "seed",        "centers", NULL};
    char *json = NULL, *model = NULL;
    size_t count = 0;
    uint64_t seed = 0;
    kith_error err = {0};
    kith_task *task = NULL;
    kith_dataset *data = NULL;
    source from = {0};
    if (!args_value(a, "insecure-seed") || !a->operand_count)
        return cli_usage("--task needs --insecure-seed and an input file");
    int code = run_refuse_with(a, "task", others);
    if (!code)
        code = args_whole(a, "insecure-seed", 0, INT64_MAX, &seed);
    if (!code)
        code = local_read_file(args_value(a, "task"), &json, &count);
    if (!code)
        code = cli_status(kith_task_load(json, count, &task, &err), &err);
    if (!code)
        code = open_rows(a, task, &from, &data);
    if (!code)
        code = cli_status(
            kith_task_simulate(task, data, seed, from.threads, &model, &err),
            &err);
    if (!code)
        code = local_write_file(args_value(a, "output"), model, strlen(model));
    kith_text_free(model);
    kith_dataset_free(data);
    kith_task_free(task);
    source_free(&from);
    free(json);
    return code;
}
