/* SPDX-License-Identifier: MIT */
/* Which groups become nests of another one's kernel, and what such a kernel costs: a group that a plan is cut at, or
 * that is to be a kernel of its own, stays one, and what nests hand on costs no memory. */
#include "fusion/bands.h"
#include "fusion/contract.h"
#include "fusion/resolve.h"
#include "fusion/rewrites.h"
#include "fusor/expr.h"
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"
#include <stdlib.h>
#include <string.h>

/* Neighbours of a computed value. */
static fsr_node neighbours(fsr_hint hint) {
    fsr_name name = {"a", plan_matrix(g, 2048, 2048)};
    name = (fsr_name){"e", fsr_hint_set(fsr_expr(g, "exp(exp(a[:-2,:]) + a[1:-1,:] + a[2:,:])", &name, 1), hint)};
    return fsr_expr(g, "e[:,:-4] * e[:,2:-2] + e[:,4:]", &name, 1);
}

/* So many that it is not computed for each, of a square matrix. */
static fsr_node many_neighbours(int64_t side, fsr_hint hint) {
    fsr_name name = {"a", plan_matrix(g, side, side)};
    name = (fsr_name){"e", fsr_hint_set(fsr_expr(g, "exp(exp(a[:-2,:]) + a[1:-1,:] + a[2:,:])", &name, 1), hint)};
    return fsr_expr(g, "e[:,:-7] * e[:,1:-6] + e[:,2:-5] * e[:,3:-4] + e[:,4:-3] * e[:,5:-2] + e[:,6:-1] * e[:,7:]",
                    &name, 1);
}

static void flow_of(fsr_flow *flow, fsr_node x) {
    const fsr_ref ref = {x.id, x.output};
    fsr_binding binding;
    char why[256];
    assert_int_equal(fsr_flow_build(flow, &binding, x.graph, &ref, 1), FSR_OK);
    fsr_binding_clear(&binding);
    assert_int_equal(fsr_flow_resolve(flow, &target_cpu), FSR_OK);
    assert_int_equal(fsr_rewrites_run(flow, &(fsr_rewrite_options){0}, why, sizeof why), FSR_OK);
    assert_int_equal(fsr_flow_contract(flow, &target_cpu), FSR_OK);
}

/* How many groups go into another one's kernel; *groups: how many run. */
static int chosen(const fsr_flow *flow, const fsr_cuts *cuts, int *groups) {
    fsr_partition p = {0};
    fsr_bands bands = {0};
    char why[256];
    int order[16], nests = 0;
    assert_int_equal(fsr_partition_make(&p, flow, &target_cpu, cuts, true, -1, why, sizeof why), FSR_OK);
    assert_in_range(p.ngroups, 1, 16);
    *groups = 0;
    for (int i = 0; i < p.ngroups; i++)
        if (p.group[i].kernel)
            order[(*groups)++] = i;
    assert_true(fsr_bands_choose(&bands, &p, order, *groups));
    for (int i = 0; i < *groups; i++)
        nests += bands.into[order[i]] >= 0;
    fsr_bands_clear(&bands);
    fsr_partition_clear(&p);
    return nests;
}

static void cuts_are_kept(void **state) {
    (void)state;
    fsr_flow flow;
    int groups, stored = -1;
    flow_of(&flow, neighbours(FSR_HINT_NONE));
    for (int i = 0; i < flow.n; i++)
        if (fsr_has(flow.node[i].kind, FSR_FIELD_op) && flow.node[i].op == FSR_OP_EXP)
            stored = i;
    assert_in_range(stored, 0, flow.n - 1);
    assert_int_equal(chosen(&flow, &(fsr_cuts){0}, &groups), 1);
    assert_int_equal(groups, 2);
    assert_int_equal(chosen(&flow, &(fsr_cuts){.n = 1, .at = &stored}, &groups), 0);
    for (int reader = 0; reader < 2; reader++) {
        unsigned char *apart = calloc((size_t)flow.n, 1);
        apart[reader ? flow.out[0].id : stored] = FSR_APART;
        assert_int_equal(chosen(&flow, &(fsr_cuts){.apart = apart}, &groups), 0);
        free(apart);
    }
    fsr_flow_clear(&flow);
}

/* Two kernels would store and load the value and be launched twice; the operations are the same but for what is
 * computed twice. */
