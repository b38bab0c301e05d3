/* SPDX-License-Identifier: MIT */
/* NVRTC as far as backend_cuda/nvrtc.c uses it: a "binary" is the source itself, behind a name and its options. Found
 * through the wrapped dlopen and dlsym (faults.c), so that loading it is tested too. */
#include "backend_cuda/emit_cuda.h"
#include "tests/trust/faults.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void __real_free(void *data);

typedef struct program {
    char *source;
    char kernel[80]; /* named by an expression */
    bool compiled;
} program;

enum { GOOD, OUT_OF_MEMORY, CREATION_FAILED, INVALID_INPUT, INVALID_PROGRAM, INVALID_OPTION, COMPILATION };

static const char head[] = "FAKECUBIN";
static const char log_text[] = "fake.cu(1): note: nothing to say";

static bool fails(const char *name, int *result) {
    fault_way way;
    int error;
    *result = COMPILATION;
    return fault_due(FAULT_CUDA, name, &way, &error);
}

static int version(int *major, int *minor) {
    int result;
    *major = 13;
    *minor = 0;
    return fails("nvrtcVersion", &result) ? result : GOOD;
}

static int count_archs(int *count) {
    int result;
    *count = 3;
    return fails("nvrtcGetNumSupportedArchs", &result) ? result : GOOD;
}

static int list_archs(int *archs) {
    int result;
    memcpy(archs, (const int[]){80, 90, 100}, 3 * sizeof(int));
    return fails("nvrtcGetSupportedArchs", &result) ? result : GOOD;
}

static const char *error_string(int result) {
    return result == GOOD ? "NVRTC_SUCCESS" : result == COMPILATION ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR";
}

static int create(void **out, const char *source, const char *name, int n, const char *const *headers,
                  const char *const *names) {
    (void)name, (void)n, (void)headers, (void)names;
    int result;
    *out = NULL;
    if (fails("nvrtcCreateProgram", &result))
        return OUT_OF_MEMORY;
    program *p = __real_calloc(1, sizeof *p);
    p->source = __real_malloc(strlen(source) + 1);
    strcpy(p->source, source);
    *out = p;
    return GOOD;
}

static int destroy(void **at) {
    program *p = *at;
    __real_free(p->source);
    __real_free(p);
    *at = NULL;
    return GOOD;
}

static int add_name(void *at, const char *expression) {
    int result;
    if (fails("nvrtcAddNameExpression", &result))
        return result;
    snprintf(((program *)at)->kernel, sizeof((program *)at)->kernel, "%s", expression);
    return GOOD;
}

static int lowered_name(void *at, const char *expression, const char **name) {
    int result;
    if (fails("nvrtcGetLoweredName", &result))
        return result;
    *name = ((program *)at)->kernel;
    return strcmp(*name, expression) == 0 ? GOOD : INVALID_INPUT;
}

static int compile(void *at, int n, const char *const *options) {
    int result;
    if (n < 1 || strncmp(options[0], "-arch=sm_90", 11) != 0)
        return INVALID_OPTION;
    if (fails("nvrtcCompileProgram", &result))
        return result;
    ((program *)at)->compiled = true;
    return GOOD;
}

static int cubin_size(void *at, size_t *size) {
    int result;
    *size = sizeof head + strlen(((program *)at)->source) + 1;
    return fails("nvrtcGetCUBINSize", &result) ? INVALID_PROGRAM : GOOD;
}

static int cubin(void *at, char *to) {
    int result;
    if (!((program *)at)->compiled || fails("nvrtcGetCUBIN", &result))
        return INVALID_PROGRAM;
    memcpy(to, head, sizeof head);
    memcpy(to + sizeof head, ((program *)at)->source, strlen(((program *)at)->source) + 1);
    return GOOD;
}

static int log_size(void *at, size_t *size) {
    (void)at;
    int result;
    *size = sizeof log_text;
    return fails("nvrtcGetProgramLogSize", &result) ? INVALID_PROGRAM : GOOD;
}

static int take_log(void *at, char *to) {
    (void)at;
    int result;
    if (fails("nvrtcGetProgramLog", &result))
        return INVALID_PROGRAM;
    memcpy(to, log_text, sizeof log_text);
    return GOOD;
}

/* Kernels are printed for the host, which runs them. */
fsr_status __wrap_fsr_emit_cuda(const fsr_kernel *k, fsr_text *out);
fsr_status __wrap_fsr_emit_cuda(const fsr_kernel *k, fsr_text *out) {
    return fsr_emit_cuda_for_host(k, out);
}

typedef void (*function)(void);

void *fake_nvrtc_symbol(const char *name) {
    static const struct {
        const char *name;
        function call;
    } table[] = {
        {"nvrtcVersion", (function)version},
        {"nvrtcGetNumSupportedArchs", (function)count_archs},
        {"nvrtcGetSupportedArchs", (function)list_archs},
        {"nvrtcGetErrorString", (function)error_string},
        {"nvrtcCreateProgram", (function)create},
        {"nvrtcDestroyProgram", (function)destroy},
        {"nvrtcAddNameExpression", (function)add_name},
        {"nvrtcGetLoweredName", (function)lowered_name},
        {"nvrtcCompileProgram", (function)compile},
        {"nvrtcGetCUBINSize", (function)cubin_size},
        {"nvrtcGetCUBIN", (function)cubin},
        {"nvrtcGetLTOIRSize", (function)cubin_size},
        {"nvrtcGetLTOIR", (function)cubin},
        {"nvrtcGetProgramLogSize", (function)log_size},
        {"nvrtcGetProgramLog", (function)take_log},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0) {
            void *at;
            memcpy(&at, &table[i].call, sizeof at);
            return at;
        }
    return NULL;
}
