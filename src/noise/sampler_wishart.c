/* Noise for pure DP on sums of v v': the difference of two Wishart matrices.
 *
 * Claim: an integer symmetric matrix + the rounded entries of Z is
 *   post-processing of adding Z, so a sum of v v' with |v|^2 <= r2 is
 *   (r2/b)-DP when v is added or removed and (2 r2/b)-DP when it is replaced.
 *   The same for rounded linear combinations of the entries.
 * Needs: Z = W1 - W2, W1 and W2 independent with density proportional to
 *   exp(-tr W / b) on positive definite p x p matrices. (b/2) G G' has it, G
 *   p x (p+1) standard normal: Wishart with p + 1 degrees of freedom.
 * Because: Z has the density f(Z) = c e^{-tr Z / b} h(Z), h(Z) the integral of
 *   e^{-2 tr V / b} over V > 0, Z + V > 0. For D >= 0 that region does not
 *   shrink from Z to Z + D: f(Z + D) >= e^{-tr D / b} f(Z). And f(-Z) = f(Z),
 *   so f(Z) = f(-Z) >= e^{-tr D / b} f(-Z - D) = e^{-tr D / b} f(Z + D). With
 *   D = v v', tr D = |v|^2; a replaced row is one D removed, another added.
 *
 * All deviates are known by their digits (normal_digits.c). The first digit of
 * each makes integers of 69 bits, whose inner products kernel/wide_gram.c finds
 * exactly; what is missing is bounded, and where the rounding of a combination
 * is not decided yet, its rows get more digits and the sums are done with GMP.
 * No floating point here (integer-valued doubles in the kernel). */
#include "sampler_wishart.h"

#include <gmp.h>

#include "base/base_i.h"
#include "base/watch.h"
#include "base/wide.h"
#include "kernel/kernel_i.h"
#include "kernel/wide_gram.h"
#include "normal_digits.h"

enum { UNIT = 105, LIMB = 23, FEW = 8192 };

struct kith_i_wishart {
    kith_i_normal_digits g; /* 2 x p x columns */
    uint32_t p, columns, threads;
    kith_i_i128 *sums; /* lower triangle of GG' - HH', units of 2^-UNIT */
    uint64_t *slack;   /* by row: how far off they can be, same units */
    double *limbs[KITH_I_LIMBS];
    double **scratch; /* per worker */
    atomic_size_t next;
    mpz_t plain, rooted, error, low, high, root, t, u;
};

/* ---- the first sums ---- */

static void tile_work(void *p, uint32_t worker, int minus)
{
    kith_i_wishart *w = p;
    size_t tile;
    while ((tile = atomic_fetch_add(&w->next, 1)) * KITH_I_TILE < w->p) {
        if (kith_i_stop_wanted()) {
            atomic_store(&w->g.failed, 1);
            return;
        }
        /* the longest first */
        uint32_t last = (w->p - 1) / KITH_I_TILE - (uint32_t)tile;
        uint32_t first = last * KITH_I_TILE, end = first + KITH_I_TILE;
        kith_i_wide_gram((const double *const *)w->limbs, first,
                         end < w->p ? end : w->p, w->columns, minus,
                         w->scratch[worker], w->sums);
    }
}

static void tile_plus(void *p, uint32_t worker)
{
    tile_work(p, worker, 0);
}

static void tile_minus(void *p, uint32_t worker)
{
    tile_work(p, worker, 1);
}

/* With v the integers that are known, |g 2^64 - v| <= 1, so the inner product
 * of rows x and y is off by at most sum |v_x| + sum |v_y| + columns, and by
 * 2^44 columns for what the kernel leaves out; twice, for G and H. */
static void set_slack(kith_i_wishart *w)
{
    for (size_t x = 0; x < w->p; x++) {
        kith_i_u128 sum = 0;
        for (size_t m = 0; m < 2; m++)
            for (size_t t = 0; t < w->columns; t++) {
                size_t i = (m * w->p + x) * w->columns + t;
                int k = w->g.whole[i] < 0 ? -1 - w->g.whole[i] : w->g.whole[i];
                sum += ((kith_i_u128)(unsigned)k << 64 | w->g.digit[0][i]) + 1 +
                       ((uint64_t)1 << 44);
            }
        w->slack[x] = (uint64_t)(sum >> LIMB) + 1;
    }
}

static void multiply(kith_i_wishart *w, uint32_t workers)
{
    size_t half = w->g.count / 2;
    int saved = kith_i_blas_single();
    for (int m = 0; m < 2; m++) {
        kith_i_wide_split(w->g.whole + (size_t)m * half,
                          w->g.digit[0] + (size_t)m * half, half, w->limbs);
        atomic_store(&w->next, 0);
        kith_i_parallel(workers, m ? tile_minus : tile_plus, w);
    }
    kith_i_blas_restore(saved);
    set_slack(w);
}

