/* The numbers of `auto`, a column of recipe.def for each kind of run
 * (bench/ablation.py changes them one at a time). */
#ifndef KITH_AUTO_RECIPE_H
#define KITH_AUTO_RECIPE_H

#include <stdint.h>

enum {
    AUTO_BINS = 60,
    AUTO_TAXICAB_FROM = 17, /* features: below, L1 does not pay */
    AUTO_SWAPPED = 100      /* cells that a search improves by swaps */
};

typedef struct auto_recipe {
#define NUMBER(name, gaussian, pure, blind) double name;
#define WHOLE(name, gaussian, pure, blind)  uint32_t name;
#include "auto/recipe.def"
#undef NUMBER
#undef WHOLE
} auto_recipe;

/* blind: pure, and the axes are random. */
const auto_recipe *kith_i_auto_recipe(int pure, int blind);

#endif
