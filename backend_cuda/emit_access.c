/* SPDX-License-Identifier: MIT */
/* Addresses, loads and stores.
 *
 * The address of an access is a row part, computed once a row and named a<x>, plus a column part. Indices are
 * unsigned, and modulo 2^32 or 2^64 throughout: a negative stride or offset wraps, the final address does not.
 * Counter-example to adding a strided step to a pointer: x + 4294967295u is not x - 1; hence strided accesses add to
 * the index.
 *
 * A thread's `vector` neighbours lie along the rows (MAP, COL) or along the columns (the others), always in one line of
 * the last dimension, whose extent is a multiple of them (fsr_schedule_vector). */
#include "backend_cuda/emit.h"
#include <stdio.h>
#include <string.h>

bool fsr_emit_along_rows(const fsr_emit *e) {
    return e->s.kind == FSR_SCHEDULE_MAP || e->s.kind == FSR_SCHEDULE_COL;
}

/* A column of one dimension is its own index. */
static bool needs_index(const fsr_kernel *k, const fsr_access *a, int d) {
    bool addressed = d < k->nparallel ? !a->row_linear : fsr_emit_folded(k) > 1;
    return addressed && !a->linear && k->form[a->form].stride[d] != FSR_STRIDE_ZERO;
}

/* Around a load, a guard's index along a single folded dimension is the column itself. */
static bool guard_index(const fsr_emit *e, int v, int d) {
    const fsr_kernel *k = e->k;
    bool early = k->inst[v].kind == FSR_INST_LOAD && !fsr_inst_is_late(e->k, v);
    bool named = !early || d < k->nparallel || fsr_emit_folded(k) > 1;
    return named && fsr_guard_reads_index(k, fsr_inst_guard(&k->inst[v]), d);
}

void fsr_emit_find_needs(fsr_emit *e) {
    const fsr_kernel *k = e->k;
    for (int i = 0; i < k->ninsts; i++) {
        const fsr_inst *inst = &k->inst[i];
        if (inst->kind == FSR_INST_INDEX)
            e->needs[inst->index] = true;
        for (int d = 0; fsr_inst_guard(inst) >= 0 && d < k->ndim; d++)
            e->needs[d] = e->needs[d] || guard_index(e, i, d);
        if (inst->kind != FSR_INST_LOAD && inst->kind != FSR_INST_STORE)
            continue;
        for (int d = 0; d < k->ndim; d++)
            e->needs[d] = e->needs[d] || needs_index(k, &k->access[inst->index], d);
    }
}

/* Peels dimensions off a flat index from the last one, as far out as somebody needs. Indices of 32 bits are divided by
 * a product: four instructions for some fourteen of a division. */
static void indices(fsr_emit *e, const char *flat, int first, int end, char quotient) {
    char left[16];
    const char *from = flat;
    int outermost = first;
    while (outermost < end && !e->needs[outermost])
        outermost++;
    for (int d = end - 1; d >= outermost; d--) {
        if (d == first) {
            fsr_emit_line(e, "const idx i%d = %s;", d, from);
            break;
        }
        if (d > outermost || e->needs[d])
            fsr_emit_line(e, "const idx %c%d = %s(%s, %c%d);", quotient, d, e->s.wide ? "fsr_div" : "fsr_quotient",
                          from, e->s.wide ? 'n' : 'm', FSR_INT_EXTENT + d);
        if (e->needs[d])
            fsr_emit_line(e, "const idx i%d = %s - %c%d * n%d;", d, from, quotient, d, FSR_INT_EXTENT + d);
        snprintf(left, sizeof left, "%c%d", quotient, d);
        from = left;
    }
}

void fsr_emit_row_indices(fsr_emit *e) {
    indices(e, "r", 0, e->k->nparallel, 'q');
}

void fsr_emit_column_indices(fsr_emit *e, const char *column) {
    indices(e, column, e->k->nparallel, e->k->ndim, 'u');
}

