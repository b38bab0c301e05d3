/* SPDX-License-Identifier: MIT */
/* Equations by elimination with row pivots, of one dtype, T its elements, R their real parts, PLANES how many parts
 * they have, and NAME; and of one kind of vectors, of so many BYTES, TARGET their functions' attribute, and OF.
 * Included by linalg_plain.h.
 *
 * Real and imaginary parts lie in planes of their own, row-major, so that a product of complex numbers is four of
 * real ones in vectors. Right-hand sides are solved side by side, as many as a vector has lanes: four rows of
 * factors meet a row of sides while all of it is in registers. Counter-example to one side after the other by dot
 * products of C's complex numbers: 32 systems of 100 with 150 sides took 57 ms, and this takes 4.8.
 *
 * The operations of a side and their order are the same whatever the vectors; where there are too few sides for a
 * vector, each is solved by dot products. Pivots are chosen by |re| + |im|, as LAPACK does. */

enum { OF(WIDTH) = BYTES / sizeof(R), OF(FEW) = 2 };

typedef R OF(lanes) __attribute__((vector_size(BYTES), aligned(sizeof(R)), may_alias));

/* n by n elements, their parts apart. */
typedef struct OF(planes) {
    R *part[PLANES];
    int64_t n;
} OF(planes);

/* Planes in `room`, which has n n elements, of a matrix whose element [i, j] stands at i * row + j * col. */
static OF(planes) OF(apart)(const T *a, int64_t row, int64_t col, int64_t n, void *room) {
    OF(planes) out = {.n = n};
    for (int p = 0; p < PLANES; p++)
        out.part[p] = (R *)room + p * n * n;
    if (PLANES == 1 && col == 1)
        memcpy(room, a, sizeof *a * (size_t)(n * n));
    for (int64_t i = 0; i < n && (PLANES > 1 || col > 1); i++)
        for (int64_t j = 0; j < n; j++)
            for (int p = 0; p < PLANES; p++)
                out.part[p][i * n + j] = ((const R *)(a + i * row + j * col))[p];
    return out;
}

static T OF(element)(const OF(planes) * a, int64_t at) {
    T x;
    for (int p = 0; p < PLANES; p++)
        ((R *)&x)[p] = a->part[p][at];
    return x;
}

static void OF(set)(const OF(planes) * a, int64_t at, T x) {
    for (int p = 0; p < PLANES; p++)
        a->part[p][at] = ((const R *)&x)[p];
}

static R OF(size)(const OF(planes) * a, int64_t at) {
    R sum = 0;
    for (int p = 0; p < PLANES; p++)
        sum += a->part[p][at] < 0 ? -a->part[p][at] : a->part[p][at];
    return sum;
}

/* x - factor y, of vectors or of numbers, by their parts. */
#if PLANES == 1
#define LESS(x, factor, y) ((x)[0] -= (factor)[0] * (y)[0])
#else
#define LESS(x, factor, y) \
    ((x)[0] -= (factor)[0] * (y)[0] - (factor)[1] * (y)[1], (x)[1] -= (factor)[0] * (y)[1] + (factor)[1] * (y)[0])
#endif

/* Row i less factor times row k, from column `from` on. */
static inline __attribute__((always_inline)) TARGET void OF(subtract)(const OF(planes) * a, int64_t i, int64_t k,
                                                                      int64_t from, T factor) {
    const R *const f = (const R *)&factor;
    const int64_t n = a->n;
    int64_t j = from;
    for (; j + OF(WIDTH) <= n; j += OF(WIDTH)) {
        OF(lanes) x[PLANES], y[PLANES];
        for (int p = 0; p < PLANES; p++) {
            x[p] = *(const OF(lanes) *)(a->part[p] + i * n + j);
            y[p] = *(const OF(lanes) *)(a->part[p] + k * n + j);
        }
        LESS(x, f, y);
        for (int p = 0; p < PLANES; p++)
            *(OF(lanes) *)(a->part[p] + i * n + j) = x[p];
    }
    for (; j < n; j++) {
        R x[PLANES], y[PLANES];
        for (int p = 0; p < PLANES; p++) {
            x[p] = a->part[p][i * n + j];
            y[p] = a->part[p][k * n + j];
        }
        LESS(x, f, y);
        for (int p = 0; p < PLANES; p++)
            a->part[p][i * n + j] = x[p];
    }
}

