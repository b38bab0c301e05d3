/* SPDX-License-Identifier: MIT */
/* Reductions and scans in generated C.
 *
 * A row's columns are cut into chunks. Within a chunk a commutative reduction has `lanes` independent accumulators (the
 * compiler makes vectors of them), folded pairwise at the chunk's end; any other fold has one, in order, into which
 * strips are folded pairwise (pair.c). The chunks of a reduction meet on a stack that counts in binary: states of
 * equal numbers of chunks fold with each other, in order. By columns a scan restarts in each chunk and prepends the
 * carry: element = carry (+) local; the carry advances by whole chunks; a sequence has one state from the first column
 * to the last. Along rows it goes in blocks (scan.c). The association therefore depends on the number of columns and on
 * lanes and chunk, on nothing else.
 *
 * An operator of several steps is a part of the loops over columns, and a function, join, where whole chunks meet: a
 * compiler works on each copy of its text again.
 *
 * Counter-example to one accumulator over the row: the sum of 2^25 ones in f32 is 2^24. */
#include "backend_cpu/emit/parts.h"
#include <stdio.h>
#include <string.h>

void fsr_c_fold_same(const fsr_c_emit *e, fsr_text *to, int fold) {
    const fsr_fold *f = &e->k->fold[fold];
    for (int i = 0; i < fsr_combine_same(f->combine); i++)
        fsr_text_add(to, ", p%d", f->same[i]);
}

/* ---- pieces of statements ----------------------------------------------------------------------- */

/* "&q0_0[l], &q0_1[l]" or, without `address`, the values. */
static void put_state(fsr_text *to, int arity, const char *mark, char letter, int fold, const char *at) {
    for (int i = 0; i < arity; i++)
        fsr_text_add(to, "%s%s%c%d_%d%s", i ? ", " : "", mark, letter, fold, i, at);
}

static void put_pair(fsr_c_emit *e, const char *function, int fold, char left, const char *left_at, char right,
                     const char *right_at) {
    int arity = e->k->fold[fold].combine->arity;
    fsr_text t = {0};
    put_state(&t, arity, "&", left, fold, left_at);
    fsr_text_add(&t, ", ");
    put_state(&t, arity, "", right, fold, right_at);
    fsr_c_fold_same(e, &t, fold);
    fsr_c_line(e, "%s%d(%s);", function, e->shared[fold], t.data ? t.data : "");
    e->body.failed |= t.failed;
    fsr_text_free(&t);
}

/* fold(left, right) over two states that are named alike in every component. */
void fsr_c_fold_pair(fsr_c_emit *e, int fold, char left, const char *left_at, char right, const char *right_at) {
    put_pair(e, fsr_c_is_wide(e, fold, left) ? "wide" : "fold", fold, left, left_at, right, right_at);
}

/* The same where chunks meet. The left state must not be one that the loop over columns folds into: it has an
 * address. */
static void put_meeting(fsr_c_emit *e, int fold, char left, const char *left_at, char right, const char *right_at) {
    if (fsr_c_has_join(e, fold))
        put_pair(e, "join", fold, left, left_at, right, right_at);
    else
        fsr_c_fold_pair(e, fold, left, left_at, right, right_at);
}

static void put_copy(fsr_c_emit *e, int fold, char to, const char *to_at, char from, const char *from_at) {
    for (int i = 0; i < e->k->fold[fold].combine->arity; i++)
        fsr_c_line(e, "%c%d_%d%s = %c%d_%d%s;", to, fold, i, to_at, from, fold, i, from_at);
}

void fsr_c_fold_identity(fsr_c_emit *e, int fold, char letter, const char *at) {
    const fsr_combine *c = e->k->fold[fold].combine;
    for (int i = 0; i < c->arity; i++) {
        fsr_text t = {0};
        fsr_c_literal(&t, fsr_combine_dtype(c, i), c->identity[i]);
        fsr_c_line(e, "%c%d_%d%s = %s;", letter, fold, i, at, t.data ? t.data : "");
        e->body.failed |= t.failed;
        fsr_text_free(&t);
    }
}

