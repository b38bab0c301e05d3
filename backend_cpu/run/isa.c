/* SPDX-License-Identifier: MIT */
/* Levels of instruction sets, as caps: a kernel is compiled for the level that was asked for, or for the machine where
 * that has less. Nothing else depends on the level: lanes, chunks and the emitted text are the same at each; what a
 * text says of vectors and of the fused multiply-add (`#if defined __AVX__`) the compiler decides. The latter is why
 * elementary functions have other last bits at the baseline.
 *
 * Counter-example to compiling for the level without looking: on a machine without it the first kernel ends the process
 * (SIGILL). To "native without AVX-512" instead of a level: its code would be another one on each machine, and what a
 * run under the cap has found could not be found again elsewhere. */
#include "backend_cpu/run/isa.h"
#include "backend_cpu/run/files.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const fsr_isa levels[] = {
    {FSR_ISA_NATIVE, "native", "-march=native", ""},
#if defined __x86_64__
    {FSR_ISA_AVX512, "avx512", "-march=x86-64-v4", "avx512f avx512bw avx512cd avx512dq avx512vl"},
    {FSR_ISA_AVX2, "avx2", "-march=x86-64-v3", "avx avx2 bmi1 bmi2 f16c fma abm movbe"},
    {FSR_ISA_BASELINE, "baseline", "-march=x86-64", ""},
#elif defined __aarch64__
    {FSR_ISA_BASELINE, "baseline", "-march=armv8-a", ""},
#else
    {FSR_ISA_BASELINE, "baseline", NULL, ""},
#endif
};

/* True if a line of words has this one. */
static bool has_word(const char *line, const char *word, size_t n) {
    const size_t end = strcspn(line, "\n");
    for (const char *at = line; at < line + end;) {
        const size_t length = strcspn(at, " \t\n");
        if (length == n && strncmp(at, word, n) == 0)
            return true;
        at += length + 1;
    }
    return false;
}

/* What cannot be read is not there. */
static bool has_features(const char *features) {
    if (!*features)
        return true;
    char *info = fsr_file_read_record("/proc/cpuinfo");
    const char *flags = info ? strstr(info, "\nflags") : NULL;
    bool all = flags != NULL;
    while (all && *features) {
        const size_t n = strcspn(features, " ");
        all = has_word(flags + 1, features, n);
        features += features[n] ? n + 1 : n;
    }
    free(info);
    return all;
}

fsr_status fsr_isa_choose(fsr_isa_kind asked, const fsr_isa **out, fsr_fault *fault) {
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (levels[i].kind == asked) {
            *out = has_features(levels[i].features) ? &levels[i] : &levels[0];
            return FSR_OK;
        }
    *out = NULL;
    return fsr_fault_set(fault, FSR_ERR_VALUE,
                         "isa: avx512 and avx2 are levels of x86-64; here it must be native or baseline");
}

const char *fsr_isa_level(const fsr_isa *isa) {
    for (size_t i = 1; isa->kind == FSR_ISA_NATIVE && i < sizeof levels / sizeof *levels; i++)
        if (has_features(levels[i].features))
            return levels[i].name;
    return isa->name;
}
