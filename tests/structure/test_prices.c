/* SPDX-License-Identifier: MIT */
/* What is computed again and what is stored: sweeps over neighbours, values that meet a larger shape, and what stays as
 * it is because a store would cost more. */
#include "fusion/price.h"
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"

static const fsr_target *const targets[] = {&target_gpu, &target_cpu};

static int most_instructions(const fsr_program *p) {
    int most = 0;
    for (int i = 0; i < plan_nests(p); i++) {
        int n = plan_nest(p, i)->ninsts;
        most = n > most ? n : most;
    }
    return most;
}

/* The mean of three neighbours, again and again, each time of two fewer. */
static fsr_node sweeps(int64_t n, int steps) {
    fsr_node x = plan_vector(g, n);
    for (int i = 0; i < steps; i++, n -= 2)
        x = fsr_mul(
            fsr_add(fsr_add(fsr_slice(x, 0, 0, n - 2, 1), fsr_slice(x, 0, 1, n - 1, 1)), fsr_slice(x, 0, 2, n, 1)),
            fsr_float(g, 0.3333));
    return x;
}

/* The same in place: all but the ends are replaced. */
static fsr_node steps_in_place(int64_t n, int steps) {
    fsr_node x = plan_vector(g, n);
    for (int i = 0; i < steps; i++) {
        fsr_node sum = fsr_add(fsr_slice(x, 0, 0, n - 2, 1), fsr_slice(x, 0, 2, n, 1));
        x = fsr_update(x, fsr_slice(x, 0, 1, n - 1, 1),
                       fsr_mul(fsr_add(sum, fsr_slice(x, 0, 1, n - 1, 1)), fsr_float(g, 0.3333)));
    }
    return x;
}

/* A few sweeps a kernel, never all. */
static void check_sweeps(fsr_node x, int steps) {
    for (int t = 0; t < 2; t++) {
        fsr_program p = plan_of(targets[t], &x, 1);
        bool good = plan_nests(&p) >= steps / 12 && plan_nests(&p) <= steps && most_instructions(&p) <= 450 &&
                    strstr(p.explanation, "computed again wherever it is read");
        if (!good)
            print_error("%s", p.explanation);
        fsr_program_clear(&p);
        assert_true(good);
    }
}

static void sweeps_are_stored(void **state) {
    (void)state;
    check_sweeps(sweeps(1 << 20, 20), 20);
    check_sweeps(sweeps(1 << 20, 60), 60);
    check_sweeps(steps_in_place(1 << 20, 20), 20);
}

/* The product of two matrices of which one is a function's values: these are computed once, not once a row of the
 * other. */
static void once_before_a_product(void **state) {
    (void)state;
    enum { N = 1024 };
    const int64_t left[] = {N, N, 1}, right[] = {1, N, N};
    const int middle = 1;
    fsr_node x = plan_matrix(g, N, N), w = fsr_tanh(plan_matrix(g, N, N));
    fsr_node y = fsr_sum(fsr_mul(fsr_reshape(x, 3, left), fsr_reshape(w, 3, right)), &middle, 1, 0);
    for (int t = 0; t < 2; t++) {
        fsr_program p = plan_of(targets[t], &y, 1);
        assert_int_equal(p.info.kernels, 2);
        const fsr_kernel *k = fsr_program_kernel(&p, 1)->kernel;
        for (int i = 0; i < k->ninsts; i++)
            assert_false(k->inst[i].kind == FSR_INST_OP && k->inst[i].op == FSR_OP_TANH);
        fsr_program_clear(&p);
    }
}

static void check_one(fsr_node y) {
    for (int t = 0; t < 2; t++) {
        fsr_program p = plan_of(targets[t], &y, 1);
        bool good = p.info.kernels == 1 && p.info.temporaries == 0;
        if (!good)
            print_error("%s", p.explanation);
        fsr_program_clear(&p);
        assert_true(good);
    }
}

/* What hides behind memory, what is small, and what the one kernel computes once a row. */
static void cheap_is_computed_again(void **state) {
    (void)state;
    const int cols = 1;
    fsr_node x = plan_matrix(g, 4096, 4096), v = plan_vector(g, 4096);
    check_one(fsr_mul(x, fsr_sqrt(v)));
    check_one(sweeps(1 << 20, 1));
    check_one(sweeps(100, 4));
    fsr_node d = fsr_sub(x, fsr_mean(x, &cols, 1, FSR_KEEPDIMS));
    check_one(fsr_div(d, fsr_sqrt(fsr_mean(fsr_mul(d, d), &cols, 1, FSR_KEEPDIMS))));
}

