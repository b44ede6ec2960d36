/* Fuzz target: what the local system reads from strangers. The first byte says
 * which reader, the rest is for it:
 *
 *   0  a report, into a tally of each mechanism (the header's task, round and
 *      group are written over, so that the fuzzer need not guess them);
 *   2  a published round;
 *   3  a task file;
 *   4  a saved device (its SHA-256 is written over).
 *
 * Nothing may crash; a refusal has a message; what is accepted is consistent:
 * a round or task that was read is written the same, and a round can be
 * answered by a client. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "collect/collect_i.h"
#include "collect/round_text.h"
#include "collect/task_text.h"
#include "device/device_i.h"
#include "device/randomize.h"
#include "simulate/user_respond.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_local: %s\n", what);
        abort();
    }
}

enum { D = 2, KINDS = 6 };
static const double POINTS[] = {-.5, 0, .5, 0, 0, .5}, RADII[] = {1, 1, 1};
static const kith_i_ticket PLACE = {.task = {1}, .round = 2, .group = 3};
static const uint8_t DIGEST[32];

static void make_kind(unsigned kind, kith_i_question *q, kith_i_mechanism *m)
{
    static const kith_i_report_kind reports[KINDS] = {
        KITH_I_REPORT_SYMBOL, KITH_I_REPORT_SYMBOL, KITH_I_REPORT_SYMBOL,
        KITH_I_REPORT_VECTOR, KITH_I_REPORT_VECTOR, KITH_I_REPORT_MOMENT};
    *q =
        (kith_i_question){.what = "fuzz",
                          .share = 1,
                          .epsilon = 1,
                          .delta = 1e-6,
                          .randomizer = kind < 5 ? (kith_i_randomizer)(kind + 1)
                                                 : KITH_I_RANDOMIZER_CODEBOOK,
                          .report = reports[kind],
                          .place = {.kind = KITH_I_PLACE_NEAREST,
                                    .places = 3,
                                    .lens = {.q = D, .d = D},
                                    .points = POINTS},
                          .centers = POINTS,
                          .radii = RADII};
    /* Milliseconds of quadrature, always with the same result. */
    static kith_i_mechanism made[KINDS];
    if (made[kind].kind == KITH_I_RANDOMIZER_AUTO)
        require(!kith_i_mechanism_make(q, D, &made[kind], NULL), "a mechanism");
    *m = made[kind];
}

static kith_i_tally *new_tally(const kith_i_mechanism *m)
{
    kith_i_tally *t = NULL;
    require(!kith_i_tally_new(m, &PLACE, DIGEST, &t, NULL), "a tally");
    return t;
}

static void fuzz_report(const uint8_t *bytes, size_t count)
{
    uint8_t copy[256];
    count = count < sizeof copy ? count : sizeof copy;
    memcpy(copy, bytes, count);
    if (count >= 24) {
        uint8_t header[KITH_I_HEADER_BYTES];
        kith_i_report_write_header(KITH_I_RANDOMIZER_KRR, &PLACE, header);
        memcpy(copy + 4, header + 4, 20);
    }
    for (unsigned kind = 0; kind < KINDS; kind++) {
        kith_i_question q;
        kith_i_mechanism m;
        kith_error err = {0};
        make_kind(kind, &q, &m);
        kith_i_tally *t = new_tally(&m);
        kith_status status = kith_i_tally_add(t, copy, count, &err);
        require(status == KITH_OK || (status == KITH_ERR_INPUT && *err.message),
                "counted, or refused with a message");
        require(kith_i_tally_received(t) == (status == KITH_OK), "one or none");
        if (!status)
            require(kith_i_tally_add(t, copy, count, NULL) == KITH_ERR_INPUT,
                    "not twice");
        kith_i_tally_free(t);
    }
}

