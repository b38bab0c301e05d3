/* SPDX-License-Identifier: MIT */
/* The whole source of a kernel: head, the pieces of the prelude it needs, its operators, the function.
 *
 * The body is printed first. What it mentions decides the rest: which pieces, which integer and scalar arguments. So
 * the parameter list and the body cannot disagree. */
#include "backend_cuda/emit.h"
#include "backend_cuda/prelude.h"
#include "fusion/repeat.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ------------------------------------------------------------------------------------- */

static void line(fsr_emit *e, const char *format, va_list args, const char *end) {
    fsr_text_add(e->out, "%*s", format[0] == '#' ? 0 : 4 * e->depth, "");
    fsr_text_add_list(e->out, format, args);
    fsr_text_add(e->out, "%s", end);
}

void fsr_emit_line(fsr_emit *e, const char *format, ...) {
    va_list args;
    va_start(args, format);
    line(e, format, args, "\n");
    va_end(args);
}

void fsr_emit_open(fsr_emit *e, const char *format, ...) {
    va_list args;
    va_start(args, format);
    line(e, format, args, "\n");
    va_end(args);
    e->depth++;
}

void fsr_emit_leave(fsr_emit *e) {
    e->depth--;
    fsr_source_leave(&e->calls, e->depth);
}

void fsr_emit_close(fsr_emit *e) {
    fsr_emit_leave(e);
    fsr_emit_line(e, "}");
}

void fsr_emit_unrolled(fsr_emit *e, const char *var, int n) {
    fsr_emit_line(e, "#pragma unroll");
    fsr_emit_open(e, "for (int %s = 0; %s < %d; %s++) {", var, var, n, var);
}

void fsr_emit_broken(fsr_emit *e) {
    e->status = FSR_ERR_INTERNAL;
}

size_t fsr_emit_add(fsr_emit *e, char buf[FSR_EXPR], size_t n, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const int more = vsnprintf(buf + n, FSR_EXPR - n, format, args);
    va_end(args);
    if (more >= 0 && (size_t)more < FSR_EXPR - n)
        return n + (size_t)more;
    fsr_emit_broken(e);
    buf[n] = 0;
    return n;
}

/* ---- the rules of emit_cuda.h that the kernel alone shows -------------------------------------------- */

static bool schedule_holds(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    bool fits = s->threads >= 32 && s->threads <= 1024 && fsr_power_of_two(s->vector) && s->vector <= 16 &&
                s->items >= s->vector && s->items % s->vector == 0 && s->target == FSR_TARGET_GPU;
    bool abreast = s->kind == FSR_SCHEDULE_ROW || s->kind == FSR_SCHEDULE_COL;
    bool one_pass = s->kind == FSR_SCHEDULE_SPLIT || s->kind == FSR_SCHEDULE_LOOKBACK;
    if (!fits || (abreast && (s->abreast < 1 || s->threads % s->abreast != 0)))
        return false;
    if (s->dealt ? s->threads % 32 != 0 : !fsr_power_of_two(s->threads) || (abreast && !fsr_power_of_two(s->abreast)))
        return false;
    if ((one_pass && k->npasses != 1) || (s->kind == FSR_SCHEDULE_MAP) != (k->npasses == 0))
        return false;
    return s->kind != FSR_SCHEDULE_SPLIT || !fsr_kernel_has_scan(k);
}

/* ---- types, body, parameters ------------------------------------------------------------------------ */

/* Rows behind the count of the elements that are there are none. */
static void open_live(fsr_emit *e) {
    char end[FSR_REF];
    if (!e->k->live || e->k->npasses)
        return;
    fsr_emit_line(e, "const idx all = rows;");
    fsr_emit_open(e, "{");
    fsr_emit_line(e, "const idx rows = (u64)%s < all ? (idx)%s : all;", fsr_emit_ref(e, end, e->k->live - 1), end);
}

static void print_map(fsr_emit *e) {
    if (e->k->nests)
        fsr_emit_tiles(e);
    else if (e->s.tile)
        fsr_emit_square(e);
    else if (e->s.branched)
        fsr_emit_branched(e);
    else
        fsr_emit_map(e);
}

static void print_body(fsr_emit *e) {
    e->depth = 1;
    fsr_emit_share_scalars(e);
    fsr_emit_once(e);
    open_live(e);
    switch (e->s.kind) {
    case FSR_SCHEDULE_MAP: print_map(e); break;
    case FSR_SCHEDULE_ROW: fsr_emit_row(e); break;
    case FSR_SCHEDULE_SPLIT: fsr_emit_split(e); break;
    case FSR_SCHEDULE_COL: e->s.tall ? fsr_emit_outputs(e) : fsr_emit_col(e); break;
    case FSR_SCHEDULE_LOOKBACK: fsr_emit_lookback(e); break;
    case FSR_SCHEDULE_TEAM: fsr_emit_team(e); break;
    }
    if (e->k->live && !e->k->npasses)
        fsr_emit_close(e);
    e->depth = 0;
}

