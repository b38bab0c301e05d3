/* The configuration inside the runtime; the public half is in fusor/context.h. */
#ifndef FUSOR_RUNTIME_CONFIG_H
#define FUSOR_RUNTIME_CONFIG_H

#include "fusor/context.h"

/* FSR_OK if every integer knob has a value that it allows; else FSR_ERR_VALUE, and why (may be NULL) names the first
 * field that has not. For configurations that a program filled itself. */
fsr_status fsr_config_check(const fsr_config *config, char *why, size_t size);

/* The disk cache's directory where the configuration names none: $XDG_CACHE_HOME/fusor or ~/.cache/fusor, malloc'ed.
 * NULL: neither variable holds an absolute path (then there is no disk cache), or memory is out. */
char *fsr_config_default_cache_dir(void);

/* Where programs are looked for: PATH, borrowed from the environment. NULL: not set. */
const char *fsr_config_search_path(void);

#endif
