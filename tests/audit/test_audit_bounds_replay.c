/* link: support/noise_replay.c */
/* Audit of kith_bounds_find (R15) on rows that differ in one, an outlier of
 * 1e300 among them, by replay (support/replay_pair.h): the loss is a sum, so
 * there are no false alarms. Planted mistakes must be caught. */
#include "kith/bounds.h"
#include "support/replay_suite.h"

typedef struct {
    const char *name;
    uint32_t d;
    double epsilon, delta;
    kith_neighbors neighbors;
    int together;
    double one, other; /* the row in question, and what takes its place */
    double least;
} claim;

enum { N = 400 };

static double *rows_of(const void *arg, int other)
{
    const claim *c = arg;
    double *rows = make_rows(N, c->d, 2, 3);
    for (size_t i = 0; i < c->d; i++)
        rows[(N - 1) * c->d + i] = other ? c->other : c->one;
    return rows;
}

static void run(const void *arg, const double *rows, size_t n, double more,
                double *charged)
{
    const claim *c = arg;
    kith_array array = {rows,
                        KITH_FLOAT64,
                        n,
                        c->d,
                        (ptrdiff_t)(c->d * sizeof(double)),
                        sizeof(double)};
    kith_source source = {.array = &array};
    kith_source_options opt;
    kith_source_options_init(&opt, sizeof opt);
    kith_dataset *data = NULL;
    kith_range ranges[8];
    double count, hidden;
    kith_error err = {0};
    if (kith_dataset_load_sizes(&source, &opt, c->together, &data, &err))
        fail_msg("%s", err.message);
    kith_session *s =
        open_session(data, c->epsilon * more, c->delta, c->neighbors, 1, 1);
    if (kith_bounds_find(s, 1, c->together, ranges, &count, &hidden, &err))
        fail_msg("%s", err.message);
    replay_session(s, charged);
    kith_session_close(s);
}

static const claim claims[] = {
    {"an outlier, removed", 3, 1, 1e-6, KITH_ADD_REMOVE, 0, 1e300, 0, .99},
    {"pure", 2, 1, 0, KITH_ADD_REMOVE, 0, -1e300, 0, .99},
    {"replaced", 3, 1, 1e-6, KITH_REPLACE_ONE, 0, 1e300, -1e-300, .5},
    {"one range for all", 4, 1, 1e-6, KITH_ADD_REMOVE, 1, .3, 0, .99},
};

static replay_case case_of(const void *arg)
{
    const claim *c = arg;
    return (replay_case){c->name,
                         {c->epsilon, c->delta, c->neighbors},
                         N,
                         HALF | OVER,
                         c->least};
}

static replay_suite suite = REPLAY_SUITE;

int main(void)
{
    return replay_main(&suite);
}
