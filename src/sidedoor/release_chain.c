/* An exponential mechanism over a continuous range, drawn in floating point.
 *
 * Claim: a draw that had exactly the law asked for would cost charge. What is
 *   drawn has that law in the limit of a long chain and of exact arithmetic:
 *   hence "asymptotic", never "exact".
 * Needs: a record-local loss in [0, square]; a start that does not depend on
 *   the records, unless spec->unproved; one state leaves.
 * Because: with density exp(-b L(state)), L the sum of the records' losses, and
 *   a range e of the charge (kith_i_selection_range):
 *   add-remove: a record multiplies the density by a factor in
 *     [exp(-b square), 1] before it is normalised, so log-ratios lie in an
 *     interval of length b square: b = e / square;
 *   replace-one: the factor is in [exp(-b square), exp(b square)]:
 *     b = e / (2 square).
 *   Pure DP: e-DP. Gaussian DP: bounded range, as in choice.c. The same holds
 *   for a marginal: a sum over hidden labels z of exp(-b sum loss(x, z)) has
 *   factors in the same interval. If the draw's law is within gamma (total
 *   variation) of the law asked for, for every dataset, the release is
 *   (e, (1 + exp e) gamma)-DP; nobody knows gamma.
 *
 * Coins: a sampler takes gigabytes of them, so they are a ChaCha20 stream
 * (libsodium's, through entropy.c) under a key of two words of the session's
 * generator, not one word of it each. */
#include "release_chain.h"

#include <math.h>
#include <string.h>

#include "base/base_i.h"
#include "base/watch.h"
#include "kernel/kernel_i.h"
#include "release/rows_out.h"

static void fill_words(void *arg, uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        words[i] = kith_i_entropy_word(arg);
}

/* A stream keyed by the session's generator. */
static void open_stream(kith_session *s, kith_i_entropy *stream, int *failed)
{
    kith_i_entropy e;
    kith_i_entropy_open(&e, kith_i_session_source(s),
                        kith_i_session_stream(s) << 32);
    kith_i_entropy_source source = {.seeded = 1,
                                    .seed = kith_i_entropy_word(&e)};
    kith_i_entropy_open(stream, &source, kith_i_entropy_word(&e));
    *failed = e.failed;
    kith_i_entropy_close(&e);
    kith_i_wipe(&source, sizeof source);
}

static kith_status draw(kith_session *s, const kith_i_chain_spec *spec,
                        const kith_i_chain_copy *copy, double exponent,
                        double *state, kith_error *err)
{
    kith_i_chain_rows rows = {.x = copy->x,
                              .n = copy->n,
                              .d = copy->d,
                              .stride = copy->stride,
                              .exponent = exponent,
                              .square =
                                  (double)kith_i_session_domain(s)->l2_squared};
    kith_i_entropy stream;
    kith_i_words words;
    int failed, saved = kith_i_blas_single();
    open_stream(s, &stream, &failed);
    kith_i_words_open(&words, fill_words, &stream);
    kith_status status = spec->run(spec->arg, &rows, &words, state, err);
    kith_i_words_close(&words);
    if (!status) /* I10: a sampler that was stopped leaves any state */
        status = kith_i_stop_check(err);
    if (!status && (failed || stream.failed))
        status = kith_i_fail_entropy(err);
    kith_i_entropy_close(&stream);
    kith_i_blas_restore(saved);
    return status;
}

kith_status kith_i_release_chain(kith_session *s, const kith_i_chain_spec *spec,
                                 double *state, kith_error *err)
{
    const kith_i_domain *domain = kith_i_session_domain(s);
    kith_i_moves score = kith_i_session_moves(s, KITH_I_SCORES);
    kith_i_loss range =
        kith_i_selection_range(kith_i_session_measure(s), spec->charge);
    double square = (double)domain->l2_squared;
    double moves = (double)score.l1 * square; /* on the receipt: choice.c */
    double unit = kith_i_domain_step(domain);
    double exponent = ldexp((double)range, -KITH_I_LOSS_BITS) / moves;
    exponent *= 1 - 0x1p-50; /* the three roundings above, downward */
    /* What one unit of loss is in the data's own, for the receipt. */
    double per_loss = spec->distances ? 2 * unit / sqrt(square) : unit * unit;
    kith_i_bill bill = {.what = spec->what,
                        .mechanism = "exponential",
                        .norm = "score",
                        .sensitivity = moves * per_loss,
                        .scale = per_loss / exponent,
                        .loss = spec->charge};
    kith_i_chain_copy copy;
    kith_status status =
        kith_i_chain_copy_open(s, &bill, spec->unproved, &copy, err);
    if (status)
        return status; /* refused: no row was seen, the state is as it was */
    memset(state, 0, spec->state * sizeof *state);
    if (!kith_i_session_is_plan(s))
        status = draw(s, spec, &copy, exponent, state, err);
    kith_i_chain_copy_close(&copy);
    if (status)
        kith_i_wipe(state, spec->state * sizeof *state);
    return status;
}
