/* SPDX-License-Identifier: MIT */
#include "tests/support/kernels.h"
#include "fusion/address.h"
#include "fusion/schedule.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

fsr_kernel *kernel_begin(const char *name, int ndim, int nparallel, int npasses) {
    fsr_kernel *k = fsr_kernel_new();
    snprintf(k->name, sizeof k->name, "%s", name);
    if (!fsr_kernel_say(k, "by hand", 7))
        abort();
    k->ndim = ndim;
    k->nparallel = nparallel;
    k->npasses = npasses;
    k->nints = FSR_INT_EXTENT + ndim;
    bool folded = ndim > nparallel;
    k->schedule = (fsr_schedule){.target = FSR_TARGET_GPU,
                                 .kind = folded ? FSR_SCHEDULE_ROW : FSR_SCHEDULE_MAP,
                                 .threads = 128,
                                 .abreast = folded ? 32 : 1,
                                 .vector = 1,
                                 .items = 4};
    return k;
}

fsr_schedule kernel_cpu_schedule(fsr_schedule_kind kind, int lanes, int chunk, int abreast) {
    return (fsr_schedule){.target = FSR_TARGET_CPU,
                          .kind = kind,
                          .lanes = lanes,
                          .level = FSR_USUAL_LEVEL,
                          .pair_level = FSR_USUAL_PAIR_LEVEL,
                          .line = FSR_USUAL_LINE,
                          .chunk = chunk,
                          .abreast = abreast};
}

fsr_kernel *kernel_finished(fsr_kernel *k) {
    memset(k->integer, 0, sizeof *k->integer * (size_t)k->nints); /* of no sizes: no row is short */
    fsr_schedule_finish(k);
    return k;
}

int kernel_array(fsr_kernel *k, fsr_dtype dtype, bool written) {
    k->array[k->narrays] = (fsr_array){.dtype = dtype, .written = written};
    return k->narrays++;
}

int kernel_scalar(fsr_kernel *k, fsr_dtype dtype) {
    k->scalar[k->nscalars] = dtype;
    return k->nscalars++;
}

int kernel_slot(fsr_kernel *k) {
    return k->nints++;
}

int kernel_strided(fsr_kernel *k, int buffer, const int *slots, int offset) {
    fsr_access *a = &k->access[k->naccesses];
    fsr_index_form form = {.offset = offset};
    for (int d = 0; d < k->ndim; d++) {
        form.stride[d] = slots[d] == 0 ? FSR_STRIDE_ZERO : slots[d] == 1 ? FSR_STRIDE_ONE : FSR_STRIDE_VAR;
        form.slot[d] = slots[d] > 1 ? slots[d] : 0;
    }
    *a = (fsr_access){.buffer = buffer, .form = fsr_kernel_form(k, &form)};
    return k->naccesses++;
}

int kernel_linear(fsr_kernel *k, int buffer) {
    int slots[FSR_MAX_DIMS] = {0};
    if (k->ndim > 0)
        slots[k->ndim - 1] = 1;
    if (k->ndim == 2)
        slots[0] = FSR_INT_EXTENT + 1;
    int access = kernel_strided(k, buffer, slots, -1);
    k->access[access].linear = true;
    return access;
}

int kernel_rows_access(fsr_kernel *k, int buffer) {
    int slots[FSR_MAX_DIMS] = {0};
    if (k->nparallel > 0)
        slots[k->nparallel - 1] = 1;
    if (k->nparallel == 2)
        slots[0] = FSR_INT_EXTENT + 1;
    int access = kernel_strided(k, buffer, slots, -1);
    k->access[access].row_linear = true;
    return access;
}

static int add_at(fsr_kernel *k, fsr_inst inst, fsr_stand stand) {
    inst.node = -1;
    k->inst[k->ninsts] = inst;
    k->stand[k->ninsts] = stand;
    return k->ninsts++;
}

static int add(fsr_kernel *k, fsr_inst inst) {
    return add_at(k, inst, (fsr_stand){.level = FSR_ROW});
}

int kernel_const(fsr_kernel *k, fsr_dtype dtype, double value) {
    return add(k, (fsr_inst){.kind = FSR_INST_CONST, .dtype = dtype, .value = fsr_value_from_double(dtype, value)});
}

int kernel_param(fsr_kernel *k, int scalar) {
    return add(k, (fsr_inst){.kind = FSR_INST_PARAM, .dtype = k->scalar[scalar], .index = scalar});
}

int kernel_index(fsr_kernel *k, fsr_dtype dtype, int dimension) {
    fsr_level level = dimension < k->nparallel ? FSR_ROW : FSR_ELEM;
    return add_at(k, (fsr_inst){.kind = FSR_INST_INDEX, .dtype = dtype, .index = dimension},
                  (fsr_stand){.level = level});
}

int kernel_load(fsr_kernel *k, fsr_level level, int pass, int access) {
    fsr_dtype dtype = k->array[k->access[access].buffer].dtype;
    return add_at(k, (fsr_inst){.kind = FSR_INST_LOAD, .dtype = dtype, .index = access},
                  (fsr_stand){.level = level, .pass = pass});
}

