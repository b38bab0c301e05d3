/* SPDX-License-Identifier: MIT */
/* Graphs that the fuzzer found to be planned or computed wrongly, cut down. Those that its reference or itself was
 * wrong about are in test_regressions_bounds.c. */
#include "tests/fuzz/regression.h"

/* A fold over axes of extent 1 had no folded dimension: its kernel did not verify. */
static void test_scan_of_one_element(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 1, SHAPE(1), 4), wide = fuzz_leaf(g, FSR_F32, 3, SHAPE(3, 1, 2), 4);
    CHECK(false, fsr_cumsum(x, AXES(0), 1, FSR_EXCLUSIVE));
    CHECK(false, fsr_cumsum(wide, AXES(1), 1, FSR_EXCLUSIVE),
          fsr_add(fsr_cummax(wide, AXES(1), 1, FSR_EXCLUSIVE), wide));
}

static void test_hinted_fold_of_one_element(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 2, SHAPE(1, 1), 4), y = fuzz_leaf(g, FSR_I32, 2, SHAPE(5, 1), 5);
    CHECK(false, fsr_hint_set(fsr_any(x, AXES(1), 1, FSR_KEEPDIMS), FSR_HINT_MATERIALIZE));
    CHECK(false, fsr_hint_set(fsr_sum(y, AXES(1), 1, 0), FSR_HINT_MATERIALIZE));
    CHECK(false, fsr_hint_set(fsr_cumsum(y, AXES(1), 1, 0), FSR_HINT_MATERIALIZE));
}

/* Items of a look-back tile (24) were no multiple of the vector (16) for two one-byte inputs. */
static void test_look_back_of_bytes(void **state) {
    (void)state;
    fsr_node a = fuzz_leaf(g, FSR_U8, 1, SHAPE(528), 4), b = fuzz_leaf(g, FSR_U8, 1, SHAPE(528), 8);
    CHECK(false, fsr_cummax(fsr_less(a, b), AXES(0), 1, FSR_EXCLUSIVE));
}

/* A kernel of two folds that reads no array seemed to hold long rows, until its f64 result was to be stored as well. */
static void test_wide_result_of_narrow_rows(void **state) {
    (void)state;
    fsr_node n = fsr_arange(g, FSR_F64, 9);
    CHECK(true, fsr_var(n, AXES(0), 1, FSR_KEEPDIMS, 0));
    fsr_node x = fuzz_leaf(g, FSR_I32, 1, SHAPE(12), 5), wide = fsr_cast(x, FSR_F64);
    fsr_node mean = fsr_mean(wide, NULL, -1, FSR_KEEPDIMS), delta = fsr_sub(wide, mean);
    CHECK(true, fsr_add(fsr_sum(fsr_mul(delta, delta), NULL, -1, 0), fsr_float(g, 1)));
}

/* While a kernel joined another's results to its needs, that one was lowered again and took an array from the first: a
 * circle. */
static void test_no_circle_while_joining(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 2, SHAPE(2, 2), 4);
    fsr_node doubled = fsr_maximum(x, x);
    fsr_node all = fsr_all(doubled, NULL, -1, FSR_KEEPDIMS);
    fsr_node centred = fsr_add(doubled, fsr_mean(doubled, AXES(1), 1, FSR_KEEPDIMS));
    CHECK(true, doubled, centred, all);
}

/* A part of an array, broadcast to as many elements as the whole has, was taken for the whole. */
static void test_broadcast_of_a_part(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 2, SHAPE(12, 3), 5);
    CHECK(false, fsr_broadcast_to(fsr_slice(x, 0, FSR_SLICE_END, 4, 1), 3, SHAPE(3, 4, 3)));
    fsr_node row = fsr_slice(x, 0, FSR_SLICE_END, 1, 1);
    CHECK(false, fsr_broadcast_to(row, 2, SHAPE(12, 3)));
}

