/* The numbers of the local `auto`: local_recipe.def (bench/local_ablation.py
 * changes them one at a time). */
#ifndef KITH_LOCAL_RECIPE_H
#define KITH_LOCAL_RECIPE_H

#include <stdint.h>

/* Shares of the users, d > 3; they sum to 1 at most. */
typedef struct kith_i_local_shares {
#define NUMBER(name, value)
#define WHOLE(name, value)
#define SERIES(name, count, ...)
#define SHARE(name, seen, unseen) double name;
#include "local_recipe.def"
#undef NUMBER
#undef WHOLE
#undef SERIES
#undef SHARE
} kith_i_local_shares;

typedef struct kith_i_local_recipe {
#define NUMBER(name, value)      double name;
#define WHOLE(name, value)       uint32_t name;
#define SERIES(name, count, ...) double name[count];
#define SHARE(name, seen, unseen)
#include "local_recipe.def"
#undef NUMBER
#undef WHOLE
#undef SERIES
#undef SHARE
    kith_i_local_shares with_directions, with_random_ones;
} kith_i_local_recipe;

/* Shares of those who are left, for shares of all. */
void kith_i_shares_scale(kith_i_local_shares *shares, double by);

extern const kith_i_local_recipe kith_i_recipe;

#endif
