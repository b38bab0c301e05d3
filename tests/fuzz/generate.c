/* SPDX-License-Identifier: MIT */
/* Random recipes. Steps are drawn and recorded one by one; a step that the builder refuses is drawn again, so that the
 * rules of shapes and dtypes are the builder's, not a copy of them. */
#include "tests/fuzz/recipe.h"
#include "tests/support/nodes.h"
#include <math.h>
#include <string.h>

enum { SMALL_ELEMENTS = 3000, LARGE_ELEMENTS = 30000 };

typedef struct generator {
    uint64_t state;
    recipe *r;
    fsr_graph *g;
    fsr_node node[RECIPE_STEPS], other[RECIPE_STEPS];
    int64_t limit;      /* elements of a node */
    int extent[4];      /* that most leaves use, so that shapes meet */
    bool complex;       /* complex dtypes, and the ops that are there for them, are drawn too */
    bool folds, floats; /* the recipe has any; mostly floats */
    bool calls;         /* native functions are called */
    bool sparse;        /* sparse matrices, scatters and segments by operators, and linear algebra are not seldom */
    bool long_one;      /* many steps and outputs: the limits of one kernel */
} generator;

static int below(generator *t, int n) {
    return fuzz_below(&t->state, n);
}

static bool chance(generator *t, int percent) {
    return below(t, 100) < percent;
}

static int pick_extent(generator *t) {
    static const int odd[] = {0, 1, 2, 3, 5, 7, 16, 17, 31, 33};
    if (chance(t, 88))
        return t->extent[below(t, 4)];
    return chance(t, 30) ? 1 : odd[below(t, 10)];
}

static fsr_dtype pick_dtype(generator *t) {
    if (t->floats && chance(t, 70))
        return chance(t, 50) ? FSR_F32 : chance(t, 60) ? FSR_F64 : chance(t, 60) ? FSR_F16 : FSR_BF16;
    return (fsr_dtype)below(t, t->complex ? FSR_DTYPE_COUNT : FSR_C64);
}

static double pick_value(generator *t) {
    static const double values[] = {0, 1, -1, 2, 0.5, -0.0, 3, 100, -7, 1e-3, INFINITY, NAN};
    return values[below(t, chance(t, 90) ? 10 : 12)];
}

static void pick_shape(generator *t, recipe_step *s) {
    static const int dims[] = {0, 1, 1, 2, 2, 2, 2, 3, 3, 4};
    s->ndim = dims[below(t, 10)];
    int64_t left = t->limit;
    for (int i = 0; i < s->ndim; i++) {
        int64_t n = pick_extent(t);
        s->shape[i] = n > left ? 1 : n;
        left /= n > 1 && n <= left ? n : 1;
    }
}

/* An earlier step, recent ones more often. */
static int pick_step(generator *t) {
    int n = t->r->n;
    return chance(t, 50) ? n - 1 - below(t, n < 4 ? n : 4) : below(t, n);
}

/* One with the same shape as step `like`, if a few tries find it. */
static int pick_like(generator *t, int like) {
    int at = pick_step(t);
    for (int tries = 0; tries < 6; tries++) {
        const fsr_rec *a = fsr_node_rec(t->node[like]), *b = fsr_node_rec(t->node[at]);
        if (fsr_shape_equal(&a->shape, &b->shape) || (b->shape.ndim == 0 && chance(t, 30)))
            return at;
        at = below(t, t->r->n);
    }
    return at;
}

