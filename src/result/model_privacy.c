/* The guarantee of a central run and the receipts that add up to it. */
#include <math.h>
#include <string.h>

#include "json_text.h"
#include "model_i.h"
#include "result_i.h"

static int is_smooth(const kith_receipt *receipt)
{
    return !strcmp(receipt->mechanism, "smooth-sensitivity");
}

double kith_result_total_loss(const kith_result *result)
{
    double sum = 0;
    int gaussian = 0;
    for (size_t i = 0; result && i < result->receipt_count; i++) {
        const kith_receipt *receipt = &result->receipts[i];
        if (is_smooth(receipt))
            return (double)NAN;
        gaussian = receipt->measure == KITH_GAUSSIAN_DP;
        sum += gaussian ? receipt->loss * receipt->loss : receipt->loss;
    }
    return gaussian ? sqrt(sum) : sum;
}

/* The scale of smooth sensitivity depends on the rows: it stays secret. */
static json_t *receipt_json(const kith_receipt *receipt, const kith_privacy *p)
{
    if (is_smooth(receipt))
        return json_pack("{s:s, s:s, s:{s:s, s:f}, s:n, s:{s:f, s:f}}", "what",
                         receipt->what, "mechanism", receipt->mechanism,
                         "sensitivity", "norm", receipt->norm, "value",
                         receipt->sensitivity, "scale", "loss", "epsilon",
                         p->epsilon, "delta", p->delta);
    return json_pack(
        "{s:s, s:s, s:{s:s, s:f}, s:f, s:{s:f}}", "what", receipt->what,
        "mechanism", receipt->mechanism, "sensitivity", "norm", receipt->norm,
        "value", receipt->sensitivity, "scale", receipt->scale, "loss",
        receipt->measure == KITH_PURE_DP ? "epsilon" : "mu", receipt->loss);
}

static json_t *receipts_json(const kith_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < result->receipt_count; i++)
        if (json_array_append_new(
                list, receipt_json(&result->receipts[i], &result->privacy))) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

/* The entry that paid, and those in other accounts. */
static json_t *charge_json(const kith_charge *charge)
{
    const kith_charge_entry *first = charge->entries;
    json_t *ledger =
        json_pack("{s:s, s:s, s:s, s:I, s:s}", "id", charge->ledger, "run",
                  charge->run, "account", first->account, "entry",
                  (json_int_t)first->entry, "hash", first->hash);
    if (charge->count == 1)
        return ledger;
    int bad = !ledger;
    json_t *also = json_array();
    for (size_t i = 1; also && i < charge->count; i++) {
        const kith_charge_entry *e = &charge->entries[i];
        bad |= json_array_append_new(
            also, json_pack("{s:s, s:I, s:s}", "account", e->account, "entry",
                            (json_int_t)e->entry, "hash", e->hash));
    }
    kith_i_json_put(ledger, "also", also, &bad);
    return kith_i_json_done(ledger, bad);
}

static const char ASYMPTOTIC[] =
    "Drawn by a sampler that reaches its law in the limit only (a Markov "
    "chain, in floating point): epsilon holds in that limit, and no test can "
    "tell how close this run came to it.";

static const char SMOOTH[] =
    "The loss of smooth-sensitivity is an (epsilon, delta) that covers the "
    "other releases of this run too; it is not a mu and does not add up as "
    "one.";

json_t *kith_i_model_privacy(const kith_result *result, const kith_run *run)
{
    if (kith_i_run_is_plain(run))
        return json_pack("{s:s, s:s, s:[]}", "model", "none", "guarantee",
                         "none", "releases");
    const kith_privacy *p = &result->privacy;
    json_t *privacy = json_pack("{s:s, s:f, s:f}", "model", "central",
                                "epsilon", p->epsilon, "delta", p->delta);
    double mu;
    int bad = !privacy, adds_up = !isnan(kith_result_total_loss(result));
    if (p->delta > 0 && adds_up &&
        kith_privacy_mu(p->epsilon, p->delta, &mu, NULL) == KITH_OK)
        kith_i_json_put(privacy, "mu", json_real(mu), &bad);
    /* A seeded run guarantees nothing, whatever the result should say. */
    const char *guarantee = run->insecure ? "none" : result->guarantee;
    const char *adjacency =
        kith_word_of(KITH_WORDS_ADJACENCY, (int)p->neighbors);
    kith_i_json_put(privacy, "adjacency", json_string(adjacency), &bad);
    kith_i_json_put(
        privacy, "unit",
        json_string(result->unit == KITH_UNIT_USER ? "user" : "row"), &bad);
    if (result->group > 1)
        kith_i_json_put(privacy, "rows_per_user", json_integer(result->group),
                        &bad);
    kith_i_json_put(privacy, "guarantee", json_string(guarantee), &bad);
    if (result->charge)
        kith_i_json_put(privacy, "ledger", charge_json(result->charge), &bad);
    else if (run->uncounted)
        kith_i_json_put(privacy, "ledger", json_string("none"), &bad);
    if (run->bought)
        kith_i_json_put(privacy, "bounds", kith_i_model_bought(run, p), &bad);
    kith_i_json_put(privacy, "releases", receipts_json(result), &bad);
    if (!strcmp(guarantee, "asymptotic"))
        kith_i_json_put(privacy, "note", json_string(ASYMPTOTIC), &bad);
    else if (!adds_up)
        kith_i_json_put(privacy, "note", json_string(SMOOTH), &bad);
    return kith_i_json_done(privacy, bad);
}
