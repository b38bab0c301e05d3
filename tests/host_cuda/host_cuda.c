/* SPDX-License-Identifier: MIT */
#include "tests/host_cuda/host_cuda.h"
#include "backend_cuda/emit_cuda.h"
#include "fusion/launch_shape.h"
#include "tests/host_cuda/machine.h"
#include "tests/host_cuda/written.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* g++'s runtime and clang's do not go together. Without a runtime's own libraries a kernel is linked to C's alone: to
 * read the symbols of C++'s takes longer than to compile a small kernel. */
#if defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
#define SANITIZE "-g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined"
#define LIBRARIES "-lm"
#else
#define SANITIZE ""
#define LIBRARIES "-nodefaultlibs -lm -lc -lgcc"
#endif

/* Every load and store calls a function (written.c). */
#define WATCH                                                                                                    \
    "-fsanitize=kernel-address --param asan-instrumentation-with-call-threshold=0 --param asan-stack=0 --param " \
    "asan-globals=0"

/* Kernels compiled so far. They live until the process ends. */
typedef struct compiled {
    char *source;
    host_program program;
    struct compiled *next;
} compiled;
static compiled *all_compiled;
static int64_t launches_made;

static const char *compiler(void) {
    const char *cxx = getenv("CXX");
    return cxx && *cxx ? cxx : "g++";
}

void host_cuda_counts(int *sources, int64_t *launches) {
    *sources = 0;
    *launches = launches_made;
    for (const compiled *c = all_compiled; c; c = c->next)
        ++*sources;
}

bool host_cuda_available(void) {
    char command[512];
    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", compiler());
    return system(command) == 0;
}

static bool write_source(const char *path, const char *name, const char *source) {
    FILE *to = fopen(path, "w");
    if (!to)
        return false;
    fprintf(to, "#include \"tests/host_cuda/host_prelude.hpp\"\n#line 1 \"%s.cu\"\n%s\nHOST_KERNEL(%s)\n", name, source,
            name);
    return fclose(to) == 0;
}

static char *read_text(const char *path) {
    FILE *from = fopen(path, "r");
    char *text = calloc(1, 1 << 16);
    if (from && text)
        text[fread(text, 1, (1 << 16) - 1, from)] = 0;
    if (from)
        fclose(from);
    return text;
}

static fsr_status compile(const char *dir, const char *name, const char *source, void **library, fsr_fault *fault) {
    char in[256], out[256], log[256], command[2048];
    snprintf(in, sizeof in, "%s/kernel.cpp", dir);
    snprintf(out, sizeof out, "%s/kernel.so", dir);
    snprintf(log, sizeof log, "%s/log", dir);
    if (!write_source(in, name, source))
        return fsr_fault_set(fault, FSR_ERR_FILE, "%s cannot be written", in);
    snprintf(command, sizeof command,
             "%s -std=c++17 -O1 -fPIC -shared -fwrapv -fno-strict-aliasing -ffp-contract=off -fno-exceptions -w "
             "-I. " SANITIZE " %s %s -o %s " LIBRARIES " >%s 2>&1",
             compiler(), written_watched() ? WATCH : "", in, out, log);
    if (system(command) != 0) {
        char *text = read_text(log);
        fsr_status status = fsr_fault_set(fault, FSR_ERR_COMPILE, "%s:\n%s", name, text ? text : "");
        free(text);
        return status;
    }
    *library = dlopen(out, RTLD_NOW | RTLD_LOCAL);
    return *library ? FSR_OK : fsr_fault_set(fault, FSR_ERR_COMPILE, "%s: %s", name, dlerror());
}

