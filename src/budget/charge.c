/* Charging a ledger for a run: what it costs, in which purse, the text of the
 * entry, and the block that says which entries paid. */
#include "ledger_i.h"

#include <stdlib.h>
#include <string.h>

#include "base/base_i.h"
#include "kith/version.h"

/* ---- prices ---- */

/* A pure run is paid from the pure purse (T17); converted it is a Gaussian
 * amount, rounded up. */
static kith_status price(const kith_privacy *privacy, int convert,
                         kith_i_purses *out, kith_error *err)
{
    kith_measure measure;
    kith_i_loss total;
    kith_status status = kith_i_privacy_total(privacy, &measure, &total, err);
    if (status)
        return status;
    *out = (kith_i_purses){0, 0};
    if (measure == KITH_PURE_DP && !convert)
        out->pure = total;
    else
        out->gauss =
            measure == KITH_PURE_DP ? kith_i_pure_as_gaussian(total) : total;
    if (out->pure > KITH_I_PURSE_MAX || out->gauss > KITH_I_PURSE_MAX)
        return kith_i_fail(err, KITH_ERR_BUDGET,
                           "no account can hold such a run: lower epsilon");
    return KITH_OK;
}

kith_status kith_privacy_price(const kith_privacy *privacy, int convert,
                               kith_amounts *out, kith_error *err)
{
    kith_i_purses found;
    if (!privacy || !out)
        return kith_i_fail_place(err);
    kith_status status = price(privacy, convert, &found, err);
    if (!status)
        *out = (kith_amounts){found.pure, found.gauss};
    return status;
}

double kith_amounts_epsilon(kith_amounts amounts, double delta)
{
    return kith_i_purses_epsilon((kith_i_purses){amounts.pure, amounts.gauss},
                                 delta);
}

double kith_amounts_fits(kith_amounts left, double delta, uint64_t runs)
{
    return runs == 0 ? 0
                     : kith_i_purse_fits(
                           (delta > 0 ? left.gauss : left.pure) / runs, delta);
}

double kith_amounts_fits_converted(kith_amounts left, uint64_t runs)
{
    return runs == 0 ? 0 : kith_i_purse_fits_converted(left.gauss / runs);
}

/* ---- accounts in order ---- */

static int by_name(const void *p, const void *q)
{
    return strcmp(*(const char *const *)p, *(const char *const *)q);
}

/* All accounts of the charge in order of name (T12: locks are taken in it). */
static kith_status gather(const kith_ledger *ledger,
                          const kith_i_charge *charge, const char **out,
                          size_t *count, kith_error *err)
{
    size_t n = charge->account_count + (charge->account != NULL);
    if (n == 0 || n > KITH_I_MAX_ACCOUNTS ||
        (charge->account_count && !charge->accounts))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a ledger needs an account to charge, and at most "
                           "%d in one step",
                           KITH_I_MAX_ACCOUNTS);
    for (size_t i = 0; i < charge->account_count; i++)
        out[i] = charge->accounts[i];
    if (charge->account)
        out[n - 1] = charge->account;
    for (size_t i = 0; i < n; i++) {
        kith_status status = kith_i_ledger_check(ledger, out[i], err);
        if (status)
            return status;
    }
    qsort(out, n, sizeof *out, by_name);
    for (size_t i = 1; i < n; i++)
        if (!strcmp(out[i - 1], out[i]))
            return kith_i_fail(err, KITH_ERR_ARGUMENT,
                               "account '%.100s' is named twice: once is "
                               "enough",
                               out[i]);
    *count = n;
    return KITH_OK;
}

/* ---- the block ---- */

/* Room for the block, its entries and all texts, one after another. */
static kith_charge *charge_block(const char *ledger, const char *run,
                                 size_t count, size_t names, char **text)
{
    size_t head = sizeof(kith_charge) + count * sizeof(kith_charge_entry);
    size_t room =
        strlen(ledger) + strlen(run) + 2 + names + count * KITH_I_HASH_TEXT;
    kith_charge *block = kith_i_alloc(head + room, 1);
    if (!block)
        return NULL;
    block->count = count;
    block->entries = (const kith_charge_entry *)(block + 1);
    *text = (char *)block + head;
    return block;
}

static const char *keep(char **text, const char *value)
{
    size_t n = strlen(value) + 1;
    char *at = *text;
    memcpy(at, value, n);
    *text += n;
    return at;
}

kith_charge *kith_i_charge_copy(const kith_charge *charge)
{
    size_t names = 0;
    char *text;
    for (size_t i = 0; i < charge->count; i++)
        names += strlen(charge->entries[i].account) + 1;
    kith_charge *copy =
        charge_block(charge->ledger, charge->run, charge->count, names, &text);
    if (!copy)
        return NULL;
    kith_charge_entry *entries = (kith_charge_entry *)(copy + 1);
    copy->ledger = keep(&text, charge->ledger);
    copy->run = keep(&text, charge->run);
    for (size_t i = 0; i < charge->count; i++)
        entries[i] = (kith_charge_entry){
            .account = keep(&text, charge->entries[i].account),
            .entry = charge->entries[i].entry,
            .hash = keep(&text, charge->entries[i].hash)};
    return copy;
}

