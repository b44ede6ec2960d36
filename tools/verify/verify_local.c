/* A local run: who is asked alone pays once; what everybody is asked adds
 * up. */
#include <string.h>

#include "verify_i.h"

typedef struct group {
    double share, loss[2]; /* epsilon, delta */
} group;

static int is_known(const char *mechanism)
{
    static const char *const known[] = {"krr", "olh", "hadamard", "codebook",
                                        "gaussian"};
    for (size_t i = 0; mechanism && i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i], mechanism))
            return 1;
    return 0;
}

static int read_group(finding *f, const char *where, const json_t *json,
                      group *out)
{
    const json_t *loss = json_object_get(json, "loss");
    const json_t *delta = json_object_get(loss, "delta");
    if (!json_is_object(loss))
        return verify_bad(f, where, "it lacks a loss"), 0;
    if (!is_known(json_string_value(json_object_get(json, "mechanism"))))
        return verify_strange(f, where, "its mechanism is not known"), 0;
    out->loss[1] = 0;
    if (!verify_number(json_object_get(json, "share"), 0, 1e60, &out->share) ||
        !verify_usual(json_object_get(loss, "epsilon"), &out->loss[0]) ||
        (delta && !verify_number(delta, 0, 1, &out->loss[1])))
        return verify_bad(f, where, "share and loss must be numbers"), 0;
    if (out->share > 1)
        return verify_bad(f, where, "more than all users answer"), 0;
    return 1;
}

void verify_local(finding *f, const json_t *releases)
{
    exact_sum worst[2] = {{.count = 0}, {.count = 0}};
    double shares = 0, largest[2] = {0, 0};
    for (size_t i = 0; i < json_array_size(releases); i++) {
        char where[40];
        group g;
        snprintf(where, sizeof where, "release %zu", i + 1);
        if (!read_group(f, where, json_array_get(releases, i), &g))
            continue;
        shares += g.share < 1 ? g.share : 0;
        for (int j = 0; j < 2; j++)
            if (g.share >= 1)
                exact_add(&worst[j], g.loss[j]);
            else if (g.loss[j] > largest[j])
                largest[j] = g.loss[j];
    }
    if (shares > 1 + 1e-9)
        verify_bad(f, "releases",
                   "the groups of users add up to more than all");
    for (int j = 0; j < 2; j++)
        exact_add(&worst[j], largest[j]);
    f->has_recomputed = 1;
    f->releases = json_array_size(releases);
    f->currency = "epsilon";
    f->spent = exact_value(&worst[0]);
    f->allowed = f->epsilon;
    f->recomputed_delta = exact_value(&worst[1]);
    exact_add(&worst[0], -f->epsilon);
    exact_add(&worst[1], -f->delta);
    if (exact_sign(&worst[0]) > 0)
        verify_bad(f, "releases", "a user can lose more than epsilon");
    if (exact_sign(&worst[1]) > 0)
        verify_bad(f, "releases", "a user can lose more than delta");
}
