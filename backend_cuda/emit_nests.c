/* SPDX-License-Identifier: MIT */
/* Several nests in one kernel (fusion/nest.h): overlapped tiles. A block has a tile of the last nest's picture, `high`
 * lines of `broad` elements. Each earlier nest is a function that computes the tile of its results that this one needs,
 * halo and all, in shared memory, x<b> of banded array b; between two of them the block meets. What stands in a tile is
 * at [y * broad + x], and a load reads there as its access says (near), whatever its address in memory would be.
 *
 * The threads go along a tile in order, so neighbours compute neighbours, and write and read neighbouring words. What a
 * tile would have behind the ends of the domain is not computed. Indices are unsigned: before the beginning they are
 * beyond every extent. */
#include "backend_cuda/emit.h"
#include <stdio.h>
#include <stdlib.h>

/* The array of the whole that an array of e's nest is. */
static int array_of(const fsr_emit *e, int buffer) {
    return e->nest ? e->nest->array[buffer] : buffer;
}

bool fsr_emit_in_tile(const fsr_emit *e, int access) {
    return e->whole && e->whole->array[array_of(e, e->k->access[access].buffer)].banded;
}

/* The axes of tiles: indices in one, what begins where one does, how many of them the picture has. */
static const struct {
    const char *in, *from, *end;
} axes[] = {{"z", "plane", "planes"}, {"y", "line", "lines"}, {"x", "left", "pitch"}};

static int first_axis(const fsr_emit *e) {
    return e->s.deep ? FSR_AXIS_PLANE : FSR_AXIS_LINE;
}

void fsr_emit_tile_element(fsr_emit *e, char buf[FSR_EXPR], int access) {
    const fsr_access *a = &e->k->access[access];
    if (e->k->array[a->buffer].written) {
        fsr_emit_add(e, buf, 0, "x%d[at]", a->buffer);
        return;
    }
    const int producer = fsr_nests_producer(e->whole, array_of(e, a->buffer));
    const fsr_schedule *tile = &e->whole->nests->nest[producer].kernel->schedule;
    size_t n = fsr_emit_add(e, buf, 0, e->s.deep ? "x%d[((z" : "x%d[(y", a->buffer);
    for (int d = first_axis(e); d < FSR_AXES; d++) {
        n = d > first_axis(e) ? fsr_emit_add(e, buf, n, " * %d + %s", fsr_tile_extent(tile, d), axes[d].in) : n;
        n = fsr_emit_add(e, buf, n, a->near.step[d] > 1 ? " * %d" : "", a->near.step[d]);
        n = fsr_emit_add(e, buf, n, d == FSR_AXIS_ELEMENT ? " + %d]" : " + %d)", a->near.at[d]);
    }
}

/* Where the element that the loop is at stands in the tile; named apart where it is computed elsewhere (put_beyond). */
static void put_place(fsr_emit *e, const char *mark) {
    const int plane = e->s.high * e->s.broad;
    if (!e->s.deep)
        fsr_emit_line(e, "const int %sy = at / %d, %sx = at %% %d;", mark, e->s.broad, mark, e->s.broad);
    else
        fsr_emit_line(e, "const int %sz = at / %d, beside = at %% %d, %sy = beside / %d, %sx = beside %% %d;", mark,
                      plane, plane, mark, e->s.broad, mark, e->s.broad);
}

/* ---- inside of a picture --------------------------------------------------------------------------------------- */

/* Indices of a domain that is the picture, and its text's test. */
static void open_inside(fsr_emit *e) {
    const fsr_kernel *k = e->k;
    const int skipped = FSR_AXES - k->ndim;
    char index[FSR_EXPR] = "", test[FSR_EXPR] = "";
    size_t n = 0, m = 0;
    for (int d = 0; d < k->ndim; d++) {
        n = fsr_emit_add(e, index, n, "%si%d = %s + %s", d ? ", " : "", d, axes[skipped + d].from,
                         axes[skipped + d].in);
        m = fsr_emit_add(e, test, m, "%si%d < n%d", d ? " && " : "", d, FSR_INT_EXTENT + d);
    }
    fsr_emit_line(e, "const idx %s;", index);
    fsr_emit_open(e, "if (%s) {", test);
    fsr_emit_row_number(e);
}