size_t fsr_emit_add_term(fsr_emit *e, char buf[FSR_EXPR], size_t n, const fsr_index_form *a, int d, const char *index) {
    if (a->stride[d] == FSR_STRIDE_ZERO)
        return n;
    n = fsr_emit_add(e, buf, n, "%s%s", n ? " + " : "", index);
    if (a->stride[d] == FSR_STRIDE_VAR)
        n = fsr_emit_add(e, buf, n, " * n%d", a->slot[d]);
    if (a->stride[d] == FSR_STRIDE_KNOWN)
        n = fsr_emit_add(e, buf, n, " * %d", a->slot[d]);
    return n;
}

static size_t add_terms(fsr_emit *e, char buf[FSR_EXPR], size_t n, const fsr_index_form *a, int first, int end) {
    char index[16];
    for (int d = first; d < end; d++) {
        snprintf(index, sizeof index, "i%d", d);
        n = fsr_emit_add_term(e, buf, n, a, d, index);
    }
    return n;
}

/* True if the row part is just r. */
static bool is_row(const fsr_kernel *k, const fsr_access *a) {
    return a->row_linear || (a->linear && fsr_emit_folded(k) == 0);
}

size_t fsr_emit_add_offset(fsr_emit *e, char buf[FSR_EXPR], size_t n, const fsr_index_form *form) {
    if (form->offset >= 0)
        n = fsr_emit_add(e, buf, n, "%sn%d", n ? " + " : "", form->offset);
    return form->behind ? fsr_emit_add(e, buf, n, "%s%d", n ? " + " : "", form->behind) : n;
}

size_t fsr_emit_add_symbols(fsr_emit *e, char buf[FSR_EXPR], size_t n, const fsr_index_form *form, int sorts) {
    char ref[FSR_REF];
    for (int t = 0; t < form->nterms; t++) {
        if (!(sorts & (e->k->stand[form->term[t].value].level == FSR_ONCE ? FSR_HOMED : FSR_POINTED)))
            continue;
        n = fsr_emit_add(e, buf, n, "%s(idx)%s", n ? " + " : "", fsr_emit_ref(e, ref, form->term[t].value));
        if (form->term[t].slot)
            n = fsr_emit_add(e, buf, n, " * n%d", form->term[t].slot);
    }
    return n;
}

void fsr_emit_row_part(fsr_emit *e, int access) {
    const fsr_kernel *k = e->k;
    const fsr_access *a = &k->access[access];
    char text[FSR_EXPR] = "";
    size_t n = 0;
    if (is_row(k, a))
        return;
    if (a->linear) {
        snprintf(text, sizeof text, "r * cols");
    } else {
        const fsr_index_form *form = &k->form[a->form];
        n = add_terms(e, text, n, form, 0, k->nparallel);
        n = fsr_emit_add_symbols(e, text, n, form, FSR_HOMED);
        n = fsr_emit_add_offset(e, text, n, form); /* the last: what goes before it neighbours have in common */
        if (n == 0)
            snprintf(text, sizeof text, "0");
    }
    fsr_emit_line(e, "const idx a%d = %s;", access, text);
}

void fsr_emit_row_parts(fsr_emit *e, bool loads, bool stores) {
    const fsr_kernel *k = e->k;
    bool done[FSR_MAX_ACCESSES] = {false};
    for (int i = 0; i < k->ninsts; i++) {
        const fsr_inst *inst = &k->inst[i];
        bool late = fsr_inst_is_late(e->k, i) || inst->kind == FSR_INST_STORE;
        bool wanted =
            k->stand[i].level != FSR_ONCE && ((loads && inst->kind == FSR_INST_LOAD && !late) || (stores && late));
        if (wanted && !done[inst->index] && !fsr_emit_in_tile(e, inst->index))
            fsr_emit_row_part(e, inst->index);
        if (wanted)
            done[inst->index] = true;
    }
}

/* True if the address needs the indices of several folded dimensions. */
static bool splits_column(const fsr_kernel *k, const fsr_access *a) {
    if (a->linear || a->row_linear || fsr_emit_folded(k) < 2)
        return false;
    for (int d = k->nparallel; d < k->ndim; d++)
        if (k->form[a->form].stride[d] != FSR_STRIDE_ZERO)
            return true;
    return false;
}

