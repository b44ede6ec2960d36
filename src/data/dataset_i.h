/* Inside data/ only: how rows are stored and quantised. */
#ifndef KITH_DATASET_I_H
#define KITH_DATASET_I_H

#include <stddef.h>
#include <stdint.h>

#include "base/block.h"
#include "base/domain.h"
#include "kith/data.h"
#include "reader.h"
#include "spill.h"

/* One block of rows, allocated once. */
typedef struct kith_i_chunk {
    uint64_t first; /* position of its first row in the dataset */
    uint32_t rows, capacity;
    int16_t *dense; /* NULL: on disk */
    int owned; /* dense is freed with it, chunks after it may be in there */
    uint32_t *start, *index; /* sparse */
    int16_t *value;          /* sparse */
    uint32_t room;           /* sparse: entries allocated */
} kith_i_chunk;

struct kith_dataset {
    kith_i_domain *domain;
    uint64_t rows;  /* private when neighbours differ by a row */
    int fixed_rows; /* rows is a function of the number of lines (I41) */
    int by_user;    /* rows of a person, whose the unit is (I45); 0: rows are
                     * nobody's */
    uint32_t block_rows;
    char *names; /* of the features, each ended by a NUL; NULL: none */
    kith_i_chunk *chunks;
    size_t chunk_count, chunk_capacity;
    kith_i_spill *spill; /* NULL: in memory */
};

/* Values that a chunk of dense rows has room for. */
static inline size_t kith_i_chunk_values(const kith_dataset *data)
{
    return (size_t)data->block_rows * data->domain->dimension;
}

/* An empty dataset. domain: taken on KITH_OK. */
kith_status kith_i_dataset_new(kith_i_domain *domain, kith_dataset **out,
                               kith_error *err);
/* A fresh chunk at the end of the list, or NULL. */
kith_i_chunk *kith_i_chunk_append(kith_dataset *data);
/* Note rows that were added. */
kith_status kith_i_dataset_count(kith_dataset *data, uint32_t rows,
                                 kith_error *err);

struct kith_i_reader;
/* All rows of the reader into an empty dataset (load.c). */
kith_status kith_i_load_dense(kith_dataset *data, struct kith_i_reader *reader,
                              const kith_source_options *opt, uint32_t workers,
                              kith_error *err);
kith_status kith_i_load_sparse(kith_dataset *data, struct kith_i_reader *reader,
                               const kith_source_options *opt, kith_error *err);
/* KITH_ERR_CANCELLED when the caller says stop. */
kith_status kith_i_load_cancelled(const kith_i_reader *reader,
                                  const kith_source_options *opt,
                                  kith_error *err);

/* Clip and quantise one row. t: scratch, one double per value. */
void kith_i_quantize_dense(const kith_i_domain *domain, const double *raw,
                           double *t, int16_t *q);
/* The same for count sparse pairs; writes the non-zero ones (index kept, value
 * q, at most count of each) and returns their number. */
uint32_t kith_i_quantize_sparse(const kith_i_domain *domain,
                                const uint32_t *index, const double *value,
                                uint32_t count, double *t, uint32_t *kept,
                                int16_t *q);

/* Clamp a row to the lattice box and its norm to the bound, in integers. */
void kith_i_enforce_bounds(const kith_i_domain *domain, int16_t *q);

#endif
