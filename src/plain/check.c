/* How rows lie in their bounds, for whoever holds them. NOT private: every
 * number here is exact. */
#include <stdlib.h>
#include <string.h>

#include "base/base_i.h"
#include "data/reader.h"
#include "kith/plain.h"

void kith_check_clear(kith_check *check)
{
    if (!check)
        return;
    kith_i_free(check->below);
    kith_i_free(check->above);
    kith_i_free(check->names);
    *check = (kith_check){.size = check->size};
}

static double bound_at(const double *values, uint32_t count, uint32_t i)
{
    return values[count == 1 ? 0 : i];
}

/* A row's distance to the centre of the ball, squared, in the units that the
 * radius is in. */
static double squared_distance(const kith_bounds *b, const double *row,
                               uint32_t dimension)
{
    double sum = 0;
    for (uint32_t i = 0; i < dimension; i++) {
        double x = row[i];
        if (b->lower) {
            double lo = bound_at(b->lower, b->box_count, i);
            double hi = bound_at(b->upper, b->box_count, i);
            x = x < lo ? lo : x > hi ? hi : x;
            if (b->normalize)
                x = (x - lo) / (hi - lo);
        }
        if (b->center)
            x -= bound_at(b->center, b->center_count, i);
        sum += x * x;
    }
    return sum;
}

static void check_row(kith_check *check, const kith_bounds *b,
                      const double *row)
{
    int outside = 0;
    for (uint32_t i = 0; b->lower && i < check->dimension; i++) {
        int below = row[i] < bound_at(b->lower, b->box_count, i);
        int above = row[i] > bound_at(b->upper, b->box_count, i);
        check->below[i] += (uint64_t)below;
        check->above[i] += (uint64_t)above;
        outside |= below | above;
    }
    if (b->radius > 0 &&
        squared_distance(b, row, check->dimension) > b->radius * b->radius) {
        check->beyond++;
        outside = 1;
    }
    check->clipped += (uint64_t)outside;
}

/* Whose the rows are, one entry for each. */
typedef struct owners {
    kith_i_user *of;
    size_t count, room;
} owners;

static kith_status owners_add(owners *o, const kith_i_user *users,
                              uint32_t count, kith_error *err)
{
    if (o->count + count > o->room) {
        size_t room = 2 * (o->room + count);
        kith_i_user *grown = kith_i_alloc(room, sizeof *grown);
        if (!grown)
            return kith_i_fail_memory(err);
        if (o->count)
            memcpy(grown, o->of, o->count * sizeof *grown);
        kith_i_wipe_free(o->of, o->room * sizeof *o->of);
        o->of = grown;
        o->room = room;
    }
    if (o->of && count)
        memcpy(o->of + o->count, users, count * sizeof *users);
    o->count += count;
    return KITH_OK;
}

static int by_id(const void *p, const void *q)
{
    return memcmp(p, q, sizeof(kith_i_user));
}

static void count_people(owners *o, kith_check *check)
{
    if (o->count)
        qsort(o->of, o->count, sizeof *o->of, by_id);
    for (size_t i = 0, first = 0; i < o->count; i++) {
        if (i == 0 || by_id(&o->of[i], &o->of[first]) != 0) {
            first = i;
            check->people++;
        }
        if (i - first + 1 > check->most_rows)
            check->most_rows = i - first + 1;
    }
    kith_i_wipe_free(o->of, o->room * sizeof *o->of);
}

enum { PIECE = 256 };

static kith_status check_shard(kith_i_reader *reader, const kith_bounds *b,
                               kith_i_raw *raw, double *values,
                               kith_check *check, owners *people,
                               kith_error *err)
{
    for (;;) {
        kith_status status = kith_i_reader_take(reader, PIECE, raw, err);
        if (status || raw->rows == 0)
            return status;
        uint32_t kept = 0;
        status = kith_i_reader_convert(reader, raw, PIECE, values, &kept, err);
        if (status)
            return status;
        for (uint32_t r = 0; r < kept; r++)
            check_row(check, b, values + (size_t)r * check->dimension);
        check->rows += raw->rows;
        check->incomplete += raw->rows - kept;
        if (raw->users)
            status = owners_add(people, raw->users, kept, err);
        if (status)
            return status;
    }
}

static kith_status check_all(kith_i_reader *reader, const kith_bounds *b,
                             kith_check *check, kith_error *err)
{
    uint32_t d = check->dimension = kith_i_reader_dimension(reader);
    if (kith_i_reader_is_sparse(reader))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "check is for dense rows: csv, tsv and npy");
    if (b->lower && b->box_count != 1 && b->box_count != d)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "bounds are given for %u features, the data has %u",
                           b->box_count, d);
    if (b->center && b->center_count != 1 && b->center_count != d)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "the centre has %u numbers, the data %u features",
                           b->center_count, d);
    kith_i_raw raw = {0};
    owners people = {0};
    double *values = kith_i_alloc((size_t)PIECE * d, sizeof *values);
    check->below = kith_i_alloc(d, sizeof *check->below);
    check->above = kith_i_alloc(d, sizeof *check->above);
    size_t bytes = 0;
    const char *names = kith_i_reader_names(reader, &bytes);
    check->names = names ? kith_i_alloc(bytes, 1) : NULL;
    kith_status status =
        values && check->below && check->above && (!names || check->names)
            ? KITH_OK
            : kith_i_fail_memory(err);
    if (!status && names)
        memcpy(check->names, names, bytes);
    if (!status && kith_i_reader_has_users(reader))
        status = kith_i_raw_want_users(&raw, PIECE, err);
    for (int more = 1; !status && more;) {
        status = check_shard(reader, b, &raw, values, check, &people, err);
        if (!status)
            status = kith_i_reader_advance(reader, &more, err);
    }
    count_people(&people, check);
    kith_i_raw_clear(&raw);
    kith_i_wipe_free(values, (size_t)PIECE * d * sizeof *values);
    return status;
}

kith_status kith_check_rows(const char *const *paths, size_t path_count,
                            const kith_source_options *opt,
                            const kith_bounds *bounds, kith_check *out,
                            kith_error *err)
{
    if (!out || !bounds || !opt)
        return kith_i_fail_place(err);
    kith_i_reader *reader = NULL;
    kith_source_options lenient = *opt;
    lenient.missing = KITH_MISSING_DROP;
    lenient.fixed_rows = 0;
    *out = (kith_check){.size = out->size};
    kith_status status =
        kith_i_reader_open(paths, path_count, &lenient, &reader, err);
    if (!status)
        status = check_all(reader, bounds, out, err);
    kith_i_reader_close(reader);
    if (status)
        kith_check_clear(out);
    return status;
}
