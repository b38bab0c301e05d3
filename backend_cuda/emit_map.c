/* SPDX-License-Identifier: MIT */
/* MAP: no folded dimension. A thread takes `items` rows, `vector` adjacent ones in each of its steps; all loads come
 * first. A thread whose last vector is whole has all of them whole and takes the unguarded loads and stores; the scalar
 * program is printed once for both, but where it asks for each element whether it is there: a load at a computed
 * address stands in a branch then, and what four elements have in common is computed four times (an image resized by
 * cubic weights: 85 instructions an element, and 38).
 *
 * Versions (schedule.version): a thread whose elements all lie where one of them knows takes its program, in which
 * known guards are none. Threads of a warp differ at edges alone.
 *
 * Bins (schedule.bins): what a store combines into an array of a few elements goes into the block's own in shared
 * memory first. Counter-example to a word of memory that all threads share: 2^27 elements counted in 256 bins take
 * 35 ms of an H200. */
#include "backend_cuda/emit.h"
#include <stdio.h>
#include <string.h>

static void open_step(fsr_emit *e, bool loads, bool stores) {
    fsr_emit_unrolled(e, e->s.vector > 1 ? "j" : "i", fsr_emit_steps(e));
    fsr_emit_line(e, "const idx r = r0 + %s * %d;", e->s.vector > 1 ? "j" : "i", e->s.threads * e->s.vector);
    fsr_emit_row_indices(e);
    fsr_emit_row_parts(e, loads, stores);
}

static bool is_partial(const fsr_emit *e, int access) {
    return e->s.vector > 1 && fsr_emit_lanes(e, access) == FSR_LANES_ALIGNED;
}

static void part_load(fsr_emit *e, int v, const char *at) {
    int opened = fsr_emit_open_guard(e, v, NULL);
    fsr_emit_line(e, "fsr_load_part<%d>(v%d, %s, x%d + r, rows - r);", e->s.vector, v, at,
                  e->k->access[e->k->inst[v].index].buffer);
    while (opened-- > 0)
        fsr_emit_close(e);
}

static void loads(fsr_emit *e, const int *rows, int n, bool whole) {
    char at[FSR_REF];
    snprintf(at, sizeof at, e->s.vector > 1 ? "j * %d" : "i", e->s.vector);
    open_step(e, true, false);
    if (!whole)
        fsr_emit_open(e, "if (r < rows) {");
    for (int i = 0; i < n; i++) {
        const fsr_inst *inst = &e->k->inst[rows[i]];
        if (inst->kind != FSR_INST_LOAD || fsr_inst_is_late(e->k, rows[i]))
            continue;
        if (!whole && is_partial(e, inst->index))
            part_load(e, rows[i], at);
        else
            fsr_emit_load(e, rows[i], at, NULL);
    }
    if (!whole)
        fsr_emit_close(e);
    fsr_emit_close(e);
}

static bool declare_loads(fsr_emit *e, const int *rows, int n) {
    bool any = false;
    for (int i = 0; i < n; i++) {
        const fsr_inst *inst = &e->k->inst[rows[i]];
        if (inst->kind != FSR_INST_LOAD || fsr_inst_is_late(e->k, rows[i]))
            continue;
        e->naming[rows[i]] = FSR_NAME_ITEM;
        fsr_emit_line(e, "%s v%d[%d] = {};", fsr_emit_type(inst->dtype), rows[i], e->s.items);
        any = true;
    }
    return any;
}

/* Load v is at a computed place, and what a thread's neighbours load lies beside it. */
static bool loads_beside(const fsr_emit *e, int v) {
    return e->s.vector > 1 && e->all_there && e->k->inst[v].dtype != FSR_BOOL && fsr_load_goes_along(e->k, v);
}

/* The first lane loads for all; what it knows of the place the others know as well. */
static void load_beside(fsr_emit *e, int v) {
    const char *type = fsr_emit_type(e->k->inst[v].dtype);
    char element[FSR_EXPR];
    fsr_emit_late_load(e, element, v);
    fsr_emit_line(e, "if (v == 0) fsr_load_any<%d>(l%d, 0, &%s);", e->s.vector, v, element);
    fsr_emit_line(e, "const %s v%d = l%d[v];", type, v, v);
}