static void column_part(fsr_emit *e, char buf[FSR_EXPR], size_t n, const fsr_access *a, const char *column) {
    const fsr_kernel *k = e->k;
    if (a->linear)
        fsr_emit_add(e, buf, n, " + %s", column);
    else if (fsr_emit_folded(k) == 1)
        fsr_emit_add_term(e, buf, n, &k->form[a->form], k->nparallel, column);
    else
        add_terms(e, buf, n, &k->form[a->form], k->nparallel, k->ndim);
}

static void divide(fsr_emit *e, char buf[FSR_EXPR], int access) {
    char sum[FSR_EXPR];
    if (!fsr_access_form(e->k, access)->divisor)
        return;
    memcpy(sum, buf, strlen(buf) + 1);
    fsr_emit_add(e, buf, 0, "(%s) / n%d", sum, fsr_access_form(e->k, access)->divisor);
}

static void affine_part(fsr_emit *e, char buf[FSR_EXPR], int access, const char *column) {
    const fsr_kernel *k = e->k;
    const fsr_access *a = &k->access[access];
    size_t n = is_row(k, a) ? fsr_emit_add(e, buf, 0, "r") : fsr_emit_add(e, buf, 0, "a%d", access);
    if (column && !is_row(k, a))
        column_part(e, buf, n, a, column);
}

static void address(fsr_emit *e, char buf[FSR_EXPR], int access, const char *column) {
    affine_part(e, buf, access, column);
    divide(e, buf, access);
}

/* ---- computed addresses ------------------------------------------------------------------------ */

/* The address of one lane. */
static void lane_address(fsr_emit *e, char buf[FSR_EXPR], int v) {
    const fsr_inst *inst = &e->k->inst[v];
    const fsr_index_form *form = fsr_access_form(e->k, inst->index);
    bool rows = fsr_emit_along_rows(e);
    int d = e->k->nparallel - 1;
    affine_part(e, buf, inst->index,
                e->k->stand[v].level == FSR_ROW ? NULL
                : rows || e->s.vector == 1      ? fsr_emit_step_column(e)
                                                : "(cj + v)");
    size_t n = strlen(buf);
    if (rows && e->s.vector > 1 && d >= 0)
        n = fsr_emit_add_term(e, buf, n, form, d, "v");
    fsr_emit_add_symbols(e, buf, n, form, FSR_POINTED);
    divide(e, buf, inst->index);
}

void fsr_emit_once_load(fsr_emit *e, char buf[FSR_EXPR], int v) {
    const fsr_inst *inst = &e->k->inst[v];
    const fsr_index_form *form = fsr_access_form(e->k, inst->index);
    char at[FSR_EXPR] = "";
    size_t n = fsr_emit_add_offset(e, at, 0, form);
    n = fsr_emit_add_symbols(e, at, n, form, FSR_HOMED);
    divide(e, at, inst->index);
    fsr_emit_add(e, buf, 0, "x%d[%s]%s", e->k->access[inst->index].buffer, n ? at : "0",
                 inst->dtype == FSR_BOOL ? " != 0" : "");
}

void fsr_emit_late_load(fsr_emit *e, char buf[FSR_EXPR], int v) {
    const fsr_inst *inst = &e->k->inst[v];
    char at[FSR_EXPR], place[FSR_EXPR], where[FSR_EXPR], live[FSR_REF];
    const char *test = inst->dtype == FSR_BOOL ? " != 0" : "";
    if (fsr_emit_in_tile(e, inst->index)) {
        fsr_emit_tile_element(e, at, inst->index);
    } else {
        lane_address(e, place, v);
        fsr_emit_add(e, at, 0, "x%d[%s]", e->k->access[inst->index].buffer, place);
    }
    fsr_emit_where(e, where, v, fsr_emit_live(e, live, v));
    if (where[0])
        fsr_emit_add(e, buf, 0, "(%s ? %s : %s{})%s", where, at, fsr_emit_type(inst->dtype), test);
    else
        fsr_emit_add(e, buf, 0, "%s%s", at, test);
}

