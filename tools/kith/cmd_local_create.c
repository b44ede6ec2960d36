/* `kith local create`: a task file, and perhaps a task at a service. `kith
 * local serve`: kithd for one task on this machine. */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "local_net.h"
#include "output.h"
#include "source.h"

typedef struct {
    kith_task_options task;
    kith_local_options local;
    bounds bounds;
    uint32_t dimension;
    uint64_t invited;
    char *name_text;
    const char **names;
} draft;

/* ---- options ------------------------------------------------------------- */

static int parse_names(draft *d, const char *text)
{
    d->name_text = strdup(text);
    d->names = calloc(d->dimension, sizeof *d->names);
    if (!d->name_text || !d->names)
        return cli_no_memory();
    char *rest = d->name_text;
    uint32_t count = 0;
    for (char *word; (word = strsep(&rest, ","));) {
        if (count == d->dimension)
            break;
        d->names[count++] = word;
    }
    if (count != d->dimension || rest)
        return cli_usage("--names: %u names are needed, with commas",
                         d->dimension);
    d->task.names = d->names;
    return CLI_OK;
}

static int parse_words(draft *d, const args *a)
{
    static const char *const enrols[] = {"invitation", "backend", "open", NULL};
    static const char *const releases[] = {"auto", "manual", NULL};
    static const char *const objectives[] = {"kmeans", "kmedian", NULL};
    unsigned enrol = 0, release = 0, objective = 0;
    int method = KITH_LOCAL_AUTO;
    const char *words[4] = {args_value(a, "title"), args_value(a, "purpose"),
                            args_value(a, "operator"),
                            args_value(a, "contact")};
    const char **to[4] = {&d->task.title, &d->task.purpose,
                          &d->task.operator_name, &d->task.contact};
    for (int i = 0; i < 4; i++)
        if (words[i])
            *to[i] = words[i];
    int code = args_choice(a, "enrol", enrols, &enrol);
    if (!code)
        code = args_choice(a, "release", releases, &release);
    if (!code)
        code = args_choice(a, "objective", objectives, &objective);
    if (!code)
        code = args_word(a, "method", KITH_WORDS_LOCAL_METHOD, &method);
    d->task.enrol = enrols[enrol];
    d->task.release = releases[release];
    d->local.method = (kith_local_method)method;
    d->local.objective =
        objective ? KITH_OBJECTIVE_KMEDIAN : KITH_OBJECTIVE_KMEANS;
    d->task.test = args_value(a, "test") != NULL;
    return code;
}

static int parse_numbers(draft *d, const args *a)
{
    const char *closes = args_value(a, "closes");
    if (!args_value(a, "clusters") || !args_value(a, "epsilon") ||
        !args_value(a, "dimension"))
        return cli_usage("-k K, -e EPS and --dimension D are required");
    int code = args_count(a, "clusters", 1, 100000, &d->local.clusters);
    if (!code)
        code = args_real(a, "epsilon", &d->local.epsilon);
    if (!code)
        code = args_count(a, "dimension", 1, 4096, &d->dimension);
    if (!code)
        code = args_whole(a, "invited", 1, UINT64_C(1) << 40, &d->invited);
    if (!code)
        code = args_whole(a, "minimum", 1, UINT64_C(1) << 40, &d->task.minimum);
    if (!code)
        code = args_real(a, "close-at", &d->task.fraction);
    if (!code)
        code = args_whole(a, "seed", 0, INT64_MAX, &d->local.public_seed);
    if (!code)
        code = args_count(a, "keep-days", 0, 36500, &d->task.keep_days);
    if (!code && closes) {
        d->task.closes = net_seconds(closes);
        if (!d->task.closes)
            return cli_usage("--closes: '%s' is not a time such as 7d or 12h",
                             closes);
    }
    return code;
}

static int parse(draft *d, const args *a)
{
    kith_task_options_init(&d->task, sizeof d->task);
    kith_local_options_init(&d->local, sizeof d->local);
    int code = parse_numbers(d, a);
    if (!code)
        code = parse_words(d, a);
    if (!code && args_value(a, "names"))
        code = parse_names(d, args_value(a, "names"));
    if (!code)
        code = bounds_parse(&d->bounds, a);
    return code ? code : bounds_check(&d->bounds, d->dimension);
}

/* ---- create -------------------------------------------------------------- */

/* A forecast that says no stops it. */
static int heed_forecast(const draft *d, const char *json, int force)
{
    static const char *const words[] = {"it cannot work", "it should work",
                                        "doubtful"};
    kith_task *task = NULL;
    kith_local_forecast f;
    kith_error err = {0};
    if (!d->invited)
        return CLI_OK;
    kith_status status = kith_task_load(json, strlen(json), &task, &err);
    if (!status)
        status = kith_task_predict(task, d->invited, &f, &err);
    kith_task_free(task);
    if (status)
        return cli_status(status, &err);
    cli_note("forecast for %llu users: noise moves a centre by %.3g; %s",
             (unsigned long long)d->invited, f.center_error, words[f.works]);
    if (f.works == 0 && !force)
        return cli_fail(CLI_INPUT, "noise would hide the answer: invite more, "
                                   "ask for less, or use --force");
    return CLI_OK;
}

static int post_task(const args *a, const char *json)
{
    http_service service = {0};
    http_answer answer = {0};
    http_call call = {.method = "POST",
                      .path = "/v1/tasks",
                      .type = "application/json",
                      .body = json,
                      .bytes = strlen(json)};
    if (!args_value(a, "server"))
        return CLI_OK;
    int code = http_open(&service, args_value(a, "server"),
                         args_value(a, "token-file"));
    if (!code)
        code = http_do(&service, &call, &answer);
    if (!code && answer.code != 200 && answer.code != 201)
        code = http_refused(&answer);
    http_answer_free(&answer);
    http_close(&service);
    return code;
}

