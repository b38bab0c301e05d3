/* SPDX-License-Identifier: MIT */
/* Guards, what versions know of them, and computed indices. */
#include "backend_cuda/emit.h"
#include "fusion/interval.h"
#include <stdio.h>
#include <string.h>

/* The sum that a condition compares; column: the text of the index along a single folded dimension, NULL: i<d>. lane:
 * of element v of a vector along the rows. */
static void condition_sum(fsr_emit *e, char sum[FSR_EXPR], const fsr_condition *c, const char *column, bool lane) {
    const fsr_kernel *k = e->k;
    char lane_index[FSR_REF];
    const fsr_index_form *at = &k->form[c->form];
    sum[0] = 0;
    size_t m = fsr_emit_add_offset(e, sum, 0, at);
    for (int d = 0; d < k->ndim; d++) {
        const bool folded = d >= k->nparallel && fsr_emit_folded(k) == 1 && column;
        snprintf(lane_index, sizeof lane_index, lane && d == k->nparallel - 1 ? "(i%d + v)" : "i%d", d);
        m = fsr_emit_add_term(e, sum, m, at, d, folded ? column : lane_index);
    }
    fsr_emit_add_symbols(e, sum, m, at, FSR_HOMED | FSR_POINTED);
}

/* Appends a condition. Unsigned arithmetic sees both ends with one comparison. */
static size_t add_condition(fsr_emit *e, char buf[FSR_EXPR], size_t n, const fsr_condition *c, const char *column,
                            bool lane) {
    char sum[FSR_EXPR];
    condition_sum(e, sum, c, column, lane);
    n = fsr_emit_add(e, buf, n, "%s(idx)(%s) < n%d", n ? " && " : "", sum, c->extent);
    if (c->step)
        n = fsr_emit_add(e, buf, n, " && (idx)(%s) %% n%d == 0", sum, c->step);
    return n;
}

/* What is not known of the guard; nothing: it holds. */
static void guard_text(fsr_emit *e, char buf[FSR_EXPR], int guard, const char *column, bool lane) {
    const fsr_guard *g = &e->k->guard[guard];
    size_t n = 0;
    buf[0] = 0;
    if (fsr_guard_known(e->k, &e->known, guard) == FSR_NEVER_HOLDS)
        n = fsr_emit_add(e, buf, 0, "false");
    for (int i = 0; i < g->n && fsr_guard_known(e->k, &e->known, guard) == FSR_ASKED; i++)
        if (!(e->known.holds >> g->condition[i] & 1))
            n = add_condition(e, buf, n, &e->k->condition[g->condition[i]], column, lane);
}

void fsr_emit_guard_value(fsr_emit *e, char buf[FSR_EXPR], int guard) {
    guard_text(e, buf, guard, NULL, fsr_emit_along_rows(e) && e->s.vector > 1);
    if (!buf[0])
        fsr_emit_add(e, buf, 0, "true");
}

void fsr_emit_version_fits(fsr_emit *e, char buf[FSR_EXPR], const fsr_loop_version *version) {
    size_t n = 0;
    buf[0] = 0;
    for (int c = 0; c < e->k->nconditions; c++) {
        char text[FSR_EXPR];
        if (!((version->holds | version->never) >> c & 1))
            continue;
        add_condition(e, text, 0, &e->k->condition[c], NULL, false);
        n = fsr_emit_add(e, buf, n, version->holds >> c & 1 ? " && %s" : " && !(%s)", text);
    }
}

/* Appends that no column from first to last has the condition, which is a run of them: the sum, as a signed number, is
 * behind it at the first, or before it at the last. */
static size_t add_outside(fsr_emit *e, char buf[FSR_EXPR], size_t n, const fsr_condition *c, const char *first,
                          const char *last) {
    const char *sign = e->s.wide ? "i64" : "i32";
    char low[FSR_EXPR], high[FSR_EXPR];
    condition_sum(e, low, c, first, false);
    condition_sum(e, high, c, last, false);
    return fsr_emit_add(e, buf, n, "%s((%s)(%s) >= (%s)n%d || (%s)(%s) < 0)", n ? " && " : "", sign, low, sign,
                        c->extent, sign, high);
}

