/* SPDX-License-Identifier: MIT */
/* Addresses and guards in generated C, and the names of values that stand in them.
 *
 * An address is what the loops outside have come to (base) and the innermost loop's own term. Symbols that are the same
 * everywhere are part of the base that the loops begin with; those of a point are added where the element is read. */
#include "backend_cpu/emit/parts.h"
#include "fusion/outputs.h"
#include <stdio.h>
#include <string.h>

/* ---- names of values and addresses -------------------------------------------------------------- */

bool fsr_c_invariant(const fsr_kernel *k, int number) {
    const fsr_inst_kind kind = k->inst[number].kind;
    return kind == FSR_INST_CONST || kind == FSR_INST_PARAM || k->stand[number].level == FSR_ONCE;
}

const char *fsr_c_row_at(const fsr_c_emit *e) {
    return e->s->tall ? "[l][j]" : e->abreast ? "[j]" : "";
}

const char *fsr_c_row_extent(const fsr_c_emit *e, char *out) {
    out[0] = 0;
    if (e->s->tall)
        snprintf(out, FSR_EMIT_NAME, "[%d][%d]", e->s->tall, e->s->abreast);
    else if (e->abreast)
        snprintf(out, FSR_EMIT_NAME, "[%d]", e->s->abreast);
    return out;
}

/* The row of a tile whose text is being printed. */
static const char *tile_row(const fsr_c_emit *e, char *out) {
    if (e->tile_row < 0)
        snprintf(out, FSR_EMIT_NAME, "l");
    else
        snprintf(out, FSR_EMIT_NAME, "l%d", e->tile_row);
    return out;
}

const char *fsr_c_value_name(const fsr_c_emit *e, int value, char *out) {
    const bool array = e->abreast && e->k->stand[value].level == FSR_ROW && !fsr_c_invariant(e->k, value);
    char row[FSR_EMIT_NAME / 2] = "0";
    if (array && e->beside) {
        snprintf(out, FSR_EMIT_NAME, "spread%d[j]", value);
        return out;
    }
    if (!array || !e->s->tall || e->tile_row < 0) {
        snprintf(out, FSR_EMIT_NAME, "v%d%s", value, array ? fsr_c_row_at(e) : "");
        return out;
    }
    if (fsr_tile_value_moves(e->k, value, e->s->across))
        snprintf(row, sizeof row, "l%d", e->tile_row);
    snprintf(out, FSR_EMIT_NAME, "v%d[%s][%s]", value, row,
             fsr_tile_value_moves(e->k, value, e->k->nparallel - 1) ? "j" : "0");
    return out;
}

/* Adds "+ var * stride" of dimension d to an address. */
static void put_term(fsr_c_emit *e, fsr_text *to, const fsr_index_form *a, int d, const char *var) {
    char name[FSR_EMIT_NAME];
    if (a->stride[d] == FSR_STRIDE_ZERO)
        return;
    fsr_text_add(to, "%s%s", to->size ? " + " : "", var);
    if (a->stride[d] == FSR_STRIDE_VAR)
        fsr_text_add(to, " * %s", fsr_c_integer(e, a->slot[d], name));
    if (a->stride[d] == FSR_STRIDE_KNOWN) {
        const bool hides = e->masking || (e->beside && d == e->k->ndim - 1);
        e->hidden[a->slot[d]] |= hides;
        fsr_text_add(to, " * %s%d", hides ? "k" : "", a->slot[d]);
    }
}

/* Under a question a compiler shall not see that neighbours are a few elements apart: of several such loads of one
 * array, under one question, gcc 12 makes a vector of their places in another order than they have (its fault 114375).
 * Counter-example to a plain constant: of rows of 6 the places 5, 0, 1 under one guard were three others'. */
void fsr_c_hidden_strides(const fsr_c_emit *e, fsr_text *to) {
    for (int k = 0; k <= FSR_MOST_KNOWN; k++)
        if (e->hidden[k])
            fsr_text_add(to, "    i64 k%d = %d;\n    __asm__(\"\" : \"+r\"(k%d));\n", k, k, k);
}

