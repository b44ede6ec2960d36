/* client: what runs on a user's device. One record, public parameters, secret
 * coins; no allocation and no I/O. Every pointer of a question is used only
 * after kith_i_question_flaw found nothing wrong with it.
 *
 * The promise (I39) does not rest on the server. It rests on
 * kith_i_mechanism_flaw with limits that the device's owner made
 * (kith_i_limits_make, collect_i.h):
 *
 * - all randomisers but the Gaussian: the output probabilities for two inputs
 *   differ by at most the factor num / den, whatever question and mechanism
 *   say, and num / den <= limits.odds, compared exactly;
 * - the Gaussian: inputs are integer vectors at most 2 UNIT apart, whatever
 *   the question says, and sigma >= limits.sigma, compared exactly, where
 *   limits.sigma is what (epsilon, delta) of the limits need. Limits without a
 *   sigma refuse it; limits of zeros refuse everything.
 *
 * What a published mechanism calls its loss is not looked at here: limits
 * that are to be charged as declared are made for the declared loss.
 *
 * One call of kith_i_client_respond is one report, drawn with new coins.
 * Nothing here remembers it: to answer the same round again costs the same
 * again, so a device keeps the bytes of its first report and sends those. */
#ifndef KITH_CLIENT_H
#define KITH_CLIENT_H

#include <stdint.h>

#include "budget/ratio.h"
#include "noise/entropy.h"
#include "question.h"

#define KITH_I_NONCE_BYTES 16u
#define KITH_I_TASK_BYTES  16u
/* Most codewords in a codebook: an index is one byte. And most vectors in all
 * codewords together, when a codeword is a matrix of several. */
#define KITH_I_CODEBOOK      256u
#define KITH_I_CODEBOOK_WORK 512u
/* Lattice steps in a unit of length of a Gaussian report. */
#define KITH_I_GAUSSIAN_UNIT 4096
/* Limits of a question: what a device is willing to compute. */
#define KITH_I_PLACES_MAX (UINT32_C(1) << 20)
#define KITH_I_KEY_LIMIT  (UINT64_C(1) << 62)
#define KITH_I_WIDTH_MAX  (UINT32_C(1) << 20)
/* Multiplications to find the place of one record. */
#define KITH_I_WORK_MAX (UINT64_C(1) << 32)
/* Coordinates in a lens that NEAREST computes once, not for every point. */
#define KITH_I_LENS_KEEP 128u

/* A randomiser with all of its public parameters; see mechanism_make.c. */
typedef struct kith_i_mechanism {
    kith_i_randomizer kind; /* never AUTO */
    kith_i_loss loss;       /* epsilon in units of 2^-50 */
    kith_i_odds odds;       /* not for the Gaussian */
    uint64_t symbols;       /* KRR, OLH, HADAMARD: of the question */
    /* KRR: symbols; OLH: g; HADAMARD: 2; CODEBOOK: N. The report is a number
     * below it. */
    uint64_t outputs;
    uint64_t rows;      /* HADAMARD: a power of two >= symbols */
    uint32_t top;       /* CODEBOOK: m */
    uint32_t rank;      /* CODEBOOK of matrices: their rank; else 0 */
    uint32_t width;     /* vectors: coordinates, lifted */
    uint32_t kept;      /* vectors: coordinates that the server keeps */
    uint32_t buckets;   /* vectors */
    kith_i_scale sigma; /* GAUSSIAN, in lattice steps */
    double alpha;       /* CODEBOOK: what is left of u, for the server */
} kith_i_mechanism;

/* ---- question_check.c: is the question in order?
 * -------------------------------
 */

/* What is wrong with a question for records in R^d; NULL: nothing. */
const char *kith_i_question_flaw(const kith_i_question *question, uint32_t d);
/* Cells of a grid that is in order. */
uint64_t kith_i_grid_places(const kith_i_grid *grid);

/* ---- encode_record.c: from a record to what is reported of it
 * --------------------
 */

/* Symbols of SYMBOL and DISTANCE, "none" included; 0 for vectors. */
uint64_t kith_i_question_symbols(const kith_i_question *question);
/* VECTOR, MOMENT: coordinates of the lifted vector, and numbers that the server
 * keeps: its first d, or the triangle of their products. 0 for symbols. */
uint32_t kith_i_question_width(const kith_i_question *question, uint32_t d);
uint32_t kith_i_question_kept(const kith_i_question *question, uint32_t d);

/* The symbol of x; for vectors its bucket (places: none), and in vector the
 * lifted unit vector. coin: 64 secret bits, for PREFER. Total: any x. */
uint64_t kith_i_encode(const kith_i_question *question, uint32_t d,
                       const double *x, uint64_t coin, float *vector);

/* ---- respond.c: the report -------------------------------------------------
 */

/* Where a report belongs. The nonce is fixed before the record is looked at.
 */
typedef struct kith_i_ticket {
    uint8_t task[KITH_I_TASK_BYTES];
    uint16_t round, group;
    uint8_t nonce[KITH_I_NONCE_BYTES];
} kith_i_ticket;

/* What the owner of the device allows in one report. Zeros: nothing. */
typedef struct kith_i_limits {
    kith_i_odds odds;
    /* GAUSSIAN: the most that the question may declare, and the least noise
     * for it, in lattice steps; num = 0: no Gaussian. */
    double delta;
    kith_i_scale sigma;
} kith_i_limits;

/* nonce = PRF(secret, task, round, group): no record in it, and the same when
 * a device computes it again. secret: drawn once, when it was set up. */
void kith_i_client_nonce(const uint8_t secret[32], kith_i_ticket *ticket);

/* What is wrong with a mechanism for this question, for this device; NULL:
 * nothing. Looks at the question too. */
const char *kith_i_mechanism_flaw(const kith_i_mechanism *mechanism,
                                  const kith_i_question *question, uint32_t d,
                                  const kith_i_limits *limits);

/* Bytes of every report of this mechanism, and of scratch that a client needs
 * (aligned to 8). */
size_t kith_i_report_bytes(const kith_i_mechanism *mechanism);
size_t kith_i_client_scratch(const kith_i_mechanism *mechanism);

/* Randomise x and write the report. mechanism and question: without a flaw.
 * Look at e->failed before the bytes leave. */
void kith_i_client_respond(const kith_i_question *question,
                           const kith_i_mechanism *mechanism, uint32_t d,
                           const kith_i_ticket *ticket, const double *x,
                           kith_i_entropy *e, void *scratch, uint8_t *bytes);

/* ---- report_bytes.c: bytes
 * ------------------------------------------------------
 */

#define KITH_I_HEADER_BYTES 40u

typedef struct kith_i_report {
    kith_i_randomizer kind;
    kith_i_ticket ticket;
    const uint8_t *payload; /* into the bytes that were read */
    size_t payload_bytes;
} kith_i_report;

/* Bytes of a number below `outputs`. */
uint32_t kith_i_number_bytes(uint64_t outputs);
void kith_i_report_write_header(kith_i_randomizer kind,
                                const kith_i_ticket *ticket, uint8_t *bytes);
/* NULL, or what is wrong. Strict: nothing is skipped, nothing is optional. */
const char *kith_i_report_read(const uint8_t *bytes, size_t count,
                               kith_i_report *out);
/* The number in a payload; UINT64_MAX if it is not below `outputs` or the
 * payload has another size. */
uint64_t kith_i_report_number(const kith_i_report *report, uint64_t outputs);

#endif
