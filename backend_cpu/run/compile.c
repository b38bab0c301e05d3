/* SPDX-License-Identifier: MIT */
/* The compiler driver.
 *
 * A source is compiled in a directory of its own, made with mode 0700 and removed afterwards, by a compiler started
 * without a shell, with the options of compile_options.c.
 *
 * An object is loaded from a fresh path each time: the loader takes an equal path for the library it already has.
 * Counter-example: two memory files opened in turn as /proc/self/fd/5 are one library to it.
 *
 * What a compiler leaves is looked at before it is loaded: the loader would wait without end for the writer of a
 * fifo. */
#include "backend_cpu/run/compile.h"
#include "backend_cpu/emit/emit_c.h"
#include "backend_cpu/run/compile_options.h"
#include "backend_cpu/run/driver.h"
#include "backend_cpu/run/files.h"
#include "backend_cpu/run/process.h"
#include "backend_cpu/run/workshop.h"
#include "runtime/closed_text.h"
#include "runtime/config.h"
#include "runtime/disk_cache.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fsr_c_compiler {
    const fsr_isa *isa;
    bool optimize;
    int seconds; /* that a compiler may take; 0: any time */
    char *cache_dir;
    fsr_disk_cache *cache;
    pthread_mutex_t lock; /* of what follows */
    bool swept;           /* what killed processes left is gone */
    bool whole;           /* objects need all libraries here */
    fsr_c_drivers drivers;
    char *machine; /* what -march=native depends on; NULL: not known yet */
};

/* ---- finding a compiler ------------------------------------------------------------------------- */

/* A search without a result is made again next time: what stood in the way (no memory, too many open files, a compiler
 * not yet installed) may be gone. Likewise the machine's description; while there is none, *cache is NULL. */
static fsr_status find_compiler(fsr_c_compiler *c, const fsr_c_driver **driver, fsr_disk_cache **cache,
                                fsr_fault *fault) {
    pthread_mutex_lock(&c->lock);
    fsr_status status = fsr_c_drivers_search(&c->drivers, c->cache, c->seconds, fault);
    if (status == FSR_OK && c->cache && !c->machine)
        c->machine = fsr_c_describe_machine();
    *driver = c->drivers.current;
    *cache = c->machine ? c->cache : NULL;
    pthread_mutex_unlock(&c->lock);
    return status;
}

/* It could not be started: whoever compiles next looks for one again. */
static void forget_driver(fsr_c_compiler *c, const fsr_c_driver *driver) {
    pthread_mutex_lock(&c->lock);
    if (c->drivers.current == driver)
        c->drivers.current = NULL;
    pthread_mutex_unlock(&c->lock);
}

/* ---- the disk cache's key ----------------------------------------------------------------------- */

static int options_of(const fsr_c_compiler *c, const fsr_c_driver *d, bool contraction, fsr_effort effort,
                      const char **out) {
    return fsr_c_list_options(c->isa, d, contraction, c->optimize ? effort : FSR_EFFORT_LEAST, out);
}

static char *make_key(const fsr_c_compiler *c, const fsr_c_driver *d, const char *source, bool contraction,
                      size_t *size) {
    const char *option[FSR_MOST_OPTIONS];
    fsr_text t = {0};
    fsr_text_add(&t, "fusor C %d\n%s\n%s\n%s\n", FSR_EMIT_C_VERSION, d->program, d->version, c->machine);
    for (int i = 0, n = options_of(c, d, contraction, FSR_EFFORT_USUAL, option); i < n; i++)
        fsr_text_add(&t, "%s%s", option[i], i + 1 < n ? " " : "\n");
    fsr_text_raw(&t, source, strlen(source));
    *size = t.size;
    return fsr_text_take(&t);
}

/* ---- one compilation ---------------------------------------------------------------------------- */

