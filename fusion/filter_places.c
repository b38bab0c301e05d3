/* SPDX-License-Identifier: MIT */
/* The places of a filter, for who stores each element by itself.
 *
 * An element that the mask selects goes to its count, the others from the end down: element i of a row of n with s
 * selected before it to n - 1 - (i - s), which as an index from the end is s - i - 1. The store then has an address
 * with a symbol, and nothing is left of the filter. Stores of one filter have one place.
 *
 * Counter-example to places in every kernel: who goes along the columns in order keeps count, and need not compute
 * where an element goes. A compiler that is given the numbers does not see that they follow one another. */
#include "fusion/filter.h"
#include "fusion/loop_ir_edit.h"
#include "fusion/schedule_parts.h"
#include <string.h>

/* An index that is outside however long the row is. */
static int nowhere(fsr_kernel *k, fsr_dtype dtype) {
    return fsr_kernel_constant(k, dtype, fsr_value_from_int(dtype, dtype == FSR_I32 ? INT32_MIN : INT64_MIN), -1);
}

static int from_end(fsr_kernel *k, int before, int number) {
    const fsr_dtype dtype = k->inst[before].dtype;
    const int one = fsr_kernel_constant(k, dtype, fsr_value_from_int(dtype, 1), -1);
    return fsr_kernel_op(k, FSR_OP_SUB, fsr_kernel_op(k, FSR_OP_SUB, before, number, -1), one, -1);
}

int fsr_kernel_place(fsr_kernel *k, int mask, int before, int number, bool front) {
    const int other = front ? nowhere(k, k->inst[before].dtype) : from_end(k, before, number);
    return fsr_kernel_cast(k, fsr_kernel_op(k, FSR_OP_WHERE, mask, before, other), FSR_I64);
}

/* ---- the place of a column ------------------------------------------------------------------------------------ */

static int index_of(fsr_kernel *k, int d, fsr_dtype dtype, int node) {
    fsr_inst inst = fsr_inst_blank(FSR_INST_INDEX, dtype, node);
    inst.index = d;
    return fsr_kernel_add_once(k, &inst, FSR_ELEM);
}

/* Columns from one element along dimension d to the next. */
static int64_t columns_of(const fsr_kernel *k, int d) {
    int64_t n = 1;
    for (int j = d + 1; j < k->ndim; ++j)
        n *= k->integer[FSR_INT_EXTENT + j];
    return n;
}

/* The number of the column, as a value. */
static int column_of(fsr_kernel *k, fsr_dtype dtype, int node) {
    int sum = -1;
    if (k->ndim - k->nparallel == 1)
        return index_of(k, k->nparallel, dtype, node);
    for (int d = k->nparallel; d < k->ndim; ++d) {
        const int64_t columns = columns_of(k, d);
        int term = index_of(k, d, FSR_I64, node);
        if (columns != 1)
            term = fsr_kernel_op(k, FSR_OP_MUL, term,
                                 fsr_kernel_constant(k, FSR_I64, fsr_value_from_int(FSR_I64, columns), -1), -1);
        sum = sum < 0 ? term : fsr_kernel_op(k, FSR_OP_ADD, sum, term, -1);
    }
    return fsr_kernel_cast(k, sum, dtype);
}

/* The symbol that leads a filter's store to its place. */
static int symbol_of(fsr_kernel *k, const fsr_inst *store) {
    const int number = store->front ? -1 : column_of(k, k->inst[store->arg[2]].dtype, store->node);
    fsr_inst inst = fsr_inst_blank(FSR_INST_INSIDE, FSR_I64, store->node);
    inst.arg[0] = fsr_kernel_place(k, store->arg[1], store->arg[2], number, store->front);
    inst.index = FSR_INT_COLS;
    inst.mode = FSR_INDEX_DROP;
    return inst.arg[0] < 0 ? -1 : fsr_kernel_add_once(k, &inst, FSR_ROW);
}

/* ---- room ------------------------------------------------------------------------------------------------------- */

/* What symbol_of makes, at most. */
static int most_instructions(const fsr_kernel *k) {
    return 7 + 4 * (k->ndim - k->nparallel);
}

