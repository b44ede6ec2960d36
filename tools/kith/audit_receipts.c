/* What a model claims, answer by answer.
 *
 * Every answer of a run has a receipt, and a receipt is a promise of its own:
 * whatever the answers before were, this one tells neighbouring data apart by
 * no more than its loss. So the losses of some of the answers add up like those
 * of all do, if the questions among them depend on each other's answers only.
 * A guess that is made from these answers alone is held against their sum. */
#include "audit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* With one cluster every row is nearest to its centre, whichever candidate that
 * is: nothing that a model shows depends on where balcan found candidates. */
static int hidden_by_one_cluster(const char *what)
{
    return !strncmp(what, "partition ", 10) || !strncmp(what, "swap ", 5);
}

static int is_judged(audit_judged judged, const char *what, int last)
{
    return judged == AUDIT_ALL || (judged == AUDIT_LAST && last) ||
           (judged == AUDIT_ONE_CLUSTER && !hidden_by_one_cluster(what));
}

static double number_at(json_t *object, const char *key, const char *inner)
{
    json_t *value = json_object_get(object, key);
    return json_number_value(inner ? json_object_get(value, inner) : value);
}

static audit_claim claim_of_receipts(const audit_target *t, json_t *receipts)
{
    audit_claim c = {0};
    size_t count = json_array_size(receipts);
    int gaussian = t->mu > 0;
    for (size_t i = 0; i < count; i++) {
        json_t *receipt = json_array_get(receipts, i);
        const char *what = json_string_value(json_object_get(receipt, "what"));
        double loss = number_at(receipt, "loss", gaussian ? "mu" : "epsilon"),
               add = gaussian ? loss * loss : loss;
        c.whole += add;
        if (is_judged(t->judged, what ? what : "", i + 1 == count))
            c.judged += add;
        snprintf(c.name, sizeof c.name, "%.90s", what ? what : "");
    }
    if (gaussian) {
        c.whole = sqrt(c.whole);
        c.judged = sqrt(c.judged);
    }
    return c;
}

double audit_claim_within(const audit_claim *claim, double promise)
{
    return claim->whole > promise ? claim->judged * (promise / claim->whole)
                                  : claim->judged;
}

void audit_view_of(const audit_target *t, json_t *model, audit_view *out)
{
    json_t *privacy = json_object_get(model, "privacy"),
           *receipts = json_object_get(privacy, "releases"),
           *sizes = json_object_get(model, "weights");
    size_t count = json_array_size(receipts);
    json_t *last = count ? json_array_get(receipts, count - 1) : NULL,
           *before = count > 1 ? json_array_get(receipts, count - 2) : NULL;
    *out = (audit_view){.size = json_number_value(json_array_get(sizes, 0)),
                        .reach = number_at(last, "sensitivity", "value"),
                        .scale = number_at(last, "scale", NULL),
                        .scale_before = number_at(before, "scale", NULL),
                        .claim = claim_of_receipts(t, receipts)};
}
