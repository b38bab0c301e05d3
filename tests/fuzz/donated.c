/* SPDX-License-Identifier: MIT */
/* A recipe as a plan whose leaves are inputs, and whose results lie in the memory of inputs wherever one of as many
 * bytes is left: a kernel that writes what another one, or another point, still reads gives other values. */
#include "graph/graph.h"
#include "tests/fuzz/check.h"
#include <stdlib.h>
#include <string.h>

typedef struct donating {
    const recipe *r; /* with inputs for leaves */
    fsr_graph *g;
    fsr_node node[RECIPE_STEPS], other[RECIPE_STEPS], out[RECIPE_OUTS];
    fsr_plan *plan;
    char name[RECIPE_OUTS][RECIPE_NAME];
    int donor[RECIPE_OUTS]; /* the leaf's step, or -1 */
    void *memory[RECIPE_STEPS];
    fsr_arg given[RECIPE_STEPS], taken[RECIPE_OUTS];
    int ngiven;
} donating;

static bool is_leaf(const recipe *r, int i) {
    return r->step[i].kind == STEP_LEAF;
}

/* A leaf of as many bytes that no result has yet; -1: none. */
static int donor_of(const donating *d, int k, const bool *needed) {
    for (int i = 0; i < d->r->n; i++) {
        bool free_one = is_leaf(d->r, i) && needed[i] && fsr_node_bytes(d->node[i]) > 0 &&
                        fsr_node_bytes(d->node[i]) == fsr_node_bytes(d->out[k]);
        for (int j = 0; j < k; j++)
            free_one = free_one && d->donor[j] != i;
        if (free_one)
            return i;
    }
    return -1;
}

/* The leaves that what is recorded for the results reads. Counter-example to the steps that these are made of: of a
 * place in segments that are empty nothing reads what would be in them, and it is no input of the plan. */
static void mark_needed(const donating *d, bool *needed) {
    bool *read = calloc((size_t)fsr_graph_slots(d->g) + 1, sizeof *read);
    for (int k = 0; read && k < d->r->nouts; k++)
        read[d->out[k].id] = true;
    for (uint32_t id = read ? fsr_graph_slots(d->g) : 0; id-- > 0;) {
        const fsr_rec *rec = fsr_graph_rec(d->g, id);
        for (int a = 0; read[id] && a < rec->nargs; a++)
            read[rec->arg[a].id] = true;
        if (read[id] && rec->length.origin)
            read[rec->length.count.id] = true;
    }
    for (int i = 0; read && i < d->r->n; i++)
        needed[i] = is_leaf(d->r, i) && read[d->node[i].id];
    free(read);
}

static fsr_status compile(donating *d) {
    const recipe *r = d->r;
    const char *donated[RECIPE_OUTS];
    bool needed[RECIPE_STEPS] = {false};
    for (int i = 0; i < r->n; i++)
        recipe_record(r, i, d->g, d->node, d->other);
    for (int k = 0; k < r->nouts; k++)
        d->out[k] = d->node[r->out[k]];
    mark_needed(d, needed);
    for (int k = 0; k < r->nouts; k++) {
        d->donor[k] = donor_of(d, k, needed);
        recipe_input_name(d->name[k], d->donor[k]);
        donated[k] = d->donor[k] < 0 ? NULL : d->name[k];
    }
    return fsr_compile_donating(d->out, r->nouts, donated, &d->plan);
}

static void give_inputs(donating *d) {
    for (int i = 0; i < fsr_plan_input_count(d->plan); i++) {
        fsr_plan_value input;
        if (fsr_plan_input(d->plan, i, &input) || input.parameter)
            continue;
        const int step = recipe_input_step(input.name);
        d->memory[step] = malloc((size_t)input.bytes + 1);
        fuzz_fill(d->memory[step], input.dtype, fsr_node_size(d->node[step]), d->r->step[step].fill);
        d->given[d->ngiven++] = (fsr_arg){input.name, d->memory[step], (size_t)input.bytes, FSR_HOST};
    }
}

static void take_outputs(donating *d) {
    for (int k = 0; k < d->r->nouts; k++) {
        const size_t bytes = (size_t)fsr_node_bytes(d->out[k]);
        void *own = d->donor[k] < 0 ? NULL : d->memory[d->donor[k]];
        d->taken[k] = (fsr_arg){NULL, own ? own : malloc(bytes + 1), bytes, FSR_HOST};
    }
}

static void clear(donating *d) {
    for (int k = 0; k < d->r->nouts; k++)
        if (d->donor[k] < 0 || d->taken[k].data != d->memory[d->donor[k]])
            free(d->taken[k].data);
    for (int i = 0; i < d->r->n; i++)
        free(d->memory[i]);
    fsr_plan_free(d->plan);
    fsr_graph_free(d->g);
}

verdict check_donated(fsr_context *ctx, const recipe *r, void *const *want, finding *out) {
    static donating d;
    static recipe given;
    given = *r;
    for (int i = 0; i < r->n; i++) {
        given.step[i].force = false;
        if (is_leaf(r, i))
            given.step[i].flags = RECIPE_INPUT;
    }
    memset(&d, 0, sizeof d);
    d.r = &given;
    d.g = fsr_graph_new(ctx);
    snprintf(out->variant, sizeof out->variant, "compiled, donating");
    fsr_status status = compile(&d);
    if (!status) {
        give_inputs(&d);
        take_outputs(&d);
        status = fsr_plan_run(d.plan, d.given, d.ngiven, d.taken, r->nouts, NULL);
    }
    out->verdict = status ? VERDICT_RUN_FAILED : VERDICT_GOOD;
    if (status)
        snprintf(out->what, sizeof out->what, "%s: %s", fsr_status_name(status), fsr_error(ctx));
    for (int k = 0; k < r->nouts && !out->verdict; k++) {
        const fsr_node x = d.out[k];
        if (recipe_rounded(r, r->out[k], d.node) ||
            check_same(fsr_node_dtype(x), d.taken[k].data, want[k], fsr_node_size(x)))
            continue;
        snprintf(out->what, sizeof out->what, "output %d, in the memory of %s", k,
                 d.donor[k] < 0 ? "its own" : d.name[k]);
        out->verdict = VERDICT_FUSED_DIFFERS;
    }
    clear(&d);
    return out->verdict;
}
