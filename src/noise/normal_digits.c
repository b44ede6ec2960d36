/* Standard normal deviates, known by their digits (Karney).
 *
 * Claim: independent; each has the law of a standard normal deviate, of which
 *   the digits asked for so far are shown.
 * Needs: every digit is drawn once, from a stream that nothing else reads.
 * Because: kith_i_sample_half_normal draws integer part and first digits, the
 *   others are uniform. Each chunk of deviates and each of its digits has a
 *   stream of its own, so that the result depends neither on threads nor on
 *   when digits were asked for. */
#include "normal_digits.h"

#include "base/base_i.h"
#include "base/watch.h"
#include "kernel/wide_gram.h"

enum { CHUNK = 1024 };

static size_t chunk_end(const kith_i_normal_digits *n, size_t chunk)
{
    size_t end = (chunk + 1) * CHUNK;
    return end < n->count ? end : n->count;
}

static void draw_chunk(kith_i_normal_digits *n, size_t chunk)
{
    kith_i_entropy e;
    kith_i_entropy_open(&e, n->source, n->stream << 32 | chunk);
    for (size_t i = chunk * CHUNK; i < chunk_end(n, chunk); i++) {
        kith_i_lazy x;
        uint64_t k = kith_i_sample_half_normal(&e, &x);
        int minus = (int)(kith_i_entropy_word(&e) & 1);
        if (k > KITH_I_WIDE_WHOLE) { /* probability < 2^-600 */
            e.failed = 1;
            k = 0;
        }
        n->whole[i] = (int8_t)(minus ? -1 - (int)k : (int)k);
        n->digit[0][i] = x.digit[0];
        if (x.count > 1) {
            size_t at = atomic_fetch_add(&n->early_count, 1);
            if (at < KITH_I_EARLY)
                n->early[at] = (kith_i_early_deviate){i, x};
            else
                e.failed = 1; /* probability < 2^-600 */
        }
    }
    n->depth[chunk] = 1;
    if (e.failed)
        atomic_store(&n->failed, 1);
    kith_i_entropy_close(&e);
}

static void draw_work(void *p, uint32_t worker)
{
    (void)worker;
    kith_i_normal_digits *n = p;
    size_t chunk;
    while ((chunk = atomic_fetch_add(&n->next, 1)) < n->chunks) {
        if (kith_i_stop_wanted()) {
            atomic_store(&n->failed, 1);
            return;
        }
        draw_chunk(n, chunk);
    }
}

/* One more digit for each deviate of a chunk. */
static void deepen_chunk(kith_i_normal_digits *n, size_t chunk)
{
    uint32_t d = n->depth[chunk];
    size_t early = atomic_load(&n->early_count);
    if (!n->digit[d] && !(n->digit[d] = kith_i_alloc(n->count, 8))) {
        atomic_store(&n->no_memory, 1);
        return;
    }
    kith_i_entropy e;
    kith_i_entropy_open(&e, n->source,
                        n->stream << 32 | (uint64_t)d << 24 | chunk);
    for (size_t i = chunk * CHUNK; i < chunk_end(n, chunk); i++) {
        n->digit[d][i] = kith_i_entropy_word(&e);
        for (size_t j = 0; j < early && j < KITH_I_EARLY; j++)
            if (n->early[j].at == i && n->early[j].x.count > d)
                n->digit[d][i] = n->early[j].x.digit[d];
    }
    n->depth[chunk]++;
    if (e.failed)
        atomic_store(&n->failed, 1);
    kith_i_entropy_close(&e);
}

void kith_i_normal_digits_deepen(kith_i_normal_digits *n, size_t first,
                                 size_t last, uint32_t digits)
{
    for (size_t chunk = first / CHUNK; chunk <= last / CHUNK; chunk++)
        while (n->depth[chunk] < digits && !kith_i_normal_digits_broken(n))
            deepen_chunk(n, chunk);
}

int kith_i_normal_digits_broken(const kith_i_normal_digits *n)
{
    return atomic_load(&n->failed) || atomic_load(&n->no_memory);
}

void kith_i_normal_digits_open(kith_i_normal_digits *n,
                               const kith_i_entropy_source *source,
                               uint64_t stream, size_t count, uint32_t threads)
{
    n->source = source;
    n->stream = stream;
    n->count = count;
    n->chunks = (count + CHUNK - 1) / CHUNK;
    atomic_init(&n->early_count, 0);
    atomic_init(&n->next, 0);
    atomic_init(&n->failed, 0);
    n->whole = kith_i_alloc(count, 1);
    n->digit[0] = kith_i_alloc(count, sizeof(uint64_t));
    n->depth = kith_i_alloc(n->chunks, 1);
    atomic_init(&n->no_memory, !n->whole || !n->digit[0] || !n->depth);
    if (!kith_i_normal_digits_broken(n))
        kith_i_parallel(threads, draw_work, n);
}

void kith_i_normal_digits_close(kith_i_normal_digits *n)
{
    kith_i_wipe_free(n->whole, n->count);
    for (int d = 0; d < KITH_I_LAZY_DIGITS; d++)
        kith_i_wipe_free(n->digit[d], n->count * sizeof(uint64_t));
    kith_i_free(n->depth);
    kith_i_wipe(n, sizeof *n);
}
