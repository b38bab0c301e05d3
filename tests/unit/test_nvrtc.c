/* SPDX-License-Identifier: MIT */
/* backend_cuda/nvrtc and backend_cuda/build: compiling without a device. Skipped where there is no NVRTC. */
#include "backend_cuda/build.h"
#include "backend_cuda/nvrtc.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char good[] = "extern \"C\" __global__ void k_test(const float *x, float *y, float a) {\n"
                           "    y[threadIdx.x] = x[threadIdx.x] * a + 1.0f;\n"
                           "}\n";
enum { ARCH = 90, ERRORS = 60 };
static const char *const options[] = {"-arch=sm_90"};

/* The compiler; skips the test if there is none. The caller closes it. */
static fsr_nvrtc *need_nvrtc(void) {
    fsr_nvrtc *n = NULL;
    fsr_fault fault = {0};
    fsr_status status = fsr_nvrtc_open(&n, &fault);
    if (status == FSR_ERR_NO_BACKEND) {
        print_message("%s\n", fault.message);
        assert_non_null(strstr(fault.message, "libnvrtc.so"));
        fsr_fault_clear(&fault);
        skip();
    }
    assert_int_equal(status, FSR_OK);
    return n;
}

/* A source with an undefined name on each of ERRORS lines. Freed by the caller. */
static char *broken_source(void) {
    char *s = malloc(ERRORS * 64 + 64);
    assert_non_null(s);
    int n = sprintf(s, "extern \"C\" __global__ void k_test(int *y) {\n");
    for (int i = 0; i < ERRORS; i++)
        n += sprintf(s + n, "    y[%d] = undefined_name_%d;\n", i, i);
    sprintf(s + n, "}\n");
    return s;
}

static void assert_whole_log(const char *log) {
    for (int i = 0; i < ERRORS; i++) {
        char name[64];
        sprintf(name, "undefined_name_%d\"", i);
        assert_non_null(strstr(log, name));
    }
}

static void nvrtc_knows_itself(void **state) {
    (void)state;
    fsr_nvrtc *n = need_nvrtc();
    assert_true(fsr_nvrtc_version(n) >= 12000);
    assert_memory_equal(fsr_nvrtc_identity(n), "NVRTC ", 6);
    assert_int_equal(fsr_nvrtc_arch(n, 90), 90);
    assert_int_equal(fsr_nvrtc_arch(n, 99), 90);
    assert_int_equal(fsr_nvrtc_arch(n, 10), 0);
    fsr_nvrtc_close(n);
}

static void nvrtc_compiles(void **state) {
    (void)state;
    fsr_nvrtc *n = need_nvrtc();
    fsr_nvrtc_warm(n, ARCH);
    fsr_fault fault = {0};
    fsr_nvrtc_result r;
    assert_int_equal(fsr_nvrtc_compile(n, "k_test.cu", good, options, 1, &r, &fault), FSR_OK);
    assert_true(r.size > 64);
    assert_memory_equal(r.cubin, "\177ELF", 4);
    assert_non_null(r.log);
    fsr_nvrtc_result_free(&r);
    fsr_nvrtc_close(n);
}

static void nvrtc_log_is_whole(void **state) {
    (void)state;
    fsr_nvrtc *n = need_nvrtc();
    char *source = broken_source();
    fsr_fault fault = {0};
    fsr_nvrtc_result r;
    assert_int_equal(fsr_nvrtc_compile(n, "k_test.cu", source, options, 1, &r, &fault), FSR_ERR_COMPILE);
    assert_null(r.cubin);
    assert_non_null(strstr(r.log, "k_test.cu(2)"));
    assert_whole_log(r.log);
    assert_string_equal(fault.message, "NVRTC_ERROR_COMPILATION");
    fsr_nvrtc_result_free(&r);
    fsr_fault_clear(&fault);
    free(source);
    fsr_nvrtc_close(n);
}

/* ---- build -------------------------------------------------------------------------------------- */

/* A compiler, a kernel of the name k_test, and a directory for one test. */
typedef struct bench {
    fsr_nvrtc *nvrtc;
    fsr_cuda_build *build;
    fsr_kernel *kernel;
    char dir[64];
    fsr_config config;
} bench;

static void bench_begin(bench *b) {
    memset(b, 0, sizeof *b);
    b->nvrtc = need_nvrtc();
    strcpy(b->dir, "/tmp/fusor-test-XXXXXX");
    assert_non_null(mkdtemp(b->dir));
    b->config.cache_mb = 16;
    b->config.optimize = 1;
    b->kernel = fsr_kernel_new();
    assert_non_null(b->kernel);
    strcpy(b->kernel->name, "k_test");
}

static void bench_open(bench *b) {
    fsr_fault fault = {0};
    assert_int_equal(fsr_cuda_build_open(&b->config, b->nvrtc, ARCH, &b->build, &fault), FSR_OK);
}

