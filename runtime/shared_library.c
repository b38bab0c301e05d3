/* SPDX-License-Identifier: MIT */
/* Loading libraries of others. Opened with RTLD_NODELETE a library stays when its handle is closed, which is done at
 * once: nobody has to remember it. Counter-example to taking the first file that opens: an old version lacks a function
 * that the next name on the list, another version, has. */
#define _GNU_SOURCE 1
#include "runtime/shared_library.h"
#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>

/* Adds a name and what was wrong with it; a file that is not there says enough by its name. */
static void note(fsr_text *tried, const char *name, const char *what, const char *why) {
    if (tried)
        fsr_text_add(tried, "%s%s%s%s%s%s", tried->size ? ", " : "", name, why ? " (" : "", what, why ? why : "",
                     why ? ")" : "");
}

/* The first function that the library lacks, or NULL. */
static const char *missing_of(void *library, const fsr_shared_function *function) {
    for (; function->name; function++)
        if (!(*(void **)function->to = dlsym(library, function->name)))
            return function->name;
    return NULL;
}

static bool is_loaded(const char *name) {
    void *loaded = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (loaded)
        dlclose(loaded);
    return loaded != NULL;
}

static void *load(const char *name, const fsr_shared_function *function, fsr_text *tried) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        const char *why = dlerror();
        const bool absent = !why || (strncmp(why, name, strlen(name)) == 0 && strstr(why, "No such file"));
        note(tried, name, "", absent ? NULL : why);
        return NULL;
    }
    const char *missing = missing_of(library, function);
    if (missing)
        note(tried, name, "has no ", missing);
    dlclose(library);
    return missing ? NULL : library;
}

void *fsr_shared_library_load(const char *const *file, const fsr_shared_function *function, bool *fresh,
                              fsr_text *tried) {
    void *library = NULL;
    for (; *file && !library; file++) {
        if (fresh)
            *fresh = !is_loaded(*file);
        library = load(*file, function, tried);
    }
    return library;
}

bool fsr_shared_library_loaded(const char *const *file) {
    bool loaded = false;
    for (; *file && !loaded; file++)
        loaded = is_loaded(*file);
    return loaded;
}

void fsr_shared_library_identify(const void *function, fsr_text *out) {
    Dl_info info;
    struct stat file;
    if (!dladdr(function, &info) || !info.dli_fname)
        return;
    const char *slash = strrchr(info.dli_fname, '/');
    fsr_text_add(out, ", %s", slash ? slash + 1 : info.dli_fname);
    if (stat(info.dli_fname, &file) == 0)
        fsr_text_add(out, ", %lld bytes of %lld", (long long)file.st_size, (long long)file.st_mtime);
}