/* Adds "+ value * coefficient" of each symbol, but those that the address so far has already. */
static void put_symbols(fsr_c_emit *e, fsr_text *to, const fsr_index_form *a, bool based) {
    char name[FSR_EMIT_NAME];
    for (int t = 0; t < a->nterms; t++) {
        if (based && e->k->stand[a->term[t].value].level == FSR_ONCE)
            continue;
        fsr_text_add(to, "%s%s", to->size ? " + " : "", fsr_c_value_name(e, a->term[t].value, name));
        if (a->term[t].slot)
            fsr_text_add(to, " * %s", fsr_c_integer(e, a->term[t].slot, name));
    }
}

/* The last: what goes before it is, letter by letter, the address of the first of the channels. */
static void put_behind(fsr_text *to, const fsr_index_form *a) {
    if (a->behind)
        fsr_text_add(to, "%s%d", to->size ? " + " : "", a->behind);
}

void fsr_c_address(fsr_c_emit *e, fsr_text *to, int access) {
    if (e->k->access[access].linear || e->k->access[access].row_linear) {
        fsr_text_add(to, "%s", e->k->access[access].linear ? e->linear : e->row);
        return;
    }
    const fsr_index_form *a = fsr_access_form(e->k, access);
    char row[FSR_EMIT_NAME];
    fsr_text sum = {0};
    fsr_text_add(&sum, "%s", e->base[access]);
    if (e->s->tall)
        put_term(e, &sum, a, e->s->across, tile_row(e, row));
    if (e->spread)
        put_term(e, &sum, a, e->beside ? e->k->ndim - 1 : e->k->nparallel - 1, "j");
    if (e->loop_dim >= 0)
        put_term(e, &sum, a, e->loop_dim, e->loop_var);
    put_symbols(e, &sum, a, e->based);
    put_behind(&sum, a);
    const char *text = sum.size ? sum.data : "0";
    if (a->divisor)
        fsr_c_quotient(e, to, text, a->divisor);
    else
        fsr_text_add(to, "%s", text);
    to->failed |= sum.failed;
    fsr_text_free(&sum);
}

void fsr_c_condition_sum(fsr_c_emit *e, fsr_text *to, const fsr_condition *c, int without) {
    const fsr_index_form *at = &e->k->form[c->form];
    char name[FSR_EMIT_NAME];
    if (at->offset >= 0)
        fsr_text_add(to, "%s", fsr_c_integer(e, at->offset, name));
    for (int d = 0; d < e->k->ndim; d++) {
        char index[FSR_EMIT_NAME + 2];
        snprintf(index, sizeof index, "(%s)", e->index[d]);
        if (d != without)
            put_term(e, to, at, d, index);
    }
    put_symbols(e, to, at, false);
    put_behind(to, at);
}

/* "((u64)(n9 + (i1)) < (u64)n10)": unsigned, so that one comparison sees both ends. With a step: whether the quotient
 * is at most the last one (cut.c). */
void fsr_c_condition(fsr_c_emit *e, fsr_text *to, int condition) {
    const fsr_condition *c = &e->k->condition[condition];
    char name[FSR_EMIT_NAME];
    fsr_text sum = {0};
    fsr_c_condition_sum(e, &sum, c, -1);
    const char *text = sum.size ? sum.data : "0";
    fsr_c_integer(e, c->extent, name);
    if (c->step) {
        fsr_text_add(to, "(");
        fsr_c_quotient(e, to, text, c->step);
        fsr_text_add(to, " <= last%d)", condition);
    } else {
        fsr_text_add(to, "((u64)(%s) < (u64)%s)", text, name);
    }
    to->failed |= sum.failed;
    fsr_text_free(&sum);
}

