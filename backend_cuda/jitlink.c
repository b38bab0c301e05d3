/* SPDX-License-Identifier: MIT */
/* Linking a kernel. Where some code is LTO-IR the kernel is too, and the linker generates code: functions are inlined,
 * and contraction is what the kernel's is. Where all is objects the kernel is one, which calls the functions. Where
 * some is PTX the kernel is LTO-IR as well: a link without -lto that is given PTX, behind one with it in the same
 * process, ends nvJitLink 13.0 by a segmentation fault.
 *
 * All functions of a kernel have one code (fusion/lower_value.c), which is added once: counter-examples to adding it
 * for each of them, one object twice, whose symbols are then defined twice, which ends nvJitLink 13.0 likewise; and to
 * two codes, of which both define a symbol: 13.0 takes the first, without an error. After the first
 * call that fails nothing but the log is asked for, for the same reason. */
#define _GNU_SOURCE 1
#include "backend_cuda/jitlink.h"
#include "runtime/libraries.h"
#include "runtime/shared_library.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* nvJitLinkInputType */
enum { INPUT_CUBIN = 1, INPUT_PTX = 2, INPUT_LTOIR = 3 };

bool fsr_kernel_is_linked(const fsr_kernel *k) {
    for (int i = 0; i < k->nroutines; i++)
        if (k->routine[i]->linked)
            return true;
    return false;
}

bool fsr_kernel_links_lto(const fsr_kernel *k) {
    for (int i = 0; i < k->nroutines; i++)
        if (k->routine[i]->linked_form == FSR_LINKED_LTOIR || k->routine[i]->linked_form == FSR_LINKED_PTX)
            return true;
    return false;
}

/* ---- the library --------------------------------------------------------------------------------------------- */

static const char *first_linked(const fsr_kernel *k) {
    int i = 0;
    while (i < k->nroutines - 1 && !k->routine[i]->linked)
        i++;
    return k->routine[i]->name;
}

static fsr_status identify(fsr_jitlink *j, fsr_fault *fault) {
    unsigned major = 0, minor = 0;
    fsr_text t = {0};
    void *function;
    const int rc = j->Version(&major, &minor);
    if (rc)
        return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "nvJitLink does not answer: status %d", rc);
    memcpy(&function, &j->Version, sizeof function);
    fsr_text_add(&t, "nvJitLink %u.%u", major, minor);
    fsr_shared_library_identify(function, &t);
    char *text = fsr_text_take(&t);
    snprintf(j->identity, sizeof j->identity, "%s", text ? text : "");
    free(text);
    return text ? FSR_OK : fsr_fault_set(fault, FSR_ERR_MEMORY, "opening nvJitLink: out of host memory");
}

fsr_status fsr_jitlink_load(fsr_jitlink *j, const fsr_kernel *k, int version, fsr_fault *fault) {
    static const char *const old[] = {FSR_CUDA_PLACES("libnvJitLink.so.12"), NULL},
                             *const new[] = {FSR_CUDA_PLACES("libnvJitLink.so.13"), FSR_CUDA_PLACES("libnvJitLink.so"),
                                             NULL};
#define FSR_JITLINK_FUNCTION(name, parameters) {"nvJitLink" #name, &j->name},
    const fsr_shared_function function[] = {FSR_JITLINK_LIST(FSR_JITLINK_FUNCTION){NULL, NULL}};
#undef FSR_JITLINK_FUNCTION
    fsr_text tried = {0};
    fsr_status status = FSR_OK;
    if (!fsr_shared_library_load(version < 13000 ? old : new, function, NULL, &tried))
        status = fsr_fault_set(fault, FSR_ERR_UNSUPPORTED,
                               "the native function %s is linked with compiled code, which needs nvJitLink; tried %s",
                               first_linked(k), tried.data ? tried.data : "");
    fsr_text_free(&tried);
    return status ? status : identify(j, fault);
}

/* ---- a link ---------------------------------------------------------------------------------------------------- */

