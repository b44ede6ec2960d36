/* The quality of a result as words. */
#include "quality_out.h"

#include "cli.h"
#include "source.h"

void quality_tell(const kith_result *result)
{
    kith_quality q = {.size = sizeof q};
    kith_result_quality(result, &q);
    if (q.cost > 0)
        cli_note("expected cost: about %.3g, give or take %.2g (%.3g a row), "
                 "from what was released",
                 q.cost, q.cost_sd, q.cost / q.rows);
}

int quality_warn(const kith_result *result, const kith_source_options *from,
                 int strict)
{
    kith_quality q = {.size = sizeof q};
    char text[KITH_QUALITY_LINE];
    uint32_t d = 0;
    kith_result_quality(result, &q);
    if (q.features_on_bound && kith_result_centers(result, NULL, &d))
        q.name_on_bound = source_name(from, d, q.first_on_bound);
    for (size_t i = 0; kith_quality_words(&q, i, text, sizeof text); i++)
        cli_note("warning: %s", text);
    if (!strict || q.verdict == KITH_VERDICT_GOOD)
        return CLI_OK;
    return cli_fail(CLI_FAILED,
                    "--strict: the result was written, and it is "
                    "%s",
                    kith_verdict_name(q.verdict));
}
