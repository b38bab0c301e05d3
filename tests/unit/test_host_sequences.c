/* SPDX-License-Identifier: MIT */
/* Generated CUDA of scans by sequential operators on the host: planned as for a GPU from fsr_scan_loop with an
 * elementwise turn, each element followed from slice to slice, against a plain loop, in every bit. Along either
 * axis, in either direction. */
#include "backend_cuda/emit_cuda.h"
#include "fusion/plan.h"
#include "runtime/text.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/support/one_graph.h"
#include "tests/support/targets.h"
#include <stdio.h>

/* No association of this is another's: y = (y x + 0.5) / (1 + y y). */
static void turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_node y = state[0], one = fsr_float(y.graph, 1);
    fsr_node above = fsr_add(fsr_mul(y, in[0]), fsr_float(y.graph, 0.5));
    out[0] = out[1] = fsr_div(above, fsr_add(fsr_mul(y, y), one));
}

static float next(float y, float x) {
    const float product = y * x, above = product + 0.5f, square = y * y;
    return above / (square + 1.0f);
}

static fsr_program planned(fsr_node out) {
    fsr_program_options options = {.target = target_small_gpu, .fusion = true, .fuel = -1};
    fsr_program program;
    fsr_binding binding;
    fsr_flow flow;
    fsr_ref ref = {out.id, out.output};
    char why[256];
    assert_int_equal(fsr_flow_build(&flow, &binding, g, &ref, 1), FSR_OK);
    fsr_binding_clear(&binding);
    if (fsr_program_make(&program, &flow, &options, why, sizeof why))
        fail_msg("%s", why);
    assert_int_equal(program.info.kernels, 1);
    return program;
}

static void check(int64_t n, int64_t others, int axis, int flags) {
    const int64_t shape[] = {axis ? others : n, axis ? n : others}, along = axis ? 1 : others, beside = axis ? n : 1;
    float *x = malloc((size_t)(n * others) * sizeof *x), *y = calloc((size_t)(n * others), sizeof *y);
    uint32_t random = 3;
    for (int64_t i = 0; i < n * others; i++) {
        random = random * 1664525u + 1013904223u;
        x[i] = (float)(random >> 8) * 0x1p-22f - 2;
    }
    fsr_node in = INPUT(g, FSR_F32, shape[0], shape[1]), first = fsr_full(g, FSR_F32, 1, &others, 0.25), out[2];
    fsr_scan_loop(out, &first, 1, &in, 1, 1, axis, flags, turn, NULL);
    fsr_program program = planned(out[1]);
    const fsr_thunk *thunk = fsr_program_kernel(&program, 0);
    assert_int_equal(thunk->kernel->schedule.kind, FSR_SCHEDULE_COL);
    if (thunk->kernel->schedule.early != (n > 1 && others < 33792))
        fail_msg("%lld sequences of %lld", (long long)others, (long long)n);
    fsr_launch launch = fsr_program_launch(thunk);
    fsr_fault fault = {FSR_OK, NULL};
    fsr_text text = {0};
    assert_int_equal(fsr_emit_cuda_for_host(thunk->kernel, &text), FSR_OK);
    for (int a = 0; a < thunk->kernel->narrays; a++)
        launch.array[a] = thunk->use[a].slot.kind == FSR_SLOT_LEAF ? x : y;
    if (host_cuda_run(thunk->kernel, text.data, &launch, 1, &fault))
        fail_msg("%s\n%s", fault.message, text.data);
    for (int64_t k = 0; k < others; k++) {
        float state = 0.25f;
        for (int64_t t = 0; t < n; t++) {
            const int64_t at = k * beside + (flags & FSR_REVERSE ? n - 1 - t : t) * along;
            state = next(state, x[at]);
            if (memcmp(&state, &y[at], sizeof state))
                fail_msg("%lld slices of %lld, axis %d: %.9g, not %.9g, at %lld", (long long)n, (long long)others, axis,
                         (double)y[at], (double)state, (long long)at);
        }
    }
    fsr_text_free(&text);
    fsr_program_clear(&program);
    free(x);
    free(y);
}

static void sequences(void **state) {
    (void)state;
    check(1, 2, 0, 0);
    check(37, 300, 0, 0);
    check(300, 37, 0, FSR_REVERSE);
    check(70, 90, 1, 0);
    check(700, 3, 1, FSR_REVERSE);
    check(16, 40, 0, 0);
    check(33, 40000, 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(sequences, setup, teardown)};
    if (!host_cuda_available()) {
        fprintf(stderr, "skipped: no C++ compiler\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
