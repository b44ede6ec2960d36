/* Running a kith program as its users do: a file of rows in, files out. */
#include "audit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "centers.h"
#include "cli.h"

enum { NPY_HEADER = 128, NAME = 4096 };

/* SplitMix64 from the clock and the process: what the audit puts into its rows
 * is no secret, it only must have nothing to do with the program's coins. */
void audit_bits(unsigned char *bytes, size_t count)
{
    static uint64_t state;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct timespec t;
    pthread_mutex_lock(&lock);
    clock_gettime(CLOCK_REALTIME, &t);
    state ^= (uint64_t)t.tv_nsec << 32 ^ (uint64_t)t.tv_sec ^
             (uint64_t)getpid() << 20;
    for (size_t i = 0; i < count; i++) {
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        bytes[i] = (unsigned char)(z >> 40);
    }
    pthread_mutex_unlock(&lock);
}

void audit_empty(const audit_target *t)
{
    static const char *const names[] = {"rows.npy", "rows.csv", "c.npy",
                                        "m.json"};
    char path[2 * NAME];
    for (size_t i = 0; t->folder && i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", t->folder, names[i]);
        unlink(path);
    }
    if (t->folder)
        rmdir(t->folder);
}

int audit_write(const audit_target *t, const double *values, uint64_t rows,
                uint32_t dimension)
{
    char path[NAME];
    snprintf(path, sizeof path, "%s/rows.npy", t->folder);
    FILE *file = fopen(path, "w");
    if (!file)
        return cli_fail(CLI_FAILED, "%s: %s", path, strerror(errno));
    npy_write_header(file, rows, dimension);
    npy_write_values(file, values, (size_t)rows * dimension);
    int bad = ferror(file);
    bad |= fclose(file);
    return bad ? cli_fail(CLI_FAILED, "%s: not written", path) : CLI_OK;
}

int audit_write_people(const audit_target *t, const double *values,
                       uint64_t persons, uint64_t rows)
{
    char path[NAME];
    snprintf(path, sizeof path, "%s/rows.csv", t->folder);
    FILE *file = fopen(path, "w");
    if (!file)
        return cli_fail(CLI_FAILED, "%s: %s", path, strerror(errno));
    fputs("who,x\n", file);
    for (uint64_t i = 0; i < rows; i++)
        fprintf(file, "%llu,%.17g\n",
                (unsigned long long)(i < persons ? i : persons), values[i]);
    int bad = ferror(file);
    bad |= fclose(file);
    return bad ? cli_fail(CLI_FAILED, "%s: not written", path) : CLI_OK;
}

/* The arguments of a run; texts are the caller's. */
static void fill_arguments(const audit_target *t, char **argv,
                           char text[6][NAME], double epsilon)
{
    static char words[][16] = {"kmeans",   "-k",
                               "1",        "-e",
                               "--delta",  "--method",
                               "--radius", "--quiet",
                               "--force",  "--centers",
                               "-o",       "--threads",
                               "--rounds", "--user-column",
                               "who"};
    size_t n = 0;
    snprintf(text[0], NAME, "%.17g", epsilon);
    snprintf(text[1], NAME, "%.17g", t->delta);
    snprintf(text[2], NAME, "%s", t->method);
    snprintf(text[3], NAME, "%s/c.npy", t->folder);
    snprintf(text[4], NAME, "%s/m.json", t->folder);
    snprintf(text[5], NAME, "%s/rows.%s", t->folder, t->people ? "csv" : "npy");
    argv[n++] = (char *)t->program;
    argv[n++] = words[0];
    argv[n++] = words[1];
    argv[n++] = words[2];
    argv[n++] = words[3];
    argv[n++] = text[0];
    argv[n++] = words[4];
    argv[n++] = text[1];
    argv[n++] = words[5];
    argv[n++] = text[2];
    argv[n++] = words[6];
    argv[n++] = words[2]; /* radius 1 */
    argv[n++] = words[7];
    argv[n++] = words[8];
    argv[n++] = words[9];
    argv[n++] = text[3];
    argv[n++] = words[10];
    argv[n++] = text[4];
    argv[n++] = words[11];
    argv[n++] = words[2]; /* one thread */
    if (!strcmp(t->method, "lloyd")) {
        argv[n++] = words[12];
        argv[n++] = words[2]; /* one round: all of the budget in one answer */
    }
    if (t->people) {
        argv[n++] = words[13];
        argv[n++] = words[14];
    }
    argv[n++] = text[5];
    argv[n] = NULL;
}

static int start(const audit_target *t, double epsilon)
{
    char text[6][NAME];
    char *argv[32];
    fill_arguments(t, argv, text, epsilon);
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, 1);
        dup2(nothing, 2);
        execvp(t->program, argv);
        _exit(127);
    }
    int state = 0;
    if (child < 0 || waitpid(child, &state, 0) != child)
        return cli_fail(CLI_FAILED, "cannot start %s: %s", t->program,
                        strerror(errno));
    return WIFEXITED(state) && WEXITSTATUS(state) == 0
               ? CLI_OK
               : cli_fail(CLI_FAILED,
                          "%s kmeans --method %s failed on the audit's rows "
                          "(exit %d): try it by hand",
                          t->program, t->method,
                          WIFEXITED(state) ? WEXITSTATUS(state) : -1);
}

static double last_of(json_t *release, const char *key, const char *inner)
{
    json_t *value = json_object_get(release, key);
    return json_number_value(inner ? json_object_get(value, inner) : value);
}

static int read_view(const audit_target *t, audit_view *out)
{
    char path[NAME];
    snprintf(path, sizeof path, "%s/m.json", t->folder);
    json_t *model = json_load_file(path, 0, NULL);
    json_t *list =
               json_object_get(json_object_get(model, "privacy"), "releases"),
           *sizes = json_object_get(model, "weights");
    size_t count = json_array_size(list);
    json_t *last = count ? json_array_get(list, count - 1) : NULL;
    *out = (audit_view){json_number_value(json_array_get(sizes, 0)),
                        last_of(last, "sensitivity", "value"),
                        last_of(last, "scale", NULL)};
    int code =
        model ? CLI_OK
              : cli_fail(CLI_FAILED, "%s did not write its model", t->program);
    json_decref(model);
    return code;
}

int audit_run(const audit_target *t, double epsilon, uint32_t dimension,
              double *center, audit_view *view)
{
    char path[NAME];
    int code = start(t, epsilon);
    if (code)
        return code;
    snprintf(path, sizeof path, "%s/c.npy", t->folder);
    FILE *file = fopen(path, "r");
    int bad = !file || fseek(file, NPY_HEADER, SEEK_SET) ||
              fread(center, sizeof *center, dimension, file) != dimension;
    if (file)
        fclose(file);
    if (bad)
        return cli_fail(CLI_FAILED, "%s did not write its centres", t->program);
    return view ? read_view(t, view) : CLI_OK;
}
