/* SPDX-License-Identifier: MIT */
/* Callers' functions in generated CUDA (runtime/source.c). Values of f16 and bf16, which are bits in a kernel, reach a
 * function as floats. A function of whole arrays is called for elements that
 * there are alone. Diagnostics 117 and 940 are functions that end without a result. */
#include "backend_cuda/emit.h"
#include "backend_cuda/emit_cuda.h"
#include "runtime/source.h"
#include <stdio.h>

/* A parameter's type: a bool is any byte in a kernel, true or false in a caller's text. */
static const char *type_of(fsr_dtype dtype) {
    return dtype == FSR_BOOL ? "bool" : fsr_dtype_is_half(dtype) ? "f32" : fsr_emit_type(dtype);
}

static const fsr_source_dialect dialect = {.type = type_of, .cuda = true};

const fsr_routine *fsr_emit_cuda_lacks(const fsr_kernel *k) {
    for (int i = 0; i < k->nroutines; i++)
        if (!k->routine[i]->cuda[0])
            return k->routine[i];
    return NULL;
}

void fsr_emit_declare_calls(const fsr_kernel *k, fsr_text *out) {
    fsr_source_declare(out, &dialect, (const fsr_routine *const *)k->routine, k->nroutines);
}

void fsr_emit_define_calls(const fsr_kernel *k, fsr_text *out) {
    if (k->nroutines)
        fsr_text_add(out, "#pragma nv_diag_error 117, 940\n");
    fsr_source_define(out, &dialect, (const fsr_routine *const *)k->routine, k->nroutines);
}

/* ", (const u16 *)x2 + (i64)(i32)n9, (i64)(i32)n5": a whole array, and how many elements it has. */
static size_t add_array(fsr_emit *e, char buf[FSR_EXPR], size_t n, const fsr_access *a, fsr_dtype dtype) {
    const int offset = e->k->form[a->form].offset;
    const char *sign = e->s.wide ? "(i64)" : "(i64)(i32)";
    n = fsr_emit_add(e, buf, n, ", (const %s *)x%d", fsr_raw_type(dtype), a->buffer);
    if (offset >= 0)
        n = fsr_emit_add(e, buf, n, " + %sn%d", sign, offset);
    return fsr_emit_add(e, buf, n, ", %sn%d", sign, a->size);
}

/* "r < rows ? user_f_1(v2, v3) : f32{}" */
static size_t add_called(fsr_emit *e, char buf[FSR_EXPR], size_t n, const fsr_inst *inst, fsr_emit_namer name,
                         const void *of) {
    const fsr_routine *f = e->k->routine[inst->index];
    char arg[FSR_REF];
    n = fsr_emit_add(e, buf, n, "%s(", f->symbol);
    for (int a = 0; a < f->nparams; a++) {
        const bool half = fsr_dtype_is_half(f->dtype[a]);
        n = fsr_emit_add(e, buf, n, half ? "%sfsr_%s_to_f32(%s)" : "%s%.0s%s", a ? ", " : "",
                         fsr_dtype_name(f->dtype[a]), name(of, arg, inst->arg[a]));
    }
    for (int i = 0; i < f->narrays; i++)
        n = add_array(e, buf, n, &e->k->access[fsr_call_array(e->k, inst, i)], f->dtype[f->nparams + i]);
    return fsr_emit_add(e, buf, n, ")");
}

/* "const user_f_1_all all5 = user_f_1(v2, v3);", unless it stands there. Gives the call whose results these are. */
static int put_all(fsr_emit *e, const fsr_inst *inst, fsr_emit_namer name, const void *of) {
    const fsr_routine *f = e->k->routine[inst->index];
    char text[FSR_EXPR], ref[FSR_REF];
    int first;
    if (fsr_source_call(&e->calls, e->k, (int)(inst - e->k->inst), e->depth, &first))
        return first;
    const char *live = f->narrays ? fsr_emit_live(e, ref, first) : NULL;
    const size_t n = fsr_emit_add(e, text, 0, live ? "%s ? " : "", live);
    add_called(e, text, n, inst, name, of);
    if (live)
        fsr_emit_line(e, "const %s_all all%d = %s : %s_all{};", f->symbol, first, text, f->symbol);
    else
        fsr_emit_line(e, "const %s_all all%d = %s;", f->symbol, first, text);
    return first;
}

void fsr_emit_call(fsr_emit *e, char buf[FSR_EXPR], const fsr_inst *inst, fsr_emit_namer name, const void *of) {
    const fsr_routine *f = e->k->routine[inst->index];
    const bool rounds = fsr_dtype_is_half(f->result);
    const int all = f->nresults ? put_all(e, inst, name, of) : -1;
    char ref[FSR_REF];
    const char *live = f->narrays && all < 0 ? fsr_emit_live(e, ref, (int)(inst - e->k->inst)) : NULL;
    size_t n = fsr_emit_add(e, buf, 0, live ? "%s ? " : "", live);
    if (rounds)
        n = fsr_emit_add(e, buf, n, "fsr_f32_to_%s(", fsr_dtype_name(f->result));
    n = all >= 0 ? fsr_emit_add(e, buf, n, "all%d.c%d", all, f->component) : add_called(e, buf, n, inst, name, of);
    n = fsr_emit_add(e, buf, n, rounds ? ")" : "");
    if (live)
        fsr_emit_add(e, buf, n, " : %s{}", fsr_emit_type(f->result));
}
