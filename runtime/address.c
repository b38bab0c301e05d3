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
    return fsr_context_forked(ctx, fault) ? FSR_ERR_FORKED : fsr_check_place(ctx, data, bytes, place, NULL, fault);
}

/* Once it does not, it counts as not known: the backend has noted in *seen that it was asked. */
bool fsr_place_holds(fsr_context *ctx, fsr_seen *seen) {
    const uint64_t id = ctx->backend->ops->identify(ctx->backend, seen->data, seen);
    if (id && id == seen->id)
        return true;
    seen->id = 0;
    return false;
}

/* What is known of an allocation holds for as long as its id is that of the address: a call with the arguments of the
 * last two asks for the id alone. Memory that was freed since has none, or that of what stands there now. The id comes
 * first: what is found then may be newer than it, never older. */
static fsr_status look_up(fsr_context *ctx, const void *data, fsr_seen *seen, fsr_fault *fault) {
    const fsr_backend_ops *ops = ctx->backend->ops;
    const uint64_t id = seen->data == data ? ops->identify(ctx->backend, data, seen) : 0;
    if (id && id == seen->id)
        return FSR_OK;
    const fsr_status status = ops->locate(ctx->backend, data, &seen->found, fault);
    seen->data = data;
    seen->id = status ? 0 : id;
    return status;
}

fsr_status fsr_check_place(fsr_context *ctx, const void *data, int64_t bytes, fsr_place place, fsr_seen *seen,
                           fsr_fault *fault) {
    fsr_seen now;
    if (!ctx->backend->ops->locate || !data || bytes <= 0)
        return FSR_OK;
    if (!seen) {
        now.data = NULL;
        seen = &now;
    }
    const fsr_status status = look_up(ctx, data, seen, fault);
    if (status)
        return status;
    if (place == FSR_HOST ? !seen->found.host : !seen->found.device)
        return wrong_owner(&seen->found, place, fault);
    if (seen->found.room < bytes)
        return fsr_fault_set(fault, FSR_ERR_VALUE, "%lld bytes are needed, the allocation ends %lld after the address",
                             (long long)bytes, (long long)seen->found.room);
    return FSR_OK;
}
