/* Distances of users from their centres. Each band of the histogram has noise
 * as large as a whole cluster where users are few: cut off at 0 it looks like
 * users far away, radii become too large, and with them the noise of the
 * means. So one curve is fitted: the logarithm of a distance is normal. All
 * places and widths of it are weighed by how well they explain all clusters
 * together, then each cluster alone, and the profile is the mean of them. */
#include "distance_shape.h"

#include <math.h>
#include <string.h>

enum { BANDS = KITH_I_REFINE_BANDS, PLACES = 48, WIDTHS = 5 };
enum { CURVES = PLACES * WIDTHS };
typedef struct {
    double band[CURVES][BANDS]; /* each sums to 1 */
    double weight[CURVES];
} curves;

/* Places are from a bit beyond the top to half a band below the last band. */
static double place_step(void)
{
    return (BANDS + 1) * M_LN2 / 2 / PLACES;
}

/* Band b reaches from 2^-(b + 1)/2 to 2^-b/2 of the top; the first holds all
 * that is beyond, the last all that is below. */
static void draw_curves(curves *c)
{
    for (int i = 0; i < CURVES; i++) {
        int row = i / WIDTHS;
        double place = 0.1 - (row + 0.5) * place_step(), beyond = 0;
        double width = kith_i_recipe.curves[i % WIDTHS];
        for (int b = 0; b < BANDS; b++) {
            double low = -(b + 1) * M_LN2 / 2;
            double more =
                b + 1 < BANDS ? erfc((low - place) / width * M_SQRT1_2) / 2 : 1;
            c->band[i][b] = more - beyond;
            beyond = more;
        }
    }
}

/* What of each curve is left when `seen`, with this noise, is `share` of it:
 * prior times likelihood; sums to 1. */
static void weigh(const curves *c, const double *prior, const double *seen,
                  double share, double sd, double *weight)
{
    double least = HUGE_VAL, all = 0;
    for (int i = 0; i < CURVES; i++) {
        weight[i] = 0;
        for (int b = 0; b < BANDS; b++) {
            double miss = (seen[b] - share * c->band[i][b]) / sd;
            weight[i] += miss * miss;
        }
        least = prior[i] > 0 ? fmin(least, weight[i]) : least;
    }
    for (int i = 0; i < CURVES; i++)
        all += weight[i] = prior[i] * exp((least - weight[i]) / 2);
    for (int i = 0; i < CURVES; i++)
        weight[i] /= all;
}

/* A cluster's curve is near one of all clusters together. */
static void spread_weights(const double *from, double *to)
{
    double near[PLACES];
    for (int i = 0; i < PLACES; i++) {
        double apart = i * place_step();
        near[i] = exp(-pow(apart / kith_i_recipe.differ, 2) / 2) +
                  kith_i_recipe.astray *
                      exp(-pow(apart / kith_i_recipe.farther, 2) / 2);
    }
    memset(to, 0, CURVES * sizeof *to);
    for (int a = 0; a < PLACES; a++)
        for (int b = 0; b < PLACES; b++)
            for (int w = 0; w < WIDTHS; w++)
                to[b * WIDTHS + w] +=
                    from[a * WIDTHS + w] * near[a > b ? a - b : b - a];
}

void kith_i_shape_profiles(const kith_i_local_model *model,
                           const kith_i_answer *distances, double *profiles)
{
    curves c;
    double all[BANDS] = {0}, same[CURVES], prior[CURVES];
    draw_curves(&c);
    for (uint32_t j = 0; j < model->count; j++)
        for (uint32_t b = 0; b < BANDS; b++)
            all[b] += distances->fractions[j * BANDS + b];
    for (int i = 0; i < CURVES; i++)
        same[i] = 1;
    weigh(&c, same, all, 1, distances->sd * sqrt(model->count), c.weight);
    spread_weights(c.weight, prior);
    for (uint32_t j = 0; j < model->count; j++) {
        double *h = profiles + (size_t)j * BANDS;
        weigh(&c, prior, distances->fractions + (size_t)j * BANDS,
              model->share[j], distances->sd, c.weight);
        memset(h, 0, BANDS * sizeof *h);
        for (int i = 0; i < CURVES; i++)
            for (int b = 0; b < BANDS; b++)
                h[b] += c.weight[i] * c.band[i][b];
    }
}
