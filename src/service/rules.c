/* When a round closes: a pure function of numbers. */
#include "service_i.h"

kith_i_rule kith_i_rule_of(const kith_i_rule_numbers *n)
{
    if (n->at_target == n->groups)
        return KITH_I_RULE_CLOSE;
    if (n->closes_at == 0 || n->now < n->closes_at)
        return KITH_I_RULE_WAIT;
    if (n->at_minimum == n->groups || n->extended)
        return KITH_I_RULE_CLOSE;
    return KITH_I_RULE_EXTEND;
}

uint64_t kith_i_rule_expected(kith_i_range range, uint64_t invited)
{
    return (uint64_t)((kith_i_u128)range.length * invited >> 53);
}

uint64_t kith_i_rule_target(kith_i_range range, uint64_t invited,
                            uint64_t fraction_ppm)
{
    if (fraction_ppm == 0)
        return UINT64_MAX; /* never by count */
    kith_i_u128 users = (kith_i_u128)range.length * invited;
    /* ceil(fraction * share * invited) without leaving 128 bits */
    kith_i_u128 part = users / 1000000 * fraction_ppm +
                       users % 1000000 * fraction_ppm / 1000000;
    return (uint64_t)((part + KITH_I_CIRCLE - 1) >> 53);
}
