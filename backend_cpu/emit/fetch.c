/* SPDX-License-Identifier: MIT */
/* Elements anywhere in a large array (schedule.fetched), in generated C: the stage that loads them, or combines with
 * them, asks for each so many elements before it does, in the second cache. Only where a strip's first and last index
 * lie apart: what goes along an array in order the processor fetches by itself, and asking would take longer than
 * loading. Short rows compute their places some rows before they load them, and ask for them wherever they lie: what a
 * row has is too little to tell.
 *
 * Counter-example to loads alone: the 12 to 16 that a core has under way wait for a far cache or for memory, 12 ns each
 * of 2^24 f32; asked for ahead, 9. */
#include "backend_cpu/emit/parts.h"
#include "fusion/walk.h"
#include <string.h>

static bool is_fetched(const fsr_c_emit *e, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    return (inst->kind == FSR_INST_LOAD || inst->combines) && e->s->fetched >> e->k->access[inst->index].buffer & 1 &&
           fsr_access_may_fetch(e->k, e->crossing, number);
}

/* The first load, or store, of a part that is; -1. */
static int first_fetched(const fsr_c_emit *e, const fsr_body *part) {
    for (int i = 0; i < part->n; i++)
        if (is_fetched(e, part->inst[i]) && !e->dead[part->inst[i]])
            return part->inst[i];
    return -1;
}

/* Asks for what the part loads, or combines with, for element `at` of the strip. */
static void put_fetches(fsr_c_emit *e, const fsr_body *part, const char *at) {
    for (int i = 0; i < part->n; i++) {
        const fsr_inst *inst = &e->k->inst[part->inst[i]];
        if (!is_fetched(e, part->inst[i]) || e->dead[part->inst[i]])
            continue;
        const fsr_index_form *form = fsr_access_form(e->k, inst->index);
        fsr_text address = {0};
        fsr_c_begin(e, "%s", "");
        for (int t = 0; t < form->nterms; t++)
            if (e->crossing[form->term[t].value])
                fsr_c_line(e, "const %s v%d = u%d_[%s];", fsr_c_type(e->k->inst[form->term[t].value].dtype),
                           form->term[t].value, form->term[t].value, at);
        fsr_c_address(e, &address, inst->index);
        fsr_c_line(e, "__builtin_prefetch(x%d + (%s), 0, 2);", e->k->access[inst->index].buffer,
                   address.data ? address.data : "0");
        e->body.failed |= address.failed;
        fsr_text_free(&address);
        fsr_c_end(e);
    }
}

void fsr_c_fetch(fsr_c_emit *e, const fsr_body *part, const char *at, const char *n) {
    if (!e->fetching)
        return;
    fsr_c_line(e, "const i64 f = %s + %d < %s ? %s + %d : %s;", at, FSR_FETCH_AHEAD, n, at, FSR_FETCH_AHEAD, at);
    put_fetches(e, part, "f");
}

void fsr_c_by_distance(fsr_c_emit *e, const fsr_body *part, const char *n,
                       void (*print)(fsr_c_emit *e, const fsr_body *part)) {
    const int first = first_fetched(e, part);
    if (first < 0 || e->cut_strips) {
        print(e, part);
        return;
    }
    const fsr_index_form *form = fsr_access_form(e->k, e->k->inst[first].index);
    int t = 0;
    while (!e->crossing[form->term[t].value])
        t++;
    const int index = form->term[t].value;
    fsr_c_begin(e, "%s", "");
    fsr_c_line(e, "const i64 apart = (i64)u%d_[%s - 1] - (i64)u%d_[0];", index, n, index);
    fsr_c_begin(e, "if (apart > %d * (%s) || apart < -%d * (%s))", FSR_FETCH_APART, n, FSR_FETCH_APART, n);
    fsr_c_begin(e, "for (i64 f = 0; f < %s && f < %d; ++f)", n, FSR_FETCH_AHEAD);
    fsr_c_scalar_mark(e);
    put_fetches(e, part, "f");
    fsr_c_end(e);
    e->fetching = true;
    print(e, part);
    e->fetching = false;
    fsr_c_else(e);
    print(e, part);
    fsr_c_end(e);
    fsr_c_end(e);
}