void fsr_c_put_guard(fsr_c_emit *e, fsr_text *to, int guard) {
    const fsr_guard *g = &e->k->guard[guard];
    const fsr_known known = fsr_guard_known(e->k, &e->known, guard);
    const char *and = "";
    uint64_t outer = 0;
    if (known != FSR_ASKED) {
        fsr_text_add(to, "%d", known == FSR_ALWAYS_HOLDS);
        return;
    }
    for (int i = 0; i < g->n; i++) {
        const uint64_t bit = UINT64_C(1) << g->condition[i];
        outer |= bit & e->outer & ~e->known.holds;
        if (bit & (e->known.holds | e->outer))
            continue;
        fsr_text_add(to, "%s", and);
        fsr_c_condition(e, to, g->condition[i]);
        and = " & ";
    }
    if (outer)
        fsr_text_add(to, "%s((outer & 0x%llx) == 0x%llx)", and, (unsigned long long)outer, (unsigned long long)outer);
}

/* Whether the load takes place is decided by a place that is computed, in a loop that gathers element by element: it is
 * then chosen where to load from, without a branch. Counter-example to a choice of what is loaded, which no compiler
 * may make before it is known that there is something: of places anywhere in two arrays beside each other every other
 * branch was guessed wrong, 9.9 ms of 991 by 991 f32 for 3.3 (seed 1519460, one thread of a Xeon, AVX2). */
static bool chooses_place(const fsr_c_emit *e, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    bool any = false;
    if (!e->one_by_one || !inst->guard || e->k->stand[number].twinned || e->fetching || e->placing)
        return false;
    const fsr_guard *guard = &e->k->guard[inst->guard - 1];
    for (int i = 0; i < guard->n; i++)
        any = any || fsr_form_waits(e->k, fsr_condition_form(e->k, guard->condition[i]));
    return any;
}

/* *(question ? &x2[p3_1] : &fsr_nothing.f32), converted. */
static void put_chosen_place(fsr_c_emit *e, fsr_text *to, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    const int buffer = e->k->access[inst->index].buffer;
    const fsr_dtype dtype = e->k->array[buffer].dtype;
    fsr_text address = {0};
    fsr_c_address(e, &address, inst->index);
    fsr_text_add(to, "%s*(", fsr_c_load(e, inst->dtype));
    fsr_c_put_guard(e, to, inst->guard - 1);
    fsr_text_add(to, " ? &x%d[%s] : &fsr_nothing.%s)%s", buffer, address.data ? address.data : "",
                 dtype == FSR_BOOL ? "b" : fsr_dtype_name(dtype), fsr_c_close(inst->dtype));
    e->loads_nothing = true;
    to->failed |= address.failed;
    fsr_text_free(&address);
}

void fsr_c_nothing_put(const fsr_c_emit *e, fsr_text *to) {
    if (e->loads_nothing)
        fsr_text_add(to, "static const scalar fsr_nothing;\n\n");
}

/* x2[p3_1], converted. */
static void put_element(fsr_c_emit *e, fsr_text *to, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    const int buffer = e->k->access[inst->index].buffer;
    fsr_text address = {0};
    char name[FSR_EMIT_NAME];
    fsr_c_address(e, &address, inst->index);
    const char *at = address.data ? address.data : "";
    fsr_text_add(to, "%s", fsr_c_load(e, inst->dtype));
    if (e->k->stand[number].twinned)
        fsr_text_add(to, "%s(x%d + (%s))", fsr_c_twin(e, number, name), buffer, at);
    else
        fsr_text_add(to, "x%d[%s]", buffer, at);
    fsr_text_add(to, "%s", fsr_c_close(inst->dtype));
    to->failed |= address.failed;
    fsr_text_free(&address);
}

/* What a load is asked under: of rows side by side the value that says where a guard holds stands in an array, if
 * there is one. Counter-example to comparing again: indices have twice the bytes of what most loops compute, 2.9 ms of
 * a sum of what is rolled along rows of 16, and 2.5 so. */
