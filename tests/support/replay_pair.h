/* The loop of an audit by replay (noise_replay.h): neighbouring data, both ways
 * round, with the outputs steered to where the loss is largest; what was lost
 * in all, and by each kind of release against its receipts. */
#ifndef KITH_TEST_REPLAY_PAIR_H
#define KITH_TEST_REPLAY_PAIR_H

#include <math.h>
#include <string.h>

#include "dp/dp_i.h"
#include "support/make_data.h"
#include "support/noise_replay.h"

/* Runs the method on n rows; charged: what its receipts say, by kind. more: the
 * session believes that it may spend this many times the epsilon. */
typedef void replay_run(const void *claim, const double *rows, size_t n,
                        double more, double *charged);

typedef struct {
    replay_run *run;
    const void *claim;
    kith_privacy privacy;
    const double *rows[2]; /* neighbours */
    size_t n[2];
} replay_pair;

/* In units of what was promised. */
typedef struct {
    double whole, parts[REPLAY_PARTS];
} replay_losses;

static inline double replay_worst(const replay_losses *l)
{
    double worst = l->whole;
    for (int p = 0; p < REPLAY_PARTS; p++)
        worst = fmax(worst, l->parts[p]);
    return worst;
}

static inline void replay_charge(const kith_receipt *line, double *charged)
{
    int choice = !strcmp(line->norm, "score");
    int sparse = !strncmp(line->what, "partition", 9);
    charged[choice   ? REPLAY_CHOICE
            : sparse ? REPLAY_SPARSE
                     : REPLAY_NOISE] += line->measure == KITH_GAUSSIAN_DP
                                            ? line->loss * line->loss
                                            : line->loss;
}

static inline void replay_receipts(const kith_result *r, double *charged)
{
    memset(charged, 0, REPLAY_PARTS * sizeof *charged);
    for (size_t i = 0; i < kith_result_receipt_count(r); i++) {
        kith_receipt line;
        kith_result_receipt(r, i, &line);
        replay_charge(&line, charged);
    }
}

/* What was paid in a session without a result. */
static inline void replay_session(const kith_session *s, double *charged)
{
    kith_receipt *lines;
    size_t count;
    if (kith_i_session_receipts(s, &lines, &count, NULL))
        fail();
    memset(charged, 0, REPLAY_PARTS * sizeof *charged);
    for (size_t i = 0; i < count; i++) {
        replay_charge(&lines[i], charged);
        kith_i_free((void *)(uintptr_t)lines[i].what);
    }
    kith_i_free(lines);
}

/* From rows[from] to the other; some more releases are steered each time. */
static inline void replay_way(const replay_pair *p, int from, double more,
                              double promised, replay_losses *worst)
{
    enum { PASSES = 12 };
    int other = !from, pure = p->privacy.delta <= 0;
    size_t calls = 1;
    for (size_t pass = 0; pass <= PASSES; pass++) {
        double charged[REPLAY_PARTS];
        replay.known = (calls * pass + PASSES - 1) / PASSES;
        replay_record(11);
        p->run(p->claim, p->rows[from], p->n[from], more, charged);
        calls = replay.calls;
        replay_again();
        p->run(p->claim, p->rows[other], p->n[other], more, charged);
        if (replay.differs || replay.calls != calls) {
            worst->whole = HUGE_VAL;
            return;
        }
        worst->whole =
            fmax(worst->whole,
                 (pure ? fabs(replay.loss) : replay.squares) / promised);
        for (int i = 0; i < REPLAY_PARTS; i++)
            if (charged[i] > 0)
                worst->parts[i] =
                    fmax(worst->parts[i], fabs(replay.parts[i]) / charged[i]);
    }
}

static inline replay_losses replay_audit(const replay_pair *p,
                                         replay_fault fault, double more)
{
    double promised = p->privacy.epsilon;
    kith_i_loss total;
    kith_measure measure;
    if (kith_i_privacy_total(&p->privacy, &measure, &total, NULL))
        fail();
    if (measure == KITH_GAUSSIAN_DP)
        promised = pow(kith_i_loss_value(total, measure), 2);
    replay_losses worst = {0};
    for (int from = 0; from < 2 && isfinite(worst.whole); from++) {
        replay_reset(fault);
        replay_way(p, from, more, promised, &worst);
    }
    replay_reset(FAULT_NONE);
    return worst;
}

static inline void replay_print(const char *name, const replay_losses *l)
{
    print_message("%-28s whole %.3f; sums %.3f, sparse %.3f, choices %.3f\n",
                  name, l->whole, l->parts[REPLAY_NOISE],
                  l->parts[REPLAY_SPARSE], l->parts[REPLAY_CHOICE]);
}

#endif
