/* A7: the mean of each leaf of the forest (auto_forest.c), which together are
 * the first coreset. One histogram for the radii, one release of the sums. */
#include "cluster/auto_forest.h"

#include <math.h>

/* rms distance of evenly spread rows from the middle of their box, in half
 * diagonals: 1 / sqrt 3. */
static const double even_box = .6;
/* A tail (likely_part): so many times as many rows before a shell as in it;
 * they are so far out, of its inner edge; and their mean must stand out by this
 * many times the noise's square. */
static const double many_more = 2, beyond_edge = 1.3, dear_mean = 4;

typedef struct {
    uint32_t n;
    double *center; /* n x q */
    double *half;   /* half diagonal */
    double *size, *sd;
    uint8_t *far; /* of the far root */
} leaf_list;

static void leaves_free(leaf_list *l)
{
    kith_i_free(l->center);
    kith_i_free(l->half);
    kith_i_free(l->size);
    kith_i_free(l->sd);
    kith_i_free(l->far);
}

static kith_status list_leaves(auto_forest *f, leaf_list *out, kith_error *err)
{
    uint32_t q = f->q;
    out->n = 0;
    for (uint32_t n = 0; n < f->nodes; n++)
        if (f->node[n].child < 0)
            f->node[n].cell = out->n++;
    if (out->n == 0)
        return kith_i_fail(err, KITH_ERR_INTERNAL, "a forest without leaves");
    out->center = kith_i_alloc((size_t)out->n * q, sizeof *out->center);
    out->half = kith_i_alloc(out->n, sizeof *out->half);
    out->size = kith_i_alloc(out->n, sizeof *out->size);
    out->sd = kith_i_alloc(out->n, sizeof *out->sd);
    out->far = kith_i_alloc(out->n, sizeof *out->far);
    if (!out->center || !out->half || !out->size || !out->sd || !out->far)
        return kith_i_fail_memory(err);
    for (uint32_t n = 0; n < f->nodes; n++) {
        if (f->node[n].child >= 0)
            continue;
        uint32_t c = f->node[n].cell;
        const double *box = f->box + (size_t)n * 2 * q;
        double square = 0;
        for (uint32_t i = 0; i < q; i++) {
            double half = (box[q + i] - box[i]) / 2;
            out->center[(size_t)c * q + i] = nearbyint(box[i] + half);
            square += half * half;
        }
        out->half[c] = fmax(sqrt(square), 1);
        out->size[c] = f->rows[n].size;
        out->sd[c] = sqrt(f->rows[n].unsure);
        out->far[c] = f->rows[n].far;
    }
    return KITH_OK;
}

/* Leaves that stand out of the noise (at least the largest), compacted into
 * kept; returns their number. */
static uint32_t keep_leaves(const auto_run *run, const leaf_list *l,
                            uint32_t *kept)
{
    uint32_t n = 0, largest = 0;
    double far = kith_i_auto_far_stands(run) - 1; /* A8 looks again */
    for (uint32_t c = 0; c < l->n; c++) {
        largest = l->size[c] > l->size[largest] ? c : largest;
        double stands = l->far[c] ? far : kith_i_auto_leaf_sds(run->pure);
        if (l->size[c] > stands * l->sd[c] && l->size[c] >= 1)
            kept[n++] = c;
    }
    if (n == 0)
        kept[n++] = largest;
    return n;
}

/* Radii of all leaves (radius: l->n, wide: their classes) by one release; they
 * are balanced over those that are kept. */
static kith_status leaf_radii(auto_run *run, auto_locator *at, double hist,
                              double share, const leaf_list *l,
                              const uint32_t *kept, const auto_coreset *out,
                              uint8_t *wide, double *radius, auto_radii *radii,
                              kith_error *err)
{
    auto_hist hists[AUTO_CLASSES];
    double *scale = kith_i_alloc(out->n, sizeof *scale);
    uint8_t *class = kith_i_alloc(out->n, sizeof *class);
    kith_status status = scale && class ? KITH_OK : kith_i_fail_memory(err);
    if (!status) {
        at->wide = kith_i_auto_find_wide(l->half, l->size, l->n, wide);
        status = kith_i_auto_histogram(run, at, l->half, "leaf radii,", .05, 20,
                                       60, hist, hists, err);
    }
    if (!status) {
        for (uint32_t j = 0; j < out->n; j++) {
            scale[j] = l->half[kept[j]];
            class[j] = wide[kept[j]];
        }
        kith_i_auto_radius(run, hists, at->wide ? class : NULL, scale,
                           out->size, out->n, share, out->q, even_box, radii);
        for (uint32_t c = 0; c < l->n; c++)
            radius[c] = radii->rho[wide[c]] * l->half[c];
    }
    at->wide = NULL;
    kith_i_free(scale);
    kith_i_free(class);
    return status;
}

/* Rows below each root, as the leaves have them (noise may make them less than
 * none, so that they add up to none where nobody is). */
static void root_sizes(const auto_forest *f, const leaf_list *l, double *sizes)
{
    for (uint32_t c = 0; c < l->n; c++) {
        const double *y = l->center + (size_t)c * f->q;
        double sum = 0, most = 0;
        for (uint32_t i = 0; i < f->q; i++) {
            double square = y[i] * y[i] * f->inverse[i];
            sum += square;
            most = fmax(most, square);
        }
        uint32_t near = sum > 4.0 * f->q;
        kith_i_forest face = kith_i_auto_forest_face(f);
        sizes[l->far[c] ? kith_i_forest_shell(&face, most) : near] +=
            l->size[c];
    }
}