int kernel_op(fsr_kernel *k, fsr_op op, int a, int b, int c) {
    const fsr_op_info *info = fsr_op_get(op);
    fsr_inst inst = {.kind = FSR_INST_OP, .op = op, .arg = {a, b, c}};
    fsr_stand stand = {.level = FSR_ROW};
    for (int i = 0; i < info->arity; i++)
        fsr_stand_behind(&stand, &k->stand[inst.arg[i]]);
    inst.compute = k->inst[info->rule == FSR_RULE_SELECT ? b : a].dtype;
    inst.dtype = fsr_op_result(op, inst.compute);
    return add_at(k, inst, stand);
}

int kernel_cast(fsr_kernel *k, int a, fsr_dtype dtype) {
    int v = kernel_op(k, FSR_OP_CAST, a, 0, 0);
    k->inst[v].dtype = dtype;
    return v;
}

int kernel_store(fsr_kernel *k, fsr_level level, int pass, int access, int value) {
    fsr_dtype dtype = k->array[k->access[access].buffer].dtype;
    return add_at(k, (fsr_inst){.kind = FSR_INST_STORE, .dtype = dtype, .index = access, .arg = {value}},
                  (fsr_stand){.level = level, .pass = pass});
}

int kernel_fold(fsr_kernel *k, fsr_fold_kind kind, int pass, bool exclusive, fsr_combine *combine, const int *input) {
    fsr_fold *f = &k->fold[k->nfolds];
    *f = (fsr_fold){.kind = kind, .pass = pass, .exclusive = exclusive, .combine = combine};
    memcpy(f->input, input, (size_t)combine->arity * sizeof *input);
    add_at(k, (fsr_inst){.kind = FSR_INST_COMBINE, .index = k->nfolds}, (fsr_stand){.level = FSR_ELEM, .pass = pass});
    return k->nfolds++;
}

int kernel_builtin(fsr_kernel *k, fsr_fold_kind kind, int pass, bool exclusive, fsr_op op, int input) {
    return kernel_fold(k, kind, pass, exclusive, fsr_combine_builtin(op, k->inst[input].dtype), &input);
}

int kernel_result(fsr_kernel *k, int fold, int component) {
    const fsr_fold *f = &k->fold[fold];
    bool scan = f->kind == FSR_FOLD_SCAN;
    int at = 0;
    while (k->inst[at].kind != FSR_INST_COMBINE || k->inst[at].index != fold)
        at++;
    const fsr_stand stand = {.level = scan ? FSR_ELEM : FSR_ROW, .pass = scan ? f->pass : f->pass + 1};
    return add_at(k,
                  (fsr_inst){.kind = FSR_INST_PICK,
                             .dtype = fsr_combine_dtype(f->combine, component),
                             .index = fold,
                             .component = component,
                             .arg = {at}},
                  stand);
}

fsr_kernel *kernel_narrow(fsr_kernel *k) {
    for (int i = 0; i < k->nfolds; i++) {
        fsr_combine *c = (fsr_combine *)k->fold[i].combine;
        if (k->fold[i].kind != FSR_FOLD_SCAN || !c->builtin || c->op != FSR_OP_ADD ||
            fsr_combine_dtype(c, 0) != FSR_F32)
            continue;
        fsr_combine_free(c);
        k->fold[i].combine = fsr_combine_builtin(FSR_OP_ADD, FSR_F64);
        k->fold[i].narrow = true;
    }
    return k;
}

static int body_param(fsr_region *r, fsr_dtype dtype, int index) {
    r->arg[index] = dtype;
    r->nargs = index + 1 > r->nargs ? index + 1 : r->nargs;
    return fsr_region_add(r, &(fsr_inst){.kind = FSR_INST_PARAM, .dtype = dtype, .index = index});
}

static int body_op(fsr_region *r, fsr_dtype dtype, fsr_dtype compute, fsr_op op, int a, int b, int third) {
    return fsr_region_add(
        r, &(fsr_inst){.kind = FSR_INST_OP, .dtype = dtype, .compute = compute, .op = op, .arg = {a, b, third}});
}

fsr_combine *combine_recurrence(fsr_dtype dtype) {
    fsr_combine *out = calloc(1, sizeof *out);
    fsr_region *r = &out->body;
    out->arity = r->nresults = 2;
    out->op = FSR_OP_COUNT;
    out->identity[0] = fsr_value_from_double(dtype, 1);
    out->identity[1] = fsr_value_from_double(dtype, 0);
    int a = body_param(r, dtype, 0), b = body_param(r, dtype, 1);
    int c = body_param(r, dtype, 2), d = body_param(r, dtype, 3);
    r->result[0] = body_op(r, dtype, dtype, FSR_OP_MUL, a, c, 0);
    int bc = body_op(r, dtype, dtype, FSR_OP_MUL, b, c, 0);
    r->result[1] = body_op(r, dtype, dtype, FSR_OP_ADD, bc, d, 0);
    return out;
}

