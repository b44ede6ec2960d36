/* The session: it owns the records, knows what may be spent, and keeps the
 * spend trace. Pay first, then fold and draw (I20); nothing is refunded (I21,
 * R7, R17). */
#include "dp_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base_i.h"
#include "base/options.h"
#include "kernel/kernel_i.h"
#include "kith/bounds.h"

/* Receipts show losses as doubles, rounded up: mu, and an epsilon of more than
 * 53 bits. Keep this fraction of the budget aside so that even these add up to
 * no more than was declared. */
enum { RESERVE_SHIFT = 40, EXACT_BITS = 53, MAX_SCALE_BITS = 54 };

void kith_session_options_init(kith_session_options *opt, size_t size)
{
    kith_i_options_init(opt, size, NULL, 0);
}

static kith_status session_new(const kith_privacy *privacy, kith_session **out,
                               kith_error *err)
{
    kith_measure measure;
    kith_i_loss total;
    kith_status status = kith_i_privacy_total(privacy, &measure, &total, err);
    if (status)
        return status;
    kith_session *s = kith_i_alloc(1, sizeof *s);
    if (!s)
        return kith_i_fail_memory(err);
    s->privacy = *privacy;
    s->measure = measure;
    s->total = total;
    s->source.owned = 1;
    s->source.owner = kith_i_process_now();
    if (measure == KITH_GAUSSIAN_DP || total >> EXACT_BITS) /* I18 */
        s->total -= (total >> RESERVE_SHIFT) + (total > 0);
    *out = s;
    return KITH_OK;
}

/* With replace-one the number of rows is public, and methods use it. That is
 * only true if no row's contents can change it (I41). */
static kith_status check_rows(const kith_dataset *data,
                              const kith_privacy *privacy, kith_error *err)
{
    if (privacy->neighbors != KITH_REPLACE_ONE ||
        kith_i_dataset_fixed_rows(data))
        return KITH_OK;
    return kith_i_fail(err, KITH_ERR_PRIVACY,
                       "replace-one takes the number of rows for public, but "
                       "these were read so that a row's contents can change "
                       "it: set fixed_rows in the source options, or use "
                       "add-remove");
}

kith_status kith_session_open(kith_dataset *data,
                              const kith_session_options *given,
                              kith_session **out, kith_error *err)
{
    if (!out)
        return kith_i_fail_place(err);
    *out = NULL;
    if (!data)
        return kith_i_fail(err, KITH_ERR_ARGUMENT, "a session needs a dataset");
    kith_session_options opt = {0};
    kith_status status = kith_i_options_read(given, "kith_session_options_init",
                                             sizeof opt, &opt, err);
    if (status)
        return status;
    kith_session *s = NULL;
    status = session_new(&opt.privacy, &s, err);
    if (status) /* the others must not wait for this rank */
        return opt.team ? kith_team_agree(opt.team, status, err) : status;
    s->threads = kith_i_thread_count(opt.threads);
    s->source.seeded = opt.insecure != 0;
    s->source.seed = opt.insecure_seed;
    s->ledgered = opt.ledger != NULL;
    s->group = (uint32_t)kith_i_dataset_by_user(data); /* I45 */
    s->total = kith_i_loss_of_one(s->total, s->measure, s->group);
    status = check_rows(data, &opt.privacy, err);
    if (!status && opt.team && opt.team->ranks > 1 && s->group)
        status = kith_i_fail(err, KITH_ERR_ARGUMENT,
                             "one row a person needs all rows in one place: "
                             "ranks may hold parts of one person");
    if (!status)
        status = kith_i_blas_reserve(s->threads, err);
    if (!status)
        status = kith_i_entropy_check(err); /* also watches for fork() */
    s->watch = (kith_i_watch){.ask = opt.progress, .arg = opt.progress_arg};
    s->data = data;
    /* data owns its domain; the cast only drops const for the shared field */
    s->domain = (kith_i_domain *)(uintptr_t)kith_i_dataset_domain(data);
    status = kith_i_team_enter(s, opt.team, status, err);
    if (!status) /* I23 */
        status = kith_i_team_publish(
            s, kith_i_session_charge_ledger(s, &opt, err), NULL, 0, err);
    if (status) {
        s->data = NULL;
        s->domain = NULL;
        kith_session_close(s);
        return status;
    }
    *out = s;
    return KITH_OK;
}