/* A value that had to be stored joined the kernel that computes with it, which then could not be lowered again. */
static void test_stored_value_apart_from_its_users(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 3, SHAPE(1, 4, 4), 5), part = fsr_slice(x, 1, 2, FSR_SLICE_END, 1);
    fsr_node first = fsr_argmax(part, NULL, 0, 0), all = fsr_all(part, NULL, -1, FSR_KEEPDIMS),
             sum = fsr_add(all, first);
    CHECK(false, fsr_mul(sum, sum));
    fsr_node less = fsr_less(fuzz_leaf(g, FSR_F32, 2, SHAPE(1, 2), 4), fuzz_leaf(g, FSR_F32, 2, SHAPE(2, 1), 4));
    CHECK(true, fsr_var(less, NULL, -1, 0, 1), fsr_argmax(less, NULL, 0, 0));
    fsr_node in = fsr_expand(fuzz_leaf(g, FSR_F32, 2, SHAPE(2, 2), 4), 2), state_of[2];
    fsr_reduce_with(state_of, (fsr_node[]){in, in}, &fuzz_linear_operator, NULL, -1, FSR_KEEPDIMS);
    CHECK(true, fsr_argmax(fsr_div(in, state_of[0]), NULL, 0, FSR_KEEPDIMS));
}

/* Two kernels merged, while a third needed one of them and the merged kernel read what the third stores: a circle. */
static void test_no_circle_by_merging(void **state) {
    (void)state;
    fsr_node a = fuzz_leaf(g, FSR_F32, 1, SHAPE(2), 4), b = fuzz_leaf(g, FSR_F32, 1, SHAPE(2), 8);
    fsr_node c = fuzz_leaf(g, FSR_F32, 1, SHAPE(2), 12), d = fuzz_leaf(g, FSR_F32, 1, SHAPE(2), 16);
    fsr_node quotient = fsr_div(a, b), sum = fsr_add(c, quotient);
    CHECK(false, d, c, fsr_flip(sum, 0), sum, quotient);
    fsr_node x = fuzz_leaf(g, FSR_F32, 3, SHAPE(1, 2, 1), 4), factor = fuzz_leaf(g, FSR_F32, 0, NULL, 5);
    fsr_node product = fsr_mul(x, factor), back = fsr_flip(product, 1), pair[2];
    fsr_reduce_with(pair, (fsr_node[]){x, x}, &fuzz_max_sum_operator, AXES(0, 2), 2, FSR_KEEPDIMS);
    CHECK(true, fsr_max(back, AXES(0), 1, FSR_KEEPDIMS), fsr_mean(back, NULL, -1, 0), pair[0], back, product, factor);
}

/* A kernel that had evaluated a value was made to load it when another had come to store it; that other one needed its
 * results. */
static void test_no_circle_by_loading_late(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 3, SHAPE(31, 3, 31), 4), y = fuzz_leaf(g, FSR_F32, 3, SHAPE(31, 3, 31), 5);
    fsr_node part = fsr_slice(y, 2, 1, FSR_SLICE_END, 1),
             mixed = fsr_update(x, fsr_slice(x, 2, 1, FSR_SLICE_END, 1), part);
    fsr_node least = fsr_nanargmin(y, AXES(2), 1, FSR_KEEPDIMS), below = fsr_less(y, least);
    fsr_node flat = fsr_sqrt(fsr_reshape(mixed, 2, SHAPE(93, 31)));
    CHECK(true, fsr_logsumexp(below, AXES(0), 1, FSR_KEEPDIMS), flat, fsr_cumsum(mixed, AXES(2), 1, 0));
}

/* The last row of a value, and then, transposed, all of it are assigned to. The second kernel read the value but not
 * the first one's result, which it replaces whole; so the first, in place, came after it, and the second, in place of
 * that, after the first. */
