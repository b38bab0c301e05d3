/* SPDX-License-Identifier: MIT */
/* One misuse of fsr_call_library, one exact status and message; user data is let go of once, whatever was wrong. */
#include "graph/graph.h"
#include "tests/support/nodes.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define AT fsr_here("prog.c", 12)

static fsr_graph_owner *owner;
static fsr_graph *g, *other;

static int setup(void **state) {
    (void)state;
    g = node_graph(&owner);
    other = fsr_graph_create(owner);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    fsr_graph_owner_free(owner);
    return 0;
}

static fsr_status run(const fsr_call_frame *s) {
    (void)s;
    return FSR_OK;
}

static fsr_status no_words(const fsr_call_frame *s) {
    (void)s;
    return FSR_ERR_AXIS;
}

static fsr_status words(const fsr_call_frame *s) {
    snprintf(s->why, s->why_bytes, "%d of %d", s->inputs, s->outputs);
    return FSR_ERR_VALUE;
}

static fsr_status no_status(const fsr_call_frame *s) {
    (void)s;
    return (fsr_status)-3;
}

static fsr_status no_dtype(const fsr_call_frame *s) {
    s->output[0].ndim = 0;
    return FSR_OK;
}

static fsr_status too_deep(const fsr_call_frame *s) {
    s->output[0] = (fsr_frame_array){.dtype = FSR_F32, .ndim = 9};
    return FSR_OK;
}

static fsr_status too_wide(const fsr_call_frame *s) {
    s->output[0] = (fsr_frame_array){.dtype = FSR_F32, .ndim = 2, .shape = {INT64_MAX / 2, 4}};
    return FSR_OK;
}

/* Each of them fits, but not in an array of the other's length. */
static fsr_status too_wide_together(const fsr_call_frame *s) {
    s->output[0] = (fsr_frame_array){.dtype = FSR_U8, .ndim = 1, .shape = {INT64_MAX / 4}};
    s->output[1] = (fsr_frame_array){.dtype = FSR_F64};
    return FSR_OK;
}

static void let_go(void *user) {
    ++*(int *)user;
}

static int expect(const fsr_callee *callee, fsr_graph *in, const fsr_node *args, int n, fsr_status status,
                  const char *message) {
    fsr_node out[FSR_MAX_CALL_OUTPUTS] = {{0}};
    fsr_callee own = callee ? *callee : (fsr_callee){.name = NULL};
    int freed = 0;
    own.user = &freed;
    own.destroy = let_go;
    fsr_call_library_at(AT, sizeof own, in, out, callee ? &own : NULL, args, n);
    const fsr_rec *rec = fsr_node_rec(out[0]);
    if (rec && rec->kind == FSR_NODE_POISON && rec->status == status && !strcmp(rec->message, message) &&
        freed == (callee != NULL))
        return 0;
    print_error("want %d %s\ngot  %d %s, freed %d times\n", status, message, rec ? (int)rec->status : -1,
                rec && rec->message ? rec->message : "no poison", freed);
    return 1;
}

static void callees(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3), foreign = INPUT(other, FSR_F32, 3),
             bad = fsr_add_at(AT, x, INPUT(g, FSR_F32, 4));
    const fsr_frame_array bits = {.dtype = FSR_I32, .ndim = 1, .shape = {4}};
