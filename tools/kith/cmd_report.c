/* `kith report`: read a model that anybody may have made, write one page. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <verify.h>

#include "cli.h"
#include "commands.h"
#include "output.h"
#include "report.h"

static const arg_option report_options[] = {
    {"output", 'o', "FILE", "write the page here, not to standard output"},
    {"names", 0, "FILE",
     "names of the features, one a line (default: those in the model)"},
    {"image", 0, "WxH",
     "the features are the pixels of a picture of this size, row by row"},
};

static const arg_option witness_options[] = {
    {"key", 0, "FILE",
     "public key of minisign: MODEL.minisig must be a signature by it, and the "
     "page names it"},
    {"ledger", 0, "URI",
     "the ledger that paid: the model's entry must be there, and the page "
     "shows what its account promises and has spent"},
    {"ledger-unsafe-fs", 0, NULL, "read it on a network file system too"},
};

static const arg_group groups[] = {
    {"Page", report_options, sizeof report_options / sizeof *report_options},
    {"Witnesses", witness_options,
     sizeof witness_options / sizeof *witness_options},
};

/* Everything that a page is made of, and its owner. */
typedef struct source_of_page {
    report report;
    json_t *json;
    char *verdict;
} source_of_page;

static int bad_model(const char *path, const char *what)
{
    return cli_fail(CLI_INPUT, "%s: not a kith model: %s", path, what);
}

static uint32_t read_count(const json_t *model, const char *key)
{
    json_int_t n = json_integer_value(json_object_get(model, key));
    return n >= 1 && n <= 2000000 ? (uint32_t)n : 0;
}

/* count numbers of an array into out; nonzero when it is anything else. */
static int copy_numbers(const json_t *array, size_t count, double *out)
{
    if (json_array_size(array) != count)
        return -1;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, i);
        if (!json_is_number(value) || !isfinite(json_number_value(value)))
            return -1;
        out[i] = json_number_value(value);
    }
    return 0;
}

/* k rows of d numbers, or k planes of d rows of q numbers. */
static int read_values(report *r, const char *path)
{
    const json_t *list = json_object_get(r->model, r->q ? "bases" : "centers");
    size_t width = r->q ? r->q : 1;
    int bad = json_array_size(list) != r->k;
    /* Sizes that the file really has, before memory is asked for. */
    for (size_t j = 0; !bad && j < r->k; j++)
        bad = json_array_size(json_array_get(list, j)) != r->d;
    if (bad)
        return bad_model(path, "'centers' or 'bases' have the wrong size");
    r->centers = calloc((size_t)r->k * r->d * width, sizeof *r->centers);
    if (!r->centers)
        return cli_no_memory();
    for (size_t j = 0; !bad && j < r->k; j++) {
        const json_t *rows = json_array_get(list, j);
        double *out = r->centers + j * r->d * width;
        if (!r->q)
            bad = copy_numbers(rows, r->d, out);
        for (size_t i = 0; !bad && r->q && i < r->d; i++)
            bad = copy_numbers(json_array_get(rows, i), r->q, out + i * r->q);
    }
    return bad ? bad_model(path, "'centers' or 'bases' hold something that is "
                                 "not a number")
               : CLI_OK;
}

/* One side of the box, for every feature; NULL: none. */
static double *read_side(const report *r, const char *side)
{
    const json_t *box = json_object_get(r->parameters, "bounds");
    const json_t *list = json_object_get(box, side);
    size_t n = json_array_size(list);
    double *out = n ? calloc(r->d, sizeof *out) : NULL;
    if (!out)
        return NULL;
    if ((n != 1 && n != r->d) || copy_numbers(list, n, out)) {
        free(out);
        return NULL;
    }
    for (uint32_t i = 1; n == 1 && i < r->d; i++)
        out[i] = out[0];
    return out;
}

static void read_bounds(report *r)
{
    r->lower = read_side(r, "lower");
    r->upper = read_side(r, "upper");
    int bad = !r->lower || !r->upper;
    for (uint32_t i = 0; !bad && i < r->d; i++)
        bad = !(r->lower[i] < r->upper[i]);
    if (bad) {
        free(r->lower);
        free(r->upper);
        r->lower = r->upper = NULL;
    }
    r->normalize =
        r->lower && json_is_true(json_object_get(r->parameters, "normalize"));
}

static double number_or_nan(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : nan("");
}

static void read_noise(report *r)
{
    r->weight_sd = number_or_nan(r->quality, "weight_sd");
    if (r->q)
        r->noise = number_or_nan(r->quality, "noise_angle");
    else
        r->noise = number_or_nan(r->quality, "noise") / sqrt(r->d);
}

static int read_weights(report *r, const char *path)
{
    const json_t *weights = json_object_get(r->model, "weights");
    if (json_array_size(weights) == 0)
        return CLI_OK;
    r->weights = calloc(r->k, sizeof *r->weights);
    if (!r->weights)
        return cli_no_memory();
    return copy_numbers(weights, r->k, r->weights)
               ? bad_model(path, "'weights' is not k numbers")
               : CLI_OK;
}

/* ---- names ---- */

