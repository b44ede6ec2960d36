/* Any source to a dataset: which way its rows are loaded, and what is kept
 * beside them. */
#include <string.h>

#include "base/base_i.h"
#include "base/recode.h"
#include "dataset_i.h"
#include "kith/bounds.h"
#include "reader.h"
#include "users.h"

static kith_status keep_names(kith_dataset *data, const kith_i_reader *reader,
                              kith_error *err)
{
    size_t bytes;
    const char *names = kith_i_reader_names(reader, &bytes);
    if (!names)
        return KITH_OK;
    data->names = kith_i_alloc(bytes, 1);
    if (!data->names)
        return kith_i_fail_memory(err);
    memcpy(data->names, names, bytes);
    return KITH_OK;
}

/* coded: as in a domain. */
static kith_status load(const kith_source *source,
                        const kith_source_options *opt,
                        const kith_bounds *bounds, int coded,
                        kith_dataset **out, kith_error *err)
{
    if (!out)
        return kith_i_fail_place(err);
    *out = NULL;
    kith_i_reader *reader;
    kith_status status = kith_i_reader_open_any(source, opt, &reader, err);
    if (status)
        return status;
    kith_i_domain *domain;
    int sparse = kith_i_reader_is_sparse(reader);
    kith_dataset *data = NULL;
    status = kith_i_domain_new(bounds, kith_i_reader_dimension(reader), sparse,
                               &domain, err);
    if (!status) {
        domain->coded = coded;
        status = kith_i_dataset_new(domain, &data, err);
        if (status)
            kith_i_domain_free(domain);
    }
    /* Where a row goes may depend on how many were left out before it. */
    uint32_t workers = opt->missing == KITH_MISSING_DROP
                           ? 1
                           : kith_i_thread_count(opt->threads);
    int by_user = kith_i_reader_has_users(reader);
    if (!status && opt->spill && (sparse || by_user))
        status = kith_i_fail(err, KITH_ERR_ARGUMENT, "%s: leave --spill out",
                             sparse ? "sparse rows stay in memory"
                                    : "one row a person is kept in memory");
    if (!status && sparse && coded)
        status = kith_i_fail(err, KITH_ERR_ARGUMENT,
                             "bounds are found for dense rows");
    if (!status && by_user && opt->parts > 1)
        status = kith_i_fail(err, KITH_ERR_ARGUMENT,
                             "one row a person needs all rows in one place: "
                             "a part of the files may hold a part of a person");
    if (!status)
        status = by_user
                     ? kith_i_load_users(data, reader, opt,
                                         kith_i_thread_count(opt->threads), err)
                 : sparse ? kith_i_load_sparse(data, reader, opt, err)
                          : kith_i_load_dense(data, reader, opt, workers, err);
    if (!status)
        status = keep_names(data, reader, err);
    kith_i_reader_close(reader);
    if (status) {
        kith_dataset_free(data);
        return status;
    }
    /* In memory the number of rows is the caller's, whatever they hold; where
     * a row may be dropped it is nobody's (I41). */
    data->fixed_rows = (opt->fixed_rows || !source->paths) &&
                       opt->missing == KITH_MISSING_ERROR;
    *out = data;
    return KITH_OK;
}

kith_status kith_dataset_load(const kith_source *source,
                              const kith_source_options *opt,
                              const kith_bounds *bounds, kith_dataset **out,
                              kith_error *err)
{
    return load(source, opt, bounds, 0, out, err);
}

kith_status kith_dataset_load_sizes(const kith_source *source,
                                    const kith_source_options *opt,
                                    int together, kith_dataset **out,
                                    kith_error *err)
{
    static const double low = -KITH_I_CODE_MOST, high = KITH_I_CODE_MOST;
    kith_bounds box = {.lower = &low, .upper = &high, .box_count = 1};
    return load(source, opt, &box, together ? 2 : 1, out, err);
}

kith_status kith_dataset_open(const char *const *paths, size_t path_count,
                              const kith_source_options *opt,
                              const kith_bounds *bounds, kith_dataset **out,
                              kith_error *err)
{
    kith_source source = {.paths = paths, .path_count = path_count};
    return kith_dataset_load(&source, opt, bounds, out, err);
}
