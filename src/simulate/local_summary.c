/* What was asked in a local run, for its caller to read. */
#include <math.h>
#include <string.h>

#include "local_run.h"

struct kith_local_summary {
    kith_i_trace_entry *entries; /* owns the words */
    size_t count;
    uint32_t rounds;
    kith_i_trace_worst worst;
};

kith_status kith_i_local_summarise(kith_i_trace *trace,
                                   kith_local_summary **out, kith_error *err)
{
    kith_local_summary *summary = kith_i_alloc(1, sizeof *summary);
    if (!summary)
        return kith_i_fail_memory(err);
    summary->worst = kith_i_trace_user(trace->entries, trace->count);
    summary->entries = trace->entries;
    summary->count = trace->count;
    summary->rounds = trace->rounds;
    trace->entries = NULL;
    trace->count = trace->capacity = 0;
    *out = summary;
    return KITH_OK;
}

size_t kith_local_group_count(const kith_local_summary *summary)
{
    return summary ? summary->count : 0;
}

kith_status kith_local_group_at(const kith_local_summary *summary, size_t i,
                                kith_local_group *out)
{
    if (!out)
        return KITH_ERR_ARGUMENT;
    *out = (kith_local_group){.what = "", .mechanism = ""};
    if (!summary || i >= summary->count)
        return KITH_ERR_ARGUMENT;
    const kith_i_trace_entry *e = &summary->entries[i];
    *out = (kith_local_group){.round = e->round,
                              .what = e->what,
                              .mechanism = e->mechanism,
                              .share = e->share,
                              .epsilon = e->epsilon,
                              .delta = e->delta,
                              .bytes = e->bytes};
    return KITH_OK;
}

uint32_t kith_local_rounds(const kith_local_summary *summary)
{
    return summary ? summary->rounds : 0;
}

uint32_t kith_local_user_bytes(const kith_local_summary *summary)
{
    return summary ? (uint32_t)lrint(summary->worst.bytes) : 0;
}

void kith_local_user_loss(const kith_local_summary *summary, double *epsilon,
                          double *delta)
{
    if (epsilon)
        *epsilon = summary ? summary->worst.epsilon : 0;
    if (delta)
        *delta = summary ? summary->worst.delta : 0;
}

void kith_local_summary_free(kith_local_summary *summary)
{
    if (!summary)
        return;
    for (size_t i = 0; i < summary->count; i++)
        kith_i_free(summary->entries[i].what);
    kith_i_free(summary->entries);
    kith_i_free(summary);
}
