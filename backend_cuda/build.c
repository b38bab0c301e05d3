/* SPDX-License-Identifier: MIT */
/* From a kernel to a cubin.
 *
 * The cache's key is everything that the binary depends on: the generator's version, NVRTC's version
 * and build, nvJitLink's where the kernel is linked, the architecture, the options in order, the whole source.
 * Counter-example to leaving the build out: a toolkit update that fixes a miscompilation would go on serving the wrong
 * binary. The driver is not in the key: a cubin is machine code.
 *
 * --minimal keeps NVRTC from preparing declarations that our sources, which include nothing, never use. -Ofc=mid
 * takes two thirds of the time, half for large kernels; it gives up loop optimizations, and kernels run more often than
 * they compile, so it is for the knob `optimize` 0 alone. */
#define _GNU_SOURCE 1
#include "backend_cuda/build_state.h"
#include "backend_cuda/emit_cuda.h"
#include "backend_cuda/jitlink.h"
#include "runtime/clock.h"
#include "runtime/closed_text.h"
#include "runtime/config.h"
#include "runtime/disk_cache.h"
#include "runtime/text.h"
#include "runtime/write_file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FSR_MAX_OPTIONS = 8 };

typedef struct fsr_options {
    char arch[32];
    const char *option[FSR_MAX_OPTIONS];
    int count;
} fsr_options;

/* ---- open and close ------------------------------------------------------------------------------ */

/* A knob's directory; *out stays NULL where it names none. False: out of memory. */
static bool copy_directory(char **out, const char *dir) {
    if (!dir || !*dir)
        return true;
    *out = strdup(dir);
    return *out != NULL;
}

static void open_disk(fsr_cuda_build *b, const fsr_config *config) {
    fsr_fault why = {0};
    if (fsr_disk_cache_open(config->cache_dir, (int64_t)config->cache_mb << 20, &b->disk, &why) != FSR_OK &&
        b->log_level >= FSR_LOG_WARNING)
        fprintf(stderr, "fusor: no disk cache: %s\n", why.message ? why.message : fsr_status_sentence(why.status));
    fsr_fault_clear(&why);
}

fsr_status fsr_cuda_build_open(const fsr_config *config, fsr_nvrtc *nvrtc, int arch, fsr_cuda_build **out,
                               fsr_fault *fault) {
    *out = NULL;
    fsr_cuda_build *b = calloc(1, sizeof *b);
    if (!b || !copy_directory(&b->dump_dir, config->dump_dir) || !copy_directory(&b->load_dir, config->load_dir)) {
        fsr_cuda_build_close(b);
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "CUDA backend: out of host memory");
    }
    b->nvrtc = nvrtc;
    b->arch = arch;
    b->log_level = config->log_level;
    b->optimize = config->optimize;
    open_disk(b, config);
    *out = b;
    return FSR_OK;
}

void fsr_cuda_build_close(fsr_cuda_build *b) {
    if (!b)
        return;
    fsr_disk_cache_close(b->disk);
    free(b->dump_dir);
    free(b->load_dir);
    free(b);
}

void fsr_cuda_build_leave(fsr_cuda_build *b) {
    fsr_disk_cache_leave(b->disk);
}

/* ---- files --------------------------------------------------------------------------------------- */

static char *source_path(const char *dir, const char *name) {
    fsr_text t = {0};
    fsr_text_add(&t, "%s/%s.cu", dir, name);
    return fsr_text_take(&t);
}

/* Writes dump_dir/<name>.cu; *path is its name, malloc'ed. */
static fsr_status dump(const fsr_cuda_build *b, const char *name, const fsr_cuda_source *source, char **path,
                       fsr_fault *fault) {
    *path = source_path(b->dump_dir, name);
    if (!*path)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "kernel %s: out of host memory", name);
    const int error = fsr_write_file_in(b->dump_dir, strrchr(*path, '/') + 1, source->text, source->size);
    return error ? fsr_fault_set(fault, FSR_ERR_FILE, "write %s: %s", *path, strerror(error)) : FSR_OK;
}

/* Writes a rejected source to a private temporary file; its name, malloc'ed, or NULL if that failed. */
static char *keep_rejected(const char *name, const fsr_cuda_source *source) {
    fsr_text t = {0};
    fsr_text_add(&t, "%s/fusor-%s-XXXXXX.cu", fsr_config_temporary_dir(), name);
    char *path = fsr_text_take(&t);
    const int fd = path ? mkstemps(path, 3) : -1;
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    const bool written = file && fwrite(source->text, 1, source->size, file) == source->size;
    if (file ? fclose(file) == 0 && written : fd >= 0 && close(fd) == 0 && written)
        return path;
    if (fd >= 0)
        unlink(path);
    free(path);
    return NULL;
}

