/* T2: a ledger is not kept where locks and syncs are not safe, unless somebody
 * insists, and then every entry says so. statfs() is this file's, so that any
 * disk can be any. */
#include "ledger_bed.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

static long type;

int statfs(const char *path, struct statfs *out)
{
    (void)path;
    memset(out, 0, sizeof *out);
    out->f_type = type;
    return 0;
}

static kith_status open_on(long disk, unsigned flags, const char *uri,
                           kith_ledger **out, kith_error *err)
{
    type = disk;
    return kith_ledger_open(uri, flags, out, err);
}

static void test_disks(void **state)
{
    (void)state;
    static const long unsafe[] = {
        NFS_SUPER_MAGIC, SMB_SUPER_MAGIC,  CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC,
        V9FS_MAGIC,      FUSE_SUPER_MAGIC, CEPH_SUPER_MAGIC, AFS_SUPER_MAGIC};
    static const long safe[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,
                                BTRFS_SUPER_MAGIC, TMPFS_MAGIC};
    char uri[160];
    kith_ledger *ledger = NULL;
    bed_open();
    snprintf(uri, sizeof uri, "sqlite:%s/team.db", bed_folder);
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++) {
        kith_error err = {0};
        /* neither made there nor opened there; the number may have a sign */
        assert_int_equal(
            open_on((int)unsafe[i], KITH_LEDGER_NEW, uri, &ledger, &err),
            KITH_ERR_STORE);
        assert_non_null(strstr(err.message, "local disk"));
        assert_null(ledger);
    }
    assert_int_equal(open_on(safe[0], KITH_LEDGER_NEW, uri, &ledger, NULL),
                     KITH_OK);
    kith_ledger_free(ledger);
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++)
        assert_int_equal(open_on(unsafe[i], 0, uri, &ledger, NULL),
                         KITH_ERR_STORE);
    for (size_t i = 0; i < sizeof safe / sizeof *safe; i++) {
        assert_int_equal(open_on(safe[i], 0, uri, &ledger, NULL), KITH_OK);
        kith_ledger_free(ledger);
    }
    bed_close();
}

static void test_insisted(void **state)
{
    (void)state;
    char uri[160];
    kith_ledger *ledger = NULL;
    kith_statement *s = NULL;
    kith_account_terms terms = {
        .dataset = "x", .unit = KITH_UNIT_ROW, .promise = gaussian_one};
    bed_open();
    snprintf(uri, sizeof uri, "sqlite:%s/team.db", bed_folder);
    assert_int_equal(open_on(NFS_SUPER_MAGIC,
                             KITH_LEDGER_NEW | KITH_LEDGER_UNSAFE_FS, uri,
                             &ledger, NULL),
                     KITH_OK);
    assert_int_equal(kith_ledger_account_new(ledger, "a", &terms, NULL),
                     KITH_OK);
    assert_int_equal(kith_ledger_statement(ledger, "a", &s, NULL), KITH_OK);
    const kith_entry_view *entry = kith_statement_entry(s, 0);
    assert_non_null(entry);
    assert_non_null(strstr(entry->body, "\"unsafe_fs\":1"));
    kith_statement_free(s);
    kith_ledger_free(ledger);
    bed_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disks),
        cmocka_unit_test(test_insisted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
