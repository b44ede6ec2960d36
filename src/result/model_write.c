/* The model file of a run: released values, their receipts, and what is
 * needed to run it again. Nothing here comes from the rows except through the
 * result: no number of rows, no name of an input (R8). */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base_i.h"
#include "base/options.h"
#include "json_text.h"
#include "kith/quality.h"
#include "kith/version.h"
#include "model_i.h"

void kith_run_init(kith_run *run, size_t size)
{
    kith_i_options_init(run, size, NULL, 0);
}

/* What is said of a run makes sense, and is enough. */
static kith_status check_run(const kith_result *result, const kith_run *run,
                             char *const *out, kith_error *err)
{
    if (!run || !out)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a model needs a run and an out");
    int kinds = !!run->kmeans + !!run->kmedian + !!run->subspace +
                !!run->plain_kmeans + !!run->plain_kmedian +
                !!run->plain_subspace + !!run->local;
    if (run->size != sizeof *run || kinds != 1 || !run->bounds)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "kith_run: start from kith_run_init, set bounds and "
                           "the options of the one function that ran");
    if (run->local ? !run->summary || !run->forecast : !result)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           run->local ? "a local run needs its summary and "
                                        "forecast"
                                      : "a model needs a result");
    return KITH_OK;
}

/* ---- models -------------------------------------------------------------- */

/* A cost next to the range, which took part in the choice. */
static json_t *neighbor(double cost)
{
    return cost > 0 ? json_real(cost) : json_null();
}

/* How k was chosen, from released values. */
static json_t *choice_json(const kith_result *result)
{
    const kith_choice *c = kith_result_choice(result);
    size_t count = c->to - c->from + 1;
    return json_pack(
        "{s:[I, I], s:I, s:b, s:[I, I], s:f, s:f, s:s, s:o, s:o, s:o, s:o}",
        "range", (json_int_t)c->from, (json_int_t)c->to, "chosen",
        (json_int_t)c->chosen, "stable", c->stable, "agreed",
        (json_int_t)c->agreed, (json_int_t)c->tries, "bend", c->bend,
        "cloud_bend", c->cloud_bend, "rule",
        c->by_bend ? "largest bend of log cost" : "least cost plus noise",
        "cost", kith_i_model_numbers(c->cost, count), "noise",
        kith_i_model_numbers(c->noise, count), "cost_before",
        neighbor(c->before), "cost_after", neighbor(c->after));
}

static json_t *model_of_centers(const kith_result *result, const kith_run *run)
{
    uint32_t k = 0, d = 0;
    const double *centers = kith_result_centers(result, &k, &d);
    const double *weights = kith_result_weights(result);
    json_t *json = json_pack(
        "{s:i, s:s, s:I, s:I, s:s, s:o, s:o, s:o, s:o, s:s}", "kith", 1, "kind",
        kith_i_run_kind(run), "k", (json_int_t)k, "dimension", (json_int_t)d,
        "method", kith_i_run_method(run), "centers",
        kith_i_model_centers(centers, k, d), "weights",
        kith_i_model_numbers(weights, weights ? k : 0), "privacy",
        kith_i_model_privacy(result, run), "parameters",
        kith_i_model_parameters(result, run), "version", kith_version());
    int bad = !json;
    if (!kith_i_run_is_plain(run)) { /* advice, from released values */
        kith_i_json_put(json, "distinct_centers",
                        json_integer(kith_result_distinct_centers(result)),
                        &bad);
        kith_i_json_put(json, "sensible_clusters",
                        json_integer(kith_result_sensible_clusters(result)),
                        &bad);
        kith_i_json_put(json, "quality", kith_i_model_quality(result, run),
                        &bad);
    }
    if (kith_result_choice(result))
        kith_i_json_put(json, "choice_of_k", choice_json(result), &bad);
    return kith_i_json_done(json, bad);
}

/* "bases" is k x d x q, orthonormal columns. */
static json_t *model_of_planes(const kith_result *result, const kith_run *run)
{
    uint32_t k = 0, d = 0, q = 0;
    const double *bases = kith_result_bases(result, &k, &d, &q);
    json_t *json = json_pack(
        "{s:i, s:s, s:I, s:I, s:I, s:s, s:o, s:o, s:o, s:s}", "kith", 1, "kind",
        "subspace", "k", (json_int_t)k, "dimension", (json_int_t)d,
        "subspace_dimension", (json_int_t)q, "method", kith_i_run_method(run),
        "bases", kith_i_model_bases(bases, k, d, q), "privacy",
        kith_i_model_privacy(result, run), "parameters",
        kith_i_model_parameters(result, run), "version", kith_version());
    int bad = !json;
    if (!kith_i_run_is_plain(run))
        kith_i_json_put(json, "quality", kith_i_model_quality(result, run),
                        &bad);
    return kith_i_json_done(json, bad);
}

kith_status kith_model_text(const kith_result *result, const kith_run *run,
                            char **out, kith_error *err)
{
    kith_status status = check_run(result, run, out, err);
    if (status)
        return status;
    int planes = run->subspace || run->plain_subspace;
    if (!result || !(planes ? kith_result_bases(result, NULL, NULL, NULL)
                            : kith_result_centers(result, NULL, NULL)))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a model needs a result that has %s, not a plan",
                           planes ? "planes" : "centres");
    return kith_i_json_text(run->local ? kith_i_model_local(result, run)
                            : planes   ? model_of_planes(result, run)
                                       : model_of_centers(result, run),
                            out, err);
}

