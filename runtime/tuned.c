/* SPDX-License-Identifier: MIT */
/* A step's kernel with another schedule. It must do with the memory that the program gives the step: workspace is the
 * largest that any step needs, flags are cleared for as many as the rules' schedule has. */
#include "runtime/tuned.h"
#include "fusion/schedule_edit.h"
#include <stdlib.h>

static fsr_status edit(const fsr_executable *e, const fsr_program_step *step, fsr_kernel *k, const char *fields,
                       fsr_fault *fault) {
    char why[256] = "";
    fsr_status status = fsr_schedule_edit(k, fields, why, sizeof why);
    if (status)
        return fsr_fault_set(fault, status, "kernel %s: %s", step->kernel->name, why);
    const int64_t room = step->inner ? step->work_bytes : e->program.work_bytes;
    if (fsr_kernel_work_bytes(k, step->kernel->integer) > room ||
        fsr_kernel_zero_bytes(k, step->kernel->integer) > step->zero_bytes)
        return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "kernel %s: with %s it needs more memory than its plan has",
                             step->kernel->name, fields);
    return fsr_kernel_rename(k) ? fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a schedule") : FSR_OK;
}

fsr_status fsr_tuned_make(const fsr_executable *e, int i, const char *fields, fsr_tuned *out, fsr_fault *fault) {
    const fsr_program_step *step = &e->program.step[i];
    fsr_tuned made = {.kernel = fsr_kernel_copy(step->kernel)};
    if (!made.kernel)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a schedule");
    fsr_status status = edit(e, step, made.kernel, fields, fault);
    if (!status)
        status = e->backend->ops->compile(e->backend, made.kernel, &made.module, fault);
    if (status) {
        fsr_kernel_free(made.kernel);
        return status;
    }
    made.blocks = fsr_kernel_blocks(made.kernel, step->kernel->integer);
    *out = made;
    return FSR_OK;
}

void fsr_tuned_clear(const fsr_executable *e, fsr_tuned *t) {
    if (t->module)
        e->backend->ops->release(e->backend, t->module);
    fsr_kernel_free(t->kernel);
    *t = (fsr_tuned){.kernel = NULL};
}

void fsr_tuned_free(const fsr_executable *e, fsr_tuned *t) {
    for (int i = 0; t && i < e->program.nsteps; ++i)
        fsr_tuned_clear(e, &t[i]);
    free(t);
}
