/* Datasets: clip, quantise, own (R3, R9, R10). Files: load.c.
 *
 * A row is turned into lattice integers by a function of that row and of the
 * public domain alone (I6, R2): doubles in a fixed order, truncation toward
 * zero, and then the bounds checked once more in integers (I5). Rows are kept
 * in chunks that never move (I8), each of which is one block of the fold, so
 * that loading needs no second copy. */
#include "dataset_i.h"

#include <math.h>
#include <string.h>

#include "base/base_i.h"
#include "base/recode.h"

/* Any |t| is clamped to this before squares are summed: no overflow. */
#define HUGE_T 0x1p400

enum {
    DENSE_BLOCK_VALUES = 1 << 18,
    GRAM_ROWS = 256 /* second moments are fastest with so many at a time */
};

static uint32_t block_rows_of(const kith_i_domain *m)
{
    if (m->sparse)
        return KITH_I_BLOCK_ROWS;
    uint32_t rows = DENSE_BLOCK_VALUES / m->dimension;
    if (rows < 8)
        rows = 8;
    if (rows > GRAM_ROWS)
        rows -= rows % GRAM_ROWS;
    return rows < KITH_I_BLOCK_ROWS ? rows : KITH_I_BLOCK_ROWS;
}

/* t = lattice coordinate of raw value x of feature i, real-valued, clipped to
 * the box. */
static inline double locate(const kith_i_domain *m, double scale, uint32_t i,
                            double x)
{
    double u = m->shift ? (x - m->shift[i]) * m->stretch[i] : x;
    if (m->low) {
        u = u < m->low[i] ? m->low[i] : u;
        u = u > m->high[i] ? m->high[i] : u;
    }
    double t = (u - m->origin[i]) * scale;
    t = t < -HUGE_T ? -HUGE_T : t;
    return t > HUGE_T ? HUGE_T : t;
}

/* Four running sums in a fixed pattern: a function of the row alone. */
static double sum_of_squares(const double *t, uint32_t n)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += t[i] * t[i];
        s1 += t[i + 1] * t[i + 1];
        s2 += t[i + 2] * t[i + 2];
        s3 += t[i + 3] * t[i + 3];
    }
    for (; i < n; i++)
        s0 += t[i] * t[i];
    return (s0 + s1) + (s2 + s3);
}

/* Pull t into the ball (in doubles; the integer check follows). */
static void clip_ball(const kith_i_domain *m, double *t, uint32_t n)
{
    double limit = ldexp(m->radius, m->scale_log2);
    double square = sum_of_squares(t, n);
    if (square <= limit * limit)
        return;
    double shrink = limit / sqrt(square);
    for (uint32_t i = 0; i < n; i++)
        t[i] *= shrink;
}

/* Scale t to the ball's radius; zero stays zero. Divided by the largest entry
 * first, so that no square over- or underflows. */
static void stretch_row(const kith_i_domain *m, double *t, uint32_t n)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = fabs(t[i]) > most ? fabs(t[i]) : most;
    if (most == 0)
        return;
    for (uint32_t i = 0; i < n; i++)
        t[i] /= most;
    double stretch =
        ldexp(m->radius, m->scale_log2) / sqrt(sum_of_squares(t, n));
    for (uint32_t i = 0; i < n; i++)
        t[i] *= stretch;
}

static uint64_t magnitude_bits(double x)
{
    uint64_t bits;
    x = fabs(x);
    memcpy(&bits, &x, sizeof bits);
    return bits; /* ordered like the magnitudes */
}

/* Zero all but the `keep` entries of largest magnitude; of equal ones the
 * first stay. The magnitude of the last that stays is found by bisection over
 * the representations of doubles: no scratch, and only for rows with too many
 * entries. */
static void keep_largest(double *t, uint32_t n, uint32_t keep)
{
    uint32_t entries = 0;
    for (uint32_t i = 0; i < n; i++)
        entries += t[i] != 0;
    if (entries <= keep)
        return;
    uint64_t low = 1, high = magnitude_bits(HUGE_T);
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        uint32_t count = 0;
        for (uint32_t i = 0; i < n; i++)
            count += magnitude_bits(t[i]) >= middle;
        if (count >= keep)
            low = middle;
        else
            high = middle - 1;
    }
    uint32_t room = keep; /* for entries of just this magnitude */
    for (uint32_t i = 0; i < n; i++)
        room -= magnitude_bits(t[i]) > low;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bits = magnitude_bits(t[i]);
        if (bits == low && room > 0)
            room--;
        else if (bits <= low)
            t[i] = 0;
    }
}

/* The last word on the number of entries, which the bound in L1 rests on: only
 * a mistake above leaves too many, and then the row is as good as none. */