static void nests_cost_less(void **state) {
    (void)state;
    fsr_node x = neighbours(FSR_HINT_NONE), y = neighbours(FSR_HINT_MATERIALIZE);
    fsr_program banded = plan_of(&target_cpu, &x, 1), apart = plan_of(&target_cpu, &y, 1);
    assert_int_equal(banded.info.kernels, 1);
    assert_int_equal(plan_nests(&banded), 2);
    assert_int_equal(apart.info.kernels, 2);
    if (!(banded.price < 0.9 * apart.price))
        fail_msg("%g ns in bands, %g ns stored\n%s", banded.price, apart.price, banded.explanation);
    fsr_program_clear(&banded);
    fsr_program_clear(&apart);
}

/* What loads across memory has no short bands: of lines of which each holds 16 rows a band of 4 takes a part. Of few
 * columns the lines stay near until the next band. */
static void bands_take_whole_lines(void **state) {
    (void)state;
    static const int64_t rows[] = {16915, 1024};
    for (int i = 0; i < 2; i++) {
        fsr_name name = {"t", fsr_transpose(plan_matrix(g, rows[i], i ? 2048 : 64), NULL)};
        name = (fsr_name){
            "e",
            fsr_expr(g, "0.2 * (t[1:-1, 1:-1] + t[:-2, 1:-1] + t[2:, 1:-1] + t[1:-1, :-2] + t[1:-1, 2:])", &name, 1)};
        fsr_node x = fsr_expr(g, "max(e[:, 1:-1], e[:, :-2], e[:, 2:])", &name, 1);
        fsr_program p = plan_of(&target_cpu, &x, 1);
        const int kernels = p.info.kernels;
        if (kernels != 2 - i)
            print_error("%s", p.explanation);
        fsr_program_clear(&p);
        assert_int_equal(kernels, 2 - i);
    }
}

/* On a GPU: for tiles. */
static void tiles_cost_less(void **state) {
    (void)state;
    fsr_target plain = target_gpu;
    plain.tiles = false;
    fsr_node x = many_neighbours(8192, FSR_HINT_NONE), y = many_neighbours(8192, FSR_HINT_MATERIALIZE);
    fsr_program tiles = plan_of(&target_gpu, &x, 1), without = plan_of(&plain, &x, 1),
                apart = plan_of(&target_gpu, &y, 1);
    assert_int_equal(tiles.info.kernels, 1);
    assert_int_equal(plan_nests(&tiles), 2);
    assert_non_null(strstr(tiles.explanation, "tiles: 1 nest, for "));
    assert_int_equal(plan_nests(&without), without.info.kernels);
    assert_int_equal(apart.info.kernels, 2);
    if (!(tiles.price < 0.9 * apart.price) || tiles.price > without.price)
        fail_msg("%g ns in tiles, %g ns stored, %g ns without tiles", tiles.price, apart.price, without.price);
    fsr_program_clear(&tiles);
    fsr_program_clear(&without);
    fsr_program_clear(&apart);
}

/* One turn of a text that gives the next inputs. */
static void turn(fsr_name *name, int n, const char *text) {
    fsr_node out[3];
    assert_in_range(n, 1, 3);
    fsr_exprs(g, text, name, n, out, n);
    for (int i = 0; i < n; i++)
        name[i].node = out[i];
}

/* Two turns of two fields are so many kernels, of two nests. */
static void check_fields(int64_t rows, int64_t cols, int kernels) {
    fsr_name name[3] = {
        {"x", plan_matrix(g, rows, cols)}, {"y", plan_matrix(g, rows, cols)}, {"z", plan_matrix(g, rows, cols)}};
    for (int i = 0; i < 2; i++)
        turn(name, 3,
             "y = update(y, y[0, :], 0.5); y = update(y, y[1:, :], y[1:, :] - 0.5 * (z[1:, :] - z[:-1, :]));"
             "x = update(x, x[:, 1:], x[:, 1:] - 0.5 * (z[:, 1:] - z[:, :-1]));"
             "z = update(z, z[:-1, :-1], z[:-1, :-1] - 0.7 * (x[:-1, 1:] - x[:-1, :-1] + y[1:, :-1] - y[:-1, :-1]));"
             "x, y, z");
    fsr_program program = plan_of(&target_gpu, (fsr_node[]){name[0].node, name[1].node, name[2].node}, 3);
    assert_int_equal(program.info.kernels, kernels);
    assert_int_equal(plan_nests(&program), 2);
    assert_true(kernels == 1 || strstr(program.explanation, ": tiles of its values spare too little ("));
    fsr_program_clear(&program);
}

