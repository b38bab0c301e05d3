/* SPDX-License-Identifier: MIT */
/* A thunk's kernel with another schedule. It must do with the memory that the program gives the thunk: workspace is the
 * largest that any thunk needs, flags are cleared for as many as the rules' schedule has. */
#include "runtime/tuned.h"
#include "fusion/schedule_edit.h"
#include <stdlib.h>

static fsr_status edit(const fsr_executable *e, const fsr_thunk *thunk, fsr_kernel *k, const char *fields,
                       fsr_fault *fault) {
    char why[256] = "";
    fsr_status status = fsr_schedule_edit(k, fields, why, sizeof why);
    if (status)
        return fsr_fault_set(fault, status, "kernel %s: %s", thunk->kernel->name, why);
    const int64_t room = thunk->inner ? thunk->work_bytes : e->program.work_bytes;
    if (fsr_kernel_work_bytes(k, thunk->kernel->integer) > room ||
        fsr_kernel_zero_bytes(k, thunk->kernel->integer) > thunk->zero_bytes)
        return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "kernel %s: with %s it needs more memory than its plan has",
                             thunk->kernel->name, fields);
    return fsr_kernel_rename(k) ? fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a schedule") : FSR_OK;
}

fsr_status fsr_tuned_make(const fsr_executable *e, int i, const char *fields, fsr_tuned *out, fsr_fault *fault) {
    const fsr_thunk *thunk = &e->program.thunk[i];
    fsr_tuned made = {.kernel = fsr_kernel_copy(thunk->kernel)};
    if (!made.kernel)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a schedule");
    fsr_status status = edit(e, thunk, made.kernel, fields, fault);
    if (!status)
        status = e->backend->ops->compile(e->backend, made.kernel, &made.module, fault);
    if (status) {
        fsr_kernel_free(made.kernel);
        return status;
    }
    made.blocks = fsr_kernel_blocks(made.kernel, thunk->kernel->integer);
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
    for (int i = 0; t && i < e->program.nthunks; ++i)
        fsr_tuned_clear(e, &t[i]);
    free(t);
}
