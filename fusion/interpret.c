/* SPDX-License-Identifier: MIT */
/* The interpreter of the loop IR: a kernel as plain host loops, row by row, pass by pass, column by column. It knows no
 * schedule: every schedule of a kernel must give what this gives, but for the association of its folds.
 *
 * Kept values are held for the columns of one row, exactly those that fsr_kernel_pass_body leaves out of later passes:
 * an array overwritten in place between two passes is then seen as the emitters see it. An access's claims (`linear`,
 * `row_linear`, `near`) are compared with its address at every element; a false claim ends the run with
 * FSR_ERR_INTERNAL. */
#include "fusion/interpret.h"
#include "fusion/address.h"
#include "fusion/interpret_fold.h"
#include <stdlib.h>
#include <string.h>

typedef struct fsr_machine {
    const fsr_kernel *k;
    const fsr_launch *launch;
    const fsr_near_claim *claim; /* NULL: no load reads in tiles */
    int64_t row, column, columns, first;
    int64_t index[FSR_MAX_DIMS];
    fsr_value value[FSR_MAX_INSTS];
    fsr_value *kept[FSR_MAX_INSTS]; /* a value for each column, of the values kept */
    fsr_running fold[FSR_MAX_COMBINES];
    fsr_value final[FSR_MAX_LOOPS][FSR_MAX_OUTPUTS]; /* results of each loop */
    fsr_status status;
} fsr_machine;

static void combine(fsr_machine *m, int number) {
    const fsr_fold *f = &m->k->fold[number];
    fsr_state x;
    memset(&x, 0, sizeof x);
    for (int c = 0; c < f->combine->arity; c++)
        x.part[c] = fsr_value_cast(fsr_combine_dtype(f->combine, c), fsr_fold_dtype(f, c), m->value[f->input[c]]);
    if (f->kind == FSR_FOLD_SCAN)
        fsr_running_scan(&m->fold[number], f, x);
    else
        fsr_running_reduce(&m->fold[number], f->combine, x);
}

static fsr_value result(const fsr_machine *m, const fsr_inst *inst) {
    const fsr_fold *f = &m->k->fold[inst->index];
    const int c = inst->component;
    return fsr_value_cast(fsr_fold_dtype(f, c), fsr_combine_dtype(f->combine, c), m->fold[inst->index].now.part[c]);
}

static int64_t sum(const fsr_machine *m, const fsr_index_form *a) {
    const int64_t *ints = m->launch->integer;
    int64_t at = (a->offset >= 0 ? ints[a->offset] : 0) + a->behind;
    for (int d = 0; d < m->k->ndim; d++)
        at += fsr_form_stride(a, ints, d) * m->index[d];
    for (int t = 0; t < a->nterms; t++)
        at += m->value[a->term[t].value].i64 * (a->term[t].slot ? ints[a->term[t].slot] : 1);
    return at;
}

static bool holds(const fsr_machine *m, int guard) {
    const fsr_guard *g = &m->k->guard[guard];
    bool all = true;
    for (int i = 0; i < g->n; i++) {
        const fsr_condition *c = &m->k->condition[g->condition[i]];
        int64_t at = sum(m, &m->k->form[c->form]);
        all = all && at >= 0 && at < m->launch->integer[c->extent];
        all = all && (!c->step || at % m->launch->integer[c->step] == 0);
    }
    return all;
}

static int64_t address(fsr_machine *m, const fsr_access *a) {
    const fsr_index_form *form = &m->k->form[a->form];
    int64_t at = sum(m, form), divisor = form->divisor ? m->launch->integer[form->divisor] : 1;
    if (divisor < 1 || at % divisor != 0)
        m->status = FSR_ERR_INTERNAL;
    else
        at /= divisor;
    if ((a->linear && at != m->row * m->columns + m->column) || (a->row_linear && at != m->row) ||
        (a->near.step[FSR_AXIS_LINE] && !(m->claim && fsr_near_holds(m->claim, a, m->row, at))))
        m->status = FSR_ERR_INTERNAL;
    return at;
}

