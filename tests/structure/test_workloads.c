/* SPDX-License-Identifier: MIT */
/* The bench's workloads: as many kernels as its table expects, on both machines, and no temporary but between them. */
#include "bench/bench.h"
#include "tests/structure/table.h"

static fsr_node bench_input_of(const bench_workload *w, int i, int64_t n) {
    if (w->file && strcmp(w->file, "face.npy") == 0)
        return fsr_input(table_graph, "x", FSR_U8, 3, SHAPE(768, 1024, 3));
    if (w->file)
        return plan_vector(table_graph, 108000);
    fsr_dtype dtype = bench_stream_of(w->in[i].stream).dtype;
    if (w->in[i].form == BENCH_MATRIX)
        return fsr_input(table_graph, "x", dtype, 2, SHAPE(n / BENCH_COLS, BENCH_COLS));
    return fsr_input(table_graph, "x", dtype, 1, SHAPE(w->in[i].form == BENCH_ROW ? BENCH_COLS : n));
}

/* A CPU that cannot keep a row's values reads a long row again. */
static void check_workload(const bench_workload *w, const fsr_target *target) {
    fsr_node in[BENCH_MAX_IN], out[BENCH_MAX_OUT];
    for (int i = 0; i < w->ninputs; i++)
        in[i] = bench_input_of(w, i, bench_size(w, target->gpu, 0));
    w->build(table_graph, in, out);
    fsr_program p = plan_of(target, out, w->nouts);
    bool kernels = target->gpu ? p.info.kernels == w->kernels : p.info.kernels <= w->kernels;
    table_expect(kernels, w->name, target, &p, "another number of kernels than the bench expects");
    table_expect(w->kernels > 1 || p.info.temporaries == 0, w->name, target, &p, "temporaries");
    bool several = w->kernels > 1 || (!target->gpu && fsr_program_kernel(&p, 0)->kernel->npasses > 1 &&
                                      !fsr_program_kernel(&p, 0)->work_bytes);
    bool once = p.info.bytes_moved == p.info.bytes_min;
    table_expect(several || once, w->name, target, &p, "more bytes moved than needed");
    fsr_program_clear(&p);
}

static void workloads(void **state) {
    (void)state;
    const bench_family *const family[] = {&bench_family_map,     &bench_family_reduce, &bench_family_rows,
                                          &bench_family_scan,    &bench_family_small,  &bench_family_real,
                                          &bench_family_science, &bench_family_dtypes, &bench_family_random};
    for (size_t f = 0; f < sizeof family / sizeof *family; f++) {
        assert_true(family[f]->count > 0);
        for (int i = 0; i < family[f]->count; i++) {
            check_workload(&family[f]->work[i], &target_gpu);
            check_workload(&family[f]->work[i], &target_cpu);
        }
    }
    assert_int_equal(table_wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TABLE_TEST(workloads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
