/* SPDX-License-Identifier: MIT */
/* Who reads what, for the choice of nests: for each group those that need it, made once, so that a choice among n
 * kernels takes time in proportion to what they read. Counter-example to asking all groups for each: a program of
 * thousands of small kernels. */
#include "fusion/address.h"
#include "fusion/bands_parts.h"
#include "fusion/partition_parts.h"
#include <stdlib.h>
#include <string.h>

static bool is_value(const fsr_operand *operand) {
    return !operand->leaf && !operand->report;
}

bool fsr_band_reads_some(const fsr_group *group, const fsr_group *of) {
    for (int i = 0; i < fsr_group_arrays(group); ++i)
        if (fsr_group_reads(group, i) && is_value(&group->operand[i]) && fsr_group_stores(of, group->operand[i].link))
            return true;
    return false;
}

/* The groups that the group needs, each once: what it waits for, and whose results it reads. Returns how many. */
static int needed_by(const fsr_partition *p, int g, int *list) {
    const fsr_group *group = &p->group[g];
    int n = 0;
    for (int i = 0; i < group->ndeps; ++i)
        if (group->deps[i] != g)
            list[n++] = group->deps[i];
    for (int i = 0; i < fsr_group_arrays(group); ++i) {
        const bool read = fsr_group_reads(group, i) && is_value(&group->operand[i]);
        const int from = read ? *fsr_partition_stored(p, group->operand[i].link) : -1;
        bool known = from < 0 || from == g;
        for (int j = 0; j < n && !known; ++j)
            known = list[j] == from;
        if (!known)
            list[n++] = from;
    }
    return n;
}

static void note_base(fsr_band_chooser *c, const fsr_group *group) {
    if (!group->in_place || group->base.report)
        return;
    if (group->base.leaf)
        c->leaf_over[group->base.ordinal] = true;
    else if (group->base.link.id >= 0)
        c->over[group->base.link.id] = true;
}

bool fsr_band_readers_make(fsr_band_chooser *c) {
    const fsr_partition *p = c->p;
    int needed[2 * FSR_MAX_BUFFERS];
    c->first = calloc((size_t)p->ngroups + 2, sizeof *c->first);
    c->over = calloc((size_t)p->flow->n + 1, sizeof *c->over);
    c->leaf_over = calloc((size_t)p->flow->nleaves + 1, sizeof *c->leaf_over);
    if (!c->first || !c->over || !c->leaf_over)
        return false;
    for (int i = 0; i < c->count; ++i) {
        note_base(c, &p->group[c->order[i]]);
        const int n = needed_by(p, c->order[i], needed);
        for (int j = 0; j < n; ++j)
            c->first[needed[j] + 2]++;
    }
    for (int g = 0; g < p->ngroups; ++g)
        c->first[g + 2] += c->first[g + 1];
    c->reader = malloc(sizeof *c->reader * ((size_t)c->first[p->ngroups + 1] + 1));
    if (!c->reader)
        return false;
    for (int i = 0; i < c->count; ++i) {
        const int n = needed_by(p, c->order[i], needed);
        for (int j = 0; j < n; ++j)
            c->reader[c->first[needed[j] + 1]++] = c->order[i];
    }
    return true;
}

void fsr_band_readers_clear(fsr_band_chooser *c) {
    free(c->first);
    free(c->reader);
    free(c->over);
    free(c->leaf_over);
}

bool fsr_band_is_written_over(const fsr_band_chooser *c, const fsr_group *group) {
    for (int a = 0; a < group->kernel->narrays; ++a) {
        const fsr_operand *operand = &group->operand[a];
        if (!operand->report && (operand->leaf ? c->leaf_over[operand->ordinal] : c->over[operand->link.id]))
            return true;
    }
    return false;
}

int fsr_band_readings(const fsr_band_chooser *c, int g) {
    int n = 0;
    for (int i = c->first[g]; i < c->first[g + 1]; ++i)
        n += fsr_band_reads_some(&c->p->group[c->reader[i]], &c->p->group[g]);
    return n;
}

bool fsr_band_loads(const fsr_partition *p, const fsr_group *group, const fsr_kernel *k, int inst, int g) {
    const fsr_inst *load = &k->inst[inst];
    if (load->kind != FSR_INST_LOAD)
        return false;
    const fsr_operand *operand = &group->operand[k->access[load->index].buffer];
    return is_value(operand) && fsr_group_stores(&p->group[g], operand->link);
}

void fsr_band_range(const fsr_group *group, const fsr_inst *load, int d, int64_t *low, int64_t *high) {
    const fsr_kernel *k = group->kernel;
    *low = 0;
    *high = group->kernel->integer[FSR_INT_EXTENT + d];
    for (int i = 0; load->guard && i < k->guard[load->guard - 1].n; ++i) {
        const fsr_condition *condition = &k->condition[k->guard[load->guard - 1].condition[i]];
        const fsr_form f = fsr_form_of(k, group->kernel->integer, condition->form);
        if (f.stride[d] != 1 || f.nterms || fsr_form_varies(&f, 0, d) || fsr_form_varies(&f, d + 1, f.ndim))
            continue;
        const int64_t end = group->kernel->integer[condition->extent] - f.offset;
        *low = -f.offset > *low ? -f.offset : *low;
        *high = end < *high ? end : *high;
    }
}

int fsr_band_element_bytes(const fsr_group *group) {
    int bytes = 0;
    for (int b = 0; b < group->kernel->narrays; ++b)
        bytes += group->kernel->array[b].written ? (int)fsr_dtype_size(group->kernel->array[b].dtype) : 0;
    return bytes;
}

double fsr_band_stored_bytes(const fsr_group *group) {
    return (double)group->kernel->integer[FSR_INT_ROWS] * fsr_band_element_bytes(group);
}