/* What a kernel of tiles spares must be more than its blocks lose: those that begin at once all wait between nests. Two
 * turns of two fields on 1000 by 1200 took 15.8 us of an H200 as two kernels, and 20.4 in tiles; of 16 times as many
 * elements 0.248 ms and 0.198. The refusal is told with both prices. */
static void few_blocks_have_no_tiles(void **state) {
    (void)state;
    check_fields(1000, 1200, 2);
    check_fields(4000, 4800, 1);
}

/* Sums of three along either axis behind a repeated edge, four times: 55 us in two kernels of tiles, 65 in eight; of
 * 1000 by 1000 elements two times took 10.6 us in two kernels, 12.4 in tiles. */
static void thin_nests_have_tiles(void **state) {
    (void)state;
    for (int large = 0; large < 2; large++) {
        fsr_name name = {"x", large ? plan_matrix(g, 1536, 2560) : plan_matrix(g, 1000, 1000)};
        for (int i = 0; i < (large ? 4 : 2); i++)
            turn(&name, 1,
                 "p = pad(x, [1, 1, 0, 0], mode=edge); y = (p[:-2] + 2 * p[1:-1] + p[2:]) / 4;"
                 "q = pad(y, [0, 0, 1, 1], mode=edge); (q[:, :-2] + 2 * q[:, 1:-1] + q[:, 2:]) / 4");
        fsr_program program = plan_of(&target_gpu, &name.node, 1);
        assert_int_equal(program.info.kernels, 2);
        assert_int_equal(plan_nests(&program) > 2, large);
        fsr_program_clear(&program);
    }
}

/* Four sweeps of nine points over one picture that a cache holds: 56 us in two kernels of tiles, 67 in eight. */
static void many_sweeps_have_tiles(void **state) {
    (void)state;
    fsr_name name = {"x", plan_matrix(g, 1536, 2560)};
    for (int i = 0; i < 4; i++)
        turn(&name, 1,
             "p = pad(x, 1, mode=edge); r = p[:-2] + 2 * p[1:-1] + p[2:];"
             "(r[:, :-2] + 2 * r[:, 1:-1] + r[:, 2:]) / 16");
    fsr_program program = plan_of(&target_gpu, &name.node, 1);
    assert_in_range(program.info.kernels, 1, 2);
    assert_int_equal(plan_nests(&program), 8);
    fsr_program_clear(&program);
}

/* Elements of two bytes lose the vectors that two kernels have. */
static void narrow_elements_have_no_tiles(void **state) {
    (void)state;
    fsr_name name = {"p", fsr_input(g, "p", FSR_U16, 2, (int64_t[]){6002, 8002})};
    fsr_node x = fsr_expr(g, "x = (p[:, :-2] + p[:, 1:-1] + p[:, 2:]) // 3; (x[:-2] + x[1:-1] + x[2:]) // 3", &name, 1);
    fsr_program program = plan_of(&target_gpu, &x, 1);
    assert_int_equal(program.info.kernels, 2);
    assert_int_equal(plan_nests(&program), 2);
    fsr_program_clear(&program);
}

/* Bands are chosen in plans of any size. */
static void many_kernels_have_bands(void **state) {
    (void)state;
    enum { PAIRS = 260 };
    fsr_node x[PAIRS];
    for (int i = 0; i < PAIRS; i++)
        x[i] = neighbours(FSR_HINT_NONE);
    fsr_program program = plan_of(&target_cpu, x, PAIRS);
    assert_int_equal(program.info.kernels, PAIRS);
    assert_int_equal(plan_nests(&program), 2 * PAIRS);
    fsr_program_clear(&program);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(cuts_are_kept, setup, teardown),
                                       cmocka_unit_test_setup_teardown(nests_cost_less, setup, teardown),
                                       cmocka_unit_test_setup_teardown(bands_take_whole_lines, setup, teardown),
                                       cmocka_unit_test_setup_teardown(tiles_cost_less, setup, teardown),
                                       cmocka_unit_test_setup_teardown(few_blocks_have_no_tiles, setup, teardown),
                                       cmocka_unit_test_setup_teardown(thin_nests_have_tiles, setup, teardown),
                                       cmocka_unit_test_setup_teardown(many_sweeps_have_tiles, setup, teardown),
                                       cmocka_unit_test_setup_teardown(narrow_elements_have_no_tiles, setup, teardown),
                                       cmocka_unit_test_setup_teardown(many_kernels_have_bands, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
