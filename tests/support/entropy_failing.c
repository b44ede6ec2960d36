/* noise/entropy.c for tests: words from public coins, a function of the stream
 * and of the refill only, so that the number of refills of a run does not
 * change from run to run; and a refill that fails on request. */
#include "support/entropy_failing.h"

#include <string.h>

#include "base/base_i.h"
#include "noise/entropy.h"

static atomic_int check_fails;
static atomic_size_t fail_at, refills, trespasses;
static _Thread_local int forbidden;

void entropy_forbid(void)
{
    forbidden = 1;
}

size_t entropy_trespasses(void)
{
    return atomic_load(&trespasses);
}

void entropy_fail_check(int fails)
{
    atomic_store(&check_fails, fails);
}

void entropy_fail_at(size_t n)
{
    atomic_store(&refills, 0);
    atomic_store(&fail_at, n);
}

size_t entropy_refills(void)
{
    return atomic_load(&refills);
}

kith_status kith_i_entropy_check(kith_error *err)
{
    if (atomic_load(&check_fails))
        return kith_i_fail(err, KITH_ERR_ENTROPY, "no generator (test)");
    return KITH_OK;
}

const char *kith_i_entropy_name(void)
{
    return "failing";
}

void kith_i_entropy_refill(kith_i_entropy *e)
{
    kith_i_coins coins;
    if (forbidden)
        atomic_fetch_add(&trespasses, 1);
    e->mark = kith_i_process_now().mark;
    e->refills++;
    e->next = 0;
    kith_i_coins_seed(&coins, e->stream, e->refills);
    for (int i = 0; i < KITH_I_ENTROPY_WORDS; i++)
        e->words[i] = kith_i_coins_u64(&coins);
    if (!e->source.seeded &&
        atomic_fetch_add(&refills, 1) + 1 == atomic_load(&fail_at))
        e->failed = 1;
}

void kith_i_entropy_open(kith_i_entropy *e, const kith_i_entropy_source *source,
                         uint64_t stream)
{
    memset(e, 0, sizeof *e);
    e->source = *source;
    e->stream = stream;
    kith_i_entropy_refill(e);
}

void kith_i_entropy_close(kith_i_entropy *e)
{
    explicit_bzero(e, sizeof *e);
}
