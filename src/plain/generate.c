/* Example data, streamed to a sink: the papers' generators. Nothing here is
 * private or secret; all of it follows from the seed (public coins).
 *
 * gaussians: K centres uniform on the sphere of radius 0.875, labels uniform,
 *   independent normal noise in each coordinate, rows clipped to the unit ball
 *   (the synthetic set of Balcan et al. 2017 scaled into the ball).
 * subspaces: K Haar-random q-dimensional planes, coefficients uniform on the
 *   unit sphere (or, with decay, a normal vector of falling sds, scaled to
 *   length 1), normal noise, rows scaled to length 1 (Wang et al. 2015; the
 *   scaling repairs the listing, whose rows leave the unit ball).
 * sparse: generate_topics.c. */
#include <math.h>
#include <string.h>

#include "base/base_i.h"
#include "base/domain.h"
#include "base/options.h"
#include "generate_topics.h"
#include "kernel/planes.h"
#include "kith/plain.h"

/* Coins of the clusters and of the rows are apart, so that asking for more
 * rows keeps the first ones. */
enum { STREAM_CLUSTERS = 1, STREAM_ROWS = 2 };

#define CENTER_RADIUS   0.875
#define GAUSSIAN_SPREAD 0.0125
#define SUBSPACE_SPREAD 0.01
#define MAX_SPREAD      1e100 /* squares stay finite */

typedef struct generator {
    const kith_generate_options *opt;
    uint32_t width; /* vectors of a cluster's shape */
    double spread;
    double mass;          /* sum of the weights, if there are any           */
    kith_i_coins coins;   /* of the rows                                    */
    double *shape;        /* centres: K x d; bases: K x q x d               */
    double *row;          /* d                                              */
    double *coefficient;  /* q                                              */
    kith_i_topics topics; /* sparse: instead of shape, row and coefficient */
} generator;

void kith_generate_options_init(kith_generate_options *opt, size_t size)
{
    kith_generate_options fresh = {.spread = -1};
    kith_i_options_init(opt, size, &fresh, sizeof fresh);
}

/* ---- vectors ------------------------------------------------------------- */

