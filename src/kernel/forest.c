/* Which leaf of a forest of boxes is a row in? */
#include "forest.h"

/* Rows that are looked at side by side: one alone would wait for each addition
 * and for each node. */
enum { ABREAST = 4, NEAR_ROOTS = 2 };

uint32_t kith_i_forest_shell(const kith_i_forest *f, double most)
{
    uint32_t root = 1;
    while (root + 1 < f->roots && most > f->edge[root] * f->edge[root])
        root++;
    return root;
}

static uint32_t shell_of(const kith_i_forest *f, const int16_t *y)
{
    double most = 0;
    for (uint32_t i = 0; i < f->q; i++) {
        double square = (double)(y[i] * y[i]) * f->inverse[i];
        most = square > most ? square : most;
    }
    return kith_i_forest_shell(f, most);
}

/* By squared distances in units of the spread, added up in a fixed order: a
 * function of the row alone. */
static void find_roots(const kith_i_forest *f, const int16_t *const *y,
                       uint32_t *node)
{
    double sum[ABREAST] = {0};
    for (uint32_t i = 0; i < f->q; i++)
        for (int t = 0; t < ABREAST; t++)
            sum[t] += (double)(y[t][i] * y[t][i]) * f->inverse[i];
    for (int t = 0; t < ABREAST; t++) {
        uint32_t root = f->roots > NEAR_ROOTS ? shell_of(f, y[t]) : 1;
        node[t] = root == 1 ? sum[t] > 4.0 * f->q : root;
    }
}

void kith_i_forest_cells(const kith_i_forest *f, const int16_t *rows,
                         uint32_t count, uint32_t *cell)
{
    for (uint32_t r = 0; r < count; r += ABREAST) {
        const int16_t *y[ABREAST];
        uint32_t node[ABREAST], moved;
        for (uint32_t t = 0; t < ABREAST; t++) /* the last row may repeat */
            y[t] = rows + (size_t)(r + t < count ? r + t : r) * f->q;
        find_roots(f, y, node);
        do {
            moved = 0;
            for (int t = 0; t < ABREAST; t++) {
                const kith_i_box *n = &f->node[node[t]];
                uint32_t side = y[t][n->axis] > n->middle;
                uint32_t inner = n->child >= 0;
                node[t] = inner ? (uint32_t)n->child + side : node[t];
                moved |= inner;
            }
        } while (moved);
        for (uint32_t t = 0; t < ABREAST && r + t < count; t++)
            cell[r + t] = f->node[node[t]].cell;
    }
}