/* Where the rows of a leaf are before its sum is looked at, as a part of the
 * way from the mean to its middle. A shell with many more rows on the way to it
 * is the end of a tail: its rows are near its inner edge. Else they are a lump,
 * anywhere in the box. */
static double likely_part(const auto_forest *f, const leaf_list *l, uint32_t c,
                          const double *sizes)
{
    const double *y = l->center + (size_t)c * f->q;
    double most = 0;
    for (uint32_t i = 0; i < f->q; i++)
        most = fmax(most, y[i] * y[i] * f->inverse[i]);
    kith_i_forest face = kith_i_auto_forest_face(f);
    uint32_t root = kith_i_forest_shell(&face, most);
    if (!l->far[c] || sizes[root - 1] < many_more * sizes[root])
        return 1;
    return fmin(1, beyond_edge * f->edge[root - 1] / sqrt(most));
}

/* Point j of the coreset from the sum of leaf c. part: likely_part; box: mean
 * square of the rows' distances from its middle. */
static void set_point(const leaf_list *l, uint32_t c, uint32_t q,
                      const kith_i_cells *cells, double part, double box,
                      auto_coreset *out, uint32_t j)
{
    const double *middle = l->center + (size_t)c * q;
    double *to = out->points + (size_t)j * q;
    double w = out->size[j], square = 0, moved = 0;
    double noise = q * pow(cells->sum_sd[c] / w, 2);
    for (uint32_t i = 0; i < q; i++) {
        double move = (double)cells->sums[(size_t)c * q + i] / w;
        to[i] = (1 - part) * middle[i] + move;
        moved += move * move;
        square += to[i] * to[i];
    }
    double dear = part < 1 ? dear_mean * noise : noise;
    double keep = square > dear ? 1 - dear / square : 0;
    for (uint32_t i = 0; i < q; i++)
        to[i] = part * middle[i] + keep * to[i];
    out->unsure[j] = pow(l->sd[c], 2);
    out->within[j] = box;
    if (l->far[c]) /* about its mean, not about its box */
        out->within[j] = fmax(box - keep * keep * moved, box / 16);
    /* neither its place nor its size is quite sure */
    double place = out->within[j] / (noise + out->within[j]);
    double sure = l->far[c] ? 1 : 1 - fmin(1, pow(l->sd[c] / w, 2));
    out->weight[j] = w * (place * sure + .001);
}

/* The means of the leaves that are kept, by one release of all. */
static kith_status leaf_means(auto_run *run, const auto_space *space,
                              const auto_shares *shares, auto_forest *f,
                              const leaf_list *l, const uint32_t *kept,
                              auto_coreset *out, kith_error *err)
{
    uint32_t q = f->q, n = out->n;
    auto_locator at = {.forest = f,
                       .view = space->view,
                       .by = space->view,
                       .cells = l->n,
                       .width = q};
    double *radius = kith_i_alloc(l->n, sizeof *radius);
    uint8_t *wide = kith_i_alloc(l->n, sizeof *wide);
    auto_radii radii = {0};
    kith_i_cells cells = {0};
    double sizes[FOREST_ROOTS] = {0};
    root_sizes(f, l, sizes);
    kith_status status = radius && wide
                             ? kith_i_auto_locator_set(&at, l->center, err)
                             : kith_i_fail_memory(err);
    for (uint32_t j = 0; j < n; j++)
        out->size[j] = fmax(l->size[kept[j]], 1);
    if (!status)
        status = kith_i_auto_locator_label(run, &at, err);
    if (!status)
        status = leaf_radii(run, &at, shares->hist, shares->leaf, l, kept, out,
                            wide, radius, &radii, err);
    if (!status)
        status = kith_i_auto_residuals(run, &at, "leaf", radius, shares->leaf,
                                       &cells, err);
    for (uint32_t j = 0; !status && j < n; j++) {
        uint32_t c = kept[j];
        double box = pow(radii.kappa[wide[c]] * l->half[c], 2);
        set_point(l, c, q, &cells, likely_part(f, l, c, sizes), box, out, j);
    }
    kith_i_cells_free(&cells);
    kith_i_auto_locator_free(run, &at);
    kith_i_free(radius);
    kith_i_free(wide);
    return status;
}

kith_status kith_i_auto_leaves(auto_run *run, const auto_space *space,
                               const auto_shares *shares, auto_forest *f,
                               auto_coreset *out, kith_error *err)
{
    leaf_list leaves = {0};
    kith_status status = list_leaves(f, &leaves, err);
    uint32_t *kept = NULL;
    if (!status && !(kept = kith_i_alloc(leaves.n, sizeof *kept)))
        status = kith_i_fail_memory(err);
    if (!status)
        status = kith_i_auto_coreset_new(out, keep_leaves(run, &leaves, kept),
                                         f->q, err);
    if (!status)
        status = leaf_means(run, space, shares, f, &leaves, kept, out, err);
    kith_i_free(kept);
    leaves_free(&leaves);
    return status;
}