void fsr_c_fold_declare(fsr_c_emit *e, int fold, char letter, const char *extent) {
    const fsr_combine *c = e->k->fold[fold].combine;
    for (int i = 0; i < c->arity; i++)
        fsr_c_line(e, "%s %c%d_%d%s;", fsr_c_type(fsr_c_state_dtype(e, fold, letter, i)), letter, fold, i, extent);
}

/* The chunk's state once its lanes are folded. */
static const char *chunk_at(const fsr_c_emit *e) {
    return e->laned ? "[0]" : fsr_c_row_at(e);
}

static bool any_reduction(const fsr_c_emit *e, const int *folds, int n) {
    for (int i = 0; i < n; i++)
        if (!fsr_c_is_scan(e, folds[i]))
            return true;
    return false;
}

/* Each element beside the others has a state of its own: of reductions, as a scan has its row's. */
static bool lies_beside(const fsr_c_emit *e, int fold) {
    return e->s->beside && !fsr_c_is_scan(e, fold);
}

/* Its state is what it folds elements into, in one sequence from the identity on. */
static bool is_sequence(const fsr_c_emit *e, int fold) {
    return e->k->fold[fold].combine->sequential;
}

static bool all_sequences(const fsr_c_emit *e, const int *folds, int n) {
    for (int i = 0; i < n; i++)
        if (!is_sequence(e, folds[i]))
            return false;
    return true;
}

/* A scan along a row: what it has of a chunk is in its strip's arrays. */
static bool is_in_strip(const fsr_c_emit *e, int fold) {
    return fsr_c_is_scan(e, fold) && !e->abreast;
}

/* ---- one loop's folds --------------------------------------------------------------------------- */

void fsr_c_fold_results(fsr_c_emit *e, const int *folds, int n) {
    char extent[FSR_EMIT_NAME];
    for (int i = 0; i < n; i++)
        if (!fsr_c_is_scan(e, folds[i]))
            fsr_c_fold_declare(e, folds[i], 'f', fsr_c_row_extent(e, extent));
}

/* How many chunks' states there are at most at a time: of rows abreast as many as their columns ask for, since each is
 * a state of every row, and a thread's stack may be small. */
static void put_depth(fsr_c_emit *e, char *out, size_t size) {
    char cols[FSR_EMIT_NAME];
    snprintf(out, size, "%d", FSR_EMIT_STACK);
    if (!e->abreast || e->s->tall)
        return;
    snprintf(out, size, "deep");
    fsr_c_line(e, "const i64 deep = 65 - __builtin_clzll(%s / %d + 1);", fsr_c_integer(e, FSR_INT_COLS, cols),
               e->s->chunk);
}

void fsr_c_fold_states(fsr_c_emit *e, const int *folds, int n) {
    char extent[FSR_EMIT_NAME], depth[FSR_EMIT_NAME] = "", stack[3 * FSR_EMIT_NAME];
    fsr_c_row_extent(e, extent);
    if (any_reduction(e, folds, n) && !e->s->single)
        put_depth(e, depth, sizeof depth);
    snprintf(stack, sizeof stack, "[%s]%s", depth, extent);
    for (int i = 0; i < n; i++) {
        char own[FSR_EMIT_NAME];
        const bool beside = lies_beside(e, folds[i]);
        snprintf(own, sizeof own, "[%d]", beside ? e->s->beside * e->s->abreast : e->s->lanes);
        if (!is_in_strip(e, folds[i]))
            fsr_c_fold_declare(e, folds[i], 'q', e->laned || beside ? own : extent);
        if (!is_sequence(e, folds[i]) && !e->s->single)
            fsr_c_fold_declare(e, folds[i], fsr_c_is_scan(e, folds[i]) ? 'g' : 'k',
                               fsr_c_is_scan(e, folds[i]) ? extent : stack);
    }
    if (e->s->single)
        return;
    fsr_c_states_begin(e);
    for (int i = 0; i < n; i++)
        if (fsr_c_is_scan(e, folds[i]))
            fsr_c_fold_identity(e, folds[i], is_sequence(e, folds[i]) ? 'q' : 'g', fsr_c_row_at(e));
    fsr_c_rows_end(e);
    if (any_reduction(e, folds, n))
        fsr_c_line(e, "i64 chunks = 0, top = 0;");
}

