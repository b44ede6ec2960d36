/* Devices in a file. Entries: kind, length, bytes, checksum. */
#include "device_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

enum {
    MAGIC = 8,
    HEAD = MAGIC + 16 + 8 + 32,
    TAGS = 1,
    SAVED = 2,
    TAG_HEAD = 8 + 4 + 4 + 4 + 32,
    LONGEST = TAG_HEAD + 16000
};
static const char magic[MAGIC] = {'K', 'I', 'T', 'H', 'R', 'S', 'P', '1'};

static uint64_t checksum(const uint8_t *bytes, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static int damaged(void)
{
    return cli_fail(CLI_INPUT, "the file of devices is damaged, or of another "
                               "task or other rows");
}

int device_file_open(device_file *f, const char *path, const uint8_t task[16],
                     uint64_t rows)
{
    uint8_t head[HEAD];
    *f = (device_file){.fresh = 1};
    if (!path)
        return CLI_OK;
    f->file = fopen(path, "r+b");
    if (!f->file)
        f->file = fopen(path, "w+b");
    if (!f->file)
        return cli_fail(CLI_FAILED, "%s: cannot be written", path);
    size_t n = fread(head, 1, HEAD, f->file);
    if (n == 0)
        return CLI_OK;
    uint64_t kept = 0;
    memcpy(&kept, head + MAGIC + 16, 8);
    if (n != HEAD || memcmp(head, magic, MAGIC) != 0 ||
        memcmp(head + MAGIC, task, 16) != 0 || kept != rows)
        return damaged();
    memcpy(f->key, head + MAGIC + 24, 32);
    f->fresh = 0;
    return CLI_OK;
}

static int sync_file(device_file *f)
{
    if (f->file && (fflush(f->file) || fdatasync(fileno(f->file))))
        return cli_fail(CLI_FAILED, "the devices could not be saved");
    return CLI_OK;
}

int device_file_begin(device_file *f, const uint8_t task[16], uint64_t rows,
                      const uint8_t key[32])
{
    uint8_t head[HEAD];
    if (!f->file)
        return CLI_OK;
    memcpy(head, magic, MAGIC);
    memcpy(head + MAGIC, task, 16);
    memcpy(head + MAGIC + 16, &rows, 8);
    memcpy(head + MAGIC + 24, key, 32);
    rewind(f->file);
    fwrite(head, 1, HEAD, f->file);
    return sync_file(f);
}

static void put(device_file *f, uint32_t kind, const uint8_t *bytes,
                uint32_t count)
{
    uint32_t head[2] = {kind, count};
    uint64_t sum = checksum(bytes, count);
    fwrite(head, 1, sizeof head, f->file);
    fwrite(bytes, 1, count, f->file);
    fwrite(&sum, 1, sizeof sum, f->file);
}

int device_file_tags(device_file *f, uint64_t first, uint32_t count,
                     const uint8_t *tags, uint32_t round, const uint8_t *digest)
{
    static uint8_t bytes[LONGEST];
    uint32_t known = digest != NULL;
    if (!f->file)
        return CLI_OK;
    memset(bytes, 0, TAG_HEAD);
    memcpy(bytes, &first, 8);
    memcpy(bytes + 8, &count, 4);
    memcpy(bytes + 12, &round, 4);
    memcpy(bytes + 16, &known, 4);
    if (digest)
        memcpy(bytes + 20, digest, 32);
    memcpy(bytes + TAG_HEAD, tags, (size_t)16 * count);
    put(f, TAGS, bytes, TAG_HEAD + 16 * count);
    return CLI_OK;
}

int device_file_saved(device_file *f, const kith_played *played)
{
    uint8_t bytes[8 + KITH_DEVICE_BYTES];
    if (!f->file)
        return CLI_OK;
    for (uint64_t i = 0; i < played->count; i++) {
        memcpy(bytes, &played->rows[i], 8);
        memcpy(bytes + 8, played->saved[i], KITH_DEVICE_BYTES);
        put(f, SAVED, bytes, sizeof bytes);
    }
    return sync_file(f);
}

/* The next entry that is whole; 0: the end, where the file is cut. */
static int next_entry(device_file *f, uint32_t *kind, uint8_t *bytes,
                      uint32_t *count)
{
    uint32_t head[2];
    uint64_t sum = 0;
    long at = ftell(f->file);
    if (fread(head, 1, sizeof head, f->file) == sizeof head &&
        head[1] <= LONGEST && fread(bytes, 1, head[1], f->file) == head[1] &&
        fread(&sum, 1, sizeof sum, f->file) == sizeof sum &&
        sum == checksum(bytes, head[1])) {
        *kind = head[0];
        *count = head[1];
        return 1;
    }
    if (fseek(f->file, at, SEEK_SET) || ftruncate(fileno(f->file), at))
        return 0;
    return 0;
}

static int load_tags(device_file *f, kith_players *players,
                     const uint8_t *bytes)
{
    uint64_t first;
    uint32_t count, round, known;
    kith_error err = {0};
    memcpy(&first, bytes, 8);
    memcpy(&count, bytes + 8, 4);
    memcpy(&round, bytes + 12, 4);
    memcpy(&known, bytes + 16, 4);
    if (first != f->enrolled)
        return damaged();
    f->round = f->enrolled ? f->round : round;
    f->enrolled += count;
    return cli_status(kith_players_enrolled(players, first, count,
                                            bytes + TAG_HEAD, round,
                                            known ? bytes + 20 : NULL, &err),
                      &err);
}

int device_file_load(device_file *f, kith_players *players)
{
    static uint8_t bytes[LONGEST];
    uint32_t kind, count;
    int code = CLI_OK;
    if (!f->file || f->fresh)
        return CLI_OK;
    while (!code && next_entry(f, &kind, bytes, &count)) {
        uint64_t row;
        kith_error err = {0};
        memcpy(&row, bytes, 8);
        code = kind == TAGS ? load_tags(f, players, bytes)
                            : cli_status(kith_players_restore(players, row,
                                                              bytes + 8, &err),
                                         &err);
    }
    return code;
}

int device_file_each(device_file *f,
                     int (*visit)(void *arg, uint64_t row,
                                  const uint8_t saved[KITH_DEVICE_BYTES]),
                     void *arg)
{
    static uint8_t bytes[LONGEST];
    uint32_t kind, count;
    int code = CLI_OK;
    if (!f->file || fflush(f->file) || fseek(f->file, HEAD, SEEK_SET))
        return CLI_OK;
    while (!code && next_entry(f, &kind, bytes, &count)) {
        uint64_t row;
        memcpy(&row, bytes, 8);
        if (kind == SAVED)
            code = visit(arg, row, bytes + 8);
    }
    fseek(f->file, 0, SEEK_END);
    return code;
}

void device_file_close(device_file *f)
{
    if (f->file)
        fclose(f->file);
    f->file = NULL;
}
