/* What a run was asked for: enough to run it again, public coins included,
 * noise never. */
#include "json_text.h"
#include "model_i.h"

/* ---- what kind of run ---------------------------------------------------- */

int kith_i_run_is_plain(const kith_run *run)
{
    return run->plain_kmeans || run->plain_kmedian || run->plain_subspace;
}

static const kith_plain_options *plain_centers(const kith_run *run)
{
    return run->plain_kmeans ? run->plain_kmeans : run->plain_kmedian;
}

uint32_t kith_i_run_clusters(const kith_run *run)
{
    const kith_plain_options *plain = plain_centers(run);
    return run->kmeans           ? run->kmeans->clusters
           : run->kmedian        ? run->kmedian->clusters
           : run->subspace       ? run->subspace->clusters
           : run->plain_subspace ? run->plain_subspace->clusters
           : run->local          ? run->local->clusters
           : plain               ? plain->clusters
                                 : 0;
}

/* 0: the method's own. */
static uint32_t rounds_asked(const kith_run *run)
{
    const kith_plain_options *plain = plain_centers(run);
    return run->kmeans           ? run->kmeans->rounds
           : run->kmedian        ? run->kmedian->rounds
           : run->subspace       ? run->subspace->rounds
           : run->plain_subspace ? run->plain_subspace->max_rounds
           : plain               ? plain->max_rounds
                                 : 0;
}

const char *kith_i_run_kind(const kith_run *run)
{
    if (run->local)
        return kith_word_of(KITH_WORDS_OBJECTIVE, (int)run->local->objective);
    return run->subspace || run->plain_subspace ? "subspace"
           : run->kmedian || run->plain_kmedian ? "kmedian"
                                                : "kmeans";
}

const char *kith_i_run_method(const kith_run *run)
{
    if (run->kmeans)
        return kith_word_of(KITH_WORDS_KMEANS_METHOD, (int)run->kmeans->method);
    if (run->kmedian)
        return kith_word_of(KITH_WORDS_KMEDIAN_METHOD,
                            (int)run->kmedian->method);
    if (run->subspace)
        return kith_word_of(KITH_WORDS_SUBSPACE_METHOD,
                            (int)run->subspace->method);
    if (run->local)
        return kith_word_of(KITH_WORDS_LOCAL_METHOD, (int)run->local->method);
    return "non-private";
}

/* ---- what all runs have -------------------------------------------------- */

static json_t *bounds_json(const kith_bounds *b)
{
    if (!b->lower)
        return json_null();
    return json_pack("{s:o, s:o}", "lower",
                     kith_i_model_numbers(b->lower, b->box_count), "upper",
                     kith_i_model_numbers(b->upper, b->box_count));
}

static json_t *columns_json(const kith_source_options *opt)
{
    json_t *names = opt->column_count ? json_array() : json_null();
    for (size_t i = 0; names && i < opt->column_count; i++)
        if (json_array_append_new(names, json_string(opt->columns[i]))) {
            json_decref(names);
            names = NULL;
        }
    return names;
}

/* As on the command line; null: not given. */
static json_t *header_json(const kith_source_options *opt)
{
    return opt->header == KITH_HEADER_AUTO
               ? json_null()
               : json_boolean(opt->header == KITH_HEADER_YES);
}

static json_t *count_or_null(uint32_t count)
{
    return count ? json_integer((json_int_t)count) : json_null();
}

static json_t *word_or_null(kith_vocabulary vocabulary, int value)
{
    const char *word = kith_word_of(vocabulary, value);
    return word ? json_string(word) : json_null();
}

static json_t *common_parameters(const kith_result *result, const kith_run *run)
{
    const kith_bounds *b = run->bounds;
    kith_source_options memory;
    kith_source_options_init(&memory, sizeof memory);
    const kith_source_options *opt = run->source ? run->source : &memory;
    return json_pack(
        "{s:I, s:I, s:o, s:o, s:o, s:b, s:o, s:o, s:I, s:f, s:o, s:o, s:o}",
        "k", (json_int_t)kith_i_run_clusters(run), "rounds",
        (json_int_t)kith_result_rounds(result), "bounds", bounds_json(b),
        "radius", b->radius > 0 ? json_real(b->radius) : json_null(), "center",
        b->center ? kith_i_model_numbers(b->center, b->center_count)
                  : json_null(),
        "normalize", b->normalize, "columns", columns_json(opt), "missing",
        word_or_null(KITH_WORDS_MISSING, (int)opt->missing), "public_seed",
        (json_int_t)kith_result_public_seed(result), "step",
        kith_result_step(result), "rounds_asked",
        count_or_null(rounds_asked(run)), "format",
        word_or_null(KITH_WORDS_FORMAT, (int)opt->format), "header",
        header_json(opt));
}

/* How the file was written, where it was not as usual, and whose rows they
 * are. */
static void add_marks(json_t *json, const kith_source_options *opt, int *bad)
{
    char delimiter[2] = {opt->delimiter}, decimal[2] = {opt->decimal};
    if (opt->delimiter)
        kith_i_json_put(json, "delimiter", json_string(delimiter), bad);
    if (opt->decimal)
        kith_i_json_put(json, "decimal", json_string(decimal), bad);
    json_t *words = opt->missing_value_count ? json_array() : NULL;
    for (size_t i = 0; i < opt->missing_value_count; i++)
        *bad |=
            json_array_append_new(words, json_string(opt->missing_values[i]));
    if (words)
        kith_i_json_put(json, "missing_values", words, bad);
    if (opt->user_column)
        kith_i_json_put(json, "user_column", json_string(opt->user_column),
                        bad);
}

