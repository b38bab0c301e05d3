/* SPDX-License-Identifier: MIT */
/* What a plan's schedule makes of a kernel: where it loads, into how many blocks rows are split, what it holds
 * twice. */
#include "tests/structure/table.h"

static const int axis1 = 1;

/* An operand that only the last pass needs is loaded there, not held through the passes before. */
static void late_operands_load_late(void **state) {
    (void)state;
    fsr_node y = fsr_mul(plan_matrix(table_graph, 2048, 2048), table_softmax(plan_matrix(table_graph, 2048, 2048)));
    fsr_program p = plan_of(&target_gpu, &y, 1);
    assert_int_equal(p.info.kernels, 1);
    const fsr_kernel *k = fsr_program_kernel(&p, 0)->kernel;
    int late = 0, early = 0;
    for (int i = 0; i < k->ninsts; i++)
        if (k->inst[i].kind == FSR_INST_LOAD)
            *(k->stand[i].pass == k->npasses - 1 ? &late : &early) += 1;
    fsr_program_clear(&p);
    assert_int_equal(late, 1);
    assert_int_equal(early, 1);
}

/* Few long rows: together their blocks fill the machine, with no more partial states than that. */
static void splits_fill_the_machine(void **state) {
    (void)state;
    const int64_t resident = (int64_t)target_gpu.processors * target_gpu.threads_per_processor;
    for (int64_t rows = 1; rows <= 64; rows *= 4) {
        fsr_node y = fsr_sum(plan_matrix(table_graph, rows, 1 << 24), &axis1, 1, 0);
        fsr_program p = plan_of(&target_gpu, &y, 1);
        const fsr_thunk *thunk = fsr_program_kernel(&p, 0);
        int64_t threads = thunk->blocks * thunk->kernel->schedule.threads;
        assert_int_equal(thunk->kernel->schedule.kind, FSR_SCHEDULE_SPLIT);
        fsr_program_clear(&p);
        assert_true(threads >= resident * 3 / 4 && threads <= resident * 3 / 2);
    }
}

/* A row of few elements that are work each is spread over more blocks than one of many to add. */
static void costly_rows_are_spread(void **state) {
    (void)state;
    const fsr_node x = plan_vector(table_graph, 120300), cheap = fsr_sum(x, NULL, 0, 0);
    const fsr_node costly = fsr_sum(fsr_mul(fsr_pow(fsr_tgamma(x), fsr_sin(x)), fsr_erf(x)), NULL, 0, 0);
    int64_t blocks[2];
    for (int i = 0; i < 2; i++) {
        fsr_program p = plan_of(&target_gpu, i ? &costly : &cheap, 1);
        assert_int_equal(fsr_program_kernel(&p, 0)->kernel->schedule.kind, FSR_SCHEDULE_SPLIT);
        blocks[i] = fsr_program_kernel(&p, 0)->blocks;
        fsr_program_clear(&p);
    }
    assert_true(blocks[0] < target_gpu.processors && blocks[1] > target_gpu.processors);
}

/* Equal literals are one instruction. */
static void literals_are_shared(void **state) {
    (void)state;
    fsr_node x = plan_vector(table_graph, 1000);
    for (int i = 0; i < 6; i++)
        x = fsr_sin(fsr_mul(x, fsr_full(table_graph, FSR_F32, 0, NULL, 3)));
    fsr_program p = plan_of(&target_gpu, &x, 1);
    int constants = 0;
    for (int i = 0; i < fsr_program_kernel(&p, 0)->kernel->ninsts; i++)
        constants += fsr_program_kernel(&p, 0)->kernel->inst[i].kind == FSR_INST_CONST;
    fsr_program_clear(&p);
    assert_int_equal(constants, 1);
}

/* a[i, k] and b[k, j], or either transposed, to [i, k, j]; the sum of their products, or another fold of another
 * map. */
