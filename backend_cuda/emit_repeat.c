/* SPDX-License-Identifier: MIT */
/* Kernels that one launch runs several times over (fusion/repeat.h): what one repetition does is a function, which the
 * kernel calls with the addresses of each; behind it the threads of the block meet.
 *
 * A state is read through the pointer through which it is written, so of the kernel's own parameters only arrays that
 * nothing here writes are said to be nobody else's. Counter-example to saying it of the array that a state is at first:
 * the compiler would load all of a state past the cache in which the threads see what they have written. */
#include "backend_cuda/emit.h"
#include "fusion/repeat.h"
#include "runtime/text.h"
#include <string.h>

static const char function[] = "fsr_repetition";

/* Where the kernel's array b begins, if it moves by itself; turn: the repetition. */
static void own_place(const fsr_kernel *k, int b, const char *turn, fsr_text *out) {
    const fsr_moves *m = &k->repeat->array[b];
    if (m->spare)
        fsr_text_add(out, "(n%d - (%s)) & 1 ? x%d : x%d", k->repeat->times, turn, b, m->spare - 1);
    else if (m->step)
        fsr_text_add(out, "x%d + (idx)(n%d + (%s) * n%d)", b, m->first, turn, m->step);
    else
        fsr_text_add(out, "x%d", b);
}

static void place(const fsr_kernel *k, int b, fsr_text *out) {
    const int follows = k->repeat->array[b].follows - 1;
    if (follows < 0) {
        own_place(k, b, "turn", out);
        return;
    }
    fsr_text_add(out, "turn ? (");
    own_place(k, follows, "turn - 1", out);
    fsr_text_add(out, ") : x%d", b);
}

void fsr_emit_repeat_loop(const fsr_kernel *k, const char *body, fsr_text *out) {
    fsr_cuda_param param[FSR_CUDA_MAX_PARAMS];
    char name[FSR_REF];
    const int n = fsr_emit_params(k, body, param);
    fsr_text_add(out, "    for (idx turn = 0; turn < n%d; turn++) {\n        %s(", k->repeat->times, function);
    for (int i = 0; i < n; i++) {
        const int at = param[i].index;
        fsr_text_add(out, i ? ", " : "");
        switch (param[i].kind) {
        case FSR_CUDA_ARRAY: place(k, at, out); break;
        case FSR_CUDA_INT:
            fsr_emit_int_name(name, at);
            fsr_text_add(out, "%s", name);
            break;
        case FSR_CUDA_RECIPROCAL: fsr_text_add(out, "m%d", at); break;
        case FSR_CUDA_SCALAR: fsr_text_add(out, "p%d", at); break;
        case FSR_CUDA_WORK: fsr_text_add(out, "work"); break;
        case FSR_CUDA_ZERO: fsr_text_add(out, "zero"); break;
        }
    }
    if (k->repeat->number)
        fsr_text_add(out, "%s(i64)turn", n ? ", " : "");
    fsr_text_add(out, ");\n        fsr_barrier();\n    }\n");
}

void fsr_emit_repetition(const fsr_kernel *k, const char *body, fsr_text *out) {
    fsr_cuda_param param[FSR_CUDA_MAX_PARAMS];
    const int n = fsr_emit_params(k, body, param);
    fsr_text_add(out, "\nstatic __forceinline__ void %s(", function);
    for (int i = 0; i < n; i++) {
        fsr_text_add(out, i ? ", " : "");
        fsr_emit_param(k, &param[i], out);
    }
    if (k->repeat->number)
        fsr_text_add(out, "%sconst i64 p%d", n ? ", " : "", k->repeat->number - 1);
    fsr_text_add(out, ")\n{\n");
    fsr_text_raw(out, body, strlen(body));
    fsr_text_add(out, "}\n");
}