static fsr_status compile_in_directory(const char *name, const char *source, void **library, fsr_fault *fault) {
    char dir[] = "/tmp/host_cuda_XXXXXX", path[256];
    if (!mkdtemp(dir))
        return fsr_fault_set(fault, FSR_ERR_FILE, "no temporary directory");
    fsr_status status = compile(dir, name, source, library, fault);
    static const char *const names[] = {"kernel.cpp", "kernel.so", "log"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    rmdir(dir);
    return status;
}

static bool link_program(void *library, host_program *program) {
    union {
        void *object;
        void (*start)(void **);
        char *(*begin)(void);
        size_t (*bytes)(void);
    } at;
    const host_table **calls = dlsym(library, "host_calls");
    program->self = dlsym(library, "host_now");
    at.object = dlsym(library, "host_entry");
    program->start = at.start;
    at.object = dlsym(library, "host_shared_begin");
    program->shared = at.object ? at.begin() : NULL;
    at.object = dlsym(library, "host_shared_bytes");
    program->shared_bytes = at.object ? at.bytes() : 0;
    if (!calls || !program->self || !program->start)
        return false;
    *calls = &host_machine_table;
    return true;
}

static fsr_status find_program(const char *name, const char *source, host_program **out, fsr_fault *fault) {
    for (compiled *c = all_compiled; c; c = c->next)
        if (strcmp(c->source, source) == 0) {
            *out = &c->program;
            return FSR_OK;
        }
    void *library = NULL;
    fsr_status status = compile_in_directory(name, source, &library, fault);
    if (status != FSR_OK)
        return status;
    compiled *c = calloc(1, sizeof *c);
    char *copy = strdup(source);
    if (!c || !copy || !link_program(library, &c->program)) {
        free(c);
        free(copy);
        return fsr_fault_set(fault, FSR_ERR_COMPILE, "%s: the library lacks an entry", name);
    }
    c->source = copy;
    c->next = all_compiled;
    all_compiled = c;
    *out = &c->program;
    return FSR_OK;
}

/* Arguments as cudaLaunchKernel takes them: the places inside a launch, little-endian integers cut to their bytes. */
static int arguments(const fsr_kernel *k, fsr_launch *launch, uint64_t reciprocal[FSR_MAX_DIMS], void **args) {
    fsr_cuda_param param[FSR_CUDA_MAX_PARAMS];
    int n = fsr_cuda_params(k, param), reciprocals = 0;
    for (int i = 0; i < n; i++)
        switch (param[i].kind) {
        case FSR_CUDA_ARRAY: args[i] = &launch->array[param[i].index]; break;
        case FSR_CUDA_INT: args[i] = &launch->integer[param[i].index]; break;
        case FSR_CUDA_RECIPROCAL:
            reciprocal[reciprocals] = fsr_cuda_reciprocal(launch->integer[param[i].index]);
            args[i] = &reciprocal[reciprocals++];
            break;
        case FSR_CUDA_SCALAR: args[i] = &launch->scalar[param[i].index]; break;
        case FSR_CUDA_WORK: args[i] = &launch->work; break;
        case FSR_CUDA_ZERO: args[i] = &launch->zero; break;
        }
    return n;
}

/* One launch at a time: the machine, the list of what is compiled and the counts are the process'. A device takes
 * launches of several threads, so the library may launch without a lock of its own. */
static fsr_status run(const char *name, const char *source, void **args, int64_t blocks, int threads, bool together,
                      uint64_t seed, fsr_fault *fault) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    host_program *program = NULL;
    if (blocks < 0 || blocks > INT32_MAX)
        return fsr_fault_set(fault, FSR_ERR_VALUE, "%lld blocks", (long long)blocks);
    pthread_mutex_lock(&lock);
    fsr_status status = find_program(name, source, &program, fault);
    if (!status) {
        launches_made++;
        const int64_t before = written_reads();
        status = host_machine_run(program, args, (unsigned)blocks, (unsigned)threads, together, seed, fault);
        if (written_reads() > before)
            fprintf(stderr, "%s: %lld loads of what nobody wrote\n", name, (long long)(written_reads() - before));
    }
    pthread_mutex_unlock(&lock);
    return status;
}

fsr_status host_cuda_run_text(const char *name, const char *source, void **args, int blocks, int threads, uint64_t seed,
                              fsr_fault *fault) {
    return run(name, source, args, blocks, threads, false, seed, fault);
}

fsr_status host_cuda_run_together(const char *name, const char *source, void **args, int blocks, int threads,
                                  uint64_t seed, fsr_fault *fault) {
    return run(name, source, args, blocks, threads, true, seed, fault);
}

fsr_status host_cuda_run(const fsr_kernel *k, const char *source, const fsr_launch *launch, uint64_t seed,
                         fsr_fault *fault) {
    void *args[FSR_CUDA_MAX_PARAMS];
    uint64_t reciprocal[FSR_MAX_DIMS];
    fsr_launch own = *launch;
    if (arguments(k, &own, reciprocal, args) < 0)
        return fsr_fault_set(fault, FSR_ERR_INTERNAL, "%s has no parameters", k->name);
    bool together = fsr_kernel_is_cooperative(k);
    return run(k->name, source, args, launch->blocks, fsr_kernel_threads(k), together, seed, fault);
}
