/* SPDX-License-Identifier: MIT */
/* NVRTC, and compiling with it. It stays loaded, so a second open can see that it is warm.
 *
 * The version number alone does not name a compiler: builds 13.0.48 and 13.0.88 both say 13.0. The identity therefore
 * has the file's size and date. */
#include "backend_cuda/nvrtc.h"
#include "runtime/libraries.h"
#include "runtime/shared_library.h"
#include "runtime/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fsr_nvrtc_state *fsr_nvrtc_program; /* nvrtcProgram */

enum { FSR_NVRTC_SUCCESS = 0 };

/* Name behind "nvrtc", result, parameters. */
#define FSR_NVRTC_LIST(X)                                                                                           \
    X(Version, int, (int *major, int *minor))                                                                       \
    X(GetNumSupportedArchs, int, (int *count))                                                                      \
    X(GetSupportedArchs, int, (int *archs))                                                                         \
    X(GetErrorString, const char *, (int result))                                                                   \
    X(CreateProgram, int,                                                                                           \
      (fsr_nvrtc_program * program, const char *source, const char *name, int nheaders, const char *const *headers, \
       const char *const *names))                                                                                   \
    X(DestroyProgram, int, (fsr_nvrtc_program * program))                                                           \
    X(CompileProgram, int, (fsr_nvrtc_program program, int noptions, const char *const *options))                   \
    X(GetCUBINSize, int, (fsr_nvrtc_program program, size_t * size))                                                \
    X(GetCUBIN, int, (fsr_nvrtc_program program, char *cubin))                                                      \
    X(GetLTOIRSize, int, (fsr_nvrtc_program program, size_t * size))                                                \
    X(GetLTOIR, int, (fsr_nvrtc_program program, char *code))                                                       \
    X(AddNameExpression, int, (fsr_nvrtc_program program, const char *expression))                                  \
    X(GetLoweredName, int, (fsr_nvrtc_program program, const char *expression, const char **name))                  \
    X(GetProgramLogSize, int, (fsr_nvrtc_program program, size_t * size))                                           \
    X(GetProgramLog, int, (fsr_nvrtc_program program, char *log))

struct fsr_nvrtc {
#define FSR_NVRTC_FIELD(name, result, parameters) result(*name) parameters;
    FSR_NVRTC_LIST(FSR_NVRTC_FIELD)
#undef FSR_NVRTC_FIELD
    bool fresh; /* this open loaded the library */
    int major, minor;
    int narchs;
    int *arch;
    char *identity;
};

/* The newest version that the loader finds, else in the standard places. */
static bool load(fsr_nvrtc *n, fsr_text *tried) {
    static const char *const file[] = {FSR_CUDA_PLACES("libnvrtc.so.13"), FSR_CUDA_PLACES("libnvrtc.so.12"),
                                       FSR_CUDA_PLACES("libnvrtc.so"), NULL};
#define FSR_NVRTC_FUNCTION(name, result, parameters) {"nvrtc" #name, &n->name},
    const fsr_shared_function function[] = {FSR_NVRTC_LIST(FSR_NVRTC_FUNCTION){NULL, NULL}};
#undef FSR_NVRTC_FUNCTION
    return fsr_shared_library_load(file, function, &n->fresh, tried) != NULL;
}

static bool make_identity(fsr_nvrtc *n) {
    fsr_text t = {0};
    fsr_text_add(&t, "NVRTC %d.%d", n->major, n->minor);
    void *symbol = NULL;
    memcpy(&symbol, &n->Version, sizeof symbol);
    fsr_shared_library_identify(symbol, &t);
    n->identity = fsr_text_take(&t);
    return n->identity != NULL;
}

static fsr_status query(fsr_nvrtc *n, fsr_fault *fault) {
    int count = 0;
    int rc = n->Version(&n->major, &n->minor);
    if (rc == FSR_NVRTC_SUCCESS)
        rc = n->GetNumSupportedArchs(&count);
    if (rc != FSR_NVRTC_SUCCESS)
        return fsr_fault_set(fault, FSR_ERR_NO_BACKEND, "NVRTC does not answer: %s", n->GetErrorString(rc));
    n->arch = malloc((size_t)(count > 0 ? count : 1) * sizeof *n->arch);
    if (!n->arch || !make_identity(n))
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "opening NVRTC: out of host memory");
    rc = n->GetSupportedArchs(n->arch);
    if (rc != FSR_NVRTC_SUCCESS)
        return fsr_fault_set(fault, FSR_ERR_NO_BACKEND, "NVRTC does not name its architectures: %s",
                             n->GetErrorString(rc));
    n->narchs = count;
    return FSR_OK;
}

fsr_status fsr_nvrtc_open(fsr_nvrtc **out, fsr_fault *fault) {
    *out = NULL;
    fsr_nvrtc *n = calloc(1, sizeof *n);
    if (!n)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "opening NVRTC: out of host memory");
    fsr_text tried = {0};
    fsr_status status;
    if (load(n, &tried))
        status = query(n, fault);
    else
        status = fsr_fault_set(fault, FSR_ERR_NO_BACKEND, "the CUDA run-time compiler NVRTC was not found; tried %s",
                               tried.data ? tried.data : "");
    fsr_text_free(&tried);
    if (status != FSR_OK) {
        fsr_nvrtc_close(n);
        return status;
    }
    *out = n;
    return FSR_OK;
}

void fsr_nvrtc_close(fsr_nvrtc *n) {
    if (!n)
        return;
    free(n->arch);
    free(n->identity);
    free(n);
}

