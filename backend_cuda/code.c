/* SPDX-License-Identifier: MIT */
/* Callers' kernels on a device.
 *
 * What is loaded is held only while it is launched; it stays until newer ones push it out, or memory is short. A stream
 * that is being captured is left alone by loading (the thread's mode is relaxed meanwhile): loading is no work of the
 * stream. What a captured graph launches later must still be loaded then, so what was launched into a capture stays
 * until the context closes.
 *
 * Parameters are compared with the kernel's own before a launch: counter-example to leaving it to the driver, which
 * reads as many bytes as the kernel has, behind the end of a value that is shorter. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/code.h"
#include "graph/code.h"
#include "runtime/modules.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { LOG_BYTES = 8192 };

typedef struct loaded_code {
    fsr_loaded loaded; /* first: see runtime/modules.h */
    fsr_kernel_code code;
    void *block; /* code's parts */
    cudaLibrary_t library;
    cudaKernel_t kernel;
    int params;                              /* FSR_MAX_KERNEL_PARAMS + 1: more than a call gives */
    size_t bytes[FSR_MAX_KERNEL_PARAMS + 1]; /* of its parameters */
    _Atomic bool captured;
} loaded_code;

struct fsr_cuda_codes {
    fsr_modules table;
};

/* ---- loading ----------------------------------------------------------------------------------------------- */

static void code_free(loaded_code *m) {
    if (!m)
        return;
    if (m->library)
        cudaLibraryUnload(m->library);
    free(m->block);
    free(m);
}

/* The kernel's parameters, as the driver knows them. One past the last is an invalid value to it. */
static cudaError_t read_params(loaded_code *m) {
    for (m->params = 0; m->params <= FSR_MAX_KERNEL_PARAMS; m->params++) {
        size_t at, bytes;
        const cudaError_t error = cudaFuncGetParamInfo((const void *)m->kernel, (size_t)m->params, &at, &bytes);
        if (error == cudaErrorInvalidValue) {
            cudaGetLastError();
            return cudaSuccess;
        }
        if (error != cudaSuccess)
            return error;
        m->bytes[m->params] = bytes;
    }
    return cudaSuccess;
}

/* What a block may have beside the kernel's own shared memory, whatever a launch asks for: two threads that launch it
 * with different sizes set nothing. */
static cudaError_t allow_shared(const fsr_cuda *c, const loaded_code *m) {
    struct cudaFuncAttributes own;
    int most = 0;
    cudaError_t error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, c->device);
    if (error == cudaSuccess)
        error = cudaFuncGetAttributes(&own, (const void *)m->kernel);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute((const void *)m->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     most - (int)own.sharedSizeBytes);
    return error;
}

/* log: what the driver's compiler said. */
static cudaError_t load_library(const fsr_cuda *c, loaded_code *m, const fsr_cuda_binary *binary, const char *name,
                                char *log) {
    enum cudaJitOption option[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
    void *value[] = {log, (void *)(uintptr_t)LOG_BYTES};
    const unsigned n = m->code.form == FSR_CODE_PTX ? 2 : 0;
    cudaError_t error = cudaLibraryLoadData(&m->library, binary->data, option, value, n, NULL, NULL, 0);
    if (error != cudaSuccess)
        m->library = NULL;
    if (error == cudaSuccess)
        error = cudaLibraryGetKernel(&m->kernel, m->library, name);
    if (error == cudaSuccess)
        error = read_params(m);
    if (error == cudaSuccess)
        error = allow_shared(c, m);
    if (error != cudaSuccess && m->library) {
        cudaLibraryUnload(m->library);
        m->library = NULL;
    }
    return error;
}

static fsr_status explain_failure(fsr_cuda *c, const loaded_code *m, cudaError_t error, const char *log,
                                  fsr_fault *fault) {
    static const char *const form[] = {"CUDA text", "PTX", "binary"};
    const bool rejected = m->code.form == FSR_CODE_PTX && log[0];
    fsr_status status =
        fsr_cuda_fail(c, error, fault, "%s of kernel %s on sm_%d", form[m->code.form], m->code.name, c->arch);
    if (!rejected || error == cudaErrorMemoryAllocation)
        return status;
    char *words = fault->message;
    fault->message = NULL;
    status =
        fsr_fault_set(fault, FSR_ERR_COMPILE, "%s\n%.*s", words ? words : "the driver rejected PTX", LOG_BYTES, log);
    free(words);
    return status;
}

static fsr_status load(fsr_cuda *c, loaded_code *m, const fsr_cuda_binary *binary, const char *name, fsr_fault *fault) {
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    char *log = calloc(1, LOG_BYTES + 1);
    if (!log)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "kernel %s: out of host memory", name);
    cudaError_t error = cudaThreadExchangeStreamCaptureMode(&mode);
    fsr_status status = FSR_OK;
    if (error == cudaSuccess) {
        error = load_library(c, m, binary, name, log);
        cudaThreadExchangeStreamCaptureMode(&mode);
    }
    if (error != cudaSuccess)
        status = explain_failure(c, m, error, log, fault);
    free(log);
    return status;
}

