/* SPDX-License-Identifier: MIT */
/* Reductions that keep their order, in generated C.
 *
 * Such a fold has no lanes: neighbours must stay neighbours. So a strip's inputs are put into an array, and then pairs
 * of neighbours are folded, pairs of those, and so on: each level is vector code, of loads with stride two. What is
 * left of a chunk, less than a strip, is folded one element after the other.
 *
 * Counter-example to folding element after element: each waits for the one before it, six cycles of a linear
 * recurrence. Measured, 2^17 elements of it in f32, one thread: 0.20 ms, in pairs 0.03. */
#include "backend_cpu/emit/parts.h"
#include <stdio.h>

static bool is_paired(const fsr_c_emit *e, int fold) {
    return !fsr_c_is_scan(e, fold) && !e->k->fold[fold].combine->commutative;
}

void fsr_c_pair_arrays(fsr_c_emit *e, const fsr_body *loop) {
    char whole[FSR_EMIT_NAME], half[FSR_EMIT_NAME];
    snprintf(whole, sizeof whole, "[%d]", e->s->strip);
    snprintf(half, sizeof half, "[%d]", e->s->strip / 2);
    for (int i = 0; i < loop->nfolds; i++)
        if (is_paired(e, loop->folds[i])) {
            fsr_c_fold_declare(e, loop->folds[i], 'a', whole);
            fsr_c_fold_declare(e, loop->folds[i], 'h', half);
        }
}

bool fsr_c_pair_input(fsr_c_emit *e, int fold) {
    const fsr_fold *f = &e->k->fold[fold];
    if (!e->pairing || !is_paired(e, fold))
        return false;
    for (int i = 0; i < f->combine->arity; i++)
        fsr_c_line(e, "a%d_%d[l] = v%d;", fold, i, f->input[i]);
    return true;
}

/* to[l] = from[2 l] (+) from[2 l + 1] */
static void put_pair(fsr_c_emit *e, int fold, char from, char to) {
    const fsr_combine *c = e->k->fold[fold].combine;
    fsr_text t = {0};
    for (int i = 0; i < c->arity; i++) {
        fsr_c_line(e, "%s y%d = %c%d_%d[2 * l];", fsr_c_type(fsr_combine_dtype(c, i)), i, from, fold, i);
        fsr_text_add(&t, "&y%d, ", i);
    }
    for (int i = 0; i < c->arity; i++)
        fsr_text_add(&t, "%s%c%d_%d[2 * l + 1]", i ? ", " : "", from, fold, i);
    fsr_c_fold_same(e, &t, fold);
    fsr_c_line(e, "fold%d(%s);", e->shared[fold], t.data ? t.data : "");
    for (int i = 0; i < c->arity; i++)
        fsr_c_line(e, "%c%d_%d[l] = y%d;", to, fold, i, i);
    e->body.failed |= t.failed;
    fsr_text_free(&t);
}

static void put_tree(fsr_c_emit *e, int fold) {
    char from = 'a';
    int n = e->s->strip / 2;
    for (; n >= e->s->pair_level; n /= 2) {
        const char to = from == 'a' ? 'h' : 'a';
        fsr_c_begin(e, "for (i64 l = 0; l < %d; ++l)", n);
        put_pair(e, fold, from, to);
        fsr_c_end(e);
        from = to;
    }
    fsr_c_begin(e, "for (i64 few = %d; few > 0; few /= 2)", n);
    fsr_c_begin(e, "for (i64 l = 0; l < few; ++l)");
    fsr_c_line(e, "__asm__(\"\");");
    put_pair(e, fold, from, from);
    fsr_c_end(e);
    fsr_c_end(e);
    fsr_c_fold_pair(e, fold, 'q', "", from, "[0]");
}

void fsr_c_pairs(fsr_c_emit *e, const fsr_body *loop, void (*print)(fsr_c_emit *e, const fsr_body *loop)) {
    fsr_c_line(e, "i64 cs = c0;");
    fsr_c_begin(e, "for (; cs + %d <= c1; cs += %d)", e->s->strip, e->s->strip);
    e->pairing = true;
    fsr_c_begin(e, "for (i64 l = 0; l < %d; ++l)", e->s->strip);
    fsr_c_line(e, "const i64 c = cs + l;");
    print(e, loop);
    fsr_c_end(e);
    e->pairing = false;
    for (int i = 0; i < loop->nfolds; i++)
        if (is_paired(e, loop->folds[i]))
            put_tree(e, loop->folds[i]);
    fsr_c_end(e);
    fsr_c_begin(e, "for (i64 c = cs; c < c1; ++c)");
    print(e, loop);
    fsr_c_end(e);
}
