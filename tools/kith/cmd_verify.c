/* `kith verify`: the front end of tools/verify, which knows nothing of kith. */
#include <verify.h>

#include "cli.h"
#include "commands.h"
#include "verify_ledger.h"

static const arg_option verify_options_table[] = {
    {"key", 0, "FILE",
     "public key of minisign: MODEL.minisig must be a signature of the model "
     "by it"},
    {"json", 0, NULL, "print the finding as JSON"},
    {"ledger", 0, "URI",
     "the entry that the model names must be in this ledger, intact, for this "
     "file"},
};

static const arg_group groups[] = {
    {"Checks", verify_options_table,
     sizeof verify_options_table / sizeof *verify_options_table},
};

static int verify_main(const args *a)
{
    if (a->operand_count != 1)
        return cli_usage("one MODEL is needed");
    const char *path = a->operands[0], *uri = args_value(a, "ledger");
    const char *key = args_value(a, "key");
    const char *problem = key ? verify_key_problem(key) : NULL;
    if (problem)
        return cli_fail(CLI_INPUT, "--key: '%s' %s", key, problem);
    claim_words words = {0};
    int code = uri ? claim_find_words(path, uri, &words) : CLI_OK;
    if (!code) {
        verify_options options = {.key = key,
                                  .json = args_given(a, "json"),
                                  .unpaid = (const char *const *)words.problems,
                                  .unpaid_count = words.count,
                                  .paid = words.paid};
        code = verify_exit_code(verify_file(path, &options, stdout));
        if (code < 0)
            code = cli_no_memory();
    }
    claim_words_free(&words);
    return code;
}

const arg_command *command_verify(void)
{
    static const arg_command command = {
        .name = "verify",
        .summary = "Check that what a model lists adds up to what it promises.",
        .usage = "[OPTION]... MODEL",
        .notes = "Recomputes the loss of every release and their sum, with "
                 "code that kith does not\nuse. What cannot be checked from a "
                 "file is listed too. kith_verify.py is a second\nprogram for "
                 "the same, for those who have no kith. Exit status here: 0 "
                 "the promise\nholds; 1 it does not, or cannot be judged; 4 "
                 "not a model.\nExample: kith verify model.json\n",
        .groups = groups,
        .group_count = sizeof groups / sizeof *groups,
        .run = verify_main,
    };
    return &command;
}
