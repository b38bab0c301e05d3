/* SPDX-License-Identifier: MIT */
/* Finding a compiler: the first of the usual names that answers to --version.
 *
 * Nothing that may pass is kept: a search without a result is made again, and a compiler that cannot be started any
 * more is no longer current (compile.c), so that another one is looked for. Whatever was found stays in the list,
 * because a job in another thread may be using it. Counter-example to one place for the name and the version: a thread
 * that writes its cache key while another settles for another compiler would file the object under that one's name. */
#include "backend_cpu/run/driver.h"
#include "backend_cpu/run/identity.h"
#include "backend_cpu/run/process.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    fsr_c_drivers *drivers;
    fsr_disk_cache *cache;
    int seconds;
    fsr_text tried; /* what was wrong with each so far */
} search;

/* What a compiler known by its file once said of itself, or NULL. Asking it takes longer than all else that loading a
 * kernel from the disk cache needs. */
static char *recall_version(const search *s, const char *identity) {
    size_t size = 0;
    char *version = identity ? fsr_disk_cache_get(s->cache, identity, strlen(identity), &size) : NULL;
    if (version && size > 0 && version[size - 1] == 0)
        return version;
    free(version);
    return NULL;
}

/* A failure to store costs a question next time. */
static void remember_version(const search *s, const char *identity) {
    fsr_fault unused = {0};
    const char *version = s->drivers->current->version;
    if (identity)
        fsr_disk_cache_put(s->cache, identity, strlen(identity), version, strlen(version) + 1, &unused);
    fsr_fault_clear(&unused);
}

static fsr_c_driver *find(const fsr_c_drivers *drivers, const char *program, const char *version) {
    fsr_c_driver *d = drivers->all;
    while (d && (strcmp(d->program, program) != 0 || strcmp(d->version, version) != 0))
        d = d->next;
    return d;
}

/* Takes version; false: memory is out. */
static bool settle(fsr_c_drivers *drivers, const char *program, char *version) {
    fsr_c_driver *d = version ? find(drivers, program, version) : NULL;
    fsr_c_driver *made = version && !d ? calloc(1, sizeof *made) : NULL;
    if (made && (made->program = strdup(program))) {
        made->version = version;
        made->next = drivers->all;
        drivers->all = d = made;
    } else {
        free(made);
        free(version);
    }
    drivers->current = d;
    return d != NULL;
}

/* 0, or an errno that says nothing about the compiler (ENOMEM: memory is out). Settles for it if it works, else adds to
 * `tried` what was wrong. */
static int ask(search *s, const char *program) {
    const char *const argv[] = {program, "--version", NULL};
    const char *comma = s->tried.size ? ", " : "";
    fsr_text said = {0};
    int status = 0;
    int error = fsr_process_run(argv, NULL, s->seconds, &said, &status);
    if (!error && status == 0 && said.size)
        return settle(s->drivers, program, fsr_text_take(&said)) ? 0 : ENOMEM;
    fsr_text_free(&said);
    if (error)
        fsr_text_add(&s->tried, "%s%s (%s)", comma, program, fsr_process_words(error));
    else
        fsr_text_add(&s->tried, "%s%s (exit status %d)", comma, program, status);
    return error == ENOMEM ? ENOMEM : 0;
}

/* As ask, which is not called where the disk cache has the answer. The identity is taken before asking: of a compiler
 * that is replaced meanwhile, the new one's answer is kept under a name that nobody asks for again. */
static int try(search *s, const char *program) {
    char *identity = s->cache ? fsr_program_identity(program) : NULL;
    char *version = recall_version(s, identity);
    int error = 0;
    if (version) {
        error = settle(s->drivers, program, version) ? 0 : ENOMEM;
    } else {
        error = ask(s, program);
        if (s->drivers->current)
            remember_version(s, identity);
    }
    free(identity);
    return error;
}

fsr_status fsr_c_drivers_search(fsr_c_drivers *drivers, fsr_disk_cache *cache, int seconds, fsr_fault *fault) {
    static const char *const usual[] = {"cc", "gcc", "clang"};
    search s = {drivers, cache, seconds, {0}};
    int n = drivers->asked ? 1 : (int)(sizeof usual / sizeof *usual), error = 0;
    for (int i = 0; i < n && !drivers->current && !error; i++)
        error = try(&s, drivers->asked ? drivers->asked : usual[i]);
    fsr_status status = FSR_OK;
    if (error || (!drivers->current && s.tried.failed))
        status = fsr_fault_set(fault, FSR_ERR_MEMORY, "looking for a C compiler: out of memory");
    else if (!drivers->current)
        status = fsr_fault_set(fault, FSR_ERR_NO_COMPILER,
                               "no C compiler for the CPU backend: tried %s; install one or name one in FUSOR_COMPILER",
                               s.tried.data);
    fsr_text_free(&s.tried);
    return status;
}

void fsr_c_drivers_clear(fsr_c_drivers *drivers) {
    while (drivers->all) {
        fsr_c_driver *next = drivers->all->next;
        free(drivers->all->program);
        free(drivers->all->version);
        free(drivers->all);
        drivers->all = next;
    }
    free(drivers->asked);
    *drivers = (fsr_c_drivers){0};
}

bool fsr_c_driver_is_clang(const fsr_c_driver *driver) {
    return strstr(driver->version, "clang") != NULL;
}
