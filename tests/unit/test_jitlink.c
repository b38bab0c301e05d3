/* SPDX-License-Identifier: MIT */
/* Kernels linked with callers' compiled code by the real nvJitLink, without a device: each form, several functions of
 * one code, what is wrong with it, and the disk cache. Skipped where there is no NVRTC or no nvJitLink. */
#include "backend_cuda/build.h"
#include "backend_cuda/jitlink.h"
#include "fusion/loop_ir_parse.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ARCH = 90 };

static const char functions[] = "extern \"C\" __device__ float twice(float x) { return x + x; }\n"
                                "extern \"C\" __device__ float thrice(float x) { return 3 * x; }\n";
static const char ptx[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                          ".visible .func (.param .f32 result) twice(.param .f32 x) {\n"
                          "    .reg .f32 %f<3>;\n    ld.param.f32 %f1, [x];\n    add.f32 %f2, %f1, %f1;\n"
                          "    st.param.f32 [result], %f2;\n    ret;\n}\n";

static const char kernel_text[] = "kernel k_linked: twice\n"
                                  "  domain [d0] passes 0 ints 5\n"
                                  "  array b0 f32\n"
                                  "  array b1 f32 written\n"
                                  "  schedule gpu map threads 64 abreast 1 vector 1 items 1 accumulators 0 resident 0\n"
                                  "  p0 row  v0 = f32 load b0[d0] linear row_linear\n"
                                  "  p0 row  store b1[d0] linear row_linear = v0\n";

typedef struct room {
    fsr_nvrtc *nvrtc;
    fsr_cuda_build *build;
    char dir[32];
} room;

static void room_open(room *r) {
    fsr_fault fault = {FSR_OK, NULL};
    fsr_config config;
    fsr_jitlink linker;
    fsr_kernel *k;
    assert_int_equal(fsr_kernel_parse(kernel_text, &k, NULL, &(fsr_parse_error){0}), FSR_OK);
    const bool compiler = fsr_nvrtc_open(&r->nvrtc, &fault) == FSR_OK;
    fsr_routine named = {.name = "twice"};
    k->routine[0] = &named;
    k->nroutines = 1;
    const fsr_status status = compiler ? fsr_jitlink_load(&linker, k, fsr_nvrtc_version(r->nvrtc), &fault) : FSR_OK;
    k->nroutines = 0;
    fsr_kernel_free(k);
    if (!compiler || status) {
        print_message("%s\n", fault.message);
        assert_true(!compiler || (status == FSR_ERR_UNSUPPORTED && strstr(fault.message, "libnvJitLink.so") &&
                                  strstr(fault.message, "the native function twice")));
        fsr_fault_clear(&fault);
        fsr_nvrtc_close(r->nvrtc);
        skip();
    }
    assert_memory_equal(linker.identity, "nvJitLink ", 10);
    fsr_config_init(&config, NULL, 0);
    strcpy(r->dir, "/tmp/fusor-test-XXXXXX");
    assert_non_null(mkdtemp(r->dir));
    config.cache_dir = r->dir;
    config.dump_dir = config.load_dir = NULL;
    assert_int_equal(fsr_cuda_build_open(&config, r->nvrtc, ARCH, &r->build, &fault), FSR_OK);
}

static void room_close(room *r) {
    char command[64];
    fsr_cuda_build_close(r->build);
    fsr_nvrtc_close(r->nvrtc);
    snprintf(command, sizeof command, "rm -r %s", r->dir);
    assert_int_equal(system(command), 0);
}

/* The functions as NVRTC compiles them. */
static void compile(const room *r, bool lto, fsr_nvrtc_result *out) {
    const char *const option[] = {"-arch=sm_90", lto ? "-dlto" : "-rdc=true"};
    fsr_fault fault = {FSR_OK, NULL};
    if ((lto ? fsr_nvrtc_compile_lto : fsr_nvrtc_compile)(r->nvrtc, "functions.cu", functions, option, 2, out, &fault))
        fail_msg("%s\n%s", fault.message, out->log);
}

static fsr_native native(const char *name, fsr_linked_form form, const void *code, size_t bytes) {
    return (fsr_native){.name = name,
                        .result = FSR_F32,
                        .parameters = "f32 x",
                        .c = "return x + x;",
                        .linked_form = form,
                        .linked = code,
                        .linked_bytes = bytes};
}

/* y = f[n - 1](... f[0](x)), built. *from_disk may be NULL. */
static fsr_status build(const room *r, const fsr_native *f, int n, bool *from_disk, fsr_fault *fault) {
    char why[200];
    fsr_kernel *k;
    fsr_cuda_source source;
    fsr_cuda_binary binary;
    assert_int_equal(fsr_kernel_parse(kernel_text, &k, NULL, &(fsr_parse_error){0}), FSR_OK);
    assert_true(fsr_kernel_make_room(k));
    const fsr_inst store = k->inst[1];
    const fsr_stand stand = k->stand[1];
    for (int i = 0; i < n; i++) {
        if (fsr_routine_make(&f[i], &k->routine[i], why, sizeof why))
            fail_msg("%s", why);
        fsr_inst call = k->inst[0];
        call.kind = FSR_INST_CALL;
        call.index = i;
        call.arg[0] = i;
        k->inst[1 + i] = call;
        k->stand[1 + i] = k->stand[0];
        k->nroutines++;
    }
    k->inst[1 + n] = store;
    k->stand[1 + n] = stand;
    k->inst[1 + n].arg[0] = n;
    k->ninsts = 2 + n;
    if (fsr_kernel_verify(k, why, sizeof why))
        fail_msg("%s", why);
    assert_int_equal(fsr_cuda_build_source(r->build, k, &source, fault), FSR_OK);
    const fsr_status status = fsr_cuda_build_run(r->build, k, &source, false, &binary, fault);
    if (!status) {
        assert_true(binary.size > 64);
        assert_memory_equal(binary.data, "\177ELF", 4);
        if (from_disk)
            *from_disk = binary.from_disk;
        free(binary.data);
    }
    fsr_cuda_source_free(&source);
    fsr_kernel_free(k);
    return status;
}

static void builds(const room *r, const fsr_native *f, int n) {
    fsr_fault fault = {FSR_OK, NULL};
    if (build(r, f, n, NULL, &fault))
        fail_msg("%s", fault.message);
}

/* Two functions of one code; all forms in one kernel. */
static void forms(void **state) {
    (void)state;
    room r;
    fsr_nvrtc_result object, lto;
    room_open(&r);
    compile(&r, false, &object);
    compile(&r, true, &lto);
    const fsr_native f[] = {native("twice", FSR_LINKED_OBJECT, object.cubin, object.size),
                            native("thrice", FSR_LINKED_OBJECT, object.cubin, object.size),
                            native("twice", FSR_LINKED_LTOIR, lto.cubin, lto.size),
                            native("thrice", FSR_LINKED_LTOIR, lto.cubin, lto.size),
                            native("twice", FSR_LINKED_PTX, ptx, sizeof ptx - 1)};
    builds(&r, f, 2);
    builds(&r, f + 2, 2);
    builds(&r, f + 4, 1);
    fsr_native other = f[3], text = f[4];
    other.cuda = "return thrice(x) + x;";
    other.cuda_preamble = "extern \"C\" __device__ float thrice(float x);";
    text.linked_bytes++; /* with its final 0 */
    builds(&r, (const fsr_native[]){other}, 1);
    builds(&r, &text, 1);
    fsr_nvrtc_result_free(&object);
    fsr_nvrtc_result_free(&lto);
    room_close(&r);
}

static void wrong(const room *r, fsr_native f, const char *words) {
    fsr_fault fault = {FSR_OK, NULL};
    const fsr_status status = build(r, &f, 1, NULL, &fault);
    if (status != FSR_ERR_COMPILE || !strstr(fault.message, words))
        fail_msg("%d, %s: not %s", status, fault.message ? fault.message : "", words);
    fsr_fault_clear(&fault);
}

static void code_that_is_wrong(void **state) {
    (void)state;
    room r;
    fsr_nvrtc_result object;
    room_open(&r);
    compile(&r, false, &object);
    fsr_native f = native("fourfold", FSR_LINKED_OBJECT, object.cubin, object.size);
    wrong(&r, f, "nvJitLink does not link kernel k_linked for sm_90 with the code of the native functions fourfold");
    wrong(&r, f, "ndefined");
    wrong(&r, native("twice", FSR_LINKED_PTX, "no PTX", 6), "nvJitLinkAddData gave status");
    wrong(&r, native("twice", FSR_LINKED_LTOIR, "no LTO-IR at all", 16), "nvJitLinkAddData gave status");
    f.name = "twice";
    f.cuda = "return nobody(x);";
    wrong(&r, f, "it has CUDA text of the native functions twice");
    fsr_nvrtc_result_free(&object);
    room_close(&r);
}

/* Other code of as many bytes is another kernel. */
static void code_is_a_part_of_the_key(void **state) {
    (void)state;
    room r;
    bool from_disk;
    fsr_fault fault = {FSR_OK, NULL};
    char other[sizeof ptx];
    room_open(&r);
    strcpy(other, ptx);
    memcpy(strstr(other, "add.f32"), "mul", 3);
    const fsr_native f = native("twice", FSR_LINKED_PTX, ptx, sizeof ptx - 1),
                     g = native("twice", FSR_LINKED_PTX, other, sizeof ptx - 1);
    assert_int_equal(build(&r, &f, 1, &from_disk, &fault), FSR_OK);
    assert_false(from_disk);
    assert_int_equal(build(&r, &f, 1, &from_disk, &fault), FSR_OK);
    assert_true(from_disk);
    assert_int_equal(build(&r, &g, 1, &from_disk, &fault), FSR_OK);
    assert_false(from_disk);
    room_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms), cmocka_unit_test(code_that_is_wrong),
                                       cmocka_unit_test(code_is_a_part_of_the_key)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