static fsr_node product(int64_t m, int64_t n, int64_t cols, int turned, bool other) {
    fsr_node a =
        turned & 1 ? fsr_transpose(plan_matrix(table_graph, cols, m), NULL) : plan_matrix(table_graph, m, cols);
    fsr_node b =
        turned & 2 ? fsr_transpose(plan_matrix(table_graph, n, cols), NULL) : plan_matrix(table_graph, cols, n);
    a = fsr_expand(a, 2);
    b = fsr_expand(b, 0);
    return other ? fsr_max(fsr_abs(fsr_sub(a, b)), &axis1, 1, 0) : fsr_sum(fsr_mul(a, b), &axis1, 1, 0);
}

/* The only kernel's tiles: outputs along the rows, and loads that are staged. */
static void expect_tile_on(const fsr_target *target, fsr_node y, int tall, int staged) {
    fsr_program p = plan_of(target, &y, 1);
    const fsr_kernel *k = fsr_program_kernel(&p, 0)->kernel;
    int loads = 0;
    for (int i = 0; i < k->ninsts; i++)
        loads += k->stand[i].staged;
    if (p.info.kernels != 1 || k->schedule.tall != tall || loads != staged)
        fail_msg("%d staged loads, not %d:\n%s", loads, staged, p.explanation);
    fsr_program_clear(&p);
}

static void expect_tile(fsr_node y, int tall, int staged) {
    expect_tile_on(&target_cpu, y, tall, staged);
}

/* Products of matrices in every orientation, and folds like them, are tiles of outputs; of few rows without panels;
 * where nothing is read twice, or a panel would be too long, outputs are by themselves. */
static void products_have_tiles(void **state) {
    (void)state;
    for (int turned = 0; turned < 4; turned++) {
        expect_tile(product(300, 500, 400, turned, false), 6, 1);
        expect_tile(product(300, 500, 400, turned, true), 6, 1);
    }
    expect_tile(product(20, 8, 8, 0, false), 5, 1);
    expect_tile(product(4, 1000, 400, 0, false), 4, 0);
    expect_tile(product(8, 1000, 400, 1, true), 8, 0);
    expect_tile(product(9, 1000, 400, 0, false), 5, 1);
    expect_tile(product(8, 100, 4000, 0, false), 4, 1);
    expect_tile(product(8, 10000, 40, 0, false), 4, 1);
    expect_tile(product(8, 500, 400, 0, false), 4, 1);
    expect_tile(product(3, 500, 400, 0, false), 0, 0);
    expect_tile(product(8, 500, 400, 2, false), 0, 0);
    expect_tile(product(1, 500, 400, 0, false), 0, 0);
    expect_tile(product(300, 7, 400, 0, false), 0, 0);
    expect_tile(product(300, 500, 7, 0, false), 0, 0);
    expect_tile(product(64, 64, 1 << 20, 0, false), 0, 0);
    expect_tile(fsr_sum(fsr_reshape(plan_matrix(table_graph, 300, 40000), 3, (int64_t[]){300, 400, 100}), &axis1, 1, 0),
                0, 0);
}

/* The same on a GPU, where both operands are staged: large tiles where these fill the machine, none where small ones
 * would not fill half of it, or a sum of the columns in order would be deeper than it may. */
static void products_have_tiles_on_a_gpu(void **state) {
    (void)state;
    for (int turned = 0; turned < 4; turned++) {
        expect_tile_on(&target_gpu, product(4096, 4000, 400, turned, turned & 1), 8, 2);
        expect_tile_on(&target_gpu, product(1000, 1100, 1200, turned, turned & 1), 4, 2);
    }
    expect_tile_on(&target_gpu, product(21000, 160, 160, 0, false), 8, 2);
    expect_tile_on(&target_gpu, product(400, 400, 4000, 0, false), 0, 0);
    expect_tile_on(&target_gpu, product(100000, 40, 4000, 0, false), 0, 0);
    expect_tile_on(&target_gpu, product(1000, 1000, 1 << 17, 0, false), 0, 0);
}

