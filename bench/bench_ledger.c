/* bench_ledger URI [CHARGES]: charges a second and processor time, on one
 * connection and with a connection for each charge (what a run does), and what
 * a sync of a page costs where the ledger is. URI: sqlite:PATH (made anew) or
 * postgresql://... (a database without a ledger). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/base_i.h"
#include "budget/ledger_i.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(kith_status status, const kith_error *err)
{
    if (status) {
        fprintf(stderr, "bench_ledger: %s\n", err->message);
        exit(1);
    }
}

static void charge(kith_ledger *ledger)
{
    static unsigned last;
    char run[KITH_I_RUN_TEXT];
    kith_charge *paid = NULL;
    kith_error err = {0};
    snprintf(run, sizeof run, "%032x", ++last);
    kith_i_charge c = {.account = "bench",
                       .privacy = {0x1p-40, 0, KITH_ADD_REMOVE},
                       .unit = KITH_UNIT_ROW,
                       .run = run};
    must(kith_i_ledger_charge(ledger, &c, &paid, &err), &err);
    kith_i_free(paid);
}

/* A page beside the ledger, written in place and synced: what the disk allows.
 * It is measured between the charges, because disks have moods. */
typedef struct {
    int file;
    double time;
} beside;

static beside beside_open(const char *uri)
{
    char path[500], room[16 * 4096] = {0};
    beside b = {-1, 0};
    if (strncmp(uri, "sqlite:", 7) != 0)
        return b;
    snprintf(path, sizeof path, "%s.sync", uri + 7);
    b.file = open(path, O_RDWR | O_CREAT, 0600);
    unlink(path);
    if (b.file < 0 || write(b.file, room, sizeof room) < 0 || fsync(b.file))
        exit(1);
    return b;
}

static void beside_sync(beside *b)
{
    char page[4096] = {0};
    if (b->file < 0)
        return;
    double began = now();
    if (pwrite(b->file, page, sizeof page, 0) < 0 || fdatasync(b->file))
        exit(1);
    b->time += now() - began;
}

static void charges(const char *uri, int times, int one)
{
    kith_ledger *ledger = NULL;
    kith_error err = {0};
    beside b = beside_open(uri);
    double took = 0, used = 0;
    for (int i = 0; i < times; i++) {
        double began = now(), before = cpu();
        if (!ledger)
            must(kith_ledger_open(uri, 0, &ledger, &err), &err);
        charge(ledger);
        if (!one) {
            kith_ledger_free(ledger);
            ledger = NULL;
        }
        took += now() - began;
        used += cpu() - before;
        beside_sync(&b);
    }
    printf("%s: %.0f charges/s, %.2f ms of processor each",
           one ? "one connection" : "a connection each", times / took,
           1e3 * used / times);
    if (b.file >= 0)
        printf("; a sync of one page beside it %.2f ms, a charge takes %.1f "
               "of them",
               1e3 * b.time / times, took / b.time);
    printf("\n");
    kith_ledger_free(ledger);
    close(b.file);
}

int main(int count, char **words)
{
    const char *uri = count > 1 ? words[1] : "";
    int times = count > 2 ? atoi(words[2]) : 200;
    kith_ledger *ledger = NULL;
    kith_error err = {0};
    kith_privacy limit = {1, 0, KITH_ADD_REMOVE};
    must(kith_ledger_open(uri, KITH_LEDGER_NEW, &ledger, &err), &err);
    must(kith_ledger_grant(ledger, "bench", &limit, &err), &err);
    kith_ledger_free(ledger);
    charges(uri, times, 1);
    charges(uri, times, 0);
    return 0;
}