/* What came from disk and is not taken is compiled anew. */
static fsr_status build(fsr_cuda *c, loaded_code *m, fsr_fault *fault) {
    fsr_status status = FSR_OK;
    bool again = true;
    for (int turn = 0; turn < 2 && again; turn++) {
        fsr_cuda_binary binary;
        char *name;
        fsr_fault_clear(fault);
        status = fsr_cuda_build_code(c->build, &m->code, turn > 0, &binary, &name, fault);
        again = !status && binary.from_disk;
        if (!status)
            status = load(c, m, &binary, name, fault);
        if (!status && c->log_level >= FSR_LOG_INFO)
            fprintf(stderr, "fusor: the program's kernel %s: %s%.0f ms\n", m->code.name,
                    binary.from_disk ? "from the disk cache, " : "compiled in ", binary.ms);
        again = again && status;
        free(binary.data);
        free(name);
    }
    return status;
}

/* ---- the table --------------------------------------------------------------------------------------------- */

static bool same_code(const fsr_loaded *a, const fsr_loaded *b) {
    return fsr_code_same(&((const loaded_code *)a)->code, &((const loaded_code *)b)->code);
}

static void drop_code(void *user, fsr_loaded *m) {
    fsr_fault ignored = {0};
    fsr_cuda_wait(user, NULL, &ignored);
    fsr_fault_clear(&ignored);
    code_free((loaded_code *)m);
}

fsr_status fsr_cuda_codes_open(fsr_cuda *c, int limit, fsr_fault *fault) {
    c->codes = calloc(1, sizeof *c->codes);
    if (!c->codes)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "CUDA backend: out of host memory");
    c->codes->table = (fsr_modules){.same = same_code, .drop = drop_code, .user = c, .limit = limit};
    fsr_modules_init(&c->codes->table);
    return FSR_OK;
}

void fsr_cuda_codes_close(fsr_cuda *c) {
    if (c->codes)
        fsr_modules_clear(&c->codes->table);
    free(c->codes);
    c->codes = NULL;
}

void fsr_cuda_codes_trim(fsr_cuda *c) {
    fsr_modules_trim(&c->codes->table);
}

/* A reference to the kernel, loaded. */
static fsr_status take(fsr_cuda *c, const fsr_kernel_code *code, loaded_code **out, fsr_fault *fault) {
    loaded_code *m = calloc(1, sizeof *m);
    if (!m || !(m->block = fsr_code_copy(&m->code, code))) {
        free(m);
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "kernel %s: out of host memory", code->name);
    }
    m->loaded.hash = XXH3_64bits(m->code.code, m->code.code_bytes);
    *out = (loaded_code *)fsr_modules_take(&c->codes->table, &m->loaded);
    if (*out) {
        code_free(m);
        return FSR_OK;
    }
    const fsr_status status = build(c, m, fault);
    fsr_modules_settle(&c->codes->table, &m->loaded, status == FSR_OK);
    if (status)
        code_free(m);
    else
        *out = m;
    return status;
}

/* ---- launching --------------------------------------------------------------------------------------------- */

static size_t bytes_of(const fsr_kernel_param *p) {
    return p->kind == FSR_PARAM_VALUE ? p->bytes : sizeof(void *);
}

