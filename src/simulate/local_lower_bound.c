/* Protocol B (Stemmer 2021, Section 5): whoever clusters can count. A server
 * that wants to know whether any bit is 1 draws a secret interval of [0, 1],
 * lets the users with a 1 stand at its middle and all others at 0, runs a
 * 2-means protocol, and says yes when a centre lies in the interval. No LDP
 * protocol can tell fewer than about sqrt(n) ones from none, so none can find
 * clusters that small.
 *
 * Intervals are half-open (erratum E14): with closed ones a method that only
 * answers multiples of r would be right about two intervals at once. */
#include <math.h>

#include "local_run.h"

static kith_status check(uint64_t rows, uint64_t ones, uint32_t intervals,
                         uint32_t trials, const kith_local_options *opt,
                         kith_error *err)
{
    if (rows == 0 || rows > KITH_I_MAX_ROWS || ones > rows || intervals < 2 ||
        trials == 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "users, at most as many ones, two intervals and a "
                           "trial are needed");
    if (opt->clusters != 2)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "the lower bound is about two clusters");
    return KITH_OK;
}

/* Users on a line, some of them perhaps in [low, high). */
typedef struct {
    const double *x;
    uint64_t rows;
    double low, high;
    int expected; /* whether there are any */
} scene;

/* One run: did the protocol say the right thing? */
static kith_status one_trial(const scene *users, const kith_local_options *opt,
                             int *right, kith_error *err)
{
    static const double zero = 0, one = 1;
    kith_bounds bounds = {.lower = &zero, .upper = &one, .box_count = 1};
    kith_dataset *data = NULL;
    kith_i_trace trace = {0};
    double centers[2] = {0, 0}, weights[2], sds[2];
    kith_i_local_found found = {
        .centers = centers, .weights = weights, .verdict = {.weight_sd = sds}};
    int said = 0;
    kith_status status =
        kith_dataset_from_rows(users->x, users->rows, 1, &bounds, &data, err);
    if (!status)
        status = kith_i_local_execute(data, 1, opt, &trace, &found, err);
    for (uint32_t j = 0; j < found.count; j++)
        said = said || (centers[j] >= users->low && centers[j] < users->high);
    *right = said == users->expected;
    kith_i_trace_close(&trace);
    kith_dataset_free(data);
    return status;
}

kith_status kith_local_lower_bound(uint64_t rows, uint64_t ones,
                                   uint32_t intervals, uint32_t trials,
                                   const kith_local_options *options,
                                   uint32_t *right, kith_error *err)
{
    kith_local_options opt;
    kith_i_coins coins;
    uint32_t count = 0;
    if (!right)
        return kith_i_fail_place(err);
    kith_status status = kith_i_local_read_options(options, &opt, err);
    if (!status)
        status = check(rows, ones, intervals, trials, &opt, err);
    if (status)
        return status;
    double *x = kith_i_alloc(rows, sizeof *x);
    if (!x)
        return kith_i_fail_memory(err);
    kith_i_coins_seed(&coins, opt.public_seed, 0x6c62);
    for (uint32_t t = 0; !status && t < trials; t++) {
        double r = 1 / (double)intervals;
        double low = r * (double)kith_i_coins_below(&coins, intervals);
        for (uint64_t i = 0; i < ones; i++)
            x[i] = low + r / 2;
        kith_local_options run = opt;
        run.public_seed = kith_i_coins_u64(&coins);
        run.insecure_seed = kith_i_coins_u64(&coins) ^ opt.insecure_seed;
        run.progress = NULL;
        scene here = {x, rows, low, low + r, ones > 0};
        int ok = 0;
        status = one_trial(&here, &run, &ok, err);
        count += !status && ok;
        if (!status && opt.progress &&
            opt.progress(opt.progress_arg, t + 1, trials))
            status =
                kith_i_fail(err, KITH_ERR_CANCELLED, "the run was cancelled");
    }
    kith_i_free(x);
    if (!status)
        *right = count;
    return status;
}
