/* SPDX-License-Identifier: MIT */
/* Calls of the program's own (fusor/library.h): the callee checked and copied, its inference asked, one node of the
 * kind library.
 *
 * A node has one shape for all of its results. Where a callee's differ they lie at the beginning of results of the
 * largest one's size, and what the caller gets are views of them.
 * User data changes hands at the call: whatever goes wrong, its destructor is called once. */
#include "graph/code.h"
#include "graph/floats.h"
#include "graph/sized.h"
#include "primitives/primitives.h"
#include <math.h>
#include <string.h>

enum { MAX_ATTRIBUTES = 65536 };

static const char what[] = "call_library";

/* A call while it is recorded. */
typedef struct call {
    fsr_graph *g;
    fsr_site at;
    fsr_callee callee;
    fsr_node arg[FSR_MAX_CALL_INPUTS];
    fsr_frame_array in[FSR_MAX_CALL_INPUTS], out[FSR_MAX_CALL_OUTPUTS];
    fsr_node poison;
} call;

static bool wrong(call *c, fsr_status status, const char *why) {
    const bool named = c->callee.name && fsr_name_size(c->callee.name);
    c->poison = fsr_poison(c->g, c->at, status, named ? c->callee.name : what, "%s", why);
    return false;
}

/* What can be said of the callee alone. */
static bool callee_take(call *c, const fsr_callee *callee, size_t size) {
    fsr_status status = fsr_sized_in(&c->callee, sizeof c->callee, callee, size);
    const fsr_callee *own = &c->callee;
    const char *why = NULL;
    if (status) {
        c->poison = fsr_poison(c->g, c->at, status, what, "the callee %s", fsr_sized_words(status));
        return false;
    }
    if (!own->name || (!own->cpu && !own->cuda && !own->kernel.code))
        return wrong(c, FSR_ERR_NULL, "the callee's name, or cpu, cuda and the kernel's code, are null");
    if (!fsr_name_size(own->name))
        return wrong(c, FSR_ERR_VALUE, "the callee's name is not 1 to 63 letters, digits and _");
    if (own->inputs < 0 || own->inputs > FSR_MAX_CALL_INPUTS || own->outputs < 1 || own->outputs > FSR_MAX_CALL_OUTPUTS)
        return wrong(c, FSR_ERR_VALUE, "inputs are not 0 to 16, or outputs not 1 to 8");
    if (!(own->ulp >= 0) || isinf(own->ulp))
        return wrong(c, FSR_ERR_VALUE, "ulp is not a finite number from 0");
    if (own->attribute_bytes > MAX_ATTRIBUTES)
        return wrong(c, FSR_ERR_VALUE, "attributes are longer than 65536 bytes");
    if ((own->attribute_bytes && !own->attributes) || (!own->infer && !own->types && !own->inputs))
        return wrong(c, FSR_ERR_NULL,
                     own->infer || own->types ? "attributes are null"
                                              : "infer is null, and there is no input to be as");
    if ((own->infer && own->types) || (own->cuda && own->kernel.code))
        return wrong(c, FSR_ERR_VALUE,
                     own->infer && own->types ? "infer and types say the same thing twice"
                                              : "cuda and the kernel say the same thing twice");
    status = own->kernel.code ? fsr_code_check(&own->kernel, own->inputs, own->outputs, &why) : FSR_OK;
    return !status || wrong(c, status, why);
}

static bool arguments_take(call *c, const fsr_node *args, int nargs) {
    if (nargs != c->callee.inputs) {
        c->poison =
            fsr_poison(c->g, c->at, FSR_ERR_VALUE, c->callee.name, "it has %d inputs, not %d", c->callee.inputs, nargs);
        return false;
    }
    for (int i = 0; i < nargs; i++) {
        c->poison = c->arg[i] = fsr_strong(c->at, args[i]);
        const fsr_rec *rec = fsr_node_sound(c->arg[i]);
        if (!rec)
            return false;
        c->in[i] = (fsr_frame_array){.dtype = rec->dtype[c->arg[i].output], .ndim = rec->shape.ndim};
        memcpy(c->in[i].shape, rec->shape.dim, sizeof rec->shape.dim[0] * (size_t)rec->shape.ndim);
    }
    return true;
}

/* Asks the callee for its results' types, into c->out. */
static bool infer(call *c) {
    char why[256] = "";
    const fsr_call_frame frame = {.attributes = c->callee.attributes,
                                  .attribute_bytes = c->callee.attribute_bytes,
                                  .user = c->callee.user,
                                  .inputs = c->callee.inputs,
                                  .outputs = c->callee.outputs,
                                  .input = c->in,
                                  .output = c->out,
                                  .why = why,
                                  .why_bytes = sizeof why,
                                  .threads = 1};
    for (int i = 0; i < c->callee.outputs; i++)
        c->out[i] = c->callee.infer   ? (fsr_frame_array){.dtype = FSR_DTYPE_COUNT}
                    : c->callee.types ? c->callee.types[i]
                                      : c->in[0];
    const fsr_status status = c->callee.infer ? c->callee.infer(&frame) : FSR_OK;
    why[sizeof why - 1] = 0;
    if ((unsigned)status >= FSR_STATUS_COUNT)
        return wrong(c, FSR_ERR_VALUE, "infer returned what is no status");
    return !status || wrong(c, status, why[0] ? why : fsr_status_sentence(status));
}

