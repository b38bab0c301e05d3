/* SPDX-License-Identifier: MIT */
/* The loop IR as text: a head, then one line an instruction. Stable, so that golden tests can hold it; whole, so that
 * loop_ir_parse.c reads it back. */
#include "fusion/loop_ir.h"
#include "fusion/nest.h"
#include "fusion/repeat.h"
#include "graph/print.h"

static void print_value(FILE *to, fsr_dtype dtype, fsr_value value) {
    fsr_writer w = {to, false, false};
    fsr_write_value(&w, dtype, value);
}

/* offset + strides * indices + coefficients * values */
static void print_sum(FILE *to, const fsr_kernel *k, const fsr_index_form *a) {
    const char *plus = "";
    if (a->offset >= 0) {
        fsr_fput(to, "i%d", a->offset);
        plus = " + ";
    }
    for (int d = 0; d < k->ndim; d++) {
        if (a->stride[d] == FSR_STRIDE_ZERO)
            continue;
        fsr_fput(to, "%sd%d", plus, d);
        if (a->stride[d] == FSR_STRIDE_VAR)
            fsr_fput(to, "*i%d", a->slot[d]);
        if (a->stride[d] == FSR_STRIDE_KNOWN)
            fsr_fput(to, "*%d", a->slot[d]);
        plus = " + ";
    }
    for (int t = 0; t < a->nterms; t++) {
        fsr_fput(to, "%sv%d", plus, a->term[t].value);
        if (a->term[t].slot)
            fsr_fput(to, "*i%d", a->term[t].slot);
        plus = " + ";
    }
    if (a->behind)
        fsr_fput(to, "%s%d", plus, a->behind);
    else if (!*plus)
        fputc('0', to);
}

static void print_address(FILE *to, const fsr_kernel *k, const fsr_access *a) {
    const fsr_index_form *form = &k->form[a->form];
    fsr_fput(to, form->divisor ? "b%d[(" : "b%d[", a->buffer);
    print_sum(to, k, form);
    if (form->divisor)
        fsr_fput(to, ") / i%d", form->divisor);
    fsr_fput(to, "]%s%s", a->linear ? " linear" : "", a->row_linear ? " row_linear" : "");
    for (int d = 0, first = 1; d < FSR_AXES; d++)
        if (a->near.step[d]) {
            fsr_fput(to, "%s%d of %d", first ? " near " : ", ", a->near.at[d], a->near.step[d]);
            first = 0;
        }
}

static void print_guard(FILE *to, const fsr_kernel *k, int number) {
    fsr_fput(to, "  guard g%d", number);
    for (int i = 0; i < k->guard[number].n; i++) {
        const fsr_condition *c = &k->condition[k->guard[number].condition[i]];
        fsr_fput(to, "%s0 <= ", i ? " and " : " ");
        print_sum(to, k, &k->form[c->form]);
        fsr_fput(to, " < i%d", c->extent);
        if (c->step)
            fsr_fput(to, " step i%d", c->step);
    }
    fputc('\n', to);
}

/* c<i>: the i-th condition that the guards name. */
static void print_truth(FILE *to, const fsr_kernel *k, const char *word, uint64_t bits) {
    int order[FSR_MAX_CONDITIONS], n = fsr_kernel_conditions(k, order);
    const char *comma = " ";
    if (bits)
        fsr_fput(to, " %s", word);
    for (int i = 0; i < n; i++)
        if (bits >> order[i] & 1) {
            fsr_fput(to, "%sc%d", comma, i);
            comma = ",";
        }
}

static void print_version(FILE *to, const fsr_kernel *k, const fsr_loop_version *version) {
    fputs("  version", to);
    print_truth(to, k, "holds", version->holds);
    print_truth(to, k, "never", version->never);
    fputc('\n', to);
}

static void print_moves(FILE *to, const fsr_moves *m) {
    if (m->step)
        fsr_fput(to, " from i%d by i%d", m->first, m->step);
    if (m->follows)
        fsr_fput(to, " follows b%d", m->follows - 1);
    if (m->spare)
        fsr_fput(to, " spare b%d", m->spare - 1);
}