/* ---- what is special to one kind ----------------------------------------- */

static void add_center_options(json_t *json, const kith_run *run, int *bad)
{
    uint32_t sparsity = run->bounds->sparsity;
    if (sparsity)
        kith_i_json_put(json, "sparsity", json_integer(sparsity), bad);
    if (!kith_i_run_is_plain(run))
        kith_i_json_put(json, "method", json_string(kith_i_run_method(run)),
                        bad);
    if (run->bounds_share > 0)
        kith_i_json_put(json, "bounds_share", json_real(run->bounds_share),
                        bad);
    if (run->kmeans && run->kmeans->clusters_from)
        kith_i_json_put(json, "k_from",
                        json_integer((json_int_t)run->kmeans->clusters_from),
                        bad);
    if (run->kmeans && run->kmeans->paper_constants)
        kith_i_json_put(json, "paper_constants", json_true(), bad);
    if (run->kmeans && run->kmeans->as_published)
        kith_i_json_put(json, "as_published", json_true(), bad);
    if (run->kmedian)
        kith_i_json_put(
            json, "recovery",
            word_or_null(KITH_WORDS_RECOVERY, (int)run->kmedian->recovery),
            bad);
}

static void add_solver(json_t *json, kith_subspace_solver solver, int *bad)
{
    kith_i_json_put(json, "solver",
                    word_or_null(KITH_WORDS_SOLVER, (int)solver), bad);
}

/* The options of one method, and nothing that would not matter. */
static void add_plane_method(json_t *json, const kith_subspace_options *opt,
                             const char *method, int *bad)
{
    int aggregate = opt->method == KITH_SUBSPACE_SAMPLE_AGGREGATE;
    if (aggregate || opt->non_private_start)
        add_solver(json, opt->solver, bad);
    kith_i_json_put(json, "method", json_string(method), bad);
    if (opt->method == KITH_SUBSPACE_SULQ)
        kith_i_json_put(json, "composition",
                        json_string(opt->basic_composition ? "basic" : "gdp"),
                        bad);
    if (aggregate) {
        kith_i_json_put(json, "block_rows",
                        json_integer((json_int_t)opt->block_rows), bad);
        kith_i_json_put(json, "overlap", json_boolean(opt->overlap), bad);
        kith_i_json_put(json, "force", json_boolean(opt->force), bad);
    }
    if (opt->non_private_start)
        kith_i_json_put(json, "non_private_start", json_true(), bad);
    if (opt->diagnostics)
        kith_i_json_put(json, "debug_diagnostics", json_true(), bad);
}

static void add_plane_options(json_t *json, const kith_run *run, int *bad)
{
    uint32_t q = run->subspace ? run->subspace->subspace_dimension
                               : run->plain_subspace->subspace_dimension;
    kith_i_json_put(json, "subspace_dimension", json_integer((json_int_t)q),
                    bad);
    kith_i_json_put(json, "scale",
                    json_string(run->bounds->unit_rows ? "unit" : "clip"), bad);
    if (run->subspace)
        add_plane_method(json, run->subspace, kith_i_run_method(run), bad);
    else
        add_solver(json, run->plain_subspace->solver, bad);
}

static void add_local_options(json_t *json, const kith_local_options *opt,
                              int *bad)
{
    if (opt->method != KITH_LOCAL_WEIGHTED_CENTERS)
        return;
    kith_i_json_put(json, "radii", json_integer((json_int_t)opt->radii), bad);
    kith_i_json_put(json, "repetitions",
                    json_integer((json_int_t)opt->repetitions), bad);
    kith_i_json_put(json, "hash", json_string(opt->e2lsh ? "e2lsh" : "grid"),
                    bad);
    kith_i_json_put(json, "boxes", json_boolean(opt->boxes), bad);
    kith_i_json_put(json, "split_epsilon", json_boolean(opt->split_epsilon),
                    bad);
    if (opt->nearest_weights)
        kith_i_json_put(json, "weights", json_string("nearest"), bad);
}

json_t *kith_i_model_parameters(const kith_result *result, const kith_run *run)
{
    json_t *json = common_parameters(result, run);
    int bad = !json;
    const kith_plain_options *plain = plain_centers(run);
    if (plain)
        kith_i_json_put(json, "starts", json_integer((json_int_t)plain->starts),
                        &bad);
    else if (run->plain_subspace)
        kith_i_json_put(json, "starts",
                        json_integer((json_int_t)run->plain_subspace->starts),
                        &bad);
    if (run->source)
        add_marks(json, run->source, &bad);
    /* Whose the rows are was told beside them, in memory. */
    if (result && kith_result_unit(result) == KITH_UNIT_USER && !run->local &&
        !json_object_get(json, "user_column"))
        kith_i_json_put(json, "user_column", json_null(), &bad);
    if (run->insecure)
        kith_i_json_put(json, "insecure_seed",
                        json_integer((json_int_t)run->insecure_seed), &bad);
    if (run->local)
        add_local_options(json, run->local, &bad);
    else if (run->subspace || run->plain_subspace)
        add_plane_options(json, run, &bad);
    else
        add_center_options(json, run, &bad);
    return kith_i_json_done(json, bad);
}
