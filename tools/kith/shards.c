#include "shards.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "ranks.h"

/* A file as ranks compare it. */
typedef struct {
    uint64_t machine, device, node, bytes, seconds, nanoseconds;
    uint64_t rank;
    char name[80]; /* its end */
} shard;

static int local;

void shards_set_local(void)
{
    local = 1;
}

int shards_local(void)
{
    return local;
}

int shards_expand(args *a)
{
    static glob_t found; /* for life: operands are borrowed from it */
    if (!local || a->operand_count == 0)
        return CLI_OK;
    for (size_t i = 0; i < a->operand_count; i++) {
        int bad = glob(a->operands[i], GLOB_NOMAGIC | (i ? GLOB_APPEND : 0),
                       NULL, &found);
        if (bad)
            return bad == GLOB_NOMATCH
                       ? cli_fail(CLI_INPUT, "no file of this machine is '%s'",
                                  a->operands[i])
                       : cli_no_memory();
    }
    a->operands = (const char *const *)found.gl_pathv;
    a->operand_count = found.gl_pathc;
    return CLI_OK;
}

static uint64_t mix_text(uint64_t h, const char *text)
{
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3;
    return (h ^ 0xff) * 0x100000001b3; /* where it ends */
}

/* Of this run of this machine: the same for its processes only. */
static uint64_t machine_id(void)
{
    char text[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (file && !fgets(text, sizeof text, file))
        text[0] = '\0';
    if (file)
        fclose(file);
    return mix_text(0xcbf29ce484222325, text);
}

static int describe(const char *path, shard *out)
{
    struct stat st;
    memset(out, 0, sizeof *out);
    if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode))
        return 0; /* whoever opens it will say so */
    size_t length = strlen(path), room = sizeof out->name - 1;
    *out = (shard){.machine = machine_id(),
                   .device = st.st_dev,
                   .node = st.st_ino,
                   .bytes = (uint64_t)st.st_size,
                   .seconds = (uint64_t)st.st_mtim.tv_sec,
                   .nanoseconds = (uint64_t)st.st_mtim.tv_nsec,
                   .rank = ranks_team()->rank};
    memcpy(out->name, path + (length > room ? length - room : 0),
           length > room ? room : length);
    return 1;
}

/* Seen from two machines, a file of a common disk has one number, size and
 * time, and devices of any names. A copy that has all three is a copy. */
static int is_same(const shard *a, const shard *b)
{
    return a->node == b->node && a->bytes == b->bytes &&
           a->seconds == b->seconds && a->nanoseconds == b->nanoseconds &&
           (a->machine != b->machine || a->device == b->device);
}

static int find_repeat(const shard *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (all[i].rank != all[j].rank && is_same(&all[i], &all[j]))
                return cli_usage(
                    "--shards-local: ranks %u and %u read one file, %s: its "
                    "rows would count twice, and everybody in it would lose "
                    "twice as much as promised; name files of each machine's "
                    "own, or say --allow-repeat",
                    (unsigned)all[j].rank, (unsigned)all[i].rank, all[i].name);
    return CLI_OK;
}

/* All ranks' bytes to rank 0. Exit code. */
static int gather(const void *mine, size_t bytes, void **all, size_t *total)
{
    const kith_team *team = ranks_team();
    return team->gather(team->arg, mine, bytes, all, total)
               ? ranks_over(
                     cli_fail(CLI_TEAM, "the ranks lost touch with each other"))
               : CLI_OK;
}

int shards_compare(int code, const char *const *inputs, size_t count,
                   int allowed)
{
    if (!local || !ranks_team() || allowed)
        return code;
    shard *mine = code ? NULL : calloc(count + 1, sizeof *mine);
    size_t n = 0, total = 0;
    void *all = NULL;
    if (!code && !mine)
        code = cli_no_memory();
    for (size_t i = 0; !code && i < count; i++)
        n += (size_t)describe(inputs[i], &mine[n]);
    code = ranks_agree(code);
    if (!code)
        code = gather(mine, n * sizeof *mine, &all, &total);
    if (!code && ranks_lead())
        code = find_repeat(all, total / sizeof *mine);
    free(mine);
    return ranks_agree(code);
}

int shards_compare_names(int code, const char *const *names, size_t count)
{
    uint64_t mine = count;
    size_t total = 0;
    void *all = NULL;
    if (!local || !ranks_team())
        return code;
    for (size_t i = 0; i < count; i++)
        mine = mix_text(mine, names[i]);
    code = ranks_agree(code);
    if (!code)
        code = gather(&mine, sizeof mine, &all, &total);
    for (size_t i = 1; !code && ranks_lead() && i < total / sizeof mine; i++)
        if (((const uint64_t *)all)[i] != mine)
            code = cli_fail(CLI_INPUT,
                            "--shards-local: the files of ranks 0 and %zu name "
                            "their columns differently: give --columns, or "
                            "turn the columns of one",
                            i);
    return ranks_agree(code);
}
