/* Rows that leave the gate: pay, mark the session, then copy. */
#include "rows_out.h"

#include "base/base_i.h"
#include "dp/dp_private.h"
#include "kernel/linear.h"

typedef struct {
    double *x;
    size_t d, stride;
} copy_job;

static void copy_block(void *p, uint32_t worker, uint64_t first,
                       const kith_i_block *block)
{
    (void)worker;
    const copy_job *job = p;
    for (size_t r = 0; r < block->rows; r++)
        for (size_t i = 0; i < job->d; i++)
            job->x[(first + r) * job->stride + i] =
                block->dense[r * job->d + i];
}

static kith_status copy_rows(kith_session *s, size_t stride, double **x,
                             size_t *n, kith_error *err)
{
    *n = kith_i_dataset_rows(s->data);
    *x = kith_i_alloc(*n * stride, sizeof **x);
    if (!*x)
        return kith_i_fail_memory(err);
    copy_job job = {*x, s->domain->dimension, stride};
    kith_status status =
        kith_i_session_fold(s, NULL, NULL, copy_block, &job, err);
    if (status) { /* stopped half-way: no row stays behind */
        kith_i_wipe_free(*x, *n * stride * sizeof **x);
        *x = NULL;
        *n = 0;
    }
    return status;
}

kith_status kith_i_chain_copy_open(kith_session *s, const kith_i_bill *bill,
                                   int unproved, kith_i_chain_copy *out,
                                   kith_error *err)
{
    uint32_t d = s->domain->dimension;
    *out = (kith_i_chain_copy){
        .d = d, .stride = (d + KITH_I_LANES - 1) / KITH_I_LANES * KITH_I_LANES};
    if (s->domain->sparse)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "chains over sparse rows are not offered: use a "
                           "dense format");
    if (unproved && s->ledgered)
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "a start at the records, or diagnostics, leave no "
                           "guarantee: not in a session that a ledger paid "
                           "for");
    kith_status status = kith_i_session_need_alone(s, "a Markov chain", err);
    if (!status)
        status = kith_i_session_pay(s, bill, 1, err);
    if (status)
        return status;
    kith_i_session_weaken(s, !unproved);
    return s->data ? copy_rows(s, out->stride, &out->x, &out->n, err) : KITH_OK;
}

void kith_i_chain_copy_close(kith_i_chain_copy *copy)
{
    kith_i_wipe_free(copy->x, copy->n * copy->stride * sizeof *copy->x);
    *copy = (kith_i_chain_copy){0};
}

kith_status kith_i_block_copy_open(kith_session *s, const kith_i_bill *bill,
                                   int forced, kith_i_block_copy *out,
                                   kith_error *err)
{
    *out = (kith_i_block_copy){.d = s->domain->dimension};
    if (s->domain->sparse)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "sample-aggregate takes dense rows only");
    kith_i_bill all = *bill;
    all.loss = kith_i_session_left(s);
    kith_status status = kith_i_session_need_alone(s, "sample-aggregate", err);
    if (!status)
        status = kith_i_session_pay(s, &all, 1, err);
    if (status)
        return status;
    if (forced) /* whatever the rows: the label depends on options only */
        kith_i_session_weaken(s, 0);
    return s->data ? copy_rows(s, out->d, &out->x, &out->n, err) : KITH_OK;
}

void kith_i_block_copy_close(kith_i_block_copy *copy)
{
    kith_i_wipe_free(copy->x, copy->n * copy->d * sizeof *copy->x);
    *copy = (kith_i_block_copy){0};
}
