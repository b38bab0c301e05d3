/* SPDX-License-Identifier: MIT */
/* Literals as arguments in generated CUDA: planned as for a GPU with the families of a context, the texts compared and
 * given to NVRTC, and run on the host against the text that has the literal in it. */
#include "backend_cuda/emit_cuda.h"
#include "backend_cuda/nvrtc.h"
#include "fusion/plan.h"
#include "runtime/specialize.h"
#include "runtime/text.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/support/subject.h"
#include "tests/support/targets.h"
#include <stdlib.h>
#include <string.h>

#define G subject_g

enum { ROWS = 3, COLS = 70, OUTS = 6 };

/* A plan of one kernel, with its text and what it takes. */
typedef struct job {
    fsr_program program;
    fsr_binding binding;
    fsr_choice choice;
    char *source;
} job;

static const int last = -1;

static void bent(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    fsr_node l = fsr_float(left[0].graph, *(const double *)user * 0.01);
    out[0] = fsr_add(fsr_add(left[0], right[0]), fsr_mul(l, fsr_mul(left[0], right[0])));
}

static void turned(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg;
    out[0] = fsr_mul(state[0], fsr_float(state[0].graph, *(const double *)user * 0.5));
}

static void outputs(double value, fsr_node x, fsr_node *out) {
    fsr_node l = fsr_float(G, value), scaled = fsr_mul(x, l);
    out[0] = fsr_add(fsr_sum(fsr_exp(scaled), &last, 1, FSR_KEEPDIMS), x);
    out[1] = fsr_pow(x, l);
    out[2] = fsr_mul(x, fsr_log(fsr_float(G, value + 40)));
    out[3] = fsr_where(fsr_less(x, l), x, scaled);
    fsr_node folded, turns[2];
    fsr_operator op = {.body = bent, .user = &value, .arity = 1, .commutative = true};
    fsr_reduce_with(&folded, &x, &op, &last, 1, FSR_KEEPDIMS);
    out[4] = fsr_sub(x, folded);
    fsr_iterate(turns, &(fsr_loop){turned, NULL, &value, 1, 0}, &x, NULL, 3);
    out[5] = turns[0];
}

static char *source_of(const fsr_kernel *k, fsr_status (*emit)(const fsr_kernel *, fsr_text *)) {
    fsr_text text = {0};
    assert_int_equal(emit(k, &text), FSR_OK);
    char *source = fsr_text_take(&text);
    assert_non_null(source);
    return source;
}

static job begin(fsr_families *families, fsr_node x, double value) {
    fsr_program_options options = {.target = target_small_gpu, .fusion = true, .fuel = -1};
    job j = {0};
    fsr_flow flow;
    fsr_node out[OUTS];
    fsr_ref refs[OUTS];
    char why[256] = "";
    outputs(value, x, out);
    for (int i = 0; i < OUTS; i++)
        refs[i] = (fsr_ref){out[i].id, out[i].output};
    assert_int_equal(fsr_flow_build(&flow, &j.binding, G, refs, OUTS), FSR_OK);
    assert_int_equal(fsr_rewrites_run(&flow, &options.rewrites, why, sizeof why), FSR_OK);
    assert_int_equal(fsr_choose_literals(families, &flow, true, &j.choice), FSR_OK);
    if (fsr_program_plan(&j.program, &flow, &options, why, sizeof why))
        fail_msg("%s", why);
    assert_int_equal(j.program.info.kernels, 1);
    fsr_flow_clear(&flow);
    j.source = source_of(fsr_program_kernel(&j.program, 0)->kernel, fsr_emit_cuda);
    return j;
}

static void end(job *j) {
    free(j->source);
    fsr_choice_clear(&j->choice);
    fsr_program_clear(&j->program);
    fsr_binding_clear(&j->binding);
}

