/* SPDX-License-Identifier: MIT */
/* What a C compiler is told.
 *
 * Flags keep the meaning: no contraction unless asked for, nothing of -ffast-math that changes a value
 * (no errno and no traps: neither is looked at). -O1 with the vectorizer and the complete unrolling of short loops
 * (-fpeel-loops, for the lanes of reductions) takes 3/4 of -O2's time and half of -O3's, and its kernels are as fast:
 * what -O2 adds looks for redundancy that generated text does not have, and -O3 unrolls the lanes before they become
 * vectors. No dominator optimizations save another tenth of the time.
 * Counter-example to one region for the register allocator, which would save a tenth as well: a loop that loads at
 * computed places, in a kernel that has more to keep than registers, fetched each of its four addresses from the stack
 * at every element, so that half as many loads were under way: 34 ms of 1851 by 1851 f32 in a fused kernel, 18 so.
 * -fexpensive-optimizations, for a twenty-fifth of it, is what gcc asks before it writes vzeroupper: without it the
 * upper halves of AVX registers stay in use behind a kernel, and each function of the C library that is written for SSE
 * (fmod, lgamma, jn) waits for them, in the kernel and in the caller's own code: 122 ns a call in place of 4. The
 * threading of jumps that comes with it is left out: it makes branches of choices before they can become vectors.
 * Loops begin at multiples of 32 bytes, which costs no time: where one began was chance, and the loop over a running
 * sum's blocks took a fifth longer at some places than at others, so that a line more of text made a kernel slower.
 * A branch counts as dear (-mbranch-cost=4): a choice in a loop too short for vectors depends on data, and a processor
 * guesses wrong at every other element: `where(x > 0.5, ..)` in rows of 3 4.2 ns an element, 0.45 without a branch. And
 * what only one of two choices takes is computed for both (-fno-tree-sink): moved behind the question it makes a branch
 * of that. Measured, six columns that choose for each of 270,143 rows: 17.9 ms, and 2.9 so.
 * With the knob `optimize` 0 a kernel is made by -Og, without vectors, in less than half of that: what a compiler does
 * to a program without one is most of its time, and no bit depends on it.
 * Warnings go unread, but two are errors, for callers' texts: a function that nobody declared, which C would take for
 * one that returns int, and an end without a result.
 *
 * An object without callers' texts is linked without start files and, where its source declares no function of the C
 * library, without libraries: reading their symbols takes longer than all else a linker does. What a compiler calls of
 * its own accord (memset) every program has. An object that cannot be linked or loaded so (a linker that wants every
 * symbol known, a processor without an instruction for floor) is linked with everything.
 * Counter-example to leaving out libm always: a call by a bare name is bound to the oldest of a function's versions. */
#include "backend_cpu/run/compile_options.h"
#include "backend_cpu/run/files.h"
#include "runtime/text.h"
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static const char *const fsr_options[] = {
    "-std=c11",
    "-fPIC",
    "-shared",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-strict-aliasing",
    "-Werror=implicit-function-declaration",
    "-Werror=return-type",
    "-pipe",
};
/* clang vectorizes and unrolls at -O2, not at -O1, and does not know gcc's words. */
static const char *const fsr_gcc_options[] = {
    "-O1",
    "-ftree-vectorize",
    "-fvect-cost-model=dynamic",
    "-fpeel-loops",
    "-fno-tree-dominator-opts",
    "-fexpensive-optimizations",
    "-fno-thread-jumps",
    "-fno-tree-sink",
    "-falign-loops=32",
#if defined __x86_64__ || defined __i386__
    "-mbranch-cost=4",
#endif
};
/* Beside these, without what gcc 12 crashes over: for AVX-512 it makes one instruction of a choice and a minimum, or
 * maximum, of 8 and 16 bits whose operands both lie in memory, which there is none for. Values are then loaded by
 * themselves. */
static const char *const fsr_careful_gcc_options[] = {"-fno-tree-ter"};
static const char *const fsr_clang_options[] = {"-O2"};
/* For the knob `optimize` 0. */
static const char *const fsr_quick_gcc_options[] = {"-Og"};
static const char *const fsr_quick_clang_options[] = {"-O1"};
#define LENGTH(array) ((int)(sizeof(array) / sizeof(array)[0]))
_Static_assert(LENGTH(fsr_options) + LENGTH(fsr_gcc_options) + LENGTH(fsr_careful_gcc_options) + 2 <= FSR_MOST_OPTIONS,
               "room for the options");

static int list_words(const char *const *word, int n, const char **out) {
    for (int i = 0; i < n; i++)
        out[i] = word[i];
    return n;
}

/* What says so to a compiler of that kind. Returns the number of words. */
static int list_effort(bool clang, fsr_effort effort, const char **out) {
    const bool least = effort == FSR_EFFORT_LEAST;
    if (clang)
        return least ? list_words(fsr_quick_clang_options, LENGTH(fsr_quick_clang_options), out)
                     : list_words(fsr_clang_options, LENGTH(fsr_clang_options), out);
    if (least)
        return list_words(fsr_quick_gcc_options, LENGTH(fsr_quick_gcc_options), out);
    const int n = list_words(fsr_gcc_options, LENGTH(fsr_gcc_options), out);
    const bool careful = effort == FSR_EFFORT_CAREFUL;
    return n + (careful ? list_words(fsr_careful_gcc_options, LENGTH(fsr_careful_gcc_options), out + n) : 0);
}

int fsr_c_list_options(const fsr_isa *isa, const fsr_c_driver *d, bool contraction, fsr_effort effort,
                       const char **out) {
    int n = 0;
    if (isa->option)
        out[n++] = isa->option;
    n += list_words(fsr_options, LENGTH(fsr_options), out + n);
    n += list_effort(fsr_c_driver_is_clang(d), effort, out + n);
    out[n++] = contraction ? "-ffp-contract=fast" : "-ffp-contract=off";
    return n;
}

/* Functions of the C library are declared at the beginning of a line; the source's own are static. */
static bool declares_library(const char *source) {
    return strstr(source, "\nf32 ") || strstr(source, "\nf64 ");
}

int fsr_c_list_libraries(const fsr_c_driver *d, const char *source, bool whole, const char **out) {
    int n = 0;
    if (!whole)
        out[n++] = "-nostdlib";
    if (whole || declares_library(source))
        out[n++] = "-lm";
    if (!whole && !fsr_c_driver_is_clang(d))
        out[n++] = "-lgcc";
    return n;
}

/* ---- what a binary depends on ------------------------------------------------------------------- */

static bool is_machine_line(const char *line) {
    static const char *const keys[] = {"vendor_id",        "cpu family",  "model",    "flags",    "CPU implementer",
                                       "CPU architecture", "CPU variant", "CPU part", "Features", "isa"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strncmp(line, keys[i], strlen(keys[i])) == 0)
            return true;
    return false;
}

char *fsr_c_describe_machine(void) {
    struct utsname name;
    fsr_text t = {0};
    char *info = fsr_file_read_record("/proc/cpuinfo");
    if (!info || uname(&name) != 0) {
        free(info);
        return NULL;
    }
    fsr_text_add(&t, "%s %s\n", name.sysname, name.machine);
    char *rest = info;
    for (char *line = strtok_r(info, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (is_machine_line(line))
            fsr_text_add(&t, "%s\n", line);
    free(info);
    return fsr_text_take(&t);
}