/* Before the first compilation, not before a kernel is loaded: a large TMPDIR takes longer to read than that. */
static void sweep_once(fsr_c_compiler *c) {
    pthread_mutex_lock(&c->lock);
    const bool first = !c->swept;
    c->swept = true;
    pthread_mutex_unlock(&c->lock);
    if (first)
        fsr_workshop_sweep(fsr_config_temporary_dir());
}

/* One compilation, as the cache's key and the messages have it. */
typedef struct fsr_c_job {
    fsr_c_compiler *compiler;
    const fsr_c_driver *driver;
    const fsr_workshop *place;
    const char *name, *source, *dump;
    bool contraction;
    void **handle, **function; /* out */
} fsr_c_job;

/* What callers wrote stands behind a #line, and may call anything. */
static bool has_callers_text(const char *source) {
    return strstr(source, "\n#line ") != NULL;
}

/* One run of the compiler; *status: how it ended. Returns an error number if it could not be run. */
static int run_once(const fsr_c_job *j, bool whole, fsr_effort effort, fsr_text *said, int *status) {
    const char *argv[FSR_MOST_OPTIONS + 8];
    int n = 1;
    argv[0] = j->driver->program;
    n += options_of(j->compiler, j->driver, j->contraction, effort, argv + 1);
    argv[n++] = "-o";
    argv[n++] = j->place->object;
    argv[n++] = j->place->source;
    n += fsr_c_list_libraries(j->driver, j->source, whole, argv + n);
    argv[n] = NULL;
    return fsr_process_run(argv, j->place->dir, j->compiler->seconds, said, status);
}

/* In gcc's words, and in clang's. */
static bool has_crashed(const fsr_text *said) {
    return said->data &&
           (strstr(said->data, "internal compiler error") || strstr(said->data, "PLEASE submit a bug report"));
}

/* A compiler that crashes over a source is asked again, to optimize less: the bits are the same. */
static fsr_status run_compiler(const fsr_c_job *j, bool whole, fsr_fault *fault) {
    const char *program = j->driver->program;
    fsr_text said = {0};
    int status = 0, error = run_once(j, whole, FSR_EFFORT_USUAL, &said, &status);
    for (int effort = FSR_EFFORT_CAREFUL; effort < FSR_EFFORTS && !error && status && has_crashed(&said); effort++) {
        fsr_text_free(&said);
        error = run_once(j, whole, (fsr_effort)effort, &said, &status);
    }
    if (error) {
        fsr_fault_set(fault, error == ENOMEM ? FSR_ERR_MEMORY : FSR_ERR_NO_COMPILER, "compiling %s: running %s: %s",
                      j->name, program, fsr_process_words(error));
        forget_driver(j->compiler, j->driver);
    } else if (status != 0) {
        fsr_fault_set(fault, FSR_ERR_COMPILE, "%s rejected the source of %s (exit status %d; source: %s):\n%s", program,
                      j->name, status, j->dump ? j->dump : "set FUSOR_DUMP_DIR to keep it", said.data ? said.data : "");
    }
    fsr_text_free(&said);
    return error || status ? fault->status : FSR_OK;
}

