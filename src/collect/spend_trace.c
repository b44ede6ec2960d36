/* The account of a run: every question that was asked, and what the user who
 * is asked most spends in all.
 *
 * Claim: no user's losses add up to more than the task's epsilon and delta.
 * Needs: groups of partition 0 are disjoint; a user is in one place of each
 * other partition. Because: a user answers one question of partition 0, or
 * none, and in every other partition the questions whose range covers her
 * place; sequential composition adds the losses of what she answers. Losses
 * are integers, as the odds were made for them; nothing is forgiven. */
#include "spend_trace.h"

#include <math.h>
#include <string.h>

#include "collect_i.h"

/* Shares of partition 0 are sums of a few rounded doubles. Who hands out the
 * groups ends the last one at the last user, so that this much more than
 * everybody is nobody (crowd.c). */
static const double SLACK = 1e-9;

static const char *mechanism_name(kith_i_randomizer kind)
{
    switch (kind) {
    case KITH_I_RANDOMIZER_KRR:
        return "krr";
    case KITH_I_RANDOMIZER_OLH:
        return "olh";
    case KITH_I_RANDOMIZER_HADAMARD:
        return "hadamard";
    case KITH_I_RANDOMIZER_CODEBOOK:
        return "codebook";
    case KITH_I_RANDOMIZER_GAUSSIAN:
        return "gaussian";
    case KITH_I_RANDOMIZER_AUTO:
        break;
    }
    return "auto";
}

/* ---- the user who is asked most ---- */

enum { DELTA_BITS = 120 };

kith_i_u128 kith_i_delta_charge(double delta)
{
    return (kith_i_u128)ceil(ldexp(delta, DELTA_BITS));
}

kith_i_u128 kith_i_delta_budget(double delta)
{
    return (kith_i_u128)ldexp(delta, DELTA_BITS);
}

static kith_i_loss loss_of(double epsilon)
{
    return (kith_i_loss)ldexp(epsilon, KITH_I_LOSS_BITS);
}

/* A range covers its own start however short it is. One beyond 1, which no
 * device accepts, would go on at 0. */
static int covers(const kith_i_trace_entry *e, double at)
{
    double end = e->offset + e->share;
    return (e->offset <= at && (at <= e->offset || at < end)) || at + 1 < end;
}

static kith_i_trace_worst cost_of(const kith_i_trace_entry *e)
{
    return (kith_i_trace_worst){.bytes = e->bytes,
                                .loss = loss_of(e->epsilon),
                                .chance = kith_i_delta_charge(e->delta)};
}

static void add(kith_i_trace_worst *to, kith_i_trace_worst from)
{
    to->bytes += from.bytes;
    to->loss += from.loss;
    to->chance += from.chance;
}

/* Sums over the questions of a partition that cover a place. */
static kith_i_trace_worst at_place(const kith_i_trace_entry *entries,
                                   size_t count, uint32_t partition, double at)
{
    kith_i_trace_worst sum = {0};
    for (size_t i = 0; i < count; i++)
        if (entries[i].partition == partition && covers(&entries[i], at))
            add(&sum, cost_of(&entries[i]));
    return sum;
}

static void grow(kith_i_trace_worst *to, kith_i_trace_worst from)
{
    to->loss = from.loss > to->loss ? from.loss : to->loss;
    to->chance = from.chance > to->chance ? from.chance : to->chance;
    to->bytes = from.bytes > to->bytes ? from.bytes : to->bytes;
}

kith_i_trace_worst kith_i_trace_user(const kith_i_trace_entry *entries,
                                     size_t count)
{
    kith_i_trace_worst total = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t partition = entries[i].partition;
        int seen = 0;
        for (size_t j = 0; j < i; j++)
            seen = seen || entries[j].partition == partition;
        if (seen)
            continue;
        /* The sum changes only where a range begins. */
        kith_i_trace_worst worst = {0};
        for (size_t j = i; j < count; j++) {
            const kith_i_trace_entry *e = &entries[j];
            if (e->partition != partition)
                continue;
            grow(&worst, partition == 0
                             ? cost_of(e)
                             : at_place(entries, count, partition, e->offset));
        }
        add(&total, worst);
    }
    total.epsilon = kith_i_loss_value(total.loss, KITH_PURE_DP);
    total.delta = ldexp((double)total.chance, -DELTA_BITS);
    return total;
}