/* A stack of planes, each another function of x: `work` times over. */
static fsr_node dissimilar(fsr_node x, int planes, int work) {
    fsr_node plane[8];
    for (int i = 0; i < planes; i++) {
        plane[i] = fsr_mul(x, fsr_float(g, i + 1));
        for (int w = 0; w < work; w++)
            plane[i] = fsr_add(fsr_mul(plane[i], fsr_float(g, 0.5 + i)), fsr_float(g, 0.25 * i));
    }
    return fsr_stack(plane, planes, 0);
}

/* No kernel computes what only elements of another one need; columns that alternate are kernels with a stride. */
static void alternatives_are_divided(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 2048, 4096), even = fsr_slice(x, 1, 0, 4096, 2), odd = fsr_slice(x, 1, 1, 4096, 2);
    for (int w = 0; w < 30; w++) {
        even = fsr_add(fsr_mul(even, fsr_float(g, 0.5)), fsr_float(g, w));
        odd = fsr_mul(fsr_sub(odd, fsr_float(g, w)), fsr_float(g, 0.75));
    }
    fsr_node two[] = {even, odd}, outs[] = {dissimilar(x, 8, 30), fsr_exp(fsr_neg(fsr_stack(two, 2, 2)))};
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < 2; i++) {
            fsr_program p = plan_of(targets[t], &outs[i], 1);
            /* a CPU's loops have versions for two planes; and 8 of them are too long a program for one kernel */
            const int least = i ? 2 : targets[t]->gpu ? 8 : 4;
            bool good = p.info.kernels >= least && p.info.kernels <= least + !i && p.info.temporaries == 0 &&
                        most_instructions(&p) <= 260 && strstr(p.explanation, "part: some of the elements");
            good = good || (i && targets[t]->gpu); /* whose memory hides them */
            if (!good)
                print_error("%s", p.explanation);
            fsr_program_clear(&p);
            assert_true(good);
        }
}

/* Cheap alternatives hide behind memory, and versions of the loops know the inside of a stencil. */
static void cheap_alternatives_stay(void **state) {
    (void)state;
    static const int64_t border[2][2] = {{1, 1}, {1, 1}};
    fsr_node x = plan_matrix(g, 4096, 4096), wide = fsr_pad(x, border, FSR_PAD_CONSTANT, 0), sum = {0};
    fsr_node three[] = {x, fsr_neg(x), fsr_sqrt(x)};
    for (int i = 0; i < 9; i++) {
        fsr_node at = fsr_slice(fsr_slice(wide, 0, i / 3, i / 3 + 4096, 1), 1, i % 3, i % 3 + 4096, 1);
        sum = i ? fsr_add(sum, at) : at;
    }
    check_one(fsr_stack(three, 3, 0));
    check_one(sum);
}

/* Elements that a kernel loads at computed places, or operations named `op`, in all nests of the plan's kernels. */
static int count_of(const fsr_program *p, fsr_op op) {
    int n = 0;
    for (int i = 0; i < plan_nests(p); i++) {
        const fsr_kernel *k = plan_nest(p, i);
        for (int j = 0; j < k->ninsts; j++)
            n += op ? k->inst[j].kind == FSR_INST_OP && k->inst[j].op == op : k->inst[j].kind == FSR_INST_INSIDE;
    }
    return n;
}

/* The sum of nine neighbours of what is gathered, and of differences of a function's values: these are computed once
 * on a CPU. */
static void behind_views_and_indices(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 2048, 2048), i = fsr_cast(fsr_mul(x, fsr_float(g, 2000)), FSR_I64);
    fsr_node t = fsr_tanh(x), half = fsr_sub(fsr_slice(t, 1, 0, 2048, 2), fsr_slice(t, 1, 1, 2048, 2));
    fsr_node from[] = {fsr_take_along_axis(fsr_sqrt(x), i, 1, FSR_INDEX_CLIP), half}, sum[2];
    for (int k = 0; k < 18; k++) {
        const int which = k / 9, dy = k % 9 / 3, dx = k % 3;
        const int64_t cols = fsr_node_dim(from[which], 1) - 2;
        fsr_node at = fsr_slice(fsr_slice(from[which], 0, dy, dy + 2046, 1), 1, dx, dx + cols, 1);
        sum[which] = k % 9 ? fsr_add(sum[which], at) : at;
    }
    for (int which = 0; which < 2; which++) {
        fsr_program p = plan_of(&target_cpu, &sum[which], 1);
        const int times = count_of(&p, which ? FSR_OP_TANH : (fsr_op)0);
        const bool good = plan_nests(&p) == 2 && times >= 1 && times <= 2;
        if (!good)
            print_error("%s", p.explanation);
        fsr_program_clear(&p);
        assert_true(good);
    }
}