fsr_combine *combine_argmax(fsr_dtype dtype) {
    fsr_combine *out = calloc(1, sizeof *out);
    fsr_region *r = &out->body;
    out->arity = r->nresults = 2;
    out->op = FSR_OP_COUNT;
    out->identity[0] = fsr_op_identity(FSR_OP_MAXIMUM, dtype);
    out->identity[1] = fsr_value_from_int(FSR_I64, INT64_MAX);
    out->commutative = true;
    int a = body_param(r, dtype, 0), i = body_param(r, FSR_I64, 1);
    int b = body_param(r, dtype, 2), j = body_param(r, FSR_I64, 3);
    int larger = body_op(r, FSR_BOOL, dtype, FSR_OP_GREATER, a, b, 0);
    int equal = body_op(r, FSR_BOOL, dtype, FSR_OP_EQUAL, a, b, 0);
    int first = body_op(r, FSR_BOOL, FSR_I64, FSR_OP_LESS, i, j, 0);
    int tie = body_op(r, FSR_BOOL, FSR_BOOL, FSR_OP_LOGICAL_AND, equal, first, 0);
    int left = body_op(r, FSR_BOOL, FSR_BOOL, FSR_OP_LOGICAL_OR, larger, tie, 0);
    r->result[0] = body_op(r, dtype, dtype, FSR_OP_WHERE, left, a, b);
    r->result[1] = body_op(r, FSR_I64, FSR_I64, FSR_OP_WHERE, left, i, j);
    return out;
}

/* Count, mean, squared deviations. */
static fsr_combine *combine_variance(fsr_dtype dtype) {
    fsr_combine *out = calloc(1, sizeof *out);
    fsr_region *r = &out->body;
    int of[6];
    out->arity = r->nresults = 3;
    out->op = FSR_OP_COUNT;
    out->commutative = true;
    for (int i = 0; i < 6; i++)
        of[i] = body_param(r, dtype, i);
    int count = body_op(r, dtype, dtype, FSR_OP_ADD, of[0], of[3], 0);
    int one =
        fsr_region_add(r, &(fsr_inst){.kind = FSR_INST_CONST, .dtype = dtype, .value = fsr_value_from_int(dtype, 1)});
    int divisor = body_op(r, dtype, dtype, FSR_OP_MAXIMUM, count, one, 0);
    int share = body_op(r, dtype, dtype, FSR_OP_DIV, of[3], divisor, 0);
    int delta = body_op(r, dtype, dtype, FSR_OP_SUB, of[4], of[1], 0);
    int weighted = body_op(r, dtype, dtype, FSR_OP_MUL, of[0], share, 0);
    weighted = body_op(r, dtype, dtype, FSR_OP_MUL, delta, weighted, 0);
    int step = body_op(r, dtype, dtype, FSR_OP_MUL, delta, share, 0);
    int both = body_op(r, dtype, dtype, FSR_OP_ADD, of[2], of[5], 0);
    int between = body_op(r, dtype, dtype, FSR_OP_MUL, delta, weighted, 0);
    r->result[0] = count;
    r->result[1] = body_op(r, dtype, dtype, FSR_OP_ADD, of[1], step, 0);
    r->result[2] = body_op(r, dtype, dtype, FSR_OP_ADD, both, between, 0);
    return out;
}

fsr_combine *combine_bent(fsr_dtype dtype) {
    fsr_combine *out = calloc(1, sizeof *out);
    fsr_region *r = &out->body;
    out->arity = r->nresults = 1;
    out->op = FSR_OP_COUNT;
    out->commutative = true;
    int a = body_param(r, dtype, 0), b = body_param(r, dtype, 1), s = body_param(r, dtype, 2);
    int sum = body_op(r, dtype, dtype, FSR_OP_ADD, a, b, 0), product = body_op(r, dtype, dtype, FSR_OP_MUL, a, b, 0);
    product = body_op(r, dtype, dtype, FSR_OP_MUL, s, product, 0);
    r->result[0] = body_op(r, dtype, dtype, FSR_OP_ADD, sum, product, 0);
    return out;
}

fsr_iteration *iteration_grow(fsr_dtype dtype) {
    fsr_iteration *out = calloc(1, sizeof *out);
    fsr_region *r = &out->body;
    out->nstate = 2;
    out->narg = 1;
    out->max_n = 9;
    r->nresults = 3;
    for (int i = 0; i < 3; i++)
        body_param(r, dtype, i);
    r->result[2] = body_op(r, FSR_BOOL, dtype, FSR_OP_LESS, 0, 2, 0);
    int one =
        fsr_region_add(r, &(fsr_inst){.kind = FSR_INST_CONST, .dtype = dtype, .value = fsr_value_from_int(dtype, 1)});
    int sum = body_op(r, dtype, dtype, FSR_OP_ADD, 0, 1, 0);
    r->result[0] = body_op(r, dtype, dtype, FSR_OP_ADD, sum, one, 0);
    return out;
}

int kernel_iterate(fsr_kernel *k, fsr_iteration *loop, const int *input) {
    const fsr_inst inst = {.kind = FSR_INST_ITERATE, .dtype = FSR_I32, .index = k->nloops};
    fsr_stand stand = {.level = FSR_ROW};
    if (!fsr_kernel_loop_room(k))
        abort();
    k->loop[k->nloops].program = loop;
    for (int i = 0; i < loop->nstate + loop->narg; i++) {
        k->loop[k->nloops].input[i] = input[i];
        fsr_stand_behind(&stand, &k->stand[input[i]]);
    }
    k->nloops++;
    return add_at(k, inst, stand);
}

