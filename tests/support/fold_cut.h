/* Takes the place of data/fold.c: rows are visited, and views are derived, in
 * pieces that the test chooses. What is released must not depend on them, or
 * a record is not looked at alone (R2). */
#ifndef KITH_TEST_FOLD_CUT_H
#define KITH_TEST_FOLD_CUT_H

#include <stdint.h>

typedef enum {
    CUT_NOT,      /* blocks as data/ has them */
    CUT_SINGLES,  /* each row alone, */
    CUT_BACKWARD, /* and the last one of a block first */
    CUT_UNEVEN,   /* 1, 2, .. 7 rows at a time */
    CUT_MODES
} cut_mode;

void cut_folds(cut_mode mode);
/* Pieces handed out since then: of dense rows, of sparse rows, for views. */
typedef struct {
    uint64_t dense, sparse, derived;
} cut_counts;
cut_counts cut_pieces(void);

#endif
