/* SPDX-License-Identifier: MIT */
/* COL: adjacent rows are adjacent in memory. Threads x along the rows, `vector` rows each; threads y along the columns,
 * a contiguous range each, walked in order: no reduction needs to commute, and a scan is a running state. Or they are
 * dealt the columns in turn, where few rows lie beside each other and reductions commute: what a warp loads at once is
 * then of neighbouring columns, and lies together in memory as well.
 *
 * With splits > 1, blocks share the columns of a tile of rows; the last one to finish folds the partial states in
 * order.
 *
 * Counter-example to the ROW frame here: neighbours in a warp would read addresses a whole row apart. */
#include "backend_cuda/emit.h"
#include <stdio.h>
#include <string.h>

static int height(const fsr_emit *e) {
    return e->s.threads / e->s.abreast;
}

/* From one column of a thread to its next. */
static int stride(const fsr_emit *e) {
    return e->s.dealt ? height(e) : 1;
}

/* The columns of a thread. */
static void own_columns(fsr_emit *e) {
    if (e->s.dealt) {
        fsr_emit_line(e, "const idx from = begin + threadIdx.x / %d;", e->s.abreast);
        fsr_emit_line(e, "const idx end = row >= rows ? 0 : stop;");
        return;
    }
    fsr_emit_line(e, "const idx part = ((stop > begin ? stop - begin : 0) + %d) / %d;", height(e) - 1, height(e));
    fsr_emit_line(e, "const idx from = begin + threadIdx.x / %d * part;", e->s.abreast);
    fsr_emit_line(e, "const idx end = row >= rows ? 0 : from + part < stop ? from + part : stop;");
}

static bool may_split(const fsr_emit *e) {
    return e->k->npasses == 1 && !fsr_kernel_has_scan(e->k);
}

static void head(fsr_emit *e) {
    int tile = e->s.abreast * e->s.vector;
    fsr_emit_line(e, "const idx tiles = (rows + %d) / %d;", tile - 1, tile);
    fsr_emit_line(e, "const idx s = fsr_div((idx)blockIdx.x, tiles);");
    fsr_emit_line(e, "const idx tile = blockIdx.x - s * tiles;");
    fsr_emit_line(e, "const idx row = tile * %d + threadIdx.x %% %d * %d;", tile, e->s.abreast, e->s.vector);
    fsr_emit_line(e, "const idx r = row < rows ? row : rows - %d;", e->s.vector);
    if (may_split(e)) {
        fsr_emit_line(e, "const idx begin = s * stretch;");
        fsr_emit_line(e, "const idx stop = begin + stretch < cols ? begin + stretch : cols;");
    } else {
        fsr_emit_line(e, "const idx begin = 0;");
        fsr_emit_line(e, "const idx stop = cols;");
    }
    own_columns(e);
    fsr_emit_row_indices(e);
    fsr_emit_row_parts(e, true, true);
}

/* ---- values of the rows ------------------------------------------------------------------------- */

static bool is_uniform(fsr_inst_kind kind) {
    return kind == FSR_INST_CONST || kind == FSR_INST_PARAM;
}

static void lane_store(fsr_emit *e, int v, const char *guard) {
    char ref[FSR_REF];
    fsr_emit_open(e, "if (%s) {", guard);
    fsr_emit_line(e, "%s o%d[%d];", fsr_emit_type(e->k->inst[v].dtype), v, e->s.vector);
    fsr_emit_unrolled(e, "v", e->s.vector);
    fsr_emit_line(e, "o%d[v] = %s;", v, fsr_emit_ref(e, ref, e->k->inst[v].arg[0]));
    fsr_emit_close(e);
    fsr_emit_store(e, v, NULL);
    fsr_emit_close(e);
}

static void declare_lane(fsr_emit *e, int v) {
    const fsr_inst *inst = &e->k->inst[v];
    char type[FSR_REF];
    if (is_uniform(inst->kind)) {
        e->naming[v] = FSR_NAME_PLAIN;
        fsr_emit_value(e, v, "");
    } else if (inst->kind != FSR_INST_STORE) {
        e->naming[v] = FSR_NAME_LANE;
        fsr_emit_line(e, "%s v%d[%d]%s;", fsr_emit_value_type(e, type, v), v, e->s.vector, inst->guard ? " = {}" : "");
    }
    if (inst->kind == FSR_INST_LOAD && !fsr_inst_is_late(e->k, v))
        fsr_emit_load(e, v, "0", NULL);
}