static void program(fsr_emit *e, const int *rows, int n) {
    char ref[FSR_REF];
    for (int i = 0; i < n; i++)
        if (loads_beside(e, rows[i]))
            fsr_emit_line(e, "%s l%d[%d];", fsr_emit_type(e->k->inst[rows[i]].dtype), rows[i], e->s.vector);
    for (int i = 0; i < n && e->s.vector > 1; i++)
        if (e->k->inst[rows[i]].kind == FSR_INST_STORE && !fsr_inst_scatters(e->k, &e->k->inst[rows[i]]))
            fsr_emit_line(e, "%s o%d[%d];", fsr_emit_type(e->k->inst[rows[i]].dtype), rows[i], e->s.vector);
    fsr_emit_open_lanes(e);
    for (int i = 0; i < n; i++) {
        const fsr_inst *inst = &e->k->inst[rows[i]];
        if (fsr_inst_scatters(e->k, inst))
            fsr_emit_scattered(e, rows[i], e->s.vector > 1 ? "r + v" : "r", "rows");
        else if (inst->kind == FSR_INST_STORE && e->s.vector > 1)
            fsr_emit_line(e, "o%d[v] = %s;", rows[i], fsr_emit_ref(e, ref, inst->arg[0]));
        else if (loads_beside(e, rows[i]))
            load_beside(e, rows[i]);
        else if ((inst->kind != FSR_INST_LOAD || fsr_inst_is_late(e->k, rows[i])) && inst->kind != FSR_INST_STORE)
            fsr_emit_value(e, rows[i], "");
    }
    fsr_emit_close_lanes(e);
}

static void stores(fsr_emit *e, const int *rows, int n, bool whole) {
    for (int i = 0; i < n; i++) {
        const fsr_inst *inst = &e->k->inst[rows[i]];
        if (inst->kind != FSR_INST_STORE || fsr_inst_scatters(e->k, inst))
            continue;
        if (!whole && is_partial(e, inst->index))
            fsr_emit_line(e, "fsr_store_part<%d>(o%d, x%d + r, rows - r);", e->s.vector, rows[i],
                          e->k->access[inst->index].buffer);
        else
            fsr_emit_store(e, rows[i], NULL);
    }
}

/* ---- versions ----------------------------------------------------------------------------------- */

/* The rows' instructions that the version needs. Returns how many. */
static int know(fsr_emit *e, const fsr_loop_version *version, int *rows) {
    fsr_body body;
    int n = 0;
    fsr_body_of(e->k, 0, &body);
    e->known = *version;
    fsr_body_dead(e->k, &body, version, e->dead);
    for (int i = 0; i < body.n; i++)
        if (!e->dead[body.inst[i]])
            rows[n++] = body.inst[i];
    return n;
}

/* A value of the rows is asked for only where there is an element. Loops are too long to be printed twice. */
static bool asks_for_end(const fsr_emit *e, const int *rows, int n) {
    bool asks = false;
    for (int i = 0; i < n; i++) {
        const fsr_inst *inst = &e->k->inst[rows[i]];
        asks = asks || (inst->kind == FSR_INST_CALL && e->k->routine[inst->index]->narrays) ||
               (inst->kind == FSR_INST_INSIDE && inst->report) || fsr_inst_scatters(e->k, inst) ||
               (inst->kind == FSR_INST_LOAD && fsr_inst_is_late(e->k, rows[i]));
    }
    return asks && !e->k->nloops;
}

static void put_version(fsr_emit *e, int number) {
    const fsr_loop_version *version = &e->k->schedule.version[number];
    char fits[FSR_EXPR];
    int rows[FSR_MAX_INSTS], n;
    fsr_emit_line(e, "bool fits%d = whole;", number);
    open_step(e, false, false);
    fsr_emit_version_fits(e, fits, version);
    fsr_emit_line(e, "fits%d = fits%d%s;", number, number, fits);
    fsr_emit_close(e);
    fsr_emit_open(e, "if (fits%d) {", number);
    n = know(e, version, rows);
    if (declare_loads(e, rows, n))
        loads(e, rows, n, true);
    open_step(e, false, true);
    e->all_there = true;
    program(e, rows, n);
    stores(e, rows, n, true);
    e->all_there = false;
    fsr_emit_close(e);
    fsr_emit_line(e, e->s.bins ? "continue;" : "return;");
    fsr_emit_close(e);
    e->known = (fsr_loop_version){0, 0};
    memset(e->dead, 0, sizeof e->dead);
}

/* ---- bins of a block ---------------------------------------------------------------------------- */

/* "bins[i]" for each of the block's. */
static void open_bins(fsr_emit *e, const char *end) {
    fsr_emit_open(e, "for (u32 i = threadIdx.x; i < %s; i += %d) {", end, e->s.threads);
}