static void print_array(FILE *to, const fsr_kernel *k, int b) {
    const fsr_array *array = &k->array[b];
    fsr_fput(to, "  array b%d %s%s%s%s", b, fsr_dtype_name(array->dtype), array->written ? " written" : "",
             array->aliased ? " aliased" : "", array->banded ? " banded" : "");
    if (array->banded && k->nests && k->schedule.target != FSR_TARGET_GPU)
        fsr_fput(to, " at i%d", k->nests->place[b]);
    if (k->repeat)
        print_moves(to, &k->repeat->array[b]);
    fputc('\n', to);
}

static void print_head(FILE *to, const fsr_kernel *k) {
    fsr_fput(to, "  domain [");
    for (int d = 0; d < k->ndim; d++)
        fsr_fput(to, "%s%sd%d", d ? ", " : "", d < k->nparallel ? "" : "fold ", d);
    fsr_fput(to, "] passes %d ints %d", k->npasses, k->nints);
    if (k->live)
        fsr_fput(to, " live v%d%s", k->live - 1, k->backward ? " backward" : "");
    if (k->nests && k->schedule.target == FSR_TARGET_GPU)
        fsr_fput(to, k->schedule.deep ? " pitch i%d lines i%d" : " pitch i%d", k->nests->band, k->nests->bytes);
    else if (k->nests)
        fsr_fput(to, " band i%d of i%d", k->nests->band, k->nests->bytes);
    if (k->repeat)
        fsr_fput(to, " repeat i%d", k->repeat->times);
    if (k->repeat && k->repeat->number)
        fsr_fput(to, " number s%d", k->repeat->number - 1);
    fputc('\n', to);
    for (int b = 0; b < k->narrays; b++)
        print_array(to, k, b);
    for (int s = 0; s < k->nscalars; s++)
        fsr_fput(to, "  scalar s%d %s\n", s, fsr_dtype_name(k->scalar[s]));
    for (int f = 0; f < k->nroutines; f++) {
        fsr_writer w = {to, false, false};
        fsr_fput(to, "  routine u%d %s ", f, fsr_dtype_name(k->routine[f]->result));
        fsr_write_routine(&w, k->routine[f]);
        fputc('\n', to);
    }
    fputs("  schedule ", to);
    fsr_schedule_print(k, to);
    fputc('\n', to);
    fsr_walks_print(k, "  ", to);
}

/* A region in lines of its own. */
static void print_region(FILE *to, const fsr_region *r, fsr_region_text text) {
    fsr_writer w = {to, false, false};
    fsr_write_region(&w, r, &text);
}

static void print_dtypes(FILE *to, const fsr_dtype *dtype, int n) {
    for (int i = 0; i < n; i++)
        fsr_fput(to, "%s%s", i ? ", " : "", fsr_dtype_name(dtype[i]));
}

static void print_same(FILE *to, const int *same, int n) {
    for (int i = 0; i < n; i++)
        fsr_fput(to, "%ss%d", i ? ", " : " given ", same[i]);
}

/* from b2 at i9 (i5 of i6, 1 of i7): where it begins, and the stride and extent of each index. */
static void print_table(FILE *to, const fsr_kernel *k, const fsr_table_type *type, const fsr_taken *t) {
    const fsr_access *a = &k->access[t->access];
    fsr_fput(to, " from b%d", a->buffer);
    if (k->form[a->form].offset >= 0)
        fsr_fput(to, " at i%d", k->form[a->form].offset);
    for (int j = 0; j < type->ndim; j++) {
        fputs(j ? ", " : " (", to);
        if (t->stride[j])
            fsr_fput(to, "i%d of i%d", t->stride[j], t->end[j]);
        else
            fsr_fput(to, "1 of i%d", t->end[j]);
    }
    fputc(')', to);
}