static int use_json_names(report *r, const json_t *list)
{
    if (json_array_size(list) != r->d)
        return CLI_OK;
    r->names = calloc(r->d, sizeof *r->names);
    if (!r->names)
        return cli_no_memory();
    for (uint32_t i = 0; i < r->d; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        r->names[i] = name ? name : "";
    }
    return CLI_OK;
}

static int read_names_file(source_of_page *p, const char *path)
{
    report *r = &p->report;
    char *line = NULL;
    size_t room = 0, count = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return cli_fail(CLI_INPUT, "%s: %s", path, strerror(errno));
    json_t *list = json_array();
    while (getline(&line, &room, file) >= 0) {
        line[strcspn(line, "\r\n")] = 0;
        if (*line)
            count += !json_array_append_new(list, json_string(line));
    }
    free(line);
    fclose(file);
    json_object_set_new(p->json, "", list); /* owned with the model */
    if (count != r->d)
        return cli_fail(CLI_INPUT,
                        "%s: %zu names (one a line, in UTF-8), but the "
                        "model has %u features",
                        path, count, r->d);
    return use_json_names(r, list);
}

static int read_names(source_of_page *p, const char *path)
{
    report *r = &p->report;
    const json_t *names = json_object_get(r->parameters, "features");
    if (path)
        return read_names_file(p, path);
    return use_json_names(r, names ? names
                                   : json_object_get(r->parameters, "columns"));
}

static int read_image(report *r, const char *text)
{
    char *end;
    if (!text)
        return CLI_OK;
    unsigned long w = strtoul(text, &end, 10);
    unsigned long h = *end == 'x' ? strtoul(end + 1, &end, 10) : 0;
    if (*end || w == 0 || h == 0 || w > r->d || h > r->d || w * h != r->d)
        return cli_usage("--image: '%s' is not WxH with %u pixels in all, one "
                         "a feature",
                         text, r->d);
    r->image_width = (uint32_t)w;
    r->image_height = (uint32_t)h;
    return CLI_OK;
}

/* ---- the command ---- */

static int read_page(source_of_page *p, const char *path, const args *a)
{
    report *r = &p->report;
    json_error_t error;
    verify_verdict verdict = verify_promise(path, &p->verdict);
    if (verdict == VERIFY_NO_MEMORY)
        return cli_no_memory();
    if (verdict == VERIFY_NOT_A_MODEL)
        return cli_fail(CLI_INPUT, "%s: %s", path, p->verdict);
    p->json = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!p->json)
        return cli_no_memory(); /* it was JSON a moment ago */
    const char *kind = json_string_value(json_object_get(p->json, "kind"));
    if (kind && !strcmp(kind, "bounds"))
        return cli_fail(CLI_INPUT,
                        "%s: a receipt of bounds has no page; kith verify "
                        "checks it, and the page of a run with these bounds "
                        "shows what they cost",
                        path);
    const char *slash = strrchr(path, '/');
    r->title = slash ? slash + 1 : path;
    r->verdict = p->verdict;
    r->holds = verdict == VERIFY_HOLDS;
    r->promises = verdict != VERIFY_NO_PROMISE;
    r->model = p->json;
    r->privacy = json_object_get(p->json, "privacy");
    r->parameters = json_object_get(p->json, "parameters");
    r->quality = json_object_get(p->json, "quality");
    r->k = read_count(p->json, "k");
    r->d = read_count(p->json, "dimension");
    r->q = json_object_get(p->json, "bases")
               ? read_count(p->json, "subspace_dimension")
               : 0;
    if (!r->k || !r->d || (json_object_get(p->json, "bases") && !r->q))
        return bad_model(path, "'k' and 'dimension' must be whole numbers "
                               "above 0");
    read_noise(r);
    read_bounds(r);
    int code = read_values(r, path);
    if (!code)
        code = read_weights(r, path);
    if (!code)
        code = read_names(p, args_value(a, "names"));
    return code ? code : read_image(r, args_value(a, "image"));
}

static int report_main(const args *a)
{
    source_of_page p = {0};
    output o = {0};
    report *r = &p.report;
    const char *target = args_value(a, "output");
    if (a->operand_count != 1)
        return cli_usage("one MODEL is needed");
    int code = output_check_inputs(target, a->operands, 1);
    if (!code)
        code = read_page(&p, a->operands[0], a);
    if (!code)
        code = report_witnesses(r, a->operands[0], a);
    if (!code)
        code = output_open(&o, target);
    if (!code) {
        r->file = o.file;
        report_write(r);
    }
    code = output_save(&o, code);
    json_decref(p.json);
    free(p.verdict);
    report_witnesses_free(r);
    free(r->names);
    free(r->centers);
    free(r->weights);
    free(r->lower);
    free(r->upper);
    return code;
}

const arg_command *command_report(void)
{
    static const arg_command command = {
        .name = "report",
        .summary = "Write one page about a model, to show and to print.",
        .usage = "[OPTION]... MODEL",
        .notes = "Without witnesses the page is made from the model file "
                 "alone, so it may be published\nwhere the model may. It needs "
                 "no script, no "
                 "network and no fonts.\nExample: kith report -o model.html "
                 "model.json\n",
        .groups = groups,
        .group_count = sizeof groups / sizeof *groups,
        .run = report_main,
    };
    return &command;
}