/* They begin as what changes nothing; the block then takes turns with the others. */
static void begin_bins(fsr_emit *e, const fsr_inst *store) {
    char literal[FSR_REF], most[FSR_REF];
    snprintf(most, sizeof most, "%d", e->s.bins);
    if (e->s.ranges) {
        fsr_emit_line(e, "fsr_dynamic(%s, bins, %d);", fsr_emit_type(store->dtype), e->s.bins);
        fsr_emit_line(e, "const idx base = blockIdx.x %% %d * (idx)%d;", e->s.ranges, e->s.bins);
    } else {
        fsr_emit_line(e, "__shared__ %s bins[%d];", fsr_emit_type(store->dtype), e->s.bins);
    }
    fsr_emit_line(e, "const %s none = %s;", fsr_emit_type(store->dtype),
                  fsr_emit_literal(literal, store->dtype, fsr_op_identity(store->op, store->dtype)));
    open_bins(e, most);
    fsr_emit_line(e, "bins[i] = none;");
    fsr_emit_close(e);
    fsr_emit_line(e, "fsr_barrier();");
    const int step = e->s.threads * e->s.items;
    if (e->s.ranges)
        fsr_emit_open(e, "for (idx turn = blockIdx.x / %d; turn < (rows + %d) / %d; turn += splits / %d) {",
                      e->s.ranges, step - 1, step, e->s.ranges);
    else
        fsr_emit_open(e, "for (idx turn = blockIdx.x; turn < (rows + %d) / %d; turn += splits) {", step - 1, step);
}

static void end_bins(fsr_emit *e, const fsr_inst *store) {
    char end[FSR_REF];
    if (e->s.ranges)
        snprintf(end, sizeof end, "%d && base + i < n%d", e->s.bins, store->extent);
    else
        snprintf(end, sizeof end, "n%d", store->extent);
    fsr_emit_close(e);
    fsr_emit_line(e, "fsr_barrier();");
    open_bins(e, end);
    fsr_emit_line(e, "if (bins[i] != none) fsr_into_%s(x%d + %si, bins[i]);", fsr_op_into(store->op),
                  e->k->access[store->index].buffer, e->s.ranges ? "base + " : "");
    fsr_emit_close(e);
}

/* ---- the body ----------------------------------------------------------------------------------- */

/* What a thread's elements are loaded by, or computed and stored, where all of them are there and where not; of one
 * element alone there is nothing in between. */
static void open_rest(fsr_emit *e, const char *some) {
    fsr_emit_leave(e);
    fsr_emit_line(e, "} else%s {", some);
    e->depth++;
}

static void put_loads(fsr_emit *e, const int *rows, int n) {
    if (!declare_loads(e, rows, n))
        return;
    fsr_emit_open(e, "if (whole) {");
    loads(e, rows, n, true);
    if (e->s.items > 1) {
        open_rest(e, "");
        loads(e, rows, n, false);
    }
    fsr_emit_close(e);
}

static void put_program(fsr_emit *e, const int *rows, int n) {
    const bool apart = asks_for_end(e, rows, n);
    open_step(e, false, true);
    if (!apart)
        program(e, rows, n);
    fsr_emit_open(e, "if (whole) {");
    e->all_there = true;
    if (apart)
        program(e, rows, n);
    stores(e, rows, n, true);
    if (e->s.items > 1) {
        open_rest(e, " if (r < rows)");
        e->all_there = e->s.vector == 1;
        if (apart)
            program(e, rows, n);
        stores(e, rows, n, false);
    }
    e->all_there = false;
    fsr_emit_close(e);
    fsr_emit_close(e);
}

static void map_body(fsr_emit *e, const char *block) {
    int rows[FSR_MAX_INSTS], n = fsr_kernel_rows(e->k, 0, rows), step = e->s.threads * e->s.vector;
    fsr_emit_line(e, "const idx r0 = %s * %d + threadIdx.x%s%.0d;", block, e->s.threads * e->s.items,
                  e->s.vector > 1 ? " * " : "", e->s.vector > 1 ? e->s.vector : 0);
    fsr_emit_line(e, "const bool whole = r0 + %d <= rows;", (fsr_emit_steps(e) - 1) * step + e->s.vector);
    for (int i = 0; i < e->k->schedule.nversions; i++)
        put_version(e, i);
    put_loads(e, rows, n);
    put_program(e, rows, n);
}

void fsr_emit_map(fsr_emit *e) {
    const int store = fsr_kernel_combining(e->k);
    if (!e->s.bins) {
        map_body(e, "(idx)blockIdx.x");
        return;
    }
    begin_bins(e, &e->k->inst[store]);
    map_body(e, "turn");
    end_bins(e, &e->k->inst[store]);
}