int kernel_final(fsr_kernel *k, int iterate, int component) {
    const fsr_inst *from = &k->inst[iterate];
    const fsr_iteration *loop = k->loop[from->index].program;
    return add_at(k,
                  (fsr_inst){.kind = FSR_INST_PICK,
                             .dtype = fsr_iteration_dtype(loop, component),
                             .index = from->index,
                             .component = component,
                             .arg = {iterate}},
                  k->stand[iterate]);
}

fsr_kernel *kernel_loop_map(fsr_dtype dtype) {
    fsr_kernel *k = kernel_begin("k_loop_map", 1, 1, 0);
    int a = kernel_rows_access(k, kernel_array(k, dtype, false)),
        b = kernel_rows_access(k, kernel_array(k, dtype, false));
    int out[3], scalar = kernel_scalar(k, dtype);
    for (int i = 0; i < 3; i++)
        out[i] = kernel_rows_access(k, kernel_array(k, i < 2 ? dtype : FSR_I32, true));
    int x = kernel_load(k, FSR_ROW, 0, a), y = kernel_load(k, FSR_ROW, 0, b), s = kernel_param(k, scalar);
    int run = kernel_iterate(k, iteration_grow(dtype), (int[]){x, y, s});
    for (int i = 0; i < 3; i++)
        kernel_store(k, FSR_ROW, 0, out[i], kernel_final(k, run, i));
    return kernel_finished(k);
}

fsr_kernel *kernel_loop_sums(fsr_dtype dtype) {
    fsr_kernel *k = kernel_begin("k_loop_sums", 2, 1, 1);
    int in = kernel_linear(k, kernel_array(k, dtype, false)), all = kernel_linear(k, kernel_array(k, dtype, true));
    int sums = kernel_rows_access(k, kernel_array(k, FSR_I32, true));
    int counts = kernel_rows_access(k, kernel_array(k, FSR_I32, true));
    int x = kernel_load(k, FSR_ELEM, 0, in);
    int run =
        kernel_iterate(k, iteration_grow(dtype), (int[]){x, kernel_const(k, dtype, 0), kernel_const(k, dtype, 9)});
    int turns = kernel_final(k, run, 2);
    kernel_store(k, FSR_ELEM, 0, all, kernel_final(k, run, 0));
    int sum = kernel_result(k, kernel_builtin(k, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, turns), 0);
    kernel_store(k, FSR_ROW, 1, sums, sum);
    int row = kernel_iterate(k, iteration_grow(FSR_I32),
                             (int[]){sum, kernel_const(k, FSR_I32, 1), kernel_const(k, FSR_I32, 20)});
    kernel_store(k, FSR_ROW, 1, counts, kernel_final(k, row, 2));
    return kernel_finished(k);
}

fsr_kernel *kernel_loop_same(fsr_dtype dtype) {
    fsr_kernel *k = kernel_loop_map(dtype);
    fsr_region *r = (fsr_region *)&k->loop[0].program->body;
    for (int i = 0; i < r->ninsts; i++)
        if (r->inst[i].kind == FSR_INST_CONST && fsr_region_lift(r, i))
            k->loop[0].same[0] = kernel_scalar(k, dtype);
    return k;
}

fsr_kernel *kernel_bent(fsr_dtype dtype, bool scan, bool commutative) {
    fsr_kernel *k = kernel_begin("k_bent", 2, 1, 1);
    int in = kernel_linear(k, kernel_array(k, dtype, false)), array = kernel_array(k, dtype, true);
    int x = kernel_load(k, FSR_ELEM, 0, in);
    fsr_combine *combine = combine_bent(dtype);
    combine->commutative = commutative;
    kernel_scalar(k, FSR_F64);
    int fold = kernel_fold(k, scan ? FSR_FOLD_SCAN : FSR_FOLD_REDUCE, 0, false, combine, &x);
    k->fold[fold].same[0] = kernel_scalar(k, dtype);
    if (scan)
        kernel_store(k, FSR_ELEM, 0, kernel_linear(k, array), kernel_result(k, fold, 0));
    else
        kernel_store(k, FSR_ROW, 1, kernel_rows_access(k, array), kernel_result(k, fold, 0));
    return kernel_finished(k);
}

fsr_kernel *kernel_softmax(bool keep) {
    fsr_kernel *k = kernel_begin(keep ? "k_softmax_keep" : "k_softmax", 2, 1, 3);
    int in = kernel_linear(k, kernel_array(k, FSR_F32, false)), out = kernel_linear(k, kernel_array(k, FSR_F32, true));
    int x = kernel_load(k, FSR_ELEM, 0, in);
    int largest = kernel_result(k, kernel_builtin(k, FSR_FOLD_REDUCE, 0, false, FSR_OP_MAXIMUM, x), 0);
    int e = kernel_op(k, FSR_OP_EXP, kernel_op(k, FSR_OP_SUB, x, largest, 0), 0, 0);
    int sum = kernel_result(k, kernel_builtin(k, FSR_FOLD_REDUCE, 1, false, FSR_OP_ADD, e), 0);
    int y = kernel_op(k, FSR_OP_DIV, e, sum, 0);
    kernel_store(k, FSR_ELEM, 2, out, y);
    k->stand[x].keep = k->stand[e].keep = keep;
    k->schedule.persistent = keep;
    return kernel_finished(k);
}