/* Operators and products into types, the function's body into body. */
static fsr_status print_parts(const fsr_kernel *k, fsr_text *types, fsr_text *body) {
    if (!schedule_holds(k))
        return FSR_ERR_INTERNAL;
    fsr_emit *e = calloc(1, sizeof *e);
    if (!e)
        return FSR_ERR_MEMORY;
    e->k = k;
    e->whole = k->nests ? k : NULL;
    e->s = k->schedule;
    e->out = types;
    fsr_text_raw(types, "", 0);
    for (int i = 0; k->nests && i < k->nests->n; i++)
        fsr_emit_nest(e, i);
    fsr_emit_find_needs(e);
    fsr_emit_fold_types(e);
    fsr_emit_loop_types(e);
    fsr_emit_pass_types(e);
    e->out = body;
    print_body(e);
    fsr_status status = types->failed || body->failed ? FSR_ERR_MEMORY : e->status;
    free(e);
    return status;
}

void fsr_emit_int_name(char buf[FSR_REF], int slot) {
    static const char *const fixed[] = {"rows", "cols", "splits", "stretch"};
    if (slot < FSR_INT_EXTENT)
        snprintf(buf, FSR_REF, "%s", fixed[slot]);
    else
        snprintf(buf, FSR_REF, "n%d", slot);
}

int fsr_emit_params(const fsr_kernel *k, const char *body, fsr_cuda_param *out) {
    int n = 0, int_bytes = k->schedule.wide ? 8 : 4;
    char name[FSR_REF];
    for (int b = 0; b < k->narrays; b++)
        if (!k->nests || !k->array[b].banded)
            out[n++] = (fsr_cuda_param){FSR_CUDA_ARRAY, b, 8};
    for (int s = 0; s < k->nints; s++) {
        fsr_emit_int_name(name, s);
        if (fsr_text_mentions(body, name))
            out[n++] = (fsr_cuda_param){FSR_CUDA_INT, s, int_bytes};
    }
    for (int d = 0; d < k->ndim; d++) {
        snprintf(name, sizeof name, "m%d", FSR_INT_EXTENT + d);
        if (fsr_text_mentions(body, name))
            out[n++] = (fsr_cuda_param){FSR_CUDA_RECIPROCAL, FSR_INT_EXTENT + d, 8};
    }
    for (int s = 0; s < k->nscalars; s++) {
        snprintf(name, sizeof name, "p%d", s);
        if (fsr_text_mentions(body, name) && !(k->repeat && k->repeat->number == s + 1))
            out[n++] = (fsr_cuda_param){FSR_CUDA_SCALAR, s, (int)fsr_dtype_size(k->scalar[s])};
    }
    if (fsr_text_mentions(body, "work"))
        out[n++] = (fsr_cuda_param){FSR_CUDA_WORK, 0, 8};
    if (fsr_text_mentions(body, "zero"))
        out[n++] = (fsr_cuda_param){FSR_CUDA_ZERO, 0, 8};
    return n;
}

uint64_t fsr_cuda_reciprocal(int64_t extent) {
    uint64_t shift = 31;
    if (extent < 1 || extent > (int64_t)1 << 31)
        return 0;
    while ((uint64_t)1 << (shift - 31) < (uint64_t)extent)
        shift++;
    return shift << 32 | (((uint64_t)1 << shift) + (uint64_t)extent - 1) / (uint64_t)extent;
}

/* The body, and of a repeated kernel the loop around it behind: the kernel has the parameters that both mention. */
static void print_loop(const fsr_kernel *k, const fsr_text *body, fsr_text *out) {
    fsr_text_raw(out, body->data, strlen(body->data));
    if (k->repeat)
        fsr_emit_repeat_loop(k, body->data, out);
}

int fsr_cuda_params(const fsr_kernel *k, fsr_cuda_param *out) {
    fsr_text types = {0}, body = {0}, all = {0};
    int n = -1;
    const fsr_status status = print_parts(k, &types, &body);
    if (status == FSR_OK)
        print_loop(k, &body, &all);
    if (status == FSR_ERR_MEMORY || all.failed)
        n = FSR_CUDA_NO_MEMORY;
    else if (status == FSR_OK)
        n = fsr_emit_params(k, all.data, out);
    fsr_text_free(&types);
    fsr_text_free(&body);
    fsr_text_free(&all);
    return n;
}

static void print_array_param(const fsr_kernel *k, int index, fsr_text *out) {
    const fsr_array *array = &k->array[index];
    const bool shared = array->aliased || (k->repeat && (array->written || k->repeat->array[index].follows));
    fsr_text_add(out, "%s%s *%sx%d", array->written ? "" : "const ", fsr_emit_type(array->dtype),
                 shared ? "" : "__restrict__ ", index);
}

