/* The last answer of balcan, alone.
 *
 * On sparse rows a centre of balcan is read off its last answers only: the
 * noisy sums of the features, each shortened by what noise explains, over a
 * noisy size. There are two features and the centre has both, so their ratio
 * does without the size. A crowd at the second feature makes its sum large and
 * well known; what is left is the noisy sum of the first, to which the far row
 * adds 1.
 *
 * Claim: the guess is a function of the last answer, the noisy sums, and of
 *   public values. So the receipt of this answer limits how often it is right.
 * Needs: a size and a number of features that noise cannot spoil: half of the
 *   crowd is more than CERTAIN times the noise of a size.
 * Because: with one cluster every row is nearest to the centre, so the sums are
 *   those of all rows, whatever was answered before. Where noise takes half of
 *   the crowd away, which comes less than once in 10^17 runs, the centre may
 *   say more. */
#include <math.h>

#include "audit.h"

/* Rows at the first feature, so that their noisy sum is not taken for noise;
 * e^-40. */
enum { NEAR = 10, CERTAIN = 40 };
static const double places[2] = {1, 0.5};

/* s from s - v / s, v the variance of the noise. */
static double lengthened(double shortened, double variance)
{
    return (shortened + sqrt(shortened * shortened + 4 * variance)) / 2;
}

static double sum_of_first(const audit_target *t, double crowd,
                           const double center[2], const audit_view *seen)
{
    double variance = pow(seen->scale, 2) * (t->mu > 0 ? 1 : 2),
           second = places[1] * crowd;
    if (!(center[0] > 0) || !(center[1] > 0) || !(seen->reach > 0) ||
        CERTAIN * seen->scale_before > crowd / 2)
        return 0.5;
    double shortened = center[0] / center[1] * (second - variance / second);
    return (lengthened(shortened, variance) - NEAR * places[0]) / seen->reach;
}

int audit_sparse(const audit_target *t, audit_tally *tally, audit_sight *sight)
{
    unsigned char coin;
    audit_view seen = {0};
    double center[2] = {0};
    audit_bits(&coin, 1);
    uint64_t in = coin & 1, rows[3] = {NEAR, tally->crowd, in};
    int code = audit_write_sparse(t, rows, places);
    if (!code)
        code = audit_run(t, tally->epsilon, 2, center, &seen);
    tally->claim = seen.claim;
    /* The size is another answer: it is not looked at. */
    if (!code)
        *sight = (audit_sight){
            .sum = sum_of_first(t, (double)tally->crowd, center, &seen),
            .count = 0.5,
            .in = (int)in};
    return code;
}
