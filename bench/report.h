/* SPDX-License-Identifier: MIT */
/* --report: the page of one run, or of files that --json and bench/peers_cpu.py wrote. */
#ifndef FUSOR_BENCH_REPORT_H
#define FUSOR_BENCH_REPORT_H

#include "runtime/fault.h"
#include <stddef.h>

/* Writes the page of n files to path, whole or not at all. Errors name the file and where it is wrong: FSR_ERR_FILE,
 * FSR_ERR_FORMAT, FSR_ERR_MEMORY. */
fsr_status bench_report_files(const char *path, const char *const *file, int n, fsr_fault *fault);
/* The same of rows as --json has them. */
fsr_status bench_report_rows(const char *path, const char *json, size_t size, fsr_fault *fault);

#endif
