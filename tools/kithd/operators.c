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

typedef struct {
    token tokens[TOKENS];
    int count;
} table;

static table known;
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

static void add_to(table *t, int scopes, const char *digest)
{
    if (t->count == TOKENS)
        return;
    snprintf(t->tokens[t->count].digest, sizeof t->tokens[t->count].digest,
             "%s", digest);
    t->tokens[t->count++].scopes = scopes;
}

void tokens_add(int scopes, const char *digest)
{
    pthread_mutex_lock(&lock);
    add_to(&known, scopes, digest);
    pthread_mutex_unlock(&lock);
}

/* NULL, or what is wrong with the file. */
static const char *read_tokens(FILE *file, table *t)
{
    char line[512], name[128], scopes[128], digest[65];
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#' || line[strspn(line, " \t\r\n")] == 0)
            continue;
        int given = sscanf(line, "%127s %127s %64s", name, scopes, digest);
        int bits = given == 3 && strlen(digest) == 64
                       ? tokens_parse_scopes(scopes)
                       : 0;
        if (!bits)
            return "a line of the file of operator tokens is not NAME SCOPES "
                   "SHA256: kithd --new-token NAME:SCOPES makes one";
        if (t->count == TOKENS)
            return "the file of operator tokens has more than 64 lines";
        add_to(t, bits, digest);
    }
    return NULL;
}

int tokens_load(const char *path)
{
    FILE *file = fopen(path, "r");
    table fresh = {.count = 0};
    const char *wrong = file ? read_tokens(file, &fresh)
                             : "the file of operator tokens cannot be read";
    if (file)
        fclose(file);
    if (wrong) {
        log_event("error", "tokens", "detail", wrong, NULL);
        return 0;
    }
    pthread_mutex_lock(&lock);
    known = fresh;
    pthread_mutex_unlock(&lock);
    return 1;
}

int tokens_scopes(const char *authorization)
{
    char digest[65];
    int scopes = 0;
    if (!authorization || strncmp(authorization, "Bearer ", 7) != 0)
        return 0;
    kith_collect_token_digest(authorization + 7, digest);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < known.count; i++) {
        unsigned differ = 0; /* constant time, and all of them */
        for (int j = 0; j < 64; j++)
            differ |= (unsigned)(digest[j] ^ known.tokens[i].digest[j]);
        scopes |= differ ? 0 : known.tokens[i].scopes;
    }
    pthread_mutex_unlock(&lock);
    return scopes;
}
