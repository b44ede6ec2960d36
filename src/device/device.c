/* A device from joining to its one answer. Client code.
 *
 * Claim (I39, I42): what one device sends for a task is one report, drawn
 *   once, and no likelier by more than e^x from one record than from any
 *   other, where x is charged first and is at most what the task declares and
 *   the wallet has left.
 * Needs: a host that keeps what was saved, gives independent uniform bytes,
 *   and does not put a saved device back to an earlier state.
 * Because: answer refuses a device that has answered, compares the odds with
 *   floor(e^x) exactly, and keeps the bytes; the envelope is made of kept
 *   bytes alone; the nonce is fixed before the record is looked at. */
#include <string.h>

#include "base/wide.h"
#include "device_i.h"
#include "forget.h"

enum { FORGOTTEN = 16 << 10 }; /* deeper than an answer goes */

void kith_device_host_init(kith_device_host *host, kith_random_fn *coins,
                           void *arg)
{
    if (host)
        *host = (kith_device_host){
            .wallet = 8, .least_group = 50, .coins = coins, .coins_arg = arg};
}

static kith_status refuse(kith_i_device *d, kith_status status, const char *why)
{
    d->why = why;
    return status;
}

/* Something that the call needs is NULL; perhaps it is the device. */
static const char INCOMPLETE[] = "the caller has left something out";

static kith_status incomplete(kith_device *device)
{
    return device
               ? refuse((kith_i_device *)device, KITH_ERR_ARGUMENT, INCOMPLETE)
               : KITH_ERR_ARGUMENT;
}

const char *kith_device_why(const kith_device *device)
{
    const char *why = device ? ((const kith_i_device *)device)->why : NULL;
    return why ? why : "";
}

void kith_device_forget(kith_device *device)
{
    if (device)
        kith_i_forget(device, sizeof *device);
}

uint64_t kith_i_wallet_left(const kith_device_host *host)
{
    const double most = 4096; /* 2^62 units */
    if (!(host->wallet > 0))
        return 0;
    double wallet = host->wallet < most ? host->wallet : most;
    uint64_t units = (uint64_t)(wallet * (double)KITH_LOSS_UNIT);
    return host->spent < units ? units - host->spent : 0;
}

/* ---- joining ---- */

kith_status kith_device_join(kith_device *device, const kith_device_host *host,
                             const kith_task_view *task)
{
    kith_i_device *d = (kith_i_device *)device;
    if (!device || !host || !host->coins || !task)
        return incomplete(device);
    *d = (kith_i_device){.why = "", .epsilon = task->epsilon};
    if (task->test && !host->test_tasks)
        return refuse(d, KITH_ERR_PRIVACY,
                      "this task is a test: its coins are not secret");
    if (task->minimum < host->least_group)
        return refuse(d, KITH_ERR_PRIVACY,
                      "the task would look at groups smaller than this device "
                      "allows");
    if (task->epsilon > kith_i_wallet_left(host))
        return refuse(d, KITH_ERR_BUDGET,
                      "the wallet has not enough left for this task");
    if (host->coins(host->coins_arg, d->r, sizeof d->r)) {
        kith_i_forget(d->r, sizeof d->r);
        return refuse(d, KITH_ERR_ENTROPY, "there is no secure randomness");
    }
    memcpy(d->chain.task, task->id, sizeof d->chain.task);
    d->state = KITH_I_DEVICE_JOINED;
    return KITH_OK;
}

void kith_device_commitment(const kith_device *device, uint8_t out[16])
{
    const kith_i_device *d = (const kith_i_device *)device;
    if (device && out)
        kith_i_draw_commit(d->chain.task, d->r, out);
    else if (out)
        memset(out, 0, KITH_I_DRAW_BYTES);
}

kith_status kith_device_enrolled(kith_device *device, const uint8_t tag[16],
                                 uint32_t round, const uint8_t *digest)
{
    kith_i_device *d = (kith_i_device *)device;
    if (!device || !tag)
        return incomplete(device);
    d->why = "";
    if (d->state != KITH_I_DEVICE_JOINED) {
        /* Another tag would be another try at this device's group. */
        if (d->state < KITH_I_DEVICE_JOINED)
            return refuse(d, KITH_ERR_ARGUMENT, "join a task first");
        return memcmp(d->tag, tag, sizeof d->tag) == 0
                   ? KITH_OK
                   : refuse(d, KITH_ERR_PRIVACY,
                            "the service has drawn again for this device");
    }
    if (round >= KITH_I_ROUNDS_MAX || (!digest && round > 0))
        return refuse(d, KITH_ERR_INPUT,
                      "the service names a round that cannot be");
    memcpy(d->tag, tag, sizeof d->tag);
    d->chain.next = round;
    d->joining = digest != NULL;
    if (digest)
        memcpy(d->chain.digest, digest, sizeof d->chain.digest);
    d->state = KITH_I_DEVICE_ENROLLED;
    return KITH_OK;
}