void fsr_emit_scattered(fsr_emit *e, int v, const char *first, const char *end) {
    const fsr_inst *store = &e->k->inst[v];
    const fsr_index_form *form = fsr_access_form(e->k, store->index);
    char at[FSR_EXPR], where[FSR_EXPR], ref[FSR_REF];
    size_t n = fsr_emit_add(e, where, 0, e->all_there ? "" : "%s < %s", first, end);
    for (int t = 0; t < form->nterms; t++)
        if (e->k->inst[form->term[t].value].mode == FSR_INDEX_DROP)
            n = fsr_emit_add(e, where, n, "%s%s >= 0", n ? " && " : "", fsr_emit_ref(e, ref, form->term[t].value));
    if (n == 0)
        fsr_emit_add(e, where, 0, "true");
    lane_address(e, at, v);
    fsr_emit_ref(e, ref, store->arg[0]);
    if (e->s.ranges)
        fsr_emit_line(e, "if (%s && (idx)((%s) - base) < %d) fsr_into_%s(bins + (idx)((%s) - base), %s);", where, at,
                      e->s.bins, fsr_op_into(store->op), at, ref);
    else if (store->combines && e->s.bins)
        fsr_emit_line(e, "if (%s) fsr_into_%s(bins + (%s), %s);", where, fsr_op_into(store->op), at, ref);
    else if (store->combines)
        fsr_emit_line(e, "if (%s) fsr_into_%s(x%d + (%s), %s);", where, fsr_op_into(store->op),
                      e->k->access[store->index].buffer, at, ref);
    else
        fsr_emit_line(e, "if (%s) x%d[%s] = %s;", where, e->k->access[store->index].buffer, at, ref);
}

const char *fsr_emit_element(fsr_emit *e, char buf[FSR_EXPR], int access, const char *column) {
    char at[FSR_EXPR];
    if (fsr_emit_in_tile(e, access)) {
        fsr_emit_tile_element(e, buf, access);
        return buf;
    }
    address(e, at, access, column);
    fsr_emit_add(e, buf, 0, "x%d[%s]", e->k->access[access].buffer, at);
    return buf;
}

static fsr_lanes lanes_of_stride(const fsr_index_form *a, int d) {
    static const fsr_lanes lanes[] = {[FSR_STRIDE_ZERO] = FSR_LANES_SAME,
                                      [FSR_STRIDE_ONE] = FSR_LANES_ONE,
                                      [FSR_STRIDE_KNOWN] = FSR_LANES_STRIDED,
                                      [FSR_STRIDE_VAR] = FSR_LANES_STRIDED};
    return lanes[a->stride[d]];
}

fsr_lanes fsr_emit_lanes(const fsr_emit *e, int access) {
    const fsr_kernel *k = e->k;
    const fsr_access *a = &k->access[access];
    if (fsr_emit_along_rows(e)) {
        if (is_row(k, a))
            return FSR_LANES_ALIGNED;
        if (a->linear)
            return FSR_LANES_STRIDED;
        return k->nparallel ? lanes_of_stride(&k->form[a->form], k->nparallel - 1) : FSR_LANES_SAME;
    }
    if (a->linear)
        return FSR_LANES_ALIGNED;
    if (a->row_linear)
        return FSR_LANES_SAME;
    return lanes_of_stride(&k->form[a->form], k->ndim - 1);
}

/* The stride between a thread's neighbours. */
static void lane_stride(const fsr_emit *e, char buf[FSR_REF], const fsr_access *a) {
    int d = fsr_emit_along_rows(e) ? e->k->nparallel - 1 : e->k->ndim - 1;
    if (a->linear)
        snprintf(buf, FSR_REF, "cols");
    else if (e->k->form[a->form].stride[d] == FSR_STRIDE_KNOWN)
        snprintf(buf, FSR_REF, "%d", e->k->form[a->form].slot[d]);
    else
        snprintf(buf, FSR_REF, "n%d", e->k->form[a->form].slot[d]);
}

