/* SPDX-License-Identifier: MIT */
/* Random kernels: a pool of values grows by ops and folds, pass by pass; whatever is in the pool may be used. */
#include "tests/support/kernels.h"

enum { POOL = 64 };

typedef struct maker {
    fsr_kernel *k;
    uint64_t state;
    fsr_dtype dtype;
    bool scans, along_rows;
    int limit;      /* values of later passes are not taken */
    bool rows_only; /* nor ELEM values */
    int pool[POOL], npool;
} maker;

static int pick(maker *m, int n) {
    uint64_t x = (m->state += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (int)((x ^ (x >> 31)) % (uint64_t)n);
}

static void put(maker *m, int value) {
    if (m->npool < POOL)
        m->pool[m->npool++] = value;
    else
        m->pool[pick(m, POOL)] = value;
}

/* Recent values are likelier, so that chains grow. A constant if nothing suits. */
static int any(maker *m) {
    for (int tries = 0; tries < 64 && m->npool > 0; tries++) {
        int near = m->npool < 6 || pick(m, 3) == 0 ? m->npool : 6;
        int value = m->pool[m->npool - 1 - pick(m, near)];
        const fsr_stand *stand = &m->k->stand[value];
        if (stand->pass <= m->limit && !(m->rows_only && stand->level == FSR_ELEM))
            return value;
    }
    return kernel_const(m->k, m->dtype, pick(m, 9));
}

static int to(maker *m, int value, fsr_dtype dtype) {
    return m->k->inst[value].dtype == dtype ? value : kernel_cast(m->k, value, dtype);
}

/* Contiguous over the domain, in the order of memory that the schedule wants. */
static int plain_access(maker *m, int buffer) {
    if (m->along_rows)
        return kernel_strided(m->k, buffer, (int[]){1, FSR_INT_EXTENT}, -1);
    return kernel_linear(m->k, buffer);
}

static void loads(maker *m) {
    fsr_kernel *k = m->k;
    for (int n = 1 + pick(m, 3); n > 0; n--)
        put(m, kernel_load(k, FSR_ELEM, 0, plain_access(m, kernel_array(k, m->dtype, false))));
    if (pick(m, 2))
        put(m, kernel_load(k, FSR_ROW, 0, kernel_rows_access(k, kernel_array(k, m->dtype, false))));
    if (pick(m, 2))
        put(m, kernel_load(k, FSR_ELEM, 0, kernel_strided(k, kernel_array(k, m->dtype, false), (int[]){0, 1}, -1)));
    if (pick(m, 3) == 0)
        put(m, kernel_load(k, FSR_ROW, 0, kernel_strided(k, kernel_array(k, m->dtype, false), (int[]){0, 0}, -1)));
    if (pick(m, 2))
        put(m,
            kernel_cast(k, kernel_load(k, FSR_ELEM, 0, plain_access(m, kernel_array(k, FSR_BOOL, false))), m->dtype));
    if (pick(m, 2))
        put(m, kernel_const(k, m->dtype, pick(m, 100)));
    if (pick(m, 2))
        put(m, kernel_param(k, kernel_scalar(k, m->dtype)));
    if (pick(m, 2))
        put(m, kernel_index(k, m->dtype, pick(m, 2)));
}

static void grow(maker *m) {
    static const fsr_op op[] = {FSR_OP_ADD,     FSR_OP_SUB, FSR_OP_MUL, FSR_OP_MAXIMUM,
                                FSR_OP_MINIMUM, FSR_OP_NEG, FSR_OP_ABS};
    for (int n = 2 + pick(m, 4); n > 0; n--) {
        int which = pick(m, 9);
        if (which < 7)
            put(m, kernel_op(m->k, op[which], any(m), any(m), 0));
        else if (which == 7)
            put(m, kernel_op(m->k, FSR_OP_WHERE, kernel_op(m->k, FSR_OP_LESS, any(m), any(m), 0), any(m), any(m)));
        else
            put(m, kernel_cast(m->k, kernel_op(m->k, FSR_OP_EQUAL, any(m), any(m), 0), m->dtype));
    }
}

static void fold(maker *m, fsr_fold_kind kind, int pass, bool exclusive) {
    static const fsr_op op[] = {FSR_OP_ADD, FSR_OP_MAXIMUM, FSR_OP_MINIMUM, FSR_OP_MUL};
    fsr_kernel *k = m->k;
    fsr_combine *combine;
    bool ordered = k->schedule.kind != FSR_SCHEDULE_TEAM;
    int which = pick(m, ordered ? 6 : 4), result[2] = {0, 0};
    if (which < 4) {
        put(m, kernel_result(k, kernel_builtin(k, kind, pass, exclusive, op[which], any(m)), 0));
        return;
    }
    int second = any(m);
    if (which == 4)
        combine = combine_recurrence(m->dtype);
    else {
        combine = combine_argmax(m->dtype);
        second = to(m, second, FSR_I64);
    }
    int f = kernel_fold(k, kind, pass, exclusive, combine, (int[]){any(m), second});
    for (int i = 0; i < 2; i++)
        result[i] = kernel_result(k, f, i);
    put(m, result[0]);
    put(m, to(m, result[1], m->dtype));
}

static void store(maker *m, int pass) {
    fsr_kernel *k = m->k;
    int out = kernel_array(k, m->dtype, true);
    if (pass < k->npasses)
        kernel_store(k, FSR_ELEM, pass, plain_access(m, out), any(m));
    else
        kernel_store(k, FSR_ROW, pass, kernel_rows_access(k, out), any(m));
}

static void one_pass(maker *m, int pass) {
    bool last = pass == m->k->npasses - 1;
    m->limit = pass;
    grow(m);
    for (int n = m->scans ? pick(m, 3) : 0; n > 0; n--) {
        fold(m, FSR_FOLD_SCAN, pass, pick(m, 2));
        grow(m);
    }
    for (int n = last ? pick(m, 3) : 1 + pick(m, 2); n > 0; n--)
        fold(m, FSR_FOLD_REDUCE, pass, false);
    for (int n = last ? 1 + pick(m, 2) : pick(m, 2); n > 0; n--)
        store(m, pass);
}

static void after_passes(maker *m) {
    m->limit = m->k->npasses;
    m->rows_only = true;
    grow(m);
    for (int n = pick(m, 3); n > 0; n--)
        store(m, m->k->npasses);
}

fsr_kernel *kernel_random(uint64_t seed, fsr_schedule schedule, bool scans) {
    static const fsr_dtype dtypes[] = {FSR_I32, FSR_I64, FSR_U8};
    bool one = schedule.kind == FSR_SCHEDULE_SPLIT || schedule.kind == FSR_SCHEDULE_LOOKBACK;
    maker m = {.state = seed, .scans = scans, .along_rows = schedule.kind == FSR_SCHEDULE_COL};
    m.dtype = dtypes[pick(&m, 3)];
    int passes = one || (m.along_rows && !scans) ? 1 : 1 + pick(&m, 3);
    m.k = kernel_begin("k_random", 2, 1, passes);
    m.k->schedule = schedule;
    loads(&m);
    for (int p = 0; p < passes; p++)
        one_pass(&m, p);
    after_passes(&m);
    for (int i = 0; i < m.k->ninsts && schedule.persistent; i++) {
        const fsr_inst_kind kind = m.k->inst[i].kind;
        const bool value = kind != FSR_INST_COMBINE && kind != FSR_INST_STORE;
        fsr_stand *stand = &m.k->stand[i];
        stand->keep = stand->level == FSR_ELEM && value && stand->pass < passes - 1 && pick(&m, 3) == 0;
    }
    return kernel_finished(m.k);
}