/* ---- rounds ---- */

uint32_t kith_i_device_group(const kith_i_device *d, const kith_i_round *round)
{
    uint8_t seed[KITH_I_SHA256_BYTES];
    kith_i_draw_seed(d->tag, d->r, seed);
    uint64_t point = kith_i_draw_point(seed);
    uint32_t mine = UINT32_MAX;
    for (uint32_t g = 0; g < round->count && mine == UINT32_MAX; g++)
        if (kith_i_circle_has(kith_i_circle_range(&round->questions[g]), point))
            mine = g;
    kith_i_forget(seed, sizeof seed);
    return mine;
}

void kith_i_device_ticket(const kith_i_device *d, const kith_i_round *round,
                          uint32_t group, kith_i_ticket *out)
{
    uint8_t seed[KITH_I_SHA256_BYTES];
    *out = (kith_i_ticket){.round = round->number, .group = (uint16_t)group};
    memcpy(out->task, round->task, sizeof out->task);
    kith_i_draw_seed(d->tag, d->r, seed);
    kith_i_draw_nonce(seed, round->digest, out->group, out->nonce);
    kith_i_forget(seed, sizeof seed);
}

/* Is it the round that was read last? */
static int is_current(const kith_i_device *d, const kith_i_round *round)
{
    return !d->joining && round->number + 1u == d->chain.next &&
           memcmp(round->digest, d->chain.digest, sizeof round->digest) == 0 &&
           memcmp(round->task, d->chain.task, sizeof round->task) == 0;
}

static const char *chain_flaw(const kith_i_device *d, const kith_i_round *round)
{
    if (round->number >= KITH_I_ROUNDS_MAX)
        return "the task has too many rounds";
    if (!d->joining)
        return kith_i_round_follows(round, &d->chain);
    if (memcmp(round->task, d->chain.task, sizeof round->task) != 0)
        return "the round belongs to another task";
    if (round->number != d->chain.next ||
        memcmp(round->digest, d->chain.digest, sizeof round->digest) != 0)
        return "the round is not the one that was current at joining";
    return NULL;
}

/* Users that a range means: rounded down. */
static uint64_t users_of(kith_i_range range, uint64_t invited)
{
    return (uint64_t)((kith_i_u128)range.length * invited >> 53);
}

/* What keeps this device from answering its group's question. */
static kith_status group_flaw(kith_i_device *d, const kith_device_host *host,
                              const kith_i_round *round, uint32_t g)
{
    const kith_i_question *q = &round->questions[g];
    const kith_i_mechanism *m = &round->mechanisms[g];
    uint64_t left = kith_i_wallet_left(host);
    if (q->partition != 0)
        return refuse(d, KITH_ERR_PRIVACY,
                      "the question would be one of several for this device");
    if (round->minimum < host->least_group ||
        users_of(kith_i_circle_range(q), round->invited) < host->least_group)
        return refuse(d, KITH_ERR_PRIVACY,
                      "the group is smaller than this device allows");
    if (m->loss > d->epsilon)
        return refuse(d, KITH_ERR_PRIVACY,
                      "the report would cost more than the task declares");
    if (m->loss > left)
        return refuse(d, KITH_ERR_BUDGET,
                      "the wallet has not enough left for this report");
    const char *flaw =
        kith_i_mechanism_flaw(m, q, round->d, kith_i_odds_floor(m->loss));
    return flaw ? refuse(d, KITH_ERR_PRIVACY, flaw) : KITH_OK;
}

kith_status kith_device_read(kith_device *device, const kith_device_host *host,
                             const kith_round_view *view, int *asked)
{
    kith_i_device *d = (kith_i_device *)device;
    if (asked)
        *asked = 0;
    if (!device || !host || !view || !asked)
        return incomplete(device);
    const kith_i_round *round = &view->round;
    d->why = "";
    if (d->state < KITH_I_DEVICE_ENROLLED)
        return refuse(d, KITH_ERR_ARGUMENT, "enrol first");
    if (!is_current(d, round)) {
        const char *flaw = chain_flaw(d, round);
        if (flaw)
            return refuse(d, KITH_ERR_PRIVACY, flaw);
    }
    uint32_t group = kith_i_device_group(d, round);
    int mine = group != UINT32_MAX && d->state == KITH_I_DEVICE_ENROLLED;
    kith_status status = mine ? group_flaw(d, host, round, group) : KITH_OK;
    if (status)
        return status;
    d->joining = 0;
    kith_i_chain_advance(&d->chain, round);
    *asked = mine;
    return KITH_OK;
}

/* ---- the answer ---- */