/* Claim: what was and will be released adds up to no more than the session's
 *   total, whichever rows it looks at.
 * Because: neighbours differ in one row of each dataset that was loaded from
 *   the same source, and losses add up whatever the data. */
kith_status kith_session_continue(kith_session *s, kith_dataset *data,
                                  kith_error *err)
{
    if (!s || !s->data || !data || data == s->data || s->team.ranks > 1 ||
        kith_i_dataset_by_user(data) != (int)s->group)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a session goes on with rows of the same unit, "
                           "alone");
    kith_status status = check_rows(data, &s->privacy, err);
    if (status)
        return status;
    kith_i_session_focus(s, NULL);
    kith_i_views_free(s);
    kith_i_dataset_close(s->data, s->threads);
    s->data = data;
    s->domain = (kith_i_domain *)(uintptr_t)kith_i_dataset_domain(data);
    return KITH_OK;
}

/* I26: a session without data; folds and draws ask for data and skip. */
kith_status kith_i_session_open_plan(kith_i_domain *domain, uint32_t group,
                                     const kith_privacy *privacy,
                                     kith_session **out, kith_error *err)
{
    *out = NULL;
    kith_session *s = NULL;
    kith_status status = session_new(privacy, &s, err);
    if (status)
        return status;
    s->domain = domain;
    s->group = group;
    s->total = kith_i_loss_of_one(s->total, s->measure, group);
    s->threads = 1;
    *out = s;
    return KITH_OK;
}

static void free_receipts(kith_receipt *receipts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        kith_i_free((void *)(uintptr_t)receipts[i].what);
    kith_i_free(receipts);
}

void kith_session_close(kith_session *s)
{
    if (!s)
        return;
    kith_i_session_focus(s, NULL);
    kith_i_views_free(s);
    if (s->data) /* I11 */
        kith_i_dataset_close(s->data, s->threads);
    else
        kith_i_domain_free(s->domain);
    free_receipts(s->receipts, s->receipt_count);
    kith_i_free(s->charge);
    kith_i_wipe_free(s, sizeof *s);
}

/* ---- paying ---- */

static char *join(const char *what, const char *suffix)
{
    size_t n = strlen(what) + (suffix ? strlen(suffix) + 1 : 0) + 1;
    char *text = kith_i_alloc(n, 1);
    if (text)
        snprintf(text, n, "%s%s%s", what, suffix ? " " : "",
                 suffix ? suffix : "");
    return text;
}

/* Claim: the losses of all releases of a session add up to no more than its
 *   total, which is no more than what was declared (and charged).
 * Needs: every release pays here before it folds or draws.
 * Because: integers; all bills are paid or none; adaptive composition adds
 *   epsilon (pure) and mu^2 (Gaussian DP: Dong, Roth, Su 2022, Cor. 3.3). */
kith_status kith_i_session_pay(kith_session *s, const kith_i_bill *bills,
                               size_t count, kith_error *err)
{
    if (!kith_i_process_same(s->source.owner)) /* I22 */
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "this session belongs to the process that opened "
                           "it: after fork() open a new one, and pay for it");
    kith_i_loss sum = 0;
    for (size_t i = 0; i < count; i++)
        if (bills[i].loss == 0 ||
            __builtin_add_overflow(sum, bills[i].loss, &sum))
            return kith_i_fail(err, KITH_ERR_BUDGET,
                               "a release without a budget: nothing was "
                               "released");
    if (sum > kith_i_session_left(s)) /* I19 */
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "the budget of this run is used up: nothing more "
                           "was released");
    kith_receipt *grown = kith_i_resize(
        s->receipts, s->receipt_count, s->receipt_count + count, sizeof *grown);
    if (!grown)
        return kith_i_fail_memory(err);
    s->receipts = grown;
    size_t n = s->receipt_count;
    for (size_t i = 0; i < count; i++) {
        char *what = join(bills[i].what, bills[i].suffix);
        if (!what) {
            while (i-- > 0)
                kith_i_free((void *)(uintptr_t)grown[n + i].what);
            return kith_i_fail_memory(err);
        }
        grown[n + i] = (kith_receipt){
            .what = what,
            .mechanism = bills[i].mechanism,
            .norm = bills[i].norm,
            .sensitivity = bills[i].sensitivity,
            .scale = bills[i].scale,
            .measure = s->measure,
            .loss = kith_i_loss_value(bills[i].loss, s->measure)};
    }
    s->receipt_count += count;
    s->spent += sum;
    return KITH_OK;
}