/* ---- opening and closing ---- */

static size_t triangle(const kith_i_wishart *w)
{
    return (size_t)w->p * (w->p + 1) / 2;
}

static size_t scratch_size(const kith_i_wishart *w)
{
    size_t rows = w->p < KITH_I_TILE ? w->p : KITH_I_TILE;
    return rows * w->p;
}

static int reserve(kith_i_wishart *w)
{
    size_t half = w->g.count / 2;
    int ok = !!(w->sums = kith_i_alloc(triangle(w), sizeof *w->sums));
    ok &= !!(w->slack = kith_i_alloc(w->p, sizeof *w->slack));
    for (int l = 0; l < KITH_I_LIMBS; l++)
        ok &= !!(w->limbs[l] = kith_i_alloc(half, sizeof(double)));
    ok &= !!(w->scratch = kith_i_alloc(w->threads, sizeof *w->scratch));
    for (uint32_t i = 0; ok && i < w->threads; i++)
        ok = !!(w->scratch[i] = kith_i_alloc(scratch_size(w), sizeof(double)));
    return ok;
}

/* Of use for the first sums only. */
static void free_limbs(kith_i_wishart *w)
{
    for (int l = 0; l < KITH_I_LIMBS; l++) {
        kith_i_wipe_free(w->limbs[l], w->g.count / 2 * sizeof(double));
        w->limbs[l] = NULL;
    }
    for (uint32_t i = 0; w->scratch && i < w->threads; i++)
        kith_i_wipe_free(w->scratch[i], scratch_size(w) * sizeof(double));
    kith_i_free(w->scratch);
    w->scratch = NULL;
}

void kith_i_wishart_close(kith_i_wishart *w)
{
    if (!w)
        return;
    free_limbs(w);
    kith_i_normal_digits_close(&w->g);
    kith_i_wipe_free(w->sums, triangle(w) * sizeof *w->sums);
    kith_i_wipe_free(w->slack, w->p * sizeof *w->slack);
    mpz_clears(w->plain, w->rooted, w->error, w->low, w->high, w->root, w->t,
               w->u, NULL);
    kith_i_wipe_free(w, sizeof *w);
}

kith_status kith_i_wishart_open(const kith_i_entropy_source *source,
                                uint64_t stream, uint32_t p, uint32_t threads,
                                kith_i_wishart **out, kith_error *err)
{
    *out = NULL;
    kith_i_wishart *w = kith_i_alloc(1, sizeof *w);
    if (!w)
        return kith_i_fail_memory(err);
    w->p = p;
    w->columns = p + 1;
    size_t count = (size_t)2 * p * w->columns;
    w->threads = count > FEW ? threads : 1;
    atomic_init(&w->next, 0);
    mpz_inits(w->plain, w->rooted, w->error, w->low, w->high, w->root, w->t,
              w->u, NULL);
    kith_i_normal_digits_open(&w->g, source, stream, count, w->threads);
    if (!reserve(w))
        atomic_store(&w->g.no_memory, 1);
    if (!kith_i_normal_digits_broken(&w->g))
        multiply(w, w->threads);
    free_limbs(w);
    kith_status status = kith_i_wishart_state(w, err);
    if (status) {
        kith_i_wishart_close(w);
        return status;
    }
    *out = w;
    return KITH_OK;
}

kith_status kith_i_wishart_state(const kith_i_wishart *w, kith_error *err)
{
    if (atomic_load(&w->g.no_memory))
        return kith_i_fail_memory(err);
    kith_status stopped = kith_i_stop_check(err);
    if (stopped)
        return stopped;
    return atomic_load(&w->g.failed) ? kith_i_fail_entropy(err) : KITH_OK;
}

/* ---- rounding ---- */

static void add_wide(mpz_t to, mpz_t t, kith_i_i128 v)
{
    kith_i_u128 size = v < 0 ? -(kith_i_u128)v : (kith_i_u128)v;
    uint64_t words[2] = {(uint64_t)(size >> 64), (uint64_t)size};
    mpz_import(t, 2, 1, sizeof *words, 0, 0, words);
    (v < 0 ? mpz_sub : mpz_add)(to, to, t);
}

/* What the first digits say of a place. */
static void add_first(kith_i_wishart *w, mpz_t to, size_t x, size_t y)
{
    size_t row = x > y ? x : y, column = x > y ? y : x;
    add_wide(to, w->t, w->sums[row * (row + 1) / 2 + column]);
    add_wide(w->error, w->t, (kith_i_i128)w->slack[x] + w->slack[y]);
}

