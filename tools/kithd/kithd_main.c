/* kithd: opens the store, listens, does what is due, and stops politely. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server.h"

enum { EXIT_FINE, EXIT_FAILED, EXIT_USAGE, EXIT_STORE = 5 };

static void on_change(void *arg, const uint8_t task[16])
{
    server *s = arg;
    (void)task;
    pthread_mutex_lock(&s->wait_lock);
    s->changes++;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->wait_lock);
}

/* ---- threads ------------------------------------------------------------- */

static void *step_loop(void *arg)
{
    server *s = arg;
    while (!atomic_load(&s->draining)) {
        kith_collect_step(s->collect);
        kith_collect_wait(s->collect, 250);
    }
    return NULL;
}

static void *poll_loop(void *arg)
{
    server *s = arg;
    while (!atomic_load(&s->draining)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 200000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&s->wait_lock);
        if (!s->changes)
            pthread_cond_timedwait(&s->changed, &s->wait_lock, &until);
        s->changes = 0;
        pthread_mutex_unlock(&s->wait_lock);
        polls_look(s);
    }
    return NULL;
}

/* ---- small commands ------------------------------------------------------ */

static int new_token(const char *words)
{
    kith_error err = {0};
    char token[44], digest[65], name[128];
    const char *colon = strchr(words, ':');
    int scopes = colon ? tokens_parse_scopes(colon + 1) : 0;
    if (!scopes || (size_t)(colon - words) >= sizeof name) {
        fprintf(stderr, "kithd: --new-token: NAME:SCOPES, scopes of read, "
                        "operate, enrol with commas\n");
        return EXIT_USAGE;
    }
    if (kith_collect_new_token(token, &err)) {
        fprintf(stderr, "kithd: %s\n", err.message);
        return EXIT_FAILED;
    }
    memcpy(name, words, (size_t)(colon - words));
    name[colon - words] = 0;
    kith_collect_token_digest(token, digest);
    printf("token (give it to %s, it is not kept): %s\n"
           "line for the file of operator tokens:\n%s %s %s\n",
           name, token, name, colon + 1, digest);
    return EXIT_FINE;
}

/* A token for this run, where nobody configured any. */
static int make_token(void)
{
    kith_error err = {0};
    char token[44], digest[65];
    if (kith_collect_new_token(token, &err)) {
        fprintf(stderr, "kithd: %s\n", err.message);
        return 0;
    }
    kith_collect_token_digest(token, digest);
    tokens_add(SCOPE_READ | SCOPE_OPERATE | SCOPE_ENROL, digest);
    printf("operator token: %s\n", token);
    fflush(stdout);
    return 1;
}

/* Create a task and say where it is. */
static int add_task(server *s, const char *json)
{
    kith_error err = {0};
    char name[23];
    uint8_t id[16];
    int created;
    if (kith_collect_create(s->collect, json, strlen(json), id, &created,
                            &err)) {
        fprintf(stderr, "kithd: %s\n", err.message);
        return 0;
    }
    kith_task_name(id, name);
    printf("task: %s\ntake part: http://%s/tasks/%s/take-part\n"
           "operate: http://%s/tasks/%s\n",
           name, s->config.listen, name, s->config.admin_listen, name);
    fflush(stdout);
    return 1;
}

static int make_demo(server *s)
{
    kith_task_options task;
    kith_local_options local;
    static const double lower[] = {0, 0}, upper[] = {24, 24};
    static const char *const names[] = {"bedtime", "getting up"};
    static const char *const units[] = {"h", "h"};
    kith_bounds bounds = {.lower = lower, .upper = upper, .box_count = 2};
    kith_error err = {0};
    char *json = NULL;
    uint8_t id[16];
    kith_task_options_init(&task, sizeof task);
    kith_local_options_init(&local, sizeof local);
    task.title = "When do people sleep?";
    task.purpose = "A demonstration: find the usual hours of sleep without "
                   "learning anybody's.";
    task.operator_name = "kithd --demo";
    task.contact = "whoever started it";
    task.names = names;
    task.units = units;
    task.enrol = "open";
    local.clusters = 3;
    local.epsilon = 2;
    int fine = !kith_task_text(&task, &local, 2, &bounds, &json, id, &err) &&
               add_task(s, json);
    if (!json)
        fprintf(stderr, "kithd: %s\n", err.message);
    kith_text_free(json);
    return fine;
}

static int task_from_file(server *s)
{
    char *text = calloc(1, KITH_TASK_MAX + 2);
    FILE *file = fopen(s->config.task, "rb");
    size_t n = file && text ? fread(text, 1, KITH_TASK_MAX + 1, file) : 0;
    if (file)
        fclose(file);
    if (!n)
        fprintf(stderr, "kithd: %s: cannot be read\n", s->config.task);
    int fine = n && add_task(s, text);
    free(text);
    return fine;
}

