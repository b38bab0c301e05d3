/* SPDX-License-Identifier: MIT */
/* Calls of a caller's function in C and CUDA: the function checked and copied, its arguments made the parameters'
 * dtypes and broadcast.
 *
 * The parameters have dtypes, unlike an expression's, so nothing promotes: an argument becomes what its parameter is,
 * where NumPy calls that safe. Counter-example to converting whatever comes: an i64 index past 2^24 handed to an f32
 * would be another index, and nobody would be told. */
#include "graph/floats.h"
#include "graph/sized.h"
#include "primitives/live.h"
#include <string.h>

static const char what[] = "call_native";

/* Bool, integer, float, complex. */
static int kind_of(fsr_dtype dtype) {
    static const int order[] = {
        [FSR_CLASS_BOOL] = 0, [FSR_CLASS_INT] = 1, [FSR_CLASS_FLOAT] = 2, [FSR_CLASS_COMPLEX] = 3};
    return order[fsr_dtype_class(dtype)];
}

/* A weak integer that the integer dtype can hold. */
static bool holds(fsr_dtype dtype, fsr_value literal) {
    fsr_value there = fsr_value_cast(dtype, FSR_I64, literal);
    return (literal.i64 >= 0 || !fsr_dtype_is_unsigned(dtype)) &&
           fsr_value_cast(FSR_I64, dtype, there).i64 == literal.i64;
}

/* Argument i as the parameter's dtype; false: *x is a poison. */
static bool argument_take(fsr_site at, const fsr_routine *f, int i, fsr_node *x) {
    const fsr_rec *rec = fsr_node_rec(*x);
    const fsr_dtype dtype = f->dtype[i], from = rec->dtype[x->output];
    fsr_graph *g = x->graph;
    bool safe = rec->weak ? kind_of(from) <= kind_of(dtype) : fsr_dtype_promote(from, dtype) == dtype;
    if (!safe) {
        *x = fsr_poison(g, at, FSR_ERR_DTYPE, f->name, "argument %d, %s, is not safely the parameter %s %s", i + 1,
                        fsr_say(*x).text, fsr_dtype_name(dtype), f->param[i]);
        return false;
    }
    if (rec->weak && kind_of(dtype) == 1 && !holds(dtype, rec->value)) {
        *x = fsr_poison(g, at, FSR_ERR_VALUE, f->name, "the literal %lld does not fit the parameter %s %s",
                        (long long)rec->value.i64, fsr_dtype_name(dtype), f->param[i]);
        return false;
    }
    *x = fsr_convert(at, *x, dtype, false);
    return fsr_node_sound(*x) != NULL;
}

/* Behind a length that only the device knows are values that its text must not see. */
static bool lengths_take(fsr_graph *g, fsr_site at, const fsr_routine *f, const fsr_node *x, fsr_length *length,
                         fsr_node *poison) {
    for (int i = 0; f->narrays && i < f->nparams + f->narrays; i++)
        if (fsr_node_length(x[i])) {
            *poison = fsr_poison(g, at, FSR_ERR_UNSUPPORTED, f->name,
                                 "it has whole arrays, and argument %d, %s, has a length that only the device knows",
                                 i + 1, fsr_say(x[i]).text);
            return false;
        }
    return fsr_lengths_meet(at, what, x, f->nparams + f->narrays, length, poison);
}

/* Whole arrays are not broadcast. */
static bool arrays_take(fsr_site at, const fsr_routine *f, fsr_node *x, fsr_node *poison) {
    for (int i = f->nparams; i < f->nparams + f->narrays; i++) {
        const bool taken = argument_take(at, f, i, &x[i]);
        *poison = x[i];
        if (!taken)
            return false;
    }
    return true;
}