/* Where elements lie beside each other and one dimension is folded, these are reset with each (beside.c). */
static void reset_beside(fsr_c_emit *e, const int *folds, int n) {
    if (!any_reduction(e, folds, n) || e->k->ndim - e->k->nparallel == 1)
        return;
    fsr_c_beside_begin(e);
    for (int i = 0; i < n; i++)
        if (lies_beside(e, folds[i]))
            fsr_c_fold_identity(e, folds[i], 'q', chunk_at(e));
    fsr_c_rows_end(e);
}

static bool any_scan(const fsr_c_emit *e, const int *folds, int n) {
    for (int i = 0; i < n; i++)
        if (fsr_c_is_scan(e, folds[i]))
            return true;
    return false;
}

void fsr_c_fold_reset(fsr_c_emit *e, const int *folds, int n) {
    bool loop = e->laned && e->s->lanes > 1;
    if (all_sequences(e, folds, n))
        return;
    if (e->s->beside)
        reset_beside(e, folds, n);
    if (e->s->beside && !any_scan(e, folds, n))
        return;
    fsr_c_states_begin(e);
    if (loop)
        fsr_c_begin(e, "for (i64 l = 0; l < %d; ++l)", e->s->lanes);
    for (int i = 0; i < n; i++)
        if (!is_sequence(e, folds[i]) && !is_in_strip(e, folds[i]) && !lies_beside(e, folds[i]))
            fsr_c_fold_identity(e, folds[i], 'q', loop ? "[l]" : chunk_at(e));
    if (loop)
        fsr_c_end(e);
    fsr_c_rows_end(e);
}

/* state = state (+) inputs */
static void fold_into(fsr_c_emit *e, int fold, char state, const char *at) {
    const fsr_fold *f = &e->k->fold[fold];
    char name[FSR_EMIT_NAME];
    fsr_text t = {0};
    put_state(&t, f->combine->arity, "&", state, fold, at);
    for (int i = 0; i < f->combine->arity; i++)
        fsr_text_add(&t, ", %s", fsr_c_value_name(e, f->input[i], name));
    fsr_c_fold_same(e, &t, fold);
    fsr_c_line(e, "%s%d(%s);", fsr_c_is_wide(e, fold, 'q') ? "wide" : "fold", e->shared[fold], t.data ? t.data : "");
    e->body.failed |= t.failed;
    fsr_text_free(&t);
}

/* q = q (+) inputs; of a column that is not there it stays. */
static void fold_input(fsr_c_emit *e, int fold, const char *at) {
    const int arity = e->k->fold[fold].combine->arity;
    if (!e->asking) {
        fold_into(e, fold, 'q', at);
        return;
    }
    fsr_c_begin(e, "%s", "");
    fsr_c_fold_declare(e, fold, 'o', "");
    put_copy(e, fold, 'o', "", 'q', at);
    fold_into(e, fold, 'o', "");
    for (int i = 0; i < arity; i++)
        fsr_c_line(e, "q%d_%d%s = b < left ? o%d_%d : q%d_%d%s;", fold, i, at, fold, i, fold, i, at);
    fsr_c_end(e);
}

/* A scan in a loop that is not abreast only hands its inputs to the strip. */
static void put_strip_input(fsr_c_emit *e, int fold) {
    const fsr_fold *f = &e->k->fold[fold];
    for (int i = 0; i < f->combine->arity && !e->counted[fold]; i++)
        fsr_c_line(e, "a%d_%d[%d + l] = v%d;", fold, i, e->s->block, f->input[i]);
}

