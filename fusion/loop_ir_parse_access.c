/* SPDX-License-Identifier: MIT */
/* Addresses and guards of the loop IR's text.
 *
 * The text names no access and no condition by number: equal ones are one again, as in what lowering makes. An access
 * is compared field by field, the slots of strides that are no arguments being 0. */
#include "fusion/loop_ir_parse_parts.h"
#include <string.h>

static int integer(fsr_kernel_reader *r) {
    return fsr_read_mark(&r->lex, "i", r->k->nints);
}

/* i7 + d0*i8 + d1, or 0. */
static void read_sum(fsr_kernel_reader *r, fsr_access *a) {
    fsr_lex *l = &r->lex;
    a->offset = -1;
    if (fsr_lex_try(l, "0"))
        return;
    do {
        if (fsr_lex_sees(l, 'i')) {
            a->offset = integer(r);
            continue;
        }
        int d = fsr_read_mark(l, "d", r->k->ndim);
        a->stride[d] = fsr_lex_try(l, "*") ? FSR_STRIDE_VAR : FSR_STRIDE_ONE;
        if (a->stride[d] == FSR_STRIDE_VAR)
            a->slot[d] = integer(r);
    } while (fsr_lex_try(l, "+"));
}

static bool same_access(const fsr_access *a, const fsr_access *b) {
    bool same = a->buffer == b->buffer && a->offset == b->offset && a->over == b->over && a->linear == b->linear &&
                a->row_linear == b->row_linear;
    for (int d = 0; d < FSR_MAX_DIMS; d++)
        same = same && a->stride[d] == b->stride[d] && a->slot[d] == b->slot[d];
    return same;
}

static int add_access(fsr_kernel_reader *r, const fsr_access *a) {
    fsr_kernel *k = r->k;
    for (int i = 0; i < k->naccesses; i++)
        if (same_access(&k->access[i], a))
            return i;
    if (k->naccesses == FSR_MAX_ACCESSES) {
        fsr_lex_fail(&r->lex, FSR_ERR_FORMAT, "more than %d accesses", FSR_MAX_ACCESSES);
        return 0;
    }
    k->access[k->naccesses] = *a;
    return k->naccesses++;
}

int fsr_read_bare_access(fsr_kernel_reader *r, int buffer) {
    return add_access(r, &(fsr_access){.buffer = buffer, .offset = -1});
}

int fsr_read_access(fsr_kernel_reader *r) {
    fsr_lex *l = &r->lex;
    fsr_access a = {.buffer = fsr_read_mark(l, "b", r->k->narrays)};
    fsr_lex_expect(l, "[");
    bool divided = fsr_lex_try(l, "(");
    read_sum(r, &a);
    if (divided && fsr_lex_expect(l, ")") && fsr_lex_expect(l, "/"))
        a.over = integer(r);
    fsr_lex_expect(l, "]");
    a.linear = fsr_lex_try(l, "linear");
    a.row_linear = fsr_lex_try(l, "row_linear");
    return l->status ? 0 : add_access(r, &a);
}

static int add_condition(fsr_kernel_reader *r, const fsr_condition *c) {
    fsr_kernel *k = r->k;
    for (int i = 0; i < k->nconditions; i++) {
        const fsr_condition *other = &k->condition[i];
        if (same_access(&other->at, &c->at) && other->extent == c->extent && other->step == c->step)
            return i;
    }
    if (k->nconditions == FSR_MAX_CONDITIONS) {
        fsr_lex_fail(&r->lex, FSR_ERR_FORMAT, "more than %d conditions", FSR_MAX_CONDITIONS);
        return 0;
    }
    k->condition[k->nconditions] = *c;
    return k->nconditions++;
}

/* 0 <= i9 + d1 < i10 step i11 */
static int read_condition(fsr_kernel_reader *r) {
    fsr_lex *l = &r->lex;
    fsr_condition c = {.step = 0};
    fsr_lex_expect(l, "0");
    fsr_lex_expect(l, "<=");
    read_sum(r, &c.at);
    fsr_lex_expect(l, "<");
    c.extent = integer(r);
    if (fsr_lex_try(l, "step"))
        c.step = integer(r);
    return l->status ? 0 : add_condition(r, &c);
}

void fsr_read_guard(fsr_kernel_reader *r) {
    fsr_lex *l = &r->lex;
    fsr_kernel *k = r->k;
    if (k->nguards == FSR_MAX_GUARDS) {
        fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d guards", FSR_MAX_GUARDS);
        return;
    }
    fsr_guard *g = &k->guard[k->nguards];
    if (fsr_read_mark(l, "g", k->nguards + 1) != k->nguards)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "guards count up from g0");
    do {
        if (g->n == FSR_MAX_GUARD)
            fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d conditions in a guard", FSR_MAX_GUARD);
        else
            g->condition[g->n++] = read_condition(r);
    } while (fsr_lex_try(l, "and"));
    k->nguards++;
}
