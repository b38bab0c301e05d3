/* Whole files and child processes, for the compiler driver. Nothing here goes through a shell. */
#ifndef FUSOR_BACKEND_CPU_FILES_H
#define FUSOR_BACKEND_CPU_FILES_H

#include "runtime/fault.h"
#include "runtime/text.h"
#include <stdbool.h>

/* "<dir>/<name><suffix>", malloc'ed; NULL: out of memory. */
char *fsr_path_join(const char *dir, const char *name, const char *suffix);
/* The whole file with a 0 behind it, malloc'ed. NULL with errno set if it cannot be read. */
char *fsr_file_read(const char *path, size_t *size);
/* Its text before the first empty line; else as fsr_file_read. */
char *fsr_file_read_record(const char *path);
/* Creates or replaces a file. False with errno set if it cannot be written. */
bool fsr_file_write(const char *path, const void *data, size_t size);
/* Runs argv[0] (looked up in PATH unless it has a slash), standard input empty, and waits. What it prints on both
 * outputs is appended to `output`. Returns 0 and its exit status (128 + signal if one ended it), or an errno if it
 * cannot be started. ETIMEDOUT: it had not closed its outputs after `seconds` (0: any time), and was killed. */
int fsr_process_run(const char *const *argv, int seconds, fsr_text *output, int *exit_status);

#endif
