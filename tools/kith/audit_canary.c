/* Many canaries in one run. Canary j is a row of length 1 along feature j, in
 * the data with probability 1/2. Guess "in" where the centre is above its
 * median.
 *
 * Claim: the expected share of right guesses of a mu-GDP program is at most
 *   Phi(mu / 2).
 * Because: canary j is one row, so guessing its bit is a test of neighbouring
 *   data with equal prior odds, whatever the other rows are and however the
 *   guesses depend on each other; expectations add up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "audit_stat.h"
#include "cli.h"

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double share_right(const double *center, const unsigned char *in)
{
    double sorted[AUDIT_CANARIES];
    memcpy(sorted, center, sizeof sorted);
    qsort(sorted, AUDIT_CANARIES, sizeof *sorted, compare);
    double median = sorted[AUDIT_CANARIES / 2];
    size_t right = 0, below = 0, above = 0;
    for (size_t j = 0; j < AUDIT_CANARIES; j++) {
        below += center[j] < median;
        above += center[j] > median;
    }
    /* Equal coordinates, as where one draw was used for all of them, go to the
     * smaller side: about half of the canaries are in. */
    int equal_is_in = above <= below;
    for (size_t j = 0; j < AUDIT_CANARIES; j++) {
        int guess = equal_is_in ? center[j] >= median : center[j] > median;
        right += guess == (in[j] & 1);
    }
    return (double)right / AUDIT_CANARIES;
}

int audit_canary(const audit_target *t, audit_tally *tally, audit_sight *sight)
{
    unsigned char in[AUDIT_CANARIES];
    double center[AUDIT_CANARIES];
    audit_view seen = {0};
    (void)sight;
    audit_bits(in, sizeof in);
    size_t rows = 0;
    double *values =
        calloc((size_t)AUDIT_CANARIES * AUDIT_CANARIES, sizeof *values);
    if (!values)
        return cli_no_memory();
    for (size_t j = 0; j < AUDIT_CANARIES; j++)
        if (in[j] & 1)
            values[rows++ * AUDIT_CANARIES + j] = 1;
    int code = audit_write(t, values, rows, AUDIT_CANARIES);
    free(values);
    if (!code)
        code = audit_run(t, tally->epsilon, AUDIT_CANARIES, center, &seen);
    tally->claim = seen.claim;
    if (code)
        return code;
    double share = share_right(center, in);
    tally->runs++;
    tally->shares += share;
    tally->squares += share * share;
    return CLI_OK;
}

void audit_canary_bound(const audit_tally *tally, double alpha,
                        audit_bound *out)
{
    double n = (double)tally->runs;
    double mean = n > 0 ? tally->shares / n : 0.5;
    double between = n > 1 ? (tally->squares / n - mean * mean) / (n - 1) : 0;
    double within = n > 0 ? mean * (1 - mean) / (n * AUDIT_CANARIES) : 1;
    double sd = sqrt(fmax(between, within));
    double low = mean + audit_normal_inverse(alpha) * sd;
    *out = (audit_bound){.estimate = 2 * audit_normal_inverse(mean),
                         .least = fmax(0, 2 * audit_normal_inverse(low)),
                         .tries = tally->runs};
}