void fsr_emit_param(const fsr_kernel *k, const fsr_cuda_param *p, fsr_text *out) {
    char name[FSR_REF];
    switch (p->kind) {
    case FSR_CUDA_ARRAY: print_array_param(k, p->index, out); break;
    case FSR_CUDA_INT:
        fsr_emit_int_name(name, p->index);
        fsr_text_add(out, "const idx %s", name);
        break;
    case FSR_CUDA_RECIPROCAL: fsr_text_add(out, "const fsr_reciprocal m%d", p->index); break;
    case FSR_CUDA_SCALAR: fsr_text_add(out, "const %s p%d", fsr_emit_type(k->scalar[p->index]), p->index); break;
    case FSR_CUDA_WORK: fsr_text_add(out, "void *work"); break;
    case FSR_CUDA_ZERO: fsr_text_add(out, "void *zero"); break;
    }
}

/* ---- the source --------------------------------------------------------------------------------------- */

static void print_head(const fsr_kernel *k, fsr_text *out) {
    const fsr_schedule *s = &k->schedule;
    fsr_text_raw(out, "// ", 3);
    for (const char *at = k->comment; *at; at++)
        fsr_text_raw(out, *at >= ' ' && *at != '\\' ? at : " ", 1);
    fsr_text_raw(out, "\n", 1);
    fsr_text_add(out, "// %d parallel dimensions, %d folded, %d passes\n", k->nparallel, k->ndim - k->nparallel,
                 k->npasses);
    fsr_text_add(out, "// %s: %d threads, abreast %d, vector %d, items %d%s\n", fsr_schedule_name(s->kind), s->threads,
                 s->abreast, s->vector, s->items, s->persistent ? ", persistent" : "");
    fsr_text_add(out, "#pragma nv_diag_suppress 177, 186, 550\n");
    fsr_text_add(out,
                 "typedef unsigned char b8, u8;\ntypedef signed char i8;\ntypedef short i16;\ntypedef unsigned "
                 "short u16;\ntypedef int i32;\ntypedef unsigned u32;\ntypedef long long i64;\n"
                 "typedef unsigned long long u64;\ntypedef u16 f16, bf16;\ntypedef float f32;\ntypedef double f64;\n"
                 "struct alignas(8) c64 { f32 re, im; };\nstruct alignas(16) c128 { f64 re, im; };\n");
    fsr_text_add(out, "typedef %s idx;\n\n", s->wide ? "u64" : "u32");
}

/* all: all that the parameters are for. */
static void print_function(const fsr_kernel *k, const char *all, const char *body, fsr_text *out) {
    fsr_cuda_param param[FSR_CUDA_MAX_PARAMS];
    int n = fsr_emit_params(k, all, param);
    fsr_text_add(out, "\nextern \"C\" __global__ void __launch_bounds__(%d", fsr_kernel_threads(k));
    if (k->schedule.resident)
        fsr_text_add(out, ", %d", k->schedule.resident);
    fsr_text_add(out, ")\n%s(", k->name);
    for (int i = 0; i < n; i++) {
        fsr_text_add(out, i ? ", " : "");
        fsr_emit_param(k, &param[i], out);
    }
    fsr_text_add(out, ")\n{\n");
    fsr_text_raw(out, body, strlen(body));
    fsr_text_add(out, "}\n");
}

/* all: body, and of a repeated kernel the loop around it, which calls the body as a function. */
static void print_functions(const fsr_kernel *k, const char *all, const char *body, fsr_text *out) {
    if (k->repeat)
        fsr_emit_repetition(k, body, out);
    print_function(k, all, all + (k->repeat ? strlen(body) : 0), out);
}

static fsr_status emit(const fsr_kernel *k, fsr_text *out, bool host) {
    fsr_text types = {0}, body = {0}, all = {0}, both = {0};
    if (fsr_emit_cuda_lacks(k))
        return FSR_ERR_UNSUPPORTED;
    fsr_status status = print_parts(k, &types, &body);
    if (status == FSR_OK) {
        print_loop(k, &body, &all);
        fsr_text_add(&both, "%s%s", types.data, all.failed ? "" : all.data);
        if (both.failed || all.failed) {
            status = FSR_ERR_MEMORY;
        } else {
            print_head(k, out);
            fsr_prelude_print(out, both.data, host);
            fsr_text_add(out, "\n%s", types.data);
            fsr_emit_declare_calls(k, out);
            print_functions(k, all.data, body.data, out);
            fsr_emit_define_calls(k, out);
            status = out->failed ? FSR_ERR_MEMORY : FSR_OK;
        }
    }
    fsr_text_free(&types);
    fsr_text_free(&body);
    fsr_text_free(&all);
    fsr_text_free(&both);
    return status;
}

fsr_status fsr_emit_cuda(const fsr_kernel *k, fsr_text *out) {
    return emit(k, out, false);
}

fsr_status fsr_emit_cuda_for_host(const fsr_kernel *k, fsr_text *out) {
    return emit(k, out, true);
}