/* a becomes its factors, row k having been exchanged with pivot[k]. True: it is singular. */
static TARGET bool OF(eliminate)(const OF(planes) * a, int64_t *pivot) {
    const int64_t n = a->n;
    bool singular = false;
    for (int64_t k = 0; k < n; k++) {
        pivot[k] = k;
        for (int64_t i = k + 1; i < n; i++)
            if (OF(size)(a, i * n + k) > OF(size)(a, pivot[k] * n + k))
                pivot[k] = i;
        for (int p = 0; p < PLANES && pivot[k] != k; p++)
            for (int64_t j = 0; j < n; j++) {
                const R t = a->part[p][k * n + j];
                a->part[p][k * n + j] = a->part[p][pivot[k] * n + j];
                a->part[p][pivot[k] * n + j] = t;
            }
        const T head = OF(element)(a, k * n + k);
        singular |= head == 0;
        for (int64_t i = k + 1; i < n && head != 0; i++) {
            const T factor = OF(element)(a, i * n + k) / head;
            OF(set)(a, i * n + k, factor);
            if (factor != 0)
                OF(subtract)(a, i, k, k + 1, factor);
        }
    }
    return singular;
}

/* ---- sides side by side ---------------------------------------------------------------------------------------- */

/* Rows [i, i + rows) of the sides less their factors times rows [from, to), which are solved. Row k of the sides
 * stands at x + k * PLANES. */
