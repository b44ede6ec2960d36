/* Flags, and a file of lines "name = value" with the flags' names; flags win.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server.h"

typedef enum { TEXT, NUMBER, SWITCH } kind;

static const struct {
    const char *name, *value, *help;
    kind kind;
    size_t at;
} options[] = {
    {"listen", "A", "where devices and people come (default: 127.0.0.1:8080)",
     TEXT, offsetof(config, listen)},
    {"admin-listen", "A", "where operators come (default: 127.0.0.1:8081)",
     TEXT, offsetof(config, admin_listen)},
    {"database", "D",
     "sqlite:FILE (default: sqlite:kithd.db) or "
     "postgresql://...",
     TEXT, offsetof(config, database)},
    {"operator-tokens", "F",
     "lines NAME SCOPES SHA256 (default: one token is "
     "made and printed)",
     TEXT, offsetof(config, operator_tokens)},
    {"tls-certificate", "F", "PEM; with --tls-key", TEXT,
     offsetof(config, tls_certificate)},
    {"tls-key", "F", "PEM", TEXT, offsetof(config, tls_key)},
    {"behind-proxy", "IP", "the proxy that may set X-Forwarded-For", TEXT,
     offsetof(config, behind_proxy)},
    {"origins", "LIST", "origins that may call the public routes (default: *)",
     TEXT, offsetof(config, origins)},
    {"threads", "N", "HTTP threads (default: all processors)", NUMBER,
     offsetof(config, threads)},
    {"connections", "N", "at once (default: 10000)", NUMBER,
     offsetof(config, connections)},
    {"connections-each", "N", "at once from one address (default: no limit)",
     NUMBER, offsetof(config, connections_each)},
    {"timeout", "S", "how long a silent connection is kept (default: 15)",
     NUMBER, offsetof(config, timeout)},
    {"poll-rate", "N",
     "looks a second that devices spread over (default: "
     "200)",
     NUMBER, offsetof(config, poll_rate)},
    {"spread", "S", "seconds over which devices spread reports (default: 10)",
     NUMBER, offsetof(config, spread)},
    {"disk-floor", "MB",
     "with less free beside an SQLite database no report is taken (default: "
     "64)",
     NUMBER, offsetof(config, disk_floor)},
    {"dedupe-mb", "MB",
     "a group, to tell duplicates early; beyond it they are found when the "
     "group is counted (default: 1024)",
     NUMBER, offsetof(config, dedupe_mb)},
    {"key-file", "F",
     "32 bytes that seal task keys in the database, for one that others can "
     "read",
     TEXT, offsetof(config, key_file)},
    {"log-requests", NULL, "a line for each request", SWITCH,
     offsetof(config, log_requests)},
    {"log-addresses", NULL, "with who sent it in that line", SWITCH,
     offsetof(config, log_addresses)},
    {"limit-loopback", NULL, "rate limits on loopback too, for tests", SWITCH,
     offsetof(config, limit_loopback)},
    {"demo", NULL, "make a small task to look at", SWITCH,
     offsetof(config, demo)},
    {"task", "F", "create this task at the start and print its links", TEXT,
     offsetof(config, task)},
    {"check", NULL, "say what the database holds, and stop", SWITCH,
     offsetof(config, check)},
    {"migrate", NULL, "bring the database up to date, and stop", SWITCH,
     offsetof(config, migrate)},
    {"backup", "F", "copy an SQLite database while it is used, and stop", TEXT,
     offsetof(config, backup)},
    {"new-token", "NAME:SCOPES",
     "print a token and its line for "
     "--operator-tokens, and stop; scopes: read,operate,enrol",
     TEXT, offsetof(config, new_token)},
};
enum { OPTIONS = sizeof options / sizeof *options };

static int find(const char *name)
{
    for (int i = 0; i < OPTIONS; i++)
        if (strcmp(options[i].name, name) == 0)
            return i;
    return -1;
}

static int set(config *c, int i, const char *value)
{
    char *at = (char *)c + options[i].at, *end;
    if (options[i].kind == TEXT) {
        memcpy(at, &value, sizeof value);
        return 1;
    }
    if (options[i].kind == SWITCH) {
        int on = strcmp(value, "no") != 0;
        memcpy(at, &on, sizeof on);
        return 1;
    }
    unsigned long n = strtoul(value, &end, 10);
    uint32_t number = (uint32_t)n;
    if (*end || end == value || n > 1000000)
        return 0;
    memcpy(at, &number, sizeof number);
    return 1;
}

static int usage_error(const char *what, const char *which)
{
    fprintf(stderr, "kithd: %s%s\nTry kithd --help.\n", what, which);
    return 2;
}

static void help(void)
{
    printf("Usage: kithd [OPTION]...\n"
           "Collect the reports of a local deployment: publish rounds, store "
           "what devices send,\ncount, publish the model. Without options: a "
           "demo on this machine.\n\n"
           "      --config F          lines \"name = value\" with these "
           "names; flags win\n");
    for (int i = 0; i < OPTIONS; i++)
        printf("      --%s%s%s\n            %s\n", options[i].name,
               options[i].value ? " " : "",
               options[i].value ? options[i].value : "", options[i].help);
    printf("      --help, --version\n\n"
           "SIGTERM drains and stops; SIGHUP reads tokens and certificate "
           "again. Exit "
           "status: 0, 1 failed,\n2 usage, 5 the database or a port cannot be "
           "used.\nManual: kithd(8).\n");
}

/* Words between spaces, in place. */
static char *trim(char *s)
{
    s += strspn(s, " \t\r");
    for (size_t n = strlen(s); n && strchr(" \t\r\n", s[n - 1]);)
        s[--n] = 0;
    return s;
}