static void bench_end(bench *b) {
    fsr_cuda_build_close(b->build);
    fsr_nvrtc_close(b->nvrtc);
    fsr_kernel_free(b->kernel);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", b->dir);
    assert_int_equal(system(command), 0);
}

static void bench_write(const bench *b, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/k_test.cu", b->dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* Compiles text; true if the binary came from disk. */
static bool bench_run(bench *b, const char *text, bool fresh) {
    fsr_cuda_source source = {(char *)text, strlen(text), NULL};
    fsr_cuda_binary binary;
    fsr_fault fault = {0};
    assert_int_equal(fsr_cuda_build_run(b->build, b->kernel, &source, fresh, &binary, &fault), FSR_OK);
    assert_memory_equal(binary.data, "\177ELF", 4);
    free(binary.data);
    return binary.from_disk;
}

static void build_caches_on_disk(void **state) {
    (void)state;
    bench b;
    bench_begin(&b);
    b.config.cache_dir = b.dir;
    bench_open(&b);
    assert_false(bench_run(&b, good, false));
    assert_true(bench_run(&b, good, false));
    assert_false(bench_run(&b, good, true));
    b.kernel->contraction = true;
    assert_false(bench_run(&b, good, false));
    assert_true(bench_run(&b, good, false));
    fsr_cuda_build_close(b.build);
    b.config.optimize = 0;
    bench_open(&b);
    assert_false(bench_run(&b, good, false));
    assert_true(bench_run(&b, good, false));
    fsr_cuda_build_close(b.build);
    b.config.optimize = 1;
    bench_open(&b);
    assert_true(bench_run(&b, good, false));
    bench_end(&b);
}

/* A text that reads a file, or asks for one, is compiled each time: the file is not in the key. */
static void build_keeps_closed_texts_only(void **state) {
    (void)state;
    static const char *const lines[] = {"#include \"x.h\"\n", "#inc\\\nlude \"x.h\"\n", "%:include \"x.h\"\n"};
    char text[sizeof good + 200], path[128];
    bench b;
    bench_begin(&b);
    b.config.cache_dir = b.dir;
    bench_open(&b);
    snprintf(text, sizeof text, "%s\n#if __has_include(\"x.h\")\n#endif\n", good);
    assert_false(bench_run(&b, text, false));
    assert_false(bench_run(&b, text, false));
    snprintf(path, sizeof path, "%s/x.h", b.dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fclose(f), 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char *name, line[200];
        snprintf(line, sizeof line, "%s", lines[i]);
        name = strstr(line, "x.h");
        snprintf(text, sizeof text, "%s\n%.*s%s\"\n", good, (int)(name - line), line, path);
        assert_false(bench_run(&b, text, false));
        assert_false(bench_run(&b, text, false));
    }
    bench_end(&b);
}

static void build_dumps(void **state) {
    (void)state;
    bench b;
    bench_begin(&b);
    char dumps[80], path[128], text[sizeof good] = "";
    snprintf(dumps, sizeof dumps, "%s/dumps", b.dir);
    b.config.dump_dir = dumps;
    bench_open(&b);
    snprintf(path, sizeof path, "%s/k_test.cu", dumps);
    assert_int_equal(mkdir(dumps, 0700), 0);
    assert_int_equal(symlink("../elsewhere", path), 0); /* not followed */
    assert_false(bench_run(&b, good, false));
    snprintf(text, sizeof text, "%s/elsewhere", b.dir);
    assert_int_equal(access(text, F_OK), -1);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fread(text, 1, sizeof text, f), sizeof good - 1);
    fclose(f);
    assert_string_equal(text, good);
    bench_end(&b);
}

static void build_loads_and_rejects_a_file(void **state) {
    (void)state;
    bench b;
    bench_begin(&b);
    b.config.load_dir = b.dir;
    char *text = broken_source();
    bench_write(&b, text);
    bench_open(&b);
    fsr_cuda_source source;
    fsr_cuda_binary binary;
    fsr_fault fault = {0};
    assert_int_equal(fsr_cuda_build_source(b.build, b.kernel, &source, &fault), FSR_OK);
    assert_string_equal(source.text, text);
    assert_int_equal(fsr_cuda_build_run(b.build, b.kernel, &source, false, &binary, &fault), FSR_ERR_COMPILE);
    assert_null(binary.data);
    assert_non_null(strstr(fault.message, source.path));
    assert_non_null(strstr(fault.message, "kernel k_test for sm_90"));
    assert_whole_log(fault.message);
    fsr_fault_clear(&fault);
    fsr_cuda_source_free(&source);
    free(text);
    bench_end(&b);
}