/* The ROW instructions of a pass for the thread's `vector` rows. */
static void row_values(fsr_emit *e, int pass, const char *guard) {
    int rows[FSR_MAX_INSTS], n = fsr_kernel_rows(e->k, pass, rows);
    char state[FSR_REF];
    if (e->s.vector == 1) {
        fsr_emit_row_values(e, pass, guard);
        return;
    }
    for (int i = 0; i < n; i++)
        declare_lane(e, rows[i]);
    fsr_emit_unrolled(e, "v", e->s.vector);
    for (int i = 0; i < n; i++) {
        fsr_inst_kind kind = e->k->inst[rows[i]].kind;
        state[0] = 0;
        if (fsr_picks_fold(e->k, &e->k->inst[rows[i]]))
            fsr_emit_row_result(e, state, rows[i]);
        bool early = kind == FSR_INST_LOAD && !fsr_inst_is_late(e->k, rows[i]);
        if (!is_uniform(kind) && !early && kind != FSR_INST_STORE)
            fsr_emit_value(e, rows[i], state);
    }
    fsr_emit_close(e);
    for (int i = 0; i < n; i++)
        if (e->k->inst[rows[i]].kind == FSR_INST_STORE)
            lane_store(e, rows[i], guard);
}

/* ---- the walk along the columns ------------------------------------------------------------------ */

static const char *lane(const fsr_emit *e) {
    return e->s.vector > 1 ? "v" : "0";
}

static bool is_early(const fsr_emit *e, int v) {
    return e->k->inst[v].kind == FSR_INST_LOAD && !fsr_inst_is_late(e->k, v);
}

static void declare_loads(fsr_emit *e, const char *name) {
    for (int i = 0; i < e->tile.n; i++)
        if (is_early(e, e->tile.loop[i]))
            fsr_emit_line(e, "%s %s%d[%d] = {};", fsr_emit_type(e->k->inst[e->tile.loop[i]].dtype), name,
                          e->tile.loop[i], e->s.items);
}

static void walk_loads(fsr_emit *e, int stage) {
    char at[FSR_REF];
    bool any = false;
    (void)stage;
    snprintf(at, sizeof at, e->s.vector > 1 ? "j * %d" : "i", e->s.vector);
    for (int i = 0; i < e->tile.n; i++) {
        if (!is_early(e, e->tile.loop[i]) || e->dead[e->tile.loop[i]])
            continue;
        if (!any) {
            fsr_emit_open_steps(e, "first", stride(e));
            fsr_emit_open(e, "if (%s < end) {", fsr_emit_step_column(e));
        }
        any = true;
        fsr_emit_load(e, e->tile.loop[i], at, fsr_emit_step_column(e));
    }
    if (any) {
        fsr_emit_close(e);
        fsr_emit_close(e);
    }
}

static void walk_combine(fsr_emit *e, int f) {
    const fsr_fold *fold = &e->k->fold[f];
    const char *column = fsr_emit_step_column(e);
    int op = e->op_of[f];
    char input[FSR_EXPR];
    fsr_emit_input(e, input, f);
    if (fold->kind == FSR_FOLD_SCAN) {
        fsr_emit_line(e, "const op%d::state before%d = run%d_%d[%s];", op, f, e->pass, f, lane(e));
        fsr_emit_line(e, "if (%s < end) run%d_%d[%s] = op%d::combine(before%d, %s);", column, e->pass, f, lane(e), op,
                      f, input);
    } else {
        fsr_emit_line(e, "if (%s < end) acc%d[%s].f%d = op%d::combine(acc%d[%s].f%d, %s);", column, e->pass, lane(e), f,
                      op, e->pass, lane(e), f, input);
    }
}

static void walk_value(fsr_emit *e, int v) {
    const fsr_inst *inst = &e->k->inst[v];
    const char *column = fsr_emit_step_column(e);
    char state[FSR_REF] = "", ref[FSR_REF];
    const fsr_fold *fold = fsr_picks_fold(e->k, inst) ? &e->k->fold[inst->index] : NULL;
    const char *rounded = fold && fold->narrow ? "(f32)" : "";
    if (fold && fold->exclusive)
        snprintf(state, sizeof state, "%sbefore%d", rounded, inst->index);
    else if (fold)
        snprintf(state, sizeof state, "%srun%d_%d[%s]", rounded, e->pass, inst->index, lane(e));
    if (inst->kind == FSR_INST_COMBINE)
        walk_combine(e, inst->index);
    else if (fsr_inst_scatters(e->k, inst))
        fsr_emit_scattered(e, v, column, "end");
    else if (inst->kind == FSR_INST_STORE && e->s.vector > 1)
        fsr_emit_line(e, "o%d[v] = %s;", v, fsr_emit_ref(e, ref, inst->arg[0]));
    else if (inst->kind != FSR_INST_STORE && (inst->kind != FSR_INST_LOAD || fsr_inst_is_late(e->k, v)))
        fsr_emit_value(e, v, state);
}

