/* The questions and the forecast of a local run as people read them. */
#include <math.h>
#include <stdio.h>

#include "cli.h"
#include "local_cli.h"

void local_print_groups(const kith_local_summary *summary)
{
    double epsilon = 0, delta = 0;
    fprintf(stderr, "%5s  %-38s %-10s %9s %9s %7s\n", "round", "question",
            "mechanism", "users", "epsilon", "bytes");
    for (size_t i = 0; i < kith_local_group_count(summary); i++) {
        kith_local_group g;
        kith_local_group_at(summary, i, &g);
        fprintf(stderr, "%5u  %-38s %-10s %8.3g%% %9.4g %7u\n", g.round, g.what,
                g.mechanism, 100 * g.share, g.epsilon, g.bytes);
    }
    kith_local_user_loss(summary, &epsilon, &delta);
    fprintf(stderr,
            "%u rounds; no user spends more than epsilon %.6g%s or sends more "
            "than %u bytes\n",
            kith_local_rounds(summary), epsilon,
            delta > 0 ? " (and the delta declared)" : "",
            kith_local_user_bytes(summary));
}

void local_print_forecast(const local_cli *cli,
                          const kith_local_forecast *forecast)
{
    uint32_t k = cli->options.clusters;
    cli_note("forecast: noise will move the centre of a cluster of 1/%u of the "
             "users by about %.3g\n(the bounds have radius %.3g), and will "
             "hide clusters of less than %.3g%% of them",
             cli->options.method == KITH_LOCAL_MEAN ? 1 : k,
             forecast->center_error, forecast->radius,
             100 * forecast->smallest);
    if (isfinite(forecast->lost))
        cli_note(
            "trials: about %.0f%% of runs on made-up clusters, as many, lose "
            "one of them (by %u runs)",
            100 * forecast->lost, forecast->trials);
    if (forecast->last_share > 0)
        cli_note("%.2g%% of the users choose between answers at last: one mean "
                 "is told from clusters\nwith a standard deviation of %.2g of "
                 "what they can gain",
                 100 * forecast->last_share, forecast->last_sd);
    if (forecast->works == 0)
        cli_note("warning: this cannot work: %u clusters would be lost in the "
                 "noise. Invite more users,\nraise epsilon, ask for fewer "
                 "centres or features, or use --method mean",
                 k);
    else if (forecast->works == 2)
        cli_note("warning: doubtful: small or close clusters will be missed");
}