static fsr_status check_params(const loaded_code *m, const fsr_kernel_code *code, fsr_fault *fault) {
    if (m->params != code->params)
        return fsr_fault_set(fault, FSR_ERR_VALUE, "kernel %s has %d parameters%s, the call gives %d", code->name,
                             m->params, m->params > FSR_MAX_KERNEL_PARAMS ? " or more" : "", code->params);
    for (int i = 0; i < m->params; i++)
        if (m->bytes[i] != bytes_of(&code->param[i]))
            return fsr_fault_set(fault, FSR_ERR_VALUE, "parameter %d of kernel %s has %zu bytes, the call gives %zu",
                                 i + 1, code->name, m->bytes[i], bytes_of(&code->param[i]));
    return FSR_OK;
}

/* What the parameters ask of the outputs before the launch. */
static cudaError_t begin(const fsr_kernel_code *code, const fsr_call_frame *frame) {
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < code->params && error == cudaSuccess; i++) {
        const fsr_kernel_param *p = &code->param[i];
        if (p->kind != FSR_PARAM_ZEROED && p->kind != FSR_PARAM_COPIED)
            continue;
        const fsr_frame_array *out = &frame->output[p->index];
        const size_t bytes = (size_t)fsr_frame_array_bytes(out);
        if (bytes && p->kind == FSR_PARAM_ZEROED)
            error = cudaMemsetAsync(out->data, 0, bytes, frame->stream);
        else if (bytes)
            error =
                cudaMemcpyAsync(out->data, frame->input[p->from].data, bytes, cudaMemcpyDeviceToDevice, frame->stream);
    }
    return error;
}

static cudaError_t launch(const loaded_code *m, const fsr_kernel_code *code, const fsr_call_frame *frame) {
    const void *address[FSR_MAX_KERNEL_PARAMS];
    void *argument[FSR_MAX_KERNEL_PARAMS];
    for (int i = 0; i < code->params; i++) {
        const fsr_kernel_param *p = &code->param[i];
        address[i] = p->kind == FSR_PARAM_INPUT   ? frame->input[p->index].data
                     : p->kind == FSR_PARAM_WORK  ? frame->work
                     : p->kind == FSR_PARAM_VALUE ? NULL
                                                  : frame->output[p->index].data;
        argument[i] = p->kind == FSR_PARAM_VALUE ? (void *)p->value : (void *)&address[i];
    }
    const dim3 grid = {(unsigned)code->grid[0], (unsigned)code->grid[1], (unsigned)code->grid[2]};
    const dim3 block = {(unsigned)code->block[0], (unsigned)code->block[1], (unsigned)code->block[2]};
    cudaLaunchAttribute cooperative = {.id = cudaLaunchAttributeCooperative, .val = {.cooperative = 1}};
    const cudaLaunchConfig_t config = {.gridDim = grid,
                                       .blockDim = block,
                                       .dynamicSmemBytes = (size_t)code->shared_bytes,
                                       .stream = frame->stream,
                                       .attrs = &cooperative,
                                       .numAttrs = code->cooperative};
    return cudaLaunchKernelExC(&config, (const void *)m->kernel, argument);
}

/* One that a capture has, being launched, is held for good. */
static cudaError_t keep_captured(loaded_code *m, cudaStream_t stream, bool *first) {
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t error = cudaStreamIsCapturing(stream, &status);
    *first = error == cudaSuccess && status != cudaStreamCaptureStatusNone && !atomic_exchange(&m->captured, true);
    return error;
}

fsr_status fsr_cuda_code_run(fsr_cuda *c, const fsr_kernel_code *code, const fsr_call_frame *frame, fsr_fault *fault) {
    loaded_code *m = NULL;
    bool hold = false;
    fsr_status status = take(c, code, &m, fault);
    if (status)
        return status;
    status = check_params(m, code, fault);
    if (!status) {
        cudaError_t error = begin(code, frame);
        if (error == cudaSuccess)
            error = launch(m, code, frame);
        if (error == cudaSuccess)
            error = keep_captured(m, frame->stream, &hold);
        if (error != cudaSuccess)
            status = fsr_cuda_fail(c, error, fault,
                                   "launching kernel %s with %lld x %lld x %lld blocks of %lld x %lld x %lld threads "
                                   "and %lld shared bytes",
                                   code->name, (long long)code->grid[0], (long long)code->grid[1],
                                   (long long)code->grid[2], (long long)code->block[0], (long long)code->block[1],
                                   (long long)code->block[2], (long long)code->shared_bytes);
    }
    if (!hold)
        fsr_modules_release(&c->codes->table, &m->loaded);
    return status;
}
#endif