kith_status kith_model_text_of_planes(const kith_model_view *view, char **out,
                                      kith_error *err)
{
    if (!view || !view->bases || !out)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a model of planes needs bases and an out");
    uint32_t k = view->clusters, d = view->dimension;
    uint32_t q = view->subspace_dimension;
    return kith_i_json_text(
        json_pack("{s:i, s:s, s:I, s:I, s:I, s:s, s:o, s:{s:s, s:s, s:[]}, "
                  "s:{s:s}, s:s}",
                  "kith", 1, "kind", "subspace", "k", (json_int_t)k,
                  "dimension", (json_int_t)d, "subspace_dimension",
                  (json_int_t)q, "method", "generated", "bases",
                  kith_i_model_bases(view->bases, k, d, q), "privacy", "model",
                  "none", "guarantee", "none", "releases", "parameters",
                  "scale", view->unit_rows ? "unit" : "clip", "version",
                  kith_version()),
        out, err);
}

/* ---- plans --------------------------------------------------------------- */

static json_t *real_or_null(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *plan_of_run(const kith_result *plan, const kith_run *run,
                           uint64_t rows, uint32_t dimension)
{
    json_t *json =
        json_pack("{s:b, s:I, s:I, s:I, s:o}", "dry_run", 1, "k",
                  (json_int_t)kith_i_run_clusters(run), "rows",
                  (json_int_t)rows, "dimension", (json_int_t)dimension,
                  "privacy", kith_i_model_privacy(plan, run));
    int bad = !json;
    double noise = kith_result_noise(plan);
    if (run->subspace) {
        kith_quality quality = {.size = sizeof quality};
        kith_result_quality(plan, &quality);
        json_int_t q = (json_int_t)run->subspace->subspace_dimension;
        kith_i_json_put(json, "subspace_dimension", json_integer(q), &bad);
        kith_i_json_put(json, "predicted_noise_per_plane",
                        real_or_null(quality.angle), &bad);
        kith_i_json_put(json, "verdict",
                        isnan(quality.angle)
                            ? json_null()
                            : json_string(kith_verdict_name(quality.verdict)),
                        &bad);
    } else {
        kith_i_json_put(json, "predicted_noise_per_center", real_or_null(noise),
                        &bad);
        kith_i_json_put(json, "sensible_clusters",
                        json_integer(kith_result_sensible_clusters(plan)),
                        &bad);
    }
    return kith_i_json_done(json, bad);
}

kith_status kith_plan_text(const kith_result *plan, const kith_run *run,
                           uint64_t rows, uint32_t dimension, char **out,
                           kith_error *err)
{
    kith_status status = check_run(plan, run, out, err);
    if (status)
        return status;
    if (kith_i_run_is_plain(run))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a run without noise has no plan");
    return kith_i_json_text(run->local
                                ? kith_i_plan_local(run, rows, dimension)
                                : plan_of_run(plan, run, rows, dimension),
                            out, err);
}

/* ---- files: whole or not at all ------------------------------------------ */

/* "dir/name" -> "dir/.kith-123-0": another name for each try. */
static void temp_name(const char *path, unsigned attempt, char *out,
                      size_t room)
{
    const char *slash = strrchr(path, '/');
    int directory = slash ? (int)(slash - path) + 1 : 0;
    snprintf(out, room, "%.*s.kith-%ld-%u", directory, path, (long)getpid(),
             attempt);
}

static int write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, text, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        text += n;
        length -= (size_t)n;
    }
    return fsync(fd);
}

/* Nonzero and errno: nothing was kept. */
static int write_beside(const char *path, const char *text, char *temp,
                        size_t room)
{
    enum { ATTEMPTS = 100 };
    int fd = -1;
    for (unsigned i = 0; fd < 0 && i < ATTEMPTS; i++) {
        temp_name(path, i, temp, room);
        fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            return -1;
    }
    if (fd < 0)
        return -1;
    int bad = write_all(fd, text, strlen(text)), saved = errno;
    if (close(fd) && !bad) {
        bad = 1;
        saved = errno;
    }
    if (!bad && !rename(temp, path))
        return 0;
    saved = bad ? saved : errno;
    unlink(temp);
    errno = saved;
    return -1;
}

static kith_status write_file(const char *path, const char *text,
                              kith_error *err)
{
    size_t room = strlen(path) + 64;
    char *temp = kith_i_alloc(room, 1);
    if (!temp)
        return kith_i_fail_memory(err);
    kith_status status = KITH_OK;
    if (write_beside(path, text, temp, room))
        status = kith_i_fail(err, KITH_ERR_STORE,
                             "cannot write %s: %s (nothing was kept)", path,
                             strerror(errno));
    kith_i_free(temp);
    return status;
}

kith_status kith_model_write(const char *path, const kith_result *result,
                             const kith_run *run, kith_error *err)
{
    char *text = NULL;
    if (!path)
        return kith_i_fail(err, KITH_ERR_ARGUMENT, "a file needs a name");
    kith_status status = kith_model_text(result, run, &text, err);
    if (!status)
        status = write_file(path, text, err);
    kith_i_free(text);
    return status;
}