/* Which functions' code it is, then what the linker says. */
static fsr_status rejected(const fsr_jitlink *j, const fsr_jitlink_job *job, void *link, const char *call, int rc,
                           fsr_fault *fault) {
    size_t size = 0;
    fsr_text names = {0};
    if (!link || j->GetErrorLogSize(link, &size))
        size = 0;
    char *log = calloc(1, size + 1);
    if (log && size && j->GetErrorLog(link, log))
        log[0] = 0;
    for (int i = 0; i < job->k->nroutines; i++)
        if (job->k->routine[i]->linked)
            fsr_text_add(&names, "%s%s", names.size ? ", " : "", job->k->routine[i]->name);
    fsr_fault_set(
        fault, FSR_ERR_COMPILE,
        "nvJitLink does not link kernel %s for sm_%d with the code of the native functions %s (%s gave status "
        "%d)\n%s",
        job->k->name, job->arch, names.data ? names.data : "", call, rc, log ? log : "");
    fsr_text_free(&names);
    free(log);
    return FSR_ERR_COMPILE;
}

/* The code of routine i is that of one before it. */
static bool is_there(const fsr_kernel *k, int i) {
    for (int other = 0; other < i; other++)
        if (fsr_routine_links_same(k->routine[i], k->routine[other]))
            return true;
    return false;
}

/* The kernel and all code into the link; *call: what failed. */
static int add_all(const fsr_jitlink *j, const fsr_jitlink_job *job, void *link, const char **call) {
    static const int form[] = {
        [FSR_LINKED_PTX] = INPUT_PTX, [FSR_LINKED_OBJECT] = INPUT_CUBIN, [FSR_LINKED_LTOIR] = INPUT_LTOIR};
    const bool lto = fsr_kernel_links_lto(job->k);
    *call = "nvJitLinkAddData";
    int rc = j->AddData(link, lto ? INPUT_LTOIR : INPUT_CUBIN, job->object, job->size, job->k->name);
    for (int i = 0; i < job->k->nroutines && !rc; i++) {
        const fsr_routine *f = job->k->routine[i];
        if (f->linked && !is_there(job->k, i)) /* of a text with its final 0 */
            rc = j->AddData(link, form[f->linked_form], f->linked,
                            f->linked_bytes + (f->linked_form == FSR_LINKED_PTX && f->linked[f->linked_bytes - 1]),
                            f->name);
    }
    if (!rc) {
        *call = "nvJitLinkComplete";
        rc = j->Complete(link);
    }
    return rc;
}

static fsr_status take_cubin(const fsr_jitlink *j, const fsr_jitlink_job *job, void *link, void **cubin, size_t *size,
                             fsr_fault *fault) {
    int rc = j->GetLinkedCubinSize(link, size);
    if (rc || !*size)
        return rejected(j, job, link, "nvJitLinkGetLinkedCubinSize", rc, fault);
    *cubin = malloc(*size);
    if (!*cubin)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "a linked kernel of %zu bytes: out of host memory", *size);
    rc = j->GetLinkedCubin(link, *cubin);
    if (!rc)
        return FSR_OK;
    free(*cubin);
    *cubin = NULL;
    return rejected(j, job, link, "nvJitLinkGetLinkedCubin", rc, fault);
}

fsr_status fsr_jitlink_run(const fsr_jitlink *j, const fsr_jitlink_job *job, void **cubin, size_t *size,
                           fsr_fault *fault) {
    char arch[32];
    const char *option[3] = {arch, job->k->contraction ? "-fma=1" : "-fma=0", "-lto"}, *call;
    void *link = NULL;
    *cubin = NULL;
    *size = 0;
    snprintf(arch, sizeof arch, "-arch=sm_%d", job->arch);
    int rc = j->Create(&link, fsr_kernel_links_lto(job->k) ? 3 : 2, option);
    if (rc)
        return rejected(j, job, NULL, "nvJitLinkCreate", rc, fault);
    rc = add_all(j, job, link, &call);
    const fsr_status status =
        rc ? rejected(j, job, link, call, rc, fault) : take_cubin(j, job, link, cubin, size, fault);
    j->Destroy(&link);
    return status;
}