/* Converts and broadcasts x[0..f->nparams); false: *poison is set. */
static bool arguments_take(fsr_graph *g, fsr_site at, const fsr_routine *f, fsr_node *x, fsr_shape *shape,
                           fsr_node *poison) {
    fsr_shape same;
    *shape = (fsr_shape){0};
    for (int i = 0; i < f->nparams; i++) {
        const fsr_shape before = *shape;
        if (!fsr_shape_broadcast(shape, &fsr_node_rec(x[i])->shape, shape)) {
            *poison = fsr_poison(g, at, FSR_ERR_SHAPE, f->name, "argument %d, %s, does not broadcast with %s before it",
                                 i + 1, fsr_say(x[i]).text, fsr_say_shape(&before).text);
            return false;
        }
    }
    if (!fsr_shape_take(g, at, f->name, f->result, shape->ndim, shape->dim, &same, poison))
        return false;
    for (int i = 0; i < f->nparams; i++) {
        if (argument_take(at, f, i, &x[i]))
            x[i] = fsr_stretch(at, x[i], shape);
        *poison = x[i];
        if (!fsr_node_sound(x[i]))
            return false;
    }
    return true;
}

/* The call's node; takes over f. */
static fsr_node record(fsr_graph *g, fsr_site at, fsr_routine *f, const fsr_node *x, const fsr_shape *shape) {
    fsr_node handle;
    const fsr_type type = {*shape, 1, {f->result}};
    fsr_rec *rec = fsr_graph_add(g, at, f->name, f->narrays ? FSR_NODE_CALL_RAW : FSR_NODE_CALL, &type, &handle);
    if (!rec) {
        fsr_routine_unref(f);
        return handle;
    }
    rec->routine = f;
    rec->nargs = f->nparams + f->narrays;
    for (int i = 0; i < rec->nargs; i++)
        rec->arg[i] = (fsr_ref){x[i].id, x[i].output};
    return handle;
}

/* The function's own mistakes; NULL: *poison is set. results NULL: it returns its one. */
static fsr_routine *function_take(fsr_graph *g, fsr_site at, const fsr_native *f, const fsr_routine *results, int k,
                                  int nargs, fsr_node *poison) {
    fsr_routine *routine = NULL;
    char why[160] = "the function is null";
    fsr_native own = f ? *f : (fsr_native){.name = NULL};
    own.result = results ? results->dtype[k] : own.result;
    fsr_status status = f ? fsr_routine_make(&own, &routine, why, sizeof why) : FSR_ERR_NULL;
    bool named = f && f->name && fsr_name_size(f->name);
    if (status) {
        *poison = fsr_poison(g, at, status, named ? f->name : what, "%s", why);
    } else if (routine->nparams + routine->narrays != nargs) {
        *poison = fsr_poison(g, at, FSR_ERR_VALUE, routine->name, "it has %d parameters, not %d",
                             routine->nparams + routine->narrays, nargs);
        fsr_routine_unref(routine);
        routine = NULL;
    } else if (results) {
        fsr_routine_several(routine, results, k);
    }
    return routine;
}

fsr_node fsr_call_one(fsr_site at, const fsr_native *f, const fsr_routine *results, int k, const fsr_node *args,
                      int nargs) {
    fsr_graph *g;
    fsr_node out = {0}, x[FSR_MAX_NATIVE];
    fsr_length length;
    fsr_shape shape;
    if (fsr_poison_of_any(at, what, args, nargs, &g, &out))
        return out;
    fsr_routine *routine = function_take(g, at, f, results, k, nargs, &out);
    if (!routine)
        return out;
    memcpy(x, args, sizeof *x * (size_t)nargs);
    if (lengths_take(g, at, routine, x, &length, &out) && arrays_take(at, routine, x, &out) &&
        arguments_take(g, at, routine, x, &shape, &out))
        return length.origin ? fsr_with_length(record(g, at, routine, x, &shape), &length)
                             : record(g, at, routine, x, &shape);
    fsr_routine_unref(routine);
    return out;
}

fsr_node fsr_call_native_at(fsr_site at, size_t size, const fsr_native *f, const fsr_node *args, int nargs) {
    FSR_DEFAULT_FLOATS;
    fsr_native own = {.name = NULL};
    fsr_graph *g;
    fsr_node out = {0};
    if (!args || nargs < 1 || fsr_poison_of_any(at, what, args, nargs, &g, &out))
        return out;
    const fsr_status status = f ? fsr_sized_in(&own, sizeof own, f, size) : FSR_OK;
    if (status)
        return fsr_poison(g, at, status, what, "the function %s", fsr_sized_words(status));
    return fsr_call_one(at, f ? &own : NULL, NULL, 0, args, nargs);
}
