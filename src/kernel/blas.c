/* The door to OpenBLAS for products of rows and centres, and its threads. */
#include "kernel_i.h"

#include <cblas.h>
#include <fenv.h>
#include <pthread.h>
#include <sys/mman.h>

#include "base/base_i.h"

/* OpenBLAS keeps a pool of buffers, one for each thread that is inside of it,
 * and asks the system for another when all are taken; when that fails it asks
 * again, for ever. These are its own functions for that pool; another make of
 * BLAS need not have them. */
void *blas_memory_alloc(int where) __attribute__((weak));
void blas_memory_free(void *buffer) __attribute__((weak));

/* A buffer of OpenBLAS 0.3 on a 64-bit machine, and what aligns it. MOST: more
 * of them than the pool has places would not be kept. */
static const size_t BUFFER_BYTES = ((size_t)128 << 20) + ((size_t)1 << 20);
enum { MOST_BUFFERS = 64 };

void kith_i_dot_products(const double *centers, uint32_t k, const double *rows,
                         uint32_t n, uint32_t d, double *out)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)k, (int)n, (int)d,
                1.0, centers, (int)d, rows, (int)d, 0.0, out, (int)n);
}

void kith_i_dot_singles(const float *centers, uint32_t k, const float *rows,
                        uint32_t n, uint32_t d, float *out)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)k, (int)n, (int)d,
                1.0F, centers, (int)d, rows, (int)d, 0.0F, out, (int)n);
}

int kith_i_singles_hold(void)
{
    enum { SIDE = 8 };
    float one[SIDE * SIDE] = {0}, other[SIDE * SIDE] = {0}, out[SIDE * SIDE];
    for (size_t i = 0; i < SIDE; i++) {
        one[i * SIDE + i] = 4097;
        other[i * SIDE + i] = 4095;
    }
    kith_i_dot_singles(one, SIDE, other, SIDE, SIDE, out);
    for (size_t i = 0; i < SIDE; i++)
        if (out[i * SIDE + i] != 4097 * 4095)
            return 0;
    return fegetround() == FE_TONEAREST;
}

int kith_i_blas_single(void)
{
    int saved = openblas_get_num_threads();
    kith_i_blas_restore(1);
    return saved;
}

void kith_i_blas_restore(int saved)
{
    if (openblas_get_num_threads() != saved) /* it may start threads */
        openblas_set_num_threads(saved);
}

static pthread_mutex_t reserve_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t reserved; /* buffers that the pool has for sure */

/* Is there room for count more buffers, here and now? */
static int has_room(uint32_t count)
{
    size_t bytes = count * BUFFER_BYTES;
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return 0;
    munmap(room, bytes);
    return 1;
}

kith_status kith_i_blas_reserve(uint32_t workers, kith_error *err)
{
    void *buffers[MOST_BUFFERS];
    uint32_t want = workers < MOST_BUFFERS ? workers : MOST_BUFFERS;
    if (!blas_memory_alloc || !blas_memory_free)
        return KITH_OK;
    kith_status status = KITH_OK;
    pthread_mutex_lock(&reserve_lock);
    if (want > reserved && !has_room(want - reserved)) {
        status = kith_i_fail(err, KITH_ERR_MEMORY,
                             "out of memory: linear algebra needs 128 MB of "
                             "address space for each of %u threads; raise the "
                             "limit (ulimit -v) or use fewer threads",
                             (unsigned)workers);
    } else if (want > reserved) {
        for (uint32_t i = 0; i < want; i++)
            buffers[i] = blas_memory_alloc(0);
        for (uint32_t i = 0; i < want; i++)
            blas_memory_free(buffers[i]);
        reserved = want;
    }
    pthread_mutex_unlock(&reserve_lock);
    return status;
}
