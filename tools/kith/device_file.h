/* device_file: what `kith local respond` keeps of its devices. Append-only,
 * each entry with a checksum; what a crash cut off at the end is dropped.
 * Synced before a report leaves. */
#ifndef KITH_TOOL_DEVICE_FILE_H
#define KITH_TOOL_DEVICE_FILE_H

#include <kith/kith.h>
#include <stdio.h>

typedef struct device_file {
    FILE *file; /* NULL: nothing is kept */
    uint8_t key[32];
    int fresh;         /* it was made just now: the key is not set */
    uint64_t enrolled; /* rows, from the first */
    uint32_t round;    /* that was open when the first of them enrolled */
} device_file;

/* Exit code. */
int device_file_open(device_file *f, const char *path, const uint8_t task[16],
                     uint64_t rows);
/* After the players were opened with the key: play back what is in it. */
int device_file_load(device_file *f, kith_players *players);
/* The players' key, of a fresh file. Exit code. */
int device_file_begin(device_file *f, const uint8_t task[16], uint64_t rows,
                      const uint8_t key[32]);
/* Rows first .. first + count - 1 have these tags. Exit code. */
int device_file_tags(device_file *f, uint64_t first, uint32_t count,
                     const uint8_t *tags, uint32_t round,
                     const uint8_t *digest);
/* Devices that have answered; on disk afterwards. Exit code. */
int device_file_saved(device_file *f, const kith_played *played);
/* Go through the answered ones. */
int device_file_each(device_file *f,
                     int (*visit)(void *arg, uint64_t row,
                                  const uint8_t saved[KITH_DEVICE_BYTES]),
                     void *arg);
void device_file_close(device_file *f);

#endif
