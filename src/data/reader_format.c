/* Which format a file has: what the options say, or its name. */
#include <string.h>

#include "base/base_i.h"
#include "reader_shard.h"

static int has_suffix(const char *name, size_t length, const char *suffix)
{
    size_t tail = strlen(suffix);
    return length > tail && memcmp(name + length - tail, suffix, tail) == 0;
}

static kith_format format_by_name(const char *path)
{
    static const struct {
        const char *suffix;
        kith_format format;
    } known[] = {
        {".csv", KITH_FORMAT_CSV},           {".tsv", KITH_FORMAT_TSV},
        {".npy", KITH_FORMAT_NPY},           {".svm", KITH_FORMAT_SVMLIGHT},
        {".svmlight", KITH_FORMAT_SVMLIGHT}, {".libsvm", KITH_FORMAT_SVMLIGHT},
    };
    size_t length = strlen(path);
    if (has_suffix(path, length, ".gz"))
        length -= 3;
    else if (has_suffix(path, length, ".zst"))
        length -= 4;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (has_suffix(path, length, known[i].suffix))
            return known[i].format;
    return KITH_FORMAT_AUTO;
}

kith_status kith_i_format_find(const kith_source_options *opt, const char *path,
                               const kith_i_shard_ops **out, kith_error *err)
{
    kith_format format = opt->format;
    if (format == KITH_FORMAT_AUTO)
        format = format_by_name(path);
    if ((format == KITH_FORMAT_NPY || format == KITH_FORMAT_SVMLIGHT) &&
        (opt->delimiter || opt->decimal || opt->missing_value_count ||
         opt->user_column))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "%.200s: --delimiter, --decimal, --missing-values "
                           "and --user-column are for csv and tsv",
                           path);
    switch (format) {
    case KITH_FORMAT_CSV:
        *out = &kith_i_shard_csv;
        return KITH_OK;
    case KITH_FORMAT_TSV:
        *out = &kith_i_shard_tsv;
        return KITH_OK;
    case KITH_FORMAT_NPY:
        *out = &kith_i_shard_npy;
        return KITH_OK;
    case KITH_FORMAT_SVMLIGHT:
        *out = &kith_i_shard_svmlight;
        return KITH_OK;
    case KITH_FORMAT_AUTO:
        break;
    }
    if (strcmp(path, "-") == 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "standard input has no name to tell its format; "
                           "say --format csv, tsv, npy or svmlight");
    return kith_i_fail(err, KITH_ERR_ARGUMENT,
                       "%.200s: the name does not tell the format; say "
                       "--format csv, tsv, npy or svmlight",
                       path);
}

kith_status kith_i_source_check(const kith_source_options *opt, kith_error *err)
{
    if (!opt || opt->size < sizeof *opt)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "options are not set up: start from "
                           "kith_source_options_init");
    if ((unsigned)opt->format > KITH_FORMAT_SVMLIGHT ||
        (unsigned)opt->header > KITH_HEADER_NO ||
        (unsigned)opt->missing > KITH_MISSING_DROP)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "format, header or missing has an unknown value");
    if (opt->column_count > 0 && !opt->columns)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "column_count is set but columns is NULL");
    if (opt->parts > 0 && opt->part >= opt->parts)
        return kith_i_fail(err, KITH_ERR_ARGUMENT, "part must be below parts");
    if (opt->fixed_rows && opt->missing == KITH_MISSING_DROP)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "--missing drop changes the number of rows, which "
                           "replace-one takes for public: fill the values in, "
                           "or use --adjacency add-remove");
    return KITH_OK;
}