void fsr_emit_span_fits(fsr_emit *e, char buf[FSR_EXPR], const fsr_loop_version *version, const char *first,
                        const char *last) {
    const fsr_kernel *k = e->k;
    size_t n = 0;
    buf[0] = 0;
    for (int i = 0; i < k->nconditions; i++) {
        const fsr_condition *c = &k->condition[i];
        const bool moves = fsr_condition_form(k, i)->stride[k->nparallel] != FSR_STRIDE_ZERO;
        char text[FSR_EXPR];
        if (version->holds >> i & 1) {
            n = add_condition(e, buf, n, c, first, false);
            n = moves ? add_condition(e, buf, n, c, last, false) : n;
        } else if ((version->never >> i & 1) && moves) {
            n = add_outside(e, buf, n, c, first, last);
        } else if (version->never >> i & 1) {
            add_condition(e, text, 0, c, first, false);
            n = fsr_emit_add(e, buf, n, "%s!(%s)", n ? " && " : "", text);
        }
    }
}

void fsr_emit_where(fsr_emit *e, char buf[FSR_EXPR], int v, const char *live) {
    char guard[FSR_EXPR] = "";
    if (fsr_inst_guard(&e->k->inst[v]) >= 0)
        guard_text(e, guard, fsr_inst_guard(&e->k->inst[v]), NULL, fsr_emit_along_rows(e) && e->s.vector > 1);
    fsr_emit_add(e, buf, 0, "%s%s%s", live ? live : "", live && guard[0] ? " && " : "", guard);
}

/* Where addresses have 32 bits a value that was widened to be an index is brought inside as what it was: 64 bits are
 * three instructions for one. */
void fsr_emit_inside(fsr_emit *e, char buf[FSR_EXPR], int v) {
    const fsr_inst *inst = &e->k->inst[v];
    const bool near = !e->s.wide && fsr_value_was_near(e->k, inst->arg[0]);
    char ref[FSR_REF], where[FSR_EXPR], live[FSR_REF], end[FSR_REF];
    fsr_emit_where(e, where, v, fsr_emit_live(e, live, v));
    fsr_emit_int_name(end, inst->index);
    fsr_emit_add(e, buf, 0, "fsr_%s(%s%s, %s%s", fsr_index_mode_name(inst->mode), near ? "(i32)" : "",
                 fsr_emit_ref(e, ref, inst->arg[0]), near ? "" : "(i64)", end);
    if (inst->report && where[0])
        fsr_emit_add(e, buf, strlen(buf), ", %s ? x%d : nullptr", where, inst->report - 1);
    else if (inst->report)
        fsr_emit_add(e, buf, strlen(buf), ", x%d", inst->report - 1);
    fsr_emit_add(e, buf, strlen(buf), ")");
}

/* True if the guard needs the indices of several folded dimensions. */
static bool guard_splits_column(const fsr_kernel *k, int guard) {
    for (int d = k->nparallel; d < k->ndim && fsr_emit_folded(k) > 1; d++)
        if (fsr_guard_reads_index(k, guard, d))
            return true;
    return false;
}

int fsr_emit_open_guard(fsr_emit *e, int inst, const char *column) {
    int guard = fsr_inst_guard(&e->k->inst[inst]), opened = 0;
    char text[FSR_EXPR];
    if (guard < 0)
        return 0;
    if (column && guard_splits_column(e->k, guard)) {
        fsr_emit_open(e, "{");
        fsr_emit_column_indices(e, column);
        opened++;
    }
    guard_text(e, text, guard, column, false);
    if (text[0])
        fsr_emit_open(e, "if (%s) {", text);
    return opened + (text[0] != 0);
}
