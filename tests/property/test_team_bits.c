/* S1: with a seed, a team of ranks makes the model of a single process, byte
 * for byte: any number of ranks and threads, any dealing of the rows, ranks
 * without rows, both adjacencies, both currencies, every method. And every rank
 * ends with that model.
 * link: support/team_threads.c */
#include <stdio.h>
#include <stdlib.h>

#include "support/make_data.h"
#include "support/make_planes.h"
#include "support/team_threads.h"

enum { MOST = 7 };

typedef enum { EVEN, ALL_ON_LAST, ODD_ONES } dealing;

typedef struct {
    const char *name;
    int family; /* 0: k-means, 1: k-median, 2: planes */
    int method;
    uint32_t n, d, k;
    int sparse;
    int tree; /* it counts the cells of a partition tree */
} subject;

static const subject subjects[] = {
    {"auto", 0, KITH_KMEANS_AUTO, 3000, 6, 4, 0, 0},
    {"auto, wide", 0, KITH_KMEANS_AUTO, 1500, 40, 3, 0, 0},
    {"auto, sparse", 0, KITH_KMEANS_AUTO, 1500, 60, 3, 1, 0},
    {"lloyd", 0, KITH_KMEANS_LLOYD, 3000, 6, 4, 0, 0},
    {"lloyd, sparse", 0, KITH_KMEANS_LLOYD, 1500, 60, 3, 1, 0},
    {"sulq", 0, KITH_KMEANS_SULQ, 1500, 6, 3, 0, 0},
    {"grid", 0, KITH_KMEANS_GRID, 1500, 3, 3, 0, 0},
    {"balcan", 0, KITH_KMEANS_BALCAN, 3000, 6, 3, 0, 1},
    {"balcan, sparse", 0, KITH_KMEANS_BALCAN, 1500, 60, 3, 1, 0},
    {"kmedian auto", 1, KITH_KMEDIAN_AUTO, 2000, 6, 3, 0, 0},
    {"kmedian balcan", 1, KITH_KMEDIAN_BALCAN, 2000, 6, 3, 0, 1},
    {"kmedian, sparse", 1, KITH_KMEDIAN_AUTO, 1500, 60, 3, 1, 0},
    {"subspace auto", 2, KITH_SUBSPACE_AUTO, 3000, 8, 3, 0, 0},
    {"subspace sulq", 2, KITH_SUBSPACE_SULQ, 3000, 8, 3, 0, 0},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

typedef struct {
    const subject *what;
    kith_privacy privacy;
    uint32_t ranks, threads;
    dealing dealt;
    const double *rows;
    char *models[MOST];
    char why[MOST][512];
} job;

/* Does the rank get this row? */
static int deals(const job *j, uint32_t rank, uint32_t row)
{
    if (j->dealt == ALL_ON_LAST)
        return rank == j->ranks - 1;
    if (j->dealt == ODD_ONES) /* uneven, interleaved, rank 0 has none */
        return j->ranks == 1 || rank == 1 + row * row % (j->ranks - 1);
    return rank == (uint64_t)row * j->ranks / j->what->n;
}

static kith_bounds bounds_of(const subject *what)
{
    kith_bounds b = ball(2);
    if (what->sparse) {
        b = unit_box();
        b.radius = 2;
    }
    if (what->family == 2)
        b = (kith_bounds){.radius = 1, .unit_rows = 1};
    return b;
}

/* Only every fifth value of a row: CSR as a source. */
static kith_status load_sparse(const job *j, uint32_t rank, kith_dataset **out,
                               kith_error *err)
{
    const subject *w = j->what;
    size_t most = (size_t)w->n * w->d;
    uint32_t *start = calloc(w->n + 1, sizeof *start),
             *index = calloc(most, sizeof *index), rows = 0, at = 0;
    double *value = calloc(most, sizeof *value);
    for (uint32_t r = 0; r < w->n; r++) {
        if (!deals(j, rank, r))
            continue;
        for (uint32_t i = 0; i < w->d; i++)
            if ((i + r) % 5 == 0) {
                index[at] = i;
                value[at++] = j->rows[(size_t)r * w->d + i];
            }
        start[++rows] = at;
    }
    kith_csr csr = {.rows = rows,
                    .columns = w->d,
                    .start = start,
                    .index = index,
                    .start_bytes = 4,
                    .index_bytes = 4,
                    .value = value,
                    .type = KITH_FLOAT64};
    kith_source source = {.csr = &csr};
    kith_source_options opt;
    kith_source_options_init(&opt, sizeof opt);
    opt.fixed_rows = 1;
    kith_bounds b = bounds_of(w);
    kith_status status = kith_dataset_load(&source, &opt, &b, out, err);
    free(start);
    free(index);
    free(value);
    return status;
}

static kith_status load_part(const job *j, uint32_t rank, kith_dataset **out,
                             kith_error *err)
{
    const subject *w = j->what;
    if (w->sparse)
        return load_sparse(j, rank, out, err);
    double *mine = malloc((size_t)w->n * w->d * sizeof *mine);
    size_t rows = 0;
    for (uint32_t r = 0; r < w->n; r++)
        if (deals(j, rank, r))
            memcpy(mine + w->d * rows++, j->rows + (size_t)r * w->d,
                   w->d * sizeof *mine);
    kith_bounds b = bounds_of(w);
    kith_status status = kith_dataset_from_rows(mine, rows, w->d, &b, out, err);
    free(mine);
    return status;
}

static kith_status run_method(const job *j, kith_session *s, char **out,
                              kith_error *err)
{
    const subject *w = j->what;
    kith_bounds b = bounds_of(w);
    kith_run run;
    kith_kmeans_options means;
    kith_kmedian_options medians;
    kith_subspace_options planes;
    kith_run_init(&run, sizeof run);
    kith_kmeans_options_init(&means, sizeof means);
    kith_kmedian_options_init(&medians, sizeof medians);
    kith_subspace_options_init(&planes, sizeof planes);
    run.bounds = &b;
    run.insecure = 1;
    run.insecure_seed = 5;
    means.clusters = medians.clusters = planes.clusters = w->k;
    planes.subspace_dimension = 2;
    kith_result *result = NULL;
    kith_status status;
    if (w->family == 0) {
        means.method = (kith_kmeans_method)w->method;
        run.kmeans = &means;
        status = kith_kmeans(s, &means, &result, err);
    } else if (w->family == 1) {
        medians.method = (kith_kmedian_method)w->method;
        run.kmedian = &medians;
        status = kith_kmedian(s, &medians, &result, err);
    } else {
        planes.method = (kith_subspace_method)w->method;
        run.subspace = &planes;
        status = kith_subspace(s, &planes, &result, err);
    }
    if (!status)
        status = kith_model_text(result, &run, out, err);
    kith_result_free(result);
    return status;
}

static void work(void *arg, const kith_team *team)
{
    job *j = arg;
    kith_error err = {0};
    kith_dataset *data = NULL;
    kith_session *s = NULL;
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy = j->privacy;
    opt.threads = j->threads;
    opt.insecure = 1;
    opt.insecure_seed = 5;
    opt.team = team;
    kith_status status = load_part(j, team->rank, &data, &err);
    if (!status)
        status = kith_session_open(data, &opt, &s, &err);
    if (!status)
        status = run_method(j, s, &j->models[team->rank], &err);
    if (status)
        snprintf(j->why[team->rank], sizeof j->why[0], "%s", err.message);
    if (s)
        kith_session_close(s);
    else
        kith_dataset_free(data);
}

static char *run_team(job *j, uint32_t ranks, uint32_t threads, dealing dealt)
{
    j->ranks = ranks;
    j->threads = threads;
    j->dealt = dealt;
    memset(j->models, 0, sizeof j->models);
    team_talk talk = team_run(ranks, work, j);
    /* the partition tree is the one that gathers */
    if (j->what->tree && ranks > 1 && talk.gathers < 2)
        fail_msg("%s: no histogram of keys was gathered", j->what->name);
    for (uint32_t r = 0; r < ranks; r++) {
        if (!j->models[r])
            fail_msg("%s, rank %u of %u: %s", j->what->name, r, ranks,
                     j->why[r]);
        if (strcmp(j->models[r], j->models[0]))
            fail_msg("%s: rank %u of %u ends with another model", j->what->name,
                     r, ranks);
        if (r > 0)
            kith_text_free(j->models[r]);
    }
    return j->models[0];
}

/* turn: which number of threads and which dealing go with a number of ranks.
 * Four turns, one for each promise, try every pair of each subject; with
 * KITH_TEAM_ALL in the environment each of them does. */
static void check_subject(const subject *what, kith_privacy privacy,
                          uint32_t turn)
{
    static const uint32_t counts[] = {1, 2, 3, 4, 7};
    int all = getenv("KITH_TEAM_ALL") != NULL;
    double *rows = make_rows(what->n, what->d, what->k, 8);
    job j = {.what = what, .privacy = privacy, .rows = rows};
    char *alone = run_team(&j, 1, 1, EVEN);
    for (uint32_t i = all ? 0 : 1; i < 5; i++)
        for (uint32_t threads = 1; threads <= 3; threads += 2) {
            if (!all && threads != ((i + turn) % 2 ? 1 : 3))
                continue;
            char *model = run_team(&j, counts[i], threads,
                                   (dealing)((i + turn + threads) % 3));
            if (strcmp(model, alone))
                fail_msg("%s: %u ranks of %u threads make another model",
                         what->name, counts[i], threads);
            kith_text_free(model);
        }
    kith_text_free(alone);
    free(rows);
}

static void check_all(kith_neighbors nb, double delta)
{
    uint32_t turn = (nb == KITH_REPLACE_ONE ? 2u : 0u) + (delta > 0 ? 1u : 0u);
    for (int i = 0; i < SUBJECTS; i++)
        check_subject(&subjects[i], (kith_privacy){2, delta, nb}, turn);
}

static void test_add_remove_gaussian(void **state)
{
    (void)state;
    check_all(KITH_ADD_REMOVE, 1e-6);
}

static void test_add_remove_pure(void **state)
{
    (void)state;
    check_all(KITH_ADD_REMOVE, 0);
}

static void test_replace_one_gaussian(void **state)
{
    (void)state;
    check_all(KITH_REPLACE_ONE, 1e-6);
}

static void test_replace_one_pure(void **state)
{
    (void)state;
    check_all(KITH_REPLACE_ONE, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add_remove_gaussian),
        cmocka_unit_test(test_add_remove_pure),
        cmocka_unit_test(test_replace_one_gaussian),
        cmocka_unit_test(test_replace_one_pure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