static void check_count(const fsr_target *target, fsr_node y, fsr_op op, int most) {
    fsr_program p = plan_of(target, &y, 1);
    const int n = count_of(&p, op);
    if (n > most)
        print_error("%d times\n%s", n, p.explanation);
    fsr_program_clear(&p);
    assert_in_range(n, 1, most);
}

static fsr_node at_offset(fsr_node x, int dy, int dx) {
    const int64_t rows = fsr_node_dim(x, 0), cols = fsr_node_dim(x, 1);
    return fsr_slice(fsr_slice(x, 0, dy, dy + rows - 2, 1), 1, dx, dx + cols - 2, 1);
}

/* The right hand side of sweeps that are kernels of their own: each would compute it, though each asks for it once. */
static void once_for_all_sweeps(void **state) {
    (void)state;
    static const int64_t border[2][2] = {{1, 1}, {1, 1}};
    fsr_node p = plan_matrix(g, 2048, 2048), x = plan_matrix(g, 2048, 2048), right = x;
    for (int i = 0; i < 4; i++)
        right = fsr_mul(fsr_pow(fsr_add(right, fsr_float(g, i)), x), x);
    for (int i = 0; i < 8; i++) {
        fsr_node wide = fsr_pad(p, border, FSR_PAD_EDGE, 0);
        fsr_node sum = fsr_add(fsr_add(at_offset(wide, 0, 1), at_offset(wide, 2, 1)),
                               fsr_add(at_offset(wide, 1, 0), at_offset(wide, 1, 2)));
        p = fsr_sub(fsr_mul(sum, fsr_float(g, 0.25)), right);
    }
    for (int t = 0; t < 2; t++)
        check_count(targets[t], p, FSR_OP_POW, 4);
}

/* Windows of the products of two derivatives: one kernel of a CPU computes the derivatives and all three products. */
static void products_beside_each_other(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 2048, 2048), sum[3];
    fsr_node dx = fsr_tanh(fsr_sub(at_offset(x, 1, 2), at_offset(x, 1, 0)));
    fsr_node dy = fsr_tanh(fsr_sub(at_offset(x, 2, 1), at_offset(x, 0, 1)));
    fsr_node product[] = {fsr_mul(dx, dx), fsr_mul(dx, dy), fsr_mul(dy, dy)};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 9; k++) {
            fsr_node at = at_offset(product[i], k / 3, k % 3);
            sum[i] = k ? fsr_add(sum[i], at) : at;
        }
    fsr_node y = fsr_sub(fsr_mul(sum[0], sum[2]), fsr_mul(sum[1], sum[1]));
    check_count(&target_cpu, y, FSR_OP_TANH, 2);
}

/* Columns are centred and stored: of a matrix that is transposed, what rows of memory keep would be stored across
 * it. Of a large one that is not, by blocks of rows narrower than a row of memory (price_blocks.c). */
static void kept_rows_are_stored_along(void **state) {
    (void)state;
    const struct {
        bool turned;
        int64_t columns, kernels;
    } cases[] = {{true, 22525, 2}, {false, 22525, 2}, {false, 1900, 1}};
    for (int i = 0; i < 3; i++) {
        const int64_t n = cases[i].columns;
        fsr_node x = cases[i].turned ? fsr_transpose(plan_matrix(g, 64, n), NULL) : plan_matrix(g, n, 64);
        fsr_node y = fsr_tanh(fsr_sub(x, fsr_mean(x, (int[]){0}, 1, 1)));
        fsr_program p = plan_of(&target_cpu, &y, 1);
        const int kernels = p.info.kernels;
        fsr_program_clear(&p);
        assert_int_equal(kernels, cases[i].kernels);
    }
}

/* Neighbours with edges of a matrix and its transpose: the parts of squares that guards let through are turned, in one
 * kernel, but that a near cache holds what would be turned twice. */