static fsr_status read_file(FILE *file, fsr_cuda_source *out, fsr_fault *fault) {
    fsr_text t = {0};
    char part[4096];
    size_t n;
    while ((n = fread(part, 1, sizeof part, file)) > 0)
        fsr_text_raw(&t, part, n);
    const bool failed = ferror(file) != 0;
    const int error = errno;
    fclose(file);
    if (failed) {
        fsr_text_free(&t);
        return fsr_fault_set(fault, FSR_ERR_FILE, "read %s: %s", out->path, strerror(error));
    }
    out->text = fsr_text_take(&t);
    return out->text ? FSR_OK : fsr_fault_set(fault, FSR_ERR_MEMORY, "read %s: out of host memory", out->path);
}

/* load_dir/<name>.cu. Not being there is no error: out->text stays NULL. */
static fsr_status load(const fsr_cuda_build *b, const char *name, fsr_cuda_source *out, fsr_fault *fault) {
    out->path = source_path(b->load_dir, name);
    if (!out->path)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "kernel %s: out of host memory", name);
    FILE *file = fopen(out->path, "r");
    if (file)
        return read_file(file, out, fault);
    if (errno != ENOENT)
        return fsr_fault_set(fault, FSR_ERR_FILE, "read %s: %s", out->path, strerror(errno));
    free(out->path);
    out->path = NULL;
    return FSR_OK;
}

/* ---- source -------------------------------------------------------------------------------------- */

fsr_status fsr_cuda_build_emit(const fsr_kernel *k, char **source, fsr_fault *fault) {
    *source = NULL;
    fsr_text t = {0};
    fsr_status status = fsr_emit_cuda(k, &t);
    if (status == FSR_OK) {
        *source = fsr_text_take(&t);
        if (!*source)
            status = FSR_ERR_MEMORY;
    }
    fsr_text_free(&t);
    if (status == FSR_ERR_UNSUPPORTED)
        return fsr_fault_set(fault, status, "the native function %s has no CUDA text, which kernel %s on a GPU needs",
                             fsr_emit_cuda_lacks(k)->name, k->name);
    if (status != FSR_OK)
        return fsr_fault_set(fault, status, "CUDA source of kernel %s: %s", k->name, fsr_status_sentence(status));
    return FSR_OK;
}

fsr_status fsr_cuda_build_source(const fsr_cuda_build *b, const fsr_kernel *k, fsr_cuda_source *out, fsr_fault *fault) {
    memset(out, 0, sizeof *out);
    fsr_status status = FSR_OK;
    if (b->load_dir)
        status = load(b, k->name, out, fault);
    if (status == FSR_OK && !out->text)
        status = fsr_cuda_build_emit(k, &out->text, fault);
    if (status != FSR_OK)
        fsr_cuda_source_free(out);
    else
        out->size = strlen(out->text);
    return status;
}

void fsr_cuda_source_free(fsr_cuda_source *source) {
    free(source->text);
    free(source->path);
    memset(source, 0, sizeof *source);
}

/* ---- options and key ----------------------------------------------------------------------------- */

static void make_options(const fsr_cuda_build *b, const fsr_kernel *k, fsr_options *o) {
    o->count = 0;
    snprintf(o->arch, sizeof o->arch, "-arch=sm_%d", b->arch);
    o->option[o->count++] = o->arch;
    o->option[o->count++] = k->contraction ? "--fmad=true" : "--fmad=false";
    o->option[o->count++] = "-std=c++17";
    o->option[o->count++] = "-default-device";
    if (fsr_kernel_is_linked(k))
        o->option[o->count++] = fsr_kernel_links_lto(k) ? "-dlto" : "-rdc=true";
    if (fsr_nvrtc_version(b->nvrtc) >= 13000) {
        o->option[o->count++] = "--minimal";
        if (!b->optimize)
            o->option[o->count++] = "-Ofc=mid";
    }
}

/* The key as one text; data NULL if memory is out, or the binary depends on more than the key (then there is no
 * caching). What a kernel is linked with stands in its source, by a digest. */
static fsr_text make_key(const fsr_cuda_build *b, const fsr_options *o, const char *linker,
                         const fsr_cuda_source *source) {
    fsr_text key = {0};
    if (!fsr_text_is_closed(source->text, true))
        return key;
    fsr_text_add(&key, "fusor cuda %d\n%s\n", FSR_CUDA_GENERATOR, fsr_nvrtc_identity(b->nvrtc));
    for (int i = 0; i < o->count; i++)
        fsr_text_add(&key, "%s\n", o->option[i]);
    fsr_text_add(&key, "%s%s", linker, *linker ? "\n" : "");
    fsr_text_raw(&key, source->text, source->size);
    if (key.failed)
        fsr_text_free(&key);
    return key;
}

/* ---- compile ------------------------------------------------------------------------------------- */

/* Whose texts a kernel has, for its error message; what NVRTC says of them begins with their names. */
static char *native_words(const fsr_kernel *k) {
    fsr_text t = {0};
    fsr_text_raw(&t, "", 0);
    for (int i = 0; i < k->nroutines; i++)
        fsr_text_add(&t, "%s%s", i ? ", " : "; it has CUDA text of the native functions ", k->routine[i]->name);
    return fsr_text_take(&t);
}