/* ---- charging ---- */

/* The word of a line "guarantee=WORD" of the parameters (T6); NULL: none. */
static const char *promised_word(const char *parameters)
{
    static const char *const words[] = {"exact", "asymptotic"};
    static const char key[] = "guarantee=";
    for (const char *at = parameters; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, key, sizeof key - 1) != 0)
            continue;
        at += sizeof key - 1;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strcspn(at, "\n") == strlen(words[i]) &&
                !strncmp(at, words[i], strlen(words[i])))
                return words[i];
    }
    return NULL;
}

static char *charge_body(const kith_ledger *ledger, const kith_i_charge *c,
                         const kith_i_posting *posting, kith_i_body *body)
{
    char digest[KITH_I_HASH_TEXT];
    if (c->parameters)
        kith_i_text_digest(c->parameters, digest);
    int pure = posting->spend.pure > 0;
    kith_i_body_text(body, "adjacency", posting->adjacency);
    kith_i_body_number(body, "amount",
                       pure ? posting->spend.pure : posting->spend.gauss);
    kith_i_body_text(body, "analyst", posting->analyst);
    kith_i_body_real(body, "delta", c->privacy.delta);
    kith_i_body_real(body, "epsilon", c->privacy.epsilon);
    kith_i_body_text(body, "guarantee", promised_word(c->parameters));
    kith_i_body_text(body, "kind", "charge");
    kith_i_body_text(body, "once", posting->once);
    kith_i_body_text(body, "parameters", c->parameters ? digest : NULL);
    kith_i_body_text(body, "purpose", posting->purpose);
    kith_i_body_text(body, "purse", pure ? "pure" : "gauss");
    kith_i_body_text(body, "run", posting->run);
    kith_i_body_text(body, "unit", posting->unit);
    if (ledger->unsafe_fs)
        kith_i_body_number(body, "unsafe_fs", 1);
    kith_i_body_text(body, "version", KITH_VERSION);
    return kith_i_body_done(body);
}

static kith_status check_charge(const kith_ledger *ledger,
                                const kith_i_charge *charge, kith_error *err)
{
    if (!charge || !charge->run || !*charge->run)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "no charge, or none with a run id, was given");
    if (!ledger)
        return kith_i_ledger_check(ledger, "-", err);
    if (!kith_i_unit_word(charge->unit))
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a charge must say whom it is about: row or user");
    if (ledger->login && charge->analyst &&
        strcmp(ledger->login, charge->analyst) != 0)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "this ledger knows the analyst: it is '%.100s', "
                           "who logged in; leave the analyst out",
                           ledger->login);
    kith_status status = kith_i_name_check("analyst", charge->analyst, err);
    if (!status)
        status = kith_i_name_check("purpose", charge->purpose, err);
    return status ? status : kith_i_name_check("once", charge->once, err);
}

kith_status kith_i_ledger_charge(kith_ledger *ledger,
                                 const kith_i_charge *charge, kith_charge **out,
                                 kith_error *err)
{
    const char *accounts[KITH_I_MAX_ACCOUNTS];
    kith_i_ticket tickets[KITH_I_MAX_ACCOUNTS];
    kith_i_posting posting = {.kind = KITH_I_POST_CHARGE, .accounts = accounts};
    kith_i_body body = {0};
    *out = NULL;
    kith_status status = check_charge(ledger, charge, err);
    if (!status)
        status = gather(ledger, charge, accounts, &posting.count, err);
    if (!status)
        status = price(&charge->privacy, charge->convert, &posting.spend, err);
    if (status)
        return status;
    posting.run = charge->run;
    posting.once = charge->once;
    posting.unit = kith_i_unit_word(charge->unit);
    posting.adjacency = kith_i_neighbors_word(charge->privacy.neighbors);
    posting.analyst = ledger->login ? ledger->login : charge->analyst;
    posting.purpose = charge->purpose;
    /* Memory for the answer first: what is charged must be known. */
    kith_charge_entry entries[KITH_I_MAX_ACCOUNTS];
    for (size_t i = 0; i < posting.count; i++) {
        memset(tickets[i].hash, '0', KITH_I_HASH_TEXT - 1);
        tickets[i].hash[KITH_I_HASH_TEXT - 1] = '\0';
        entries[i] = (kith_charge_entry){accounts[i], 0, tickets[i].hash};
    }
    kith_charge found = {ledger->id, charge->run, posting.count, entries};
    kith_charge *block = kith_i_charge_copy(&found);
    if (!block)
        return kith_i_fail_memory(err);
    posting.body = charge_body(ledger, charge, &posting, &body);
    status =
        kith_i_ledger_post(ledger, &posting, &charge->privacy, tickets, err);
    kith_i_free(body.text);
    if (status) {
        kith_i_free(block);
        return status;
    }
    kith_charge_entry *kept = (kith_charge_entry *)(block + 1);
    for (size_t i = 0; i < posting.count; i++) {
        kept[i].entry = tickets[i].seq;
        memcpy((char *)(uintptr_t)kept[i].hash, tickets[i].hash,
               KITH_I_HASH_TEXT);
    }
    *out = block;
    return KITH_OK;
}