static void across_under_guards(void **state) {
    (void)state;
    const int64_t border[][2] = {{1, 1}, {1, 1}}, side[] = {1024, 128};
    for (int i = 0; i < 2; i++) {
        fsr_node x = plan_matrix(g, side[i], side[i]), both = fsr_sqrt(fsr_abs(fsr_add(x, fsr_transpose(x, NULL))));
        fsr_node p = fsr_pad(both, border, FSR_PAD_CONSTANT, 0);
        fsr_node y = fsr_sub(at_offset(p, 2, 1), at_offset(p, 0, 1));
        fsr_program program = plan_of(&target_cpu, &y, 1);
        const int kernels = program.info.kernels;
        fsr_program_clear(&program);
        assert_int_equal(kernels, i ? 2 : 1);
    }
}

/* A fold of a matrix and its transpose reads one of them across memory: a map by squares adds them before. */
static void transposes_before_a_fold(void **state) {
    (void)state;
    const int columns = 1;
    fsr_node x = plan_matrix(g, 2048, 2048), both = fsr_add(x, fsr_transpose(x, NULL));
    fsr_node y = fsr_sum(fsr_mul(both, x), &columns, 1, 0), turned = fsr_sum(fsr_transpose(x, NULL), &columns, 1, 0);
    fsr_program p = plan_of(&target_cpu, &y, 1), q = plan_of(&target_cpu, &turned, 1);
    const int kernels = p.info.kernels, alone = q.info.kernels;
    fsr_program_clear(&p);
    fsr_program_clear(&q);
    assert_int_equal(kernels, 2);
    assert_int_equal(alone, 1);
}

static void check_kernels(const fsr_node *outs, int n, int least, int most) {
    fsr_program p = plan_of(&target_cpu, outs, n);
    const int kernels = plan_nests(&p);
    if (kernels < least || kernels > most)
        print_error("%s", p.explanation);
    fsr_program_clear(&p);
    assert_in_range(kernels, least, most);
}

static fsr_node places(fsr_node x, int64_t n) {
    return fsr_cast(fsr_mul(x, fsr_float(g, (double)n)), FSR_I64);
}

/* What is gathered is made of three elements: three loads at computed places, or one of what is stored. A slice at a
 * start that a run gives has neighbours in memory. */
static void gathered_of_several(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 64, 4098), y = plan_matrix(g, 64, 4096), i = places(y, 64);
    fsr_node three =
        fsr_maximum(fsr_maximum(fsr_slice(x, 1, 0, 4096, 1), fsr_slice(x, 1, 1, 4097, 1)), fsr_slice(x, 1, 2, 4098, 1));
    fsr_node far = fsr_take_along_axis(three, i, 0, FSR_INDEX_CLIP), one = fsr_mul(y, fsr_float(g, 0.5));
    fsr_node near = fsr_take_along_axis(one, i, 0, FSR_INDEX_CLIP);
    check_kernels(&far, 1, 2, 2);
    check_kernels(&near, 1, 1, 1);
}

/* Two neighbours of what is gathered from far away are two such loads: it is stored once, whoever takes it. */
static void neighbours_of_gathered(void **state) {
    (void)state;
    const fsr_node x = plan_matrix(g, 2630, 768), y = plan_matrix(g, 2630, 768);
    const fsr_node far = fsr_mul(fsr_take_along_axis(x, places(x, 2630), 0, FSR_INDEX_CLIP), y);
    const fsr_node one = fsr_add(fsr_slice(far, 0, 2, 2630, 1), fsr_slice(y, 0, 0, 2628, 1));
    const fsr_node two = fsr_sub(fsr_slice(far, 0, 2, 2630, 1), fsr_slice(far, 0, 0, 2628, 1));
    check_kernels(&one, 1, 1, 1);
    check_kernels(&two, 1, 2, 2);
}

/* A gather in a fold over a few columns, or of a few rows: its loops are too short for stages. In long ones it
 * stays. */
static void gathers_in_short_folds(void **state) {
    (void)state;
    const int rows = 0, cols = 1;
    fsr_node x = plan_matrix(g, 40000, 24), y = plan_matrix(g, 4096, 2048), far[2], near;
    fsr_node work = fsr_exp(fsr_take_along_axis(x, places(x, 40000), 0, FSR_INDEX_CLIP));
    far[0] = fsr_sum(fsr_mul(work, x), &cols, 1, 0);
    far[1] = fsr_sum(fsr_mul(work, x), &rows, 1, 0);
    near = fsr_sum(fsr_exp(fsr_take_along_axis(y, places(y, 4096), 0, FSR_INDEX_CLIP)), &cols, 1, 0);
    check_kernels(&far[0], 1, 2, 2);
    check_kernels(&far[1], 1, 2, 2);
    check_kernels(&near, 1, 1, 1);
}

