/* The commits of a service without HTTP: real envelopes into kith_collect, by
 * several senders who wait for their answers.
 *
 * usage: bench_collect DATABASE ROWS BATCH SENDERS [ENVELOPES]
 * With a file for the envelopes they are written there instead of added: the
 * database is left with its first round open, for kithd. */
#include <kith/collect.h>
#include <kith/kith.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { D = 20 };

static kith_collect *collect;
static uint8_t task_id[16], *envelopes;
static uint64_t total, batch;
static atomic_uint_fast64_t next_report;

static void need(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "bench_collect: %s\n", what);
    exit(1);
}

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t ready;
    int done;
    uint8_t *tags;
    size_t count;
} answer;

static void done(void *arg, const kith_receipt_of_reports *receipt)
{
    answer *a = arg;
    need(!receipt->failed && !receipt->refused, "a body was refused");
    pthread_mutex_lock(&a->lock);
    if (a->tags)
        memcpy(a->tags, receipt->tags, 16 * a->count);
    a->done = 1;
    pthread_cond_signal(&a->ready);
    pthread_mutex_unlock(&a->lock);
}

static void await(answer *a)
{
    pthread_mutex_lock(&a->lock);
    while (!a->done)
        pthread_cond_wait(&a->ready, &a->lock);
    pthread_mutex_unlock(&a->lock);
}

static void *sender(void *arg)
{
    (void)arg;
    for (;;) {
        uint64_t at = atomic_fetch_add(&next_report, batch);
        if (at >= total)
            return NULL;
        uint64_t some = total - at < batch ? total - at : batch;
        answer a = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0,
                    NULL, 0};
        kith_collect_add(collect, task_id, envelopes + 80 * at, some, done, &a);
        await(&a);
    }
}

static kith_dataset *make_rows(const kith_task *task, uint64_t rows)
{
    double *x = malloc(rows * D * sizeof *x);
    uint64_t state = 1;
    kith_bounds bounds;
    kith_dataset *data = NULL;
    need(x != NULL, "memory");
    for (uint64_t i = 0; i < rows * D; i++) {
        state = state * UINT64_C(6364136223846793005) + 1;
        x[i] = (double)(state >> 11) * 0x1p-52 - 1;
    }
    kith_task_get_bounds(task, &bounds);
    need(!kith_dataset_from_rows(x, rows, D, &bounds, &data, NULL), "rows");
    free(x);
    return data;
}

static char *task_text(void)
{
    static const double low = -1, high = 1;
    kith_bounds bounds = {.lower = &low, .upper = &high, .box_count = 1};
    kith_task_options task;
    kith_local_options local;
    char *json = NULL;
    kith_task_options_init(&task, sizeof task);
    kith_local_options_init(&local, sizeof local);
    task.enrol = "open";
    task.test = 1;
    task.fraction = 0;
    local.clusters = 1;
    local.epsilon = 2;
    local.method = KITH_LOCAL_MEAN;
    need(!kith_task_text(&task, &local, D, &bounds, &json, task_id, NULL),
         "task");
    return json;
}

static void enrol_all(kith_players *players, uint64_t rows)
{
    static uint8_t commitments[16000], tags[16000];
    for (uint64_t at = 0; at < rows; at += 1000) {
        uint64_t some = rows - at < 1000 ? rows - at : 1000;
        answer a = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0,
                    tags, some};
        kith_players_commitments(players, at, some, commitments);
        kith_enrolment enrolment = {.commitments = commitments, .count = some};
        kith_collect_enrol(collect, task_id, &enrolment, done, &a);
        await(&a);
        need(!kith_players_enrolled(players, at, some, tags, 0, NULL, NULL),
             "tags");
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void answer_all(kith_players *players)
{
    char *json = NULL;
    size_t bytes = 0;
    uint8_t digest[32];
    kith_played played;
    need(!kith_collect_round(collect, task_id, 0, &json, &bytes, digest),
         "round");
    double began = now();
    need(!kith_players_round(players, json, bytes, &played, NULL), "answers");
    total = played.count;
    fprintf(stderr, "%.1f us a device\n",
            1e6 * (now() - began) / (double)total);
    envelopes = malloc(80 * total);
    need(envelopes != NULL, "memory");
    for (uint64_t i = 0; i < total; i++)
        need(!kith_device_envelope(played.saved[i], envelopes + 80 * i),
             "envelope");
    kith_played_free(&played);
    kith_text_free(json);
}

int main(int argc, char **argv)
{
    kith_collect_options opt;
    kith_players_options play;
    kith_players *players = NULL;
    kith_task *task = NULL;
    kith_error err = {0};
    int created = 0;
    need(argc == 5 || argc == 6, "DATABASE ROWS BATCH SENDERS [ENVELOPES]");
    uint64_t rows = strtoull(argv[2], NULL, 10);
    int senders = (int)strtol(argv[4], NULL, 10);
    pthread_t threads[512];
    batch = strtoull(argv[3], NULL, 10);
    kith_collect_options_init(&opt, sizeof opt);
    opt.database = argv[1];
    need(!kith_collect_open(&opt, &collect, &err), err.message);
    char *json = task_text();
    need(!kith_task_load(json, strlen(json), &task, &err), err.message);
    need(!kith_collect_create(collect, json, strlen(json), task_id, &created,
                              &err),
         err.message);
    kith_dataset *data = make_rows(task, rows);
    kith_players_options_init(&play, sizeof play);
    play.insecure = 1;
    need(!kith_players_open(task, data, &play, &players, &err), err.message);
    enrol_all(players, rows);
    need(!kith_collect_start(collect, task_id, rows, 0, &err), err.message);
    answer_all(players);
    char name[23];
    kith_task_name(task_id, name);
    if (argc == 6) {
        FILE *file = fopen(argv[5], "wb");
        need(file && fwrite(envelopes, 80, total, file) == total, "file");
        fclose(file);
        printf("%s\n", name);
    } else {
        double began = now();
        for (int i = 0; i < senders && i < 512; i++)
            pthread_create(&threads[i], NULL, sender, NULL);
        for (int i = 0; i < senders && i < 512; i++)
            pthread_join(threads[i], NULL);
        printf("%.0f\n", (double)total / (now() - began));
    }
    kith_players_close(players);
    kith_collect_close(collect);
    kith_dataset_free(data);
    kith_task_free(task);
    kith_text_free(json);
    free(envelopes);
    return 0;
}
