/* SPDX-License-Identifier: MIT */
/* Child processes, for the compiler driver. Nothing here goes through a shell. */
#ifndef FUSOR_BACKEND_CPU_PROCESS_H
#define FUSOR_BACKEND_CPU_PROCESS_H

#include "runtime/text.h"

enum { FSR_OUTPUT_BYTES = 64 << 10 }; /* kept of what a child prints */

/* The file that a program's name means, malloc'ed: itself if it has a slash, else the first regular file of that name
 * in fsr_config_search_path that may be executed. NULL with errno set: ENOENT, EACCES (there is one, but it may not be
 * executed), ENOMEM. */
char *fsr_program_find(const char *program);

/* Runs argv[0], found by fsr_program_find, standard input empty, TMPDIR set to `temporary` (NULL: as in this process),
 * and waits until it ends; what it started and left behind in its process group is then killed. What it prints on both
 * outputs is appended to `output`, at most FSR_OUTPUT_BYTES of it and a line that counts the rest. Returns 0 and its
 * exit status (128 + signal if one ended it), or an errno if it cannot be started. ETIMEDOUT: it had not ended after
 * `seconds` (0: any time), and was killed. */
int fsr_process_run(const char *const *argv, const char *temporary, int seconds, fsr_text *output, int *exit_status);

/* What such an errno means, for messages. */
const char *fsr_process_words(int error);

#endif