/* A store at the thread's own elements. */
static bool is_plain_store(const fsr_emit *e, int v) {
    return e->k->inst[v].kind == FSR_INST_STORE && !fsr_inst_scatters(e->k, &e->k->inst[v]);
}

static void walk_stores(fsr_emit *e) {
    for (int i = 0; i < e->tile.n; i++) {
        if (!is_plain_store(e, e->tile.loop[i]))
            continue;
        fsr_emit_open(e, "if (%s < end) {", fsr_emit_step_column(e));
        fsr_emit_store(e, e->tile.loop[i], fsr_emit_step_column(e));
        fsr_emit_close(e);
    }
}

/* Stages are one here: what a scan gives is a running state. */
static void walk_program(fsr_emit *e, int stage) {
    (void)stage;
    fsr_emit_open_steps(e, "first", stride(e));
    for (int i = 0; i < e->tile.n && e->s.vector > 1; i++)
        if (is_plain_store(e, e->tile.loop[i]))
            fsr_emit_line(e, "%s o%d[%d];", fsr_emit_type(e->k->inst[e->tile.loop[i]].dtype), e->tile.loop[i],
                          e->s.vector);
    fsr_emit_open_lanes(e);
    for (int i = 0; i < e->tile.n; i++)
        if (!e->dead[e->tile.loop[i]])
            walk_value(e, e->tile.loop[i]);
    fsr_emit_close_lanes(e);
    walk_stores(e);
    fsr_emit_close(e);
}

/* Loaded values are the only ones that outlive a step. */
static void enter_pass(fsr_emit *e, int pass) {
    fsr_emit_enter_pass(e, pass);
    for (int i = 0; i < e->tile.n; i++)
        if (e->k->inst[e->tile.loop[i]].kind != FSR_INST_LOAD || fsr_inst_is_late(e->k, e->tile.loop[i]))
            e->naming[e->tile.loop[i]] = FSR_NAME_PLAIN;
    memset(e->tile.stage, 0, sizeof e->tile.stage);
}

/* With `early`: what a step loads is a function of its first column, which fills v<i> of its caller's. */
static void define_fetch(fsr_emit *e) {
    char parameter[FSR_EXPR] = "";
    size_t at = 0;
    for (int i = 0; i < e->tile.n; i++) {
        const int v = e->tile.loop[i];
        if (is_early(e, v) && at < sizeof parameter)
            at += (size_t)snprintf(parameter + at, sizeof parameter - at, ", %s (&v%d)[%d]",
                                   fsr_emit_type(e->k->inst[v].dtype), v, e->s.items);
    }
    if (at >= sizeof parameter)
        fsr_emit_broken(e);
    fsr_emit_open(e, "const auto fetch = [&](const idx first%s) {", parameter);
    walk_loads(e, -1);
    fsr_emit_leave(e);
    fsr_emit_line(e, "};");
}

/* A call of it, for the elements named `name`<i>. */
static void call_fetch(fsr_emit *e, const char *first, const char *name) {
    char argument[FSR_EXPR] = "";
    size_t at = 0;
    for (int i = 0; i < e->tile.n; i++)
        if (is_early(e, e->tile.loop[i]) && at < sizeof argument)
            at += (size_t)snprintf(argument + at, sizeof argument - at, ", %s%d", name, e->tile.loop[i]);
    fsr_emit_line(e, "fetch(%s%s);", first, argument);
}

/* The walk with the next step's loads before each step's work. */
static void walk_early(fsr_emit *e) {
    char next[FSR_REF];
    define_fetch(e);
    declare_loads(e, "v");
    call_fetch(e, "from", "v");
    fsr_emit_line(e, "#pragma unroll 1");
    fsr_emit_open(e, "for (idx first = from; first < end; first += %d) {", fsr_emit_steps(e));
    declare_loads(e, "next");
    snprintf(next, sizeof next, "first + %d", fsr_emit_steps(e));
    call_fetch(e, next, "next");
    walk_program(e, 0);
    fsr_emit_unrolled(e, "i", e->s.items);
    for (int i = 0; i < e->tile.n; i++)
        if (is_early(e, e->tile.loop[i]))
            fsr_emit_line(e, "v%d[i] = next%d[i];", e->tile.loop[i], e->tile.loop[i]);
    fsr_emit_close(e);
    fsr_emit_close(e);
}

