/* SPDX-License-Identifier: MIT */
/* What gcc makes of kernels' loops when it is told what the CPU backend tells it, as it writes it down: without a jump
 * that hangs on data, and without a value that is fetched from the stack at every element. */
#include "backend_cpu/run/compile_options.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Places of a short dimension of which each chooses, as fusion/coarsen.c makes them: strides that are not known, and a
 * value that is computed for one of the two choices alone. */
static const char choices[] =
    "void choices(const float *restrict x, const float *restrict y, float *restrict z, const long *s, long n) {\n"
    "    const long s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];\n"
    "    for (long i = 0; i < n; ++i) {\n"
    "        const float v0 = x[s1 + i * s0], v1 = y[i * 8], v2 = v1 - 1.5f, v3 = v0 > 0.5f ? v1 : v2;\n"
    "        z[i * 3] = v3;\n"
    "        const float v4 = x[s2 + i * s0], v5 = y[i * 8 + 1], v6 = v5 - 1.5f, v7 = v4 > 0.5f ? v5 : v6;\n"
    "        z[i * 3 + 1] = v7;\n"
    "        const float v8 = x[s3 + i * s0], v9 = y[i * 8 + 2], v10 = v9 - 1.5f, v11 = v8 > 0.5f ? v9 : v10;\n"
    "        z[i * 3 + 2] = v11;\n"
    "    }\n"
    "}\n";

/* Elements at computed places, between loops that have more to keep than there are registers. */
static const char gathers[] =
    "void gathers(void *const *a, const long *n) {\n"
    "    const float *restrict x0 = a[0], *restrict x1 = a[1], *restrict x2 = a[2], *restrict x3 = a[3];\n"
    "    const int *restrict at = a[4];\n"
    "    float *restrict y0 = a[5], *restrict y1 = a[6], *restrict y2 = a[7], held[512];\n"
    "    const long n0 = n[0], n1 = n[1], n2 = n[2], n3 = n[3], n4 = n[4], n5 = n[5];\n"
    "    for (long r = 0; r < n0; ++r) {\n"
    "        for (long c = 0; c < n1; ++c)\n"
    "            y0[r * n2 + c] = x1[r * n3 + c * n4] + x2[r * n4 + c * n5] * x3[r * n5 + c * n3];\n"
    "        for (long c = 0; c < n1; ++c) {\n"
    "            __asm__(\"# here\");\n"
    "            held[c] = x0[r + at[c] * n3];\n"
    "        }\n"
    "        for (long c = 0; c < n1; ++c)\n"
    "            y1[r * n4 + c] = held[c] * x1[r * n5 + c * n2], y2[r * n5 + c * n4] = held[c] + x3[r * n2 + c * n5];\n"
    "    }\n"
    "}\n";

/* The command that writes down what the compiler makes of a file; false: it is not gcc. */
static bool command_for(const char *path, char *command, size_t size) {
    static const fsr_isa baseline = {FSR_ISA_BASELINE, "baseline", "-march=x86-64", ""};
    fsr_c_drivers drivers = {0};
    fsr_fault fault = {0};
    const char *option[FSR_MOST_OPTIONS];
    assert_int_equal(fsr_c_drivers_search(&drivers, NULL, 0, &fault), FSR_OK);
    const bool gcc = !fsr_c_driver_is_clang(drivers.current);
    int used = snprintf(command, size, "%s", drivers.current->program);
    for (int i = 0, n = fsr_c_list_options(&baseline, drivers.current, false, FSR_EFFORT_USUAL, option); i < n; i++)
        if (strcmp(option[i], "-shared") != 0 && used < (int)size)
            used += snprintf(command + used, size - (size_t)used, " %s", option[i]);
    used += snprintf(command + used, size - (size_t)used, " -S -o - %s", path);
    assert_true(used < (int)size);
    fsr_c_drivers_clear(&drivers);
    return gcc;
}

/* The first compiler's assembly of a text; NULL: it is not gcc, or not for x86-64. */
static FILE *open_assembly(const char *text, char path[32]) {
    char command[2048];
    strcpy(path, "/tmp/fusor-test-XXXXXX.c");
#if !defined __x86_64__
    return NULL;
#endif
    const int file = mkstemps(path, 2);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    if (command_for(path, command, sizeof command))
        return popen(command, "r");
    unlink(path);
    return NULL;
}

static void close_assembly(FILE *lines, char path[32]) {
    assert_int_equal(pclose(lines), 0);
    unlink(path);
}

/* A choice that is a jump compares by (u)comiss, one that is a mask by cmpss. */
static void no_choice_is_a_jump(void **state) {
    char path[32], line[256];
    int jumps = 0, all = 0;
    FILE *lines = open_assembly(choices, path);
    (void)state;
    if (!lines)
        skip();
    while (fgets(line, sizeof line, lines)) {
        all += line[0] == '\t' && line[1] != '.';
        jumps += strstr(line, "comiss") != NULL;
    }
    close_assembly(lines, path);
    assert_true(all > 20);
    assert_int_equal(jumps, 0);
}

/* "\tmovq\t-80(%rsp), %rsi", but not "\tmovss\t%xmm0, 296(%rsp,%r9,4)". */
static bool fetches_from_stack(const char *line) {
    return (strstr(line, "(%rsp), ") || strstr(line, "(%rbp), ")) && !strchr(line, '#');
}

static void loops_have_their_registers(void **state) {
    char path[32], line[256];
    bool inside = false, seen = false;
    int fetched = 0;
    FILE *lines = open_assembly(gathers, path);
    (void)state;
    if (!lines)
        skip();
    while (fgets(line, sizeof line, lines)) {
        seen = seen || strstr(line, "# here");
        inside = (inside || strstr(line, "# here")) && line[0] != '.';
        fetched += inside && fetches_from_stack(line);
        if (line[0] == '\t' && line[1] == 'j')
            inside = false;
    }
    close_assembly(lines, path);
    assert_true(seen);
    assert_int_equal(fetched, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_choice_is_a_jump),
                                       cmocka_unit_test(loops_have_their_registers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
