/* Callers' functions in generated CUDA: declared before the kernel, defined behind it, as on the CPU
 * (backend_cpu/emit_call.c says why). Values of f16 and bf16, which are bits in a kernel, reach a function as floats.
 * Diagnostics 117 and 940 are functions that end without a result. */
#include "backend_cuda/emit.h"
#include "backend_cuda/emit_cuda.h"
#include <stdio.h>
#include <string.h>

/* A parameter's type: a bool is any byte in a kernel, true or false in a caller's text. */
static const char *type_of(fsr_dtype dtype) {
    return dtype == FSR_BOOL ? "bool" : fsr_dtype_is_half(dtype) ? "f32" : fsr_emit_type(dtype);
}

static void print_signature(const fsr_routine *f, fsr_text *out) {
    fsr_text_add(out, "static inline %s %s(", type_of(f->result), f->symbol);
    for (int i = 0; i < f->nparams; i++)
        fsr_text_add(out, "%s%s %s", i ? ", " : "", type_of(f->dtype[i]), f->param[i]);
    fsr_text_add(out, ")");
}

static void print_lines(const char *name, const char *text, fsr_text *out) {
    fsr_text_add(out, "#line 1 \"%s\"\n", name);
    fsr_text_raw(out, text, strlen(text));
    fsr_text_add(out, "\n");
}

/* A preamble that an earlier function has too stands there already. */
static void print_preamble(const fsr_kernel *k, int number, fsr_text *out) {
    const fsr_routine *f = k->routine[number];
    char name[FSR_ROUTINE_NAME + 16];
    for (int i = 0; i < number; i++)
        if (!strcmp(k->routine[i]->cuda_preamble, f->cuda_preamble))
            return;
    snprintf(name, sizeof name, "%s.cuda_preamble", f->name);
    if (f->cuda_preamble[0])
        print_lines(name, f->cuda_preamble, out);
}

const fsr_routine *fsr_emit_cuda_lacks(const fsr_kernel *k) {
    for (int i = 0; i < k->nroutines; i++)
        if (!k->routine[i]->cuda[0])
            return k->routine[i];
    return NULL;
}

void fsr_emit_declare_calls(const fsr_kernel *k, fsr_text *out) {
    for (int i = 0; i < k->nroutines; i++) {
        print_signature(k->routine[i], out);
        fsr_text_add(out, ";\n");
    }
}

void fsr_emit_define_calls(const fsr_kernel *k, fsr_text *out) {
    if (k->nroutines)
        fsr_text_add(out, "#pragma nv_diag_error 117, 940\n");
    for (int i = 0; i < k->nroutines; i++)
        print_preamble(k, i, out);
    for (int i = 0; i < k->nroutines; i++) {
        print_signature(k->routine[i], out);
        fsr_text_add(out, " {\n");
        print_lines(k->routine[i]->name, k->routine[i]->cuda, out);
        fsr_text_add(out, "}\n");
    }
}

void fsr_emit_call(fsr_emit *e, char buf[FSR_EXPR], int v) {
    const fsr_inst *inst = &e->k->inst[v];
    const fsr_routine *f = e->k->routine[inst->index];
    const bool rounds = fsr_dtype_is_half(f->result);
    char arg[FSR_REF];
    int n = rounds ? snprintf(buf, FSR_EXPR, "fsr_f32_to_%s(%s(", fsr_dtype_name(f->result), f->symbol)
                   : snprintf(buf, FSR_EXPR, "%s(", f->symbol);
    for (int a = 0; a < f->nparams && n < FSR_EXPR; a++) {
        const bool half = fsr_dtype_is_half(f->dtype[a]);
        n += snprintf(buf + n, (size_t)(FSR_EXPR - n), half ? "%sfsr_%s_to_f32(%s)" : "%s%.0s%s", a ? ", " : "",
                      fsr_dtype_name(f->dtype[a]), fsr_emit_ref(e, arg, inst->arg[a]));
    }
    if (n + 3 > FSR_EXPR)
        fsr_emit_broken(e);
    else
        snprintf(buf + n, (size_t)(FSR_EXPR - n), rounds ? "))" : ")");
}