/* Rows of a few columns cannot be one loop where something is gathered, but in stages they are taken together, at
 * places that a function gives, too. A section of every other column in a fold goes before it. */
static void gathers_in_short_rows(void **state) {
    (void)state;
    const int cols = 1;
    fsr_node x = plan_matrix(g, 40000, 16), y = plan_matrix(g, 1000, 4096), even = fsr_slice(y, 1, 0, 4096, 2);
    fsr_node work = fsr_take_along_axis(x, places(x, 40000), 0, FSR_INDEX_CLIP), wide = plan_matrix(g, 1000, 4096);
    fsr_node late = fsr_take_along_axis(x, places(fsr_sin(x), 40000), 0, FSR_INDEX_CLIP);
    late = fsr_exp(late);
    for (int i = 0; i < 4; i++)
        work = fsr_mul(fsr_exp(work), x);
    fsr_node long_rows = fsr_exp(fsr_take_along_axis(wide, places(wide, 1000), 0, FSR_INDEX_CLIP));
    fsr_node fold = fsr_sum(fsr_exp(fsr_update(y, even, fsr_sqrt(even))), &cols, 1, 0);
    check_kernels(&work, 1, 1, 1);
    check_kernels(&late, 1, 1, 1);
    check_kernels(&long_rows, 1, 1, 1);
    check_kernels(&fold, 1, 2, 3);
}

/* Folds of a square matrix along its rows, and along its columns, have one domain; in one kernel one of them would go
 * across memory. Explain has the price of both kernels, and of the one. */
static void rows_and_columns_of_a_square(void **state) {
    (void)state;
    const int rows = 0, cols = 1;
    fsr_node x = plan_matrix(g, 2048, 2048), y = plan_matrix(g, 2048, 2048), z = fsr_sin(fsr_mul(x, y));
    fsr_node d = fsr_sub(x, fsr_mean(x, &rows, 1, FSR_KEEPDIMS));
    fsr_node outs[] = {d, fsr_mean(fsr_add(fsr_mul(x, z), y), &cols, 1, 0)};
    check_kernels(outs, 2, 2, 2);
    for (int t = 0; t < 2; t++) {
        fsr_program p = plan_of(targets[t], outs, 2);
        const char *said = strstr(p.explanation, "two kernels cost less than one (");
        double apart = 0, joined = 0;
        const bool good =
            said && sscanf(said, "two kernels cost less than one (%lf ns, one %lf ns)", &apart, &joined) == 2;
        fsr_program_clear(&p);
        assert_true(good && apart > 0 && joined > apart);
    }
}

/* A product of many rows' values by a column's, which a hint keeps in the fold: a tile of outputs would stage more than
 * shared memory holds. */
static void more_than_a_tile_stages(void **state) {
    (void)state;
    enum { N = 1024 };
    const int64_t left[] = {N, N, 1}, right[] = {1, N, N};
    const int middle = 1;
    fsr_node a = plan_matrix(g, N, N);
    for (int i = 0; i < 12; i++)
        a = fsr_hint_set(fsr_mul(a, plan_matrix(g, N, N)), FSR_HINT_INLINE);
    fsr_node b = fsr_reshape(plan_matrix(g, N, N), 3, right);
    fsr_node y = fsr_sum(fsr_mul(fsr_reshape(a, 3, left), b), &middle, 1, 0);
    for (int t = 0; t < 2; t++) {
        fsr_program p = plan_of(targets[t], &y, 1);
        assert_int_equal(p.info.kernels, 1);
        fsr_program_clear(&p);
    }
}

/* Launch, and what takes longer of memory and operations, which hides the other, on a CPU a part of it; what a cache
 * holds moves faster. */
static void prices(void **state) {
    (void)state;
    for (int gpu = 0; gpu < 2; gpu++) {
        const fsr_prices *p = fsr_prices_of(gpu);
        assert_true(fsr_price_kernel(p, 0, 0) == p->launch);
        assert_true(fsr_price_together(p, 1e9, 0) == 1e9 && fsr_price_together(p, 0, 1e9) == 1e9);
        assert_true(fsr_price_together(p, 3, 2) == fsr_price_together(p, 2, 3));
        assert_true(gpu ? fsr_price_together(p, 3, 2) == 3
                        : fsr_price_together(p, 3, 2) > 3 && fsr_price_together(p, 3, 2) < 5);
        assert_true(fsr_price_kernel(p, 1e9, 0) == p->launch + 1e9 / p->memory);
        assert_true(fsr_price_kernel(p, 0, 1e9) == p->launch + 1e9 / p->issue);
        assert_true(fsr_price_bytes(p, p->cache) < fsr_price_bytes(p, p->cache * 1.01) / 1.5);
    }
}