static void draw_leaf(generator *t, recipe_step *s) {
    static const step_kind kinds[] = {STEP_LEAF,   STEP_LEAF, STEP_LEAF,     STEP_LEAF,   STEP_LEAF,
                                      STEP_ARANGE, STEP_FULL, STEP_FLOAT,    STEP_INT,    STEP_BOOL,
                                      STEP_PARAM,  STEP_EYE,  STEP_LINSPACE, STEP_COMPLEX};
    s->kind = kinds[t->r->n < 2 ? 0 : below(t, t->complex ? 14 : 13)];
    s->dtype = pick_dtype(t);
    s->fill = (unsigned)below(t, 4000);
    if (chance(t, 60))
        s->fill -= s->fill % 4;
    pick_shape(t, s);
    if (s->kind == STEP_ARANGE || s->kind == STEP_EYE || s->kind == STEP_LINSPACE)
        s->shape[0] = pick_extent(t);
    s->value = pick_value(t);
    if (s->kind == STEP_EYE)
        s->shape[1] = chance(t, 50) ? s->shape[0] : pick_extent(t);
    if (s->kind == STEP_EYE || s->kind == STEP_LINSPACE || s->kind == STEP_COMPLEX)
        s->start = below(t, 9) - 4;
    if (s->kind == STEP_LINSPACE)
        s->flags = chance(t, 50);
    if (s->kind == STEP_INT)
        s->value = below(t, 9) - 4;
}

static void draw_op(generator *t, recipe_step *s) {
    s->kind = t->calls && chance(t, 15) ? STEP_CALL : STEP_OP;
    do
        s->op = (fsr_op)below(t, chance(t, 50) ? FSR_OP_EXP : t->complex ? FSR_OP_COUNT : FSR_OP_CONJ + 1);
    while (s->op == FSR_OP_CAST || (s->op == FSR_OP_CONJ && !t->complex));
    s->arg[0] = pick_step(t);
    s->arg[1] = pick_like(t, s->arg[0]);
    s->arg[2] = pick_like(t, s->arg[1]);
    s->flags = s->kind == STEP_CALL && chance(t, 40) ? FUZZ_RAW : 0;
    if (s->flags)
        s->arg[1] = pick_step(t);
    else if (s->kind == STEP_CALL && (int)s->op % 2)
        s->flags = FUZZ_SEVERAL;
}

/* Any two or three factors of n, or a split of one extent of the shape. */
static void draw_reshape(generator *t, recipe_step *s, const fsr_shape *from) {
    int64_t left = fsr_shape_size(from);
    s->ndim = 0;
    if (chance(t, 30) || left <= 1) {
        s->ndim = 1;
        s->shape[0] = left;
        return;
    }
    if (chance(t, 60)) {
        for (int i = 0; i < from->ndim && s->ndim < 5; i++) {
            int64_t n = from->dim[i], f = 2 + below(t, 3);
            bool join = s->ndim > 0 && chance(t, 30), split = n % f == 0 && chance(t, 50);
            if (join)
                s->shape[s->ndim - 1] *= n;
            else
                s->shape[s->ndim++] = split ? n / f : n;
            if (split && !join)
                s->shape[s->ndim++] = f;
        }
        return;
    }
    while (left > 1 && s->ndim < 3) {
        int64_t f = 2 + below(t, 6);
        if (left % f == 0) {
            s->shape[s->ndim++] = f;
            left /= f;
        } else if (chance(t, 30)) {
            break;
        }
    }
    s->shape[s->ndim++] = left;
}

static void draw_slice(generator *t, recipe_step *s, int64_t extent) {
    static const int steps[] = {1, 1, 2, -1, 3, -2};
    s->step = steps[below(t, 6)];
    s->start = chance(t, 40) ? FSR_SLICE_END : below(t, (int)extent + 2) - 1;
    s->stop = chance(t, 40) ? FSR_SLICE_END : below(t, (int)extent + 3) - 1;
    if (s->step < 0 && s->start != FSR_SLICE_END && s->stop != FSR_SLICE_END && s->stop > s->start) {
        int64_t swap = s->start;
        s->start = s->stop;
        s->stop = swap;
    }
}