static void put_question(fsr_c_emit *e, fsr_text *to, int number) {
    const int guard = e->k->inst[number].guard - 1;
    const fsr_stand *stand = e->k->stand;
    char name[FSR_EMIT_NAME];
    int known = -1;
    for (int i = 0; i < e->k->ninsts && e->abreast && !e->s->tall && !e->beside; i++)
        if (e->k->inst[i].kind == FSR_INST_GUARD && e->k->inst[i].index == guard && stand[i].level == FSR_ROW &&
            stand[i].pass <= stand[number].pass && stand[number].level == FSR_ELEM && !e->dead[i])
            known = i;
    if (known < 0)
        fsr_c_put_guard(e, to, guard);
    else
        fsr_text_add(to, "%s", fsr_c_value_name(e, known, name));
}

void fsr_c_put_load(fsr_c_emit *e, fsr_text *to, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    fsr_known truth = inst->guard ? fsr_guard_known(e->k, &e->known, inst->guard - 1) : FSR_ALWAYS_HOLDS;
    const bool squared = e->k->stand[number].staged && e->s->kind == FSR_SCHEDULE_MAP;
    if (e->k->stand[number].staged && !squared) {
        fsr_text_add(to, "%spanel%d[(%s) * %d + j]%s", fsr_c_load(e, inst->dtype), number, e->column, e->s->abreast,
                     fsr_c_close(inst->dtype));
        return;
    }
    if (truth == FSR_ASKED && chooses_place(e, number)) {
        put_chosen_place(e, to, number);
        return;
    }
    if (truth == FSR_ASKED && fsr_c_is_moored(e, inst)) {
        fsr_c_put_moored(e, to, inst);
        return;
    }
    if (truth == FSR_ASKED) {
        put_question(e, to, number);
        fsr_text_add(to, " ? ");
    }
    const bool masking = e->masking;
    e->masking = masking || truth == FSR_ASKED;
    if (truth != FSR_NEVER_HOLDS)
        (squared ? fsr_c_put_squared : put_element)(e, to, number);
    e->masking = masking;
    if (truth == FSR_ASKED)
        fsr_text_add(to, " : ");
    if (truth != FSR_ALWAYS_HOLDS)
        fsr_c_literal(to, inst->dtype, (fsr_value){0});
}

/* The address so far of an access whose symbols are the same everywhere. */
static void put_base(fsr_c_emit *e, int access) {
    const fsr_index_form *form = fsr_access_form(e->k, access);
    fsr_text t = {0};
    fsr_text_add(&t, "%s", e->base[access]);
    for (int i = 0; i < form->nterms; i++)
        if (e->k->stand[form->term[i].value].level == FSR_ONCE) {
            const fsr_index_form one = {.nterms = 1, .term = {form->term[i]}};
            put_symbols(e, &t, &one, false);
        }
    if (t.size > strlen(e->base[access])) {
        fsr_c_line(e, "const i64 p%d_ = %s;", access, t.data);
        snprintf(e->base[access], FSR_EMIT_NAME, "p%d_", access);
    }
    e->body.failed |= t.failed;
    fsr_text_free(&t);
}

void fsr_c_bases(fsr_c_emit *e) {
    for (int a = 0; a < e->k->naccesses; a++)
        put_base(e, a);
    e->based = true;
}

/* Moves every address on by `var` steps along dimension d, and names the index there. */
void fsr_c_advance(fsr_c_emit *e, int d, const char *var) {
    snprintf(e->index[d], FSR_EMIT_NAME, "%s", var);
    for (int a = 0; a < e->k->naccesses; a++) {
        const fsr_access *access = &e->k->access[a];
        const fsr_index_form *form = fsr_access_form(e->k, a);
        if (access->linear || access->row_linear || form->stride[d] == FSR_STRIDE_ZERO)
            continue;
        fsr_text t = {0};
        fsr_text_raw(&t, e->base[a], strlen(e->base[a]));
        put_term(e, &t, form, d, var);
        fsr_c_line(e, "const i64 p%d_%d = %s;", a, d, t.data ? t.data : "");
        e->body.failed |= t.failed;
        fsr_text_free(&t);
        snprintf(e->base[a], FSR_EMIT_NAME, "p%d_%d", a, d);
    }
}