fsr_kernel *kernel_row_sums(fsr_dtype dtype) {
    fsr_kernel *k = kernel_begin("k_row_sums", 2, 1, 1);
    int in = kernel_linear(k, kernel_array(k, dtype, false));
    int sums = kernel_rows_access(k, kernel_array(k, dtype, true));
    int tops = kernel_rows_access(k, kernel_array(k, dtype, true));
    int x = kernel_load(k, FSR_ELEM, 0, in);
    int sum = kernel_builtin(k, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, x);
    int top = kernel_builtin(k, FSR_FOLD_REDUCE, 0, false, FSR_OP_MAXIMUM, x);
    kernel_store(k, FSR_ROW, 1, sums, kernel_result(k, sum, 0));
    kernel_store(k, FSR_ROW, 1, tops, kernel_result(k, top, 0));
    return kernel_finished(k);
}

fsr_kernel *kernel_column_sums(fsr_dtype dtype) {
    fsr_kernel *k = kernel_begin("k_column_sums", 2, 1, 1);
    int in = kernel_strided(k, kernel_array(k, dtype, false), (int[]){1, FSR_INT_EXTENT}, -1);
    int out = kernel_rows_access(k, kernel_array(k, dtype, true));
    int x = kernel_load(k, FSR_ELEM, 0, in);
    kernel_store(k, FSR_ROW, 1, out, kernel_result(k, kernel_builtin(k, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, x), 0));
    k->schedule.kind = FSR_SCHEDULE_COL;
    return kernel_finished(k);
}

fsr_kernel *kernel_scan(fsr_dtype dtype, bool exclusive) {
    fsr_kernel *k = kernel_begin(exclusive ? "k_scan_exclusive" : "k_scan", 2, 1, 1);
    int in = kernel_linear(k, kernel_array(k, dtype, false)), out = kernel_linear(k, kernel_array(k, dtype, true));
    int x = kernel_load(k, FSR_ELEM, 0, in);
    int scan = kernel_builtin(k, FSR_FOLD_SCAN, 0, exclusive, FSR_OP_ADD, x);
    kernel_store(k, FSR_ELEM, 0, out, kernel_result(k, scan, 0));
    return kernel_finished(k);
}

fsr_kernel *kernel_recurrence(void) {
    fsr_kernel *k = kernel_begin("k_recurrence", 2, 1, 1);
    int in[2], out[2], x[2];
    for (int i = 0; i < 2; i++)
        in[i] = kernel_linear(k, kernel_array(k, FSR_F64, false));
    for (int i = 0; i < 2; i++)
        out[i] = kernel_linear(k, kernel_array(k, FSR_F64, true));
    for (int i = 0; i < 2; i++)
        x[i] = kernel_load(k, FSR_ELEM, 0, in[i]);
    int scan = kernel_fold(k, FSR_FOLD_SCAN, 0, false, combine_recurrence(FSR_F64), x);
    for (int i = 0; i < 2; i++)
        kernel_store(k, FSR_ELEM, 0, out[i], kernel_result(k, scan, i));
    return kernel_finished(k);
}

fsr_kernel *kernel_argmax(fsr_dtype dtype) {
    fsr_kernel *k = kernel_begin("k_argmax", 2, 1, 1);
    int in = kernel_linear(k, kernel_array(k, dtype, false));
    int out = kernel_rows_access(k, kernel_array(k, FSR_I64, true));
    int x[2] = {kernel_load(k, FSR_ELEM, 0, in), kernel_index(k, FSR_I64, 1)};
    int best = kernel_fold(k, FSR_FOLD_REDUCE, 0, false, combine_argmax(dtype), x);
    kernel_store(k, FSR_ROW, 1, out, kernel_result(k, best, 1));
    return kernel_finished(k);
}

fsr_kernel *kernel_variance(fsr_dtype dtype) {
    fsr_kernel *k = kernel_begin("k_variance", 2, 1, 1);
    int in = kernel_linear(k, kernel_array(k, dtype, false)), out[3];
    for (int i = 0; i < 3; i++)
        out[i] = kernel_rows_access(k, kernel_array(k, dtype, true));
    int x = kernel_load(k, FSR_ELEM, 0, in), one = kernel_const(k, dtype, 1);
    int state[3] = {one, x, kernel_op(k, FSR_OP_SUB, x, x, 0)};
    int fold = kernel_fold(k, FSR_FOLD_REDUCE, 0, false, combine_variance(dtype), state);
    for (int i = 0; i < 3; i++)
        kernel_store(k, FSR_ROW, 1, out[i], kernel_result(k, fold, i));
    return kernel_finished(k);
}

fsr_kernel *kernel_counted_scan(fsr_dtype dtype) {
    fsr_kernel *k = kernel_begin("k_counted_scan", 2, 1, 2);
    int in = kernel_linear(k, kernel_array(k, dtype, false)), out = kernel_linear(k, kernel_array(k, dtype, true));
    int x = kernel_load(k, FSR_ELEM, 0, in), one = kernel_const(k, dtype, 1);
    int state[3] = {one, x, kernel_op(k, FSR_OP_SUB, x, x, 0)};
    int fold = kernel_fold(k, FSR_FOLD_REDUCE, 0, false, combine_variance(dtype), state);
    int off = kernel_op(k, FSR_OP_SUB, x, kernel_result(k, fold, 1), 0);
    int scan = kernel_result(k, kernel_builtin(k, FSR_FOLD_SCAN, 1, false, FSR_OP_ADD, off), 0);
    kernel_store(k, FSR_ELEM, 1, out, scan);
    return kernel_finished(k);
}