static void draw_view(generator *t, recipe_step *s) {
    s->kind = (step_kind)(STEP_CAST + below(t, STEP_SLICE - STEP_CAST + 1));
    s->arg[0] = pick_step(t);
    const fsr_shape *from = &fsr_node_rec(t->node[s->arg[0]])->shape;
    s->dtype = pick_dtype(t);
    s->ndim = from->ndim;
    s->axis = from->ndim ? below(t, from->ndim) : 0;
    switch (s->kind) {
    case STEP_RESHAPE: draw_reshape(t, s, from); break;
    case STEP_TRANSPOSE:
        for (int i = 0; i < s->ndim && i < RECIPE_DIMS; i++) {
            int j = below(t, i + 1);
            s->list[i] = s->list[j];
            s->list[j] = i;
        }
        break;
    case STEP_BROADCAST:
        if (s->ndim < 4 && chance(t, 50)) {
            memcpy(s->shape + 1, from->dim, sizeof s->shape[0] * (size_t)s->ndim++);
            s->shape[0] = pick_extent(t);
        } else if (s->ndim <= RECIPE_DIMS) {
            memcpy(s->shape, from->dim, sizeof s->shape[0] * (size_t)s->ndim);
        }
        for (int i = 0; i < s->ndim; i++)
            if (s->shape[i] == 1 && chance(t, 70))
                s->shape[i] = pick_extent(t);
        break;
    case STEP_EXPAND: s->axis = below(t, from->ndim + 1); break;
    case STEP_SLICE: draw_slice(t, s, from->ndim ? from->dim[s->axis] : 1); break;
    default: break;
    }
}

static void draw_paste(generator *t, recipe_step *s) {
    s->kind = (step_kind)(STEP_UPDATE + below(t, STEP_FILTER - STEP_UPDATE + 1));
    s->arg[0] = pick_step(t);
    s->arg[1] = pick_like(t, s->arg[0]);
    const fsr_shape *from = &fsr_node_rec(t->node[s->arg[0]])->shape;
    s->axis = from->ndim ? below(t, from->ndim) : 0;
    if (s->kind == STEP_STACK)
        s->axis = below(t, from->ndim + 1);
    if (s->kind == STEP_ROLL) {
        s->axis = chance(t, 30) ? RECIPE_FLAT : s->axis;
        s->start = below(t, 41) - 20;
    }
    s->value = s->kind == STEP_FILTER ? below(t, 3) : 0;
    if (s->kind != STEP_UPDATE)
        return;
    draw_slice(t, s, from->ndim ? from->dim[s->axis] : 1);
    s->list[0] = from->ndim ? below(t, from->ndim) : 0;
    s->shape[0] = below(t, 4) - 1;
    s->flags = below(t, 4) | (chance(t, 80) ? SECTION_OF_BOTH : 0) | (chance(t, 20) ? SECTION_FLIPPED : 0);
    if (chance(t, 30))
        s->arg[1] = s->arg[0];
    recipe_step *base = &t->r->step[s->arg[0]];
    if (chance(t, 30) && base->kind > STEP_PARAM) /* of a temporary: in place */
        base->hint = FSR_HINT_MATERIALIZE;
}

static void draw_shape(generator *t, recipe_step *s) {
    s->kind = (step_kind)(STEP_PAD + below(t, STEP_TRIL - STEP_PAD + 1));
    s->arg[0] = pick_step(t);
    const fsr_shape *from = &fsr_node_rec(t->node[s->arg[0]])->shape;
    s->axis = from->ndim ? below(t, from->ndim) : 0;
    s->start = below(t, 5);
    s->stop = below(t, 5);
    if (s->kind == STEP_PAD) {
        s->flags = below(t, FSR_PAD_WRAP + 1);
        s->list[0] = chance(t, 60) ? 0 : below(t, 3);
        s->list[1] = chance(t, 60) ? 0 : below(t, 3);
        s->value = pick_value(t);
    } else if (s->kind == STEP_TILE) {
        s->ndim = from->ndim + (from->ndim < 4 && chance(t, 20));
        for (int i = 0; i < s->ndim && i < RECIPE_DIMS; i++)
            s->shape[i] = chance(t, 50) ? 1 : below(t, 4);
    } else if (s->kind == STEP_REPEAT) {
        s->axis = chance(t, 30) ? RECIPE_FLAT : s->axis;
    } else if (s->kind == STEP_DIFF) {
        s->start = below(t, 4);
    } else {
        s->start -= 2;
    }
}