static int check(server *s)
{
    char *json = NULL;
    if (kith_collect_list(s->collect, &json))
        return EXIT_FAILED;
    printf("%s\n", json);
    kith_text_free(json);
    return EXIT_FINE;
}

/* 32 bytes, or as many in hexadecimal. 0: neither, and why was said. */
static int read_key(const char *path, uint8_t key[32])
{
    char text[80] = "";
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(text, 1, sizeof text, file) : 0;
    if (file)
        fclose(file);
    while (n > 64 && text[n - 1] == '\n')
        n--;
    if (n == 32)
        memcpy(key, text, 32);
    for (int i = 0; n == 64 && i < 32; i++) {
        char two[3] = {text[2 * i], text[2 * i + 1], 0}, *end;
        key[i] = (uint8_t)strtoul(two, &end, 16);
        n = *end ? 0 : n;
    }
    if (n == 32 || n == 64)
        return 1;
    fprintf(stderr,
            "kithd: %s: not a key: 32 bytes, or 64 hexadecimal digits "
            "(openssl rand -hex 32)\n",
            path);
    return 0;
}

static int back_up(const config *c)
{
    kith_error err = {0};
    if (!kith_collect_backup(c->database, c->backup, &err))
        return EXIT_FINE;
    fprintf(stderr, "kithd: %s\n", err.message);
    return EXIT_STORE;
}

/* ---- running ------------------------------------------------------------- */

static int prepare(server *s)
{
    const config *c = &s->config;
    if (c->operator_tokens ? !tokens_load(c->operator_tokens) : !make_token())
        return 0;
    return (!c->demo || make_demo(s)) && (!c->task || task_from_file(s));
}

/* Signals are taken here, by the main thread alone. */
static void wait_for_end(server *s, const sigset_t *set)
{
    for (;;) {
        int signal = 0;
        sigwait(set, &signal);
        if (signal != SIGHUP)
            return;
        const config *c = &s->config;
        int tokens = !c->operator_tokens || tokens_load(c->operator_tokens);
        int certificate = !c->tls_certificate || certificate_load(c);
        if (tokens && certificate)
            log_event("info", "reloaded", NULL);
    }
}

static int serve(server *s)
{
    pthread_t stepper, poller;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    if (!prepare(s) || !server_start(s)) {
        (void)server_stop(s);
        return EXIT_STORE;
    }
    pthread_create(&stepper, NULL, step_loop, s);
    pthread_create(&poller, NULL, poll_loop, s);
    log_event("info", "ready", "listen", s->config.listen, "admin_listen",
              s->config.admin_listen, "version", kith_version(), NULL);
    wait_for_end(s, &set);
    log_event("info", "draining", NULL);
    int drained = server_stop(s);
    pthread_join(stepper, NULL);
    pthread_join(poller, NULL);
    log_event("info", "stopped", NULL);
    return drained ? EXIT_FINE : EXIT_STORE;
}

int main(int argc, char **argv)
{
    static server s;
    kith_error err = {0};
    kith_collect_options opt;
    int code = config_read(&s.config, argc, argv);
    static uint8_t key[32];
    if (code < 0 && s.config.new_token)
        code = new_token(s.config.new_token);
    else if (code < 0 && s.config.backup)
        code = back_up(&s.config);
    else if (code < 0 && s.config.key_file && !read_key(s.config.key_file, key))
        code = EXIT_USAGE;
    if (code >= 0) {
        config_free(&s.config);
        return code;
    }
    setvbuf(stderr, NULL, _IOLBF, 0);
    pthread_mutex_init(&s.wait_lock, NULL);
    pthread_cond_init(&s.changed, NULL);
    kith_collect_options_init(&opt, sizeof opt);
    opt.database = s.config.database;
    opt.migrate = s.config.migrate;
    opt.disk_floor = (uint64_t)s.config.disk_floor << 20;
    opt.dedupe_bytes = (uint64_t)s.config.dedupe_mb << 20;
    opt.seal = s.config.key_file ? key : NULL;
    opt.changed = on_change;
    opt.arg = &s;
    if (kith_collect_open(&opt, &s.collect, &err)) {
        fprintf(stderr, "kithd: %s\n", err.message);
        config_free(&s.config);
        return EXIT_STORE;
    }
    if (s.config.check) {
        code = check(&s);
    } else if (s.config.migrate) {
        code = EXIT_FINE;
    } else {
        code = serve(&s);
    }
    kith_collect_close(s.collect);
    config_free(&s.config);
    return code;
}
