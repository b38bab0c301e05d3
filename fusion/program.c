/* SPDX-License-Identifier: MIT */
/* A program as others hold it: freeing it, and finding its kernels and calls. */
#include "fusion/loop_plan.h"
#include "fusion/plan.h"
#include <stdlib.h>
#include <string.h>

void fsr_program_clear(fsr_program *program) {
    for (int i = 0; i < program->nsteps; ++i) {
        fsr_kernel_free(program->step[i].kernel);
        free(program->step[i].use);
        if (program->step[i].call)
            fsr_called_unref(program->step[i].call->called);
        free(program->step[i].call);
        fsr_loop_plan_unref(program->step[i].loop);
    }
    free(program->step);
    free(program->temporary);
    free(program->same_out);
    free(program->gift);
    free(program->text);
    free(program->explanation);
    memset(program, 0, sizeof *program);
}

fsr_launch fsr_program_launch(const fsr_program_step *step) {
    const fsr_kernel *k = step->kernel;
    fsr_launch launch = {.blocks = step->blocks};
    memcpy(launch.integer, k->integer, sizeof launch.integer[0] * (size_t)k->nints);
    return launch;
}

static const fsr_program_step *step_of(const fsr_program *program, fsr_step_kind kind, int i) {
    for (int s = 0; s < program->nsteps; ++s)
        if (program->step[s].kind == kind && i-- == 0)
            return &program->step[s];
    return NULL;
}

const fsr_program_step *fsr_program_kernel(const fsr_program *program, int i) {
    return step_of(program, FSR_STEP_KERNEL, i);
}

const fsr_program_step *fsr_program_call(const fsr_program *program, int i) {
    return step_of(program, FSR_STEP_LIBRARY, i);
}
