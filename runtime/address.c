/* SPDX-License-Identifier: MIT */
/* Where an address of the caller's lies, asked before anything is done with it.
 *
 * A kernel that is given an address of the host costs the process its whole GPU context, long after the call; host code
 * that is given one of the device ends the program. The driver knows both, and where the allocation ends. It does not
 * know memory of the host that was not allocated through it: that is what it says nothing about. On a CPU there is
 * nothing to ask: both places are the host's, and an address is believed. */
#include "runtime/array.h"

static fsr_status wrong_owner(const fsr_address *found, fsr_place place, fsr_fault *fault) {
    if (found->owner < 0)
        return fsr_fault_set(fault, FSR_ERR_VALUE, "FSR_DEVICE, but the address is memory of the host");
    return fsr_fault_set(fault, FSR_ERR_VALUE, "%s, but the address is memory of CUDA device %d",
                         place == FSR_HOST ? "memory of the host is needed" : "memory of another device is needed",
                         found->owner);
}

fsr_status fsr_check_address(fsr_context *ctx, const void *data, int64_t bytes, fsr_place place, fsr_fault *fault) {
    return fsr_context_forked(ctx, fault) ? FSR_ERR_FORKED : fsr_check_place(ctx, data, bytes, place, fault);
}

fsr_status fsr_check_place(fsr_context *ctx, const void *data, int64_t bytes, fsr_place place, fsr_fault *fault) {
    const fsr_backend_ops *ops = ctx->backend->ops;
    fsr_address found;
    if (!ops->locate || !data || bytes <= 0)
        return FSR_OK;
    const fsr_status status = ops->locate(ctx->backend, data, &found, fault);
    if (status)
        return status;
    if (place == FSR_HOST ? !found.host : !found.device)
        return wrong_owner(&found, place, fault);
    if (found.room < bytes)
        return fsr_fault_set(fault, FSR_ERR_VALUE, "%lld bytes are needed, the allocation ends %lld after the address",
                             (long long)bytes, (long long)found.room);
    return FSR_OK;
}
