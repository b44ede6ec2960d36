/* `kith sign`: who vouches for a model, in minisign's format. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verify.h>

#include "cli.h"
#include "commands.h"
#include "output.h"
#include "sign_minisign.h"

static const arg_option sign_options[] = {
    {"sign-key", 0, "FILE",
     "secret key, of --new-key or of minisign: write MODEL.minisig"},
    {"new-key", 0, "FILE",
     "make a key pair instead: FILE, to keep, and FILE.pub, to give away"},
    {"force", 0, NULL, "replace a signature that exists"},
};

static const arg_group groups[] = {
    {"Keys", sign_options, sizeof sign_options / sizeof *sign_options},
};

/* The entry of the ledger that paid for the model, if there was one: signed
 * together with the bytes, it cannot be exchanged. */
static char *trusted_comment(const char *path)
{
    json_error_t error;
    json_t *model = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    const json_t *privacy = json_object_get(model, "privacy");
    const json_t *entry = json_object_get(privacy, "ledger");
    const char *id = json_string_value(json_object_get(entry, "id"));
    const char *account = json_string_value(json_object_get(entry, "account"));
    const char *hash = json_string_value(json_object_get(entry, "hash"));
    json_int_t number = json_integer_value(json_object_get(entry, "entry"));
    char *text = NULL;
    int n = id && account && hash
                ? asprintf(&text,
                           "kith model; ledger %s, account %s, entry %lld, "
                           "hash %s",
                           id, account, (long long)number, hash)
                : asprintf(&text, "kith model; no ledger entry");
    json_decref(model);
    for (char *c = n < 0 ? NULL : text; c && *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    return n < 0 ? NULL : text;
}

int sign_model(const char *path, const sign_key *key)
{
    char *comment = trusted_comment(path);
    int code = comment ? sign_file(path, key, comment) : cli_no_memory();
    free(comment);
    return code;
}

static int sign_main(const args *a)
{
    const char *key = args_value(a, "sign-key");
    const char *new_key = args_value(a, "new-key");
    sign_key *secret = NULL;
    char *reason = NULL;
    if (!key == !new_key)
        return cli_usage("either --sign-key or --new-key is needed");
    if (a->operand_count != (key ? 1 : 0))
        return cli_usage(key ? "one MODEL is needed"
                             : "--new-key makes a key and signs nothing");
    if (new_key)
        return sign_new_key(new_key);
    int code = verify_exit_code(verify_promise(a->operands[0], &reason));
    if (code < 0)
        code = cli_no_memory();
    else if (code)
        code = cli_fail(code, "%s: not signed. %s", a->operands[0], reason);
    else
        code = sign_key_open(key, &secret);
    if (!code)
        code = output_check_signature(a->operands[0], args_given(a, "force"));
    if (!code)
        code = sign_model(a->operands[0], secret);
    if (!code)
        cli_note("signed: %s.minisig. A signature tells who vouches for the "
                 "file, not that the noise is there",
                 a->operands[0]);
    sign_key_close(secret);
    free(reason);
    return code;
}

const arg_command *command_sign(void)
{
    static const arg_command command = {
        .name = "sign",
        .summary = "Sign a model, so that others know who vouches for it.",
        .usage = "--sign-key FILE [--force] MODEL | --new-key FILE",
        .notes = "Keys and signatures are those of minisign: minisign -V "
                 "accepts them. The entry of\nthe ledger that paid for the "
                 "model, if any, is signed with it. A model whose\npromise "
                 "does not hold is not signed (exit status 1).\n"
                 "Example: kith sign --new-key me.key; kith sign --sign-key "
                 "me.key model.json;\nkith verify --key me.key.pub "
                 "model.json\n",
        .groups = groups,
        .group_count = sizeof groups / sizeof *groups,
        .run = sign_main,
    };
    return &command;
}