/* ---- asking ---- */

static kith_status note(kith_i_trace *trace, const kith_i_question *q,
                        kith_error *err)
{
    kith_i_mechanism mechanism;
    kith_status status =
        kith_i_mechanism_make(q, trace->face.d, &mechanism, err);
    if (status)
        return status;
    if (trace->count == trace->capacity) {
        size_t room = trace->capacity ? 2 * trace->capacity : 16;
        kith_i_trace_entry *entries = kith_i_resize(
            trace->entries, trace->capacity, room, sizeof *entries);
        if (!entries)
            return kith_i_fail_memory(err);
        trace->entries = entries;
        trace->capacity = room;
    }
    char *what = kith_i_copy_string(q->what ? q->what : "");
    if (!what)
        return kith_i_fail_memory(err);
    int gaussian = mechanism.kind == KITH_I_RANDOMIZER_GAUSSIAN;
    trace->entries[trace->count++] = (kith_i_trace_entry){
        .round = trace->rounds + 1,
        .what = what,
        .mechanism = mechanism_name(mechanism.kind),
        .share = q->share,
        .epsilon = kith_i_loss_value(mechanism.loss, KITH_PURE_DP),
        .delta = gaussian ? q->delta : 0,
        .bytes = (uint32_t)kith_i_report_bytes(&mechanism),
        .partition = q->partition,
        .offset = q->offset,
        .vectors = mechanism.width > 0,
        .sigma = gaussian ? kith_i_scale_value(mechanism.sigma) /
                                KITH_I_GAUSSIAN_UNIT
                          : 0};
    return KITH_OK;
}

static kith_status check_budget(const kith_i_trace *trace, kith_error *err)
{
    double once = 0;
    for (size_t i = 0; i < trace->count; i++)
        if (trace->entries[i].partition == 0)
            once += trace->entries[i].share;
    kith_i_trace_worst worst = kith_i_trace_user(trace->entries, trace->count);
    if (once > 1 + SLACK || worst.loss > loss_of(trace->epsilon) ||
        worst.chance > kith_i_delta_budget(trace->delta))
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "this question would cost some users more than the "
                           "declared budget: nobody was asked");
    return KITH_OK;
}

static kith_status trace_ask(kith_i_collector *self,
                             const kith_i_question *questions, size_t count,
                             kith_i_answer *answers, kith_error *err)
{
    kith_i_trace *trace = (kith_i_trace *)self;
    kith_status status = KITH_OK;
    size_t before = trace->count;
    for (size_t i = 0; !status && i < count; i++)
        status = note(trace, &questions[i], err);
    if (!status)
        status = check_budget(trace, err);
    if (!status)
        status =
            trace->inner->ask(trace->inner, questions, count, answers, err);
    if (!status) {
        trace->rounds++;
        return KITH_OK;
    }
    while (trace->count > before)
        kith_i_free(trace->entries[--trace->count].what);
    return status;
}

static kith_status trace_again(kith_i_collector *self, size_t question,
                               const uint64_t *keys, uint32_t count,
                               double *fractions, kith_error *err)
{
    kith_i_trace *trace = (kith_i_trace *)self;
    return trace->inner->again(trace->inner, question, keys, count, fractions,
                               err);
}

static kith_status trace_progress(kith_i_collector *self, unsigned done,
                                  unsigned total, kith_error *err)
{
    kith_i_trace *trace = (kith_i_trace *)self;
    return trace->inner->progress
               ? trace->inner->progress(trace->inner, done, total, err)
               : KITH_OK;
}

void kith_i_trace_open(kith_i_trace *trace, kith_i_collector *inner,
                       double epsilon, double delta)
{
    memset(trace, 0, sizeof *trace);
    trace->face = (kith_i_collector){.invited = inner->invited,
                                     .minimum = inner->minimum,
                                     .d = inner->d,
                                     .ask = trace_ask,
                                     .again = trace_again,
                                     .progress = trace_progress};
    trace->inner = inner;
    trace->epsilon = epsilon;
    trace->delta = delta;
}

void kith_i_trace_close(kith_i_trace *trace)
{
    for (size_t i = 0; i < trace->count; i++)
        kith_i_free(trace->entries[i].what);
    kith_i_free(trace->entries);
    memset(trace, 0, sizeof *trace);
}
