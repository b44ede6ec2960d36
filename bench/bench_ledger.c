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

/* Seconds for a page to be on the disk, beside the ledger. */
static double sync_time(const char *uri, int times)
{
    char path[500], page[4096] = {0};
    snprintf(path, sizeof path, "%s.sync", uri + strlen("sqlite:"));
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    double began = now();
    for (int i = 0; fd >= 0 && i < times; i++)
        if (pwrite(fd, page, sizeof page, 0) < 0 || fdatasync(fd))
            return -1;
    double each = (now() - began) / times;
    close(fd);
    unlink(path);
    return each;
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
    double began = now(), used = cpu();
    for (int i = 0; i < times; i++)
        charge(ledger);
    printf("one connection: %.0f charges/s, %.2f ms of processor each\n",
           times / (now() - began), 1e3 * (cpu() - used) / times);
    kith_ledger_free(ledger);
    began = now();
    used = cpu();
    for (int i = 0; i < times; i++) {
        must(kith_ledger_open(uri, 0, &ledger, &err), &err);
        charge(ledger);
        kith_ledger_free(ledger);
    }
    printf("a connection each: %.0f charges/s, %.2f ms of processor each "
           "(%d entries at the end)\n",
           times / (now() - began), 1e3 * (cpu() - used) / times,
           2 * times + 1);
    if (!strncmp(uri, "sqlite:", 7))
        printf("a sync of one page: %.2f ms\n", 1e3 * sync_time(uri, times));
    return 0;
}