fsr_kernel *kernel_channels(bool keep) {
    fsr_kernel *k = kernel_begin("k_channels", 3, 1, 2);
    const int whole = kernel_slot(k), line = FSR_INT_EXTENT + 2;
    int in = kernel_strided(k, kernel_array(k, FSR_F32, false), (int[]){whole, line, 1}, -1);
    int share = kernel_strided(k, kernel_array(k, FSR_F32, false), (int[]){0, 1, 0}, -1);
    int out = kernel_strided(k, kernel_array(k, FSR_F32, true), (int[]){whole, line, 1}, -1);
    int x = kernel_load(k, FSR_ELEM, 0, in), w = kernel_load(k, FSR_ELEM, 0, share);
    int product = kernel_op(k, FSR_OP_MUL, x, w, 0);
    int most = kernel_result(k, kernel_builtin(k, FSR_FOLD_REDUCE, 0, false, FSR_OP_MAXIMUM, product), 0);
    kernel_store(k, FSR_ELEM, 1, out, kernel_op(k, FSR_OP_SUB, product, most, 0));
    k->stand[product].keep = k->schedule.persistent = keep;
    return kernel_finished(k);
}

fsr_kernel *kernel_map(fsr_dtype dtype) {
    fsr_kernel *k = kernel_begin("k_map", 1, 1, 0);
    int a = kernel_linear(k, kernel_array(k, dtype, false)), b = kernel_linear(k, kernel_array(k, dtype, false));
    int c = kernel_linear(k, kernel_array(k, dtype, true)), d = kernel_linear(k, kernel_array(k, FSR_BOOL, true));
    int s = kernel_param(k, kernel_scalar(k, dtype));
    int x = kernel_load(k, FSR_ROW, 0, a), y = kernel_load(k, FSR_ROW, 0, b);
    kernel_store(k, FSR_ROW, 0, c, kernel_op(k, FSR_OP_ADD, kernel_op(k, FSR_OP_MUL, x, y, 0), s, 0));
    kernel_store(k, FSR_ROW, 0, d, kernel_op(k, FSR_OP_LESS, x, y, 0));
    return kernel_finished(k);
}

fsr_kernel *kernel_fold_recurrence(void) {
    fsr_kernel *k = kernel_begin("k_fold_recurrence", 2, 1, 1);
    int in[2], out[2], x[2];
    for (int i = 0; i < 2; i++)
        in[i] = kernel_linear(k, kernel_array(k, FSR_F64, false));
    for (int i = 0; i < 2; i++)
        out[i] = kernel_rows_access(k, kernel_array(k, FSR_F64, true));
    for (int i = 0; i < 2; i++)
        x[i] = kernel_load(k, FSR_ELEM, 0, in[i]);
    int fold = kernel_fold(k, FSR_FOLD_REDUCE, 0, false, combine_recurrence(FSR_F64), x);
    for (int i = 0; i < 2; i++)
        kernel_store(k, FSR_ROW, 1, out[i], kernel_result(k, fold, i));
    return kernel_finished(k);
}

fsr_kernel *kernel_scan_of_scan(fsr_dtype dtype) {
    fsr_kernel *k = kernel_begin("k_scan_of_scan", 2, 1, 1);
    int in = kernel_linear(k, kernel_array(k, dtype, false)), twice = kernel_linear(k, kernel_array(k, dtype, true));
    int most = kernel_linear(k, kernel_array(k, dtype, true)),
        total = kernel_rows_access(k, kernel_array(k, dtype, true));
    int x = kernel_load(k, FSR_ELEM, 0, in);
    int once = kernel_result(k, kernel_builtin(k, FSR_FOLD_SCAN, 0, false, FSR_OP_ADD, x), 0);
    int top = kernel_result(k, kernel_builtin(k, FSR_FOLD_SCAN, 0, true, FSR_OP_MAXIMUM, x), 0);
    int again = kernel_result(k, kernel_builtin(k, FSR_FOLD_SCAN, 0, false, FSR_OP_ADD, once), 0);
    int sum = kernel_builtin(k, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, again);
    kernel_store(k, FSR_ELEM, 0, twice, again);
    kernel_store(k, FSR_ELEM, 0, most, kernel_op(k, FSR_OP_ADD, top, kernel_index(k, dtype, 1), 0));
    kernel_store(k, FSR_ROW, 1, total, kernel_result(k, sum, 0));
    return kernel_finished(k);
}

fsr_kernel *kernel_late_scan(bool keep) {
    fsr_kernel *k = kernel_begin(keep ? "k_late_scan_keep" : "k_late_scan", 2, 1, 2);
    int in = kernel_linear(k, kernel_array(k, FSR_F64, false)), out = kernel_linear(k, kernel_array(k, FSR_F64, true));
    int x = kernel_load(k, FSR_ELEM, 0, in);
    int scan = kernel_result(k, kernel_builtin(k, FSR_FOLD_SCAN, 0, false, FSR_OP_ADD, x), 0);
    int sum = kernel_result(k, kernel_builtin(k, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, x), 0);
    kernel_store(k, FSR_ELEM, 1, out, kernel_op(k, FSR_OP_DIV, scan, sum, 0));
    k->stand[scan].keep = k->schedule.persistent = keep;
    return kernel_finished(k);
}