static void enforce_entries(const kith_i_domain *m, int16_t *q, uint32_t n)
{
    uint32_t entries = 0;
    for (uint32_t i = 0; i < n; i++)
        entries += q[i] != 0;
    if (entries > m->sparsity)
        memset(q, 0, n * sizeof *q);
}

/* The last word on the norm is in integers: while sum q^2 exceeds the bound,
 * take one step off the largest coordinate (a rounding error in clip_ball can
 * cost a step or two, never more). */
static void enforce_norm(const kith_i_domain *m, int16_t *q, uint32_t n)
{
    uint64_t square = 0;
    if (n > m->sparsity)
        enforce_entries(m, q, n);
    for (uint32_t i = 0; i < n; i++)
        square += (uint64_t)((int32_t)q[i] * q[i]);
    while (square > m->l2_squared) {
        uint32_t largest = 0;
        for (uint32_t i = 1; i < n; i++)
            if ((q[i] < 0 ? -q[i] : q[i]) >
                (q[largest] < 0 ? -q[largest] : q[largest]))
                largest = i;
        int32_t v = q[largest];
        int32_t smaller = v > 0 ? v - 1 : v + 1;
        square -= (uint64_t)(v * v - smaller * smaller);
        q[largest] = (int16_t)smaller;
    }
}

static inline int16_t truncate(double t, int16_t low, int16_t high)
{
    /* Every caller has |t| < 2^31 here: boxes and balls end at 2^15. */
    int32_t q = (int32_t)t;
    q = q < low ? low : q;
    return (int16_t)(q > high ? high : q);
}

void kith_i_enforce_bounds(const kith_i_domain *m, int16_t *q)
{
    uint64_t square = 0;
    for (uint32_t i = 0; i < m->dimension; i++) {
        q[i] = q[i] < m->low_q[i] ? m->low_q[i] : q[i];
        q[i] = q[i] > m->high_q[i] ? m->high_q[i] : q[i];
        square += (uint64_t)((int32_t)q[i] * q[i]);
    }
    if (square > m->l2_squared) { /* a projection may stretch a row */
        double shrink = sqrt((double)m->l2_squared / (double)square);
        for (uint32_t i = 0; i < m->dimension; i++)
            q[i] = (int16_t)(q[i] * shrink);
    }
    enforce_norm(m, q, m->dimension);
}

void kith_i_quantize_dense(const kith_i_domain *m, const double *raw, double *t,
                           int16_t *q)
{
    uint32_t d = m->dimension;
    double scale = ldexp(1, m->scale_log2);
    if (m->coded) {
        kith_i_code_row(raw, d, m->coded == 2, t);
        raw = t;
    }
    if (!m->shift && m->low)
        for (uint32_t i = 0; i < d; i++) {
            double u = raw[i];
            u = u < m->low[i] ? m->low[i] : u;
            u = u > m->high[i] ? m->high[i] : u;
            u = (u - m->origin[i]) * scale;
            u = u > -HUGE_T ? u : -HUGE_T; /* this way round: one maxpd */
            t[i] = u < HUGE_T ? u : HUGE_T;
        }
    else
        for (uint32_t i = 0; i < d; i++)
            t[i] = locate(m, scale, i, raw[i]);
    if (m->sparsity < d)
        keep_largest(t, d, m->sparsity);
    if (m->unit_rows)
        stretch_row(m, t, d);
    else if (m->radius > 0)
        clip_ball(m, t, d);
    for (uint32_t i = 0; i < d; i++)
        q[i] = truncate(t[i], m->low_q[i], m->high_q[i]);
    enforce_norm(m, q, d);
}

uint32_t kith_i_quantize_sparse(const kith_i_domain *m, const uint32_t *index,
                                const double *value, uint32_t count, double *t,
                                uint32_t *kept, int16_t *q)
{
    double scale = ldexp(1, m->scale_log2);
    for (uint32_t i = 0; i < count; i++)
        t[i] = locate(m, scale, index[i], value[i]);
    keep_largest(t, count, m->sparsity);
    if (m->radius > 0)
        clip_ball(m, t, count);
    for (uint32_t i = 0; i < count; i++)
        q[i] = truncate(t[i], m->low_q[index[i]], m->high_q[index[i]]);
    enforce_norm(m, q, count);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        if (q[i] != 0) {
            kept[n] = index[i];
            q[n++] = q[i];
        }
    return n;
}

/* ---- building ------------------------------------------------------------ */

kith_status kith_i_dataset_new(kith_i_domain *domain, kith_dataset **out,
                               kith_error *err)
{
    kith_dataset *data = kith_i_alloc(1, sizeof *data);
    if (!data)
        return kith_i_fail_memory(err);
    data->domain = domain;
    data->block_rows = block_rows_of(domain);
    *out = data;
    return KITH_OK;
}

