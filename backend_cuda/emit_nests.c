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

void fsr_emit_tile_element(fsr_emit *e, char buf[FSR_EXPR], int access) {
    const fsr_access *a = &e->k->access[access];
    if (e->k->array[a->buffer].written) {
        fsr_emit_add(e, buf, 0, "x%d[at]", a->buffer);
        return;
    }
    const int producer = fsr_nests_producer(e->whole, array_of(e, a->buffer));
    size_t n = fsr_emit_add(e, buf, 0, "x%d[(y", a->buffer);
    n = fsr_emit_add(e, buf, n, a->near.down > 1 ? " * %d" : "", a->near.down);
    n = fsr_emit_add(e, buf, n, " + %d) * %d + x", a->near.row, e->whole->nests->nest[producer].kernel->schedule.broad);
    n = fsr_emit_add(e, buf, n, a->near.along > 1 ? " * %d" : "", a->near.along);
    fsr_emit_add(e, buf, n, " + %d]", a->near.column);
}

/* Opens the loop over a tile that begins at `line`, `left`, where the domain has the element: its indices, r, and the
 * instructions' addresses. */
static void open_tile(fsr_emit *e) {
    const fsr_kernel *k = e->k;
    fsr_emit_open(e, "for (int at = threadIdx.x; at < %d; at += %d) {", e->s.high * e->s.broad, e->s.threads);
    fsr_emit_line(e, "const int y = at / %d, x = at %% %d;", e->s.broad, e->s.broad);
    if (k->ndim == 2) {
        fsr_emit_line(e, "const idx i0 = line + y, i1 = left + x;");
        fsr_emit_open(e, "if (i0 < n%d && i1 < n%d) {", FSR_INT_EXTENT, FSR_INT_EXTENT + 1);
        fsr_emit_row_number(e);
    } else {
        fsr_emit_line(e, "const idx r = (line + y) * pitch + left + x, i0 = r;");
        fsr_emit_open(e, e->nest ? "if (r < rows) {" : "if (line + y < lines && left + x < pitch && r < rows) {");
    }
    fsr_emit_row_parts(e, true, true);
}

static void put_tile(fsr_emit *e) {
    open_tile(e);
    fsr_emit_row_values(e, 0, "true");
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
    fsr_text_add(out, "static __forceinline__ void nest%d(const idx line, const idx left, const idx pitch", number);
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
    fsr_text_add(out, "    nest%d(n%d + n%d * line, n%d + n%d * left, n%d", number, reach + FSR_TILE_TOP,
                 reach + FSR_TILE_DOWN, reach + FSR_TILE_LEFT, reach + FSR_TILE_ALONG, reach + FSR_TILE_PITCH);
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
                      s->high * s->broad);
    }
}

void fsr_emit_tiles(fsr_emit *e) {
    fsr_emit_line(e, "const idx pitch = n%d, tiles = (pitch + %d) / %d;", e->k->nests->band, e->s.broad - 1,
                  e->s.broad);
    fsr_emit_line(e, "const idx lines = fsr_div(rows + pitch - 1, pitch);");
    fsr_emit_line(e, "const idx across = fsr_div((idx)blockIdx.x, tiles), line = across * %d;", e->s.high);
    fsr_emit_line(e, "const idx left = ((idx)blockIdx.x - across * tiles) * %d;", e->s.broad);
    declare_tiles(e);
    for (int i = 0; i < e->k->nests->n; i++)
        with_nest(e, i, put_call);
    put_tile(e);
}
