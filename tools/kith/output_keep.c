/* Published files stay: what may be replaced, by whom; see output.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "output.h"

static int is_file(const char *path)
{
    struct stat st;
    return path && strcmp(path, "-") != 0 && !stat(path, &st) &&
           S_ISREG(st.st_mode);
}

/* JSON, if it starts like an object; NULL: it is none. */
static json_t *load(const char *path)
{
    FILE *file = fopen(path, "r");
    int first = file ? fgetc(file) : EOF;
    while (first == ' ' || first == '\n' || first == '\r' || first == '\t')
        first = fgetc(file);
    if (file)
        fclose(file);
    return first == '{' ? json_load_file(path, 0, NULL) : NULL;
}

/* What --dry-run and `kith local plan` write: nothing was spent on it. */
static int is_plan(const char *path)
{
    json_t *json = load(path);
    int plan = json_is_true(json_object_get(json, "dry_run")) ||
               json_is_true(json_object_get(json, "plan"));
    json_decref(json);
    return plan;
}

/* Models and receipts of bounds. */
static int is_model(const char *path)
{
    json_t *json = load(path);
    int model = json_is_integer(json_object_get(json, "kith"));
    json_decref(json);
    return model;
}

/* Of minisign: signatures and keys. */
static int is_signature(const char *path)
{
    static const char start[] = "untrusted comment:";
    char line[sizeof start] = "";
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    int same = fgets(line, sizeof line, file) && !strcmp(line, start);
    fclose(file);
    return same;
}

int output_check_kept(const char *path)
{
    if (!is_file(path))
        return CLI_OK;
    const char *what = is_model(path)       ? "is a kith model"
                       : is_signature(path) ? "is a signature or a key"
                                            : NULL;
    return what ? cli_usage("%s %s and is kept: this command does not replace "
                            "it; choose another name",
                            path, what)
                : CLI_OK;
}

int output_check_new(const char *path, int force)
{
    if (force || !is_file(path) || is_plan(path))
        return CLI_OK;
    return cli_usage("%s exists and is kept: a run costs budget, so its result "
                     "is not replaced by accident; choose another name, or say "
                     "--force",
                     path);
}

int output_check_signature(const char *path, int force)
{
    char *name = NULL;
    if (asprintf(&name, "%s.minisig", path) < 0)
        return cli_no_memory();
    int kept = !force && is_file(name);
    int code = kept ? cli_usage("%s exists and is kept: others may rely on "
                                "that signature; move it away, or say --force",
                                name)
                    : CLI_OK;
    free(name);
    return code;
}

void output_drop_signature(const char *path)
{
    char *name = NULL;
    if (!is_file(path) || asprintf(&name, "%s.minisig", path) < 0)
        return;
    if (is_file(name) && is_signature(name) && !unlink(name))
        cli_note("%s was removed: it was a signature of the file that was "
                 "replaced",
                 name);
    free(name);
}

const char *output_of_plan(const char *path)
{
    if (!is_file(path) || is_plan(path))
        return path;
    cli_note("%s exists and is kept: the plan goes to standard output", path);
    return NULL;
}