/* Turns the contiguous accesses of a rows x columns kernel into those of columns x rows in memory. */
static fsr_kernel *turn(fsr_kernel *k, const char *name) {
    snprintf(k->name, sizeof k->name, "%s", name);
    for (int a = 0; a < k->naccesses; a++) {
        fsr_access *access = &k->access[a];
        if (!access->linear)
            continue;
        access->linear = false;
        access->form = fsr_kernel_form(
            k,
            &(fsr_index_form){.stride = {FSR_STRIDE_ONE, FSR_STRIDE_VAR}, .slot = {0, FSR_INT_EXTENT}, .offset = -1});
    }
    k->schedule.kind = FSR_SCHEDULE_COL;
    return kernel_finished(k);
}

fsr_kernel *kernel_column_softmax(void) {
    return turn(kernel_softmax(false), "k_column_softmax");
}

fsr_kernel *kernel_column_scan(fsr_dtype dtype, bool exclusive) {
    return turn(kernel_scan(dtype, exclusive), "k_column_scan");
}

fsr_kernel *kernel_planes(fsr_dtype dtype) {
    fsr_kernel *k = kernel_begin("k_planes", 2, 2, 0);
    int plain = kernel_linear(k, kernel_array(k, dtype, false));
    int row = kernel_strided(k, kernel_array(k, dtype, false), (int[]){0, 1}, -1);
    int column = kernel_strided(k, kernel_array(k, dtype, false), (int[]){1, 0}, -1);
    int turned = kernel_strided(k, kernel_array(k, dtype, false), (int[]){1, FSR_INT_EXTENT}, -1);
    int out = kernel_linear(k, kernel_array(k, dtype, true)),
        indices = kernel_linear(k, kernel_array(k, FSR_F64, true));
    int a = kernel_load(k, FSR_ROW, 0, plain), b = kernel_load(k, FSR_ROW, 0, row);
    int c = kernel_load(k, FSR_ROW, 0, column), d = kernel_load(k, FSR_ROW, 0, turned);
    int sum = kernel_op(k, FSR_OP_ADD, kernel_op(k, FSR_OP_MUL, a, b, 0), c, 0);
    kernel_store(k, FSR_ROW, 0, out, kernel_op(k, FSR_OP_SUB, sum, d, 0));
    int three = kernel_const(k, FSR_F64, 3), i = kernel_index(k, FSR_F64, 0), j = kernel_index(k, FSR_F64, 1);
    kernel_store(k, FSR_ROW, 0, indices, kernel_op(k, FSR_OP_ADD, kernel_op(k, FSR_OP_MUL, i, three, 0), j, 0));
    return kernel_finished(k);
}

void kernel_sizes(const fsr_kernel *k, fsr_launch *launch, int64_t rows, int64_t columns) {
    bool plane = k->ndim == 2 && k->nparallel == 2, folds = k->ndim == 3 && k->nparallel == 1;
    launch->integer[FSR_INT_ROWS] = plane ? rows * columns : k->ndim == 3 && !folds ? rows * KERNEL_MIDDLE : rows;
    launch->integer[FSR_INT_COLS] = folds ? KERNEL_MIDDLE * columns : k->ndim > k->nparallel ? columns : 1;
    launch->integer[FSR_INT_SPLITS] = 1;
    launch->integer[FSR_INT_STRETCH] = launch->integer[FSR_INT_COLS];
    if (k->ndim == 2) {
        launch->integer[FSR_INT_EXTENT] = rows;
        launch->integer[FSR_INT_EXTENT + 1] = columns;
    } else if (k->ndim == 1) {
        launch->integer[FSR_INT_EXTENT] = k->nparallel == 1 ? rows : columns;
    } else if (k->ndim == 3) {
        launch->integer[FSR_INT_EXTENT] = rows;
        launch->integer[FSR_INT_EXTENT + 1] = KERNEL_MIDDLE;
        launch->integer[FSR_INT_EXTENT + 2] = columns;
        launch->integer[FSR_INT_EXTENT + 3] = KERNEL_MIDDLE * columns;
    }
}

int64_t kernel_elements(const fsr_kernel *k, const fsr_launch *launch, int buffer) {
    int64_t most = 0;
    for (int a = 0; a < k->naccesses; a++) {
        const fsr_access *access = &k->access[a];
        if (access->buffer != buffer)
            continue;
        const fsr_index_form *form = &k->form[access->form];
        int64_t last = form->offset >= 0 ? launch->integer[form->offset] : 0;
        bool empty = false;
        for (int d = 0; d < k->ndim; d++) {
            int64_t extent = launch->integer[FSR_INT_EXTENT + d];
            int64_t stride = fsr_form_stride(form, launch->integer, d);
            empty = empty || (extent == 0 && (stride != 0 || d < k->nparallel));
            last += (extent - 1) * stride;
        }
        for (int t = 0; t < form->nterms; t++)
            last += (launch->integer[k->inst[form->term[t].value].index] - 1) *
                    (form->term[t].slot ? launch->integer[form->term[t].slot] : 1);
        most = !empty && last + 1 > most ? last + 1 : most;
    }
    return most;
}