/* What the calls below have left on the stack of the record and of r. */
__attribute__((noinline)) static void forget_stack(void)
{
    uint8_t below[FORGOTTEN];
    kith_i_forget(below, sizeof below);
}

size_t kith_device_scratch(const kith_round_view *view)
{
    if (!view)
        return 0;
    const kith_i_round *round = &view->round;
    size_t most = 0;
    for (uint32_t g = 0; g < round->count; g++) {
        size_t bytes = kith_i_respond_scratch(&round->mechanisms[g]);
        most = bytes > most ? bytes : most;
    }
    return most + round->d * sizeof(double);
}

static kith_status answer_flaw(kith_i_device *d, const kith_device_host *host,
                               const kith_task_view *task,
                               const kith_i_round *round, uint32_t *group)
{
    if (d->state == KITH_I_DEVICE_ANSWERED)
        return refuse(d, KITH_ERR_BUDGET,
                      "this device has answered: send the saved envelope");
    if (d->state != KITH_I_DEVICE_ENROLLED || !is_current(d, round))
        return refuse(d, KITH_ERR_ARGUMENT, "read the round first");
    if (memcmp(task->id, d->chain.task, sizeof task->id) != 0 ||
        task->d != round->d || round->minimum < task->minimum)
        return refuse(d, KITH_ERR_PRIVACY,
                      "the round is not of this task, or looks at fewer people "
                      "than it declares");
    *group = kith_i_device_group(d, round);
    if (*group == UINT32_MAX)
        return refuse(d, KITH_ERR_ARGUMENT, "this device is not asked");
    return group_flaw(d, host, round, *group);
}

kith_status kith_device_answer(kith_device *device,
                               const kith_device_host *host,
                               const kith_task_view *task,
                               const kith_round_view *view, const double *x,
                               void *scratch)
{
    kith_i_device *d = (kith_i_device *)device;
    if (!device || !host || !host->coins || !task || !view || !x || !scratch)
        return incomplete(device);
    const kith_i_round *round = &view->round;
    uint32_t group = 0;
    d->why = "";
    kith_status status = answer_flaw(d, host, task, round, &group);
    if (status)
        return status;
    /* Pay. From here on the device has answered, whatever happens. */
    d->charged = round->mechanisms[group].loss;
    d->state = KITH_I_DEVICE_ANSWERED;
    kith_i_ticket ticket;
    kith_i_device_ticket(d, round, group, &ticket);
    kith_i_asked asked = {&round->questions[group], &round->mechanisms[group],
                          round->d, &ticket};
    kith_i_words words = {.fill = host->coins, .arg = host->coins_arg};
    kith_i_frame frame = {task->d, task->lower, task->upper, task->center,
                          task->radius};
    double *record = scratch;
    kith_i_frame_record(&frame, x, record);
    kith_i_respond(&asked, record, &words, record + round->d, d->report);
    kith_i_forget(record, round->d * sizeof *record);
    forget_stack();
    d->report_bytes = (uint32_t)kith_i_report_bytes(asked.mechanism);
    if (!words.failed)
        return KITH_OK;
    /* Nothing was sent, and nothing drawn can be: it was not secret. */
    kith_i_forget(d->report, sizeof d->report);
    d->report_bytes = 0;
    d->charged = 0;
    d->state = KITH_I_DEVICE_ENROLLED;
    return refuse(d, KITH_ERR_ENTROPY, "there is no secure randomness");
}

/* ---- views ---- */

size_t kith_view_room(size_t bytes)
{
    return kith_i_round_room(bytes);
}

static kith_status opened(const char *flaw, const char **why)
{
    if (why)
        *why = flaw ? flaw : "";
    return flaw ? KITH_ERR_INPUT : KITH_OK;
}

static kith_status unopened(const char **why)
{
    (void)opened(INCOMPLETE, why);
    return KITH_ERR_ARGUMENT;
}

kith_status kith_task_open(const void *json, size_t bytes, void *arena,
                           size_t room, const kith_task_view **out,
                           const char **why)
{
    struct kith_task_view *task = NULL;
    if (out)
        *out = NULL;
    if (!json || !arena || !out)
        return unopened(why);
    const char *flaw = bytes > KITH_TASK_MAX
                           ? "the task file is too long"
                           : kith_i_task_open(json, bytes, arena, room, &task);
    *out = task;
    return opened(flaw, why);
}

kith_status kith_round_open(const void *json, size_t bytes, void *arena,
                            size_t room, const kith_round_view **out,
                            const char **why)
{
    kith_i_round *round = NULL;
    if (out)
        *out = NULL;
    if (!json || !arena || !out)
        return unopened(why);
    const char *flaw =
        bytes > KITH_ROUND_MAX
            ? "the round is too long"
            : kith_i_round_open(json, bytes, arena, room, &round);
    *out = (const kith_round_view *)round;
    return opened(flaw, why);
}
