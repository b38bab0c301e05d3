/* SPDX-License-Identifier: MIT */
/* Parts of rows whose filters store before the parts on their left are done, in generated C.
 *
 * Where a filter's elements of a part go hangs on how many the parts on its left have stored. Where that is all that a
 * kernel's scans are for (fsr_kernel_packs), a part that is not the next one is not counted first and then done: it is
 * done at once, FOLD, with what filters store next to each other in memory of the thread's own, which its near cache
 * holds, and goes from there to its place when that is known, PACKED. One thread alone knows the place of each part
 * when it begins.
 *
 * Counter-example to counting first: each element was read and compared twice. Measured, half of 2^24 f32 selected,
 * milliseconds of processor time: counted first 13.5, so 9.2 and by one thread alone 7.8, a copy of as many bytes 7.5.
 *
 * How many elements a part stores is what its scan gives, and a reduction that gives the same, to the bit
 * (fsr_fold_rides), needs no loop. */
#include "backend_cpu/emit/emit_c.h"
#include "backend_cpu/emit/parts.h"
#include "fusion/filter.h"
#include <stdio.h>

static const char out_text[] =
    "static void fsr_pack_out(char *to, const char *from, i64 bytes, i64 stream) {\n"
    "    const i64 edge = -(i64)to & 63, i = edge < bytes ? edge : bytes, lines = (bytes - i) & ~(i64)63;\n"
    "    __builtin_memcpy(to, from, i);\n"
    "    if (stream) { fsr_stream(to + i, from + i, lines); }\n"
    "    else __builtin_memcpy(to + i, from + i, lines);\n"
    "    __builtin_memcpy(to + i + lines, from + i + lines, bytes - i - lines);\n"
    "}\n";

void fsr_c_apart_prelude(fsr_text *to) {
    fsr_text_raw(to, out_text, sizeof out_text - 1);
}

static int size_of(const fsr_c_emit *e, const fsr_inst *store) {
    return (int)fsr_dtype_size(e->k->array[e->k->access[store->index].buffer].dtype);
}

/* Of one end: whole lines are written. */
static int64_t end_bytes(const fsr_c_emit *e, const fsr_inst *store) {
    return (int64_t)e->s->part * size_of(e, store) + FSR_EMIT_LINE;
}

/* Where the memory of what `number` stores begins. */
static int64_t bytes_before(const fsr_c_emit *e, int number) {
    int64_t bytes = 0;
    for (int i = 0; i < number; i++)
        if (e->k->inst[i].filter)
            bytes += (e->k->inst[i].front ? 1 : 2) * end_bytes(e, &e->k->inst[i]);
    return bytes;
}

int64_t fsr_c_apart_bytes(const fsr_c_emit *e) {
    return e->packs ? bytes_before(e, e->k->ninsts) : 0;
}

/* What FOLD has in place of an address: "mode == 3 ? (char *)t[7] + 128 : ". */
static void put_own(const fsr_c_emit *e, int64_t at, char *out) {
    out[0] = 0;
    if (e->packs)
        snprintf(out, FSR_EMIT_NAME, "mode == %d ? (char *)t[%d] + %lld : ", FSR_MODE_FOLD, FSR_TASK_PACKED,
                 (long long)at);
}

/* fsr_pack_up(&ends7.front, up7, mode == 3 ? up7 : ends7.up); */
static void put_end(fsr_c_emit *e, int number, const char *way, const char *side, int held) {
    char apart[FSR_EMIT_NAME] = "";
    if (e->packs)
        snprintf(apart, sizeof apart, "mode == %d ? %s%d : ", FSR_MODE_FOLD, way, number);
    fsr_c_line(e, "fsr_pack_%s(&ends%d.%s, %s%d, %sends%d.%s + %d);", way, number, side, way, number, apart, number,
               way, held);
}

void fsr_c_apart_ends(fsr_c_emit *e, int number) {
    const fsr_inst *store = &e->k->inst[number];
    const int b = e->k->access[store->index].buffer, f = fsr_counting_fold(e->k, store);
    const int64_t at = bytes_before(e, number);
    char cols[FSR_EMIT_NAME], own[FSR_EMIT_NAME];
    put_own(e, at, own);
    fsr_c_line(e, "char *const up%d = %s(char *)(x%d + g%d_0);", number, own, b, f);
    put_end(e, number, "up", "front", 0);
    if (store->front)
        return;
    put_own(e, at + 2 * end_bytes(e, store), own);
    fsr_c_line(e, "char *const down%d = %s(char *)(x%d + (%s - (%s - g%d_0)));", number, own, b,
               fsr_c_integer(e, FSR_INT_COLS, cols), e->s->part ? "begin" : "0", f);
    put_end(e, number, "down", "back", fsr_c_pack_room(e, store));
}