static void draw_axes(generator *t, recipe_step *s, const fsr_shape *from) {
    s->ndim = chance(t, 15) ? -1 : 0;
    s->flags = chance(t, 45) ? FSR_KEEPDIMS : 0;
    bool one = chance(t, 60);
    int only = from->ndim ? below(t, from->ndim) : 0;
    for (int i = 0; i < from->ndim && i < RECIPE_DIMS && s->ndim >= 0; i++)
        if (one ? i == only : chance(t, 50))
            s->list[s->ndim++] = i;
}

static void draw_rows(generator *t, recipe_step *s) {
    s->kind = STEP_ROWS;
    s->arg[0] = pick_step(t);
    s->arg[1] = pick_like(t, s->arg[0]);
    s->flags = below(t, FUZZ_ROW_FUNCTIONS);
}

static void draw_take(generator *t, recipe_step *s) {
    s->kind = STEP_TAKE;
    s->arg[0] = pick_step(t);
    s->arg[1] = chance(t, 50) ? pick_like(t, s->arg[0]) : pick_step(t);
    const fsr_shape *from = &fsr_node_rec(t->node[s->arg[0]])->shape;
    s->axis = from->ndim ? below(t, from->ndim) : 0;
    s->start = below(t, FUZZ_TAKES);
    s->flags = below(t, FSR_INDEX_WRAP + 1 + (s->start >= 5));
}

static void draw_product(generator *t, recipe_step *s) {
    s->kind = STEP_MATMUL;
    s->arg[0] = pick_step(t);
    s->arg[1] = pick_step(t);
    s->flags = below(t, FUZZ_PRODUCTS);
}

static void draw_sparse(generator *t, recipe_step *s) {
    s->kind = STEP_SPARSE;
    s->arg[0] = pick_step(t);
    s->arg[1] = pick_step(t);
    s->start = below(t, FUZZ_SPARSE);
}

static void draw_calls(generator *t, recipe_step *s) {
    s->kind = STEP_CALLS;
    s->arg[0] = pick_step(t);
    s->arg[1] = pick_step(t);
    s->start = below(t, FUZZ_CALLS);
    if (s->start % (FUZZ_CALLS / 2) == FUZZ_LARGE_CALL && chance(t, 80)) /* these take long */
        s->start--;
}

static void draw_places(generator *t, recipe_step *s) {
    s->kind = STEP_PLACES;
    s->arg[0] = pick_step(t);
    s->arg[1] = pick_step(t);
    s->start = below(t, FUZZ_PLACES);
}

static void draw_lengths(generator *t, recipe_step *s) {
    s->kind = STEP_LENGTHS;
    s->arg[0] = pick_step(t);
    s->arg[1] = pick_like(t, s->arg[0]);
    s->start = below(t, FUZZ_LENGTHS);
}