static void test_no_circle_by_replacing_all(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 3, SHAPE(10, 1, 1), 4);
    fsr_node a = fsr_hint_set(fsr_flip(x, 2), FSR_HINT_MATERIALIZE), row = fsr_slice(a, 0, 9, 19, 1);
    fsr_node b = fsr_update(a, fsr_transpose(row, NULL), fsr_flip(fsr_transpose(row, NULL), 0));
    CHECK(false, fsr_update(b, fsr_transpose(b, NULL), fsr_transpose(a, NULL)));
    fsr_node y = fuzz_leaf(g, FSR_F32, 4, SHAPE(1, 1, 1, 1), 4), z = fuzz_leaf(g, FSR_F32, 4, SHAPE(10, 1, 1, 1), 4);
    fsr_node least = fsr_minimum(y, z), last = fsr_slice(least, 0, 28, 8, -2), pair[2];
    fsr_node kept = fsr_update(least, last, last), all = fsr_transpose(kept, NULL);
    fsr_node replaced = fsr_update(kept, all, fsr_transpose(y, NULL));
    fsr_scan_with(pair, (fsr_node[]){replaced, least}, &fuzz_linear_operator, AXES(2), 1, FSR_EXCLUSIVE | FSR_REVERSE);
    CHECK(true, pair[0]);
}

/* The place of a filter of nothing is one row without elements, which loaded the first element of an array that has
 * none. */
static void test_filter_of_nothing(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 2, SHAPE(0, 12), 4), least = fsr_min(x, AXES(1), 1, FSR_KEEPDIMS);
    fsr_node below = fsr_transpose(fsr_less(x, least), AXES(1, 0));
    CHECK(false, fsr_filter(below, below, fsr_int(g, 1)));
}

/* Of arrays without elements, which share an address, the fuzzer's count of who reads what another point writes took a
 * store at a computed address for one. */
static void test_filter_of_rows_of_nothing(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 3, SHAPE(0, 1, 2), 4), kept;
    fsr_vectorize(&kept, 1, (fsr_node[]){x, x}, 2, "(n),(n)->(n)", fuzz_filter, NULL);
    CHECK(false, fsr_maximum(fuzz_leaf(g, FSR_F32, 3, SHAPE(1, 1, 1), 4), kept));
}

/* A pad of more copies than a kernel has guards for was to be cut in the middle of what it evaluates: at the value that
 * is padded, an output, which was stored already. */
static void test_cut_beside_what_is_stored(void **state) {
    (void)state;
    const int64_t width[][2] = {{2, 0}, {3, 1}, {2, 0}, {2, 0}};
    for (int maps = 1; maps < 20; maps += 6) {
        fsr_node x = fuzz_leaf(g, FSR_F32, 4, SHAPE(1, 1, 1, 1), 4);
        for (int i = 0; i < maps; i++)
            x = fsr_sin(x);
        for (int mode = FSR_PAD_EDGE; mode <= FSR_PAD_WRAP; mode++)
            CHECK(false, x, fsr_pad(x, width, (fsr_pad)mode, 0));
    }
}

/* A temporary was loaded under a paste's guard, written over by the pasted value's use, and then loaded again where the
 * guard does not hold. */
static void test_loaded_again_after_being_written_over(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 2, SHAPE(3, 3), 4), y = fuzz_leaf(g, FSR_F32, 2, SHAPE(3, 3), 8);
    fsr_node t = fsr_hint_set(fsr_exp(x), FSR_HINT_MATERIALIZE);
    fsr_node mixed = fsr_update(y, fsr_slice(y, 0, 1, 3, 1), fsr_slice(t, 0, 1, 3, 1));
    fsr_node kept = fsr_hint_set(fsr_sin(mixed), FSR_HINT_MATERIALIZE);
    CHECK(false, fsr_flip(kept, 0), fsr_add(y, t));
}

/* A loop that ran once a row, as all that it works on is a literal there, had to run for each column of two passes when
 * another kernel stored the literal as an array. */
static void test_stored_literal_of_a_loop(void **state) {
    (void)state;
    fsr_node n = fsr_full(g, FSR_U8, 1, SHAPE(2), -7), t[2];
    fsr_node product = fsr_nanprod(fuzz_leaf(g, FSR_F32, 2, SHAPE(1, 2), 4), AXES(1), 1, 0);
    fuzz_iterate(t, (fsr_node[]){product, n}, 4, 4);
    CHECK(false, fsr_logsumexp(fsr_expand(t[1], 0), AXES(1), 1, FSR_KEEPDIMS), n, t[0]);
}

