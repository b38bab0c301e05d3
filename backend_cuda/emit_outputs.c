/* SPDX-License-Identifier: MIT */
/* COL with `tall`: a block folds a tile of outputs, each thread `tall` rows along dimension `across` by `items` lanes
 * along the last parallel one, in vectors that lie `abreast` vectors apart.
 *
 * What the tile's rows and lanes read of `depth` columns is copied into shared memory, s<i> of staged load i, a column
 * behind the other, each with `pad` elements behind it; loads of the next columns are on their way, in registers g<i>,
 * while these are worked on. In each column a thread reads its rows' and its lanes' elements, r<i>, and steps all of
 * its states. These are registers, acc; after every `chunk` columns they are folded into sums that a register is too
 * good for, total.
 *
 * Row values that the columns read are held once a row, once a lane or once an output, h<i>. What follows the columns
 * is one text, for one output after the other: counter-example to unrolling it, 64 copies of an exponential.
 *
 * Edges: beyond the last row, lane or column its neighbour inside is read once more; such outputs are not stored, such
 * columns not folded. */
#include "backend_cuda/emit_outputs.h"
#include "fusion/outputs.h"
#include <stdio.h>

/* Neighbours of a thread; e->s says 1, as values are those of one output each. */
static int vector_of(const fsr_emit *e) {
    return e->k->schedule.vector;
}

/* ---- where the block is ------------------------------------------------------------------------------ */

void fsr_emit_block_tile(fsr_emit *e, int across, int high, int wide) {
    const int last = fsr_emit_last_dimension(e), slot = FSR_INT_EXTENT;
    char from[FSR_REF] = "(idx)blockIdx.x";
    for (int d = last; d >= 0; d--) {
        const bool tiled = d == last || d == across;
        const int extent = d == last ? wide : high;
        char tiles[FSR_REF];
        snprintf(tiles, sizeof tiles, tiled ? "tiles%d" : "n%d", tiled ? d : slot + d);
        if (tiled)
            fsr_emit_line(e, "const idx tiles%d = (n%d + %d) / %d;", d, slot + d, extent - 1, extent);
        if (d > 0)
            fsr_emit_line(e, "const idx q%d = fsr_div(%s, %s), rest%d = %s - q%d * %s;", d, from, tiles, d, from, d,
                          tiles);
        else
            fsr_emit_line(e, "const idx rest0 = %s;", from);
        if (tiled)
            fsr_emit_line(e, "const idx %s = rest%d * %d;", d == last ? "left" : "up", d, extent);
        else
            fsr_emit_line(e, "const idx i%d = rest%d;", d, d);
        snprintf(from, sizeof from, "q%d", d);
    }
}

/* The index of row `l` or of lane `j` of the thread, named i<d>; held inside of the domain or not. */
static void tile_index(fsr_emit *e, int d, bool inside) {
    const int v = vector_of(e), n = FSR_INT_EXTENT + d;
    char at[FSR_EXPR];
    if (d == fsr_emit_last_dimension(e))
        fsr_emit_add(e, at, 0, "left + j / %d * %d + x * %d + j %% %d", v, e->s.abreast * v, v, v);
    else
        fsr_emit_add(e, at, 0, "up + y * %d + l", e->s.tall);
    if (inside)
        fsr_emit_line(e, "const idx w%d = %s, i%d = w%d < n%d ? w%d : n%d - 1;", d, at, d, d, n, d, n);
    else
        fsr_emit_line(e, "const idx i%d = %s;", d, at);
}

void fsr_emit_row_number(fsr_emit *e) {
    char text[FSR_EXPR], before[FSR_EXPR];
    fsr_emit_add(e, text, 0, "i0");
    for (int d = 1; d < e->k->nparallel; d++) {
        fsr_emit_add(e, before, 0, "%s", text);
        fsr_emit_add(e, text, 0, "(%s) * n%d + i%d", before, FSR_INT_EXTENT + d, d);
    }
    fsr_emit_line(e, "const idx r = %s;", text);
}

/* ---- row values that columns read ------------------------------------------------------------------- */

static bool is_uniform(const fsr_kernel *k, int v) {
    return k->inst[v].kind == FSR_INST_CONST || k->inst[v].kind == FSR_INST_PARAM || k->stand[v].level == FSR_ONCE;
}

