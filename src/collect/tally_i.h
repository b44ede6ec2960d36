/* Inside the tally: tally.c adds, tally_estimate.c reads off estimates. */
#ifndef KITH_TALLY_I_H
#define KITH_TALLY_I_H

#include "base/digest.h"
#include "collect_i.h"
#include "device/randomize.h"

/* Steps in a unit of length of a normalised codeword; 2^32 reports fit. */
#define KITH_I_WORD_UNIT (1 << 30)
/* Likewise of a vector whose products make a matrix: 16 bits. */
#define KITH_I_MATRIX_UNIT 32767
#define KITH_I_TALLY_MAX   (UINT64_C(1) << 31)

/* An OLH report, kept until the round is closed: which symbols it supports is
 * only asked later. */
typedef struct kith_i_hashed {
    uint64_t low, high; /* the nonce */
    uint64_t output;
} kith_i_hashed;

/* Fingerprints of nonces: open addressing, 0 is empty. Devices choose nonces
 * and can compute fingerprints, so where one goes depends on a secret key of
 * the table's own. */
typedef struct kith_i_nonce_set {
    uint64_t *slots;
    uint64_t room, count;
    uint8_t key[KITH_I_TABLE_KEY_BYTES];
} kith_i_nonce_set;

struct kith_i_tally {
    kith_i_mechanism mechanism;
    kith_i_ticket ticket;
    uint8_t digest[32];
    uint64_t received;
    uint64_t cells;
    int64_t *sums; /* KRR: counts; HADAMARD: rows; vectors: buckets x kept */
    kith_i_hashed *hashed;
    uint64_t hashed_room;
    kith_i_nonce_set nonces;
    int closed;    /* the nonces are gone */
    int16_t *word; /* scratch of one codeword: `rank` vectors, or one */
    int32_t *step;
};

uint64_t kith_i_nonce_fingerprint(uint64_t low, uint64_t high);
/* An empty set with a fresh key. */
kith_status kith_i_nonce_open(kith_i_nonce_set *set, kith_error *err);
int kith_i_nonce_has(const kith_i_nonce_set *set, uint64_t fingerprint);
/* Make room for `more`; 0 when memory is short. Then put cannot fail. */
int kith_i_nonce_reserve(kith_i_nonce_set *set, uint64_t more);
void kith_i_nonce_put(kith_i_nonce_set *set, uint64_t fingerprint);
int kith_i_tally_reserve(kith_i_tally *tally, uint64_t more);

#endif