static void print_loop(FILE *to, const fsr_kernel *k, int number) {
    const fsr_iteration *l = k->loop[number].program;
    fsr_fput(to, "  loop l%d (", number);
    print_dtypes(to, l->body.arg, l->nstate);
    fputs(l->narg ? "; " : "", to);
    print_dtypes(to, l->body.arg + l->nstate, l->narg);
    fputc(')', to);
    print_same(to, k->loop[number].same, fsr_iteration_same(l));
    fsr_fput(to, ", at most %lld times", (long long)l->max_n);
    for (int t = 0; t < l->body.ntables; t++)
        print_table(to, k, &l->body.table[t], &k->loop[number].table[t]);
    fputc('\n', to);
    print_region(to, &l->body, fsr_iteration_text(l, true));
}

static void print_fold(FILE *to, const fsr_kernel *k, int number) {
    const fsr_fold *f = &k->fold[number];
    const fsr_combine *c = f->combine;
    fsr_fput(to, "  fold f%d p%d %s%s%s", number, f->pass, f->exclusive ? "exclusive " : "",
             f->kind == FSR_FOLD_SCAN ? "scan" : "reduce", f->narrow ? " of f32" : "");
    for (int i = 0; i < c->arity; i++) {
        fsr_fput(to, "%s%s from ", i ? ", " : " (", fsr_dtype_name(fsr_combine_dtype(c, i)));
        print_value(to, fsr_combine_dtype(c, i), c->identity[i]);
    }
    fsr_fput(to, ")%s", c->commutative ? " commutative" : c->sequential ? " sequential" : "");
    if (c->builtin) {
        fsr_fput(to, " %s\n", fsr_op_get(c->op)->name);
        return;
    }
    print_same(to, f->same, fsr_combine_same(c));
    fsr_fput(to, "\n");
    print_region(to, &c->body, fsr_combine_text(c, true));
}

