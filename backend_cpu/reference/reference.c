/* SPDX-License-Identifier: MIT */
/* Running the reference: nodes in order, each from its arguments' arrays, which go when their last consumer is done.
 *
 * Every node makes two results of its operands: plain values of plain values, and balls of balls (array.h). What is
 * known is one and is computed once. */
#include "backend_cpu/reference/map.h"
#include "backend_cpu/reference/run.h"
#include "graph/shape.h"
#include <stdlib.h>
#include <string.h>

fsr_status fsr_ref_no_memory(fsr_ref_run *r, const fsr_rec *rec) {
    char text[128];
    return fsr_fault_set(r->fault, FSR_ERR_MEMORY, "reference: out of memory for %s",
                         fsr_describe(text, sizeof text, rec->dtype[0], &rec->shape));
}

const fsr_ref_view *fsr_ref_view_of(const fsr_ref_run *r, fsr_ref edge) {
    return &r->plan.slot[edge.id].value[edge.output];
}

/* Results that are leaves replace what evaluation gave; those that nobody wants go at once. */
static fsr_status run_node(fsr_ref_run *r, uint32_t id) {
    r->id = id;
    fsr_ref_slot *slot = &r->plan.slot[id];
    const fsr_rec *rec = fsr_graph_rec(r->plan.graph, id);
    fsr_status status = FSR_OK;
    slot->value = calloc(FSR_MAX_OUTPUTS, sizeof *slot->value);
    if (!slot->value)
        return fsr_ref_no_memory(r, rec);
    if (slot->expanded)
        status = fsr_ref_run_kind(r, rec, slot->value);
    for (uint32_t i = 0; status == FSR_OK && i < (uint32_t)rec->nout; i++) {
        bool wanted = slot->wanted >> i & 1, leaf = fsr_ref_is_leaf(rec, i);
        if (wanted && !leaf)
            continue;
        fsr_ref_data_unref(slot->value[i].data);
        slot->value[i] = (fsr_ref_view){.data = NULL};
        if (wanted)
            status = fsr_ref_run_leaf(r, rec, i, &slot->value[i]);
    }
    for (int i = 0; status == FSR_OK && slot->expanded && i < rec->nargs; i++)
        fsr_ref_plan_release(&r->plan, rec->arg[i]);
    return status;
}

static fsr_status take_result(fsr_ref_run *r, fsr_ref edge, fsr_ref_array *out) {
    const fsr_rec *rec = fsr_graph_rec(r->plan.graph, edge.id);
    const fsr_ref_view *view = fsr_ref_view_of(r, edge);
    const int64_t size = fsr_shape_size(&rec->shape);
    fsr_ref_walk walk;
    out->dtype = rec->dtype[edge.output];
    out->shape = rec->shape;
    out->value = malloc((size_t)fsr_size_mul(size ? size : 1, sizeof *out->value));
    out->center = malloc((size_t)fsr_size_mul(size ? size : 1, sizeof *out->center));
    out->bound = malloc((size_t)fsr_size_mul(size ? size : 1, sizeof *out->bound));
    if (!out->value || !out->center || !out->bound)
        return fsr_ref_no_memory(r, rec);
    const bool plain = fsr_ref_data_is_plain(view->data);
    fsr_ref_walk_start(&walk, &rec->shape, 0, view, 1);
    for (int64_t at = 0; walk.left > 0; fsr_ref_walk_next(&walk), at++) {
        if (plain) {
            out->value[at] = out->center[at] = fsr_ref_data_plain(view->data, walk.at[0]);
            out->bound[at] = 0;
            continue;
        }
        fsr_ref_element x = fsr_ref_data_get(view->data, walk.at[0]);
        out->value[at] = x.value;
        out->center[at] = fsr_ball_round(out->dtype, &x.ball, &out->bound[at]);
    }
    fsr_ref_plan_release(&r->plan, edge);
    return FSR_OK;
}

fsr_status fsr_ref_run_body(void *user, const fsr_graph *g, const fsr_ref *outs, int n, const fsr_ref_view *given,
                            fsr_ref_view *results) {
    const fsr_ref_run *outer = user;
    fsr_ref_run r = {.mode = outer->mode, .fault = outer->fault, .given = given};
    fsr_status status = fsr_ref_plan_make(&r.plan, g, outs, n);
    for (size_t i = 0; status == FSR_OK && i < r.plan.count; i++)
        status = run_node(&r, r.plan.order[i]);
    for (int i = 0; status == FSR_OK && i < n; i++) {
        results[i] = *fsr_ref_view_of(&r, outs[i]);
        fsr_ref_data_ref(results[i].data);
    }
    fsr_ref_plan_free(&r.plan);
    return status;
}

static fsr_status run_all(fsr_ref_run *r, const fsr_graph *g, const fsr_ref *outs, int n, fsr_ref_array *results) {
    memset(results, 0, (size_t)n * sizeof *results);
    fsr_status status = fsr_ref_plan_make(&r->plan, g, outs, n);
    if (status != FSR_OK)
        fsr_fault_set(r->fault, status, "reference: out of memory for the order of %u nodes", r->plan.slots);
    for (size_t i = 0; status == FSR_OK && i < r->plan.count; i++)
        status = run_node(r, r->plan.order[i]);
    for (int i = 0; status == FSR_OK && i < n; i++)
        status = take_result(r, outs[i], &results[i]);
    for (int i = 0; status != FSR_OK && i < n; i++)
        fsr_ref_array_free(&results[i]);
    fsr_ref_plan_free(&r->plan);
    return status;
}

fsr_status fsr_reference_run(const fsr_graph *g, const fsr_ref *outs, int n, fsr_ref_fetch fetch, void *user,
                             fsr_ref_array *results, fsr_fault *fault) {
    fsr_ref_run r = {.fetch = fetch, .user = user, .mode = FSR_BALL_STRICT, .fault = fault};
    return run_all(&r, g, outs, n, results);
}

fsr_status fsr_reference_run_contracted(const fsr_graph *g, const fsr_ref *outs, int n, fsr_ref_fetch fetch, void *user,
                                        fsr_ref_array *results, fsr_fault *fault) {
    fsr_ref_run r = {.fetch = fetch, .user = user, .mode = FSR_BALL_CONTRACTED, .fault = fault};
    return run_all(&r, g, outs, n, results);
}
