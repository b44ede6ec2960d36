/* `kith generate`: the papers' synthetic data, streamed to a file. */
#include <stdlib.h>
#include <string.h>

#include "centers.h"
#include "cli.h"
#include "commands.h"
#include "output.h"

static const arg_option generate_options[] = {
    {"rows", 0, "N", "number of rows (required)"},
    {"dimension", 0, "D", "number of features (required)"},
    {"clusters", 'k', "K", "number of clusters (required)"},
    {"subspace-dimension", 'q', "Q",
     "subspaces: dimension of each plane (required there)"},
    {"sparsity", 0, "S", "sparse: distinct words in each row (required there)"},
    {"spread", 0, "SD",
     "gaussians (default: 0.0125), subspaces (default: 0.01): standard "
     "deviation of the noise in each feature"},
    {"weights", 0, "A,B,C",
     "share of each cluster, K numbers of any scale (default: all the same)"},
    {"decay", 0, "F",
     "subspaces: directions of a plane differ; the j-th coefficient has "
     "standard deviation F^j before the row is scaled (default: 1)"},
    {"seed", 0, "N", "same seed, same data (default: 0)"},
};

static const arg_option output_options[] = {
    {"output", 'o', "FILE",
     "gaussians and subspaces: .csv or .npy; sparse: .svm; default: csv or svm "
     "to standard output"},
    {"labels", 0, "FILE", "write the cluster of each row here, one a line"},
    {"bases", 0, "FILE",
     "subspaces: write the true planes here as a model, for kith evaluate "
     "--reference"},
};

static const arg_group groups[] = {
    {"Data", generate_options,
     sizeof generate_options / sizeof *generate_options},
    {"Output", output_options, sizeof output_options / sizeof *output_options},
};

static const char NOTES[] =
    "gaussians: K round clusters with centres on the sphere of radius 0.875, "
    "rows\nclipped to the unit ball. subspaces: rows near K random planes of "
    "dimension Q,\nscaled to length 1. sparse: rows of S words from K topics, "
    "scaled to length 1.\n";

typedef enum { AS_CSV, AS_NPY, AS_SVM } layout;

typedef struct writer {
    layout layout;
    output data, labels, bases;
} writer;

static int write_row(void *arg, uint32_t label, const uint32_t *index,
                     const double *value, uint32_t count)
{
    writer *w = arg;
    FILE *file = w->data.file;
    if (w->layout == AS_SVM) {
        fprintf(file, "%u", label);
        for (uint32_t i = 0; i < count; i++)
            fprintf(file, " %llu:%.17g", index[i] + 1ull, value[i]);
        putc('\n', file);
    } else if (w->layout == AS_NPY) {
        npy_write_values(file, value, count);
    } else {
        csv_write_row(file, value, count);
    }
    if (w->labels.file)
        fprintf(w->labels.file, "%u\n", label);
    return ferror(file) || (w->labels.file && ferror(w->labels.file));
}

/* ---- options ------------------------------------------------------------- */

static int parse_kind(const args *a, kith_generator *kind)
{
    static const char *const kinds[] = {"gaussians", "subspaces", "sparse",
                                        NULL};
    if (a->operand_count != 1)
        return cli_usage("one kind of data is needed: gaussians, subspaces or "
                         "sparse");
    for (int i = 0; kinds[i]; i++)
        if (!strcmp(kinds[i], a->operands[0])) {
            *kind = (kith_generator)(KITH_GENERATE_GAUSSIANS + i);
            return CLI_OK;
        }
    const char *close = args_closest(a->operands[0], kinds);
    return cli_usage("unknown kind '%s'%s%s%s", a->operands[0],
                     close ? "; did you mean " : "", close ? close : "",
                     close ? "?" : ": gaussians, subspaces or sparse");
}