/* The one shape of the node, and whether every result has it. */
static bool types_take(call *c, fsr_type *type, bool *same) {
    fsr_shape shape[FSR_MAX_CALL_OUTPUTS];
    int64_t most = 0;
    *same = true;
    for (int i = 0; i < c->callee.outputs; i++) {
        c->out[i].data = NULL;
        if ((unsigned)c->out[i].dtype >= FSR_DTYPE_COUNT)
            return wrong(c, FSR_ERR_DTYPE, "a result has a dtype that is none");
        if (!fsr_shape_take(c->g, c->at, c->callee.name, c->out[i].dtype, c->out[i].ndim, c->out[i].shape, &shape[i],
                            &c->poison))
            return false;
        *same = *same && fsr_shape_equal(&shape[i], &shape[0]);
        most = fsr_shape_size(&shape[i]) > most ? fsr_shape_size(&shape[i]) : most;
        type->dtype[i] = c->out[i].dtype;
    }
    if (c->callee.kernel.code && !fsr_code_copies_fit(&c->callee.kernel, c->in, c->out))
        return wrong(c, FSR_ERR_SHAPE, "an output that begins as a copy has another dtype or size than the input");
    type->nout = c->callee.outputs;
    type->shape = *same ? shape[0] : (fsr_shape){1, {most}};
    for (int i = 0; i < type->nout; i++)
        if (fsr_shape_bytes(&type->shape, type->dtype[i]) < 0)
            return wrong(c, FSR_ERR_SIZE, "the results' sizes overflow");
    return true;
}

/* Result i of what was recorded. */
static fsr_node result(const call *c, fsr_node handle, int i, bool same) {
    fsr_shape shape = {.ndim = c->out[i].ndim};
    handle.output = (uint32_t)i;
    if (same)
        return handle;
    memcpy(shape.dim, c->out[i].shape, sizeof shape.dim[0] * (size_t)shape.ndim);
    return fsr_reshape_at(c->at, fsr_slice_at(c->at, handle, 0, 0, fsr_shape_size(&shape), 1), shape.ndim, shape.dim);
}

/* Takes over the user data, unless it is false. */
static bool record(call *c, fsr_node *out) {
    fsr_type type;
    bool same;
    fsr_node handle;
    if (!infer(c) || !types_take(c, &type, &same))
        return false;
    fsr_called *called = fsr_called_make(&c->callee, c->out);
    if (!called) {
        c->poison = fsr_graph_no_memory(c->g);
        return false;
    }
    fsr_rec *rec = fsr_graph_add(c->g, c->at, c->callee.name, FSR_NODE_LIBRARY, &type, &handle);
    if (rec) {
        rec->library = FSR_LIBRARY_CALLER;
        rec->called = called;
        rec->nargs = c->callee.inputs;
        for (int i = 0; i < rec->nargs; i++)
            rec->arg[i] = (fsr_ref){c->arg[i].id, c->arg[i].output};
    } else {
        fsr_called_unref(called);
    }
    for (int i = 0; i < c->callee.outputs; i++)
        out[i] = rec ? result(c, handle, i, same) : handle;
    return true;
}

/* The graph to record in; NULL: there is none, or an argument is wrong, and then *poison says so. */
static fsr_graph *graph_take(fsr_site at, fsr_graph *g, const fsr_node *args, int nargs, fsr_node *poison) {
    fsr_graph *of = g;
    const bool poisoned = args && nargs > 0 && fsr_poison_of(at, what, args, nargs, &of, poison);
    if (!poison->graph && !fsr_graph_alive(g) && of && of != g)
        *poison = fsr_poison(of, at, FSR_ERR_NULL, what, "the graph is null");
    if (poison->graph || !fsr_graph_alive(g))
        return NULL;
    if (poisoned)
        *poison = fsr_poison(g, at, FSR_ERR_NULL, what, "every argument is a null handle");
    else if (of != g)
        *poison = fsr_poison(g, at, FSR_ERR_GRAPH, what, "the arguments are of another graph");
    else if (nargs > 0 && !args)
        *poison = fsr_poison(g, at, FSR_ERR_NULL, what, "the arguments are null");
    return poison->graph ? NULL : g;
}

void fsr_call_library_at(fsr_site at, size_t size, fsr_graph *g, fsr_node *out, const fsr_callee *callee,
                         const fsr_node *args, int nargs) {
    FSR_DEFAULT_FLOATS;
    call c = {.at = at};
    const int nout = !callee ? 1 : callee->outputs < 1 || callee->outputs > FSR_MAX_CALL_OUTPUTS ? 1 : callee->outputs;
    c.g = graph_take(at, g, args, nargs, &c.poison);
    if (c.g && !callee)
        c.poison = fsr_poison(c.g, at, FSR_ERR_NULL, what, "the callee is null");
    if (c.g && !out)
        c.poison = fsr_poison(c.g, at, FSR_ERR_NULL, what, "where the results go is null");
    if (c.g && out && callee && callee_take(&c, callee, size) && arguments_take(&c, args, nargs) && record(&c, out))
        return;
    for (int i = 0; out && i < nout; i++)
        out[i] = c.poison;
    if (callee && callee->destroy)
        callee->destroy(callee->user);
}
