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
    static const char *const names[] = {"rows.npy", "rows.csv", "rows.svm",
                                        "c.npy", "m.json"};
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

int audit_write_sparse(const audit_target *t, const uint64_t rows[3],
                       const double values[2])
{
    char path[NAME];
    snprintf(path, sizeof path, "%s/rows.svm", t->folder);
    FILE *file = fopen(path, "w");
    if (!file)
        return cli_fail(CLI_FAILED, "%s: %s", path, strerror(errno));
    for (int feature = 1; feature <= 2; feature++)
        for (uint64_t i = 0; i < rows[feature - 1]; i++)
            fprintf(file, "0 %d:%.17g\n", feature, values[feature - 1]);
    for (uint64_t i = 0; i < rows[2]; i++)
        fputs("0 1:1e300\n", file);
    int bad = ferror(file);
    bad |= fclose(file);
    return bad ? cli_fail(CLI_FAILED, "%s: not written", path) : CLI_OK;
}

/* The arguments of a run; texts are the caller's. */
static void fill_arguments(const audit_target *t, const char **argv,
                           char text[5][NAME], double epsilon)
{
    size_t n = 0;
    const char *rows = t->sparse ? "svm" : t->people ? "csv" : "npy";
    snprintf(text[0], NAME, "%.17g", epsilon);
    snprintf(text[1], NAME, "%.17g", t->delta);
    snprintf(text[2], NAME, "%s/c.npy", t->folder);
    snprintf(text[3], NAME, "%s/m.json", t->folder);
    snprintf(text[4], NAME, "%s/rows.%s", t->folder, rows);
    const char *always[] = {t->program, "kmeans",  "-k",        "1",
                            "-e",       text[0],   "--delta",   text[1],
                            "--method", t->method, "--radius",  "1",
                            "--quiet",  "--force", "--centers", text[2],
                            "-o",       text[3],   "--threads", "1"};
    for (; n < sizeof always / sizeof *always; n++)
        argv[n] = always[n];
    if (strcmp(t->method, "auto") != 0) {
        argv[n++] = "--rounds";
        argv[n++] = "1"; /* as much of the budget as can be in one answer */
    }
    if (t->sparse) {
        argv[n++] = "--dimension";
        argv[n++] = "2";
        argv[n++] = "--sparsity";
        argv[n++] = "1";
    }
    if (t->people) {
        argv[n++] = "--user-column";
        argv[n++] = "who";
    }
    argv[n++] = text[4];
    argv[n] = NULL;
}

static int start(const audit_target *t, double epsilon)
{
    char text[5][NAME];
    const char *argv[32];
    fill_arguments(t, argv, text, epsilon);
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, 1);
        dup2(nothing, 2);
        execvp(t->program, (char **)argv);
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

static int read_view(const audit_target *t, audit_view *out)
{
    char path[NAME];
    snprintf(path, sizeof path, "%s/m.json", t->folder);
    json_t *model = json_load_file(path, 0, NULL);
    if (!model)
        return cli_fail(CLI_FAILED, "%s did not write its model", t->program);
    audit_view_of(t, model, out);
    json_decref(model);
    return CLI_OK;
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
    return read_view(t, view);
}
