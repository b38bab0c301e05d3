/* SPDX-License-Identifier: MIT */
/* Callers' functions in generated CUDA (runtime/source.c). Values of f16 and bf16, which are bits in a kernel, reach a
 * function as floats. Diagnostics 117 and 940 are functions that end without a result. */
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

void fsr_emit_call(fsr_emit *e, char buf[FSR_EXPR], const fsr_inst *inst, fsr_emit_namer name, const void *of) {
    const fsr_routine *f = e->k->routine[inst->index];
    const bool rounds = fsr_dtype_is_half(f->result);
    char arg[FSR_REF];
    size_t n = rounds ? fsr_emit_add(e, buf, 0, "fsr_f32_to_%s(%s(", fsr_dtype_name(f->result), f->symbol)
                      : fsr_emit_add(e, buf, 0, "%s(", f->symbol);
    for (int a = 0; a < f->nparams; a++) {
        const bool half = fsr_dtype_is_half(f->dtype[a]);
        n = fsr_emit_add(e, buf, n, half ? "%sfsr_%s_to_f32(%s)" : "%s%.0s%s", a ? ", " : "",
                         fsr_dtype_name(f->dtype[a]), name(of, arg, inst->arg[a]));
    }
    fsr_emit_add(e, buf, n, rounds ? "))" : ")");
}
