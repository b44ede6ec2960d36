/* Adopting: a model that was published is booked after the fact (T7). */
#include "ledger_i.h"

#include <string.h>

#include "base/base_i.h"
#include "kith/version.h"

static kith_status check(const kith_adoption *a, kith_error *err)
{
    if (!a || !a->text || !a->guarantee || !kith_i_unit_word(a->unit))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "to adopt a model its text, its guarantee and its "
                           "unit are needed");
    if (strcmp(a->guarantee, "none") == 0)
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "a model without a guarantee has no price: no "
                           "budget covers it");
    return kith_i_name_check("run", a->run, err);
}

kith_status kith_ledger_adopt(kith_ledger *ledger, const char *account,
                              const kith_adoption *a, kith_error *err)
{
    char digest[KITH_I_HASH_TEXT], run[KITH_I_RUN_TEXT];
    kith_amounts price;
    kith_i_ticket ticket;
    kith_i_body body = {0};
    kith_status status = kith_i_ledger_check(ledger, account, err);
    if (!status)
        status = check(a, err);
    if (!status)
        status = kith_privacy_price(&a->privacy, a->convert, &price, err);
    if (status)
        return status;
    /* A model without a run is told by its bytes: booked once. */
    kith_i_text_digest(a->text, digest);
    memcpy(run, digest, sizeof run - 1);
    run[sizeof run - 1] = '\0';
    kith_i_posting posting = {.kind = KITH_I_POST_ADOPT,
                              .accounts = &account,
                              .count = 1,
                              .run = a->run ? a->run : run,
                              .unit = kith_i_unit_word(a->unit),
                              .adjacency =
                                  kith_i_neighbors_word(a->privacy.neighbors),
                              .spend = {price.pure, price.gauss}};
    kith_i_body_text(&body, "adjacency", posting.adjacency);
    kith_i_body_number(&body, "amount", price.pure ? price.pure : price.gauss);
    kith_i_body_real(&body, "delta", a->privacy.delta);
    kith_i_body_real(&body, "epsilon", a->privacy.epsilon);
    kith_i_body_text(&body, "guarantee", a->guarantee);
    kith_i_body_text(&body, "kind", "adopt");
    kith_i_body_text(&body, "model", digest);
    kith_i_body_text(&body, "purse", price.pure ? "pure" : "gauss");
    kith_i_body_text(&body, "run", posting.run);
    kith_i_body_text(&body, "unit", posting.unit);
    if (ledger->unsafe_fs)
        kith_i_body_number(&body, "unsafe_fs", 1);
    kith_i_body_text(&body, "version", KITH_VERSION);
    posting.body = kith_i_body_done(&body);
    status = kith_i_ledger_post(ledger, &posting, &a->privacy, &ticket, err);
    kith_i_free(body.text);
    return status;
}
