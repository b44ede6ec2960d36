/* What happened to the reports of `kith local respond`. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "responder.h"

double respond_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void respond_note_reason(responder *r, const char *name, uint64_t count)
{
    for (int i = 0; i < RESPOND_REASONS; i++)
        if (!r->reasons[i].count || strcmp(r->reasons[i].name, name) == 0) {
            snprintf(r->reasons[i].name, sizeof r->reasons[i].name, "%s", name);
            r->reasons[i].count += count;
            return;
        }
}

void respond_note_time(responder *r, double seconds)
{
    if (r->times && r->time_count < RESPOND_TIMES)
        r->times[r->time_count++] = (float)seconds;
}

int respond_try_again(const http_answer *a)
{
    return a->code == 0 || a->code == 408 || a->code == 429 || a->code >= 500;
}

static int compare_times(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

void respond_print(responder *r)
{
    uint64_t reports = r->stored + r->duplicates;
    printf("{\"stored\": %llu, \"duplicates\": %llu, \"refused\": %llu, "
           "\"retries\": %llu, \"seconds\": %.3f, \"reports_per_second\": "
           "%.0f",
           (unsigned long long)r->stored, (unsigned long long)r->duplicates,
           (unsigned long long)r->refused, (unsigned long long)r->failed_calls,
           r->sending, r->sending > 0 ? (double)reports / r->sending : 0);
    if (r->time_count) {
        qsort(r->times, r->time_count, sizeof *r->times, compare_times);
        printf(", \"p50_ms\": %.2f, \"p99_ms\": %.2f",
               1000 * (double)r->times[r->time_count / 2],
               1000 * (double)r->times[r->time_count * 99 / 100]);
    }
    printf(", \"reasons\": {");
    for (int i = 0; i < RESPOND_REASONS && r->reasons[i].count; i++)
        printf("%s\"%s\": %llu", i ? ", " : "", r->reasons[i].name,
               (unsigned long long)r->reasons[i].count);
    printf("}}\n");
}