/* Loops over what a row knows, which another kernel comes to store as an array: the kernel that runs them goes on
 * without it. */
static void test_stored_input_of_a_loop(void **state) {
    (void)state;
    fsr_node row = fsr_broadcast_to(fuzz_leaf(g, FSR_F32, 2, SHAPE(1, 2), 4), 2, SHAPE(2, 2)), t[2], most[2];
    fsr_node same = fsr_mul(row, fsr_var(row, AXES(0), 1, FSR_KEEPDIMS, 0));
    fuzz_iterate(t, (fsr_node[]){same, same}, 4, 5);
    fsr_scan_with(most, (fsr_node[]){t[0], same}, &fuzz_max_sum_operator, AXES(0), 1, FSR_EXCLUSIVE);
    fsr_node few = fsr_filter(same, most[0], fsr_int(g, 1));
    CHECK(true, fsr_average(few, few, AXES(0), 1, 0));
    fsr_node two[] = {fuzz_leaf(g, FSR_F32, 1, SHAPE(1), 4), fuzz_leaf(g, FSR_F32, 1, SHAPE(1), 4)};
    fsr_node none = fsr_tile(fsr_concat(two, 2, 0), 1, SHAPE(0));
    fuzz_iterate(t, (fsr_node[]){none, fsr_all(none, NULL, -1, FSR_KEEPDIMS)}, 3, 0);
    fsr_scan_with(most, (fsr_node[]){none, fuzz_leaf(g, FSR_F32, 1, SHAPE(0), 4)}, &fuzz_max_sum_operator, AXES(0), 1,
                  FSR_REVERSE);
    CHECK(true, fsr_var(t[0], AXES(0), 1, 0, 1), most[0]);
}

/* A view of a literal, reshaped so that no kernel can walk it, where another kernel stores the literal. */
static void test_stored_literal_reshaped(void **state) {
    (void)state;
    fsr_node x = fsr_cast(fsr_full(g, FSR_U16, 2, SHAPE(2, 2), -7), FSR_U8);
    fsr_node seen = fsr_slice(x, 1, 1, FSR_SLICE_END, -1), few = fsr_full(g, FSR_U64, 2, SHAPE(4, 16), -1);
    fsr_node tall = fsr_reshape(fsr_abs(fsr_full(g, FSR_U16, 1, SHAPE(40), 3)), 3, SHAPE(20, 2, 1));
    CHECK(false, fsr_filter(seen, seen, fsr_int(g, 1)), fsr_roll(tall, SHAPE(18), NULL, 1),
          fsr_slice(fsr_repeat(few, 4, NULL), 0, FSR_SLICE_END, 246, -2));
    fsr_node flat = fsr_reshape(fsr_flip(fsr_sinh(fsr_full(g, FSR_F64, 3, SHAPE(17, 31, 1), 0.001)), 0), 1, SHAPE(527));
    CHECK(false, flat, fsr_abs(flat));
    fsr_node zero = fsr_full(g, FSR_I32, 2, SHAPE(2, 1), 0), thrice = fsr_repeat(fsr_less(zero, zero), 3, AXES(0));
    CHECK(false, thrice, fsr_cummin(thrice, AXES(1), 1, 0));
}

/* What is changed where a computed section is, and put back there, is read and written in place by the same points: to
 * the fuzzer no conflict. */
static void test_region_put_back_in_place(void **state) {
    (void)state;
    fsr_node at = fuzz_leaf(g, FSR_F32, 2, SHAPE(1, 2), 4), n = fsr_count_nonzero(at, NULL, 0, 0);
    fsr_node x = fsr_add(fuzz_leaf(g, FSR_F32, 2, SHAPE(9, 7), 4), n);
    CHECK(false, fuzz_take(fsr_hint_set(x, FSR_HINT_MATERIALIZE), at, 4, FSR_INDEX_CLIP, 0));
    fsr_node one = fsr_count_nonzero(at, AXES(0), 0, 0);
    CHECK(false, fuzz_take(fsr_hint_set(one, FSR_HINT_MATERIALIZE), at, 4, FSR_INDEX_CLIP, 0));
}

