/* Sparse datasets for tests, through a file: there is no other way in. */
#ifndef KITH_TEST_SPARSE_DATA_H
#define KITH_TEST_SPARSE_DATA_H

#include <stdio.h>
#include <unistd.h>

#include "support/make_data.h"

/* The non-zero entries of n x d values. */
static inline kith_dataset *load_sparse(const double *rows, size_t n,
                                        uint32_t d, kith_bounds bounds)
{
    char path[] = "/tmp/kith_sparse_XXXXXX.svm";
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    for (size_t r = 0; r < n; r++) {
        fprintf(file, "0");
        for (uint32_t i = 0; i < d; i++)
            if (rows[r * d + i] != 0)
                fprintf(file, " %u:%.17g", i + 1, rows[r * d + i]);
        fprintf(file, "\n");
    }
    fclose(file);
    kith_source_options opt;
    kith_source_options_init(&opt, sizeof opt);
    opt.dimension = d;
    opt.fixed_rows = 1;
    const char *paths[] = {path};
    kith_dataset *data = NULL;
    kith_error err = {0};
    if (kith_dataset_open(paths, 1, &opt, &bounds, &data, &err))
        fail_msg("sparse dataset: %s", err.message);
    unlink(path);
    return data;
}

#endif
