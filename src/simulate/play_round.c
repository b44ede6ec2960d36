/* A round played by real devices: every device that is asked reads its row,
 * pays, answers and is saved. */
#include <stdatomic.h>
#include <string.h>

#include "crowd.h"
#include "data/fold.h"
#include "device/device_i.h"
#include "players_i.h"
#include "user_respond.h"

typedef struct {
    uint64_t count, room;
    uint64_t *rows;
    uint8_t (*saved)[KITH_DEVICE_BYTES];
    kith_i_entropy entropy;
    double *x;
    void *scratch;
} seat; /* of one worker */

typedef struct {
    kith_players *players;
    const kith_round_view *round;
    seat *seats;
    int only_read;
    atomic_int status;
    _Atomic(const char *) why;
} play;

static int grow(seat *s)
{
    if (s->count < s->room)
        return 1;
    uint64_t room = s->room ? 2 * s->room : 256;
    uint64_t *rows = kith_i_resize(s->rows, s->room, room, sizeof *rows);
    if (rows)
        s->rows = rows;
    void *saved = kith_i_resize(s->saved, s->room, room, sizeof *s->saved);
    if (saved)
        s->saved = saved;
    if (!rows || !saved)
        return 0;
    s->room = room;
    return 1;
}

static void load_row(const kith_i_domain *m, const kith_i_block *block,
                     uint32_t row, double *x)
{
    memcpy(x, m->origin, m->dimension * sizeof *x);
    kith_i_row_add(block, row, kith_i_domain_step(m), x);
}

static void give_up(play *job, kith_status status, const char *why)
{
    atomic_store(&job->status, (int)status);
    atomic_store(&job->why, why);
}

/* One device that is asked: pays, draws, is saved. */
static void answer_one(play *job, seat *s, uint64_t row)
{
    kith_players *p = job->players;
    kith_device *device = &p->devices[row];
    const kith_i_device *inside = (const kith_i_device *)device;
    kith_i_player_coins c = {.players = p, .row = row, .entropy = &s->entropy};
    kith_device_host host = kith_i_player_host(p, &c);
    if (p->opt.insecure) {
        kith_i_entropy_source source = {.seeded = 1,
                                        .seed = p->opt.insecure_seed};
        uint64_t number =
            p->questions + kith_i_device_group(inside, &job->round->round);
        kith_i_entropy_open(&s->entropy, &source, number << 40 ^ row);
    }
    kith_status status = kith_device_answer(device, &host, p->task->view,
                                            job->round, s->x, s->scratch);
    if (status)
        give_up(job, status, kith_device_why(device));
    else if (!grow(s))
        give_up(job, KITH_ERR_MEMORY, "memory is short");
    else {
        s->rows[s->count] = row;
        kith_device_save(device, s->saved[s->count++]);
    }
}

static void visit(void *arg, uint32_t worker, uint64_t first,
                  const kith_i_block *block)
{
    play *job = arg;
    kith_players *p = job->players;
    seat *s = &job->seats[worker];
    kith_i_player_coins c = {.players = p};
    kith_device_host host = kith_i_player_host(p, &c);
    for (uint32_t r = 0; r < block->rows && !atomic_load(&job->status); r++) {
        kith_device *device = &p->devices[first + r];
        const kith_i_device *inside = (const kith_i_device *)device;
        int asked = 0;
        if (inside->state == KITH_I_DEVICE_ANSWERED ||
            (inside->joining && inside->chain.next > job->round->round.number))
            continue; /* has answered; or joined later */
        kith_status status =
            kith_device_read(device, &host, job->round, &asked);
        if (status) {
            give_up(job, status, kith_device_why(device));
            return;
        }
        if (!asked || job->only_read)
            continue;
        load_row(p->task->domain, block, r, s->x);
        answer_one(job, s, first + r);
    }
}