/* A place is another one for each element of a row. */
static bool is_of_element(const fsr_c_emit *e, int number) {
    const fsr_index_form *form = fsr_access_form(e->k, e->k->inst[number].index);
    bool any = form->stride[e->k->ndim - 1] != FSR_STRIDE_ONE;
    for (int t = 0; t < form->nterms; t++)
        any = any || !fsr_inst_is_of_row(e->k, form->term[t].value, e->k->ndim - 1);
    return any;
}

/* One load of a row, in a loop over its elements: each place, or those of the lines that a run of elements lies in,
 * which may begin anywhere in the first: the last one has a turn of its own, but of rows as long as whole lines, which
 * arrays begin with. made: what the address takes. */
static void put_row_load(fsr_c_emit *e, int number, const bool *made) {
    const fsr_inst *inst = &e->k->inst[number];
    const int buffer = e->k->access[inst->index].buffer, width = e->s->width, last = width - 1;
    const int line = e->s->line / (int)fsr_dtype_size(e->k->array[buffer].dtype);
    const bool one = fsr_inst_is_of_row(e->k, number, e->k->ndim - 1), each = !one && is_of_element(e, number);
    const char *var = e->loop_var;
    fsr_text address = {0};
    if (each || one || width % line == 0)
        fsr_c_begin(e, "for (i64 %s = 0; %s < %d; %s += %d)", var, var, width, var, each ? 1 : one ? width : line);
    else
        fsr_c_begin(e, "for (i64 %s = 0; %s < %d; %s += %s < %d && %s + %d > %d ? %d - %s : %d)", var, var, width, var,
                    var, last, var, line, last, last, var, line);
    for (int i = 0; i < number; i++)
        if (made[i])
            fsr_c_insts(e, &i, 1);
    fsr_c_address(e, &address, inst->index);
    fsr_c_line(e, "__builtin_prefetch(x%d + (%s));", buffer, address.data ? address.data : "0");
    e->body.failed |= address.failed;
    fsr_text_free(&address);
    fsr_c_end(e);
}

static bool is_fetched_place(const fsr_c_emit *e, int number, bool *made) {
    const fsr_inst *inst = &e->k->inst[number];
    return inst->kind == FSR_INST_LOAD && e->s->fetched >> e->k->access[inst->index].buffer & 1 &&
           fsr_row_place(e->k, number, made);
}

/* The row after a row lies behind it in memory, or its elements do where it has one. */
static bool goes_on(const fsr_c_emit *e, int number) {
    const fsr_access *access = &e->k->access[e->k->inst[number].index];
    const fsr_stride_kind *stride = fsr_access_form(e->k, e->k->inst[number].index)->stride;
    const int last = e->k->ndim - 1;
    return access->linear || access->row_linear ||
           (stride[last] == FSR_STRIDE_ZERO && stride[last - 1] <= FSR_STRIDE_ONE);
}

static bool is_place_apart(const fsr_c_emit *e, const bool *made, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    return made[number] && inst->kind == FSR_INST_LOAD && !(e->s->fetched >> e->k->access[inst->index].buffer & 1) &&
           !goes_on(e, number);
}

/* apart[i]: instruction i loads what places of rows are made of, and does not go on in memory. Returns whether some
 * does. */
static bool find_places_apart(const fsr_c_emit *e, bool *apart) {
    bool any = false;
    memset(apart, 0, FSR_MAX_INSTS * sizeof *apart);
    for (int i = 0; i < e->k->ninsts; i++) {
        bool made[FSR_MAX_INSTS] = {false};
        const bool fetched = is_fetched_place(e, i, made);
        for (int j = 0; fetched && j < i; j++)
            any |= apart[j] |= is_place_apart(e, made, j);
    }
    return any;
}

bool fsr_c_has_places_apart(const fsr_c_emit *e) {
    bool apart[FSR_MAX_INSTS];
    return find_places_apart(e, apart);
}

void fsr_c_fetch_places(fsr_c_emit *e) {
    const bool none[FSR_MAX_INSTS] = {false};
    bool apart[FSR_MAX_INSTS];
    find_places_apart(e, apart);
    for (int i = 0; i < e->k->ninsts; i++)
        if (apart[i])
            put_row_load(e, i, none);
}

void fsr_c_fetch_row(fsr_c_emit *e) {
    for (int i = 0; i < e->k->ninsts; i++) {
        bool made[FSR_MAX_INSTS] = {false};
        if (is_fetched_place(e, i, made))
            put_row_load(e, i, made);
    }
}
