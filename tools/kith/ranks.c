/* What the command does when it is one of several ranks; see ranks.h. */
#include "ranks.h"

#include <stdio.h>

#include "cli.h"

static const kith_team *team;
static int over; /* the ranks have parted: not a word more */
static char kept[512];

void ranks_set(const kith_team *given)
{
    team = given && given->ranks > 1 ? given : NULL;
}

const kith_team *ranks_team(void)
{
    return team;
}

int ranks_lead(void)
{
    return !team || team->rank == 0;
}

void ranks_keep(const char *text)
{
    snprintf(kept, sizeof kept, "%s", text);
}

int ranks_over(int code)
{
    over = over || code != CLI_OK;
    return code;
}

static kith_status status_of(int code)
{
    switch (code) {
    case CLI_OK:
        return KITH_OK;
    case CLI_USAGE:
        return KITH_ERR_ARGUMENT;
    case CLI_BUDGET:
        return KITH_ERR_BUDGET;
    case CLI_INPUT:
        return KITH_ERR_INPUT;
    case CLI_STORE:
        return KITH_ERR_STORE;
    case CLI_ENTROPY:
        return KITH_ERR_ENTROPY;
    case CLI_TEAM:
        return KITH_ERR_TEAM;
    default:
        return KITH_ERR_INTERNAL;
    }
}

int ranks_agree(int code)
{
    if (!team || over)
        return code;
    kith_error err = {.status = status_of(code)};
    if (code)
        snprintf(err.message, sizeof err.message, "%s", kept);
    kith_status status = kith_team_agree(team, err.status, &err);
    over = status != KITH_OK;
    /* rank 0 has said already what is its own */
    return code && team->rank == 0 ? code : cli_status(status, &err);
}

int ranks_add_costs(uint64_t *rows, double *cost)
{
    struct {
        uint64_t rows;
        double cost;
    } mine = {*rows, *cost}, *parts;
    void *all = NULL;
    size_t total = 0;
    if (!team)
        return CLI_OK;
    if (team->gather(team->arg, &mine, sizeof mine, &all, &total)) {
        over = 1;
        return cli_fail(CLI_TEAM, "the ranks lost touch with each other");
    }
    parts = all;
    for (uint32_t i = 1; team->rank == 0 && i < team->ranks; i++) {
        *rows += parts[i].rows;
        *cost += parts[i].cost;
    }
    return CLI_OK;
}