/* Rows in order, whoever played them. */
static kith_status gather(const seat *seats, uint32_t workers, kith_played *out,
                          kith_error *err)
{
    uint64_t total = 0, at[64] = {0};
    for (uint32_t w = 0; w < workers; w++)
        total += seats[w].count;
    out->rows = kith_i_alloc(total, sizeof *out->rows);
    out->saved = kith_i_alloc(total, sizeof *out->saved);
    if (!out->rows || !out->saved)
        return kith_i_fail_memory(err);
    while (out->count < total) {
        uint32_t best = workers;
        for (uint32_t w = 0; w < workers; w++)
            if (at[w] < seats[w].count &&
                (best == workers ||
                 seats[w].rows[at[w]] < seats[best].rows[at[best]]))
                best = w;
        out->rows[out->count] = seats[best].rows[at[best]];
        memcpy(out->saved[out->count++], seats[best].saved[at[best]++],
               KITH_DEVICE_BYTES);
    }
    return KITH_OK;
}

static kith_status seats_open(seat *seats, uint32_t workers, size_t d,
                              size_t scratch)
{
    for (uint32_t w = 0; w < workers; w++) {
        kith_i_entropy_source source = {0};
        kith_i_entropy_open(&seats[w].entropy, &source, 0);
        seats[w].x = kith_i_alloc(d, sizeof(double));
        seats[w].scratch = kith_i_alloc(scratch, 1);
        if (!seats[w].x || !seats[w].scratch)
            return KITH_ERR_MEMORY;
    }
    return KITH_OK;
}

static void seats_close(seat *seats, uint32_t workers, size_t d, size_t scratch)
{
    for (uint32_t w = 0; w < workers; w++) {
        kith_i_entropy_close(&seats[w].entropy);
        if (seats[w].x)
            kith_i_wipe_free(seats[w].x, d * sizeof(double));
        if (seats[w].scratch)
            kith_i_wipe_free(seats[w].scratch, scratch);
        if (seats[w].saved)
            kith_i_wipe_free(seats[w].saved,
                             seats[w].room * sizeof *seats[w].saved);
        kith_i_free(seats[w].rows);
    }
}

static kith_status play_round(kith_players *p, const kith_round_view *round,
                              kith_played *out, kith_error *err)
{
    seat seats[64] = {0};
    uint32_t workers = kith_i_thread_count(p->opt.threads);
    workers = workers > 64 ? 64 : workers;
    size_t scratch = kith_device_scratch(round), d = p->task->view->d;
    play job = {
        .players = p, .round = round, .seats = seats, .only_read = out == NULL};
    kith_status status = seats_open(seats, workers, d, scratch)
                             ? kith_i_fail_memory(err)
                             : KITH_OK;
    if (!status) {
        kith_i_fold(p->data, workers, visit, &job);
        status = (kith_status)atomic_load(&job.status);
        if (status)
            status = kith_i_fail(err, status, "the devices refuse round %u: %s",
                                 round->round.number, atomic_load(&job.why));
    }
    if (!status && out)
        status = gather(seats, workers, out, err);
    seats_close(seats, workers, d, scratch);
    if (!status)
        p->questions += round->round.count;
    return status;
}

kith_status kith_players_round(kith_players *p, const char *json, size_t bytes,
                               kith_played *out, kith_error *err)
{
    const kith_round_view *round = NULL;
    const char *why = NULL;
    if (!p || !json)
        return kith_i_fail_place(err);
    if (out)
        *out = (kith_played){0};
    size_t room = kith_view_room(bytes);
    void *arena = kith_i_alloc(room, 1);
    if (!arena)
        return kith_i_fail_memory(err);
    kith_status status =
        bytes > KITH_ROUND_MAX
            ? KITH_ERR_INPUT
            : kith_round_open(json, bytes, arena, room, &round, &why);
    if (status)
        status = kith_i_fail(err, status, "a round is refused: %s",
                             why ? why : "it is too long");
    else
        status = play_round(p, round, out, err);
    if (status)
        kith_played_free(out);
    kith_i_free(arena);
    return status;
}

void kith_played_free(kith_played *played)
{
    if (!played)
        return;
    if (played->saved)
        kith_i_wipe_free(played->saved, played->count * sizeof *played->saved);
    kith_i_free(played->rows);
    *played = (kith_played){0};
}
