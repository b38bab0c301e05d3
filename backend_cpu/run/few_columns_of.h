/* SPDX-License-Identifier: MIT */
/* Products with few columns of one dtype by one kind of vectors: few_columns.c includes this once for each, with T,
 * NAME, VECTOR and what is done with vectors; TARGET and MOST, the vectors of a row of a tile, are said before. */

/* Columns of b behind one another in panels, whose element [p, j] stands at p * width + j; zeros behind the last. */
static inline void NAME(pack)(const job *j) {
    const fsr_matmul *m = j->x->m;
    const int64_t row = m->b_flipped ? 1 : m->b_lead, col = m->b_flipped ? m->b_lead : 1;
    const T *b = j->x->b;
    for (int64_t from = 0; from < j->cols; from += j->panel) {
        const int64_t width = j->cols - from < j->panel ? j->cols - from : j->panel;
        T *to = (T *)j->pack + from * m->k;
        for (int64_t p = 0; p < m->k; p++)
            for (int64_t i = 0; i < width; i++)
                to[p * width + i] = from + i < m->n ? b[p * row + (from + i) * col] : 0;
    }
}

/* A tile of c: of so many rows, each of so many vectors; `first`: there is nothing in it yet. */
static inline __attribute__((always_inline)) TARGET void NAME(tile)(const int rows, const int vectors, const T *a,
                                                                    int64_t lead, const T *b, int64_t deep, T *c,
                                                                    int64_t c_lead, bool first) {
    VECTOR s[ROWS][MOST];
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            s[r][v] = first ? ZERO : LOAD(c + r * c_lead + v * LANES);
    for (int64_t p = 0; p < deep; p++, b += vectors * LANES) {
        VECTOR y[MOST];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            y[v] = LOAD(b + v * LANES);
#pragma GCC unroll 6
        for (int r = 0; r < rows; r++) {
            const VECTOR x = ALL(a + r * lead + p);
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                s[r][v] = FMA(x, y[v], s[r][v]);
        }
    }
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            STORE(c + r * c_lead + v * LANES, s[r][v]);
}

static TARGET void NAME(tile_of)(bool whole, int vectors, const T *a, int64_t lead, const T *b, int64_t deep, T *c,
                                 int64_t c_lead, bool first) {
#define CASE(v)                                                      \
    case v:                                                          \
        if (whole)                                                   \
            NAME(tile)(ROWS, v, a, lead, b, deep, c, c_lead, first); \
        else                                                         \
            NAME(tile)(1, v, a, lead, b, deep, c, c_lead, first);    \
        break;
    switch (vectors) {
        CASE(1)
        CASE(2)
#if MOST > 2
        CASE(3)
        CASE(4)
#endif
    default: break;
    }
#undef CASE
}

/* Columns from `from` on of one tile; those of the last panel by way of a tile of its own, as c has not so many. */
static TARGET void NAME(panel)(const job *j, int64_t row, int rows, int64_t from, int64_t p, int64_t deep) {
    const fsr_matmul *m = j->x->m;
    const int64_t width = j->cols - from < j->panel ? j->cols - from : j->panel;
    const int64_t there = m->n - from < width ? m->n - from : width;
    const T *a = (const T *)j->x->a + row * m->a_lead + p, *b = (const T *)j->pack + from * m->k + p * width;
    T *c = (T *)j->x->c + row * m->c_lead + from, own[ROWS * WIDEST];
    if (there <= 0)
        return;
    if (there == width) {
        NAME(tile_of)(rows == ROWS, (int)(width / LANES), a, m->a_lead, b, deep, c, m->c_lead, p == 0);
        return;
    }
    for (int r = 0; r < rows && p > 0; r++)
        memcpy(own + r * WIDEST, c + r * m->c_lead, sizeof *c * (size_t)there);
    for (int r = 0; r < rows && p > 0; r++)
        memset(own + r * WIDEST + there, 0, sizeof *c * (size_t)(width - there));
    NAME(tile_of)(rows == ROWS, (int)(width / LANES), a, m->a_lead, b, deep, own, WIDEST, p == 0);
    for (int r = 0; r < rows; r++)
        memcpy(c + r * m->c_lead, own + r * WIDEST, sizeof *c * (size_t)there);
}

static TARGET void NAME(rows)(const job *j, int64_t row, int64_t end) {
    const int64_t k = j->x->m->k;
    for (int64_t p = 0; p < k; p += DEEP)
        for (int64_t r = row; r < end;) {
            const int rows = end - r >= ROWS ? ROWS : 1;
            for (int64_t from = 0; from < j->cols; from += j->panel)
                NAME(panel)(j, r, rows, from, p, k - p < DEEP ? k - p : DEEP);
            r += rows;
        }
}

#undef T
#undef NAME
#undef VECTOR
#undef LANES
#undef ZERO
#undef LOAD
#undef STORE
#undef ALL
#undef FMA