/* ---- compiled ------------------------------------------------------------------------------------------------ */

/* fsr_verify of what record makes, on the CPU backend, fused and not. */
static void check_on_cpu(int (*record)(fsr_graph *graph, fsr_node *out)) {
    check_pair pair;
    char why[300] = "";
    if (!check_pair_open(&pair, FSR_BACKEND_CPU, why, sizeof why)) {
        check_pair_close(&pair);
        print_message("no compiler: %s\n", why);
        skip();
    }
    fsr_context *const contexts[2] = {pair.unfused, pair.fused};
    for (int i = 0; i < 2; i++) {
        fsr_node out[RECIPE_OUTS];
        int n = record(fsr_graph_new(contexts[i]), out);
        if (fsr_verify(out, n, NULL))
            fail_msg("%s: %s", i ? "fused" : "unfused", fsr_error(contexts[i]));
    }
    check_pair_close(&pair);
}

static int record_strip(fsr_graph *graph, fsr_node *out) {
    fsr_node x = fuzz_leaf(graph, FSR_F32, 3, SHAPE(1, 1, 1), 4), b = fuzz_leaf(graph, FSR_BOOL, 3, SHAPE(2, 1, 1), 4);
    fsr_node ratio = fsr_div(fsr_mul(x, x), b), state_of[2];
    fsr_scan_with(state_of, (fsr_node[]){ratio, ratio}, &fuzz_max_sum_operator, AXES(0), 1, FSR_EXCLUSIVE);
    out[0] = fsr_logical_and(state_of[0], ratio);
    return 1;
}

/* The strip that holds instruction 8 beside a scan was an array u8, which hid the type. */
static void test_strip_of_instruction_8(void **state) {
    (void)state;
    check_on_cpu(record_strip);
}

static int record_filters(fsr_graph *graph, fsr_node *out) {
    fsr_node x = fuzz_leaf(graph, FSR_F32, 1, SHAPE(700), 4), mask = fsr_greater(x, fsr_float(graph, 0.1));
    fsr_node y = fsr_cast(x, FSR_F64), z = fsr_cast(x, FSR_C64), fill = fsr_float(graph, 1);
    fsr_node all[] = {fsr_add(fsr_tanh(x), fsr_sin(x)),
                      fsr_sub(fsr_exp(x), fsr_cbrt(x)),
                      fsr_add(fsr_tanh(y), fsr_log1p(y)),
                      fsr_sub(fsr_cos(y), fsr_erf(y)),
                      fsr_exp(z),
                      fsr_cast(x, FSR_F16),
                      fsr_cast(x, FSR_BF16),
                      fsr_floor_divide(fsr_cast(x, FSR_I8), fsr_int(graph, 3))};
    for (int i = 0; i < RECIPE_OUTS && i < (int)(sizeof all / sizeof *all); i++)
        out[i] = fsr_filter(all[i], mask, fill);
    return RECIPE_OUTS < (int)(sizeof all / sizeof *all) ? RECIPE_OUTS : (int)(sizeof all / sizeof *all);
}

/* A function that filters call was named as one of tanh's parts. */
static void test_filters_of_functions(void **state) {
    (void)state;
    check_on_cpu(record_filters);
}

/* Of a length of at most one element nothing is known where loops begin, and a version on a GPU that knows nothing
 * is none. */
static void test_length_of_one_element(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 0, NULL, 4), mask = fuzz_leaf(g, FSR_F32, 0, NULL, 4);
    CHECK(false, fsr_maximum(fuzz_lengths(mask, x, 4), x));
}

/* Of two whole numbers that are 0, one of them perhaps 1, the lower rank was -1 to 0 with centre -1: 65535 of a u16. */
static void test_sorted_above_zero(void **state) {
    (void)state;
    fsr_node hundreds = fsr_mul(fsr_arange(g, FSR_F32, 2), fsr_float(g, 100));
    fsr_node x = fsr_cast(fsr_erfc(fsr_add(hundreds, fsr_float(g, 1e-9))), FSR_U16);
    CHECK(false, fsr_sort(x, NULL, 0, 0), fsr_sort(x, NULL, 0, FSR_DESCENDING));
}