static void walk(fsr_emit *e, int pass) {
    enter_pass(e, pass);
    if (fsr_kernel_reductions(e->k, pass, false).n) {
        fsr_emit_line(e, "pass%d::state acc%d[%d], all%d[%d];", pass, pass, e->s.vector, pass, e->s.vector);
        fsr_emit_line(e, "fsr_identities<pass%d>(acc%d);", pass, pass);
    }
    for (int i = 0; i < e->tile.n; i++) {
        const fsr_inst *inst = &e->k->inst[e->tile.loop[i]];
        if (inst->kind != FSR_INST_COMBINE || e->k->fold[inst->index].kind != FSR_FOLD_SCAN)
            continue;
        fsr_emit_line(e, "op%d::state run%d_%d[%d];", e->op_of[inst->index], pass, inst->index, e->s.vector);
        fsr_emit_line(e, "fsr_identities<op%d>(run%d_%d);", e->op_of[inst->index], pass, inst->index);
    }
    if (e->s.early) {
        walk_early(e);
        return;
    }
    fsr_emit_line(e, "#pragma unroll 1");
    fsr_emit_open(e, "for (idx first = from; first < end; first += %d) {", fsr_emit_steps(e) * stride(e));
    declare_loads(e, "v");
    fsr_emit_fits(e, "first", (fsr_emit_steps(e) - 1) * stride(e));
    fsr_emit_by_version(e, -1, walk_loads);
    fsr_emit_by_version(e, 0, walk_program);
    fsr_emit_close(e);
}

/* ---- folds across threads and blocks --------------------------------------------------------------- */

static void fold_threads(fsr_emit *e, int pass) {
    char scratch[FSR_REF] = "nullptr";
    if (height(e) > 1)
        snprintf(scratch, sizeof scratch, "s%d", pass);
    fsr_emit_line(e, "fsr_rows_fold<pass%d, %d, %d>(acc%d, all%d, %s);", pass, e->s.abreast, height(e), pass, pass,
                  scratch);
}

static void fold_blocks(fsr_emit *e) {
    int rows = e->s.abreast;
    fsr_emit_open(e, "if (splits > 1) {");
    fsr_emit_line(e, "pass0::state *const parts = (pass0::state *)work + r;");
    fsr_emit_unrolled(e, "v", e->s.vector);
    fsr_emit_line(e, "if (threadIdx.x < %d && row < rows) parts[(u64)s * rows + v] = all0[v];", rows);
    fsr_emit_close(e);
    fsr_emit_line(e, "__shared__ u32 turn;");
    fsr_emit_line(e, "if (!fsr_are_last((u32 *)zero + tile, splits, turn)) return;");
    fsr_emit_line(e, "fsr_rows_parts<pass0, %d, %d>(acc0, parts, rows, splits);", e->s.abreast, height(e));
    fold_threads(e, 0);
    fsr_emit_close(e);
}

void fsr_emit_col(fsr_emit *e) {
    char guard[FSR_REF], first[FSR_EXPR];
    snprintf(guard, sizeof guard, "threadIdx.x < %d && row < rows", e->s.abreast);
    snprintf(first, sizeof first, "%s && s == 0", guard);
    if (fsr_kernel_has_scan(e->k) && height(e) > 1)
        fsr_emit_broken(e);
    head(e);
    fsr_emit_kept(e);
    row_values(e, 0, first);
    for (int p = 0; p < e->k->npasses; p++) {
        fsr_fold_list list = fsr_kernel_reductions(e->k, p, false);
        if (list.n && height(e) > 1) {
            if (fsr_fold_list_bytes(e->k, &list) * e->s.threads > 48 * 1024)
                fsr_emit_broken(e);
            fsr_emit_line(e, "__shared__ pass%d::state s%d[%d];", p, p, e->s.threads);
        }
        walk(e, p);
        if (list.n)
            fold_threads(e, p);
        if (list.n && may_split(e))
            fold_blocks(e);
        row_values(e, p + 1, guard);
    }
}