static void print_iterate(FILE *to, const fsr_kernel *k, int number) {
    int argument[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(k, number, argument);
    fsr_fput(to, "l%d(", k->inst[number].index);
    for (int a = 0; a < n; a++)
        fsr_fput(to, "%sv%d", a ? ", " : "", argument[a]);
    fputc(')', to);
}

static void print_combine(FILE *to, const fsr_kernel *k, const fsr_inst *inst) {
    fsr_fput(to, "f%d <-", inst->index);
    for (int c = 0; c < k->fold[inst->index].combine->arity; c++)
        fsr_fput(to, "%sv%d", c ? ", " : " ", k->fold[inst->index].input[c]);
}

static void print_store(FILE *to, const fsr_kernel *k, const fsr_inst *inst) {
    fsr_fput(to, "store ");
    print_address(to, k, &k->access[inst->index]);
    if (inst->filter)
        fsr_fput(to, " filter v%d after v%d%s", inst->arg[1], inst->arg[2], inst->front ? " front" : "");
    if (inst->combines)
        fsr_fput(to, " by %s of i%d", fsr_op_get(inst->op)->name, inst->extent);
    fsr_fput(to, " = v%d", inst->arg[0]);
}

static void print_load(FILE *to, const fsr_kernel *k, const fsr_inst *inst) {
    fsr_fput(to, "load ");
    print_address(to, k, &k->access[inst->index]);
    if (inst->guard)
        fsr_fput(to, " if g%d", inst->guard - 1);
}

static void print_inside(FILE *to, const fsr_inst *inst) {
    fsr_fput(to, "%s(v%d, i%d)", fsr_index_mode_name(inst->mode), inst->arg[0], inst->index);
    if (inst->report)
        fsr_fput(to, " to b%d", inst->report - 1);
    if (inst->guard)
        fsr_fput(to, " if g%d", inst->guard - 1);
}

static void print_call(FILE *to, const fsr_kernel *k, const fsr_inst *inst) {
    fsr_fput(to, "call u%d", inst->index);
    for (int a = 0; a < k->routine[inst->index]->nparams; a++)
        fsr_fput(to, "%sv%d", a ? ", " : "(", inst->arg[a]);
    fputc(')', to);
    for (int i = 0; i < fsr_call_arrays(k, inst); i++) {
        const fsr_access *a = &k->access[fsr_call_array(k, inst, i)];
        fprintf(to, " from b%d", a->buffer);
        if (k->form[a->form].offset >= 0)
            fprintf(to, " at i%d", k->form[a->form].offset);
        fprintf(to, " of i%d", a->size);
    }
}

static void print_scalar(FILE *to, const fsr_inst *inst) {
    fsr_writer w = {to, false, false};
    fsr_write_scalar(&w, inst, "v");
}

static void print_inst(FILE *to, const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    const fsr_stand *stand = &k->stand[number];
    static const char *const twinned[] = {"", " twinned behind", " twinned before"};
    static const char *const level[] = {[FSR_ROW] = "row ", [FSR_ELEM] = "elem", [FSR_ONCE] = "once"};
    fsr_fput(to, "  p%d %s ", stand->pass, level[stand->level]);
    if (inst->kind != FSR_INST_COMBINE && inst->kind != FSR_INST_STORE)
        fsr_fput(to, "v%d = %s ", number, fsr_dtype_name(inst->dtype));
    switch (inst->kind) {
    case FSR_INST_CONST:
    case FSR_INST_OP: print_scalar(to, inst); break;
    case FSR_INST_PARAM: fsr_fput(to, "s%d", inst->index); break;
    case FSR_INST_INDEX: fsr_fput(to, "index d%d", inst->index); break;
    case FSR_INST_GUARD: fsr_fput(to, "g%d", inst->index); break;
    case FSR_INST_INSIDE: print_inside(to, inst); break;
    case FSR_INST_LOAD: print_load(to, k, inst); break;
    case FSR_INST_CALL: print_call(to, k, inst); break;
    case FSR_INST_COMBINE: print_combine(to, k, inst); break;
    case FSR_INST_ITERATE: print_iterate(to, k, number); break;
    case FSR_INST_PICK:
        fsr_fput(to, "%c%d.%d", fsr_picks_fold(k, inst) ? 'f' : 'l', inst->index, inst->component);
        break;
    case FSR_INST_STORE: print_store(to, k, inst); break;
    }
    fsr_fput(to, "%s%s%s%s%s%s\n", stand->keep ? " keep" : "", stand->gathered ? " gathered" : "",
             stand->staged ? " staged" : "", twinned[stand->twinned], inst->tame ? " tame" : "",
             inst->odd ? " odd" : "");
}

static void print_body(FILE *to, const fsr_kernel *k) {
    print_head(to, k);
    for (int f = 0; f < k->nfolds; f++)
        print_fold(to, k, f);
    for (int l = 0; l < k->nloops; l++)
        print_loop(to, k, l);
    for (int i = 0; i < k->nguards; i++)
        print_guard(to, k, i);
    for (int i = 0; i < k->schedule.nversions; i++)
        print_version(to, k, &k->schedule.version[i]);
    for (int i = 0; i < k->ninsts; i++)
        print_inst(to, k, i);
}

/* The nest's lines, with the numbers that the whole has for its arguments. */
static void print_nest(FILE *to, const fsr_nest *nest) {
    fsr_fput(to, "  nest ints i%d scalars s%d reach i%d", nest->integer, nest->scalar, nest->reach);
    for (int b = 0; b < nest->kernel->narrays; b++)
        fsr_fput(to, "%s b%d", b ? "," : " arrays", nest->array[b]);
    fsr_fput(to, "\n  title %s: %s\n", nest->kernel->name, nest->kernel->comment);
    print_body(to, nest->kernel);
    fputs("  end\n", to);
}

void fsr_kernel_print(const fsr_kernel *k, FILE *to) {
    if (!k) {
        fsr_fput(to, "no kernel\n");
        return;
    }
    fsr_fput(to, "kernel %s: %s\n", k->name, k->comment);
    print_body(to, k);
    for (int i = 0; k->nests && i < k->nests->n; i++)
        print_nest(to, &k->nests->nest[i]);
}