void fsr_c_fold_step(fsr_c_emit *e, int fold) {
    const fsr_fold *f = &e->k->fold[fold];
    if (f->kind == FSR_FOLD_SCAN && !e->abreast) {
        put_strip_input(e, fold);
        return;
    }
    if (fsr_c_pair_input(e, fold) || fsr_c_laned_input(e, fold) || fsr_c_widen_input(e, fold))
        return;
    if (e->s->tall) {
        char at[FSR_EMIT_NAME];
        snprintf(at, sizeof at, "[%d][j]", e->tile_row);
        fold_input(e, fold, at);
        return;
    }
    if (f->kind == FSR_FOLD_REDUCE || !f->exclusive)
        fold_input(e, fold, e->laned ? "[l]" : fsr_c_row_at(e));
    if (f->kind == FSR_FOLD_REDUCE)
        return;
    for (int i = 0; i < f->combine->arity; i++)
        fsr_c_line(e, "%s s%d_%d = %c%d_%d%s;", fsr_c_type(fsr_combine_dtype(f->combine, i)), fold, i,
                   is_sequence(e, fold) ? 'q' : 'g', fold, i, fsr_c_row_at(e));
    if (!is_sequence(e, fold))
        fsr_c_fold_pair(e, fold, 's', "", 'q', fsr_c_row_at(e));
    if (f->exclusive)
        fold_input(e, fold, e->laned ? "[l]" : fsr_c_row_at(e));
}

void fsr_c_fold_keep(fsr_c_emit *e, const int *folds, int n) {
    char extent[FSR_EMIT_NAME];
    for (int i = 0; i < n; i++)
        fsr_c_fold_declare(e, folds[i], 'z', fsr_c_row_extent(e, extent));
    if (!n)
        return;
    fsr_c_rows_begin(e);
    for (int i = 0; i < n; i++)
        put_copy(e, folds[i], 'z', fsr_c_row_at(e), 'q', fsr_c_row_at(e));
    fsr_c_rows_end(e);
}

void fsr_c_fold_return(fsr_c_emit *e, const int *folds, int n) {
    if (!n)
        return;
    fsr_c_rows_begin(e);
    for (int i = 0; i < n; i++)
        put_copy(e, folds[i], 'q', fsr_c_row_at(e), 'z', fsr_c_row_at(e));
    fsr_c_rows_end(e);
}

/* q[l] = q[l] (+) q[l + h], where a function takes its address on the stack's next place, or, where there is no stack,
 * in the row's result. */
static void put_few_lanes(fsr_c_emit *e, int fold) {
    const char own = e->s->single ? 'f' : 'k', *at = e->s->single ? fsr_c_row_at(e) : "[top]";
    if (!fsr_c_has_join(e, fold)) {
        fsr_c_fold_pair(e, fold, 'q', "[l]", 'q', "[l + h]");
        return;
    }
    put_copy(e, fold, own, at, 'q', "[l]");
    put_meeting(e, fold, own, at, 'q', "[l + h]");
    put_copy(e, fold, 'q', "[l]", own, at);
}

/* Large halves each in a loop of their own, the last few lanes in one that stays small. */
void fsr_c_fold_lanes(fsr_c_emit *e, const int *folds, int n) {
    int half = e->laned ? e->s->lanes / 2 : 0;
    if (e->s->beside)
        fsr_c_beside_meet(e, folds, n);
    for (; half >= e->s->level; half /= 2) {
        char other[FSR_EMIT_NAME];
        snprintf(other, sizeof other, "[l + %d]", half);
        fsr_c_begin(e, "for (i64 l = 0; l < %d; ++l)", half);
        for (int i = 0; i < n; i++)
            if (!is_in_strip(e, folds[i]))
                fsr_c_fold_pair(e, folds[i], 'q', "[l]", 'q', other);
        fsr_c_end(e);
    }
    if (half == 0)
        return;
    fsr_c_begin(e, "for (i64 h = %d; h > 0; h /= 2)", half);
    fsr_c_begin(e, "for (i64 l = 0; l < h; ++l)");
    fsr_c_line(e, "__asm__(\"\");");
    for (int i = 0; i < n; i++)
        if (!is_in_strip(e, folds[i]))
            put_few_lanes(e, folds[i]);
    fsr_c_end(e);
    fsr_c_end(e);
}