/* held[v]: ROW value v is read in the columns. */
static void find_held(const fsr_emit *e, bool *held) {
    for (int v = 0; v < e->k->ninsts; v++)
        held[v] = false;
    for (int i = 0; i < e->tile.n; i++) {
        int argument[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(e->k, e->tile.loop[i], argument);
        for (int a = 0; a < n; a++)
            held[argument[a]] |= e->k->stand[argument[a]].level == FSR_ROW && !is_uniform(e->k, argument[a]);
    }
}

/* How often a value is held: once a row, once a lane, or once an output. */
typedef enum holding { HOLD_ROWS, HOLD_LANES, HOLD_OUTPUTS } holding;

/* Values that move along neither dimension are held as those of rows. */
static holding holding_of(const fsr_emit *e, int v) {
    if (!fsr_tile_value_moves(e->k, v, fsr_emit_last_dimension(e)))
        return HOLD_ROWS;
    return fsr_tile_value_moves(e->k, v, e->s.across) ? HOLD_OUTPUTS : HOLD_LANES;
}

/* The ROW instructions before the columns that such values may be made of, in their order. */
static int row_list(const fsr_emit *e, holding how, int *out) {
    int rows[FSR_MAX_INSTS], n = fsr_kernel_rows(e->k, 0, rows), kept = 0;
    for (int i = 0; i < n; i++) {
        const holding own = e->k->inst[rows[i]].kind == FSR_INST_STORE ? HOLD_OUTPUTS : holding_of(e, rows[i]);
        const bool lanes = own == HOLD_LANES || (own == HOLD_ROWS && !fsr_tile_value_moves(e->k, rows[i], e->s.across));
        if (e->k->inst[rows[i]].kind != FSR_INST_STORE &&
            (how == HOLD_OUTPUTS || own == how || (how == HOLD_LANES && lanes)))
            out[kept++] = rows[i];
    }
    return kept;
}

/* "[l][j]": where value v is held; of a declaration its extents. */
static const char *held_at(const fsr_emit *e, char buf[FSR_REF], int v, bool extents) {
    const int l = e->s.tall, j = e->s.items;
    static const char *const at[] = {"[l]", "[j]", "[l][j]"};
    const holding how = holding_of(e, v);
    if (!extents)
        snprintf(buf, FSR_REF, "%s", at[how]);
    else if (how == HOLD_OUTPUTS)
        snprintf(buf, FSR_REF, "[%d][%d]", l, j);
    else
        snprintf(buf, FSR_REF, "[%d]", how == HOLD_LANES ? j : l);
    return buf;
}

/* The loops over rows, lanes or outputs, with indices along all dimensions. */
static void open_held(fsr_emit *e, holding how) {
    const int last = fsr_emit_last_dimension(e);
    if (how != HOLD_LANES) {
        fsr_emit_unrolled(e, "l", e->s.tall);
        tile_index(e, e->s.across, true);
    }
    if (how != HOLD_ROWS) {
        fsr_emit_unrolled(e, "j", e->s.items);
        tile_index(e, last, true);
    }
    if (how == HOLD_LANES)
        fsr_emit_line(e, "const idx i%d = up;", e->s.across);
    if (how == HOLD_ROWS)
        fsr_emit_line(e, "const idx i%d = left;", last);
}

static void hold(fsr_emit *e, const bool *held, holding how) {
    int list[FSR_MAX_INSTS], n = row_list(e, how, list), any = 0;
    char at[FSR_REF];
    for (int i = 0; i < n; i++)
        if (held[list[i]] && holding_of(e, list[i]) == how) {
            fsr_emit_line(e, "%s h%d%s;", fsr_emit_type(e->k->inst[list[i]].dtype), list[i],
                          held_at(e, at, list[i], true));
            any++;
        }
    if (!any)
        return;
    open_held(e, how);
    fsr_emit_row_number(e);
    fsr_emit_row_parts(e, true, false);
    fsr_emit_row_list(e, list, n, "false");
    for (int i = 0; i < n; i++)
        if (held[list[i]] && holding_of(e, list[i]) == how)
            fsr_emit_line(e, "h%d%s = v%d;", list[i], held_at(e, at, list[i], false), list[i]);
    fsr_emit_close(e);
    if (how == HOLD_OUTPUTS)
        fsr_emit_close(e);
}

/* ---- one column ----------------------------------------------------------------------------------------- */

/* r<i>: of each staged load what the thread's rows or lanes need. */
static void take(fsr_emit *e, int v) {
    const bool lanes = fsr_load_is_panel(e->k, v);
    const int n = lanes ? e->s.items : e->s.tall, vector = lanes || n % vector_of(e) == 0 ? vector_of(e) : 1;
    fsr_emit_line(e, "%s r%d[%d];", fsr_emit_type(e->k->inst[v].dtype), v, n);
    fsr_emit_unrolled(e, "q", n / vector);
    if (lanes)
        fsr_emit_line(e, "fsr_load<%d>(r%d, q * %d, &s%d[step][q * %d + x * %d]);", vector, v, vector, v,
                      e->s.abreast * vector, vector);
    else
        fsr_emit_line(e, "fsr_load<%d>(r%d, q * %d, &s%d[step][y * %d + q * %d]);", vector, v, vector, v, n, vector);
    fsr_emit_close(e);
}

/* A load that is the same for the whole tile. */
static void load_once(fsr_emit *e, int v) {
    const fsr_inst *inst = &e->k->inst[v];
    char at[FSR_EXPR];
    fsr_emit_tile_address(e, at, inst->index);
    fsr_emit_line(e, "const %s v%d = x%d[%s]%s;", fsr_emit_type(inst->dtype), v, e->k->access[inst->index].buffer, at,
                  inst->dtype == FSR_BOOL ? " != 0" : "");
}

static bool asks_index(const fsr_emit *e, int d) {
    for (int i = 0; i < e->tile.n; i++)
        if (e->k->inst[e->tile.loop[i]].kind == FSR_INST_INDEX && e->k->inst[e->tile.loop[i]].index == d)
            return true;
    return false;
}

static void element(fsr_emit *e, int v) {
    const fsr_inst *inst = &e->k->inst[v];
    char input[FSR_EXPR];
    if (inst->kind == FSR_INST_LOAD) {
        if (e->k->stand[v].staged)
            fsr_emit_line(e, "const %s v%d = r%d[%s]%s;", fsr_emit_type(inst->dtype), v, v,
                          fsr_load_is_panel(e->k, v) ? "j" : "l", inst->dtype == FSR_BOOL ? " != 0" : "");
    } else if (inst->kind == FSR_INST_COMBINE) {
        fsr_emit_input(e, input, inst->index);
        fsr_emit_line(e, "acc[l][j].f%d = op%d::combine(acc[l][j].f%d, %s);", inst->index, e->op_of[inst->index],
                      inst->index, input);
    } else {
        fsr_emit_value(e, v, "");
    }
}

static void column(fsr_emit *e, const bool *held) {
    char at[FSR_REF];
    fsr_emit_line(e, "const idx c = first + step;");
    fsr_emit_column_indices(e, "c");
    for (int i = 0; i < e->tile.n; i++) {
        const int v = e->tile.loop[i];
        if (e->k->stand[v].staged)
            take(e, v);
        else if (e->k->inst[v].kind == FSR_INST_LOAD)
            load_once(e, v);
    }
    fsr_emit_unrolled(e, "l", e->s.tall);
    if (asks_index(e, e->s.across))
        tile_index(e, e->s.across, false);
    fsr_emit_unrolled(e, "j", e->s.items);
    if (asks_index(e, fsr_emit_last_dimension(e)))
        tile_index(e, fsr_emit_last_dimension(e), false);
    for (int v = 0; v < e->k->ninsts; v++)
        if (held[v])
            fsr_emit_line(e, "const %s v%d = h%d%s;", fsr_emit_type(e->k->inst[v].dtype), v, v,
                          held_at(e, at, v, false));
    for (int i = 0; i < e->tile.n; i++)
        element(e, e->tile.loop[i]);
    fsr_emit_close(e);
    fsr_emit_close(e);
}

/* ---- all columns ------------------------------------------------------------------------------------------ */

/* total = total (+) acc */
static void settle(fsr_emit *e) {
    fsr_emit_unrolled(e, "l", e->s.tall);
    fsr_emit_unrolled(e, "j", e->s.items);
    fsr_emit_line(e, "total[l * %d + j] = pass0::combine(total[l * %d + j], acc[l][j]);", e->s.items, e->s.items);
    fsr_emit_close(e);
    fsr_emit_line(e, "fsr_identities<pass0>(acc[l]);");
    fsr_emit_close(e);
}

static void columns(fsr_emit *e, const bool *held) {
    fsr_emit_line(e, "pass0::state acc[%d][%d], total[%d];", e->s.tall, e->s.items, e->s.tall * e->s.items);
    fsr_emit_unrolled(e, "l", e->s.tall);
    fsr_emit_line(e, "fsr_identities<pass0>(acc[l]);");
    fsr_emit_close(e);
    fsr_emit_line(e, "fsr_identities<pass0>(total);");
    fsr_emit_line(e, "idx from = 0;");
    fsr_emit_open(e, "if (cols > 0) {");
    fsr_emit_staged_bring(e);
    fsr_emit_close(e);
    fsr_emit_line(e, "#pragma unroll 1");
    fsr_emit_open(e, "for (idx first = 0; first < cols; first = from) {");
    fsr_emit_staged_put(e);
    fsr_emit_line(e, "fsr_barrier();");
    fsr_emit_line(e, "from = first + %d;", e->s.depth);
    fsr_emit_open(e, "if (from < cols) {");
    fsr_emit_staged_bring(e);
    fsr_emit_close(e);
    fsr_emit_line(e, "const int steps = cols - first < %d ? cols - first : %d;", e->s.depth, e->s.depth);
    fsr_emit_line(e, "#pragma unroll 2");
    fsr_emit_open(e, "for (int step = 0; step < steps; step++) {");
    column(e, held);
    fsr_emit_close(e);
    fsr_emit_open(e, "if (from %% %d == 0) {", e->s.chunk);
    settle(e);
    fsr_emit_close(e);
    fsr_emit_line(e, "fsr_barrier();");
    fsr_emit_close(e);
    settle(e);
}

/* ---- outputs -------------------------------------------------------------------------------------------------- */

static void outputs(fsr_emit *e) {
    const int a = e->s.across, b = fsr_emit_last_dimension(e);
    int rows[FSR_MAX_INSTS], n = fsr_kernel_rows(e->k, 0, rows);
    fsr_emit_line(e, "#pragma unroll 1");
    fsr_emit_open(e, "for (int o = 0; o < %d; o++) {", e->s.tall * e->s.items);
    fsr_emit_line(e, "const int l = o / %d, j = o %% %d;", e->s.items, e->s.items);
    tile_index(e, a, false);
    tile_index(e, b, false);
    fsr_emit_open(e, "if (i%d < n%d && i%d < n%d) {", a, FSR_INT_EXTENT + a, b, FSR_INT_EXTENT + b);
    fsr_emit_row_number(e);
    fsr_emit_line(e, "const pass0::state all0 = total[o];");
    fsr_emit_row_parts(e, true, true);
    fsr_emit_row_list(e, rows, n, "true");
    fsr_emit_row_values(e, 1, "true");
    fsr_emit_close(e);
    fsr_emit_close(e);
}

void fsr_emit_outputs(fsr_emit *e) {
    bool held[FSR_MAX_INSTS];
    int rows[FSR_MAX_INSTS], n = fsr_kernel_rows(e->k, 0, rows);
    e->s.vector = 1;
    fsr_emit_enter_pass(e, 0);
    for (int v = 0; v < e->k->ninsts; v++)
        e->naming[v] = FSR_NAME_PLAIN;
    fsr_emit_block_tile(e, e->s.across, fsr_emit_tile_extent(e, false), fsr_emit_tile_extent(e, true));
    fsr_emit_line(e, "const int x = threadIdx.x %% %d, y = threadIdx.x / %d;", e->s.abreast, e->s.abreast);
    for (int i = 0; i < n; i++)
        if (is_uniform(e->k, rows[i]))
            fsr_emit_value(e, rows[i], "");
    find_held(e, held);
    for (int how = HOLD_ROWS; how <= HOLD_OUTPUTS; how++)
        hold(e, held, (holding)how);
    fsr_emit_staged_declare(e);
    columns(e, held);
    outputs(e);
}
