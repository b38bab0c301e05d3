/* SPDX-License-Identifier: MIT */
/* A program as others hold it: freeing it, and finding its kernels and calls. */
#include "fusion/loop_plan.h"
#include "fusion/plan.h"
#include <stdlib.h>
#include <string.h>

void fsr_program_clear(fsr_program *program) {
    for (int i = 0; i < program->nthunks; ++i) {
        fsr_kernel_free(program->thunk[i].kernel);
        free(program->thunk[i].use);
        if (program->thunk[i].call)
            fsr_called_unref(program->thunk[i].call->called);
        free(program->thunk[i].call);
        fsr_loop_plan_unref(program->thunk[i].loop);
    }
    free(program->thunk);
    free(program->temporary);
    free(program->same_out);
    free(program->gift);
    free(program->text);
    free(program->explanation);
    memset(program, 0, sizeof *program);
}

fsr_launch fsr_program_launch(const fsr_thunk *thunk) {
    const fsr_kernel *k = thunk->kernel;
    fsr_launch launch = {.blocks = thunk->blocks};
    memcpy(launch.integer, k->integer, sizeof launch.integer[0] * (size_t)k->nints);
    return launch;
}

static const fsr_thunk *thunk_of(const fsr_program *program, fsr_thunk_kind kind, int i) {
    for (int s = 0; s < program->nthunks; ++s)
        if (program->thunk[s].kind == kind && i-- == 0)
            return &program->thunk[s];
    return NULL;
}

const fsr_thunk *fsr_program_kernel(const fsr_program *program, int i) {
    return thunk_of(program, FSR_THUNK_KERNEL, i);
}

const fsr_thunk *fsr_program_call(const fsr_program *program, int i) {
    return thunk_of(program, FSR_THUNK_LIBRARY, i);
}