static void draw_fold(generator *t, recipe_step *s) {
    s->kind = (step_kind)(STEP_SUM + below(t, STEP_SCAN_MAX_SUM - STEP_SUM + 1));
    if (chance(t, 5))
        s->kind = STEP_AVERAGE;
    s->arg[0] = pick_step(t);
    s->arg[1] = pick_like(t, s->arg[0]);
    const fsr_shape *from = &fsr_node_rec(t->node[s->arg[0]])->shape;
    s->axis = from->ndim ? below(t, from->ndim) : 0;
    draw_axes(t, s, from);
    static const double orders[] = {0, 1, 2, INFINITY};
    s->value = s->kind == STEP_NORM ? orders[below(t, 4)] : chance(t, 40);
    if (s->kind >= STEP_ARGMAX && s->kind < STEP_CUMSUM && chance(t, 20))
        s->axis = RECIPE_FLAT;
    bool scan = (s->kind >= STEP_CUMSUM && s->kind <= STEP_CUMALL) || s->kind == STEP_SCAN_LINEAR ||
                s->kind == STEP_SCAN_MAX_SUM;
    if (scan)
        s->flags = (chance(t, 40) ? FSR_EXCLUSIVE : 0) | (chance(t, 30) ? FSR_REVERSE : 0);
}

static void draw_loop(generator *t, recipe_step *s) {
    s->kind = STEP_LOOP;
    s->arg[0] = pick_step(t);
    s->arg[1] = pick_like(t, s->arg[0]);
    s->axis = below(t, FUZZ_LOOPS);
    if (s->axis == FUZZ_LOOPS - 1 && fsr_shape_size(&fsr_node_rec(t->node[s->arg[1]])->shape) == 0)
        s->axis = 0; /* of an array of nothing no element can be taken */
    s->start = below(t, 6);
}

static void draw_turns(generator *t, recipe_step *s) {
    s->kind = STEP_TURNS;
    s->arg[0] = pick_step(t);
    s->arg[1] = pick_step(t);
    s->axis = below(t, FUZZ_TURNS);
    s->start = below(t, 6);
    s->flags = below(t, 3);
}

static void draw_order(generator *t, recipe_step *s) {
    s->kind = (step_kind)(STEP_SORT + below(t, STEP_LIBRARY - STEP_SORT + 1));
    s->arg[0] = pick_step(t);
    const fsr_shape *from = &fsr_node_rec(t->node[s->arg[0]])->shape;
    s->axis = from->ndim && chance(t, 80) ? below(t, from->ndim) : RECIPE_FLAT;
    const int64_t n = s->axis == RECIPE_FLAT ? fsr_shape_size(from) : from->dim[s->axis];
    if (n == 0 && s->kind >= STEP_KTH && s->kind <= STEP_MEDIAN)
        s->kind = STEP_SORT;
    s->start = below(t, (int)(n < 40 ? n : 40) + (s->kind != STEP_KTH));
    s->flags = s->kind < STEP_KTH && chance(t, 40) ? FSR_DESCENDING : 0;
}

static void draw_orders(generator *t, recipe_step *s) {
    static const int flags[] = {0, FSR_DESCENDING, FSR_KEEPDIMS};
    s->kind = STEP_ORDERS;
    s->arg[0] = pick_step(t);
    s->arg[1] = pick_step(t);
    s->start = below(t, FUZZ_ORDERS * (FSR_QUANTILE_NORMAL_UNBIASED + 1));
    const fsr_shape *from = &fsr_node_rec(t->node[s->arg[s->start % FUZZ_ORDERS == 0]])->shape;
    s->axis = from->ndim && chance(t, 80) ? below(t, from->ndim) : RECIPE_FLAT;
    s->flags = flags[below(t, 3)];
}

/* reduce, then its result against what was reduced: the shape of softmax and normalization. */
static bool draw_back(generator *t, recipe_step *s) {
    int last = t->r->n - 1;
    const recipe_step *fold = &t->r->step[last];
    if (fold->kind < STEP_SUM || fold->kind >= STEP_PAIR || fold->flags != FSR_KEEPDIMS)
        return false;
    static const fsr_op ops[] = {FSR_OP_SUB, FSR_OP_DIV, FSR_OP_MUL, FSR_OP_LESS, FSR_OP_ADD};
    s->kind = STEP_OP;
    s->op = ops[below(t, 5)];
    s->arg[0] = fold->arg[0];
    s->arg[1] = last;
    return true;
}

