/* SPDX-License-Identifier: MIT */
/* The loop of a stage that loads at computed places, in generated C: by pieces of 16 elements, each of which is
 * vector code where its elements lie side by side.
 *
 * Programs write their neighbours, windows and diagonals as arrays of indices, min(i + 1, n - 1) say, so that most
 * pieces lie in order and only those at an edge do not. Whether one does is asked of its last index first, which of
 * places all over an array is hardly ever 15 beyond the first one, then of all 16 at once. Counter-example to asking
 * the indices' expressions: they go by numbers that only the run knows, clipped at one end or at both.
 *
 * Nothing is asked of pieces where the strip's ends lie apart, or where the part folds. Counter-example to asking in
 * any case: 2^22 elements from anywhere in 16 MB took a tenth longer. */
#include "backend_cpu/emit/parts.h"
#include "fusion/walk.h"

/* " && u3_[q + 15] - u3_[q] == 15" of every index: whether the last one is what it is if each goes on from the first;
 * still: if all are the same. */
static void put_ends(fsr_c_emit *e, const fsr_c_along *along, const char *name, bool still) {
    fsr_text all = {0};
    for (int i = 0; i < e->k->ninsts; i++)
        if (e->going[i] != FSR_GOES_ANYWHERE)
            fsr_text_add(&all, " && u%d_[q%s + %d] - u%d_[q%s] == %d", i, along->less, FSR_GATHER_PIECE - 1, i,
                         along->less, e->going[i] == FSR_GOES_ON && !still ? FSR_GATHER_PIECE - 1 : 0);
    fsr_c_line(e, "i32 %s = qe - q == %d%s;", name, FSR_GATHER_PIECE, all.data ? all.data : "");
    e->body.failed |= all.failed;
    fsr_text_free(&all);
}

/* Some index goes on: where it is clipped all are the same. */
static bool goes_on(const fsr_c_emit *e) {
    for (int i = 0; i < e->k->ninsts; i++)
        if (e->going[i] == FSR_GOES_ON)
            return true;
    return false;
}

/* The same of each element between the ends. */
static void put_between(fsr_c_emit *e, const fsr_c_along *along) {
    const bool clips = goes_on(e);
    fsr_c_begin(e, "if (on%s)", clips ? " | still" : "");
    fsr_c_line(e, "i32 other = 0;");
    fsr_c_begin(e, "for (i64 l = 0; l < %d; ++l)", FSR_GATHER_PIECE);
    for (int i = 0; i < e->k->ninsts; i++)
        if (e->going[i] != FSR_GOES_ANYWHERE)
            fsr_c_line(e, "other |= u%d_[q%s + l] - u%d_[q%s] != %s;", i, along->less, i, along->less,
                       e->going[i] == FSR_GOES_ON ? "(on ? (i32)l : 0)" : "0");
    fsr_c_end(e);
    fsr_c_line(e, "on &= !other;");
    if (clips)
        fsr_c_line(e, "still &= !other;");
    fsr_c_end(e);
}

/* The loop of a whole piece. */
static void put_piece(fsr_c_emit *e, const fsr_body *part, const fsr_c_along *along, fsr_c_element_fn *print) {
    fsr_c_independent(e);
    fsr_c_begin(e, "for (i64 %s = q; %s < q + %d; ++%s)", along->var, along->var, FSR_GATHER_PIECE, along->var);
    e->along_piece = along;
    print(e, part);
    e->along_piece = NULL;
    fsr_c_end(e);
}

static void put_any(fsr_c_emit *e, const fsr_body *part, const fsr_c_along *along, const char *low, const char *high,
                    fsr_c_element_fn *print) {
    fsr_c_begin(e, "for (i64 %s = %s; %s < %s; ++%s)", along->var, low, along->var, high, along->var);
    fsr_c_scalar_mark(e);
    e->one_by_one = true;
    print(e, part);
    e->one_by_one = false;
    fsr_c_end(e);
}

/* The whole strip's. */
static void put_all(fsr_c_emit *e, const fsr_body *part, const fsr_c_along *along, fsr_c_element_fn *print) {
    const char *low = along->low, *high = along->high;
    const bool comes = fsr_c_comes_begin(e, part->pass, along, &low, &high);
    put_any(e, part, along, low, high, print);
    if (comes)
        fsr_c_end(e);
}

static void put_pieces(fsr_c_emit *e, const fsr_body *part, const fsr_c_along *along, fsr_c_element_fn *print) {
    fsr_c_begin(e, "for (i64 q = %s; q < %s; q += %d)", along->low, along->high, FSR_GATHER_PIECE);
    fsr_c_line(e, "const i64 qe = %s - q < %d ? %s : q + %d;", along->high, FSR_GATHER_PIECE, along->high,
               FSR_GATHER_PIECE);
    if (!goes_on(e))
        fsr_c_comes(e, part->pass, along, "q");
    put_ends(e, along, "on", false);
    if (goes_on(e))
        put_ends(e, along, "still", true);
    put_between(e, along);
    fsr_c_begin(e, "if (on)");
    put_piece(e, part, along, print);
    if (goes_on(e)) {
        fsr_c_else_if(e, "still");
        e->still = true;
        put_piece(e, part, along, print);
        e->still = false;
    }
    fsr_c_else(e);
    put_any(e, part, along, "q", "qe", print);
    fsr_c_end(e);
    fsr_c_end(e);
}

/* The strip's ends lie as near each other as indices that go on, or leave a few out, would; every index is asked. */
static void put_nearby(fsr_c_emit *e, const fsr_c_along *along) {
    fsr_text all = {0};
    fsr_c_line(e, "const i64 far = %d * (%s - %s);", FSR_FETCH_APART, along->high, along->low);
    for (int i = 0; i < e->k->ninsts; i++)
        if (e->going[i] == FSR_GOES_ON)
            fsr_text_add(&all, " && (u64)((i64)u%d_[%s%s - 1] - (i64)u%d_[%s%s] + far) <= 2 * (u64)far", i, along->high,
                         along->less, i, along->low, along->less);
    fsr_c_begin(e, "if (far > 0%s)", all.data ? all.data : "");
    e->body.failed |= all.failed;
    fsr_text_free(&all);
}

void fsr_c_gather_loop(fsr_c_emit *e, const fsr_body *part, const fsr_c_along *along, fsr_c_element_fn *print) {
    if (e->fetching || !fsr_body_neighbours(e->k, part, e->crossing, fsr_kernel_inner(e->k), e->going)) {
        put_all(e, part, along, print);
        return;
    }
    if (!goes_on(e)) {
        put_pieces(e, part, along, print);
        return;
    }
    fsr_c_begin(e, "%s", "");
    put_nearby(e, along);
    put_pieces(e, part, along, print);
    fsr_c_else(e);
    put_all(e, part, along, print);
    fsr_c_end(e);
    fsr_c_end(e);
}