/* The sides of the only kernel's squares on a GPU, 0: both are equal, and how many loads are staged for them. */
static void expect_rectangle(fsr_node y, int side, int breadth, int staged) {
    fsr_program p = plan_of(&target_gpu, &y, 1);
    const fsr_kernel *k = fsr_program_kernel(&p, 0)->kernel;
    int loads = 0;
    for (int i = 0; i < k->ninsts; i++)
        loads += k->stand[i].staged;
    if (p.info.kernels != 1 || k->schedule.tile != side || k->schedule.breadth != breadth || loads != staged)
        fail_msg("%d staged loads, not %d:\n%s", loads, staged, p.explanation);
    fsr_program_clear(&p);
}

static void expect_square(fsr_node y, int side, int staged) {
    expect_rectangle(y, side, 0, staged);
}

static void transposed_operands_have_squares(void **state) {
    (void)state;
    fsr_node a = plan_matrix(table_graph, 3000, 2000), b = plan_matrix(table_graph, 2000, 3000);
    fsr_node turned = fsr_transpose(b, NULL);
    expect_square(fsr_add(a, turned), 32, 1);
    expect_square(turned, 32, 1);
    expect_square(fsr_mul(turned, fsr_transpose(plan_matrix(table_graph, 2000, 3000), NULL)), 32, 2);
    expect_square(fsr_cast(fsr_transpose(fsr_cast(b, FSR_F16), NULL), FSR_F32), 32, 1);
    expect_square(fsr_add(a, a), 0, 0);
    expect_rectangle(fsr_transpose(plan_matrix(table_graph, 100000, 3), NULL), 4, 256, 1);
    expect_rectangle(fsr_transpose(plan_matrix(table_graph, 100000, 8), NULL), 8, 128, 1);
    expect_rectangle(fsr_transpose(plan_matrix(table_graph, 100000, 9), NULL), 16, 64, 1);
    expect_square(fsr_transpose(plan_matrix(table_graph, 200, 3), NULL), 0, 0);
    expect_square(fsr_transpose(plan_matrix(table_graph, 100000, 2), NULL), 0, 0);
    a = plan_matrix(table_graph, 300, 200);
    expect_square(fsr_transpose(fsr_roll(a, (int64_t[]){5}, NULL, 1), NULL), 0, 0);
}

static void expect_kind(const fsr_target *target, fsr_node y, fsr_schedule_kind kind) {
    fsr_program p = plan_of(target, &y, 1);
    const fsr_kernel *k = fsr_program_kernel(&p, 0)->kernel;
    if (p.info.kernels != 1 || k->schedule.kind != kind)
        fail_msg("is %s:\n%s", fsr_schedule_name(k->schedule.kind), p.explanation);
    fsr_program_clear(&p);
}

/* Products too long, or of too few outputs, for tiles: the frame in which fewer elements are read with a stride,
 * whatever the sizes of operands that lack its dimension. */
static void products_go_where_nothing_is_strided(void **state) {
    (void)state;
    static const fsr_target *const target[] = {&target_gpu, &target_cpu};
    static const int64_t sizes[][2] = {{60, 60}, {40, 90}, {90, 40}};
    for (int i = 0; i < 6; i++) {
        const int64_t *size = sizes[i / 2];
        expect_kind(target[i % 2], product(size[0], size[1], 70000, 0, false), FSR_SCHEDULE_COL);
        expect_kind(target[i % 2], product(size[0], size[1], 70000, 1, false), FSR_SCHEDULE_COL);
        expect_kind(target[i % 2], product(size[0], size[1], 70000, 2, false), FSR_SCHEDULE_ROW);
    }
}

/* On a CPU loops whose angles are looked at first are vector code, down columns too. */
static void angles_down_columns(void **state) {
    (void)state;
    const int axis0 = 0;
    fsr_node y = fsr_sum(fsr_sin(plan_matrix(table_graph, 600, 500)), &axis0, 1, 0);
    fsr_program p = plan_of(&target_cpu, &y, 1);
    const fsr_schedule *s = &fsr_program_kernel(&p, 0)->kernel->schedule;
    const bool good = p.info.kernels == 1 && s->kind == FSR_SCHEDULE_COL && s->walk[0].near;
    fsr_program_clear(&p);
    assert_true(good);
}

