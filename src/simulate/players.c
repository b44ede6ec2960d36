/* Rows played by real devices, through kith/device.h alone. */
#include <string.h>

#include "crowd.h"
#include "data/fold.h"
#include "device/forget.h"
#include "drawn_user.h"
#include "noise/secret.h"
#include "players_i.h"
#include "user_respond.h"

void kith_players_options_init(kith_players_options *opt, size_t size)
{
    if (!opt || size < sizeof *opt)
        return;
    *opt = (kith_players_options){.size = sizeof *opt, .wallet = 20};
}

/* ---- coins of a device ---- */

typedef kith_i_player_coins coins;

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

kith_device_host kith_i_player_host(const kith_players *p, coins *c)
{
    kith_device_host host;
    kith_device_host_init(&host, draw_coins, c);
    host.wallet = p->opt.wallet;
    host.test_tasks = p->task->view->test;
    if (p->task->view->test)
        host.least_group = 1;
    return host;
}

/* ---- opening ---- */

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
    return kith_i_secret_bytes(p->key, sizeof p->key, err);
}

static kith_status join_all(kith_players *p, kith_error *err)
{
    kith_status status = KITH_OK;
    for (uint64_t i = 0; !status && i < p->count; i++) {
        coins c = {.players = p, .row = i, .joining = 1};
        kith_device_host host = kith_i_player_host(p, &c);
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
    kith_status one = kith_i_crowd_check(data, err);
    if (one)
        return one;
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
    return p ? p->count : 0;
}

void kith_players_key(const kith_players *p, uint8_t out[32])
{
    if (p && out)
        memcpy(out, p->key, sizeof p->key);
}

/* ---- enrolment ---- */

static int has_devices(const kith_players *p, uint64_t first, uint64_t count)
{
    return p && first <= p->count && count <= p->count - first;
}

kith_status kith_players_commitments(const kith_players *p, uint64_t first,
                                     uint64_t count, uint8_t *out)
{
    if (!has_devices(p, first, count) || !out)
        return KITH_ERR_ARGUMENT;
    for (uint64_t i = 0; i < count; i++)
        kith_device_commitment(&p->devices[first + i], out + 16 * i);
    return KITH_OK;
}

kith_status kith_players_enrolled(kith_players *p, uint64_t first,
                                  uint64_t count, const uint8_t *tags,
                                  uint32_t round, const uint8_t *digest,
                                  kith_error *err)
{
    if (!has_devices(p, first, count) || !tags)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "give the tags of devices that are there");
    for (uint64_t i = 0; i < count; i++) {
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
    if (!p || !saved)
        return kith_i_fail_place(err);
    if (row >= p->count || kith_device_load(&p->devices[row], saved))
        return kith_i_fail(err, KITH_ERR_INPUT,
                           "a saved device is damaged, or of other rows");
    return KITH_OK;
}