static void chunk_free(kith_i_chunk *c)
{
    if (c->owned)
        kith_i_free(c->dense);
    if (c->value) {
        kith_i_wipe_free(c->value, c->room * sizeof *c->value);
        kith_i_wipe_free(c->index, c->room * sizeof *c->index);
    }
    kith_i_free(c->start);
}

void kith_dataset_free(kith_dataset *data)
{
    if (!data)
        return;
    /* without a domain: rows that nobody has filled */
    size_t row = data->domain ? data->domain->dimension * sizeof(int16_t) : 0;
    for (size_t i = 0; i < data->chunk_count; i++) /* before any is freed */
        if (data->chunks[i].dense)
            kith_i_wipe(data->chunks[i].dense, data->chunks[i].rows * row);
    for (size_t i = 0; i < data->chunk_count; i++)
        chunk_free(&data->chunks[i]);
    kith_i_free(data->chunks);
    kith_i_free(data->names);
    kith_i_spill_close(data->spill);
    kith_i_domain_free(data->domain);
    kith_i_free(data);
}

kith_i_chunk *kith_i_chunk_append(kith_dataset *data)
{
    if (data->chunk_count == data->chunk_capacity) {
        size_t grown = data->chunk_capacity ? data->chunk_capacity * 2 : 64;
        kith_i_chunk *chunks = kith_i_resize(data->chunks, data->chunk_capacity,
                                             grown, sizeof *chunks);
        if (!chunks)
            return NULL;
        data->chunks = chunks;
        data->chunk_capacity = grown;
    }
    kith_i_chunk *c = &data->chunks[data->chunk_count++];
    memset(c, 0, sizeof *c);
    if (data->chunk_count > 1) {
        const kith_i_chunk *before = c - 1;
        c->first = before->first + before->rows;
    }
    return c;
}

kith_status kith_i_dataset_count(kith_dataset *data, uint32_t rows,
                                 kith_error *err)
{
    data->rows += rows;
    if (data->rows > KITH_I_MAX_ROWS) /* I7 */
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "more than %u rows: split the data, or sample it",
                           KITH_I_MAX_ROWS);
    return KITH_OK;
}

/* t: scratch of d doubles. */
static kith_status append_dense(kith_dataset *data, const double *raw,
                                uint32_t rows, double *t, kith_error *err)
{
    const kith_i_domain *m = data->domain;
    kith_i_chunk *c =
        data->chunk_count ? &data->chunks[data->chunk_count - 1] : NULL;
    for (uint32_t r = 0; r < rows; r++) {
        if (!c || c->rows == c->capacity) {
            c = kith_i_chunk_append(data);
            if (!c)
                return kith_i_fail_memory(err);
            c->dense = kith_i_alloc((size_t)data->block_rows * m->dimension,
                                    sizeof *c->dense);
            if (!c->dense)
                return kith_i_fail_memory(err);
            c->capacity = data->block_rows;
            c->owned = 1;
        }
        kith_i_quantize_dense(m, raw + (size_t)r * m->dimension, t,
                              c->dense + (size_t)c->rows * m->dimension);
        c->rows++;
    }
    return kith_i_dataset_count(data, rows, err);
}

kith_status kith_dataset_from_rows(const double *rows, size_t row_count,
                                   uint32_t dimension,
                                   const kith_bounds *bounds,
                                   kith_dataset **out, kith_error *err)
{
    if (!out)
        return kith_i_fail_place(err);
    *out = NULL;
    if (!rows && row_count > 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT, "no rows were given");
    if (row_count > KITH_I_MAX_ROWS) /* I7 */
        return kith_i_fail(err, KITH_ERR_ARGUMENT, "more than %u rows",
                           KITH_I_MAX_ROWS);
    kith_i_domain *domain;
    kith_status status = kith_i_domain_new(bounds, dimension, 0, &domain, err);
    if (status)
        return status;
    kith_dataset *data = NULL;
    status = kith_i_dataset_new(domain, &data, err);
    if (status) {
        kith_i_domain_free(domain);
        return status;
    }
    double *t = kith_i_alloc(dimension, sizeof *t);
    if (!t)
        status = kith_i_fail_memory(err);
    for (size_t i = 0; !status && i < row_count * dimension; i++)
        if (!isfinite(rows[i]))
            status = kith_i_fail(err, KITH_ERR_INPUT,
                                 "row %zu, column %zu is not a finite number",
                                 i / dimension + 1, i % dimension + 1);
    if (!status)
        status = append_dense(data, rows, (uint32_t)row_count, t, err);
    if (t)
        kith_i_wipe_free(t, dimension * sizeof *t);
    if (status) {
        kith_dataset_free(data);
        return status;
    }
    data->fixed_rows = 1; /* the caller's number, whatever the rows hold */
    *out = data;
    return KITH_OK;
}
