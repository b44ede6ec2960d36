/* Keys of rows, for histograms over huge domains: pay, then copy. */
#include "keys_out.h"

#include "base/base_i.h"
#include "kernel/description.h"

typedef struct {
    const kith_i_tree *tree;
    uint64_t *keys;
} key_job;

static void copy_keys(void *p, uint32_t worker, uint64_t first,
                      const kith_i_block *block)
{
    (void)worker;
    const key_job *job = p;
    for (uint32_t r = 0; r < block->rows; r++)
        job->keys[first + r] = kith_i_tree_key(
            job->tree, block->dense + (size_t)r * block->dimension);
}

kith_status kith_i_key_copy_open(kith_session *s, const kith_i_bill *bill,
                                 const kith_i_view *view,
                                 const kith_i_tree *tree, kith_i_key_copy *out,
                                 kith_error *err)
{
    *out = (kith_i_key_copy){0};
    const kith_i_domain *m = view ? view->domain : s->domain;
    if (!tree || tree->p != m->dimension || m->sparse ||
        !kith_i_tree_is_whole(tree))
        return kith_i_fail(err, KITH_ERR_INTERNAL,
                           "a release was described wrongly: %s", bill->what);
    kith_status status = kith_i_session_pay(s, bill, 1, err);
    if (status)
        return status;
    size_t n = s->data ? kith_i_dataset_rows(s->data) : 0;
    out->keys = kith_i_alloc(n, sizeof *out->keys);
    if (!out->keys)
        return kith_i_fail_memory(err);
    out->n = n;
    key_job job = {tree, out->keys};
    status = s->data ? kith_i_session_fold(s, view, NULL, copy_keys, &job, err)
                     : KITH_OK;
    if (status)
        kith_i_key_copy_close(out);
    return status;
}

void kith_i_key_copy_close(kith_i_key_copy *copy)
{
    kith_i_wipe_free(copy->keys, copy->n * sizeof *copy->keys);
    *copy = (kith_i_key_copy){0};
}