/* The message of a rejected source: where it lies, NVRTC's word, the whole log. */
static fsr_status rejected(const fsr_cuda_build *b, const fsr_kernel *k, const fsr_cuda_source *source,
                           const char *dumped, const char *log, fsr_fault *fault) {
    char *kept = NULL;
    const char *path = source->path ? source->path : dumped;
    if (!path)
        path = kept = keep_rejected(k->name, source);
    char *word = fault->message, *natives = native_words(k);
    fault->message = NULL;
    fsr_fault_set(fault, FSR_ERR_COMPILE, "NVRTC rejected kernel %s for sm_%d (%s)%s; its source is in %s\n%s", k->name,
                  b->arch, word ? word : "no reason given", natives ? natives : "",
                  path ? path : "no file: none could be written", log ? log : "(no log: out of host memory)");
    free(word);
    free(natives);
    free(kept);
    return FSR_ERR_COMPILE;
}

/* What NVRTC gave is linked with what callers' functions bring. */
static fsr_status link_with(const fsr_cuda_build *b, const fsr_kernel *k, const fsr_jitlink *linker,
                            fsr_nvrtc_result *result, fsr_fault *fault) {
    const fsr_jitlink_job job = {.k = k, .arch = b->arch, .object = result->cubin, .size = result->size};
    void *cubin;
    size_t size;
    const fsr_status status = fsr_jitlink_run(linker, &job, &cubin, &size, fault);
    free(result->cubin);
    result->cubin = cubin;
    result->size = size;
    return status;
}

/* linker: NULL of a kernel that is not linked. */
static fsr_status compile(const fsr_cuda_build *b, const fsr_kernel *k, const fsr_cuda_source *source,
                          const fsr_options *o, const fsr_jitlink *linker, const char *dumped, fsr_cuda_binary *out,
                          fsr_fault *fault) {
    char name[sizeof k->name + 4];
    snprintf(name, sizeof name, "%s.cu", k->name);
    const char *path = source->path ? source->path : name;
    fsr_nvrtc_result result;
    const double start = fsr_clock_ms();
    fsr_status status = linker && fsr_kernel_links_lto(k)
                            ? fsr_nvrtc_compile_lto(b->nvrtc, path, source->text, o->option, o->count, &result, fault)
                            : fsr_nvrtc_compile(b->nvrtc, path, source->text, o->option, o->count, &result, fault);
    if (status == FSR_ERR_COMPILE)
        status = rejected(b, k, source, dumped, result.log, fault);
    if (!status && linker)
        status = link_with(b, k, linker, &result, fault);
    out->ms = fsr_clock_ms() - start;
    if (!status) {
        out->data = result.cubin;
        out->size = result.size;
        result.cubin = NULL;
    }
    fsr_nvrtc_result_free(&result);
    return status;
}

/* A binary that cannot be stored is compiled again next time: worth a line in the log, not an error. */
void fsr_cuda_build_store(const fsr_cuda_build *b, const fsr_text *key, const void *data, size_t size) {
    fsr_fault why = {0};
    if (key->data && fsr_disk_cache_put(b->disk, key->data, key->size, data, size, &why) != FSR_OK &&
        b->log_level >= FSR_LOG_INFO)
        fprintf(stderr, "fusor: disk cache: %s\n", why.message ? why.message : fsr_status_sentence(why.status));
    fsr_fault_clear(&why);
}

/* From disk, or compiled and put there. */
static fsr_status build(fsr_cuda_build *b, const fsr_kernel *k, const fsr_cuda_source *source,
                        const fsr_jitlink *linker, const char *dumped, bool fresh, fsr_cuda_binary *out,
                        fsr_fault *fault) {
    fsr_options options;
    fsr_status status = FSR_OK;
    make_options(b, k, &options);
    fsr_text key = make_key(b, &options, linker ? linker->identity : "", source);
    if (key.data && !fresh)
        out->data = fsr_disk_cache_get(b->disk, key.data, key.size, &out->size);
    out->from_disk = out->data != NULL;
    if (!out->data)
        status = compile(b, k, source, &options, linker, dumped, out, fault);
    if (status == FSR_OK && !out->from_disk)
        fsr_cuda_build_store(b, &key, out->data, out->size);
    fsr_text_free(&key);
    return status;
}

fsr_status fsr_cuda_build_run(fsr_cuda_build *b, const fsr_kernel *k, const fsr_cuda_source *source, bool fresh,
                              fsr_cuda_binary *out, fsr_fault *fault) {
    memset(out, 0, sizeof *out);
    char *dumped = NULL;
    fsr_jitlink linker;
    const bool linked = fsr_kernel_is_linked(k);
    fsr_status status = b->dump_dir ? dump(b, k->name, source, &dumped, fault) : FSR_OK;
    if (!status && linked)
        status = fsr_jitlink_load(&linker, k, fsr_nvrtc_version(b->nvrtc), fault);
    if (!status)
        status = build(b, k, source, linked ? &linker : NULL, dumped, fresh, out, fault);
    free(dumped);
    return status;
}