static void draw(generator *t, recipe_step *s) {
    memset(s, 0, sizeof *s);
    int last = t->r->n - 1, kind = below(t, 100);
    if (last < 1 || kind < 10)
        draw_leaf(t, s);
    else if (t->sparse && chance(t, 25))
        (chance(t, 30) ? draw_calls : chance(t, 40) ? draw_product : draw_sparse)(t, s);
    else if (chance(t, 40) && draw_back(t, s))
        ;
    else if (step_has_pair(t->r->step[last].kind) && chance(t, 60)) {
        s->kind = STEP_PAIR;
        s->arg[0] = last;
    } else if (kind < 50)
        draw_op(t, s);
    else if (kind < 52)
        (chance(t, 50) ? draw_loop : t->folds && chance(t, 10) ? draw_product : draw_order)(t, s);
    else if (kind < 53)
        draw_turns(t, s);
    else if (kind < 54)
        draw_orders(t, s);
    else if (kind < 59)
        (chance(t, 20) ? draw_lengths : chance(t, 20) ? draw_places : draw_paste)(t, s);
    else if (kind < 63)
        draw_shape(t, s);
    else if (kind < 68)
        draw_take(t, s);
    else if (kind < 75 || !t->folds)
        draw_view(t, s);
    else if (chance(t, 8))
        draw_rows(t, s);
    else
        draw_fold(t, s);
    if (chance(t, 4))
        s->hint = chance(t, 50) ? FSR_HINT_MATERIALIZE : FSR_HINT_INLINE;
    if (chance(t, 6)) {
        s->pair = chance(t, 50) ? FSR_PAIR_FUSE : FSR_PAIR_APART;
        s->back = 1 + below(t, 6);
    }
    s->force = s->kind > STEP_PARAM && chance(t, 3);
}

static void append(generator *t) {
    recipe *r = t->r;
    draw(t, &r->step[r->n]);
    recipe_record(r, r->n, t->g, t->node, t->other);
    fsr_node x = t->node[r->n];
    int64_t size = fsr_node_size(x);
    if (fsr_node_status(x) == FSR_OK && size <= t->limit && fsr_node_ndim(x) <= RECIPE_DIMS)
        r->n++;
}

static void choose_outs(generator *t) {
    recipe *r = t->r;
    r->nouts = 0;
    r->out[r->nouts++] = r->n - 1;
    while (r->nouts < (t->long_one ? RECIPE_OUTS : 6) && chance(t, t->long_one ? 95 : 45))
        r->out[r->nouts++] = below(t, r->n);
}

void recipe_generate(recipe *r, uint64_t seed) {
    static const int extents[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33, 40, 64};
    generator t = {
        .state = seed * 0x9e3779b97f4a7c15u + 12345, .r = r, .complex = seed % 8 == 7, .calls = seed % 8 == 5};
    t.sparse = seed % 8 == 3 || seed % 16 == 15;
    fsr_graph_owner *owner;
    memset(r, 0, sizeof *r);
    for (int i = 0; i < 4; i++)
        fuzz_random(&t.state);
    bool large = chance(&t, 3);
    t.limit = large ? LARGE_ELEMENTS : SMALL_ELEMENTS;
    for (int i = 0; i < 4; i++)
        t.extent[i] = extents[below(&t, 18)];
    if (large)
        t.extent[0] = 1 + below(&t, 9000);
    t.folds = chance(&t, 80);
    t.floats = chance(&t, 60);
    t.long_one = chance(&t, 3);
    int want = t.long_one ? 40 + below(&t, RECIPE_STEPS - 40) : 3 + below(&t, chance(&t, 20) ? 37 : 16);
    t.g = node_graph(&owner);
    for (int tries = 0; r->n < want && tries < 1000; tries++)
        append(&t);
    fsr_graph_owner_free(owner);
    choose_outs(&t);
    recipe_prune(r);
}
