/* Releases recorded and replayed: the strongest audit of a whole method.
 *
 * noise_replay.c takes the place of dp/noise.c. While recording, every exact
 * statistic x is kept with the output y that a made-up noise gives. While
 * replaying, a run on neighbouring data is handed the same outputs y, so it
 * takes the same path, and its exact statistics x' can be compared release by
 * release: the privacy loss of the transcript is the sum of
 * log Pr[y | x] - log Pr[y | x'], without any sampling error. If the path of
 * the replay differs, the method looked at something it had not released. */
#ifndef KITH_TEST_NOISE_REPLAY_H
#define KITH_TEST_NOISE_REPLAY_H

#include <stddef.h>
#include <stdint.h>

enum { REPLAY_MOST_CALLS = 400 };

/* Mistakes that a library might make, planted in the noise. */
typedef enum {
    FAULT_NONE,
    FAULT_HALF_THE_NOISE,
    FAULT_SQRT_D,  /* Laplace in each coordinate, scaled for the L2 bound */
    FAULT_EXACT_N, /* the first release (the rows' number) has no noise */
} replay_fault;

typedef struct {
    replay_fault fault;
    int replaying;
    int differs;    /* the replay took another path */
    size_t calls;   /* so far in this run */
    size_t known;   /* directions that were learned: noise goes along them */
    double loss;    /* pure: sum of log ratios of this transcript */
    double squares; /* Gaussian: sum of (|x - x'| / sigma)^2 */
    uint64_t seed;
} replay_state;
extern replay_state replay;

void replay_record(uint64_t seed); /* begin to record a run */
void replay_again(void);           /* begin to replay it */
void replay_reset(replay_fault fault);

#endif