/* A client takes whatever got through. */
static void answer_round(const kith_i_round *round)
{
    for (uint32_t g = 0; g < round->count; g++) {
        const kith_i_mechanism *m = &round->mechanisms[g];
        const kith_i_question *q = &round->questions[g];
        kith_i_limits declared;
        require(!kith_i_limits_make(m, q, m->loss, q->delta, &declared, NULL) &&
                    !kith_i_limits_flaw(m, q, round->d, &declared),
                "worth what it declares");
        if (round->d > 4096 || m->width > 1 << 16)
            continue; /* slow, not wrong */
        double *x = calloc(round->d, sizeof *x);
        void *scratch = calloc(kith_i_respond_scratch(m), 1);
        uint8_t *bytes = calloc(kith_i_report_bytes(m), 1);
        kith_i_entropy e;
        kith_i_entropy_source source = {.seeded = 1};
        kith_i_entropy_open(&e, &source, 0);
        require(x && scratch && bytes, "memory");
        kith_i_user_respond(
            &(kith_i_asked){&round->questions[g], m, round->d, &PLACE}, x, &e,
            scratch, bytes);
        kith_i_entropy_close(&e);
        free(x);
        free(scratch);
        free(bytes);
    }
}

static void fuzz_round(const uint8_t *bytes, size_t count)
{
    kith_i_round *round = NULL;
    kith_error err = {0};
    kith_status status =
        kith_i_round_read((const char *)bytes, count, &round, &err);
    require(status == KITH_OK ||
                (status == KITH_ERR_INPUT && *err.message && !round),
            "read, or refused with a message");
    if (!status) {
        char *again = NULL;
        size_t length = 0;
        uint8_t digest[32];
        require(!kith_i_round_write(round, &again, &length, digest, NULL) &&
                    length == count && !memcmp(again, bytes, count),
                "written as read");
        kith_i_free(again);
        answer_round(round);
    }
    kith_i_round_free(round);
}

static void fuzz_task(const uint8_t *bytes, size_t count)
{
    size_t room = kith_view_room(count);
    void *arena = malloc(room);
    const kith_task_view *task = NULL;
    const char *why = "";
    require(arena != NULL, "memory");
    kith_status status = kith_task_open(bytes, count, arena, room, &task, &why);
    require(status == KITH_OK || (status == KITH_ERR_INPUT && *why && !task),
            "read, or refused with words");
    if (!status) {
        char *again = NULL;
        size_t length = 0;
        uint8_t id[16];
        require(!kith_i_task_write(task, &again, &length, id, NULL) &&
                    length == count && !memcmp(again, bytes, count) &&
                    !memcmp(id, task->id, sizeof id),
                "written as read");
        kith_i_free(again);
    }
    free(arena);
}

static void fuzz_saved(const uint8_t *bytes, size_t count)
{
    uint8_t saved[KITH_DEVICE_BYTES] = {0}, again[KITH_DEVICE_BYTES];
    uint8_t envelope[KITH_ENVELOPE_BYTES];
    kith_device device;
    uint64_t spent = 0;
    memcpy(saved, bytes, count < 224 ? count : 224);
    kith_i_sha256(saved, 224, saved + 224);
    kith_status status = kith_device_load(&device, saved);
    require(kith_device_spent(saved, &spent) == status, "one opinion");
    if (status) {
        require(status == KITH_ERR_INPUT && *kith_device_why(&device),
                "refused with words");
        return;
    }
    kith_device_save(&device, again);
    require(!memcmp(saved, again, sizeof again), "saved as loaded");
    status = kith_device_envelope(saved, envelope);
    require((status == KITH_OK) == (spent > 0), "sent when paid");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (count < 1)
        return 0;
    if (bytes[0] == 0)
        fuzz_report(bytes + 1, count - 1);
    else if (bytes[0] == 2)
        fuzz_round(bytes + 1, count - 1);
    else if (bytes[0] == 3)
        fuzz_task(bytes + 1, count - 1);
    else
        fuzz_saved(bytes + 1, count - 1);
    return 0;
}