/* The address is the index along the lanes, which a vector begins at a multiple of its length. */
static bool is_lane_index(const fsr_emit *e, const fsr_access *a) {
    const fsr_index_form *form = &e->k->form[a->form];
    const int along = fsr_emit_along_rows(e) ? e->k->nparallel - 1 : e->k->ndim - 1;
    for (int d = 0; d < e->k->ndim; d++)
        if (d != along && form->stride[d] != FSR_STRIDE_ZERO)
            return false;
    return form->offset < 0 && !form->behind && form->nterms == 0 && !form->divisor;
}

/* Of a vector that lies across a count where the kernel ends only what is there is loaded. */
static bool loads_to_end(const fsr_emit *e, const char *verb, fsr_lanes lanes, const char *column) {
    return e->k->live && e->k->npasses && !e->k->backward && column && verb[0] == 'l' &&
           (lanes == FSR_LANES_ALIGNED || lanes == FSR_LANES_ONE);
}

/* "fsr_load_any<4>(v3, j * 4, x0 + (a3 + cj));" or the same of a store. */
static void vector_line(fsr_emit *e, const char *verb, const char *registers, const char *at, int access,
                        const char *column) {
    static const char *const suffix[] = {"", "_any", "_same", "_strided"};
    const fsr_access *a = &e->k->access[access];
    fsr_lanes lanes = fsr_emit_lanes(e, access);
    char where[FSR_EXPR], stride[FSR_REF];
    address(e, where, access, column);
    lane_stride(e, stride, a);
    if (lanes == FSR_LANES_ONE && is_lane_index(e, a))
        lanes = FSR_LANES_ALIGNED;
    const bool ends = loads_to_end(e, verb, lanes, column);
    if (ends)
        fsr_emit_line(e, "if (end - %s < %d) fsr_load_part<%d>(%s, %s, x%d + (%s), end - %s);", column, e->s.vector,
                      e->s.vector, registers, at, a->buffer, where, column);
    if (lanes == FSR_LANES_STRIDED)
        fsr_emit_line(e, "fsr_%s_strided<%d>(%s, %s, x%d, %s, %s);", verb, e->s.vector, registers, at, a->buffer, where,
                      stride);
    else
        fsr_emit_line(e, "%sfsr_%s%s<%d>(%s, %s, x%d + (%s));", ends ? "else " : "", verb, suffix[lanes], e->s.vector,
                      registers, at, a->buffer, where);
}

/* One element: "v3[at] = x0[...];" or "x0[...] = o3[at];"; without `at`, the register itself. */
static void element_line(fsr_emit *e, bool load, const char *registers, const char *at, int access,
                         const char *column) {
    char element[FSR_EXPR], name[FSR_EXPR];
    fsr_emit_element(e, element, access, column);
    if (at)
        fsr_emit_add(e, name, 0, "%s[%s]", registers, at);
    else
        fsr_emit_add(e, name, 0, "%s", registers);
    fsr_emit_line(e, "%s = %s;", load ? name : element, load ? element : name);
}

static void access_lines(fsr_emit *e, bool load, const char *registers, const char *at, int access,
                         const char *column) {
    bool block = column && splits_column(e->k, &e->k->access[access]);
    if (block) {
        fsr_emit_open(e, "{");
        fsr_emit_column_indices(e, column);
    }
    if (e->s.vector == 1)
        element_line(e, load, registers, at, access, column);
    else
        vector_line(e, load ? "load" : "store", registers, at, access, column);
    if (block)
        fsr_emit_close(e);
}

void fsr_emit_load(fsr_emit *e, int inst, const char *at, const char *column) {
    char registers[FSR_REF];
    int opened = fsr_emit_open_guard(e, inst, column);
    snprintf(registers, sizeof registers, "v%d", inst);
    access_lines(e, true, registers, at, e->k->inst[inst].index, column);
    while (opened-- > 0)
        fsr_emit_close(e);
}

void fsr_emit_store(fsr_emit *e, int inst, const char *column) {
    char registers[FSR_REF];
    if (e->s.vector == 1)
        fsr_emit_ref(e, registers, e->k->inst[inst].arg[0]);
    else
        snprintf(registers, sizeof registers, "o%d", inst);
    access_lines(e, false, registers, e->s.vector == 1 ? NULL : "0", e->k->inst[inst].index, column);
}
