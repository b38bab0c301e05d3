/* SPDX-License-Identifier: MIT */
/* The configuration inside the runtime; the public half is in fusor/context.h. */
#ifndef FUSOR_RUNTIME_CONFIG_H
#define FUSOR_RUNTIME_CONFIG_H

#include "fusor/context.h"
#include <stdbool.h>

/* A program's config, of its size (graph/sized.h), as ours: knobs that it lacks are as fsr_config_init gives them. On
 * an error why (may be NULL) says so. */
fsr_status fsr_config_take(fsr_config *own, const fsr_config *config, size_t config_size, char *why, size_t size);

/* FSR_OK if every integer knob has a value that it allows; else FSR_ERR_VALUE, and why (may be NULL) names the first
 * field that has not. For configurations that a program filled itself. */
fsr_status fsr_config_check(const fsr_config *config, char *why, size_t size);

/* The disk cache's directory where the configuration names none: $XDG_CACHE_HOME/fusor or ~/.cache/fusor, malloc'ed.
 * NULL: neither variable holds an absolute path (then there is no disk cache), or memory is out, or that directory is
 * somebody else's, as the HOME that sudo leaves is: then why (never NULL; else "") says so. Counter-example to making
 * the cache there: root's files in a user's directory, which the user's own programs then cannot use. */
char *fsr_config_default_cache_dir(char *why, size_t size);

/* Where programs are looked for: PATH, borrowed from the environment; the system's directories if it is not set. Never
 * NULL. */
const char *fsr_config_search_path(void);

/* Where temporary files go: TMPDIR, borrowed from the environment, if it is an absolute path, else P_tmpdir. */
const char *fsr_config_temporary_dir(void);

/* What a compiler finds in its environment: that of this process with another TMPDIR, and with LC_ALL=C, since what it
 * says is read. In a program with more rights than its caller: PATH and these alone. */
typedef struct fsr_child_environment {
    const char **variable; /* ends with NULL; but for `own` borrowed from the environment */
    char *own[2];
} fsr_child_environment;

/* temporary NULL: fsr_config_temporary_dir. False: memory is out, and nothing is to be closed. */
bool fsr_config_child_open(fsr_child_environment *e, const char *temporary);
void fsr_config_child_close(fsr_child_environment *e);

#endif
