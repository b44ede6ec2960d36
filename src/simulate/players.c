/* Rows played by real devices, through kith/device.h alone. */
#include <stdatomic.h>
#include <string.h>

#include "data/fold.h"
#include "device/chacha.h"
#include "device/device_i.h"
#include "device/forget.h"
#include "drawn_user.h"
#include "noise/entropy.h"
#include "task_run.h"
#include "user_respond.h"

struct kith_players {
    const kith_task *task;
    const kith_dataset *data;
    kith_players_options opt;
    uint8_t key[32];
    uint64_t count;
    kith_device *devices;
    uint64_t questions; /* of the rounds read so far */
};

void kith_players_options_init(kith_players_options *opt, size_t size)
{
    if (!opt || size < sizeof *opt)
        return;
    *opt = (kith_players_options){.size = sizeof *opt, .wallet = 20};
}

/* ---- coins of a device ----------------------------------------------------
 */

/* Its secret half of the draw first, then those of its one answer. */
typedef struct {
    const kith_players *players;
    uint64_t row;
    int joining;
    kith_i_entropy *entropy;
} coins;

static int draw_coins(void *arg, void *bytes, size_t count)
{
    coins *c = arg;
    if (!c->joining)
        return kith_i_user_random(c->entropy, bytes, count);
    uint8_t r[KITH_I_DRAW_BYTES];
    kith_i_drawn_secret(c->players->key, c->row, r);
    memcpy(bytes, r, count < sizeof r ? count : sizeof r);
    kith_i_forget(r, sizeof r);
    return count > sizeof r;
}

static kith_device_host host_of(const kith_players *p, coins *c)
{
    kith_device_host host;
    kith_device_host_init(&host, draw_coins, c);
    host.wallet = p->opt.wallet;
    host.test_tasks = p->task->view->test;
    if (p->task->view->test)
        host.least_group = 1;
    return host;
}

/* ---- opening --------------------------------------------------------------
 */

static kith_status make_key(kith_players *p, kith_error *err)
{
    if (p->opt.key) {
        memcpy(p->key, p->opt.key, sizeof p->key);
        return KITH_OK;
    }
    if (p->opt.insecure) {
        kith_i_players_seed_key(p->opt.insecure_seed, p->key);
        return KITH_OK;
    }
    kith_i_entropy entropy;
    kith_i_entropy_source source = {0};
    kith_i_entropy_open(&entropy, &source, 0);
    int failed = kith_i_user_random(&entropy, p->key, sizeof p->key);
    kith_i_entropy_close(&entropy);
    return failed ? kith_i_fail(err, KITH_ERR_ENTROPY,
                                "the system's secure random generator failed")
                  : KITH_OK;
}

static kith_status join_all(kith_players *p, kith_error *err)
{
    kith_status status = KITH_OK;
    for (uint64_t i = 0; !status && i < p->count; i++) {
        coins c = {.players = p, .row = i, .joining = 1};
        kith_device_host host = host_of(p, &c);
        status = kith_device_join(&p->devices[i], &host, p->task->view);
        if (status)
            status = kith_i_fail(err, status, "the devices refuse the task: %s",
                                 kith_device_why(&p->devices[i]));
    }
    return status;
}

kith_status kith_players_open(const kith_task *task, const kith_dataset *data,
                              const kith_players_options *opt,
                              kith_players **out, kith_error *err)
{
    if (!task || !data || !opt || opt->size < sizeof *opt || !out)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "players need a task, rows and options");
    *out = NULL;
    if (opt->insecure && !task->view->test)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "a seed is for tasks that are marked as tests");
    if (kith_dataset_dimension(data) != task->view->d)
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "the rows have %u features and the task has %u",
                           kith_dataset_dimension(data), task->view->d);
    kith_players *p = kith_i_alloc(1, sizeof *p);
    if (!p)
        return kith_i_fail_memory(err);
    *p = (kith_players){.task = task, .data = data, .opt = *opt};
    p->count = kith_i_dataset_rows(data);
    p->devices = kith_i_alloc(p->count, sizeof *p->devices);
    kith_status status = p->devices ? KITH_OK : kith_i_fail_memory(err);
    if (!status)
        status = make_key(p, err);
    p->opt.key = NULL;
    if (!status)
        status = join_all(p, err);
    if (status)
        kith_players_close(p);
    else
        *out = p;
    return status;
}

void kith_players_close(kith_players *p)
{
    if (!p)
        return;
    if (p->devices)
        kith_i_wipe_free(p->devices, p->count * sizeof *p->devices);
    kith_i_wipe_free(p, sizeof *p);
}

uint64_t kith_players_count(const kith_players *p)
{
    return p->count;
}

void kith_players_key(const kith_players *p, uint8_t out[32])
{
    memcpy(out, p->key, sizeof p->key);
}

/* ---- enrolment ------------------------------------------------------------
 */

void kith_players_commitments(const kith_players *p, uint64_t first,
                              uint64_t count, uint8_t *out)
{
    for (uint64_t i = 0; i < count && first + i < p->count; i++)
        kith_device_commitment(&p->devices[first + i], out + 16 * i);
}

kith_status kith_players_enrolled(kith_players *p, uint64_t first,
                                  uint64_t count, const uint8_t *tags,
                                  uint32_t round, const uint8_t *digest,
                                  kith_error *err)
{
    for (uint64_t i = 0; i < count && first + i < p->count; i++) {
        kith_device *device = &p->devices[first + i];
        kith_status status =
            kith_device_enrolled(device, tags + 16 * i, round, digest);
        if (status)
            return kith_i_fail(err, status, "a device refuses its tag: %s",
                               kith_device_why(device));
    }
    return KITH_OK;
}

kith_status kith_players_restore(kith_players *p, uint64_t row,
                                 const uint8_t saved[KITH_DEVICE_BYTES],
                                 kith_error *err)
{
    if (row >= p->count || kith_device_load(&p->devices[row], saved))
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "a saved device is damaged, or of other rows");
    return KITH_OK;
}

/* ---- a round --------------------------------------------------------------
 */

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
    double step = kith_i_domain_step(m);
    memcpy(x, m->origin, m->dimension * sizeof *x);
    if (block->dense) {
        const int16_t *q = block->dense + (size_t)row * m->dimension;
        for (uint32_t i = 0; i < m->dimension; i++)
            x[i] += q[i] * step;
    } else {
        for (uint32_t t = block->start[row]; t < block->start[row + 1]; t++)
            x[block->index[t]] += block->value[t] * step;
    }
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
    coins c = {.players = p, .row = row, .entropy = &s->entropy};
    kith_device_host host = host_of(p, &c);
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
    coins c = {.players = p};
    kith_device_host host = host_of(p, &c);
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
