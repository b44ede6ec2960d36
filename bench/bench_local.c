/* The local system: what a report costs the device that makes it, for every
 * kind that `auto` asks for at d = 100, checks included; and how many reports a
 * server adds up, d = 20. CPU time, one thread, best of several. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collect/collect_i.h"
#include "device/randomize.h"
#include "simulate/user_respond.h"

enum {
    REPEATS = 9,
    WIDE = 100,
    NARROW = 20,
    AXES = 3,
    CENTERS = 5,
    LEAVES = 512,
    REPORTS = 20000
};

static double lens_rows[AXES * WIDE], half[AXES] = {1, 1, 1};
static double centers[CENTERS * WIDE], points[CENTERS * AXES];
static double radii[CENTERS], x[WIDE];
static kith_i_tree_node tree[2 * LEAVES - 1];

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "bench_local: %s\n", what);
        exit(1);
    }
}

static void fill(void)
{
    kith_i_coins coins;
    kith_i_coins_seed(&coins, 1, 0);
    for (int i = 0; i < AXES * WIDE; i++)
        lens_rows[i] = kith_i_coins_normal(&coins) / 10;
    for (int i = 0; i < CENTERS * WIDE; i++)
        centers[i] = kith_i_coins_normal(&coins) / 20;
    for (int i = 0; i < CENTERS * AXES; i++)
        points[i] = kith_i_coins_normal(&coins) / 2;
    for (int i = 0; i < CENTERS; i++)
        radii[i] = .5;
    for (int i = 0; i < WIDE; i++)
        x[i] = kith_i_coins_normal(&coins) / 15;
    /* A heap: node i has children 2 i + 1 and 2 i + 2. */
    for (uint32_t i = 0; i < 2 * LEAVES - 1; i++)
        tree[i] = (kith_i_tree_node){
            .axis = i < LEAVES - 1 ? (int32_t)(i % AXES) : -1,
            .left = i < LEAVES - 1 ? 2 * i + 1 : i - (LEAVES - 1),
            .right = 2 * i + 2,
            .threshold = 0};
}

typedef struct {
    const char *what;
    kith_i_report_kind report;
    kith_i_place_kind place;
    int in_lens; /* places are in three directions, not in all */
} kind;

static const kind KINDS[] = {
    {"vector about one point", KITH_I_REPORT_VECTOR, KITH_I_PLACE_ONE, 0},
    {"vector about the nearest of 5 in 3 directions", KITH_I_REPORT_VECTOR,
     KITH_I_PLACE_NEAREST, 1},
    {"vector about the nearest of 5", KITH_I_REPORT_VECTOR,
     KITH_I_PLACE_NEAREST, 0},
    {"second moment", KITH_I_REPORT_MOMENT, KITH_I_PLACE_ONE, 0},
    {"second moment about the nearest of 5", KITH_I_REPORT_MOMENT,
     KITH_I_PLACE_NEAREST, 0},
    {"distance to the nearest of 5", KITH_I_REPORT_DISTANCE,
     KITH_I_PLACE_NEAREST, 0},
    {"cell of 512 in 3 directions", KITH_I_REPORT_SYMBOL, KITH_I_PLACE_TREE,
     1}};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

static kith_i_question question_of(const kind *k, uint32_t d, double epsilon)
{
    kith_i_question q = {.what = k->what,
                         .share = 1,
                         .epsilon = epsilon,
                         .report = k->report,
                         .place = {.kind = k->place, .places = 1},
                         .bands = 16,
                         .top = 1,
                         .radii = radii};
    q.place.lens = (kith_i_lens){.q = d, .d = d};
    if (k->in_lens)
        q.place.lens =
            (kith_i_lens){.q = AXES, .d = d, .rows = lens_rows, .half = half};
    if (k->place == KITH_I_PLACE_NEAREST) {
        q.place.places = CENTERS;
        q.place.points = k->in_lens ? points : centers;
    }
    if (k->place == KITH_I_PLACE_TREE) {
        q.place.places = LEAVES;
        q.place.tree = tree;
        q.place.tree_nodes = 2 * LEAVES - 1;
    }
    if (k->report != KITH_I_REPORT_SYMBOL)
        q.centers = centers;
    return q;
}

