/* The numbers of the local `auto`, as data. */
#include "local_recipe.h"

const kith_i_local_recipe kith_i_recipe = {
#define NUMBER(name, value)      .name = (value),
#define WHOLE(name, value)       .name = (value),
#define SERIES(name, count, ...) .name = {__VA_ARGS__},
#define SHARE(name, seen, unseen)
#include "local_recipe.def"
#undef NUMBER
#undef WHOLE
#undef SERIES
#undef SHARE
#define NUMBER(name, value)
#define WHOLE(name, value)
#define SERIES(name, count, ...)
#define SHARE(name, seen, unseen) .name = (seen),
    .with_directions =
        {
#include "local_recipe.def"
        },
#undef SHARE
#define SHARE(name, seen, unseen) .name = (unseen),
    .with_random_ones =
        {
#include "local_recipe.def"
        },
};
#undef SHARE

#define SHARE(name, seen, unseen) shares->name *= by;
void kith_i_shares_scale(kith_i_local_shares *shares, double by)
{
#include "local_recipe.def"
}
