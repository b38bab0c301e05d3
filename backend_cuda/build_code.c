/* SPDX-License-Identifier: MIT */
/* A caller's kernel from its code. PTX and binaries are what the driver takes already. CUDA C++ is compiled by NVRTC,
 * which is told the kernel's name as an expression: so it may be a template's instance, and its name in the binary,
 * which then is another, comes with it. On disk both lie together, the name and a 0 before the binary.
 *
 * What may read a file is not kept there: the text itself (closed_text.h), or an option that names one. Counter-example
 * to looking at the text alone: -include=mine.h. */
#define _GNU_SOURCE 1
#include "backend_cuda/build_state.h"
#include "runtime/clock.h"
#include "runtime/closed_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_GENERATOR = 1, FIRST_OPTIONS = 1, MOST_OPTIONS = 64 };

static bool reads_a_file(const char *option) {
    return strstr(option, "include") || strstr(option, "file") || strstr(option, "pch") || option[0] == '@';
}

/* Data NULL: no memory, or what is built may depend on more than the key. */
static fsr_text make_key(const fsr_cuda_build *b, const fsr_kernel_code *code, const char *const *option, int n) {
    fsr_text key = {0};
    bool closed = fsr_text_is_closed(code->code, true);
    for (int i = 0; i < n; i++)
        closed = closed && !reads_a_file(option[i]);
    if (!closed)
        return key;
    fsr_text_add(&key, "fusor cuda code %d\n%s\n", CODE_GENERATOR, fsr_nvrtc_identity(b->nvrtc));
    for (int i = 0; i < n; i++)
        fsr_text_add(&key, "%s\n", option[i]);
    fsr_text_add(&key, "\n%s\n", code->name);
    fsr_text_raw(&key, code->code, code->code_bytes);
    if (key.failed)
        fsr_text_free(&key);
    return key;
}

/* What lay on disk into name and binary; false: it is not there, or no such thing. */
static bool read_back(const fsr_cuda_build *b, const fsr_text *key, fsr_cuda_binary *out, char **name) {
    size_t size = 0;
    char *both = key->data ? fsr_disk_cache_get(b->disk, key->data, key->size, &size) : NULL;
    const size_t first = both ? strnlen(both, size) + 1 : 0;
    if (both && first < size && (*name = strdup(both)) != NULL) {
        out->size = size - first;
        memmove(both, both + first, out->size);
        out->data = both;
        out->from_disk = true;
        return true;
    }
    free(both);
    return false;
}

static void write_down(const fsr_cuda_build *b, const fsr_text *key, const fsr_cuda_binary *binary, const char *name) {
    fsr_text both = {0};
    fsr_text_raw(&both, name, strlen(name) + 1);
    fsr_text_raw(&both, binary->data, binary->size);
    if (!both.failed)
        fsr_cuda_build_store(b, key, both.data, both.size);
    fsr_text_free(&both);
}

static fsr_status compile(fsr_cuda_build *b, const fsr_kernel_code *code, const char *const *option, int n,
                          fsr_cuda_binary *out, char **name, fsr_fault *fault) {
    fsr_nvrtc_result result;
    const double start = fsr_clock_ms();
    fsr_status status = fsr_nvrtc_compile_named(b->nvrtc, "code.cu", code->code, option, n, code->name, &result, fault);
    out->ms = fsr_clock_ms() - start;
    if (status == FSR_ERR_COMPILE) {
        char *word = fault->message;
        fault->message = NULL;
        status = fsr_fault_set(fault, FSR_ERR_COMPILE, "NVRTC rejected the text of kernel %s for sm_%d (%s)\n%s",
                               code->name, b->arch, word ? word : "no reason given",
                               result.log ? result.log : "(no log: out of host memory)");
        free(word);
    }
    if (!status) {
        out->data = result.cubin;
        out->size = result.size;
        *name = result.lowered;
        result.cubin = NULL;
        result.lowered = NULL;
    }
    fsr_nvrtc_result_free(&result);
    return status;
}

static fsr_status build_text(fsr_cuda_build *b, const fsr_kernel_code *code, bool fresh, fsr_cuda_binary *out,
                             char **name, fsr_fault *fault) {
    char arch[32];
    const char *option[FIRST_OPTIONS + MOST_OPTIONS];
    int n = 0;
    snprintf(arch, sizeof arch, "-arch=sm_%d", b->arch);
    option[n++] = arch;
    for (int i = 0; i < code->options; i++)
        option[n++] = code->option[i];
    fsr_text key = make_key(b, code, option, n);
    fsr_status status = FSR_OK;
    if (fresh || !read_back(b, &key, out, name)) {
        status = compile(b, code, option, n, out, name, fault);
        if (!status)
            write_down(b, &key, out, *name);
    }
    fsr_text_free(&key);
    return status;
}

fsr_status fsr_cuda_build_code(fsr_cuda_build *b, const fsr_kernel_code *code, bool fresh, fsr_cuda_binary *out,
                               char **name, fsr_fault *fault) {
    *out = (fsr_cuda_binary){.data = NULL};
    *name = NULL;
    if (code->form == FSR_CODE_CUDA)
        return build_text(b, code, fresh, out, name, fault);
    out->data = malloc(code->code_bytes + 1);
    *name = strdup(code->name);
    if (!out->data || !*name) {
        free(out->data);
        free(*name);
        out->data = *name = NULL;
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "kernel %s: out of host memory", code->name);
    }
    memcpy(out->data, code->code, code->code_bytes + 1);
    out->size = code->code_bytes;
    return FSR_OK;
}
