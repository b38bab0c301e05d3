/* SPDX-License-Identifier: MIT */
#include "tests/structure/table.h"

fsr_graph *table_graph;
int table_wrong;
static fsr_graph_owner *owner;

int table_setup(void **state) {
    (void)state;
    table_wrong = 0;
    table_graph = node_graph(&owner);
    return table_graph ? 0 : -1;
}

int table_teardown(void **state) {
    (void)state;
    fsr_graph_owner_free(owner);
    return 0;
}

void table_expect(bool holds, const char *name, const fsr_target *target, const fsr_program *p, const char *what) {
    if (holds)
        return;
    table_wrong++;
    print_error("%s on the %s: %s\n%s\n", name, target->gpu ? "GPU" : "CPU", what, p->explanation);
}

static void check_plan(const char *name, const fsr_target *target, const fsr_node *outs, int n, expected e) {
    fsr_program p = plan_of(target, outs, n);
    const fsr_kernel *k = fsr_program_kernel(&p, 0)->kernel;
    table_expect(p.info.kernels == 1, name, target, &p, "not one kernel");
    table_expect(p.info.temporaries == 0, name, target, &p, "temporaries");
    table_expect(e.kind == ANY || (int)k->schedule.kind == e.kind, name, target, &p, "another schedule than expected");
    table_expect(e.passes == ANY || k->npasses == e.passes, name, target, &p, "another number of passes than expected");
    table_expect(p.info.bytes_moved >= p.info.bytes_min, name, target, &p, "fewer bytes moved than possible");
    table_expect(!e.once || p.info.bytes_moved <= p.info.bytes_min, name, target, &p, "more bytes moved than needed");
    fsr_program_clear(&p);
}

static void check_case(const graph_case *c) {
    fsr_node out[MAX_OUTS];
    int n = c->record(table_graph, out);
    check_plan(c->name, &target_gpu, out, n, c->gpu);
    check_plan(c->name, &target_cpu, out, n, c->cpu);
}

void table_check(const graph_case *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        check_case(&list[i]);
    assert_int_equal(table_wrong, 0);
}

fsr_node table_rowwise(fsr_node (*f)(fsr_site, fsr_node, const int *, int, int), fsr_node x) {
    return f(FSR_HERE, x, AXES(1), 1, FSR_KEEPDIMS);
}

fsr_node table_softmax(fsr_node x) {
    fsr_node e = fsr_exp(fsr_sub(x, table_rowwise(fsr_max_at, x)));
    return fsr_div(e, table_rowwise(fsr_sum_at, e));
}
