/* Releases recorded and replayed: the strongest audit of a whole method.
 *
 * noise_replay.c takes the place of noise/noise.c. While recording, every exact
 * statistic x is kept with the output y that a made-up noise gives. While
 * replaying, a run on neighbouring data is handed the same outputs y, so it
 * takes the same path, and its exact statistics x' can be compared release by
 * release: the privacy loss of the transcript is the sum of
 * log Pr[y | x] - log Pr[y | x'], without any sampling error. If the path of
 * the replay differs, the method looked at something it had not released.
 *
 * A Wishart difference (noise/noise_wishart.c) counts with the largest loss
 * that any y can show, since its density has no simple form.
 *
 * It also takes the place of noise/select.c, release/release_sparse.c and
 * kernel/aggregate.c, whose own text it includes: selections and sparse
 * histograms are recorded and replayed too. The loss of a selection is the log
 * ratio of the exact probabilities of the chosen candidate; that of a sparse
 * histogram is summed over the cells whose counts differ, listed or silent. In
 * Gaussian DP a selection counts with the smallest mu of its two distributions,
 * squared (in parts: with the mu that the range of its log ratios is worth,
 * which is what the proof bounds and no less), and a sparse histogram as the
 * noisy counts that it is computed from. */
#ifndef KITH_TEST_NOISE_REPLAY_H
#define KITH_TEST_NOISE_REPLAY_H

#include <stddef.h>
#include <stdint.h>

enum { REPLAY_MOST_CALLS = 1000 };

/* Mistakes that a library might make, planted in the noise. */
typedef enum {
    FAULT_NONE,
    FAULT_HALF_THE_NOISE,
    FAULT_SQRT_D,  /* Laplace in each coordinate, scaled for the L2 bound */
    FAULT_EXACT_N, /* the first release (the rows' number) has no noise */
    FAULT_EMPTY_SKIPPED, /* a sparse histogram never lists an empty cell */
    FAULT_UNCLAMPED,     /* losses of swaps, and entries that features are
                            chosen by, are not clamped to their bound */
    FAULT_UNCLIPPED,     /* nor values to their radius */
} replay_fault;

typedef enum { REPLAY_NOISE, REPLAY_SPARSE, REPLAY_CHOICE } replay_part;
enum { REPLAY_PARTS = 3 };

typedef struct {
    replay_fault fault;
    int replaying;
    int differs;    /* the replay took another path */
    size_t calls;   /* so far in this run */
    size_t known;   /* directions that were learned: noise goes along them */
    double loss;    /* pure: sum of log ratios of this transcript */
    double squares; /* Gaussian: sum of (|x - x'| / sigma)^2 */
    double parts[REPLAY_PARTS]; /* loss or squares by kind of release */
    uint64_t seed;
} replay_state;
extern replay_state replay;

void replay_record(uint64_t seed); /* begin to record a run */
void replay_again(void);           /* begin to replay it */
void replay_reset(replay_fault fault);

#endif
