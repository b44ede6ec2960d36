/* Options whose value is one of the library's words, and JSON on its way out.
 */
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "output.h"

enum { MOST_WORDS = 16 };

int args_word(const args *a, const char *name, kith_vocabulary vocabulary,
              int *out)
{
    const char *words[MOST_WORDS + 1] = {0};
    unsigned chosen = 0;
    for (size_t i = 0; i < MOST_WORDS; i++)
        words[i] = kith_word_at(vocabulary, i);
    if (!args_value(a, name))
        return CLI_OK;
    int code = args_choice(a, name, words, &chosen);
    if (!code)
        kith_word_value(vocabulary, words[chosen], out);
    return code;
}

int print_json(FILE *file, json_t *json)
{
    kith_error err = {0};
    char *flat = json ? json_dumps(json, JSON_REAL_PRECISION(17)) : NULL;
    char *text = NULL;
    int code = flat ? cli_status(kith_json_layout(flat, &text, &err), &err)
                    : cli_no_memory();
    if (!code)
        fputs(text, file);
    kith_text_free(text);
    free(flat);
    json_decref(json);
    return code;
}