/* A loop's result over a scan along one element was taken for the row's once it was stored, for a filter that came
 * later. */
static void test_stored_loop_over_a_scan_of_one_element(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 3, SHAPE(2, 2, 1), 4), t[2];
    fsr_node all = fsr_cumall(x, AXES(2), 1, 0), upper = fsr_triu(all, 1);
    fuzz_iterate(t, (fsr_node[]){upper, all}, 2, 5);
    CHECK(false, fuzz_lengths(x, fsr_maximum(upper, t[0]), 15));
}

/* An index into an axis of one element moves no address: where it was made of a fold, the pass behind the fold had
 * nothing to do. One that is reported is looked at all the same. */
static void test_index_into_one_element(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 1, SHAPE(2), 4), one = fuzz_leaf(g, FSR_F32, 1, SHAPE(1), 4), t[2];
    fsr_node scaled = fsr_mul(x, fsr_sum(x, AXES(0), 1, FSR_KEEPDIMS));
    fsr_reduce_with(t, (fsr_node[]){x, x}, &fuzz_max_sum_operator, AXES(0), 1, FSR_KEEPDIMS);
    for (int mode = FSR_INDEX_RAISE; mode <= FSR_INDEX_WRAP; mode++) {
        CHECK(true, fuzz_take(one, scaled, 0, (fsr_index_mode)mode, 0));
        CHECK(true, fuzz_take(one, fsr_mul(x, t[0]), 0, (fsr_index_mode)mode, 0));
    }
}

/* What is taken of a loop that another kernel runs is read where that stores it: a kernel of its own would have stored
 * the array that it read. */
static void test_taken_of_a_loop_by_its_own_result(void **state) {
    (void)state;
    fsr_node a = fuzz_leaf(g, FSR_F32, 2, SHAPE(2, 1), 4), b = fuzz_leaf(g, FSR_F32, 2, SHAPE(1, 1), 4), t[2];
    fuzz_iterate(t, (fsr_node[]){a, b}, 0, 4);
    CHECK(false, fuzz_take(t[1], t[0], 0, FSR_INDEX_RAISE, 1));
    CHECK(false, fuzz_take(t[0], t[0], 0, FSR_INDEX_RAISE, 1));
}

/* What the loop takes elements of is a view that the loop's own kernel came to store: it is read where the fold is. */
static void test_loop_over_a_view_beside_it(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 1, SHAPE(2), 4), y = fuzz_leaf(g, FSR_F32, 2, SHAPE(2, 2), 4), out[2];
    fsr_node view = fsr_flip(fsr_prod(y, AXES(0), 1, 0), 0);
    fuzz_iterate(out, (fsr_node[]){x, view}, 5, 2);
    CHECK(true, out[0], view, fsr_argmin(x, AXES(0), 1, 0));
    CHECK(true, fsr_round(out[0]), fsr_prod(y, AXES(0), 1, 0), fsr_add(x, view), fsr_cumsum(x, AXES(0), 1, 0));
}

/* A node of a pair becomes a constant in a pass that redirects nothing. */
static void test_pair_of_a_constant(void **state) {
    (void)state;
    fsr_node x = fsr_neg(fsr_float(g, 100)), y = fsr_sub(x, x);
    fsr_hint_pair(y, x, FSR_PAIR_APART);
    CHECK(false, y);
}

/* A loop had to be stored for another kernel than its own when what its kernel evaluates was stored by a third. */
static void test_stored_loop_behind_a_pair(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 0, NULL, 4), y = fuzz_leaf(g, FSR_F32, 0, NULL, 4), out[2];
    fsr_node most = fsr_max(fsr_expand(x, 0), AXES(0), 1, FSR_KEEPDIMS);
    fsr_node place = fuzz_take(most, x, 7, (fsr_index_mode)2, 0);
    fuzz_iterate(out, (fsr_node[]){y, place}, 4, 1);
    fsr_node flat = fsr_reshape(out[0], 1, SHAPE(1)), none = fsr_isnan(flat);
    fsr_node less = fsr_less_equal(fsr_maximum(none, none), most);
    fsr_hint_pair(less, place, FSR_PAIR_APART);
    CHECK(true, flat, less, most, place);
}

