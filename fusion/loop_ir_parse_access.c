/* SPDX-License-Identifier: MIT */
/* Addresses and guards of the loop IR's text.
 *
 * The text names no form, no access and no condition by number: equal ones are one again, as in what lowering makes. */
#include "fusion/loop_ir_parse_parts.h"
#include <string.h>

static int integer(fsr_kernel_reader *r) {
    return fsr_lex_mark(&r->lex, "i", r->k->nints);
}

/* v3*i9: a symbol. Guards stand before the instructions that they name, so that it is one is the verifier's to say. */
static void read_term(fsr_kernel_reader *r, fsr_index_form *a) {
    fsr_lex *l = &r->lex;
    fsr_term term = {.value = fsr_lex_mark(l, "v", FSR_MAX_INSTS)};
    if (fsr_lex_try(l, "*"))
        term.slot = integer(r);
    if (a->nterms == FSR_MAX_TERMS)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d values in an address", FSR_MAX_TERMS);
    else
        a->term[a->nterms++] = term;
}

/* A whole number of one digit; 0: there is none. */
static int digit(fsr_lex *l) {
    static const char *const text[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
    for (int i = 0; i < FSR_MOST_KNOWN; i++)
        if (fsr_lex_try(l, text[i]))
            return i + 1;
    return 0;
}

/* i7 + d0*i8 + d1*2 + d2 + v3*i9 + 1, or 0. */
static void read_sum(fsr_kernel_reader *r, fsr_index_form *a) {
    fsr_lex *l = &r->lex;
    a->offset = -1;
    if (fsr_lex_try(l, "0"))
        return;
    do {
        if (fsr_lex_sees(l, 'i')) {
            a->offset = integer(r);
            continue;
        }
        if (fsr_lex_sees(l, 'v')) {
            read_term(r, a);
            continue;
        }
        if ((a->behind = digit(l)))
            continue;
        int d = fsr_lex_mark(l, "d", r->k->ndim);
        const bool times = fsr_lex_try(l, "*");
        a->slot[d] = times ? digit(l) : 0;
        a->stride[d] = !times ? FSR_STRIDE_ONE : a->slot[d] ? FSR_STRIDE_KNOWN : FSR_STRIDE_VAR;
        if (a->stride[d] == FSR_STRIDE_VAR)
            a->slot[d] = integer(r);
    } while (fsr_lex_try(l, "+"));
}

/* The limits of accesses and conditions leave room for a form each. */
static int add_form(fsr_kernel_reader *r, const fsr_index_form *form) {
    int number = fsr_kernel_form(r->k, form);
    if (number < 0)
        fsr_lex_fail(&r->lex, FSR_ERR_FORMAT, "more than %d addresses", FSR_MAX_FORMS);
    return number < 0 ? 0 : number;
}

static int add_access(fsr_kernel_reader *r, fsr_access *a, const fsr_index_form *form) {
    fsr_kernel *k = r->k;
    a->form = add_form(r, form);
    for (int i = 0; i < k->naccesses; i++) {
        const fsr_access *b = &k->access[i];
        if (a->buffer == b->buffer && a->form == b->form && a->linear == b->linear && a->row_linear == b->row_linear &&
            a->whole == b->whole && a->size == b->size && memcmp(&a->near, &b->near, sizeof a->near) == 0)
            return i;
    }
    if (k->naccesses == FSR_MAX_ACCESSES) {
        fsr_lex_fail(&r->lex, FSR_ERR_FORMAT, "more than %d accesses", FSR_MAX_ACCESSES);
        return 0;
    }
    k->access[k->naccesses] = *a;
    return k->naccesses++;
}

int fsr_read_begin(fsr_kernel_reader *r, int buffer, int offset, int size) {
    fsr_access a = {.buffer = buffer, .whole = true, .size = size};
    return add_access(r, &a, &(fsr_index_form){.offset = offset});
}

/* 1 of 1, 0 of 2: line and element, and the steps to the next ones; where tiles are deep the plane before them. */
static void read_near(fsr_lex *l, fsr_beside *near) {
    fsr_beside read = {{0}, {0}};
    int n = 0;
    do {
        int64_t at, step;
        fsr_lex_int(l, 0, FSR_MOST_NEAR, &at);
        fsr_lex_expect(l, "of");
        fsr_lex_int(l, 1, FSR_MOST_NEAR, &step);
        if (l->status)
            return;
        read.at[n] = (int)at;
        read.step[n++] = (int)step;
    } while (n < FSR_AXES && fsr_lex_try(l, ","));
    for (int d = FSR_AXES - 1; d >= 0; d--) {
        const int from = d - (FSR_AXES - n);
        near->at[d] = from >= 0 ? read.at[from] : 0;
        near->step[d] = from >= 0 ? read.step[from] : 0;
    }
}

int fsr_read_access(fsr_kernel_reader *r) {
    fsr_lex *l = &r->lex;
    fsr_access a = {.buffer = fsr_lex_mark(l, "b", r->k->narrays)};
    fsr_index_form form = {0};
    fsr_lex_expect(l, "[");
    bool divided = fsr_lex_try(l, "(");
    read_sum(r, &form);
    if (divided && fsr_lex_expect(l, ")") && fsr_lex_expect(l, "/"))
        form.divisor = integer(r);
    fsr_lex_expect(l, "]");
    a.linear = fsr_lex_try(l, "linear");
    a.row_linear = fsr_lex_try(l, "row_linear");
    if (fsr_lex_try(l, "near"))
        read_near(l, &a.near);
    return l->status ? 0 : add_access(r, &a, &form);
}

static int add_condition(fsr_kernel_reader *r, const fsr_condition *c) {
    fsr_kernel *k = r->k;
    for (int i = 0; i < k->nconditions; i++) {
        const fsr_condition *other = &k->condition[i];
        if (other->form == c->form && other->extent == c->extent && other->step == c->step)
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
    fsr_index_form form = {0};
    fsr_lex_expect(l, "0");
    fsr_lex_expect(l, "<=");
    read_sum(r, &form);
    fsr_lex_expect(l, "<");
    c.extent = integer(r);
    if (fsr_lex_try(l, "step"))
        c.step = integer(r);
    if (l->status)
        return 0;
    c.form = add_form(r, &form);
    return add_condition(r, &c);
}

void fsr_read_guard(fsr_kernel_reader *r) {
    fsr_lex *l = &r->lex;
    fsr_kernel *k = r->k;
    if (k->nguards == FSR_MAX_GUARDS) {
        fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d guards", FSR_MAX_GUARDS);
        return;
    }
    fsr_guard *g = &k->guard[k->nguards];
    g->n = 0;
    if (fsr_lex_mark(l, "g", k->nguards + 1) != k->nguards)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "guards count up from g0");
    do {
        if (g->n == FSR_MAX_GUARD)
            fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d conditions in a guard", FSR_MAX_GUARD);
        else
            g->condition[g->n++] = read_condition(r);
    } while (fsr_lex_try(l, "and"));
    k->nguards++;
}

static uint64_t read_truth(fsr_kernel_reader *r, const char *word) {
    uint64_t bits = 0;
    if (!fsr_lex_try(&r->lex, word))
        return 0;
    do
        bits |= UINT64_C(1) << fsr_lex_mark(&r->lex, "c", r->k->nconditions);
    while (fsr_lex_try(&r->lex, ","));
    return bits;
}

/* Behind the guards, whose conditions are numbered in the order of the text. */
void fsr_read_version(fsr_kernel_reader *r) {
    fsr_schedule *s = &r->k->schedule;
    if (s->nversions == FSR_MAX_VERSIONS) {
        fsr_lex_fail(&r->lex, FSR_ERR_FORMAT, "more than %d versions", FSR_MAX_VERSIONS);
        return;
    }
    fsr_loop_version *version = &s->version[s->nversions++];
    version->holds = read_truth(r, "holds");
    version->never = read_truth(r, "never");
}
