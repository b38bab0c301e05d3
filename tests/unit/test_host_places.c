/* Generated CUDA with placed stores, on the host: every schedule that may hold one, planned as for a GPU, against the
 * interpreter of the loop IR. Arrays have their exact size, so that under the address sanitizer a store outside is seen. */
#include "backend_cuda/emit_cuda.h"
#include "fusion/plan.h"
#include "primitives/parse.h"
#include "runtime/text.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/support/one_graph.h"

static const fsr_target gpu = {.gpu = true,
                               .processors = 2,
                               .max_threads = 1024,
                               .threads_per_processor = 2048,
                               .registers_bytes = 256 << 10,
                               .shared_bytes = 48 << 10,
                               .cache_bytes = 1 << 20,
                               .memory_bytes = (int64_t)1 << 30,
                               .max_parameter_bytes = 4096,
                               .cooperative = true};

/* Bytes of array a: one element for a reduction's result, n otherwise. */
static size_t bytes_of(const fsr_kernel *k, int a, int64_t n) {
    bool row = false;
    for (int i = 0; i < k->ninsts; i++)
        row = row || (k->inst[i].kind == FSR_INST_STORE && k->inst[i].level == FSR_ROW && k->npasses > 0 &&
                      k->access[k->inst[i].index].buffer == a);
    return (size_t)(row ? 1 : n) * fsr_dtype_size(k->array[a].dtype);
}

/* Leaves: numbers, and as i32 places: a permutation of n, no multiple of 7, some of them counted from the end; or, wild,
 * with places outside. What is written starts as a pattern. */
static void arrays(const fsr_program_step *step, int64_t n, bool wild, fsr_launch *launch) {
    const fsr_kernel *k = step->kernel;
    for (int a = 0; a < k->narrays; a++) {
        unsigned char *data = malloc(bytes_of(k, a, n));
        memset(data, 0x5a, bytes_of(k, a, n));
        for (int64_t i = 0; step->array[a].home == FSR_HOME_LEAF && i < n; i++) {
            if (k->array[a].dtype == FSR_I32)
                ((int32_t *)data)[i] = (int32_t)(i * 7 % n - (i % 3 ? 0 : n) + (wild && i % 5 == 0 ? 2 * n : 0));
            else
                ((float *)data)[i] = (float)((i * 37 + a * 11) % 101) / 8 - 6;
        }
        launch->array[a] = data;
    }
}

static void free_arrays(const fsr_kernel *k, fsr_launch *launch) {
    for (int a = 0; a < k->narrays; a++)
        free(launch->array[a]);
}

static void run(const fsr_program_step *step, int64_t n, bool wild) {
    const fsr_kernel *k = step->kernel;
    fsr_launch want = step->launch, got = step->launch;
    fsr_fault fault = {FSR_OK, NULL};
    fsr_text text = {0};
    assert_int_equal(fsr_emit_cuda_for_host(k, &text), FSR_OK);
    arrays(step, n, wild, &want);
    assert_int_equal(fsr_kernel_interpret(k, &want), FSR_OK);
    for (uint64_t seed = 0; seed < 2; seed++) {
        arrays(step, n, wild, &got);
        got.work = malloc((size_t)step->work_bytes + 1);
        got.zero = calloc(1, (size_t)step->zero_bytes + 1);
        if (host_cuda_run(k, text.data, &got, seed, &fault))
            fail_msg("%s: %s", k->comment, fault.message);
        for (int a = 0; a < k->narrays; a++)
            if (memcmp(got.array[a], want.array[a], bytes_of(k, a, n)))
                fail_msg("%s: array %d differs\n%s", k->comment, a, text.data);
        free_arrays(k, &got);
        free(got.work);
        free(got.zero);
    }
    free_arrays(k, &want);
    fsr_text_free(&text);
}

/* The plan must be one kernel of that schedule, which stores `places` arrays by place. */
static void check(const fsr_node *outs, int nouts, int64_t n, bool wild, fsr_schedule_kind kind, int places) {
    fsr_program_options options = {.target = gpu, .fusion = true, .fuel = -1};
    fsr_program program;
    fsr_binding binding;
    fsr_flow flow;
    fsr_ref refs[4];
    char why[256];
    for (int i = 0; i < nouts; i++)
        refs[i] = (fsr_ref){outs[i].id, outs[i].output};
    assert_int_equal(fsr_flow_build(&flow, &binding, g, refs, nouts), FSR_OK);
    fsr_binding_clear(&binding);
    if (fsr_program_make(&program, &flow, &options, why, sizeof why))
        fail_msg("%s", why);
    assert_int_equal(program.nsteps, 1);
    const fsr_kernel *k = program.step[0].kernel;
    assert_int_equal(k->schedule.kind, kind);
    for (int i = 0; i < k->ninsts; i++)
        places -= k->inst[i].placed;
    assert_int_equal(places, 0);
    run(&program.step[0], n, wild);
    fsr_program_clear(&program);
}

/* Two arrays filtered by one mask, and the count. */
static void filters(void **state) {
    (void)state;
    static const struct {
        int64_t n;
        fsr_schedule_kind kind;
    } sizes[] = {{2, FSR_SCHEDULE_ROW},         {33, FSR_SCHEDULE_ROW},         {1000, FSR_SCHEDULE_ROW},
                 {8192, FSR_SCHEDULE_ROW},      {20000, FSR_SCHEDULE_LOOKBACK}, {32768, FSR_SCHEDULE_LOOKBACK},
                 {32769, FSR_SCHEDULE_LOOKBACK}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fsr_node x = INPUT(g, FSR_F32, sizes[i].n), y = fsr_input(g, "y", FSR_F32, 1, SHAPE(sizes[i].n));
        fsr_node mask = fsr_less(x, y), fill = fsr_float(g, 3);
        fsr_node out[] = {fsr_filter(x, mask, fill), fsr_neg(fsr_filter(y, mask, fill)),
                          fsr_count_nonzero(mask, NULL, 0, 0)};
        check(out, 3, sizes[i].n, false, sizes[i].kind, 2);
    }
}

/* Places that are given: no scan, also such as no filter would ask for. */
static void given(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 3, 256, 1025, 30000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char text[256];
        int n = (int)sizes[i], count;
        fsr_parse_error error;
        fsr_node out[2];
        snprintf(text, sizeof text,
                 "%%0 = input f32[%d] \"x\"\n%%1 = input i32[%d] \"i\"\n%%2 = reduce f32[1] %%0 axes=0 op=maximum\n"
                 "%%3 = place f32[%d] %%0, %%1\nreturn %%2, %%3\n",
                 n, n, n);
        assert_int_equal(fsr_graph_parse(g, text, out, 2, &count, &error), FSR_OK);
        for (int wild = 0; wild < 2; wild++) {
            check(&out[1], 1, n, wild, FSR_SCHEDULE_MAP, 1);
            if (n > 1)
                check(out, 2, n, wild, n > 20000 ? FSR_SCHEDULE_SPLIT : FSR_SCHEDULE_ROW, 1);
        }
    }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(filters), TEST(given)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