#define GOOD .name = "f", .inputs = 1, .outputs = 1, .cpu = run
#define KERNEL .name = "f", .inputs = 1, .outputs = 1, .kernel.code = "text", .kernel.name = "k"
#define PARAMS(...)                        \
    .kernel.param = (fsr_kernel_param[]) { \
        __VA_ARGS__                        \
    }
    const struct {
        fsr_callee callee;
        fsr_status status;
        const char *message;
    } rows[] = {
        {{.inputs = 1, .outputs = 1, .cpu = run},
         FSR_ERR_NULL,
         "call_library: the callee's name, or cpu, cuda and the kernel's code, are null (prog.c:12)"},
        {{.name = "f", .inputs = 1, .outputs = 1},
         FSR_ERR_NULL,
         "f: the callee's name, or cpu, cuda and the kernel's code, are null (prog.c:12)"},
        {{.name = "f g", .inputs = 1, .outputs = 1, .cpu = run},
         FSR_ERR_VALUE,
         "call_library: the callee's name is not 1 to 63 letters, digits and _ (prog.c:12)"},
        {{.name = "f", .inputs = 17, .outputs = 1, .cpu = run},
         FSR_ERR_VALUE,
         "f: inputs are not 0 to 16, or outputs not 1 to 8 (prog.c:12)"},
        {{.name = "f", .inputs = 1, .cpu = run},
         FSR_ERR_VALUE,
         "f: inputs are not 0 to 16, or outputs not 1 to 8 (prog.c:12)"},
        {{GOOD, .ulp = NAN}, FSR_ERR_VALUE, "f: ulp is not a finite number from 0 (prog.c:12)"},
        {{GOOD, .attributes = "", .attribute_bytes = 65537},
         FSR_ERR_VALUE,
         "f: attributes are longer than 65536 bytes (prog.c:12)"},
        {{GOOD, .attribute_bytes = 1}, FSR_ERR_NULL, "f: infer is null, and there is no input to be as (prog.c:12)"},
        {{GOOD, .infer = no_words}, FSR_ERR_AXIS, "f: the axis does not exist, or is named twice (prog.c:12)"},
        {{GOOD, .infer = words}, FSR_ERR_VALUE, "f: 1 of 1 (prog.c:12)"},
        {{GOOD, .infer = no_status}, FSR_ERR_VALUE, "f: infer returned what is no status (prog.c:12)"},
        {{GOOD, .infer = no_dtype}, FSR_ERR_DTYPE, "f: a result has a dtype that is none (prog.c:12)"},
        {{GOOD, .infer = too_deep}, FSR_ERR_SHAPE, "f: 9 dimensions; at most 8 are possible (prog.c:12)"},
        {{GOOD, .infer = too_wide}, FSR_ERR_SIZE, "f: the size of f32[4611686018427387903,4] overflows (prog.c:12)"},
        {{.name = "f", .inputs = 1, .outputs = 2, .cpu = run, .infer = too_wide_together},
         FSR_ERR_SIZE,
         "f: the results' sizes overflow (prog.c:12)"},
        {{GOOD, .infer = words, .types = &bits},
         FSR_ERR_VALUE,
         "f: infer and types say the same thing twice (prog.c:12)"},
        {{KERNEL, .cuda = run}, FSR_ERR_VALUE, "f: cuda and the kernel say the same thing twice (prog.c:12)"},
        {{GOOD, .kernel.code = "text"}, FSR_ERR_NULL, "f: the kernel's name is null (prog.c:12)"},
        {{KERNEL, .kernel.options = 1}, FSR_ERR_NULL, "f: the kernel's options are null (prog.c:12)"},
        {{KERNEL, .kernel.options = 1, .kernel.option = &(const char *){NULL}},
         FSR_ERR_NULL,
         "f: an option of the kernel is null (prog.c:12)"},
        {{KERNEL, .kernel.options = 65, .kernel.option = &(const char *){NULL}},
         FSR_ERR_VALUE,
         "f: the kernel's options are not 0 to 64 (prog.c:12)"},
        {{KERNEL, .kernel.form = FSR_CODE_PTX, .kernel.options = 1, .kernel.option = &(const char *){"-G"}},
         FSR_ERR_VALUE,
         "f: the kernel has options, but its code is no CUDA C++ (prog.c:12)"},
        {{KERNEL, .kernel.form = (fsr_code_form)3}, FSR_ERR_VALUE, "f: the kernel's form is none (prog.c:12)"},
        {{KERNEL, .kernel.form = FSR_CODE_BINARY},
         FSR_ERR_VALUE,
         "f: the kernel's code is not 1 byte to 64 MiB long (prog.c:12)"},
        {{GOOD, .kernel.code = "text", .kernel.name = ""},
         FSR_ERR_VALUE,
         "f: the kernel's name is not 1 to 1023 bytes long (prog.c:12)"},
        {{KERNEL, .kernel.grid = {1, 65536}},
         FSR_ERR_VALUE,
         "f: the kernel's grid is not of 2147483647, 65535 and 65535 blocks at most (prog.c:12)"},
        {{KERNEL, .kernel.block = {1, 1, 65}},
         FSR_ERR_VALUE,
         "f: the kernel's blocks are not of 1024, 1024 and 64 threads at most (prog.c:12)"},
        {{KERNEL, .kernel.block = {64, 17}},
         FSR_ERR_VALUE,
         "f: a block of the kernel has more than 1024 threads (prog.c:12)"},
        {{KERNEL, .kernel.shared_bytes = -1},
         FSR_ERR_VALUE,
         "f: the kernel's shared bytes are no number of them (prog.c:12)"},
        {{KERNEL, .kernel.params = 65}, FSR_ERR_VALUE, "f: the kernel's parameters are not 0 to 64 (prog.c:12)"},
        {{KERNEL, .kernel.params = 1}, FSR_ERR_NULL, "f: the kernel's parameters are null (prog.c:12)"},
        {{KERNEL}, FSR_ERR_VALUE, "f: an output is no parameter of the kernel (prog.c:12)"},
        {{KERNEL, .kernel.params = 1, PARAMS(FSR_IN(1))},
         FSR_ERR_VALUE,
         "f: a parameter of the kernel is an input or output that there is not (prog.c:12)"},
        {{KERNEL, .kernel.params = 1, PARAMS({.kind = FSR_PARAM_COPIED, .from = -1})},
         FSR_ERR_VALUE,
         "f: a parameter of the kernel is an input or output that there is not (prog.c:12)"},
        {{KERNEL, .kernel.params = 2, PARAMS(FSR_OUT(0), FSR_OUT(0))},
         FSR_ERR_VALUE,
         "f: an output is two parameters of the kernel (prog.c:12)"},
        {{KERNEL, .kernel.params = 1, PARAMS({.kind = (fsr_kernel_param_kind)9})},
         FSR_ERR_VALUE,
         "f: a parameter of the kernel is of no kind (prog.c:12)"},
        {{KERNEL, .kernel.params = 1, PARAMS({.kind = FSR_PARAM_VALUE, .bytes = 1})},
         FSR_ERR_NULL,
         "f: a value of the kernel is null (prog.c:12)"},
        {{KERNEL, .kernel.params = 1, PARAMS({.kind = FSR_PARAM_VALUE, .value = "", .bytes = 4097})},
         FSR_ERR_VALUE,
         "f: a value of the kernel is not 1 to 4096 bytes long (prog.c:12)"},
        {{KERNEL, .types = &bits, .kernel.params = 1, PARAMS({.kind = FSR_PARAM_COPIED})},
         FSR_ERR_SHAPE,
         "f: an output that begins as a copy has another dtype or size than the input (prog.c:12)"},
    };
    int wrong = 0;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        wrong += expect(&rows[k].callee, g, &x, 1, rows[k].status, rows[k].message);
    const fsr_callee good = {GOOD};
    wrong += expect(NULL, g, &x, 1, FSR_ERR_NULL, "call_library: the callee is null (prog.c:12)");
    wrong += expect(&good, g, (fsr_node[]){x, x}, 2, FSR_ERR_VALUE, "f: it has 1 inputs, not 2 (prog.c:12)");
    wrong += expect(&good, g, NULL, 1, FSR_ERR_NULL, "call_library: the arguments are null (prog.c:12)");
    wrong +=
        expect(&good, g, &foreign, 1, FSR_ERR_GRAPH, "call_library: the arguments are of another graph (prog.c:12)");
    wrong +=
        expect(&good, g, &(fsr_node){0}, 1, FSR_ERR_NULL, "call_library: every argument is a null handle (prog.c:12)");
    wrong += expect(&good, g, &bad, 1, FSR_ERR_SHAPE, "add: shapes f32[3] and f32[4] do not broadcast (prog.c:12)");
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(callees, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