/* to = (+-) floor(|g| 2^(64 digits)), g the deviate i; w->u is used. */
static void set_deviate(kith_i_wishart *w, mpz_t to, size_t i, uint32_t digits)
{
    uint64_t words[KITH_I_LAZY_DIGITS + 1];
    int minus = w->g.whole[i] < 0;
    words[0] = (uint64_t)(minus ? -1 - w->g.whole[i] : w->g.whole[i]);
    for (uint32_t d = 0; d < digits; d++)
        words[d + 1] = w->g.digit[d][i];
    mpz_import(to, digits + 1, 1, sizeof *words, 0, 0, words);
    if (minus)
        mpz_neg(to, to);
    kith_i_wipe(words, sizeof words);
}

static void deepen_row(kith_i_wishart *w, size_t row, uint32_t digits)
{
    size_t first = row * w->columns;
    kith_i_normal_digits_deepen(&w->g, first, first + w->columns - 1, digits);
}

/* The same with more digits, in units of 2^-(128 digits). */
static void add_deep(kith_i_wishart *w, mpz_t to, size_t x, size_t y,
                     uint32_t digits)
{
    for (size_t m = 0; m < 2; m++) {
        size_t a = m * w->p + x, b = m * w->p + y;
        deepen_row(w, a, digits);
        deepen_row(w, b, digits);
        if (kith_i_normal_digits_broken(&w->g))
            return;
        for (size_t t = 0; t < w->columns; t++) {
            set_deviate(w, w->t, a * w->columns + t, digits);
            set_deviate(w, w->u, b * w->columns + t, digits);
            (m ? mpz_submul : mpz_addmul)(to, w->t, w->u);
            mpz_abs(w->t, w->t);
            mpz_abs(w->u, w->u);
            mpz_add(w->error, w->error, w->t);
            mpz_add(w->error, w->error, w->u);
        }
        mpz_add_ui(w->error, w->error, w->columns);
    }
}

/* end = floor(b/2 end / (over 2^unit) + 1/2) */
static void round_end(mpz_t end, mpz_t t, kith_i_scale b, uint32_t over,
                      mp_bitcnt_t unit)
{
    mp_bitcnt_t cut = unit + 1 + b.shift;
    mpz_import(t, 1, 1, sizeof b.num, 0, 0, &b.num);
    mpz_mul(end, end, t);
    mpz_mul_2exp(end, end, 1);
    mpz_set_ui(t, over);
    mpz_mul_2exp(t, t, cut);
    mpz_add(end, end, t);
    mpz_fdiv_q_2exp(end, end, cut + 1);
    mpz_fdiv_q_ui(end, end, over);
}

/* Is the rounding the same at both ends? plain, rooted and error are set, all
 * in units of 2^-unit; |rooted| < 2^(unit + 24). */
static int is_decided(kith_i_wishart *w, kith_i_scale b,
                      const kith_i_wishart_mix *mix, mp_bitcnt_t unit)
{
    if (mix->rooted > 0) { /* root = floor(2^bits / sqrt 2) */
        mp_bitcnt_t bits = unit + 32;
        mpz_set_ui(w->root, 1);
        mpz_mul_2exp(w->root, w->root, 2 * bits - 1);
        mpz_sqrt(w->root, w->root);
        mpz_mul(w->rooted, w->rooted, w->root);
        mpz_fdiv_q_2exp(w->rooted, w->rooted, bits);
        mpz_add(w->plain, w->plain, w->rooted);
        mpz_add_ui(w->error, w->error, 2);
    }
    mpz_sub(w->low, w->plain, w->error);
    mpz_add(w->high, w->plain, w->error);
    round_end(w->low, w->t, b, mix->over, unit);
    round_end(w->high, w->t, b, mix->over, unit);
    return mpz_cmp(w->low, w->high) == 0;
}

int64_t kith_i_wishart_round(kith_i_wishart *w, kith_i_scale b,
                             const kith_i_wishart_mix *mix)
{
    int decided = 0;
    for (uint32_t digits = 1; !decided && !kith_i_normal_digits_broken(&w->g);
         digits++) {
        if (digits > KITH_I_LAZY_DIGITS) { /* probability < 2^-300 */
            atomic_store(&w->g.failed, 1);
            break;
        }
        mpz_set_ui(w->plain, 0);
        mpz_set_ui(w->rooted, 0);
        mpz_set_ui(w->error, 0);
        for (uint32_t i = 0; i < mix->plain + mix->rooted; i++) {
            mpz_t *to = i < mix->plain ? &w->plain : &w->rooted;
            if (digits == 1)
                add_first(w, *to, mix->x[i], mix->y[i]);
            else
                add_deep(w, *to, mix->x[i], mix->y[i], digits);
        }
        decided = is_decided(w, b, mix,
                             digits == 1 ? UNIT : (mp_bitcnt_t)128 * digits);
    }
    if (decided && !mpz_fits_slong_p(w->low)) /* never a saturated noise */
        atomic_store(&w->g.failed, 1);
    return kith_i_normal_digits_broken(&w->g) ? 0 : mpz_get_si(w->low);
}