/* Random numbers that nothing is loaded for: blocks of neighbours, four a thread. A row's own result, of 8 bytes, makes
 * no vector along the row shorter. */
static void vectors_of_what_is_not_loaded(void **state) {
    (void)state;
    fsr_graph *g = table_graph;
    fsr_node i = fsr_counter(g, 1, (int64_t[]){1 << 24}), zero = fsr_int(g, 0);
    fsr_node out[] = {fsr_random_normal(zero, zero, i, FSR_F32),
                      fsr_count_nonzero(plan_vector(g, 1 << 24), NULL, 0, 0)};
    for (int o = 0; o < 2; o++) {
        fsr_program p = plan_of(&target_gpu, &out[o], 1);
        const fsr_schedule s = fsr_program_kernel(&p, 0)->kernel->schedule;
        fsr_program_clear(&p);
        assert_int_equal(s.vector, 4);
        assert_int_equal(s.items, 16);
    }
}

/* The tile of a CPU's kernel: its side, and the elements of its rows. */
static void expect_squares(fsr_node y, int side, int breadth) {
    fsr_program p = plan_of(&target_cpu, &y, 1);
    assert_int_equal(p.info.kernels, 1);
    const fsr_schedule s = fsr_program_kernel(&p, 0)->kernel->schedule;
    fsr_program_clear(&p);
    assert_int_equal(s.tile, side);
    assert_int_equal(s.breadth, breadth);
}

/* A row of a tile asks for the next one of what lies along it, loaded or stored; not of what is turned, nor of what all
 * rows share. */
static void tiles_ask_for_their_next_row(void **state) {
    (void)state;
    const fsr_node x = plan_matrix(table_graph, 512, 512), z = plan_matrix(table_graph, 512, 512);
    fsr_node y = fsr_add(fsr_transpose(x, NULL), fsr_mul(z, plan_vector(table_graph, 512)));
    fsr_program p = plan_of(&target_cpu, &y, 1);
    const fsr_kernel *k = fsr_program_kernel(&p, 0)->kernel;
    int asked = 0, stored = 0;
    for (int b = 0; b < k->narrays; b++) {
        asked += (int)(k->schedule.ahead >> b & 1);
        stored += k->schedule.ahead >> b & 1 && k->array[b].written;
    }
    fsr_program_clear(&p);
    assert_int_equal(asked, 2);
    assert_int_equal(stored, 1);
}

/* Elements of other rows of their own column are taken by panels that a near cache holds; not those of another place in
 * their own row, nor whole rows, nor of a table that is near as it is. */
static void columns_are_taken_by_panels(void **state) {
    (void)state;
    static const struct {
        int64_t rows, cols, of;
        int axis, panel;
    } cases[] = {{64, 100000, 64, 0, 2048}, {512, 8192, 512, 0, 256}, {64, 100000, 64, 1, 0}, {64, 4000, 64, 0, 0},
                 {64, 3000, 1000, 0, 256},  {2000, 3000, 2000, 0, 0}, {2, 8192, 4000, 0, 0}};
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        const fsr_node x = plan_matrix(table_graph, cases[i].of, cases[i].cols);
        const fsr_node y = plan_matrix(table_graph, cases[i].rows, cases[i].cols);
        fsr_node z = fsr_take_along_axis(x, fsr_cast(y, FSR_I32), cases[i].axis, FSR_INDEX_CLIP);
        fsr_program p = plan_of(&target_cpu, &z, 1);
        const fsr_kernel *k = fsr_program_kernel(&p, 0)->kernel;
        if (p.info.kernels != 1 || k->schedule.panel != cases[i].panel)
            fail_msg("case %d, not panels of %d\n%s", i, cases[i].panel, p.explanation);
        uint64_t stored = 0;
        for (int b = 0; b < k->narrays; b++)
            stored |= (uint64_t)k->array[b].written << b;
        if (k->schedule.panel && !(k->schedule.ahead & stored))
            fail_msg("case %d, the next row's results are not asked for\n%s", i, p.explanation);
        fsr_program_clear(&p);
    }
    fsr_node at = fsr_cast(plan_vector(table_graph, 5000), FSR_I32);
    fsr_node rows = fsr_index(plan_matrix(table_graph, 64, 100000), &at, 1, FSR_INDEX_CLIP);
    fsr_program p = plan_of(&target_cpu, &rows, 1);
    assert_int_equal(fsr_program_kernel(&p, 0)->kernel->schedule.panel, 0);
    fsr_program_clear(&p);
}

