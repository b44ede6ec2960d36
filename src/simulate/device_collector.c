/* The honest simulator: every member of a group is a user with secret coins of
 * its own. A round is published as JSON, and devices and server know only what
 * they read there. Nonce first, then the record, through the real device to
 * bytes; bytes into the shard of the worker that has them; shards merged;
 * estimates. Nothing here knows what a randomiser does. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "collect/publish.h"
#include "crowd.h"
#include "drawn_user.h"
#include "user_respond.h"

/* A question of this run that was answered. */
typedef struct {
    kith_i_mechanism mechanism;
    kith_i_ticket ticket;
    uint64_t number;
    kith_i_tally *tally;
} asked_question;

typedef struct {
    kith_i_crowd crowd;
    kith_i_publisher publisher;
    asked_question *asked;
    size_t asked_count;
} simulator;

typedef struct {
    kith_i_entropy entropy;
    void *scratch;
    uint8_t *bytes;
    size_t scratch_bytes;
} device; /* one for each worker, lent to its users one after the other */

typedef struct {
    simulator *sim;
    kith_i_published published;
    const kith_i_round *round; /* as clients read it */
    kith_i_question *questions;
    asked_question *asked;
    size_t count;
    kith_i_tally **shards; /* worker x question */
    device *devices;
    atomic_int status;
} round_job;

/* ---- one user ---- */

static void fill_secret(kith_i_entropy *e, uint8_t secret[32])
{
    for (int i = 0; i < 4; i++) {
        uint64_t word = kith_i_entropy_word(e);
        memcpy(secret + 8 * i, &word, sizeof word);
    }
}

static void visit_member(void *arg, uint32_t worker, size_t group,
                         uint64_t user, const double *x)
{
    round_job *job = arg;
    const asked_question *asked = &job->asked[group];
    const kith_i_crowd_options *opt = &job->sim->crowd.opt;
    device *mine = &job->devices[worker];
    uint8_t secret[32];
    kith_i_ticket ticket = asked->ticket;
    if (opt->seeded) {
        kith_i_entropy_source source = {.seeded = 1, .seed = opt->seed};
        kith_i_entropy_open(&mine->entropy, &source,
                            asked->number << 40 ^ user);
    }
    if (opt->draw) {
        kith_i_drawn_user drawn;
        kith_i_drawn_user_make(opt->draw, ticket.task, user, &drawn);
        kith_i_draw_nonce(drawn.seed, job->round->digest, ticket.group,
                          ticket.nonce);
    } else {
        fill_secret(&mine->entropy, secret);
        kith_i_user_nonce(secret, &ticket);
        kith_i_wipe(secret, sizeof secret);
    }
    kith_i_asked one = {&job->questions[group], &asked->mechanism,
                        job->sim->crowd.face.d, &ticket};
    kith_i_user_respond(&one, x, &mine->entropy, mine->scratch, mine->bytes);
    if (mine->entropy.failed) { /* nothing leaves */
        atomic_store(&job->status, KITH_ERR_ENTROPY);
        return;
    }
    kith_status status =
        kith_i_tally_add(job->shards[worker * job->count + group], mine->bytes,
                         kith_i_report_bytes(&asked->mechanism), NULL);
    if (status)
        atomic_store(&job->status, (int)status);
}

/* ---- memory ---- */

static void job_free(round_job *job, uint32_t workers)
{
    for (size_t i = 0; job->shards && i < workers * job->count; i++)
        kith_i_tally_free(job->shards[i]);
    for (uint32_t w = 0; job->devices && w < workers; w++) {
        device *mine = &job->devices[w];
        kith_i_entropy_close(&mine->entropy);
        kith_i_wipe_free(mine->scratch, mine->scratch_bytes);
        kith_i_free(mine->bytes);
    }
    kith_i_free(job->shards);
    kith_i_free(job->devices);
    kith_i_published_free(&job->published);
}

static kith_status devices_open(round_job *job, uint32_t workers,
                                kith_error *err)
{
    size_t scratch = 0, bytes = 0;
    for (size_t g = 0; g < job->count; g++) {
        const kith_i_mechanism *m = &job->asked[g].mechanism;
        size_t more = kith_i_respond_scratch(m),
               length = kith_i_report_bytes(m);
        scratch = more > scratch ? more : scratch;
        bytes = length > bytes ? length : bytes;
    }
    job->devices = kith_i_alloc(workers, sizeof *job->devices);
    for (uint32_t w = 0; job->devices && w < workers; w++) {
        kith_i_entropy_source source = {0};
        device *mine = &job->devices[w];
        mine->scratch = kith_i_alloc(scratch, 1);
        mine->bytes = kith_i_alloc(bytes, 1);
        mine->scratch_bytes = mine->scratch ? scratch : 0;
        kith_i_entropy_open(&mine->entropy, &source, w);
        if (!mine->scratch || !mine->bytes)
            return kith_i_fail_memory(err);
    }
    return job->devices ? KITH_OK : kith_i_fail_memory(err);
}