/* An emitted source that NVRTC rejects is left in a file, which the message names. */
static void build_keeps_a_rejected_source(void **state) {
    (void)state;
    bench b;
    bench_begin(&b);
    bench_open(&b);
    char *text = broken_source();
    fsr_cuda_source source = {text, strlen(text), NULL};
    fsr_cuda_binary binary;
    fsr_fault fault = {0};
    assert_int_equal(fsr_cuda_build_run(b.build, b.kernel, &source, false, &binary, &fault), FSR_ERR_COMPILE);
    const char *start = strstr(fault.message, "/tmp/fusor-k_test-");
    assert_non_null(start);
    char path[128] = "";
    assert_int_equal(sscanf(start, "%127s", path), 1);
    assert_int_equal(access(path, R_OK), 0);
    assert_int_equal(unlink(path), 0);
    fsr_fault_clear(&fault);
    free(text);
    bench_end(&b);
}

/* ---- callers' kernels ----------------------------------------------------------------------------- */

/* Builds; what the kernel is called in it, freed by the caller. *from_disk: where it came from. */
static char *code_run(bench *b, const fsr_kernel_code *code, bool fresh, bool *from_disk) {
    fsr_cuda_binary binary;
    char *name = NULL;
    fsr_fault fault = {0};
    if (fsr_cuda_build_code(b->build, code, fresh, &binary, &name, &fault))
        fail_msg("%s", fault.message);
    assert_memory_equal(binary.data, "\177ELF", 4);
    *from_disk = binary.from_disk;
    free(binary.data);
    return name;
}

/* A template's instance has another name in the binary, which comes from disk too. */
static void code_is_compiled_and_kept(void **state) {
    (void)state;
    static const char text[] = "template <typename T, int N> __global__ void scale(T *x) { x[threadIdx.x] *= N; }\n"
                               "extern \"C\" __global__ void plain(float *x) { *x = NUMBER; }\n";
    static const char *const option[] = {"-DNUMBER=4"};
    fsr_kernel_code code = {
        .code = text, .code_bytes = sizeof text - 1, .name = "scale<float, 3>", .option = option, .options = 1};
    bench b;
    bench_begin(&b);
    b.config.cache_dir = b.dir;
    bench_open(&b);
    bool from_disk;
    char *first = code_run(&b, &code, false, &from_disk);
    assert_false(from_disk);
    assert_string_equal(first, "_Z5scaleIfLi3EEvPT_");
    char *second = code_run(&b, &code, false, &from_disk);
    assert_true(from_disk);
    assert_string_equal(second, first);
    free(second);
    free(code_run(&b, &code, true, &from_disk));
    assert_false(from_disk);
    code.name = "plain";
    second = code_run(&b, &code, false, &from_disk);
    assert_false(from_disk);
    assert_string_equal(second, "plain");
    free(second);
    char include[128];
    bench_write(&b, "");
    snprintf(include, sizeof include, "--pre-include=%s/k_test.cu", b.dir);
    code.option = (const char *[]){"-DNUMBER=4", include}; /* it names a file, which may change */
    code.options = 2;
    for (int i = 0; i < 2; i++) {
        free(code_run(&b, &code, false, &from_disk));
        assert_false(from_disk);
    }
    free(first);
    bench_end(&b);
}

static void code_is_rejected(void **state) {
    (void)state;
    const struct {
        const char *text, *name, *option, *words;
    } row[] = {{"__global__ void k(int *x) { *x = undefined_name; }", "k", NULL, "\"undefined_name\""},
               {"__global__ void k(int *x) { *x = 1; }", "other", NULL, "\"other\""},
               {"__global__ void k(int *x) { *x = 1; }", "k", "--no-such-option", "no-such-option"}};
    bench b;
    bench_begin(&b);
    bench_open(&b);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const fsr_kernel_code code = {.code = row[i].text,
                                      .code_bytes = strlen(row[i].text),
                                      .name = row[i].name,
                                      .option = &row[i].option,
                                      .options = row[i].option != NULL};
        fsr_cuda_binary binary;
        char *name;
        fsr_fault fault = {0};
        assert_int_equal(fsr_cuda_build_code(b.build, &code, false, &binary, &name, &fault), FSR_ERR_COMPILE);
        if (!strstr(fault.message, "NVRTC rejected the text of kernel") || !strstr(fault.message, row[i].words))
            fail_msg("%zu: %s", i, fault.message);
        assert_null(binary.data);
        assert_null(name);
        fsr_fault_clear(&fault);
    }
    bench_end(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_is_compiled_and_kept),
        cmocka_unit_test(code_is_rejected),
        cmocka_unit_test(nvrtc_knows_itself),
        cmocka_unit_test(nvrtc_compiles),
        cmocka_unit_test(nvrtc_log_is_whole),
        cmocka_unit_test(build_caches_on_disk),
        cmocka_unit_test(build_keeps_closed_texts_only),
        cmocka_unit_test(build_dumps),
        cmocka_unit_test(build_loads_and_rejects_a_file),
        cmocka_unit_test(build_keeps_a_rejected_source),
    };
    return cmocka_run_group_tests_name("nvrtc", tests, NULL, NULL);
}