kith_status kith_i_session_receipts(const kith_session *s, kith_receipt **out,
                                    size_t *count, kith_error *err)
{
    *out = NULL;
    *count = 0;
    kith_receipt *copy = kith_i_alloc(s->receipt_count, sizeof *copy);
    if (!copy)
        return kith_i_fail_memory(err);
    for (size_t i = 0; i < s->receipt_count; i++) {
        copy[i] = s->receipts[i];
        copy[i].sensitivity *= s->group > 1 ? s->group : 1;
        copy[i].loss *= s->group > 1 ? s->group : 1;
        copy[i].what = kith_i_copy_string(s->receipts[i].what);
        if (!copy[i].what) {
            free_receipts(copy, i);
            return kith_i_fail_memory(err);
        }
    }
    *out = copy;
    *count = s->receipt_count;
    return KITH_OK;
}

/* ---- small accessors ---- */

size_t kith_i_session_receipt_count(const kith_session *s)
{
    return s->receipt_count;
}

kith_i_moves kith_i_session_moves(const kith_session *s, kith_i_statistic what)
{
    return kith_i_moves_of(what, s->privacy.neighbors);
}

uint64_t kith_i_session_stream(kith_session *s)
{
    return s->streams++; /* I31 */
}

kith_i_noise_kind kith_i_session_noise(const kith_session *s)
{
    return s->measure == KITH_PURE_DP ? KITH_I_LAPLACE : KITH_I_GAUSSIAN;
}

const char *kith_i_session_mechanism(const kith_session *s)
{
    return s->measure == KITH_PURE_DP ? "discrete-laplace" : "rounded-gaussian";
}

double kith_i_session_sd(const kith_session *s, kith_i_scale scale,
                         size_t degrees)
{
    double value = kith_i_scale_value(scale);
    if (s->measure != KITH_PURE_DP)
        return value;
    return value * sqrt(degrees ? (double)degrees + 1 : 2);
}

/* I13: sums below 2^62 leave room for 256 of these. */
static int is_too_noisy(const kith_session *s, kith_i_scale scale,
                        size_t degrees)
{
    return scale.num >> scale.shift >> MAX_SCALE_BITS ||
           (degrees &&
            !(kith_i_session_sd(s, scale, degrees) < ldexp(1, MAX_SCALE_BITS)));
}

kith_status kith_i_session_price(const kith_session *s,
                                 const kith_i_moved *moved, kith_i_bill *bill,
                                 kith_i_scale *out, kith_error *err)
{
    int pure = s->measure == KITH_PURE_DP, knorm = pure && moved->degrees;
    kith_status status =
        pure ? kith_i_scale_laplace(moved->l1, bill->loss, out, err)
             : kith_i_scale_gaussian(moved->l2_squared, bill->loss, out, err);
    if (!status && is_too_noisy(s, *out, knorm ? moved->degrees : 0))
        status = kith_i_fail(err, KITH_ERR_BUDGET,
                             "the budget is so small that the noise would not "
                             "fit 64 bits: raise epsilon");
    if (status)
        return status;
    double far = pure ? (double)moved->l1 : sqrt((double)moved->l2_squared);
    bill->mechanism = knorm ? "k-norm" : kith_i_session_mechanism(s);
    bill->norm = pure && !knorm ? "l1" : "l2";
    bill->sensitivity = moved->unit * far;
    bill->scale = moved->unit * kith_i_scale_value(*out);
    return KITH_OK;
}