static kith_status shards_open(round_job *job, uint32_t workers,
                               kith_error *err)
{
    job->shards = kith_i_alloc(workers * job->count, sizeof(kith_i_tally *));
    if (!job->shards)
        return kith_i_fail_memory(err);
    for (size_t i = 0; i < workers * job->count; i++) {
        const asked_question *asked = &job->asked[i % job->count];
        kith_status status =
            kith_i_tally_new(&asked->mechanism, &asked->ticket,
                             job->round->digest, &job->shards[i], err);
        if (status)
            return status;
        const kith_i_question *q = &job->questions[i % job->count];
        double members = q->share * (double)job->sim->crowd.face.invited;
        status = kith_i_tally_expect(
            job->shards[i], (uint64_t)(members / workers + sqrt(members)), err);
        if (status)
            return status;
    }
    return KITH_OK;
}

/* ---- a round ---- */

static kith_status collect(round_job *job, kith_error *err)
{
    kith_i_crowd *crowd = &job->sim->crowd;
    kith_i_group *groups = kith_i_alloc(job->count, sizeof *groups);
    if (!groups)
        return kith_i_fail_memory(err);
    for (size_t g = 0; g < job->count; g++)
        groups[g] =
            kith_i_group_of(&job->questions[g], &job->asked[g].mechanism);
    kith_status status =
        kith_i_crowd_visit(crowd, groups, job->count, visit_member, job, err);
    kith_i_free(groups);
    kith_status inside = (kith_status)atomic_load(&job->status);
    if (!status && inside == KITH_ERR_ENTROPY)
        return kith_i_fail(err, inside,
                           "the system's secure random generator failed: "
                           "the round is lost");
    if (!status && inside == KITH_ERR_MEMORY)
        return kith_i_fail_memory(err);
    if (!status && inside)
        return kith_i_fail(err, KITH_ERR_INTERNAL,
                           "the server refused a report of its own device");
    return status;
}

/* Merge the shards of question g into that of worker 0, and keep it. */
static kith_status finish(round_job *job, size_t g, kith_i_answer *answer,
                          kith_error *err)
{
    kith_i_crowd *crowd = &job->sim->crowd;
    kith_i_crowd_stats *stats = &crowd->stats;
    asked_question *asked = &job->asked[g];
    uint32_t bytes = (uint32_t)kith_i_report_bytes(&asked->mechanism);
    for (uint32_t w = 1; w < crowd->workers; w++) {
        kith_i_tally **shard = &job->shards[w * job->count + g];
        kith_status status = kith_i_tally_merge(job->shards[g], *shard, err);
        if (status)
            return status;
        kith_i_tally_free(*shard);
        *shard = NULL;
    }
    asked->tally = job->shards[g];
    job->shards[g] = NULL;
    kith_i_tally_close(asked->tally);
    uint64_t received = kith_i_tally_received(asked->tally);
    stats->questions++;
    stats->reports += received;
    stats->bytes += received * bytes;
    stats->longest = bytes > stats->longest ? bytes : stats->longest;
    return kith_i_tally_answer(asked->tally, &job->questions[g], crowd->face.d,
                               crowd->opt.minimum, crowd->opt.threads, answer,
                               err);
}

/* What a device checks before it answers, and room for the answer. */
static kith_status prepare(round_job *job, size_t g, kith_i_answer *answer,
                           kith_error *err)
{
    simulator *sim = job->sim;
    const kith_i_question *q = &job->questions[g];
    asked_question *asked = &job->asked[g];
    uint32_t d = sim->crowd.face.d;
    asked->mechanism = job->round->mechanisms[g];
    /* A user is charged what the round declares, so that is what it allows. */
    kith_i_limits limits;
    kith_status status =
        kith_i_limits_make(&asked->mechanism, q, sim->crowd.cap,
                           sim->crowd.opt.delta, &limits, err);
    if (status)
        return status;
    const char *flaw = kith_i_limits_flaw(&asked->mechanism, q, d, &limits);
    if (flaw)
        return kith_i_fail(err, KITH_ERR_PRIVACY,
                           "question \"%s\" is refused by the clients: %s",
                           q->what, flaw);
    memcpy(asked->ticket.task, job->round->task, sizeof asked->ticket.task);
    asked->ticket.round = job->round->number;
    asked->ticket.group = (uint16_t)g;
    asked->number = sim->asked_count + g;
    return kith_i_answer_alloc(q, d, answer, err);
}