/* In flat order: what is behind the end of a line is on the next one, which no store may take twice. */
static void open_flat(fsr_emit *e) {
    fsr_emit_line(e, e->s.deep ? "const idx r = ((plane + z) * lines + line + y) * pitch + left + x, i0 = r;"
                               : "const idx r = (line + y) * pitch + left + x, i0 = r;");
    if (e->s.deep)
        fsr_emit_open(e, "if (line + y < lines && left + x < pitch && r < rows) {");
    else
        fsr_emit_open(e, e->nest ? "if (r < rows) {" : "if (line + y < lines && left + x < pitch && r < rows) {");
}

/* ---- beyond its edges ------------------------------------------------------------------------------------------ */

/* The index along an axis, or of the domain's dimension that it is. */
static void name_index(const fsr_emit *e, int axis, char index[FSR_REF], char end[FSR_REF]) {
    const int d = axis - (FSR_AXES - e->k->ndim);
    const bool named = e->k->ndim > 1;
    snprintf(index, FSR_REF, named ? "i%d" : "j%d", named ? d : axis);
    if (named)
        snprintf(end, FSR_REF, "n%d", FSR_INT_EXTENT + d);
    else
        snprintf(end, FSR_REF, "%s", axes[axis].end);
}

/* The index that an element beyond an edge has in the picture. Where it stands in the tile is where that one does, but
 * in a tile that wraps: there it is beside its neighbours, as they are in earlier tiles. Returns what of that must be
 * asked: an element so far beyond that it is nobody's, as there are at the edges of small pictures, is left. */
static size_t put_beyond(fsr_emit *e, int axis, char test[FSR_EXPR], size_t n) {
    static const char *const function[] = {
        [FSR_BEYOND_EDGE] = "clip", [FSR_BEYOND_WRAP] = "wrap", [FSR_BEYOND_REFLECT] = "reflect"};
    const char *in = axes[axis].in, *from = axes[axis].from;
    const fsr_beyond beyond = e->s.beyond[axis];
    const bool moves = beyond == FSR_BEYOND_EDGE || beyond == FSR_BEYOND_REFLECT;
    char index[FSR_REF], end[FSR_REF];
    name_index(e, axis, index, end);
    if (beyond)
        fsr_emit_line(e, "const idx %s = (idx)fsr_%s((%s)(%s + to_%s), (%s)%s);", index, function[beyond],
                      e->s.wide ? "i64" : "i32", from, in, e->s.wide ? "i64" : "u32", end);
    else
        fsr_emit_line(e, "const idx %s = %s + to_%s;", index, from, in);
    if (moves)
        fsr_emit_line(e, "const int %s = (int)(%s - %s);", in, index, from);
    else
        fsr_emit_line(e, "const int %s = to_%s;", in, in);
    if (beyond == FSR_BEYOND_REFLECT || !beyond)
        n = fsr_emit_add(e, test, n, "%s%s < %s", n ? " && " : "", index, end);
    if (moves)
        n = fsr_emit_add(e, test, n, "%s(u32)%s < %du", n ? " && " : "", in, fsr_tile_extent(&e->s, axis));
    return n;
}

static void open_beyond(fsr_emit *e) {
    char test[FSR_EXPR] = "";
    size_t n = 0;
    put_place(e, "to_");
    for (int a = first_axis(e); a < FSR_AXES; a++)
        n = put_beyond(e, a, test, n);
    fsr_emit_open(e, n ? "if (%s) {" : "{", test);
    if (e->k->ndim > 1)
        fsr_emit_row_number(e);
    else
        fsr_emit_line(e, "const idx r = %s, i0 = r;", e->s.deep ? "(j0 * lines + j1) * pitch + j2" : "j1 * pitch + j2");
}