/* What is taken, stored, and computed with: the lines of what is stored are asked for, by strips, by strips of short
 * rows, by columns and by blocks of rows whose columns lie beside each other; not where a near cache has them. */
static void results_beside_gathers_are_asked_for(void **state) {
    (void)state;
    static const struct {
        int64_t rows, cols;
        enum { PRODUCT, MEAN, SCAN } with;
        bool far;
    } cases[] = {{11417, 128, PRODUCT, true},
                 {365344, 4, PRODUCT, true},
                 {22834, 64, MEAN, true},
                 {365344, 4, SCAN, true},
                 {1000, 128, PRODUCT, false}};
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        const fsr_node x = plan_matrix(table_graph, cases[i].rows, cases[i].cols);
        const fsr_node t = fsr_take_along_axis(x, fsr_cast(x, FSR_I32), 0, FSR_INDEX_RAISE), product = fsr_mul(t, x);
        const fsr_node outs[] = {t, cases[i].with == MEAN   ? fsr_mean(product, AXES(0), 1, 0)
                                    : cases[i].with == SCAN ? fsr_cumsum(product, AXES(1), 1, 0)
                                                            : product};
        fsr_program p = plan_of(&target_cpu, outs, 2);
        const fsr_kernel *k = fsr_program_kernel(&p, 0)->kernel;
        bool asked = false;
        for (int b = 0; b < k->narrays; b++)
            asked = asked || (k->array[b].written && (k->schedule.coming | k->schedule.ahead) >> b & 1);
        if (p.info.kernels != 1 || asked != cases[i].far)
            fail_msg("case %d, results that are%s asked for\n%s", i, asked ? "" : " not", p.explanation);
        fsr_program_clear(&p);
    }
}

/* Places of whole rows that are asked for before: what they are made of is gone through once, however often it is
 * taken. */
static void places_of_many_steps(void **state) {
    (void)state;
    const fsr_node x = plan_matrix(table_graph, 1 << 19, 8), y = plan_vector(table_graph, 5000);
    fsr_node at = fsr_cast(y, FSR_I32);
    for (int i = 0; i < 60; i++)
        at = fsr_mul(at, at);
    fsr_node out = fsr_index(x, &at, 1, FSR_INDEX_CLIP);
    fsr_program p = plan_of(&target_cpu, &out, 1);
    const fsr_kernel *k = fsr_program_kernel(&p, 0)->kernel;
    const uint64_t fetched = k->schedule.fetched;
    const bool written = fetched && k->array[__builtin_ctzll(fetched)].written;
    fsr_program_clear(&p);
    assert_int_equal(__builtin_popcountll(fetched), 1);
    assert_false(written);
}

/* Rows of squares are long where others are read along them; where nothing is, the square is turned when it is stored,
 * and long in the order of the loads; every other element across is worth squares, too. */