static fsr_value load(fsr_machine *m, const fsr_access *a) {
    fsr_dtype dtype = m->k->array[a->buffer].dtype;
    int64_t at = address(m, a);
    if (m->status != FSR_OK)
        return (fsr_value){.bits = 0};
    fsr_value v = fsr_value_load(dtype, m->launch->array[a->buffer], at);
    if (dtype == FSR_BOOL)
        v.b = v.b != 0;
    return v;
}

/* Where in its row a filter's store goes. */
static int64_t filtered_place(const fsr_machine *m, const fsr_inst *inst) {
    int64_t before = fsr_value_cast(FSR_I64, m->k->inst[inst->arg[2]].dtype, m->value[inst->arg[2]]).i64;
    return m->value[inst->arg[1]].b ? before : m->columns - 1 - (m->column - before);
}

/* One of the address's symbols leads nowhere. */
static bool is_dropped(const fsr_machine *m, const fsr_index_form *form) {
    for (int t = 0; t < form->nterms; t++)
        if (m->value[form->term[t].value].i64 < 0)
            return true;
    return false;
}

static void store(fsr_machine *m, const fsr_inst *inst) {
    const fsr_access *a = &m->k->access[inst->index];
    fsr_value v = m->value[inst->arg[0]];
    if (is_dropped(m, &m->k->form[a->form]))
        return;
    if (inst->filter && inst->front && !m->value[inst->arg[1]].b)
        return;
    int64_t at = address(m, a) + (inst->filter ? filtered_place(m, inst) : 0);
    if (m->status != FSR_OK)
        return;
    if (inst->combines) {
        fsr_value both[3] = {fsr_value_load(inst->dtype, m->launch->array[a->buffer], at), v};
        v = fsr_op_eval(inst->op, inst->dtype, inst->dtype, both);
    }
    size_t size = fsr_dtype_size(m->k->array[a->buffer].dtype);
    memcpy((char *)m->launch->array[a->buffer] + at * (int64_t)size, &v, size);
}

/* The index, inside; what raises keeps the greatest one that was not. */
static fsr_value bring_inside(fsr_machine *m, const fsr_inst *inst) {
    int64_t i = m->value[inst->arg[0]].i64, n = m->launch->integer[inst->index];
    bool outside = i < -n || i >= n;
    if (n < 1) {
        m->status = FSR_ERR_INTERNAL;
        return (fsr_value){.bits = 0};
    }
    if (inst->report && outside && (!inst->guard || holds(m, inst->guard - 1))) {
        uint64_t *worst = m->launch->array[inst->report - 1];
        *worst = (uint64_t)i > *worst ? (uint64_t)i : *worst;
    }
    return (fsr_value){.i64 = fsr_index_inside(inst->mode, i, n)};
}

static fsr_value operate(fsr_machine *m, const fsr_inst *inst) {
    fsr_value args[3] = {{.bits = 0}};
    for (int a = 0; a < fsr_op_get(inst->op)->arity; a++)
        args[a] = m->value[inst->arg[a]];
    return fsr_op_eval(inst->op, inst->compute, inst->dtype, args);
}

static fsr_value call(fsr_machine *m, const fsr_inst *inst) {
    const fsr_routine *f = m->k->routine[inst->index];
    fsr_value args[FSR_MAX_ARGUMENTS];
    fsr_routine_array array[FSR_MAX_NATIVE];
    if (!atomic_load(&f->host)) {
        m->status = FSR_ERR_NO_COMPILER;
        return (fsr_value){.bits = 0};
    }
    for (int a = 0; a < f->nparams; a++)
        args[a] = m->value[inst->arg[a]];
    for (int i = 0; i < f->narrays; i++) {
        const fsr_access *a = &m->k->access[fsr_call_array(m->k, inst, i)];
        array[i].data = (const char *)m->launch->array[a->buffer] +
                        sum(m, &m->k->form[a->form]) * (int64_t)fsr_dtype_size(f->dtype[f->nparams + i]);
        array[i].size = m->launch->integer[a->size];
    }
    return fsr_routine_eval(f, args, array);
}