/* Once more from memory where the object's own place does not do (a file system mounted noexec, say). */
static void *load_from_memory(const fsr_workshop *w) {
    const int fd = fsr_workshop_lift(w);
    void *handle = fd >= 0 ? dlopen(w->lifted, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (fd >= 0)
        close(fd);
    return handle;
}

static fsr_status load(const fsr_workshop *w, const char *name, void **handle, void **function, fsr_fault *fault) {
    if (!fsr_file_is_regular(w->object))
        return fsr_fault_set(fault, FSR_ERR_COMPILE, "loading the object of %s: %s", name,
                             errno == EINVAL || errno == ELOOP ? "it is no regular file" : strerror(errno));
    *handle = dlopen(w->object, RTLD_NOW | RTLD_LOCAL);
    if (!*handle) {
        const char *why = dlerror();
        fsr_fault_set(fault, FSR_ERR_COMPILE, "loading the object of %s: %s", name, why ? why : "?");
        *handle = load_from_memory(w);
        if (!*handle)
            return FSR_ERR_COMPILE;
        fsr_fault_clear(fault);
    }
    *function = dlsym(*handle, name);
    if (*function)
        return FSR_OK;
    dlclose(*handle);
    *handle = NULL;
    return fsr_fault_set(fault, FSR_ERR_COMPILE, "the source of %s does not define a function %s", name, name);
}

/* True if the disk cache had an object and it could be loaded. */
static bool load_cached(fsr_disk_cache *cache, const fsr_workshop *w, const char *name, const char *key,
                        size_t key_size, void **handle, void **function) {
    fsr_fault unused = {0};
    size_t size = 0;
    void *object = fsr_disk_cache_get(cache, key, key_size, &size);
    if (!object)
        return false;
    bool loaded = fsr_file_write(w->object, object, size) && load(w, name, handle, function, &unused) == FSR_OK;
    fsr_fault_clear(&unused);
    free(object);
    if (!loaded)
        unlink(w->object);
    return loaded;
}

/* A failure to store costs a compilation next time, nothing now. */
static void store_object(fsr_disk_cache *cache, const fsr_workshop *w, const char *key, size_t key_size) {
    fsr_fault unused = {0};
    size_t size = 0;
    char *object = fsr_file_read(w->object, &size);
    if (object)
        fsr_disk_cache_put(cache, key, key_size, object, size, &unused);
    fsr_fault_clear(&unused);
    free(object);
}

static fsr_status build(const fsr_c_job *j, bool whole, fsr_fault *fault) {
    fsr_status status = run_compiler(j, whole, fault);
    return status == FSR_OK ? load(j->place, j->name, j->handle, j->function, fault) : status;
}

/* The lock is held only to look and to note: two threads may find out at once. */
static bool needs_whole(fsr_c_compiler *c, bool found) {
    pthread_mutex_lock(&c->lock);
    c->whole |= found;
    const bool whole = c->whole;
    pthread_mutex_unlock(&c->lock);
    return whole;
}

static fsr_status compile_source(const fsr_c_job *j, fsr_fault *fault) {
    sweep_once(j->compiler);
    if (!fsr_file_write(j->place->source, j->source, strlen(j->source)))
        return fsr_fault_set(fault, FSR_ERR_FILE, "writing %s: %s", j->place->source, strerror(errno));
    const bool whole = has_callers_text(j->source) || needs_whole(j->compiler, false);
    fsr_status status = build(j, whole, fault);
    if (status != FSR_ERR_COMPILE || whole)
        return status;
    fsr_fault_clear(fault);
    status = build(j, true, fault);
    needs_whole(j->compiler, status == FSR_OK);
    return status;
}

static fsr_status compile_in(fsr_disk_cache *cache, const fsr_c_job *j, bool *from_disk, fsr_fault *fault) {
    size_t key_size = 0;
    char *key = cache ? make_key(j->compiler, j->driver, j->source, j->contraction, &key_size) : NULL;
    if (cache && !key)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "compiling %s: out of memory", j->name);
    *from_disk = key && load_cached(cache, j->place, j->name, key, key_size, j->handle, j->function);
    fsr_status status = *from_disk ? FSR_OK : compile_source(j, fault);
    if (status == FSR_OK && !*from_disk && key)
        store_object(cache, j->place, key, key_size);
    free(key);
    return status;
}

fsr_status fsr_c_compile(fsr_c_compiler *c, const char *name, const char *source, bool contraction, const char *dump,
                         void **handle, void **function, bool *from_disk, fsr_fault *fault) {
    fsr_workshop w;
    fsr_disk_cache *cache;
    const fsr_c_driver *driver;
    *handle = *function = NULL;
    *from_disk = false;
    fsr_status status = find_compiler(c, &driver, &cache, fault);
    if (status != FSR_OK)
        return status;
    status = fsr_workshop_open(&w, name, c->cache_dir, fault);
    if (status != FSR_OK)
        return status;
    if (!fsr_text_is_closed(source, false)) /* a file that it reads may change while the key does not */
        cache = NULL;
    const fsr_c_job job = {c, driver, &w, name, source, dump, contraction, handle, function};
    status = compile_in(cache, &job, from_disk, fault);
    fsr_workshop_close(&w);
    return status;
}