/* A store that scan f counts for. */
static int store_of(const fsr_c_emit *e, int f) {
    int number = 0;
    while (!e->k->inst[number].filter || fsr_counting_fold(e->k, &e->k->inst[number]) != f)
        number++;
    return number;
}

void fsr_c_apart_counts(fsr_c_emit *e, const fsr_body *loop) {
    for (int i = 0; e->packs && i < loop->nfolds; i++) {
        const int f = loop->folds[i];
        if (!fsr_c_is_scan(e, f))
            continue;
        const int number = store_of(e, f);
        const char *type = fsr_c_type(fsr_c_state_dtype(e, f, 'g', 0));
        char own[FSR_EMIT_NAME];
        fsr_c_line(e, "const %s n%d_0 = (%s)((ends%d.front.to + ends%d.front.held - up%d) / %d);", type, f, type,
                   number, number, number, size_of(e, &e->k->inst[number]));
        fsr_c_share_word(e, f, 0, e->word[f], "", own);
        fsr_c_begin(e, "if (mode == %d || mode == %d)", FSR_MODE_PART, FSR_MODE_FOLD);
        fsr_c_line(e, "%s = n%d_0;", own, f);
        fsr_c_end(e);
        for (int r = 0; r < e->k->nfolds; r++)
            if (e->rides[r] == f)
                fsr_c_line(e, "f%d_0 = n%d_0;", r, f);
    }
}

void fsr_c_apart_loop(const fsr_c_emit *e, const fsr_body *loop, fsr_body *out) {
    *out = *loop;
    out->n = 0;
    for (int i = 0; i < loop->n; i++) {
        const fsr_inst *inst = &e->k->inst[loop->inst[i]];
        if (!e->packs || inst->kind != FSR_INST_COMBINE || e->rides[inst->index] < 0)
            out->inst[out->n++] = loop->inst[i];
    }
    fsr_body_folds(e->k, out);
}

void fsr_c_apart_packed(fsr_c_emit *e) {
    for (int i = 0; i < e->k->ninsts; i++) {
        const fsr_inst *store = &e->k->inst[i];
        if (!store->filter)
            continue;
        const int b = e->k->access[store->index].buffer, f = fsr_counting_fold(e->k, store), size = size_of(e, store);
        const char *stream = e->s->streams ? "stream" : "0";
        char carry[FSR_EMIT_NAME], own[FSR_EMIT_NAME], cols[FSR_EMIT_NAME];
        const long long at = bytes_before(e, i), end = at + 2 * end_bytes(e, store);
        fsr_c_share_word(e, f, 0, e->carry[f], "", carry);
        fsr_c_share_word(e, f, 0, e->word[f], "", own);
        fsr_c_begin(e, "%s", "");
        fsr_c_line(e, "const i64 before = %s, held = %s;", carry, own);
        fsr_c_line(e, "fsr_pack_out((char *)(x%d + before), (char *)t[%d] + %lld, held * %d, %s);", b, FSR_TASK_PACKED,
                   at, size, stream);
        if (!store->front) {
            fsr_c_line(e, "const i64 rest = (end - begin - held) * %d;", size);
            fsr_c_line(
                e,
                "fsr_pack_out((char *)(x%d + (%s - (begin - before))) - rest, (char *)t[%d] + %lld - rest, rest, "
                "%s);",
                b, fsr_c_integer(e, FSR_INT_COLS, cols), FSR_TASK_PACKED, end, stream);
        }
        fsr_c_end(e);
    }
}

void fsr_c_apart_finish(fsr_c_emit *e) {
    char part[FSR_EMIT_NAME], carry[FSR_EMIT_NAME];
    snprintf(part, sizeof part, "end * %d + ", 8 * e->words);
    for (int r = 0; r < e->k->nfolds; r++) {
        if (e->rides[r] < 0)
            continue;
        fsr_c_share_word(e, e->rides[r], 0, e->carry[e->rides[r]], part, carry);
        fsr_c_begin(e, "if (mode == %d)", FSR_MODE_FINISH);
        fsr_c_line(e, "f%d_0 = %s;", r, carry);
        fsr_c_end(e);
    }
}