static fsr_table table_of(const fsr_machine *m, const fsr_turns *turns, int number) {
    const fsr_taken *from = &turns->table[number];
    const fsr_table_type *type = &turns->program->body.table[number];
    const fsr_access *a = &m->k->access[from->access];
    const int64_t *ints = m->launch->integer;
    fsr_table t = {.data = (const char *)m->launch->array[a->buffer] +
                           sum(m, &m->k->form[a->form]) * (int64_t)fsr_dtype_size(type->dtype)};
    for (int j = 0; j < type->ndim; j++) {
        t.extent[j] = ints[from->end[j]];
        t.stride[j] = from->stride[j] ? ints[from->stride[j]] : 1;
    }
    return t;
}

static void iterate(fsr_machine *m, int number) {
    int argument[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(m->k, number, argument);
    const fsr_turns *turns = &m->k->loop[m->k->inst[number].index];
    fsr_value x[FSR_MAX_ARGS];
    fsr_table table[FSR_MAX_TABLES];
    for (int a = 0; a < n; a++)
        x[a] = m->value[argument[a]];
    for (int t = 0; t < turns->program->body.ntables; t++)
        table[t] = table_of(m, turns, t);
    fsr_iteration_eval(turns->program, m->final[m->k->inst[number].index], x, table);
}

static void step(fsr_machine *m, int number) {
    const fsr_inst *inst = &m->k->inst[number];
    fsr_value *v = &m->value[number];
    switch (inst->kind) {
    case FSR_INST_CONST: *v = inst->value; break;
    case FSR_INST_PARAM: *v = m->launch->scalar[inst->index]; break;
    case FSR_INST_INDEX: *v = fsr_value_from_int(inst->dtype, m->index[inst->index]); break;
    case FSR_INST_GUARD: *v = fsr_value_from_int(FSR_BOOL, holds(m, inst->index)); break;
    case FSR_INST_INSIDE: *v = bring_inside(m, inst); break;
    case FSR_INST_LOAD:
        *v = (fsr_value){.bits = 0};
        if (!inst->guard || holds(m, inst->guard - 1))
            *v = load(m, &m->k->access[inst->index]);
        break;
    case FSR_INST_OP: *v = operate(m, inst); break;
    case FSR_INST_CALL: *v = call(m, inst); break;
    case FSR_INST_COMBINE: combine(m, inst->index); break;
    case FSR_INST_ITERATE: iterate(m, number); break;
    case FSR_INST_PICK:
        *v = fsr_picks_fold(m->k, inst) ? result(m, inst) : m->final[inst->index][inst->component];
        break;
    case FSR_INST_STORE: store(m, inst); break;
    }
}

/* What is the same everywhere; the indices are 0, and nothing of it asks them. */
static void run_once(fsr_machine *m) {
    int order[FSR_MAX_INSTS], n = fsr_kernel_once(m->k, order);
    for (int i = 0; i < n && m->status == FSR_OK; i++)
        step(m, order[i]);
}

/* The indices of dimensions [first, end) from a flat C-order index. */
static void place(fsr_machine *m, int first, int end, int64_t flat) {
    for (int d = end - 1; d >= first; d--) {
        int64_t extent = m->launch->integer[FSR_INT_EXTENT + d];
        m->index[d] = extent > 0 ? flat % extent : 0;
        flat = extent > 0 ? flat / extent : 0;
    }
}

static void run_rows(fsr_machine *m, int pass) {
    int order[FSR_MAX_INSTS];
    int n = fsr_kernel_rows(m->k, pass, order);
    place(m, m->k->nparallel, m->k->ndim, 0);
    m->column = 0;
    for (int i = 0; i < n && m->status == FSR_OK; i++)
        step(m, order[i]);
}

/* Kept values of earlier passes are read, this loop's are put away. */
static void exchange_kept(fsr_machine *m, int pass) {
    for (int i = 0; i < m->k->ninsts; i++)
        if (m->kept[i] && m->k->stand[i].pass < pass)
            m->value[i] = m->kept[i][m->column];
}

static void run_loop(fsr_machine *m, int pass) {
    int order[FSR_MAX_INSTS];
    int n = fsr_kernel_pass_body(m->k, pass, order);
    for (int i = 0; i < n; i++)
        if (m->k->inst[order[i]].kind == FSR_INST_COMBINE)
            fsr_running_begin(&m->fold[m->k->inst[order[i]].index], m->k->fold[m->k->inst[order[i]].index].combine);
    for (m->column = m->first; m->column < m->columns && m->status == FSR_OK; m->column++) {
        place(m, m->k->nparallel, m->k->ndim, m->column);
        exchange_kept(m, pass);
        for (int i = 0; i < n && m->status == FSR_OK; i++) {
            step(m, order[i]);
            if (m->kept[order[i]])
                m->kept[order[i]][m->column] = m->value[order[i]];
        }
    }
    for (int f = 0; f < m->k->nfolds; f++)
        if (m->k->fold[f].kind == FSR_FOLD_REDUCE && m->k->fold[f].pass == pass)
            fsr_running_end(&m->fold[f], m->k->fold[f].combine);
}

static fsr_status hold_kept(fsr_machine *m) {
    for (int i = 0; i < m->k->ninsts; i++) {
        if (!m->k->stand[i].keep)
            continue;
        m->kept[i] = calloc((size_t)m->columns + 1, sizeof(fsr_value));
        if (!m->kept[i])
            return FSR_ERR_MEMORY;
    }
    return FSR_OK;
}

static int64_t extent_product(const fsr_kernel *k, const fsr_launch *launch, int first, int end) {
    int64_t n = 1;
    for (int d = first; d < end && d < k->ndim; d++)
        n *= launch->integer[FSR_INT_EXTENT + d];
    return n;
}

static fsr_status run_kernel(fsr_machine *m, int64_t rows) {
    const fsr_kernel *k = m->k;
    m->status = hold_kept(m);
    m->first = 0;
    if (rows > 0)
        run_once(m);
    if (k->live && rows > 0) {
        int64_t *const most = k->npasses ? &m->columns : &rows, count = m->value[k->live - 1].i64;
        if (!k->backward)
            *most = count < *most ? count : *most;
        else if (count < *most)
            m->first = *most - count;
    }
    for (m->row = 0; m->row < rows && m->status == FSR_OK; m->row++) {
        place(m, 0, k->nparallel, m->row);
        for (int pass = 0; pass < k->npasses && m->status == FSR_OK; pass++) {
            run_rows(m, pass);
            run_loop(m, pass);
        }
        if (m->status == FSR_OK)
            run_rows(m, k->npasses);
    }
    for (int i = 0; i < k->ninsts; i++)
        free(m->kept[i]);
    return m->status;
}

static void bind(fsr_region *r, const fsr_launch *launch, const int *same, int n) {
    fsr_value value[FSR_MAX_SCALARS];
    for (int i = 0; i < n; i++)
        value[i] = launch->scalar[same[i]];
    fsr_region_bind(r, value, n);
}

/* The kernel with what the bodies of its operators and loops take of the launch's scalars as constants. */
static fsr_kernel *with_scalars(const fsr_kernel *k, const fsr_launch *launch) {
    fsr_kernel *own = fsr_kernel_copy(k);
    for (int f = 0; own && f < k->nfolds; f++) {
        fsr_combine *c = (fsr_combine *)own->fold[f].combine;
        bind(&c->body, launch, k->fold[f].same, fsr_combine_same(c));
    }
    for (int l = 0; own && l < k->nloops; l++) {
        fsr_iteration *loop = (fsr_iteration *)own->loop[l].program;
        bind(&loop->body, launch, k->loop[l].same, fsr_iteration_same(loop));
    }
    return own;
}

fsr_status fsr_interpret_nest(const fsr_kernel *k, const fsr_launch *launch, const fsr_near_claim *claim) {
    int64_t rows = extent_product(k, launch, 0, k->nparallel);
    int64_t columns = extent_product(k, launch, k->nparallel, k->ndim);
    if (rows != launch->integer[FSR_INT_ROWS] || columns != launch->integer[FSR_INT_COLS])
        return FSR_ERR_INTERNAL;
    fsr_kernel *own = with_scalars(k, launch);
    fsr_machine *m = calloc(1, sizeof *m);
    fsr_status status = own && m ? FSR_OK : FSR_ERR_MEMORY;
    if (!status) {
        m->k = own;
        m->launch = launch;
        m->claim = claim;
        m->columns = columns;
        status = run_kernel(m, rows);
    }
    free(m);
    fsr_kernel_free(own);
    return status;
}
