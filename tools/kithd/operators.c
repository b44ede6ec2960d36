/* Operators: lines "NAME SCOPES SHA256" in a file, looked up by digest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

enum { TOKENS = 64 };

typedef struct {
    char digest[65];
    int scopes;
} token;

static token tokens[TOKENS];
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int tokens_parse_scopes(const char *words)
{
    static const char *const names[] = {"read", "operate", "enrol"};
    int scopes = 0;
    while (*words) {
        size_t n = strcspn(words, ",");
        int found = 0;
        for (int i = 0; i < 3; i++)
            if (strlen(names[i]) == n && strncmp(names[i], words, n) == 0)
                found = 1 << i;
        if (!found)
            return 0;
        scopes |= found;
        words += n + (words[n] == ',');
    }
    /* Who may operate may look. */
    return scopes & SCOPE_OPERATE ? scopes | SCOPE_READ : scopes;
}

void tokens_add(const char *name, int scopes, const char *digest)
{
    (void)name;
    pthread_mutex_lock(&lock);
    if (count < TOKENS) {
        snprintf(tokens[count].digest, sizeof tokens[count].digest, "%s",
                 digest);
        tokens[count++].scopes = scopes;
    }
    pthread_mutex_unlock(&lock);
}

int tokens_load(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512], name[128], scopes[128], digest[65];
    if (!file) {
        log_event("error", "tokens", "detail",
                  "the file of operator tokens cannot be read", NULL);
        return 0;
    }
    pthread_mutex_lock(&lock);
    count = 0;
    pthread_mutex_unlock(&lock);
    int fine = 1;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#' || line[strspn(line, " \t\r\n")] == 0)
            continue;
        int given = sscanf(line, "%127s %127s %64s", name, scopes, digest);
        int bits = given == 3 && strlen(digest) == 64
                       ? tokens_parse_scopes(scopes)
                       : 0;
        if (bits)
            tokens_add(name, bits, digest);
        else
            fine = 0;
    }
    fclose(file);
    if (!fine)
        log_event("error", "tokens", "detail",
                  "a line is not NAME SCOPES SHA256: kithd --new-token "
                  "NAME:SCOPES makes one",
                  NULL);
    return fine;
}

int tokens_scopes(const char *authorization)
{
    char digest[65];
    int scopes = 0;
    if (!authorization || strncmp(authorization, "Bearer ", 7) != 0)
        return 0;
    kith_collect_token_digest(authorization + 7, digest);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count; i++) {
        unsigned differ = 0; /* constant time, and all of them */
        for (int j = 0; j < 64; j++)
            differ |= (unsigned)(digest[j] ^ tokens[i].digest[j]);
        scopes |= differ ? 0 : tokens[i].scopes;
    }
    pthread_mutex_unlock(&lock);
    return scopes;
}