static void squares_have_long_rows(void **state) {
    (void)state;
    const fsr_node x = plan_matrix(table_graph, 512, 512), two = fsr_float(table_graph, 2);
    expect_squares(fsr_mul(fsr_transpose(x, NULL), two), 256, 16);
    expect_squares(fsr_transpose(fsr_add(x, plan_matrix(table_graph, 512, 512)), NULL), 256, 16);
    expect_squares(fsr_cast(fsr_transpose(x, NULL), FSR_F64), 128, 16);
    expect_squares(fsr_add(x, fsr_transpose(x, NULL)), 64, 256);
    expect_squares(fsr_add(fsr_cast(x, FSR_F64), fsr_cast(fsr_transpose(x, NULL), FSR_F64)), 64, 256);
    expect_squares(fsr_mul(fsr_transpose(fsr_slice(x, 1, 0, 512, 2), NULL), two), 32, 0);
    expect_squares(fsr_mul(fsr_slice(x, 1, 0, 512, 2), two), 0, 0);
}

/* A compiler that knows that every other element is read takes them out of two vectors; of every third it is an
 * argument. */
static void steps_of_two_are_known(void **state) {
    (void)state;
    const fsr_node x = plan_matrix(table_graph, 64, 96), two = fsr_float(table_graph, 2);
    for (int thunk = 1; thunk <= 3; ++thunk) {
        fsr_node y = fsr_mul(fsr_slice(x, 1, 0, 96, thunk), two);
        fsr_program p = plan_of(&target_cpu, &y, 1);
        const fsr_kernel *k = fsr_program_kernel(&p, 0)->kernel;
        fsr_stride_kind most = FSR_STRIDE_ZERO;
        for (int f = 0; f < k->nforms; ++f)
            for (int d = 0; d < k->ndim; ++d)
                most = k->form[f].stride[d] > most ? k->form[f].stride[d] : most;
        fsr_program_clear(&p);
        assert_int_equal(most, thunk == 3 ? FSR_STRIDE_VAR : thunk == 2 ? FSR_STRIDE_KNOWN : FSR_STRIDE_ONE);
    }
}

/* A GPU's rows that are held: no quarter of a thread's elements is there for none of the row's. */
static void rows_leave_no_quarter(void **state) {
    (void)state;
    static const int64_t cols[] = {1025, 1500, 2049, 3072, 3073, 4096, 6144, 7000};
    for (size_t i = 0; i < sizeof cols / sizeof *cols; i++) {
        const int axis = 1;
        fsr_node x = plan_matrix(table_graph, 4096, cols[i]), y = fsr_sum(fsr_cos(fsr_mul(x, x)), &axis, 1, 0);
        fsr_program p = plan_of(&target_gpu, &y, 1);
        const fsr_schedule *s = &fsr_program_kernel(&p, 0)->kernel->schedule;
        const int64_t all = (int64_t)s->abreast * s->items, fewer = s->items - s->items / 4;
        const bool held = s->kind == FSR_SCHEDULE_ROW && s->persistent, whole = (s->items & (s->items - 1)) == 0;
        const bool over = whole && fewer < s->items && fewer % s->vector == 0 && s->abreast * fewer >= cols[i];
        fsr_program_clear(&p);
        assert_true(held && all >= cols[i] && (cols[i] != 3072 || all == 3072));
        assert_false(over);
    }
}

/* All that a thread's elements of a row load is in its registers at once. */
static void rows_of_many_loads_have_few_items(void **state) {
    (void)state;
    enum { SIDE = 5, WORDS = 64 }; /* registers for loads */
    const fsr_node x = plan_matrix(table_graph, 1404, 388);
    fsr_node sum = x;
    for (int i = 0; i < SIDE * SIDE; ++i) {
        fsr_node at = fsr_slice(fsr_slice(x, 0, i / SIDE, 1400 + i / SIDE, 1), 1, i % SIDE, 384 + i % SIDE, 1);
        sum = i ? fsr_add(sum, at) : at;
    }
    fsr_node y = fsr_sum(sum, &axis1, 1, 0);
    fsr_program p = plan_of(&target_gpu, &y, 1);
    const fsr_kernel *k = fsr_program_kernel(&p, 0)->kernel;
    if (k->schedule.kind != FSR_SCHEDULE_ROW || k->schedule.items * SIDE * SIDE > WORDS)
        fail_msg("%d items:\n%s", k->schedule.items, p.explanation);
    fsr_program_clear(&p);
}