static bool has_place_of(const fsr_kernel *k, int store, int earlier) {
    const fsr_inst *a = &k->inst[store], *b = &k->inst[earlier];
    return b->filter && a->arg[1] == b->arg[1] && a->arg[2] == b->arg[2] && a->front == b->front;
}

bool fsr_kernel_has_places(const fsr_kernel *k) {
    int n = k->ninsts;
    for (int i = 0; i < k->ninsts; ++i) {
        bool own = k->inst[i].filter;
        for (int j = 0; own && j < i; ++j)
            own = !has_place_of(k, i, j);
        n += own ? most_instructions(k) : 0;
    }
    return n <= FSR_MAX_INSTS;
}

/* ---- stores ----------------------------------------------------------------------------------------------------- */

/* Instructions from `from` on have numbers `by` higher. */
static void shift(fsr_kernel *k, int from, int by) {
    int at[FSR_MAX_INSTS];
    for (int i = 0; i < FSR_MAX_INSTS; ++i)
        at[i] = i < from ? i : i + by;
    fsr_kernel_renumber(k, from + by, at);
    for (int f = 0; f < k->nforms; ++f)
        for (int t = 0; t < k->form[f].nterms; ++t)
            k->form[f].term[t].value = at[k->form[f].term[t].value];
}

static void move(fsr_kernel *k, int to, int from, int n) {
    memmove(&k->inst[to], &k->inst[from], sizeof k->inst[0] * (size_t)n);
    memmove(&k->stand[to], &k->stand[from], sizeof k->stand[0] * (size_t)n);
}

/* The symbol of store *number, computed before it: what comes from there on waits at the end of the room. */
static int insert_symbol(fsr_kernel *k, int *number) {
    const int first = *number, rest = k->ninsts - first, waits = FSR_MAX_INSTS - rest;
    const fsr_inst store = k->inst[first];
    move(k, waits, first, rest);
    k->ninsts = first;
    const int symbol = symbol_of(k, &store);
    *number = k->ninsts;
    move(k, *number, waits, rest);
    k->ninsts += rest;
    shift(k, first, *number - first);
    return symbol;
}

/* Forms are made anew, as what was a row's may have been a filter's alone. symbol: of each access, -1: it keeps what it
 * has. */
static void address(fsr_kernel *k, const int *symbol) {
    fsr_index_form old[FSR_MAX_FORMS];
    memcpy(old, k->form, sizeof *old * (size_t)k->nforms);
    k->nforms = 0;
    for (int a = 0; a < k->naccesses; ++a) {
        fsr_index_form form = old[k->access[a].form];
        if (symbol[a] >= 0)
            form.term[form.nterms++] = (fsr_term){.value = symbol[a]};
        k->access[a].form = fsr_kernel_form(k, &form);
    }
    for (int c = 0; c < k->nconditions; ++c)
        k->condition[c].form = fsr_kernel_form(k, &old[k->condition[c].form]);
}

static void place_all(fsr_kernel *k) {
    int symbol[FSR_MAX_ACCESSES];
    for (int a = 0; a < k->naccesses; ++a)
        symbol[a] = -1;
    for (int i = 0; i < k->ninsts; ++i) {
        if (!k->inst[i].filter)
            continue;
        const int value = insert_symbol(k, &i);
        symbol[k->inst[i].index] = value;
    }
    address(k, symbol);
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].filter)
            k->inst[i].arg[1] = k->inst[i].arg[2] = -1, k->inst[i].filter = k->inst[i].front = false;
}

bool fsr_kernel_place_filters(fsr_kernel *k) {
    bool kept = false;
    if (!fsr_kernel_filters(k))
        return true;
    if (!fsr_kernel_has_places(k) || !fsr_kernel_make_room(k))
        return false;
    place_all(k);
    fsr_kernel_sink(k);
    for (int i = 0; i < k->ninsts; ++i)
        kept = kept || k->stand[i].keep;
    if (kept)
        fsr_schedule_keep(k);
    fsr_kernel_trim(k);
    return true;
}
