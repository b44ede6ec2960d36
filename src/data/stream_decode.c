/* gzip by zlib, zstd by libzstd. zlib's window is ours and wiped; libzstd's
 * stable interface has no allocator, so its window is freed, not wiped. */
#include "stream_decode.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/base_i.h"

struct kith_i_decoder {
    kith_i_coding coding;
    const char *name;
    z_stream gzip;
    ZSTD_DStream *zstd;
    int inside; /* in the middle of a member or frame */
};

/* zlib does not tell the size when it frees, so it is kept in front. */
enum { SIZE_SLOT = 64 };

static voidpf zlib_alloc(voidpf opaque, uInt items, uInt size)
{
    (void)opaque;
    size_t bytes = (size_t)items * size + SIZE_SLOT;
    unsigned char *p = kith_i_alloc(bytes, 1);
    if (!p)
        return NULL;
    memcpy(p, &bytes, sizeof bytes);
    return p + SIZE_SLOT;
}

static void zlib_free(voidpf opaque, voidpf address)
{
    (void)opaque;
    if (!address)
        return;
    unsigned char *p = (unsigned char *)address - SIZE_SLOT;
    size_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    kith_i_wipe_free(p, bytes);
}

kith_status kith_i_decoder_new(kith_i_coding coding, const char *name,
                               kith_i_decoder **out, kith_error *err)
{
    kith_i_decoder *decoder = kith_i_alloc(1, sizeof *decoder);
    if (!decoder)
        return kith_i_fail_memory(err);
    decoder->coding = coding;
    decoder->name = name;
    int ok;
    if (coding == KITH_I_CODING_GZIP) {
        decoder->gzip.zalloc = zlib_alloc;
        decoder->gzip.zfree = zlib_free;
        ok = inflateInit2(&decoder->gzip, 16 + MAX_WBITS) == Z_OK;
    } else {
        decoder->zstd = ZSTD_createDStream();
        ok = decoder->zstd && !ZSTD_isError(ZSTD_initDStream(decoder->zstd));
    }
    if (!ok) {
        kith_i_decoder_free(decoder);
        return kith_i_fail_memory(err);
    }
    *out = decoder;
    return KITH_OK;
}

void kith_i_decoder_free(kith_i_decoder *decoder)
{
    if (!decoder)
        return;
    if (decoder->coding == KITH_I_CODING_GZIP)
        inflateEnd(&decoder->gzip);
    ZSTD_freeDStream(decoder->zstd);
    kith_i_wipe_free(decoder, sizeof *decoder);
}

static kith_status corrupt(const kith_i_decoder *decoder, kith_error *err)
{
    return kith_i_fail(err, KITH_ERR_INPUT,
                       "%s: the compressed data is damaged; "
                       "make the file again or unpack it first",
                       decoder->name);
}

static kith_status run_gzip(kith_i_decoder *decoder, kith_i_decoding *d,
                            kith_error *err)
{
    z_stream *z = &decoder->gzip;
    uInt give = d->in_count < UINT_MAX ? (uInt)d->in_count : UINT_MAX;
    uInt room = d->out_room < UINT_MAX ? (uInt)d->out_room : UINT_MAX;
    z->next_in = (z_const Bytef *)d->in;
    z->avail_in = give;
    z->next_out = d->out;
    z->avail_out = room;
    decoder->inside = decoder->inside || give > 0;
    int got = inflate(z, Z_NO_FLUSH);
    d->used = give - z->avail_in;
    d->made = room - z->avail_out;
    if (got == Z_STREAM_END) {
        decoder->inside = 0;
        got = inflateReset(z);
    }
    if (got == Z_MEM_ERROR)
        return kith_i_fail_memory(err);
    if (got != Z_OK && got != Z_BUF_ERROR)
        return corrupt(decoder, err);
    return KITH_OK;
}

static kith_status run_zstd(kith_i_decoder *decoder, kith_i_decoding *d,
                            kith_error *err)
{
    ZSTD_inBuffer from = {d->in, d->in_count, 0};
    ZSTD_outBuffer to = {d->out, d->out_room, 0};
    size_t got = ZSTD_decompressStream(decoder->zstd, &to, &from);
    if (ZSTD_isError(got))
        return corrupt(decoder, err);
    d->used = from.pos;
    d->made = to.pos;
    /* 0: a frame is complete and flushed. Anything else without progress
     * describes the frame to come, not an unfinished one. */
    if (got == 0)
        decoder->inside = 0;
    else if (from.pos > 0 || to.pos > 0)
        decoder->inside = 1;
    return KITH_OK;
}

kith_status kith_i_decoder_run(kith_i_decoder *decoder, kith_i_decoding *d,
                               kith_error *err)
{
    return decoder->coding == KITH_I_CODING_GZIP ? run_gzip(decoder, d, err)
                                                 : run_zstd(decoder, d, err);
}

kith_status kith_i_decoder_finish(const kith_i_decoder *decoder,
                                  kith_error *err)
{
    if (!decoder->inside)
        return KITH_OK;
    return kith_i_fail(err, KITH_ERR_INPUT,
                       "%s: the compressed data ends too early; "
                       "the file is not complete",
                       decoder->name);
}