/* The greatest of each block of a picture whose channels lie side by side: the channels are the inner loop. */
static void blocks_go_along_channels(void **state) {
    (void)state;
    static const int within[] = {1, 3};
    static const int64_t sides[][2] = {{2, 6}, {4, 6}, {8, 6}, {4, 3}};
    for (int i = 0; i < 4; i++) {
        const int64_t side = sides[i][0], shape[] = {256, side, 128, side, sides[i][1]};
        fsr_node y = fsr_max(fsr_input(table_graph, "x", FSR_F32, 5, shape), within, 2, 0);
        fsr_program p = plan_of(&target_cpu, &y, 1);
        assert_int_equal(fsr_program_kernel(&p, 0)->kernel->schedule.kind, i < 2 ? FSR_SCHEDULE_COL : FSR_SCHEDULE_ROW);
        fsr_program_clear(&p);
    }
}

/* Rows that lie side by side and are gone over once are long runs of memory, beside guards too: their loops go in runs
 * that know them. Counter-example to blocks of 128 beside guards: 512 bytes of five arrays took 13.5 ms, 4 KiB 5. */
static void guarded_columns_have_long_blocks(void **state) {
    (void)state;
    fsr_node x = plan_matrix(table_graph, 1105, 1104);
    for (int i = 0; i < 2; i++) {
        fsr_node beside = i ? fsr_roll(x, (int64_t[]){1}, &axis1, 1) : fsr_exp(x);
        fsr_node y = fsr_cumsum(fsr_maximum(x, beside), (int[]){0}, 1, 0);
        fsr_program p = plan_of(&target_cpu, &y, 1);
        const fsr_kernel *k = fsr_program_kernel(&p, 0)->kernel;
        assert_int_equal(k->nguards > 0, i);
        assert_int_equal(k->schedule.abreast, 1024);
        fsr_program_clear(&p);
    }
}

/* x with its slices of every step-th row, from each first, made anew by the negative of them. */
static fsr_node recoloured(fsr_node x, const int64_t *first, const int64_t *step, int n) {
    fsr_node y = x;
    for (int i = 0; i < n; i++) {
        fsr_node part = fsr_slice(y, 0, first[i], FSR_SLICE_END, step[i]);
        y = fsr_update(y, part, fsr_neg(fsr_slice(fsr_exp(x), 0, first[i], FSR_SLICE_END, step[i])));
    }
    return y;
}

/* Versions know at which rows conditions with steps hold. Counter-example to all of them together or none: of the two
 * colours of a checkerboard one has each row, and every row ran the loop that asks. */