/* Microseconds of a report: look at the question, then answer it. */
static double client(const kind *k, double epsilon)
{
    enum { EACH = 200 };
    kith_i_question q = question_of(k, WIDE, epsilon);
    kith_i_mechanism m;
    kith_i_ticket ticket = {.round = 1};
    kith_i_entropy e;
    kith_i_entropy_source source = {.seeded = 1};
    need(!kith_i_mechanism_make(&q, WIDE, &m, NULL), k->what);
    kith_i_limits limits = {.odds = m.odds};
    void *scratch = calloc(kith_i_respond_scratch(&m), 1);
    uint8_t *bytes = calloc(kith_i_report_bytes(&m), 1);
    need(scratch && bytes, "out of memory");
    kith_i_entropy_open(&e, &source, 0);
    double best = HUGE_VAL;
    for (uint32_t r = 0; r < REPEATS; r++) {
        double from = cpu_seconds();
        for (uint32_t i = 0; i < EACH; i++) {
            uint32_t n = r * EACH + i;
            memcpy(ticket.nonce, &n, sizeof n);
            need(!kith_i_limits_flaw(&m, &q, WIDE, &limits), k->what);
            kith_i_user_respond(&(kith_i_asked){&q, &m, WIDE, &ticket}, x, &e,
                                scratch, bytes);
        }
        best = fmin(best, (cpu_seconds() - from) / EACH * 1e6);
    }
    kith_i_entropy_close(&e);
    free(scratch);
    free(bytes);
    return best;
}

/* Millions of reports a second into a tally, nonces and all. */
static double server(const kind *k)
{
    kith_i_question q = question_of(k, NARROW, 1);
    kith_i_mechanism m;
    need(!kith_i_mechanism_make(&q, NARROW, &m, NULL), k->what);
    double best = 0;
    uint64_t number = 0;
    for (int r = 0; r < REPEATS; r++) {
        kith_i_ticket ticket = {.round = 1};
        static const uint8_t digest[32];
        kith_i_tally *t = NULL;
        need(!kith_i_tally_new(&m, &ticket, digest, &t, NULL), "out of memory");
        double from = cpu_seconds();
        for (int i = 0; i < REPORTS; i++) {
            uint8_t bytes[64];
            uint64_t mixed = ++number * UINT64_C(0x9e3779b97f4a7c15);
            memcpy(ticket.nonce, &mixed, 8);
            memcpy(ticket.nonce + 8, &number, 8);
            kith_i_report_write_header(m.kind, &ticket, bytes);
            bytes[KITH_I_HEADER_BYTES] = (uint8_t)((mixed >> 40) % m.outputs);
            need(!kith_i_tally_add(t, bytes, kith_i_report_bytes(&m), NULL),
                 "a report was refused");
        }
        best = fmax(best, REPORTS / (cpu_seconds() - from) / 1e6);
        kith_i_tally_free(t);
    }
    return best;
}

int main(void)
{
    static const double epsilons[] = {.5, 1, 2, 4};
    enum { EPSILONS = sizeof epsilons / sizeof *epsilons };
    fill();
    printf("| device, d = %d, us a report | .5 | 1 | 2 | 4 |\n"
           "|---|---|---|---|---|\n",
           WIDE);
    for (int i = 0; i < KIND_COUNT; i++) {
        printf("| %s |", KINDS[i].what);
        for (int e = 0; e < EPSILONS; e++)
            printf(" %.1f |", client(&KINDS[i], epsilons[e]));
        printf("\n");
    }
    printf("\n| server, d = %d, M reports/s/core | |\n|---|---|\n", NARROW);
    for (int i = 2; i < KIND_COUNT; i++)
        if (KINDS[i].place != KITH_I_PLACE_ONE)
            printf("| %s | %.2f |\n", KINDS[i].what, server(&KINDS[i]));
    return 0;
}