static double dot(const double *a, const double *b, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void scale(double *v, uint32_t n, double factor)
{
    for (uint32_t i = 0; i < n; i++)
        v[i] *= factor;
}

/* Uniform on the sphere of the given radius. */
static void draw_direction(kith_i_coins *coins, double *v, uint32_t n,
                           double radius)
{
    double square;
    do {
        for (uint32_t i = 0; i < n; i++)
            v[i] = kith_i_coins_normal(coins);
        square = dot(v, v, n);
    } while (square < 1e-200);
    scale(v, n, radius / sqrt(square));
}

static void add_normal(kith_i_coins *coins, double *v, uint32_t n, double sd)
{
    for (uint32_t i = 0; i < n; i++)
        v[i] += sd * kith_i_coins_normal(coins);
}

/* ---- clusters ------------------------------------------------------------ */

/* q orthonormal rows with Haar law: those of normal rows. A row that was almost
 * dependent is drawn again. */
static void draw_basis(kith_i_coins *coins, double *basis, uint32_t q,
                       uint32_t d)
{
    for (uint32_t r = 0; r < q; r++) {
        double length, *v = basis + (size_t)r * d;
        do {
            draw_direction(coins, v, d, 1);
            length = kith_i_orthogonal_row(basis, r, d);
        } while (length < 1e-8);
        scale(v, d, 1 / length);
    }
}

static kith_status draw_clusters(generator *g, kith_error *err)
{
    const kith_generate_options *opt = g->opt;
    uint32_t d = opt->dimension;
    kith_i_coins coins;
    kith_i_coins_seed(&coins, opt->seed, STREAM_CLUSTERS);
    if (opt->kind == KITH_GENERATE_SPARSE)
        return kith_i_topics_draw(&g->topics, &coins, err);
    for (uint32_t c = 0; c < opt->clusters; c++) {
        double *shape = g->shape + (size_t)c * g->width * d;
        if (opt->kind == KITH_GENERATE_GAUSSIANS)
            draw_direction(&coins, shape, d, CENTER_RADIUS);
        else
            draw_basis(&coins, shape, g->width, d);
    }
    return KITH_OK;
}

/* ---- rows ---------------------------------------------------------------- */

static void row_gaussian(generator *g, uint32_t label)
{
    uint32_t d = g->opt->dimension;
    const double *center = g->shape + (size_t)label * d;
    for (uint32_t i = 0; i < d; i++)
        g->row[i] = center[i];
    add_normal(&g->coins, g->row, d, g->spread);
    double length = sqrt(dot(g->row, g->row, d));
    if (length > 1)
        scale(g->row, d, 1 / length);
}

/* Coefficients in the plane, of length 1: a normal vector, scaled. */
static void draw_coefficients(generator *g)
{
    uint32_t q = g->width;
    double *v = g->coefficient, square, decay = g->opt->decay;
    do {
        draw_direction(&g->coins, v, q, 1);
        double size = 1;
        for (uint32_t j = 0; decay > 0 && j < q; j++) {
            v[j] *= size;
            size *= decay;
        }
        square = dot(v, v, q);
    } while (square < 1e-200);
    if (decay > 0)
        scale(v, q, 1 / sqrt(square));
}

static void row_subspace(generator *g, uint32_t label)
{
    uint32_t d = g->opt->dimension, q = g->width;
    const double *basis = g->shape + (size_t)label * q * d;
    double square;
    do {
        draw_coefficients(g);
        for (uint32_t i = 0; i < d; i++)
            g->row[i] = 0;
        for (uint32_t r = 0; r < q; r++)
            for (uint32_t i = 0; i < d; i++)
                g->row[i] += g->coefficient[r] * basis[(size_t)r * d + i];
        add_normal(&g->coins, g->row, d, g->spread);
        square = dot(g->row, g->row, d);
    } while (square < 1e-200);
    scale(g->row, d, 1 / sqrt(square));
}

static uint32_t draw_label(generator *g)
{
    const double *weights = g->opt->weights;
    uint32_t k = g->opt->clusters, last = 0;
    if (!weights)
        return (uint32_t)kith_i_coins_below(&g->coins, k);
    double left = kith_i_coins_unit(&g->coins) * g->mass;
    for (uint32_t c = 0; c < k; c++) {
        if (!(weights[c] > 0))
            continue;
        last = c;
        left -= weights[c];
        if (left < 0)
            break;
    }
    return last; /* rounding may leave a crumb */
}

static kith_status draw_rows(generator *g, kith_row_sink *sink, void *arg,
                             kith_error *err)
{
    const kith_generate_options *opt = g->opt;
    int sparse = opt->kind == KITH_GENERATE_SPARSE;
    uint32_t count = sparse ? opt->sparsity : opt->dimension;
    const double *row = sparse ? g->topics.row : g->row;
    kith_i_coins_seed(&g->coins, opt->seed, STREAM_ROWS);
    for (uint64_t i = 0; i < opt->rows; i++) {
        uint32_t label = draw_label(g);
        if (sparse)
            kith_i_topics_row(&g->topics, &g->coins, label);
        else if (opt->kind == KITH_GENERATE_GAUSSIANS)
            row_gaussian(g, label);
        else
            row_subspace(g, label);
        if (sink(arg, label, g->topics.index, row, count))
            return kith_i_fail(err, KITH_ERR_CANCELLED,
                               "stopped by the receiver of the rows");
    }
    return KITH_OK;
}

/* ---- options and memory -------------------------------------------------- */

static kith_status check_options(const kith_generate_options *opt,
                                 kith_error *err)
{
    if (opt->kind < KITH_GENERATE_GAUSSIANS || opt->kind > KITH_GENERATE_SPARSE)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "generate: set kind to gaussians, subspaces or "
                           "sparse");
    if (opt->rows == 0 || opt->clusters == 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "generate: rows and clusters must be above 0");
    if (opt->dimension == 0 || opt->dimension > KITH_I_MAX_DIMENSION)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "generate: dimension must be from 1 to %u",
                           KITH_I_MAX_DIMENSION);
    if (!(opt->spread <= MAX_SPREAD))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "generate: spread must be a finite number");
    double mass = 0;
    for (uint32_t c = 0; opt->weights && c < opt->clusters; c++) {
        if (!(opt->weights[c] >= 0))
            return kith_i_fail(err, KITH_ERR_ARGUMENT,
                               "generate: weights must not be below 0");
        mass += opt->weights[c];
    }
    if (opt->weights && !(mass > 0 && mass <= MAX_SPREAD))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "generate: the weights must have a finite sum "
                           "above 0");
    int subspaces = opt->kind == KITH_GENERATE_SUBSPACES;
    if (!(opt->decay >= 0 && opt->decay <= 1) || (opt->decay > 0 && !subspaces))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "generate: decay is for subspaces, above 0 and at "
                           "most 1");
    if (subspaces && (opt->subspace_dimension == 0 ||
                      opt->subspace_dimension > opt->dimension))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "generate: the dimension of the planes must be "
                           "from 1 to the dimension of the rows");
    int sparse = opt->kind == KITH_GENERATE_SPARSE;
    if (sparse && (opt->sparsity == 0 || opt->sparsity > opt->dimension))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "generate: sparsity must be from 1 to the "
                           "dimension");
    if (sparse && opt->spread >= 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "generate: spread has no meaning for sparse rows");
    return KITH_OK;
}