static int check_given(const args *a, kith_generator kind)
{
    static const char *const required[] = {"rows", "dimension", "clusters",
                                           NULL};
    for (int i = 0; required[i]; i++)
        if (!args_value(a, required[i]))
            return cli_usage("--%s is required", required[i]);
    int q = args_value(a, "subspace-dimension") != NULL;
    int s = args_value(a, "sparsity") != NULL;
    if (q != (kind == KITH_GENERATE_SUBSPACES))
        return cli_usage(q ? "-q (--subspace-dimension) is for subspaces only"
                           : "-q Q (--subspace-dimension) is required");
    if (s != (kind == KITH_GENERATE_SPARSE))
        return cli_usage(s ? "--sparsity is for sparse only"
                           : "--sparsity S is required");
    if (args_value(a, "spread") && kind == KITH_GENERATE_SPARSE)
        return cli_usage("--spread has no meaning for sparse");
    if (args_value(a, "decay") && kind != KITH_GENERATE_SUBSPACES)
        return cli_usage("--decay is for subspaces only");
    if (args_value(a, "bases") && kind != KITH_GENERATE_SUBSPACES)
        return cli_usage("--bases is for subspaces only");
    return CLI_OK;
}

/* K numbers with commas; *out is the caller's to free. */
static int parse_weights(const args *a, uint32_t k, double **out)
{
    const char *text = args_value(a, "weights");
    if (!text)
        return CLI_OK;
    size_t count = 1;
    for (const char *p = text; *p; p++)
        count += *p == ',';
    if (count != k)
        return cli_usage("--weights: there are K = %u clusters and %zu numbers",
                         k, count);
    char *copy = strdup(text), *rest = copy;
    *out = calloc(count, sizeof **out);
    int ok = copy && *out, code = ok ? CLI_OK : cli_no_memory();
    for (size_t i = 0; ok && !code && i < count; i++)
        if (cli_number(strsep(&rest, ","), &(*out)[i]) || (*out)[i] < 0)
            code = cli_usage("--weights: '%s' is not a list of numbers from 0 "
                             "on",
                             text);
    free(copy);
    return code;
}

static int parse_numbers(const args *a, kith_generate_options *opt)
{
    int code = args_whole(a, "rows", 1, INT64_MAX, &opt->rows);
    if (!code)
        code = args_count(a, "dimension", 1, UINT32_MAX, &opt->dimension);
    if (!code)
        code = args_count(a, "clusters", 1, UINT32_MAX, &opt->clusters);
    if (!code)
        code = args_count(a, "subspace-dimension", 1, UINT32_MAX,
                          &opt->subspace_dimension);
    if (!code)
        code = args_count(a, "sparsity", 1, UINT32_MAX, &opt->sparsity);
    if (!code)
        code = args_real(a, "spread", &opt->spread);
    if (!code && args_value(a, "spread") && opt->spread < 0)
        code = cli_usage("--spread: '%s' is below 0", args_value(a, "spread"));
    if (!code)
        code = args_real(a, "decay", &opt->decay);
    if (!code && args_value(a, "decay") && !(opt->decay > 0 && opt->decay <= 1))
        code = cli_usage("--decay: '%s' is not above 0 and at most 1",
                         args_value(a, "decay"));
    if (!code)
        code = args_whole(a, "seed", 0, INT64_MAX, &opt->seed);
    return code;
}

static int choose_layout(const char *path, kith_generator kind, layout *out)
{
    int sparse = kind == KITH_GENERATE_SPARSE;
    *out = sparse ? AS_SVM : AS_CSV;
    if (!path || !strcmp(path, "-"))
        return CLI_OK;
    if (!sparse && output_has_suffix(path, ".npy")) {
        *out = AS_NPY;
        return CLI_OK;
    }
    if (output_has_suffix(path, sparse ? ".svm" : ".csv"))
        return CLI_OK;
    return cli_usage("-o: '%s' does not end in %s", path,
                     sparse ? ".svm" : ".csv or .npy");
}

/* ---- running ------------------------------------------------------------- */