/* Every output, one after the other, from a run on the host. */
static void run(const job *j, float out[OUTS][ROWS * COLS]) {
    const fsr_thunk *thunk = fsr_program_kernel(&j->program, 0);
    fsr_launch launch = fsr_program_launch(thunk);
    fsr_fault fault = {FSR_OK, NULL};
    for (int a = 0; a < thunk->kernel->narrays; a++) {
        const fsr_ref leaf = j->binding.leaf[0];
        launch.array[a] = thunk->use[a].slot.kind == FSR_SLOT_LEAF
                              ? fsr_graph_rec(G, leaf.id)->buffer[leaf.output]->data
                              : out[thunk->use[a].slot.ordinal];
    }
    for (int s = 0; s < thunk->kernel->nscalars; s++)
        launch.scalar[s] = j->choice.literal[thunk->scalar[s] - j->program.nscalars].value;
    launch.work = malloc((size_t)thunk->work_bytes + 1);
    launch.zero = calloc(1, (size_t)thunk->zero_bytes + 1);
    char *source = source_of(thunk->kernel, fsr_emit_cuda_for_host);
    if (host_cuda_run(thunk->kernel, source, &launch, 1, &fault))
        fail_msg("%s\n%s", fault.message, source);
    free(source);
    free(launch.work);
    free(launch.zero);
}

static fsr_node data(void) {
    return subject_data(FSR_F32, 2, SHAPE(ROWS, COLS), SUBJECT_SMALL, 2);
}

/* The second text takes what the first has written out; the third is the second. The literal of a logarithm is an
 * argument from the start, since NVRTC evaluates logf(40.5f) with other bits than a device. */
static void the_second_text_serves_every_value(void **state) {
    (void)state;
    static float want[OUTS][ROWS * COLS], got[OUTS][ROWS * COLS];
    fsr_families *families = fsr_families_open();
    fsr_node x = data();
    job first = begin(families, x, 0.5), second = begin(families, x, 1.25), third = begin(families, x, -3);
    assert_int_equal(fsr_program_kernel(&first.program, 0)->kernel->nscalars, 1);
    assert_int_equal(fsr_program_kernel(&second.program, 0)->kernel->nscalars, 4);
    assert_string_not_equal(first.source, second.source);
    assert_string_equal(second.source, third.source);
    static const double value[] = {1.25, -3};
    for (int i = 0; i < COUNT_OF(value); i++) {
        fsr_families *own = fsr_families_open();
        job alone = begin(own, x, value[i]);
        assert_int_equal(fsr_program_kernel(&alone.program, 0)->kernel->nscalars, 1);
        run(&alone, want);
        run(i ? &third : &second, got);
        assert_memory_equal(want, got, sizeof want);
        end(&alone);
        fsr_families_close(own);
    }
    end(&first);
    end(&second);
    end(&third);
    fsr_families_close(families);
}

static void nvrtc_takes_it(void **state) {
    (void)state;
    static const char *const options[] = {"-arch=sm_90", "--fmad=false", "-std=c++17", "-default-device", "--minimal"};
    fsr_nvrtc *nvrtc = NULL;
    fsr_nvrtc_result result;
    fsr_fault fault = {FSR_OK, NULL};
    if (fsr_nvrtc_open(&nvrtc, &fault)) {
        fsr_fault_clear(&fault);
        skip();
    }
    fsr_families *families = fsr_families_open();
    fsr_node x = data();
    job first = begin(families, x, 0.5), second = begin(families, x, 1.25);
    if (fsr_nvrtc_compile(nvrtc, "k.cu", second.source, options, COUNT_OF(options), &result, &fault))
        fail_msg("%s\n%s", result.log, second.source);
    assert_string_equal(result.log, "");
    fsr_nvrtc_result_free(&result);
    fsr_nvrtc_close(nvrtc);
    end(&first);
    end(&second);
    fsr_families_close(families);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(the_second_text_serves_every_value),
    SUBJECT_TEST(nvrtc_takes_it),
};
SUBJECT_MAIN(tests)