/* One carry of the binary counter: k[top] (+) q is the state of twice as many chunks. */
static void put_push(fsr_c_emit *e, const int *folds, int n) {
    char top[FSR_EMIT_NAME];
    snprintf(top, sizeof top, "[top]%s", fsr_c_row_at(e));
    fsr_c_begin(e, "for (i64 z = chunks++; z & 1; z >>= 1)");
    fsr_c_line(e, "--top;");
    fsr_c_states_begin(e);
    for (int i = 0; i < n; i++)
        if (!fsr_c_is_scan(e, folds[i])) {
            put_meeting(e, folds[i], 'k', top, 'q', chunk_at(e));
            put_copy(e, folds[i], 'q', chunk_at(e), 'k', top);
        }
    fsr_c_rows_end(e);
    fsr_c_end(e);
    fsr_c_states_begin(e);
    for (int i = 0; i < n; i++)
        if (!fsr_c_is_scan(e, folds[i]))
            put_copy(e, folds[i], 'k', top, 'q', chunk_at(e));
    fsr_c_rows_end(e);
    fsr_c_line(e, "++top;");
}

static void put_carry(fsr_c_emit *e, const int *folds, int n) {
    fsr_c_states_begin(e);
    for (int i = 0; i < n; i++)
        if (fsr_c_is_scan(e, folds[i]) && !is_sequence(e, folds[i]))
            fsr_c_fold_pair(e, folds[i], 'g', fsr_c_row_at(e), 'q', fsr_c_row_at(e));
    fsr_c_rows_end(e);
}

void fsr_c_fold_flush(fsr_c_emit *e, const int *folds, int n) {
    const bool reductions = any_reduction(e, folds, n) && !e->s->single, scans = any_scan(e, folds, n);
    if (reductions)
        put_push(e, folds, n);
    if (scans && e->abreast && !all_sequences(e, folds, n))
        put_carry(e, folds, n);
}

/* The only chunk's state is the result. */
static void put_single(fsr_c_emit *e, const int *folds, int n) {
    fsr_c_states_begin(e);
    for (int i = 0; i < n; i++)
        put_copy(e, folds[i], 'f', fsr_c_row_at(e), 'q', chunk_at(e));
    fsr_c_rows_end(e);
}

void fsr_c_fold_finish(fsr_c_emit *e, const int *folds, int n) {
    char top[FSR_EMIT_NAME];
    if (e->s->single) {
        put_single(e, folds, n);
        return;
    }
    snprintf(top, sizeof top, "[top]%s", fsr_c_row_at(e));
    if (!any_reduction(e, folds, n))
        return;
    fsr_c_line(e, "--top;");
    fsr_c_states_begin(e);
    for (int i = 0; i < n; i++)
        if (!fsr_c_is_scan(e, folds[i])) {
            fsr_c_fold_identity(e, folds[i], 'f', fsr_c_row_at(e));
            fsr_c_begin(e, "if (top >= 0)");
            put_copy(e, folds[i], 'f', fsr_c_row_at(e), 'k', top);
            fsr_c_end(e);
        }
    fsr_c_rows_end(e);
    fsr_c_begin(e, "while (top > 0)");
    fsr_c_line(e, "--top;");
    fsr_c_states_begin(e);
    for (int i = 0; i < n; i++)
        if (!fsr_c_is_scan(e, folds[i])) {
            put_meeting(e, folds[i], 'k', top, 'f', fsr_c_row_at(e));
            put_copy(e, folds[i], 'f', fsr_c_row_at(e), 'k', top);
        }
    fsr_c_rows_end(e);
    fsr_c_end(e);
}