/* Of flat order, how many lines, or planes, there are. */
static void put_extents(fsr_emit *e) {
    if (fsr_tile_goes_beyond(&e->s) && e->k->ndim == 1)
        fsr_emit_line(e, e->s.deep ? "const idx planes = fsr_div(rows, lines * pitch);"
                                   : "const idx lines = fsr_div(rows, pitch);");
}

/* Opens the loop over a tile that begins at `line`, `left`, where the domain has the element: its indices, r, and the
 * instructions' addresses. */
static void open_tile(fsr_emit *e) {
    fsr_emit_open(e, "for (int at = threadIdx.x; at < %d; at += %d) {", (int)fsr_tile_elements(&e->s), e->s.threads);
    if (fsr_tile_goes_beyond(&e->s)) {
        open_beyond(e);
    } else {
        put_place(e, "");
        (e->k->ndim > 1 ? open_inside : open_flat)(e);
    }
    fsr_emit_row_parts(e, true, true);
}

static void put_tile(fsr_emit *e) {
    open_tile(e);
    e->all_there = true;
    fsr_emit_row_values(e, 0, "true");
    e->all_there = false;
    fsr_emit_close(e);
    fsr_emit_close(e);
}

/* ---- an earlier nest ------------------------------------------------------------------------------------- */

/* A tile's address is no memory's alone, so it has no restrict. */
static void declare(const fsr_emit *e, const fsr_cuda_param *p, fsr_text *out) {
    const fsr_array *array = &e->k->array[p->index];
    if (p->kind == FSR_CUDA_ARRAY && e->whole->array[array_of(e, p->index)].banded)
        fsr_text_add(out, "%s%s *x%d", array->written ? "" : "const ", fsr_emit_type(array->dtype), p->index);
    else
        fsr_emit_param(e->k, p, out);
}

static void put_function(fsr_emit *e, const char *body, int number, fsr_text *out) {
    fsr_cuda_param param[FSR_CUDA_MAX_PARAMS];
    const int n = fsr_emit_params(e->k, body, param);
    fsr_text_add(out, "static __forceinline__ void nest%d(%sconst idx line, const idx left, %sconst idx pitch", number,
                 e->s.deep ? "const idx plane, " : "", e->s.deep ? "const idx lines, " : "");
    for (int i = 0; i < n; i++) {
        fsr_text_add(out, ", ");
        declare(e, &param[i], out);
    }
    fsr_text_add(out, ")\n{\n%s}\n\n", body);
}

/* The text of the nest's function, without its head. */
static fsr_status print_nest(fsr_emit *own, fsr_text *body) {
    own->out = body;
    own->depth = 1;
    fsr_text_raw(body, "", 0);
    fsr_emit_once(own);
    put_extents(own);
    put_tile(own);
    return body->failed ? FSR_ERR_MEMORY : own->status;
}

/* Calls `use` with the printer of nest `number` and its function's text. */
static void with_nest(fsr_emit *e, int number, void (*use)(fsr_emit *own, const char *body, int number, fsr_text *to)) {
    fsr_text body = {0};
    fsr_emit *own = calloc(1, sizeof *own);
    fsr_status status = FSR_ERR_MEMORY;
    if (own) {
        own->whole = e->k;
        own->nest = &e->k->nests->nest[number];
        own->k = own->nest->kernel;
        own->s = own->k->schedule;
        status = print_nest(own, &body);
    }
    if (status == FSR_OK)
        use(own, body.data, number, e->out);
    else
        e->status = status;
    fsr_text_free(&body);
    free(own);
}

void fsr_emit_nest(fsr_emit *e, int number) {
    with_nest(e, number, put_function);
}

/* ---- the last one ---------------------------------------------------------------------------------------- */

