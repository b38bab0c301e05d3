/* SPDX-License-Identifier: MIT */
/* Compiled C texts of callers' functions, one shared object each, and whose fault a rejected kernel is.
 *
 * A list: a program has few such functions, and each routine remembers what it found. The lock is not held while a
 * compiler runs; of two threads that meet the same function the first to finish has its object kept. */
#include "backend_cpu/run/routines.h"
#include "backend_cpu/emit/call.h"
#include "backend_cpu/run/compile.h"
#include "runtime/routines.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct object {
    struct object *next;
    fsr_routine *routine; /* a reference */
    void *handle;
    fsr_routine_host host;
} object;

struct fsr_routines {
    fsr_c_compiler *compiler;
    pthread_mutex_t lock; /* of what follows */
    object *first;
};

/* ---- one text ---------------------------------------------------------------------------------------------- */

/* Says in the message whose text it is, and how to read the compiler's words. */
static fsr_status name_culprit(fsr_c_compiler *c, const fsr_routine *f, fsr_fault *fault) {
    const char *words = fault->message ? fault->message : fsr_status_sentence(fault->status);
    if (fault->status == FSR_ERR_COMPILE && fsr_c_compiler_works(c))
        return fsr_fault_set(fault, FSR_ERR_COMPILE, "the C text of the native function %s does not compile: %s",
                             f->name, words);
    if (fault->status == FSR_ERR_COMPILE || fault->status == FSR_ERR_NO_COMPILER)
        return fsr_fault_set(fault, FSR_ERR_NO_COMPILER, "the native function %s needs a C compiler that works: %s",
                             f->name, words);
    return fault->status;
}

static fsr_status compile(fsr_c_compiler *c, const fsr_routine *f, void **handle, void **host, fsr_fault *fault) {
    bool from_disk;
    char *source = fsr_c_routine_source(f);
    *handle = *host = NULL;
    if (!source)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "compiling %s: out of memory", f->name);
    fsr_status status = fsr_c_compile(c, FSR_C_HOST, source, false, NULL, handle, host, &from_disk, fault);
    free(source);
    return status ? name_culprit(c, f, fault) : FSR_OK;
}

fsr_status fsr_routines_blame(fsr_c_compiler *c, const fsr_kernel *k, fsr_fault *fault) {
    if (fault->status != FSR_ERR_COMPILE && fault->status != FSR_ERR_NO_COMPILER)
        return fault->status;
    for (int i = 0; i < k->nroutines; i++) {
        fsr_fault own = {0};
        void *handle, *host;
        fsr_status status = compile(c, k->routine[i], &handle, &host, &own);
        if (handle)
            dlclose(handle);
        if (status) {
            fsr_fault_clear(fault);
            *fault = own;
            return status;
        }
    }
    return fault->status;
}

/* ---- a context's --------------------------------------------------------------------------------------------- */

fsr_status fsr_routines_open(const fsr_config *config, fsr_routines **out, fsr_fault *fault) {
    char *warning = NULL;
    *out = NULL;
    fsr_routines *r = calloc(1, sizeof *r);
    if (!r || pthread_mutex_init(&r->lock, NULL)) {
        free(r);
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "native functions: out of memory");
    }
    fsr_status status = fsr_c_compiler_new(config, &r->compiler, &warning, fault);
    free(warning);
    if (status)
        fsr_routines_close(r);
    else
        *out = r;
    return status;
}

static void object_free(object *o) {
    if (o->handle)
        dlclose(o->handle);
    fsr_routine_unref(o->routine);
    free(o);
}

void fsr_routines_close(fsr_routines *r) {
    if (!r)
        return;
    while (r->first) {
        object *next = r->first->next;
        object_free(r->first);
        r->first = next;
    }
    fsr_c_compiler_free(r->compiler);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

void fsr_routines_leave(fsr_routines *r) {
    if (r)
        fsr_c_compiler_leave(r->compiler);
}

/* The lock is held. */
static object *find(const fsr_routines *r, const fsr_routine *f) {
    object *o = r->first;
    while (o && !fsr_routine_equal(o->routine, f))
        o = o->next;
    return o;
}

static object *keep(fsr_routines *r, object *made) {
    pthread_mutex_lock(&r->lock);
    object *there = find(r, made->routine);
    if (!there) {
        made->next = r->first;
        r->first = made;
    }
    pthread_mutex_unlock(&r->lock);
    if (there)
        object_free(made);
    return there ? there : made;
}

static fsr_status make(fsr_routines *r, const fsr_routine *f, object **out, fsr_fault *fault) {
    void *host;
    object *made = calloc(1, sizeof *made);
    if (!made)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "compiling %s: out of memory", f->name);
    fsr_status status = compile(r->compiler, f, &made->handle, &host, fault);
    if (status) {
        free(made);
        return status;
    }
    made->routine = fsr_routine_ref(f);
    memcpy(&made->host, &host, sizeof made->host);
    *out = keep(r, made);
    return FSR_OK;
}

fsr_status fsr_routines_add(fsr_routines *r, const fsr_routine *f, fsr_fault *fault) {
    pthread_mutex_lock(&r->lock);
    object *o = find(r, f);
    pthread_mutex_unlock(&r->lock);
    fsr_status status = o ? FSR_OK : make(r, f, &o, fault);
    if (!status)
        atomic_store(&((fsr_routine *)f)->host, o->host);
    return status;
}