bool fsr_c_compiler_works(fsr_c_compiler *c) {
    static const char source[] = "int fsr_probe(void) { return 42; }\n";
    fsr_fault fault = {0};
    fsr_workshop w;
    fsr_disk_cache *cache;
    const fsr_c_driver *driver;
    void *handle = NULL, *function = NULL;
    int (*probe)(void) = NULL;
    bool from_disk;
    fsr_status status = find_compiler(c, &driver, &cache, &fault);
    if (status == FSR_OK && (status = fsr_workshop_open(&w, "fsr_probe", c->cache_dir, &fault)) == FSR_OK) {
        const fsr_c_job job = {c, driver, &w, "fsr_probe", source, NULL, false, &handle, &function};
        status = compile_in(NULL, &job, &from_disk, &fault);
        fsr_workshop_close(&w);
    }
    memcpy(&probe, &function, sizeof probe);
    bool works = status == FSR_ERR_MEMORY || (status == FSR_OK && probe() == 42);
    if (handle)
        dlclose(handle);
    fsr_fault_clear(&fault);
    return works;
}

/* ---- construction ------------------------------------------------------------------------------- */

bool fsr_copy_setting(const char *from, char **to) {
    if (from && from[0])
        *to = strdup(from);
    return !from || !from[0] || *to;
}

fsr_status fsr_c_compiler_new(const fsr_config *config, fsr_c_compiler **out, char **warning, fsr_fault *fault) {
    fsr_fault cache_fault = {0};
    fsr_c_compiler *c = calloc(1, sizeof *c);
    *out = NULL;
    *warning = NULL;
    if (!c || pthread_mutex_init(&c->lock, NULL) != 0) {
        free(c);
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "CPU backend: out of memory");
    }
    if (fsr_isa_choose((fsr_isa_kind)config->isa, &c->isa, fault) != FSR_OK) {
        fsr_c_compiler_free(c);
        return fault->status;
    }
    c->optimize = config->optimize;
    c->seconds = config->compile_seconds;
    if (!fsr_copy_setting(config->compiler, &c->drivers.asked) || !fsr_copy_setting(config->cache_dir, &c->cache_dir)) {
        fsr_c_compiler_free(c);
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "CPU backend: out of memory");
    }
    if (fsr_disk_cache_open(config->cache_dir, (int64_t)config->cache_mb << 20, &c->cache, &cache_fault) != FSR_OK)
        *warning = cache_fault.message;
    else
        fsr_fault_clear(&cache_fault);
    *out = c;
    return FSR_OK;
}

const fsr_isa *fsr_c_compiler_isa(const fsr_c_compiler *c) {
    return c->isa;
}

void fsr_c_compiler_name(fsr_c_compiler *c, char *out, size_t size) {
    pthread_mutex_lock(&c->lock);
    const char *version = c->drivers.current ? c->drivers.current->version : "";
    snprintf(out, size, "%.*s", (int)strcspn(version, "\n"), version);
    pthread_mutex_unlock(&c->lock);
}

void fsr_c_compiler_free(fsr_c_compiler *c) {
    if (!c)
        return;
    fsr_disk_cache_close(c->cache);
    pthread_mutex_destroy(&c->lock);
    fsr_c_drivers_clear(&c->drivers);
    free(c->cache_dir);
    free(c->machine);
    free(c);
}

void fsr_c_compiler_leave(fsr_c_compiler *c) {
    fsr_disk_cache_leave(c->cache);
}
