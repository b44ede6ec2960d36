/* Decompression behind a stream: gzip and zstd, several members or frames one
 * after another. Used by stream.c only. */
#ifndef KITH_STREAM_DECODE_H
#define KITH_STREAM_DECODE_H

#include <stddef.h>

#include "kith/status.h"

typedef enum kith_i_coding {
    KITH_I_CODING_PLAIN = 0,
    KITH_I_CODING_GZIP,
    KITH_I_CODING_ZSTD
} kith_i_coding;

typedef struct kith_i_decoder kith_i_decoder;

/* name: borrowed for the decoder's life, for messages. */
kith_status kith_i_decoder_new(kith_i_coding coding, const char *name,
                               kith_i_decoder **out, kith_error *err);
void kith_i_decoder_free(kith_i_decoder *decoder); /* NULL is fine */

/* Turn some of in (used) into some of out (made). */
typedef struct kith_i_decoding {
    const void *in;
    size_t in_count, used;
    void *out;
    size_t out_room, made;
} kith_i_decoding;
kith_status kith_i_decoder_run(kith_i_decoder *decoder, kith_i_decoding *d,
                               kith_error *err);

/* The input is over: fails unless a member or frame was just completed. */
kith_status kith_i_decoder_finish(const kith_i_decoder *decoder,
                                  kith_error *err);

#endif