static kith_status run_round(simulator *sim, const kith_i_question *questions,
                             round_job *job, kith_i_answer *answers,
                             kith_error *err)
{
    uint32_t workers = sim->crowd.workers;
    kith_status status = kith_i_publish(&sim->publisher, questions, job->count,
                                        &job->published, err);
    if (!status) {
        job->round = job->published.round;
        job->questions = job->published.round->questions;
        sim->crowd.stats.published += job->published.bytes;
    }
    for (size_t g = 0; !status && g < job->count; g++)
        status = prepare(job, g, &answers[g], err);
    if (!status)
        status = devices_open(job, workers, err);
    if (!status)
        status = shards_open(job, workers, err);
    if (!status)
        status = collect(job, err);
    for (size_t g = 0; !status && g < job->count; g++)
        status = finish(job, g, &answers[g], err);
    job_free(job, workers);
    return status;
}

static kith_status simulate_ask(kith_i_collector *self,
                                const kith_i_question *questions, size_t count,
                                kith_i_answer *answers, kith_error *err)
{
    simulator *sim = (simulator *)self;
    size_t have = sim->asked_count;
    memset(answers, 0, count * sizeof *answers);
    if (sim->crowd.stats.rounds > UINT16_MAX || count > UINT16_MAX)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "too many rounds, or questions in a round");
    asked_question *asked =
        kith_i_resize(sim->asked, have, have + count, sizeof *asked);
    if (!asked)
        return kith_i_fail_memory(err);
    memset(asked + have, 0, count * sizeof *asked);
    sim->asked = asked;
    round_job job = {.sim = sim, .asked = asked + have, .count = count};
    atomic_init(&job.status, KITH_OK);
    kith_status status = run_round(sim, questions, &job, answers, err);
    sim->asked_count += count;
    sim->crowd.stats.rounds++;
    for (size_t g = 0; status && g < count; g++)
        kith_i_answer_free(&answers[g]);
    return status;
}

static kith_status simulate_again(kith_i_collector *self, size_t question,
                                  const uint64_t *keys, uint32_t count,
                                  double *fractions, kith_error *err)
{
    simulator *sim = (simulator *)self;
    if (question >= sim->asked_count || !sim->asked[question].tally)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "this question was not asked");
    const kith_i_tally *tally = sim->asked[question].tally;
    if (kith_i_tally_received(tally) < sim->crowd.opt.minimum) {
        memset(fractions, 0, count * sizeof *fractions);
        return KITH_OK;
    }
    return kith_i_tally_fractions(tally, keys, count, sim->crowd.opt.threads,
                                  fractions, err);
}

static void simulate_close(kith_i_crowd *crowd)
{
    simulator *sim = (simulator *)crowd;
    for (size_t i = 0; i < sim->asked_count; i++)
        kith_i_tally_free(sim->asked[i].tally);
    kith_i_free(sim->asked);
}

kith_status kith_i_collector_simulate(const kith_dataset *data,
                                      const kith_i_crowd_options *opt,
                                      kith_i_collector **out, kith_error *err)
{
    *out = NULL;
    simulator *sim = kith_i_alloc(1, sizeof *sim);
    if (!sim)
        return kith_i_fail_memory(err);
    kith_status status = opt->seeded ? KITH_OK : kith_i_entropy_check(err);
    if (!status)
        status = kith_i_crowd_open(&sim->crowd, data, opt, err);
    if (status) {
        kith_i_free(sim);
        return status;
    }
    sim->publisher = (kith_i_publisher){.invited = sim->crowd.face.invited,
                                        .minimum = opt->minimum,
                                        .d = sim->crowd.face.d};
    memcpy(sim->publisher.chain.task, opt->task, sizeof opt->task);
    sim->crowd.close = simulate_close;
    sim->crowd.face.ask = simulate_ask;
    sim->crowd.face.again = simulate_again;
    *out = &sim->crowd.face;
    return KITH_OK;
}