static void generator_free(generator *g)
{
    kith_i_free(g->shape);
    kith_i_free(g->row);
    kith_i_free(g->coefficient);
    kith_i_topics_free(&g->topics);
}

static kith_status
generator_init(generator *g, const kith_generate_options *opt, kith_error *err)
{
    uint32_t d = opt->dimension;
    *g = (generator){.opt = opt, .width = 1, .spread = opt->spread};
    for (uint32_t c = 0; opt->weights && c < opt->clusters; c++)
        g->mass += opt->weights[c];
    if (opt->kind == KITH_GENERATE_SPARSE) {
        g->topics = (kith_i_topics){
            .clusters = opt->clusters, .words = d, .sparsity = opt->sparsity};
        return kith_i_topics_reserve(&g->topics, err);
    }
    int subspaces = opt->kind == KITH_GENERATE_SUBSPACES;
    if (subspaces)
        g->width = opt->subspace_dimension;
    if (opt->spread < 0)
        g->spread = subspaces ? SUBSPACE_SPREAD : GAUSSIAN_SPREAD;
    /* Below 2^32 * 2^21 * 2^21: not a product of three that could wrap. */
    size_t planes;
    if (!__builtin_mul_overflow((size_t)opt->clusters, g->width, &planes))
        g->shape = kith_i_alloc(planes, (size_t)d * sizeof *g->shape);
    g->row = kith_i_alloc(d, sizeof *g->row);
    g->coefficient = kith_i_alloc(g->width, sizeof *g->coefficient);
    return g->shape && g->row && g->coefficient ? KITH_OK
                                                : kith_i_fail_memory(err);
}

/* An older caller's struct is shorter: what it lacks has its default. */
static kith_status read_options(const kith_generate_options *given,
                                kith_generate_options *opt, kith_error *err)
{
    kith_generate_options_init(opt, sizeof *opt);
    kith_status status = kith_i_options_read(
        given, "kith_generate_options_init", sizeof *opt, opt, err);
    return status ? status : check_options(opt, err);
}

/* Memory, then clusters; generator_free in any case. */
static kith_status
generator_start(generator *g, const kith_generate_options *opt, kith_error *err)
{
    kith_status status = generator_init(g, opt, err);
    return status ? status : draw_clusters(g, err);
}

kith_status kith_generate(const kith_generate_options *given,
                          kith_row_sink *sink, void *sink_arg, kith_error *err)
{
    kith_generate_options opt = {0};
    if (!sink)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "generate: give a receiver of the rows");
    kith_status status = read_options(given, &opt, err);
    if (status)
        return status;
    generator g;
    status = generator_start(&g, &opt, err);
    if (!status)
        status = draw_rows(&g, sink, sink_arg, err);
    generator_free(&g);
    return status;
}

kith_status kith_generate_planes(const kith_generate_options *given,
                                 double *bases, kith_error *err)
{
    kith_generate_options opt = {0};
    if (!bases)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "generate: give a place for the planes");
    kith_status status = read_options(given, &opt, err);
    if (!status && opt.kind != KITH_GENERATE_SUBSPACES)
        status = kith_i_fail(err, KITH_ERR_ARGUMENT,
                             "generate: only subspaces have planes");
    if (status)
        return status;
    generator g;
    status = generator_start(&g, &opt, err);
    size_t d = opt.dimension, q = opt.subspace_dimension;
    for (size_t l = 0; !status && g.shape && l < opt.clusters; l++)
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < q; j++)
                bases[(l * d + i) * q + j] = g.shape[(l * q + j) * d + i];
    generator_free(&g);
    return status;
}