static inline __attribute__((always_inline)) TARGET void OF(known)(const OF(planes) * a, const int rows, int64_t i,
                                                                   int64_t from, int64_t to, OF(lanes) * x) {
    OF(lanes) sum[4][PLANES];
    const int64_t n = a->n;
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
        for (int p = 0; p < PLANES; p++)
            sum[r][p] = x[(i + r) * PLANES + p];
    for (int64_t k = from; k < to; k++) {
        OF(lanes) y[PLANES];
        for (int p = 0; p < PLANES; p++)
            y[p] = x[k * PLANES + p];
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) {
            R factor[PLANES];
            for (int p = 0; p < PLANES; p++)
                factor[p] = a->part[p][(i + r) * n + k];
            LESS(sum[r], factor, y);
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
        for (int p = 0; p < PLANES; p++)
            x[(i + r) * PLANES + p] = sum[r][p];
}

static inline __attribute__((always_inline)) TARGET void OF(rows)(const OF(planes) * a, int64_t rows, int64_t i,
                                                                  int64_t from, int64_t to, OF(lanes) * x) {
    if (rows == 4)
        OF(known)(a, 4, i, from, to, x);
    for (int64_t r = 0; r < rows && rows < 4; r++)
        OF(known)(a, 1, i + r, from, to, x);
}

/* x / a of vectors. */
static inline __attribute__((always_inline)) TARGET void OF(divide)(OF(lanes) * x, T a) {
#if PLANES == 1
    x[0] /= a;
#else
    const T once = 1 / a;
    const R re = ((const R *)&once)[0], im = ((const R *)&once)[1];
    const OF(lanes) real = x[0] * re - x[1] * im;
    x[1] = x[0] * im + x[1] * re;
    x[0] = real;
#endif
}

/* The factors' rows from above, then from below, by four: what is known of all of them first, then each by those of
 * the four that are solved. */
static TARGET void OF(substitute)(const OF(planes) * a, OF(lanes) * x) {
    const int64_t n = a->n;
    for (int64_t i = 0; i < n; i += 4) {
        const int64_t rows = n - i < 4 ? n - i : 4;
        OF(rows)(a, rows, i, 0, i, x);
        for (int64_t r = 1; r < rows; r++)
            OF(known)(a, 1, i + r, i, i + r, x);
    }
    for (int64_t end = n; end > 0; end -= 4) {
        const int64_t i = end < 4 ? 0 : end - 4, rows = end - i;
        OF(rows)(a, rows, i, end, n, x);
        for (int64_t r = rows - 1; r >= 0; r--) {
            OF(known)(a, 1, i + r, i + r + 1, end, x);
            OF(divide)(x + (i + r) * PLANES, OF(element)(a, (i + r) * (n + 1)));
        }
    }
}

/* Solves `count` sides, at most WIDTH, of n elements one behind the other, in place; room for n rows of them. */
static TARGET void OF(solve_beside)(const OF(planes) * a, const int64_t *pivot, T *side, int64_t count, OF(lanes) * x) {
    const int64_t n = a->n;
    memset(x, 0, sizeof *x * (size_t)(n * PLANES));
    for (int64_t k = 0; k < n; k++)
        for (int64_t s = 0; s < count; s++) {
            const T t = side[s * n + pivot[k]];
            side[s * n + pivot[k]] = side[s * n + k];
            for (int p = 0; p < PLANES; p++)
                ((R *)&x[k * PLANES + p])[s] = ((const R *)&t)[p];
        }
    OF(substitute)(a, x);
    for (int64_t k = 0; k < n; k++)
        for (int64_t s = 0; s < count; s++)
            for (int p = 0; p < PLANES; p++)
                ((R *)&side[s * n + k])[p] = ((const R *)&x[k * PLANES + p])[s];
}

/* One side by dot products, in place. */
static void OF(solve_alone)(const OF(planes) * factors, const int64_t *pivot, T *x) {
    const int64_t n = factors->n;
    const T *a = (const T *)factors->part[0];
    for (int64_t k = 0; k < n; k++)
        NAME(swap)(&x[k], &x[pivot[k]], pivot[k] != k);
    for (int64_t i = 1; i < n; i++)
        x[i] -= NAME(dot)(a + i * n, x, i);
    for (int64_t i = n - 1; i >= 0; i--)
        x[i] = (x[i] - NAME(dot)(a + i * n + i + 1, x + i + 1, n - 1 - i)) / a[i * n + i];
}

static TARGET bool OF(solve)(const fsr_linalg_one *o) {
    const int64_t n = o->l->cols, sides = o->l->more;
    int64_t *pivot = NAME(behind)(o, n * n, 0);
    const OF(planes) a = OF(apart)(o->a, n, 1, n, o->room);
    T *x = o->out[0];
    const bool singular = OF(eliminate)(&a, pivot), alone = PLANES == 1 && sides <= OF(FEW);
    const int64_t step = alone ? 1 : OF(WIDTH);
    if (singular || !x)
        return !singular;
    memcpy(x, o->b, sizeof *x * (size_t)(n * sides));
    for (int64_t s = 0; s < sides; s += step) {
        const int64_t count = sides - s < step ? sides - s : step;
        if (alone)
            OF(solve_alone)(&a, pivot, x + s * n);
        else
            OF(solve_beside)(&a, pivot, x + s * n, count, (OF(lanes) *)(void *)(pivot + n));
    }
    return true;
}

/* Of the transpose, whose columns are the matrix' rows. */
static TARGET bool OF(lu)(const fsr_linalg_one *o) {
    const int64_t n = o->l->cols;
    int64_t *pivot = NAME(behind)(o, n * n, 0);
    const OF(planes) a = OF(apart)(o->a, 1, n, n, o->room);
    T *out = o->out[0];
    int32_t *place = o->out[1];
    OF(eliminate)(&a, pivot);
    for (int64_t i = 0; out && i < n; i++)
        for (int64_t j = 0; j < n; j++)
            out[j * n + i] = OF(element)(&a, i * n + j);
    for (int64_t i = 0; place && i < n; i++)
        place[i] = (int32_t)pivot[i] + 1;
    return true;
}

#undef LESS
#undef BYTES
#undef TARGET
#undef OF