int fsr_nvrtc_version(const fsr_nvrtc *n) {
    return n->major * 1000 + n->minor * 10;
}

const char *fsr_nvrtc_identity(const fsr_nvrtc *n) {
    return n->identity;
}

int fsr_nvrtc_arch(const fsr_nvrtc *n, int device) {
    int best = 0;
    for (int i = 0; i < n->narchs; i++)
        if (n->arch[i] / 10 == device / 10 && n->arch[i] <= device && n->arch[i] > best)
            best = n->arch[i];
    return best;
}

void fsr_nvrtc_warm(fsr_nvrtc *n, int arch) {
    if (!n->fresh)
        return;
    fsr_nvrtc_program program = NULL;
    if (n->CreateProgram(&program, "", "warm.cu", 0, NULL, NULL) != FSR_NVRTC_SUCCESS)
        return;
    char option[32];
    snprintf(option, sizeof option, "-arch=sm_%d", arch);
    n->CompileProgram(program, 1, (const char *const[]){option});
    n->DestroyProgram(&program);
}

/* The whole log; NULL only if memory is out. */
static char *take_log(fsr_nvrtc *n, fsr_nvrtc_program program) {
    size_t size = 0;
    if (n->GetProgramLogSize(program, &size) != FSR_NVRTC_SUCCESS)
        size = 0;
    char *log = calloc(1, size + 1);
    if (log && size && n->GetProgramLog(program, log) != FSR_NVRTC_SUCCESS)
        log[0] = '\0';
    return log;
}

/* The binary, or the LTO-IR. */
static fsr_status take_cubin(fsr_nvrtc *n, fsr_nvrtc_program program, bool lto, fsr_nvrtc_result *out,
                             fsr_fault *fault) {
    int rc = (lto ? n->GetLTOIRSize : n->GetCUBINSize)(program, &out->size);
    if (rc == FSR_NVRTC_SUCCESS && out->size) {
        out->cubin = malloc(out->size);
        if (!out->cubin)
            return fsr_fault_set(fault, FSR_ERR_MEMORY, "a compiled kernel of %zu bytes: out of host memory",
                                 out->size);
        rc = (lto ? n->GetLTOIR : n->GetCUBIN)(program, out->cubin);
    }
    if (rc == FSR_NVRTC_SUCCESS && out->size)
        return FSR_OK;
    free(out->cubin);
    out->cubin = NULL;
    return fsr_fault_set(fault, FSR_ERR_COMPILE, "NVRTC gave no binary: %s", n->GetErrorString(rc));
}

/* The name belongs to the program. */
static fsr_status take_lowered(fsr_nvrtc *n, fsr_nvrtc_program program, const char *kernel, fsr_nvrtc_result *out,
                               fsr_fault *fault) {
    const char *lowered = NULL;
    const int rc = n->GetLoweredName(program, kernel, &lowered);
    if (rc != FSR_NVRTC_SUCCESS || !lowered)
        return fsr_fault_set(fault, FSR_ERR_COMPILE, "NVRTC has no name of kernel %s: %s", kernel,
                             n->GetErrorString(rc));
    out->lowered = strdup(lowered);
    return out->lowered ? FSR_OK : fsr_fault_set(fault, FSR_ERR_MEMORY, "kernel %s: out of host memory", kernel);
}

static fsr_status compile(fsr_nvrtc *n, const char *name, const char *source, const char *const *option, int noptions,
                          const char *kernel, bool lto, fsr_nvrtc_result *out, fsr_fault *fault) {
    memset(out, 0, sizeof *out);
    fsr_nvrtc_program program = NULL;
    int rc = n->CreateProgram(&program, source, name, 0, NULL, NULL);
    if (rc != FSR_NVRTC_SUCCESS)
        return fsr_fault_set(fault, FSR_ERR_COMPILE, "NVRTC: %s", n->GetErrorString(rc));
    if (kernel)
        rc = n->AddNameExpression(program, kernel);
    if (rc == FSR_NVRTC_SUCCESS)
        rc = n->CompileProgram(program, noptions, option);
    out->log = take_log(n, program);
    fsr_status status;
    if (rc != FSR_NVRTC_SUCCESS)
        status = fsr_fault_set(fault, FSR_ERR_COMPILE, "%s", n->GetErrorString(rc));
    else
        status = take_cubin(n, program, lto, out, fault);
    if (status == FSR_OK && kernel)
        status = take_lowered(n, program, kernel, out, fault);
    n->DestroyProgram(&program);
    return status;
}

fsr_status fsr_nvrtc_compile(fsr_nvrtc *n, const char *name, const char *source, const char *const *option,
                             int noptions, fsr_nvrtc_result *out, fsr_fault *fault) {
    return compile(n, name, source, option, noptions, NULL, false, out, fault);
}

fsr_status fsr_nvrtc_compile_lto(fsr_nvrtc *n, const char *name, const char *source, const char *const *option,
                                 int noptions, fsr_nvrtc_result *out, fsr_fault *fault) {
    return compile(n, name, source, option, noptions, NULL, true, out, fault);
}

fsr_status fsr_nvrtc_compile_named(fsr_nvrtc *n, const char *name, const char *source, const char *const *option,
                                   int noptions, const char *kernel, fsr_nvrtc_result *out, fsr_fault *fault) {
    return compile(n, name, source, option, noptions, kernel, false, out, fault);
}

void fsr_nvrtc_result_free(fsr_nvrtc_result *result) {
    free(result->cubin);
    free(result->log);
    free(result->lowered);
    memset(result, 0, sizeof *result);
}