static void alternating_rows_have_versions(void **state) {
    (void)state;
    static const struct {
        int n;
        int64_t first[3], step[3];
        int sets; /* of conditions with steps that hold together, none of them too */
    } cases[] = {{2, {0, 1}, {2, 2}, 2}, {2, {0, 4}, {8, 8}, 3}, {3, {0, 1, 2}, {3, 3, 3}, 3},
                 {2, {0, 0}, {2, 3}, 4}, {1, {5}, {4}, 2},       {2, {0, 1}, {13, 17}, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fsr_node y = recoloured(plan_matrix(table_graph, 2040, 1000), cases[i].first, cases[i].step, cases[i].n);
        fsr_program p = plan_of(&target_cpu, &y, 1);
        const fsr_schedule *s = &fsr_program_kernel(&p, 0)->kernel->schedule;
        int sets = 0;
        for (int v = 0; v < s->nversions; v++)
            sets += (s->version[v].holds | s->version[v].never) == (UINT64_C(1) << cases[i].n) - 1;
        if (p.info.kernels != 1 || sets != cases[i].sets)
            fail_msg("case %zu has %d versions:\n%s", i, sets, p.explanation);
        fsr_program_clear(&p);
    }
}

/* Of many points the nearest of sixteen, and a sum over seven: columns that all rows share are a thread's before
 * threads share a row. Counter-example: elements of rows, of which neighbours in memory are a warp's; and few rows. */
static void shared_columns_are_a_threads(void **state) {
    (void)state;
    static const struct {
        int64_t rows, cols;
        bool own;
        int abreast;
    } cases[] = {{200000, 16, false, 2}, {200000, 7, false, 1}, {200000, 16, true, 4}, {5000, 16, false, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t rows = cases[i].rows, cols = cases[i].cols;
        fsr_node near = plan_matrix(table_graph, cols, 2), x = plan_vector(table_graph, rows);
        fsr_node d = fsr_sub(fsr_expand(x, 1), fsr_expand(fsr_reshape(fsr_slice(near, 1, 0, 1, 1), 1, &cols), 0));
        if (cases[i].own)
            d = plan_matrix(table_graph, rows, cols);
        fsr_node y = cols == 7 ? fsr_sum(fsr_mul(d, d), &axis1, 1, 0) : fsr_argmin(fsr_mul(d, d), &axis1, 1, 0);
        fsr_program p = plan_of(&target_gpu, &y, 1);
        const fsr_schedule s = fsr_program_kernel(&p, 0)->kernel->schedule;
        if (s.kind != FSR_SCHEDULE_ROW || s.abreast != cases[i].abreast)
            fail_msg("case %d: %d threads a row\n%s", (int)i, s.abreast, p.explanation);
        fsr_program_clear(&p);
    }
}

/* Windows too large to be maps, with weights of their own: a thread folds one, and its neighbours those beside it; also
 * behind a border that repeats the edge. Counter-example: few windows, or long ones. */
static void windows_are_threads(void **state) {
    (void)state;
    static const struct {
        int64_t high, wide, size;
        bool padded, own;
    } cases[] = {{400, 600, 13, false, true},
                 {400, 600, 13, true, true},
                 {40, 60, 13, false, false},
                 {400, 600, 25, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t size = cases[i].size, side = size / 2;
        fsr_node x = plan_matrix(table_graph, cases[i].high, cases[i].wide), w = plan_matrix(table_graph, size, size);
        if (cases[i].padded)
            x = fsr_pad(x, (int64_t[][2]){{side, side}, {side, side}}, FSR_PAD_EDGE, 0);
        fsr_node y = fsr_sliding_window(x, SHAPE(size, size), AXES(0, 1), 2);
        y = fsr_sum(fsr_mul(y, w), AXES(2, 3), 2, 0);
        fsr_program p = plan_of(&target_gpu, &y, 1);
        const fsr_schedule s = fsr_program_kernel(&p, 0)->kernel->schedule;
        if ((s.kind == FSR_SCHEDULE_COL && s.abreast == s.threads) != cases[i].own)
            fail_msg("case %d\n%s", (int)i, p.explanation);
        fsr_program_clear(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TABLE_TEST(late_operands_load_late),
        TABLE_TEST(splits_fill_the_machine),
        TABLE_TEST(costly_rows_are_spread),
        TABLE_TEST(literals_are_shared),
        TABLE_TEST(angles_down_columns),
        TABLE_TEST(products_have_tiles),
        TABLE_TEST(products_have_tiles_on_a_gpu),
        TABLE_TEST(transposed_operands_have_squares),
        TABLE_TEST(vectors_of_what_is_not_loaded),
        TABLE_TEST(products_go_where_nothing_is_strided),
        TABLE_TEST(squares_have_long_rows),
        TABLE_TEST(tiles_ask_for_their_next_row),
        TABLE_TEST(columns_are_taken_by_panels),
        TABLE_TEST(results_beside_gathers_are_asked_for),
        TABLE_TEST(places_of_many_steps),
        TABLE_TEST(steps_of_two_are_known),
        TABLE_TEST(rows_leave_no_quarter),
        TABLE_TEST(rows_of_many_loads_have_few_items),
        TABLE_TEST(blocks_go_along_channels),
        TABLE_TEST(guarded_columns_have_long_blocks),
        TABLE_TEST(alternating_rows_have_versions),
        TABLE_TEST(shared_columns_are_a_threads),
        TABLE_TEST(windows_are_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
