/* SPDX-License-Identifier: MIT */
/* Leaves without stored data: literals, parameters, named inputs, counting.
 *
 * A literal is part of a plan's identity, a parameter is an argument of it. Sizes that a computation needs as a number
 * (mean's count) are unnamed parameters: as literals they would make a new plan of every shape. */
#include "graph/floats.h"
#include "primitives/primitives.h"
#include <stdlib.h>
#include <string.h>

#define MAX_NAME 63

fsr_node fsr_literal(fsr_graph *g, fsr_site at, fsr_dtype dtype, fsr_value value, bool weak) {
    fsr_node handle;
    const fsr_type type = {.nout = 1, .dtype = {dtype}};
    fsr_rec *rec = fsr_graph_add(g, at, "literal", FSR_NODE_CONST, &type, &handle);
    if (!rec)
        return handle;
    rec->value = value;
    rec->weak = weak;
    return handle;
}

fsr_node fsr_float_at(fsr_site at, fsr_graph *g, double value) {
    return fsr_literal(g, at, FSR_F64, fsr_value_from_double(FSR_F64, value), true);
}

fsr_node fsr_complex_at(fsr_site at, fsr_graph *g, double re, double im) {
    return fsr_literal(g, at, FSR_C128, fsr_value_from_complex(FSR_C128, (fsr_c128){re, im}), true);
}

fsr_node fsr_int_at(fsr_site at, fsr_graph *g, int64_t value) {
    return fsr_literal(g, at, FSR_I64, fsr_value_from_int(FSR_I64, value), true);
}

fsr_node fsr_bool_at(fsr_site at, fsr_graph *g, bool value) {
    return fsr_literal(g, at, FSR_BOOL, fsr_value_from_int(FSR_BOOL, value), false);
}

fsr_node fsr_full_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, int ndim, const int64_t *shape, double value) {
    FSR_DEFAULT_FLOATS;
    fsr_shape to;
    fsr_node poison;
    if (!fsr_shape_take(g, at, "full", dtype, ndim, shape, &to, &poison))
        return poison;
    return fsr_stretch(at, fsr_literal(g, at, dtype, fsr_value_from_double(dtype, value), false), &to);
}

fsr_node fsr_full_of_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, int ndim, const int64_t *shape, const void *value) {
    fsr_shape to;
    fsr_node poison;
    if (!fsr_shape_take(g, at, "full_of", dtype, ndim, shape, &to, &poison))
        return poison;
    if (!value)
        return fsr_poison(g, at, FSR_ERR_NULL, "full_of", "the value is null");
    return fsr_stretch(at, fsr_literal(g, at, dtype, fsr_value_load(dtype, value, 0), false), &to);
}

fsr_node fsr_iota(fsr_graph *g, fsr_site at, fsr_dtype dtype, const fsr_shape *shape, int axis) {
    fsr_node handle;
    const fsr_type type = {*shape, 1, {dtype}};
    fsr_rec *rec = fsr_graph_add(g, at, "index", FSR_NODE_IOTA, &type, &handle);
    if (!rec)
        return handle;
    rec->axis = axis;
    return handle;
}

fsr_node fsr_arange_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, int64_t n) {
    fsr_shape shape;
    fsr_node poison;
    if (!fsr_shape_take(g, at, "arange", dtype, 1, &n, &shape, &poison))
        return poison;
    if (dtype == FSR_BOOL)
        return fsr_poison(g, at, FSR_ERR_DTYPE, "arange", "bool does not count");
    return fsr_convert(at, fsr_iota(g, at, fsr_dtype_real(dtype), &shape, 0), dtype, false);
}

size_t fsr_name_size(const char *name) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t good = strspn(name, allowed);
    return good > MAX_NAME || name[good] ? 0 : good;
}

char *fsr_name_take(fsr_graph *g, fsr_site at, const char *what, const char *name, fsr_node *poison) {
    if (!name) {
        *poison = fsr_poison(g, at, FSR_ERR_NULL, what, "the name is null");
        return NULL;
    }
    size_t good = fsr_name_size(name);
    if (good == 0) {
        *poison = fsr_poison(g, at, FSR_ERR_VALUE, what, "the name \"%.80s\" is not 1 to %d letters, digits and _",
                             name, MAX_NAME);
        return NULL;
    }
    char *copy = malloc(good + 1);
    if (!copy) {
        *poison = fsr_poison(g, at, FSR_ERR_MEMORY, what, "out of memory");
        return NULL;
    }
    return memcpy(copy, name, good + 1);
}

/* A named leaf; takes over name. */
static fsr_node named(fsr_graph *g, fsr_site at, fsr_kind kind, fsr_dtype dtype, char *name, const fsr_shape *shape,
                      fsr_value value) {
    fsr_node handle;
    const fsr_type type = {*shape, 1, {dtype}};
    fsr_rec *rec = fsr_graph_add(g, at, fsr_kinds[kind].word, kind, &type, &handle);
    if (!rec) {
        free(name);
        return handle;
    }
    rec->name = name;
    rec->value = value;
    return handle;
}

