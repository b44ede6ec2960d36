/* /metrics: what the library counts, and what HTTP adds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

void metrics_run(request *r)
{
    server *s = r->server;
    char *text = NULL, *all = NULL;
    size_t size = 0;
    int scopes = tokens_scopes(request_header(r, "Authorization"));
    if (!(scopes & SCOPE_READ)) {
        answer_problem(r, 0, scopes ? "wrong_scope" : "token_needed", NULL);
        return;
    }
    FILE *page = open_memstream(&all, &size);
    if (!page || kith_collect_metrics(s->collect, &text)) {
        if (page)
            fclose(page);
        free(all);
        answer_problem(r, 0, "failed", NULL);
        return;
    }
    fputs(text, page);
    kith_text_free(text);
    for (int i = 0; i < ROUTES; i++) {
        if (!atomic_load(&s->seen[i]))
            continue;
        for (int k = 1; k < 6; k++)
            if (atomic_load(&s->codes[i][k]))
                fprintf(page,
                        "kith_http_requests_total{route=\"%s\",code=\"%dxx\"} "
                        "%llu\n",
                        route_name((route)i), k,
                        (unsigned long long)atomic_load(&s->codes[i][k]));
        fprintf(page,
                "kith_http_seconds_sum{route=\"%s\"} %.6f\n"
                "kith_http_seconds_count{route=\"%s\"} %llu\n",
                route_name((route)i),
                (double)atomic_load(&s->nanoseconds[i]) * 1e-9,
                route_name((route)i),
                (unsigned long long)atomic_load(&s->seen[i]));
    }
    fprintf(page, "kith_waiting_connections %d\n", atomic_load(&s->waiting));
    fclose(page);
    r->code = 200;
    r->type = "text/plain; version=0.0.4";
    r->answer = all;
    r->answer_count = size;
    atomic_store(&r->state, REQUEST_READY);
}
