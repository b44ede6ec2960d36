/* Every kind of release, one by one, in a team of 1, 2, 3 and 7 ranks: each
 * rank ends with the values that a single process gets, bit for bit, both
 * adjacencies, both currencies, whatever rows a rank has. Whole methods:
 * test_team_bits.
 * link: support/team_threads.c */
#include <stdio.h>

#include "release/release_features.h"
#include "release/release_swap.h"
#include "support/each_release.h"
#include "support/make_data.h"
#include "support/team_threads.h"

enum { N = 700, MOST = 7 };

static kith_status release_swap(kith_session *s, kith_error *err)
{
    static const uint32_t chosen[2] = {1, 3};
    enum { POINTS = 4 };
    double coords[POINTS * RELEASE_MOST_D], squares[POINTS];
    double at[POINTS * RELEASE_MOST_D] = {0};
    uint32_t d = release_width(s);
    for (uint32_t c = 0; c < POINTS; c++)
        at[c * d] = 6000. * c - 9000;
    kith_i_swap_state state = {
        .points = {.k = POINTS, .d = d, .coords = coords, .squares = squares},
        .chosen = chosen,
        .k = 2,
        .shift = 18,
        .bound = 4000};
    kith_i_centers_set(&state.points, at);
    kith_i_swap_spec spec = {.what = "test",
                             .slots = 2,
                             .candidates = POINTS,
                             .bound = 4000,
                             .charge = kith_i_session_left(s)};
    kith_i_swap out = {77, 77};
    kith_status status = kith_i_release_swap(s, &state, &spec, &out, err);
    release_note(&out, sizeof out);
    return status;
}

static kith_status release_features(kith_session *s, kith_error *err)
{
    near_points near;
    kith_i_ask ask = release_ask(&near, release_width(s), 0);
    kith_i_features_spec spec = {.what = "test",
                                 .cells = RELEASE_CELLS,
                                 .picks = 2,
                                 .bound = 3000,
                                 .charge = kith_i_session_left(s)};
    uint32_t out[RELEASE_CELLS * 2] = {0};
    kith_status status = kith_i_release_features(s, &ask, &spec, out, err);
    release_note(out, sizeof out);
    return status;
}

static kith_status release_profile(kith_session *s, kith_error *err)
{
    int64_t sums[RELEASE_MOST_D] = {0};
    double sd = 0;
    kith_status status = kith_i_release_profile(
        s, "test", kith_i_session_left(s), sums, &sd, err);
    release_note(sums, sizeof sums);
    return status;
}

/* Counts of labels that a rank keeps for its own rows, in a view of its own
 * rows. */
static kith_status release_from_view(kith_session *s, kith_error *err)
{
    static const double axes[2 * RELEASE_MOST_D] = {.8, .6, 0,   0,
                                                    0,  0,  -.6, .8};
    const kith_i_view *view = NULL;
    kith_status status = kith_i_view_open(s, axes, 2, NULL, 2, &view, err);
    near_points near;
    kith_i_ask ask = {.place = near_sign(&near, 2), .view = view};
    kith_i_cells_spec spec = {.what = "test",
                              .cells = RELEASE_CELLS,
                              .width = 2,
                              .count_charge = kith_i_session_left(s) / 2,
                              .sum_charge = kith_i_session_left(s) / 2};
    kith_i_cells cells = {0};
    if (!status)
        status = kith_i_release_cells(s, &ask, &spec, &cells, err);
    if (!status)
        release_note_cells(&cells, RELEASE_CELLS, 2);
    kith_i_cells_free(&cells);
    return status;
}

/* Those of each_release.h first. sparse_rows: wants entries that are not
 * negative. */
static const struct {
    const char *name;
    release_fn *release;
    int sparse_rows;
} more[] = {
    {"swap", release_swap, 0},
    {"features", release_features, 1},
    {"profile", release_profile, 1},
    {"view", release_from_view, 0},
};
enum { MORE = sizeof more / sizeof *more };

typedef struct {
    const char *name;
    release_fn *release;
    uint32_t d;
    kith_bounds bounds;
    kith_privacy privacy;
    const double *rows;
    uint64_t seen[MOST];
    kith_i_loss left[MOST];
    char why[MOST][512];
} job;

/* Ranks hold parts of very different sizes; of 7 the third holds nothing. */
static uint32_t first_row(uint32_t rank, uint32_t ranks)
{
    if (ranks == 7 && rank == 3)
        rank = 2;
    return (uint32_t)((uint64_t)N * rank * rank / ranks / ranks);
}

static void work(void *arg, const kith_team *team)
{
    job *j = arg;
    uint32_t rank = team->rank, ranks = team->ranks;
    uint32_t from = first_row(rank, ranks), to = first_row(rank + 1, ranks);
    kith_error err = {0};
    kith_dataset *data = NULL;
    kith_session *s = NULL;
    kith_session_options opt;
    kith_session_options_init(&opt, sizeof opt);
    opt.privacy = j->privacy;
    opt.threads = 1 + rank % 2;
    opt.insecure = 1;
    opt.insecure_seed = 11;
    opt.team = ranks > 1 ? team : NULL;
    release_seen = 0;
    kith_status status =
        kith_dataset_from_rows(j->rows + (size_t)from * j->d, to - from, j->d,
                               &j->bounds, &data, &err);
    if (!status)
        status = kith_session_open(data, &opt, &s, &err);
    if (!status)
        status = j->release(s, &err);
    if (status)
        snprintf(j->why[rank], sizeof j->why[0], "%s", err.message);
    j->seen[rank] = status ? 0 : release_seen;
    j->left[rank] = s ? kith_i_session_left(s) : 0;
    if (s)
        kith_session_close(s);
    else
        kith_dataset_free(data);
}

static void check_release(job *j)
{
    static const uint32_t counts[] = {2, 3, 7};
    team_run(1, work, j);
    uint64_t alone = j->seen[0];
    kith_i_loss left = j->left[0];
    if (!alone)
        fail_msg("%s: %s", j->name, j->why[0]);
    for (int i = 0; i < 3; i++) {
        team_talk talk = team_run(counts[i], work, j);
        assert_true(talk.sums > 0 && talk.shares > 0);
        for (uint32_t r = 0; r < counts[i]; r++) {
            if (!j->seen[r])
                fail_msg("%s, rank %u of %u: %s", j->name, r, counts[i],
                         j->why[r]);
            if (j->seen[r] != alone)
                fail_msg("%s: rank %u of %u has other values", j->name, r,
                         counts[i]);
            assert_true(j->left[r] == left);
        }
    }
}

static void test_every_release(void **state)
{
    (void)state;
    static const double low = 0, high = 1;
    kith_bounds positive = {
        .lower = &low, .upper = &high, .box_count = 1, .sparsity = 3};
    double *rows = make_rows(N, RELEASE_MOST_D, 3, 1);
    for (int mode = 0; mode < 4; mode++)
        for (int i = 0; i < EACH_RELEASE + MORE; i++) {
            int own = i - EACH_RELEASE;
            job j = {.name = own < 0 ? each_release[i].name : more[own].name,
                     .release =
                         own < 0 ? each_release[i].release : more[own].release,
                     .d = own < 0 ? each_release[i].d : 6,
                     .bounds = own >= 0 && more[own].sparse_rows ? positive
                                                                 : unit_box(),
                     .privacy = {1, mode % 2 ? 1e-6 : 0,
                                 mode / 2 ? KITH_REPLACE_ONE : KITH_ADD_REMOVE},
                     .rows = rows};
            check_release(&j);
        }
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_release)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