fsr_node fsr_input_at(fsr_site at, fsr_graph *g, const char *name, fsr_dtype dtype, int ndim, const int64_t *shape) {
    fsr_shape to;
    fsr_node poison;
    if (!fsr_shape_take(g, at, "input", dtype, ndim, shape, &to, &poison))
        return poison;
    char *copy = fsr_name_take(g, at, "input", name, &poison);
    return copy ? named(g, at, FSR_NODE_INPUT, dtype, copy, &to, (fsr_value){.bits = 0}) : poison;
}

/* A 0-d argument of the plan; takes over name. */
static fsr_node argument(fsr_graph *g, fsr_site at, fsr_dtype dtype, char *name, fsr_value value) {
    return named(g, at, FSR_NODE_PARAM, dtype, name, &(fsr_shape){0}, value);
}

/* A checked dtype and a copy of the name; NULL: *poison is set. */
static char *param_take(fsr_graph *g, fsr_site at, const char *what, const char *name, fsr_dtype dtype,
                        fsr_node *poison) {
    fsr_shape scalar;
    return fsr_shape_take(g, at, what, dtype, 0, NULL, &scalar, poison) ? fsr_name_take(g, at, what, name, poison)
                                                                        : NULL;
}

fsr_node fsr_param_at(fsr_site at, fsr_graph *g, const char *name, fsr_dtype dtype, double value) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison;
    char *copy = param_take(g, at, "param", name, dtype, &poison);
    if (!copy)
        return poison;
    return argument(g, at, dtype, copy, fsr_value_from_double(dtype, value));
}

fsr_node fsr_param_of_at(fsr_site at, fsr_graph *g, const char *name, fsr_dtype dtype, const void *value) {
    fsr_node poison;
    char *copy = param_take(g, at, "param_of", name, dtype, &poison);
    if (copy && value)
        return argument(g, at, dtype, copy, fsr_value_load(dtype, value, 0));
    free(copy);
    return copy ? fsr_poison(g, at, FSR_ERR_NULL, "param_of", "the value is null") : poison;
}

fsr_node fsr_count(fsr_graph *g, fsr_site at, fsr_dtype dtype, double value) {
    FSR_DEFAULT_FLOATS;
    return argument(g, at, dtype, NULL, fsr_value_from_double(dtype, value));
}

fsr_node fsr_count_i64(fsr_graph *g, fsr_site at, int64_t value) {
    return argument(g, at, FSR_I64, NULL, fsr_value_from_int(FSR_I64, value));
}

/* FSR_OK: param is a parameter, *rec its record. */
static fsr_status param_found(fsr_node param, const char *what, fsr_rec **rec) {
    fsr_status status = fsr_node_check(param);
    if (status)
        return fsr_graph_fail(param.graph, status, what, "%s", fsr_status_sentence(status));
    *rec = fsr_node_rec(param);
    if (fsr_is((*rec)->kind, FSR_IS_POISON))
        return fsr_graph_fail(param.graph, (*rec)->status, what, "%s",
                              (*rec)->message ? (*rec)->message : fsr_status_sentence((*rec)->status));
    if (!fsr_is((*rec)->kind, FSR_IS_ARGUMENT) || !(*rec)->name)
        return fsr_graph_fail(param.graph, FSR_ERR_VALUE, what, "%s is not a parameter", fsr_say(param).text);
    return FSR_OK;
}

/* The same, with an element of the parameter's dtype at data. */
static fsr_status element_found(fsr_node param, const char *what, const void *data, size_t bytes, fsr_rec **rec) {
    fsr_status status = param_found(param, what, rec);
    if (status)
        return status;
    const size_t size = fsr_dtype_size((*rec)->dtype[0]);
    if (!data)
        return fsr_graph_fail(param.graph, FSR_ERR_NULL, what, "the address is null");
    if (bytes != size)
        return fsr_graph_fail(param.graph, FSR_ERR_BYTES, what, "%s has %zu bytes, not %zu", fsr_say(param).text, size,
                              bytes);
    return FSR_OK;
}

/* A parameter that was itself computed has a buffer with the old value: it goes. */
static void change(fsr_rec *rec, fsr_value value) {
    rec->value = value;
    fsr_buffer_unref(rec->buffer[0]);
    rec->buffer[0] = NULL;
}

fsr_status fsr_param_set(fsr_node param, double value) {
    FSR_DEFAULT_FLOATS;
    fsr_rec *rec;
    fsr_status status = param_found(param, "param_set", &rec);
    if (!status)
        change(rec, fsr_value_from_double(rec->dtype[0], value));
    return status;
}

fsr_status fsr_param_put(fsr_node param, const void *value, size_t bytes) {
    fsr_rec *rec;
    fsr_status status = element_found(param, "param_put", value, bytes, &rec);
    if (!status)
        change(rec, fsr_value_load(rec->dtype[0], value, 0));
    return status;
}

fsr_status fsr_param_get(fsr_node param, void *value, size_t bytes) {
    fsr_rec *rec;
    fsr_status status = element_found(param, "param_get", value, bytes, &rec);
    if (!status)
        memcpy(value, &rec->value, bytes);
    return status;
}
