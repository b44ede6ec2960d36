/* How far a result can be believed, from released and public values only: it
 * costs nothing and may be published with the result. */
#ifndef KITH_QUALITY_H
#define KITH_QUALITY_H

#include <stddef.h>
#include <stdint.h>

#include "kith/cluster.h"
#include "kith/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kith_verdict {
    KITH_VERDICT_GOOD = 0,     /* nothing speaks against it */
    KITH_VERDICT_DOUBTFUL = 1, /* read the words before you use it */
    KITH_VERDICT_NOISE = 2     /* noise, as far as anybody can tell */
} kith_verdict;

/* What keeps the number of sensible clusters down. */
typedef enum kith_limit {
    KITH_LIMIT_NONE = 0,   /* not private, or not known */
    KITH_LIMIT_NOISE = 1,  /* noise per centre grows with their number */
    KITH_LIMIT_ROWS = 2,   /* there are, noisily, no more rows */
    KITH_LIMIT_GROUPS = 3, /* no more groups were told apart */
} kith_limit;

/* Numbers that are not known are NaN. */
typedef struct kith_quality {
    size_t size; /* set by the caller: sizeof; fields are only appended */
    kith_verdict verdict;
    double rows, rows_sd;       /* noisy number of rows, its noise           */
    double noise;               /* as kith_result_noise                      */
    double weight_sd;           /* noise of the size of a cluster            */
    uint32_t parts, distinct;   /* centres or planes, and how many differ    */
    uint32_t sensible;          /* clusters; 0: not known                    */
    kith_limit limit;           /* why not more                              */
    uint32_t unsure;            /* centres that noise moves as far as half   */
                                /* the way to the next one                   */
    uint32_t features_on_bound; /* where all centres lie on one public bound */
    uint32_t first_on_bound;    /* the first of them, from 0                 */
    int planes;                 /* planes, not centres */
    int turned;                 /* noise turns planes by a visible angle */
    /* local `auto`: clusters whose share of the users may be none; by how much
     * the answer is cheaper for a user than one mean, which users were asked
     * (squared distance, or distance for k-median; sd NaN: nobody was); then
     * one mean was preferred */
    uint32_t unseen;
    double mean_gain, mean_gain_sd;
    int one_mean;
    int people; /* rows are people: the unit is the user */
    /* k-means `auto`: what all rows, clipped to the bounds, cost at these
     * centres, and how far that may be off */
    double cost, cost_sd;
    /* k-means `auto`: if the rows chose between the centres and one mean, what
     * the cost of all rows may be, in expectation, above the better one's; NaN:
     * no such choice was made */
    double resolution;
    /* local `auto`: how badly round clusters explain what users said, in
     * standard deviations of a run with round clusters; the answer that users
     * chose at last (NULL: nobody was asked), whether it is another than they
     * were asked about first, and its margin in standard deviations: over the
     * first one, or over the nearest other (below 0: that seemed better, but
     * not surely) */
    double misfit;
    const char *won;
    int changed;
    double margin;
    /* local `auto`: share of the users that as many round clusters do not
     * explain; noise makes it less than 0 at times */
    double unexplained, unexplained_sd;
    /* the name of first_on_bound, for kith_quality_words: set by whoever knows
     * it, borrowed; NULL: its number is said */
    const char *name_on_bound;
    /* planes: by how much noise turns a direction, in radians, at most a right
     * angle; NaN: centres, or not known */
    double angle;
    /* planes: directions of all of them that were held against the noise of the
     * matrices they come from (0: nothing was released to hold them against),
     * and those that may be noise alone; angle is about the others */
    uint32_t directions, lost;
    int untold; /* planes: nothing released tells how far noise turned them */
    int blind;  /* planes of `auto`: the budget showed no clusters, so that they
                 * cover the spread of all rows instead */
    /* local `auto`: centres that were asked for (0: another method); if one
     * mean is the answer, how far noise moves it (root mean square) and the
     * bound of a row's length, in (normalised) units */
    uint32_t asked;
    double mean_error, reach;
} kith_quality;

/* Fill out, whose size is set. No result (NULL) is noise. Of a plan the parts
 * are those asked for; a result that is not private is good unless parts
 * coincide. */
KITH_API void kith_result_quality(const kith_result *result, kith_quality *out);

/* Do all centres lie on the same bound of this feature (from 0)? Bounds that
 * are 0 do not count: many honest features are mostly 0. */
KITH_API int kith_result_on_bound(const kith_result *result, uint32_t feature);

/* "good", "doubtful" or "noise". */
KITH_API const char *kith_verdict_name(kith_verdict verdict);

enum { KITH_QUALITY_LINE = 400 }; /* the longest sentence fits */

/* Sentence i of what people should know, as one line; 0 after the last. */
KITH_API int kith_quality_words(const kith_quality *quality, size_t i,
                                char *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