/* Two outputs with one name, or on standard output beside the rows. */
static int check_side_output(const args *a, const char *name)
{
    static const char *const others[] = {"output", "labels", "bases"};
    const char *path = args_value(a, name);
    for (int i = 0; path && i < 3; i++) {
        const char *other = args_value(a, others[i]);
        if (!strcmp(path, "-") || (strcmp(others[i], name) != 0 && other &&
                                   output_is_same(path, other)))
            return cli_usage("--%s needs a file of its own", name);
    }
    return CLI_OK;
}

static int open_outputs(writer *w, const args *a)
{
    const char *labels = args_value(a, "labels");
    const char *bases = args_value(a, "bases");
    int code = check_side_output(a, "labels");
    if (!code)
        code = check_side_output(a, "bases");
    if (!code)
        code = output_open(&w->data, args_value(a, "output"));
    if (!code && labels)
        code = output_open(&w->labels, labels);
    if (!code && bases)
        code = output_open(&w->bases, bases);
    return code;
}

static int write_bases(writer *w, const kith_generate_options *opt)
{
    uint32_t k = opt->clusters, d = opt->dimension;
    uint32_t q = opt->subspace_dimension;
    kith_error err = {0};
    double *bases = q <= d ? calloc((size_t)k * d * q, sizeof *bases) : NULL;
    if (q <= d && !bases)
        return cli_no_memory();
    int code = cli_status(kith_generate_planes(opt, bases, &err), &err);
    kith_model_view truth = {.clusters = k,
                             .dimension = d,
                             .bases = bases,
                             .subspace_dimension = q,
                             .unit_rows = 1};
    char *text = NULL;
    if (!code)
        code = cli_status(kith_model_text_of_planes(&truth, &text, &err), &err);
    if (!code)
        fputs(text, w->bases.file);
    kith_text_free(text);
    free(bases);
    return code;
}

static int generate_all(writer *w, const kith_generate_options *opt)
{
    kith_error err = {0};
    output *outputs[] = {&w->data, &w->labels, &w->bases};
    int used[] = {1, w->labels.file != NULL, w->bases.file != NULL};
    if (w->layout == AS_NPY)
        npy_write_header(w->data.file, opt->rows, opt->dimension);
    kith_status status = kith_generate(opt, write_row, w, &err);
    int code = status == KITH_ERR_CANCELLED ? CLI_OK : cli_status(status, &err);
    if (!code && w->bases.file)
        code = write_bases(w, opt);
    for (int i = 0; !code && i < 3; i++)
        if (used[i])
            code = output_finish(outputs[i]);
    for (int i = 0; !code && i < 3; i++)
        if (used[i])
            code = output_commit(outputs[i]);
    return code;
}

static int generate_main(const args *a)
{
    kith_generate_options opt;
    writer w = {0};
    double *weights = NULL;
    kith_generate_options_init(&opt, sizeof opt);
    int code = parse_kind(a, &opt.kind);
    if (!code)
        code = check_given(a, opt.kind);
    if (!code)
        code = parse_numbers(a, &opt);
    if (!code)
        code = parse_weights(a, opt.clusters, &weights);
    opt.weights = weights;
    if (!code)
        code = choose_layout(args_value(a, "output"), opt.kind, &w.layout);
    if (!code)
        code = open_outputs(&w, a);
    if (!code)
        code = generate_all(&w, &opt);
    output_discard(&w.data);
    output_discard(&w.labels);
    output_discard(&w.bases);
    free(weights);
    return code;
}

const arg_command *command_generate(void)
{
    static const arg_command command = {
        .name = "generate",
        .summary = "Write synthetic data for trials and comparisons.",
        .usage = "KIND --rows N --dimension D -k K [OPTION]...\n"
                 "where KIND is gaussians, subspaces or sparse",
        .notes = NOTES,
        .groups = groups,
        .group_count = sizeof groups / sizeof *groups,
        .run = generate_main,
    };
    return &command;
}
