/* Lines of JSON on standard error. Never bodies, tags, nonces. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "server.h"

void log_event(const char *level, const char *what, ...)
{
    va_list list;
    struct timespec now;
    const char *name;
    clock_gettime(CLOCK_REALTIME, &now);
    json_t *line = json_pack("{s:f, s:s, s:s}", "at",
                             (double)now.tv_sec + (double)now.tv_nsec * 1e-9,
                             "level", level, "what", what);
    va_start(list, what);
    while ((name = va_arg(list, const char *)))
        json_object_set_new(line, name,
                            json_string(va_arg(list, const char *)));
    va_end(list);
    char *text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(13));
    if (text)
        fprintf(stderr, "%s\n", text);
    free(text);
    json_decref(line);
}