/* A program's price is that of what it reads: a part of an array is near where the whole would not be. */
static void parts_of_arrays_are_near(void **state) {
    (void)state;
    const int rows = 0;
    for (int t = 0; t < 2; t++) {
        double price[2];
        for (int i = 0; i < 2; i++) {
            fsr_node x = fsr_slice(plan_matrix(g, i ? 1 << 20 : 256, 256), 0, 0, 256, 1);
            fsr_node y = fsr_sum(fsr_exp(fsr_add(x, fsr_transpose(x, NULL))), &rows, 1, 0);
            fsr_program p = plan_of(targets[t], &y, 1);
            price[i] = p.price;
            fsr_program_clear(&p);
        }
        assert_true(price[0] == price[1]);
    }
}

/* What a vector leaves over of a short row is done one by one. */
static void short_rows_have_prices(void **state) {
    (void)state;
    static const int64_t cols[] = {3, 7, 8, 15, 16};
    double price[5];
    for (int i = 0; i < 5; i++) {
        const int64_t shape[] = {(168 << 10) / cols[i], cols[i]};
        fsr_node x = fsr_slice(fsr_input(g, "x", FSR_F32, 2, (int64_t[]){shape[0], 2 * cols[i]}), 1, 0, cols[i], 1);
        fsr_node y = x;
        for (int k = 0; k < 20; k++)
            y = fsr_maximum(fsr_mul(y, x), fsr_add(y, x));
        fsr_program p = plan_of(&target_cpu, &y, 1);
        assert_int_equal(p.info.kernels, 1);
        price[i] = p.price;
        fsr_program_clear(&p);
    }
    assert_true(price[0] > 4 * price[2] && price[1] > 3 * price[2] && price[3] > 1.5 * price[4]);
}

/* Loops of as many elements as their text says ask guards in vector code: what is behind a pad of short rows is fused
 * as in long ones. Counter-example to prices of branches: in rows of 24 two stencils, one behind the other, were five
 * kernels of 2.6 ms, and three of 1.75. */
static void neighbours_in_short_rows_are_fused(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const int64_t cols = i ? 24 : 240, rows = (24 << 16) / cols;
        fsr_node y = fsr_log(fsr_input(g, "x", FSR_F32, 2, (int64_t[]){rows, cols}));
        for (int k = 0; k < 2; k++) {
            fsr_node left = fsr_roll(y, (int64_t[]){1}, (int[]){1}, 1), up = fsr_roll(y, (int64_t[]){1}, (int[]){0}, 1);
            y = fsr_add(fsr_add(left, up), y);
        }
        fsr_program p = plan_of(&target_cpu, &y, 1);
        const int kernels = p.info.kernels;
        fsr_program_clear(&p);
        assert_true(kernels <= 3);
    }
}

/* Functions take longer on a CPU than what the table of operations counts, which elements a thread follow. */
static void functions_have_prices(void **state) {
    (void)state;
    for (int t = 0; t < 2; t++) {
        double price[2];
        for (int i = 0; i < 2; i++) {
            fsr_node x = plan_vector(g, 1 << 14), y = i ? fsr_exp(x) : fsr_neg(x);
            fsr_program p = plan_of(targets[t], &y, 1);
            price[i] = p.price;
            fsr_program_clear(&p);
        }
        const double ns = (price[1] - price[0]) / (1 << 14);
        assert_true(t ? ns > 0.25 && ns < 0.6 : ns < 0.1);
    }
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(sweeps_are_stored),
        T(once_before_a_product),
        T(cheap_is_computed_again),
        T(alternatives_are_divided),
        T(cheap_alternatives_stay),
        T(behind_views_and_indices),
        T(once_for_all_sweeps),
        T(products_beside_each_other),
        T(more_than_a_tile_stages),
        T(transposes_before_a_fold),
        T(gathered_of_several),
        T(gathers_in_short_folds),
        T(gathers_in_short_rows),
        T(neighbours_of_gathered),
        T(rows_and_columns_of_a_square),
        T(parts_of_arrays_are_near),
        T(functions_have_prices),
        T(across_under_guards),
        T(kept_rows_are_stored_along),
        T(short_rows_have_prices),
        T(neighbours_in_short_rows_are_fused),
        T(prices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
