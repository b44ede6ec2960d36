#include "support/fold_cut.h"

#include <stdatomic.h>

#include "data/fold.h"
/* The real ones under other names. */
kith_status sound_fold_beside(const kith_dataset *data,
                              const kith_dataset *beside, uint32_t workers,
                              kith_i_visit_fn *visit, void *arg,
                              kith_error *err);
kith_status sound_derive(const kith_dataset *data, kith_i_domain *domain,
                         uint32_t workers, kith_i_derive_fn *fill, void *arg,
                         kith_dataset **out, kith_error *err);
#define kith_i_fold_beside    sound_fold_beside
#define kith_i_dataset_derive sound_derive
#include "data/fold.c"
#undef kith_i_fold_beside
#undef kith_i_dataset_derive

static cut_mode cut_by;
static atomic_ullong dense_pieces, sparse_pieces, derived_pieces;

void cut_folds(cut_mode mode)
{
    cut_by = mode;
    atomic_store(&dense_pieces, 0);
    atomic_store(&sparse_pieces, 0);
    atomic_store(&derived_pieces, 0);
}

cut_counts cut_pieces(void)
{
    return (cut_counts){atomic_load(&dense_pieces), atomic_load(&sparse_pieces),
                        atomic_load(&derived_pieces)};
}

/* rows from .. from + rows of a block */
static kith_i_block piece_of(const kith_i_block *block, uint32_t from,
                             uint32_t rows)
{
    kith_i_block piece = *block;
    piece.rows = rows;
    if (block->dense)
        piece.dense += (size_t)from * block->dimension;
    if (block->start)
        piece.start += from;
    if (block->beside)
        piece.beside += (size_t)from * block->beside_dimension;
    return piece;
}

/* Calls take(arg, from, piece) for every piece. */
typedef void take_fn(void *arg, uint32_t from, const kith_i_block *piece);

static void cut(const kith_i_block *block, take_fn *take, void *arg)
{
    if (cut_by == CUT_NOT) {
        take(arg, 0, block);
        return;
    }
    for (uint32_t done = 0, rows = 1; done < block->rows; done += rows) {
        rows = cut_by == CUT_UNEVEN ? 1 + done % 7 : 1;
        rows = rows < block->rows - done ? rows : block->rows - done;
        uint32_t from =
            cut_by == CUT_BACKWARD ? block->rows - done - rows : done;
        kith_i_block piece = piece_of(block, from, rows);
        take(arg, from, &piece);
    }
}

typedef struct {
    kith_i_visit_fn *visit;
    void *arg;
} cut_fold;

typedef struct {
    const cut_fold *fold;
    uint32_t worker;
    uint64_t first;
} cut_visit;

static void take_visit(void *p, uint32_t from, const kith_i_block *piece)
{
    const cut_visit *v = p;
    atomic_fetch_add(piece->dense ? &dense_pieces : &sparse_pieces, 1);
    v->fold->visit(v->fold->arg, v->worker, v->first + from, piece);
}

static void visit_pieces(void *p, uint32_t worker, uint64_t first,
                         const kith_i_block *block)
{
    cut_visit v = {p, worker, first};
    cut(block, take_visit, &v);
}

kith_status kith_i_fold_beside(const kith_dataset *data,
                               const kith_dataset *beside, uint32_t workers,
                               kith_i_visit_fn *visit, void *arg,
                               kith_error *err)
{
    cut_fold fold = {visit, arg};
    return sound_fold_beside(data, beside, workers, visit_pieces, &fold, err);
}

typedef struct {
    kith_i_derive_fn *fill;
    void *arg;
    uint32_t width;
} cut_derive;

typedef struct {
    const cut_derive *derive;
    uint32_t worker;
    int16_t *rows;
} cut_fill;

static void take_fill(void *p, uint32_t from, const kith_i_block *piece)
{
    const cut_fill *f = p;
    atomic_fetch_add(&derived_pieces, 1);
    f->derive->fill(f->derive->arg, f->worker, piece,
                    f->rows + (size_t)from * f->derive->width);
}

static void fill_pieces(void *p, uint32_t worker, const kith_i_block *block,
                        int16_t *rows)
{
    cut_fill f = {p, worker, rows};
    cut(block, take_fill, &f);
}

kith_status kith_i_dataset_derive(const kith_dataset *data,
                                  kith_i_domain *domain, uint32_t workers,
                                  kith_i_derive_fn *fill, void *arg,
                                  kith_dataset **out, kith_error *err)
{
    cut_derive derive = {fill, arg, domain->dimension};
    return sound_derive(data, domain, workers, fill_pieces, &derive, out, err);
}