static int read_file(config *c, const char *path)
{
    FILE *file = fopen(path, "r");
    enum { MOST = 1 << 16 };
    if (!file)
        return usage_error("the configuration cannot be read: ", path);
    c->text = calloc(1, MOST);
    size_t n = c->text ? fread(c->text, 1, MOST - 1, file) : 0;
    fclose(file);
    if (!n)
        return -1;
    for (char *line = c->text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        line = trim(line);
        if (!*line || *line == '#')
            continue;
        char *equals = strchr(line, '=');
        if (!equals)
            return usage_error("this line has no =: ", line);
        *equals = 0;
        char *name = trim(line);
        for (char *p = name; *p; p++)
            *p = *p == '_' ? '-' : *p;
        int i = find(name);
        if (i < 0 || !set(c, i, trim(equals + 1)))
            return usage_error("unknown, or a bad value, in the "
                               "configuration: ",
                               name);
    }
    return -1;
}

int config_read(config *c, int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *c = (config){.listen = "127.0.0.1:8080",
                  .admin_listen = "127.0.0.1:8081",
                  .database = "sqlite:kithd.db",
                  .origins = "*",
                  .threads = processors > 0 ? (uint32_t)processors : 1,
                  .connections = 10000,
                  .poll_rate = 200,
                  .spread = 10,
                  .timeout = 15,
                  .disk_floor = 64,
                  .dedupe_mb = 1024,
                  .demo = argc == 1};
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--config") == 0) {
            int code = read_file(c, argv[i + 1]);
            if (code >= 0)
                return code;
        }
    for (int i = 1; i < argc; i++) {
        const char *flag = argv[i];
        if (strcmp(flag, "--help") == 0) {
            help();
            return 0;
        }
        if (strcmp(flag, "--version") == 0) {
            printf("kithd %s\n", kith_version());
            return 0;
        }
        int which = strncmp(flag, "--", 2) == 0 ? find(flag + 2) : -1;
        if (strcmp(flag, "--config") == 0) {
            i++;
            continue;
        }
        if (which < 0)
            return usage_error("unknown option: ", flag);
        const char *value = "yes";
        if (options[which].value) {
            if (i + 1 == argc)
                return usage_error("a value is missing after ", flag);
            value = argv[++i];
        }
        if (!set(c, which, value))
            return usage_error("not a number from 0 to 1000000: ", value);
    }
    return -1;
}

void config_free(config *c)
{
    free(c->text);
}