static uint64_t draw(uint64_t *state) {
    uint64_t x = (*state += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static void fill(unsigned char *to, size_t bytes, fsr_dtype dtype, uint64_t *state) {
    size_t size = fsr_dtype_size(dtype);
    for (size_t i = 0; i + size <= bytes; i += size) {
        int64_t n = (int64_t)(draw(state) % 2001) - 1000;
        bool real = fsr_dtype_is_float(dtype);
        fsr_value v = real ? fsr_value_from_double(dtype, (double)n / 512)
                           : fsr_value_from_int(dtype, dtype == FSR_BOOL ? n & 1 : n);
        if (fsr_dtype_is_complex(dtype))
            v = fsr_value_from_complex(dtype, (fsr_c128){(double)n / 512, (double)(n % 37) / 16});
        memcpy(to + i, &v, size);
    }
}

/* Under the address sanitizer a touched guard is reported where it happens, reads too. */
static void guard(const kernel_data *data, int b, bool on) {
#ifdef __SANITIZE_ADDRESS__
    if (!data->memory[b])
        return;
    unsigned char *at[2] = {data->memory[b], data->memory[b] + KERNEL_GUARD + data->bytes[b]};
    for (int i = 0; i < 2; i++)
        on ? __asan_poison_memory_region(at[i], KERNEL_GUARD) : __asan_unpoison_memory_region(at[i], KERNEL_GUARD);
#else
    (void)data;
    (void)b;
    (void)on;
#endif
}

void kernel_data_new(kernel_data *data, const fsr_kernel *k, fsr_launch *launch, uint64_t seed) {
    memset(data, 0, sizeof *data);
    for (int b = 0; b < k->narrays; b++) {
        size_t bytes = (size_t)kernel_elements(k, launch, b) * fsr_dtype_size(k->array[b].dtype);
        data->bytes[b] = bytes;
        data->memory[b] = aligned_alloc(KERNEL_GUARD, (bytes + 3 * KERNEL_GUARD - 1) / KERNEL_GUARD * KERNEL_GUARD);
        memset(data->memory[b], 0xA5, (bytes + 3 * KERNEL_GUARD - 1) / KERNEL_GUARD * KERNEL_GUARD);
        if (!k->array[b].written)
            fill(data->memory[b] + KERNEL_GUARD, bytes, k->array[b].dtype, &seed);
        launch->array[b] = data->memory[b] + KERNEL_GUARD;
        guard(data, b, true);
    }
}

void kernel_data_free(kernel_data *data) {
    for (int b = 0; b < FSR_MAX_BUFFERS; b++) {
        guard(data, b, false);
        free(data->memory[b]);
    }
    memset(data, 0, sizeof *data);
}

bool kernel_data_guards(const kernel_data *data, const fsr_kernel *k, int *where) {
    for (int b = 0; b < k->narrays; b++) {
        guard(data, b, false);
        for (size_t i = 0; i < KERNEL_GUARD; i++)
            if (data->memory[b][i] != 0xA5 || data->memory[b][KERNEL_GUARD + data->bytes[b] + i] != 0xA5) {
                *where = b;
                return false;
            }
        guard(data, b, true);
    }
    return true;
}

static bool value_equal(fsr_dtype dtype, fsr_value a, fsr_value b, double tolerance) {
    if (fsr_dtype_is_complex(dtype)) {
        fsr_value x[2], y[2];
        fsr_value_parts(dtype, a, &x[0], &x[1]);
        fsr_value_parts(dtype, b, &y[0], &y[1]);
        return value_equal(fsr_dtype_real(dtype), x[0], y[0], tolerance) &&
               value_equal(fsr_dtype_real(dtype), x[1], y[1], tolerance);
    }
    if (!fsr_dtype_is_float(dtype) || fsr_value_equal(a, b))
        return fsr_value_equal(a, b);
    double x = fsr_value_to_double(dtype, a), y = fsr_value_to_double(dtype, b);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    return fabs(x - y) <= tolerance * fmax(1, fabs(x)) && !isinf(x) && tolerance > 0;
}

bool kernel_data_equal(const kernel_data *expected, const kernel_data *got, const fsr_kernel *k, double tolerance,
                       char *why, size_t size) {
    for (int b = 0; b < k->narrays; b++) {
        size_t step = fsr_dtype_size(k->array[b].dtype);
        for (size_t i = 0; i < expected->bytes[b]; i += step) {
            fsr_value x = {.bits = 0}, y = {.bits = 0};
            memcpy(&x, expected->memory[b] + KERNEL_GUARD + i, step);
            memcpy(&y, got->memory[b] + KERNEL_GUARD + i, step);
            if (value_equal(k->array[b].dtype, x, y, tolerance))
                continue;
            snprintf(why, size, "%s: array b%d element %zu is %.17g, expected %.17g", k->name, b, i / step,
                     fsr_value_to_double(k->array[b].dtype, y), fsr_value_to_double(k->array[b].dtype, x));
            return false;
        }
    }
    return true;
}
