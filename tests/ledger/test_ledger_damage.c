/* T29: a ledger's file that was damaged or changed. Bits are flipped at random
 * (KITH_LEDGER_FLIPS of them, 400; `make ledger-faults`: 2,000), files are cut.
 * Either the ledger is what it was, to the last entry, limit and key that is
 * taken, or a statement says what is wrong; and then nothing is charged. */
#include "ledger_bed.h"

#include <sys/stat.h>

static char good[128], bad[128], uri[160];
static unsigned char *bytes;
static size_t size;

static void write_bad(size_t count)
{
    FILE *f = fopen(bad, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, count, f), count);
    fclose(f);
    chmod(bad, 0600);
}

/* All that a statement has, as one text; NULL: something is wrong with it. */
static char *told(kith_ledger *ledger)
{
    kith_statement *s = NULL;
    char *text = NULL;
    size_t length;
    if (kith_ledger_statement(ledger, "a", &s, NULL))
        return NULL;
    const kith_account_view *a = kith_statement_account(s);
    if (a->problem) {
        kith_statement_free(s);
        return NULL;
    }
    FILE *f = open_memstream(&text, &length);
    fprintf(f, "%s %s %d %llu %llu %llu %llu %s\n", a->name, a->dataset,
            (int)a->unit, (unsigned long long)a->limit.pure,
            (unsigned long long)a->limit.gauss,
            (unsigned long long)a->spent.pure,
            (unsigned long long)a->spent.gauss, kith_ledger_id(ledger));
    const kith_entry_view *e;
    for (size_t i = 0; (e = kith_statement_entry(s, i)); i++)
        fprintf(f, "%d %s %s %s %s %s\n", (int)e->number, e->kind, e->at,
                e->run, e->body, e->hash);
    const kith_sublimit_view *l;
    for (size_t i = 0; (l = kith_statement_sublimit(s, i)); i++)
        fprintf(f, "%s %s %llu %llu\n", l->kind, l->key,
                (unsigned long long)l->limit.pure,
                (unsigned long long)l->spent.pure);
    fclose(f);
    kith_statement_free(s);
    return text;
}

static kith_status charge_key(kith_ledger *ledger, const char *key,
                              const char *purpose)
{
    kith_i_charge c = {.account = "a",
                       .privacy = {0x1p-10, 0, KITH_ADD_REMOVE},
                       .once = key,
                       .purpose = purpose};
    return bed_charge_as(ledger, &c, NULL);
}

static void make_good(void)
{
    kith_ledger *ledger = NULL;
    kith_limit_change demo = {.purpose = "demo", .epsilon = .25};
    char key[16];
    snprintf(good, sizeof good, "%s/good.db", bed_folder);
    snprintf(bad, sizeof bad, "%s/bad.db", bed_folder);
    snprintf(uri, sizeof uri, "sqlite:%s", good);
    assert_int_equal(kith_ledger_open(uri, KITH_LEDGER_NEW, &ledger, NULL),
                     KITH_OK);
    assert_int_equal(kith_ledger_grant(ledger, "a", &pure_one, NULL), KITH_OK);
    assert_int_equal(kith_ledger_limit(ledger, "a", &demo, NULL), KITH_OK);
    for (int i = 0; i < 20; i++) {
        snprintf(key, sizeof key, "day %d", i);
        assert_int_equal(charge_key(ledger, key, i % 3 ? NULL : "demo"),
                         KITH_OK);
    }
    kith_ledger_free(ledger);
    struct stat s;
    assert_int_equal(stat(good, &s), 0);
    size = (size_t)s.st_size;
    bytes = malloc(size);
    FILE *f = fopen(good, "rb");
    assert_non_null(f);
    assert_int_equal(fread(bytes, 1, size, f), size);
    fclose(f);
    snprintf(uri, sizeof uri, "sqlite:%s", bad);
}

/* What became of the damaged ledger: 0 nothing, 1 found out. Fails if neither.
 */
static int fate(const char *whole, const char *what, size_t where)
{
    kith_ledger *ledger = NULL;
    int found = 1;
    if (kith_ledger_open(uri, 0, &ledger, NULL))
        return 1;
    char *text = told(ledger);
    if (text) {
        if (strcmp(text, whole) != 0)
            fail_msg("%s at %zu: another ledger, without a word\n%s", what,
                     where, text);
        /* every key is still taken */
        for (int i = 0; i < 20; i++) {
            char key[16];
            snprintf(key, sizeof key, "day %d", i);
            kith_status status = charge_key(ledger, key, NULL);
            if (status != KITH_ERR_BUDGET && status != KITH_ERR_STORE)
                fail_msg("%s at %zu: key %d was taken twice", what, where, i);
        }
        found = 0;
    } else if (charge_key(ledger, NULL, NULL) == KITH_OK) {
        fail_msg("%s at %zu: known to be wrong, and charged all the same", what,
                 where);
    }
    free(text);
    kith_ledger_free(ledger);
    return found;
}

static char *whole_text(void)
{
    kith_ledger *ledger = NULL;
    write_bad(size);
    assert_int_equal(kith_ledger_open(uri, 0, &ledger, NULL), KITH_OK);
    char *whole = told(ledger);
    assert_non_null(whole);
    kith_ledger_free(ledger);
    return whole;
}

static void flipped_bits(void **state)
{
    (void)state;
    const char *wanted = getenv("KITH_LEDGER_FLIPS");
    int flips = wanted ? atoi(wanted) : 400, found = 0;
    char *whole = whole_text();
    srand48(29);
    for (int i = 0; i < flips; i++) {
        size_t at = (size_t)lrand48() % size;
        unsigned char bit = (unsigned char)(1u << lrand48() % 8);
        bytes[at] ^= bit;
        write_bad(size);
        found += fate(whole, "a bit", at);
        bytes[at] ^= bit;
    }
    print_message("%d bits flipped: %d found, %d changed nothing\n", flips,
                  found, flips - found);
    assert_true(found > flips / 20);
    free(whole);
}

static void cut_files(void **state)
{
    (void)state;
    char *whole = whole_text();
    for (size_t n = 0; n < size; n += size / 23) {
        write_bad(n);
        if (!fate(whole, "a cut", n))
            fail_msg("%zu of %zu bytes are enough", n, size);
    }
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flipped_bits),
        cmocka_unit_test(cut_files),
    };
    bed_open();
    make_good();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(bytes);
    bed_close();
    return failed;
}