static int create_main(const args *a)
{
    draft d = {0};
    output o = {0};
    kith_error err = {0};
    char *json = NULL, name[23];
    uint8_t id[16];
    int code = parse(&d, a);
    if (!code)
        code = output_open(&o, args_value(a, "output"));
    if (!code)
        code = cli_status(kith_task_text(&d.task, &d.local, d.dimension,
                                         &d.bounds.view, &json, id, &err),
                          &err);
    if (!code)
        code = heed_forecast(&d, json, args_value(a, "force") != NULL);
    if (!code)
        code = post_task(a, json);
    if (!code)
        fputs(json, o.file);
    code = output_save(&o, code);
    if (!code) {
        kith_task_name(id, name);
        cli_note("task: %s", name);
    }
    kith_text_free(json);
    bounds_free(&d.bounds);
    free(d.name_text);
    free(d.names);
    return code;
}

/* ---- serve --------------------------------------------------------------- */

static int serve_main(const args *a)
{
    char self[4096], path[4200], database[4200];
    const char *words[16] = {"kithd"};
    int n = 1;
    if (a->operand_count != 1)
        return cli_usage("which task file?");
    snprintf(database, sizeof database, "sqlite:%s",
             args_value(a, "database") ? args_value(a, "database")
                                       : "kithd.db");
    words[n++] = "--task";
    words[n++] = a->operands[0];
    words[n++] = "--database";
    words[n++] = database;
    if (args_value(a, "listen")) {
        words[n++] = "--listen";
        words[n++] = args_value(a, "listen");
    }
    if (args_value(a, "admin-listen")) {
        words[n++] = "--admin-listen";
        words[n++] = args_value(a, "admin-listen");
    }
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    char *folder = dirname(self);
    /* Beside this command, as installed; or in a build; or in PATH. */
    snprintf(path, sizeof path, "%s/kithd", folder);
    execv(path, (char *const *)(uintptr_t)words);
    snprintf(path, sizeof path, "%s/../kithd/kithd", folder);
    execv(path, (char *const *)(uintptr_t)words);
    execvp("kithd", (char *const *)(uintptr_t)words);
    return cli_fail(CLI_FAILED, "kithd was not found: install it");
}

/* ---- tables -------------------------------------------------------------- */

static const arg_option task_options[] = {
    {"clusters", 'k', "K", "number of centres (required)"},
    {"epsilon", 'e', "EPS", "privacy budget of a user (required)"},
    {"dimension", 0, "D", "number of features (required)"},
    {"invited", 0, "N", "users to be invited: prints a forecast"},
    {"method", 0, "M", "auto (default), one-round, weighted-centers or mean"},
    {"objective", 0, "O", "kmeans (default) or kmedian"},
    {"seed", 0, "N", "public coins (default: 0)"},
    {"minimum", 0, "N", "fewest reports of a group (default: 50)"},
};

static const arg_option life_options[] = {
    {"closes", 0, "TIME", "how long a round is open (default: 7d)"},
    {"close-at", 0, "F", "part of a group that closes it (default: 0.95)"},
    {"enrol", 0, "HOW", "invitation (default), backend or open"},
    {"release", 0, "HOW", "auto (default), or manual: publish each round"},
    {"keep-days", 0, "N",
     "reports are kept so long after the end "
     "(default: 30)"},
    {"test", 0, NULL, "a test: promises nothing, and devices refuse it"},
};

static const arg_option words_options[] = {
    {"title", 0, "TEXT", "what people see first"},
    {"purpose", 0, "TEXT", "what it is for"},
    {"operator", 0, "TEXT", "who asks"},
    {"contact", 0, "TEXT", "how to reach them"},
    {"names", 0, "A,B", "of the features (default: x1,x2)"},
};

static const arg_option place_options[] = {
    {"output", 'o', "FILE", "write the task file here"},
    {"force", 0, NULL, "even if the forecast says that it cannot work"},
    {"server", 0, "URL",
     "create it there: the operator's address of a "
     "service"},
    {"token-file", 0, "F", "a file with an operator's token"},
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const arg_group create_groups[] = {
    {"Task", task_options, COUNT(task_options)},
    {"Bounds (public; a box or a ball or both are required)", bounds_options,
     4},
    {"Life", life_options, COUNT(life_options)},
    {"Words", words_options, COUNT(words_options)},
    {"Output", place_options, COUNT(place_options)},
};

const arg_command local_create_command = {
    .name = "local create",
    .summary = "Write a task file, and publish it at a service.",
    .usage = "-k K -e EPS --dimension D BOUNDS [OPTION]...",
    .notes = "Example: kith local create -k 3 -e 2 --dimension 2 --bounds 0:1 "
             "-o task.json\n",
    .groups = create_groups,
    .group_count = COUNT(create_groups),
    .run = create_main,
};

static const arg_option serve_options[] = {
    {"database", 0, "F", "SQLite file (default: kithd.db)"},
    {"listen", 0, "A", "address for devices (default: 127.0.0.1:8080)"},
    {"admin-listen", 0, "A",
     "address for operators (default: "
     "127.0.0.1:8081)"},
};
static const arg_group serve_groups[] = {
    {"Service", serve_options, COUNT(serve_options)}};

const arg_command local_serve_command = {
    .name = "local serve",
    .summary = "Serve one task from this machine.",
    .usage = "TASK [OPTION]...",
    .notes = "Starts kithd, which prints both links and an operator's token.\n",
    .groups = serve_groups,
    .group_count = 1,
    .run = serve_main,
};