/* A fold up to a count that only the device knows, in a kernel that stores nothing yet, took the name of its end from a
 * list that had nothing in it. */
static void test_fold_of_a_length(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 1, SHAPE(40), 4);
    fsr_node kept = fsr_compress(fsr_greater(x, fsr_float(g, 0)), x);
    CHECK(false, fsr_all(fsr_sort(kept, AXES(0), 1, 0), AXES(0), 1, FSR_KEEPDIMS));
    CHECK(false, fsr_max(fsr_sort(kept, AXES(0), 1, 0), AXES(0), 1, 0));
}

/* A kernel over no elements reads nothing of what it waits for, whose kernel was taken away and stayed in its list. */
static void test_waited_for_without_elements(void **state) {
    (void)state;
    fsr_node x = fuzz_leaf(g, FSR_F32, 2, SHAPE(1, 0), 4), out[2], scan[2];
    fuzz_iterate(out, (fsr_node[]){x, x}, 2, 1);
    fsr_scan_with(scan, (fsr_node[]){out[0], out[0]}, &fuzz_max_sum_operator, AXES(0), 1, FSR_EXCLUSIVE);
    CHECK(true, scan[0]);
    fsr_node y = fuzz_leaf(g, FSR_F32, 3, SHAPE(1, 1, 1), 4), z = fuzz_leaf(g, FSR_F32, 3, SHAPE(1, 1, 0), 4);
    fuzz_iterate(out, (fsr_node[]){z, y}, 2, 3);
    CHECK(true, fsr_sum(fsr_atan2(fuzz_leaf(g, FSR_F32, 2, SHAPE(2, 1), 4), out[0]), AXES(1), 1, FSR_KEEPDIMS));
    fuzz_iterate(out, (fsr_node[]){fuzz_leaf(g, FSR_F32, 1, SHAPE(0), 4), fuzz_leaf(g, FSR_F32, 0, NULL, 4)}, 3, 2);
    fsr_node wide = fsr_copysign(out[0], fuzz_leaf(g, FSR_F32, 3, SHAPE(2, 1, 1), 4));
    CHECK(true, fsr_all(wide, AXES(0), 1, FSR_KEEPDIMS));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_scan_of_one_element),
        TEST(test_hinted_fold_of_one_element),
        TEST(test_look_back_of_bytes),
        TEST(test_wide_result_of_narrow_rows),
        TEST(test_no_circle_while_joining),
        TEST(test_broadcast_of_a_part),
        TEST(test_stored_value_apart_from_its_users),
        TEST(test_no_circle_by_merging),
        TEST(test_no_circle_by_loading_late),
        TEST(test_no_circle_by_replacing_all),
        TEST(test_filter_of_nothing),
        TEST(test_filter_of_rows_of_nothing),
        TEST(test_length_of_one_element),
        TEST(test_fold_of_a_length),
        TEST(test_sorted_above_zero),
        TEST(test_stored_loop_over_a_scan_of_one_element),
        TEST(test_cut_beside_what_is_stored),
        TEST(test_loaded_again_after_being_written_over),
        TEST(test_stored_literal_of_a_loop),
        TEST(test_stored_input_of_a_loop),
        TEST(test_stored_literal_reshaped),
        TEST(test_region_put_back_in_place),
        TEST(test_index_into_one_element),
        TEST(test_taken_of_a_loop_by_its_own_result),
        TEST(test_pair_of_a_constant),
        TEST(test_loop_over_a_view_beside_it),
        TEST(test_stored_loop_behind_a_pair),
        TEST(test_waited_for_without_elements),
        cmocka_unit_test(test_strip_of_instruction_8),
        cmocka_unit_test(test_filters_of_functions),
    };
    return cmocka_run_group_tests_name("fuzz regressions", tests, NULL, NULL);
}