/* What the nest's function is given for one of its parameters. */
static void put_argument(const fsr_emit *own, const fsr_cuda_param *p, fsr_text *out) {
    char name[FSR_REF];
    switch (p->kind) {
    case FSR_CUDA_ARRAY: fsr_text_add(out, ", x%d", own->nest->array[p->index]); break;
    case FSR_CUDA_INT:
        fsr_emit_int_name(name, own->nest->integer + p->index);
        fsr_text_add(out, ", %s", name);
        break;
    case FSR_CUDA_SCALAR: fsr_text_add(out, ", p%d", own->nest->scalar + p->index); break;
    case FSR_CUDA_RECIPROCAL: /* indices of tiles are sums */
    case FSR_CUDA_WORK:
    case FSR_CUDA_ZERO: break;
    }
}

static void put_call(fsr_emit *own, const char *body, int number, fsr_text *out) {
    fsr_cuda_param param[FSR_CUDA_MAX_PARAMS];
    const int n = fsr_emit_params(own->k, body, param), reach = own->nest->reach;
    fsr_text_add(out, "    nest%d(", number);
    if (own->s.deep)
        fsr_text_add(out, "n%d + n%d * plane, ", reach + FSR_TILE_FRONT, reach + FSR_TILE_INWARD);
    fsr_text_add(out, "n%d + n%d * line, n%d + n%d * left, ", reach + FSR_TILE_TOP, reach + FSR_TILE_DOWN,
                 reach + FSR_TILE_LEFT, reach + FSR_TILE_ALONG);
    if (own->s.deep)
        fsr_text_add(out, "n%d, ", reach + FSR_TILE_LINES);
    fsr_text_add(out, "n%d", reach + FSR_TILE_PITCH);
    for (int i = 0; i < n; i++)
        put_argument(own, &param[i], out);
    fsr_text_add(out, ");\n    fsr_barrier();\n");
}

static void declare_tiles(fsr_emit *e) {
    for (int b = 0; b < e->k->narrays; b++) {
        const int producer = e->k->array[b].banded ? fsr_nests_producer(e->k, b) : -1;
        if (producer < 0)
            continue;
        const fsr_schedule *s = &e->k->nests->nest[producer].kernel->schedule;
        fsr_emit_line(e, "__shared__ %s x%d alignas(16) [%d];", fsr_emit_type(e->k->array[b].dtype), b,
                      (int)fsr_tile_elements(s));
    }
}

/* Which tile a block has: along lines, planes, elements. */
static void put_lines(fsr_emit *e) {
    fsr_emit_line(e, "const idx lines = fsr_div(rows + pitch - 1, pitch);");
    fsr_emit_line(e, "const idx across = fsr_div((idx)blockIdx.x, tiles), line = across * %d;", e->s.high);
    fsr_emit_line(e, "const idx left = ((idx)blockIdx.x - across * tiles) * %d;", e->s.broad);
}

static void put_planes(fsr_emit *e) {
    fsr_emit_line(e, "const idx lines = n%d, high = (lines + %d) / %d;", e->k->nests->bytes, e->s.high - 1, e->s.high);
    fsr_emit_line(e, "const idx across = fsr_div((idx)blockIdx.x, tiles), deep = fsr_div(across, high);");
    fsr_emit_line(e, "const idx plane = deep * %d, line = (across - deep * high) * %d;", e->s.deep, e->s.high);
    fsr_emit_line(e, "const idx left = ((idx)blockIdx.x - across * tiles) * %d;", e->s.broad);
}

void fsr_emit_tiles(fsr_emit *e) {
    fsr_emit_line(e, "const idx pitch = n%d, tiles = (pitch + %d) / %d;", e->k->nests->band, e->s.broad - 1,
                  e->s.broad);
    (e->s.deep ? put_planes : put_lines)(e);
    declare_tiles(e);
    for (int i = 0; i < e->k->nests->n; i++)
        with_nest(e, i, put_call);
    put_tile(e);
}
