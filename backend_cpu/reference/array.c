/* SPDX-License-Identifier: MIT */
/* Storage of the reference's arrays.
 *
 * Views are strides, never copies: a scalar broadcast to 10^8 elements stays one element. Only a reshape of what does
 * not lie in C order is copied (by the caller). A walk is an odometer: no division an element. */
#include "backend_cpu/reference/array.h"
#include "backend_cpu/reference/times.h"
#include "graph/size.h"
#include <stdlib.h>
#include <string.h>

static size_t center_size(fsr_dtype dtype, bool wide) {
    if (fsr_dtype_is_complex(dtype))
        return 2 * center_size(fsr_dtype_real(dtype), wide);
    if (wide && fsr_dtype_is_float(dtype))
        return dtype == FSR_F64 ? sizeof(long double) : sizeof(double);
    return fsr_dtype_size(dtype);
}

fsr_ref_data *fsr_ref_data_new(fsr_dtype dtype, int64_t size, bool wide) {
    size_t unit = center_size(dtype, wide);
    int64_t bytes = fsr_size_mul(size, (int64_t)unit);
    if (!fsr_size_fits(bytes))
        return NULL;
    fsr_ref_data *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->refs = 1;
    d->dtype = dtype;
    d->wide = wide && fsr_dtype_is_inexact(dtype);
    d->size = size;
    d->center = calloc(bytes ? (size_t)bytes : 1, 1);
    if (!d->center) {
        free(d);
        return NULL;
    }
    return d;
}

fsr_ref_data *fsr_ref_data_ref(fsr_ref_data *d) {
    d->refs++;
    return d;
}

void fsr_ref_data_unref(fsr_ref_data *d) {
    if (!d || --d->refs > 0)
        return;
    free(d->center);
    free(d->radius);
    free(d->value);
    fsr_ref_factors_free(d->factors);
    free(d);
}

/* Part `at` of an array of complex numbers: twice as many of half the size. */
static long double get_part(const fsr_ref_data *d, int64_t at) {
    if (d->dtype == FSR_C64)
        return d->wide ? ((const double *)d->center)[at] : (double)((const float *)d->center)[at];
    return d->wide ? ((const long double *)d->center)[at] : (long double)((const double *)d->center)[at];
}

static void set_part(fsr_ref_data *d, int64_t at, long double x) {
    if (d->wide && d->dtype == FSR_C64)
        ((double *)d->center)[at] = (double)x;
    else if (d->wide)
        ((long double *)d->center)[at] = x;
    else if (d->dtype == FSR_C64)
        ((float *)d->center)[at] = (float)x;
    else
        ((double *)d->center)[at] = (double)x;
}

static void get_ball(const fsr_ref_data *d, int64_t at, fsr_ball *out) {
    out->radius = d->radius ? d->radius[at] : 0;
    out->imag = 0;
    switch (d->dtype) {
    case FSR_C64:
    case FSR_C128:
        out->center = get_part(d, 2 * at);
        out->imag = get_part(d, 2 * at + 1);
        break;
    case FSR_BOOL: out->center = ((const uint8_t *)d->center)[at] != 0; break;
    case FSR_I8: out->center = ((const int8_t *)d->center)[at]; break;
    case FSR_U8: out->center = ((const uint8_t *)d->center)[at]; break;
    case FSR_I16: out->center = ((const int16_t *)d->center)[at]; break;
    case FSR_U16: out->center = ((const uint16_t *)d->center)[at]; break;
    case FSR_I32: out->center = ((const int32_t *)d->center)[at]; break;
    case FSR_U32: out->center = ((const uint32_t *)d->center)[at]; break;
    case FSR_I64: out->center = (long double)((const int64_t *)d->center)[at]; break;
    case FSR_U64: out->center = (long double)((const uint64_t *)d->center)[at]; break;
    case FSR_F16:
    case FSR_BF16:
        out->center = d->wide ? ((const double *)d->center)[at]
                              : fsr_value_to_double(d->dtype, (fsr_value){.f16 = ((const uint16_t *)d->center)[at]});
        break;
    case FSR_F32:
        out->center = d->wide ? ((const double *)d->center)[at] : (double)((const float *)d->center)[at];
        break;
    default:
        out->center = d->wide ? ((const long double *)d->center)[at] : (long double)((const double *)d->center)[at];
        break;
    }
}

void fsr_ref_data_read(const fsr_ref_data *d, int64_t at, fsr_ball *ball, fsr_value *value) {
    if (d->factors) {
        fsr_ref_factors_read(d->factors, d->dtype, at, ball, value);
        return;
    }
    get_ball(d, at, ball);
    *value = d->value ? fsr_value_load(d->dtype, d->value, at) : fsr_ball_center_value(d->dtype, ball);
}

fsr_ref_element fsr_ref_data_get(const fsr_ref_data *d, int64_t at) {
    fsr_ref_element out;
    fsr_ref_data_read(d, at, &out.ball, &out.value);
    return out;
}

fsr_ref_element fsr_ref_known(fsr_dtype dtype, fsr_value value) {
    return (fsr_ref_element){.ball = fsr_ball_from_value(dtype, value), .value = value};
}

static void set_center(fsr_ref_data *d, int64_t at, const fsr_ball *x) {
    switch (d->dtype) {
    case FSR_C64:
    case FSR_C128:
        set_part(d, 2 * at, x->center);
        set_part(d, 2 * at + 1, x->imag);
        break;
    case FSR_BOOL:
    case FSR_U8: ((uint8_t *)d->center)[at] = (uint8_t)x->center; break;
    case FSR_I8: ((int8_t *)d->center)[at] = (int8_t)x->center; break;
    case FSR_I16: ((int16_t *)d->center)[at] = (int16_t)x->center; break;
    case FSR_U16: ((uint16_t *)d->center)[at] = (uint16_t)x->center; break;
    case FSR_I32: ((int32_t *)d->center)[at] = (int32_t)x->center; break;
    case FSR_U32: ((uint32_t *)d->center)[at] = (uint32_t)x->center; break;
    case FSR_I64: ((int64_t *)d->center)[at] = (int64_t)x->center; break;
    case FSR_U64: ((uint64_t *)d->center)[at] = (uint64_t)x->center; break;
    case FSR_F16:
    case FSR_BF16:
        if (d->wide)
            ((double *)d->center)[at] = (double)x->center;
        else
            ((uint16_t *)d->center)[at] = fsr_value_from_double(d->dtype, (double)x->center).f16;
        break;
    case FSR_F32:
        if (d->wide)
            ((double *)d->center)[at] = (double)x->center;
        else
            ((float *)d->center)[at] = (float)x->center;
        break;
    default:
        if (d->wide)
            ((long double *)d->center)[at] = x->center;
        else
            ((double *)d->center)[at] = (double)x->center;
        break;
    }
}

/* Copies of a size that is known here are single instructions. */
static void put(void *to, const void *from, size_t size) {
    switch (size) {
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, size);
    }
}

/* From now on radii and plain values are stored; until now they were 0 and the centres. */
static bool store_apart(fsr_ref_data *d) {
    const size_t size = fsr_dtype_size(d->dtype);
    d->radius = calloc((size_t)d->size, sizeof *d->radius);
    d->value = malloc((size_t)fsr_size_mul(d->size, (int64_t)size));
    for (int64_t i = 0; d->radius && d->value && i < d->size; i++) {
        fsr_ball ball;
        get_ball(d, i, &ball);
        fsr_value value = fsr_ball_center_value(d->dtype, &ball);
        memcpy(d->value + (size_t)i * size, &value, size);
    }
    return d->radius && d->value;
}

bool fsr_ref_data_set(fsr_ref_data *d, int64_t at, const fsr_ref_element *x) {
    if (!d->radius) {
        bool known = fsr_ref_is_known(&x->ball) && fsr_value_equal(x->value, fsr_ball_center_value(d->dtype, &x->ball));
        if (!known && !store_apart(d))
            return false;
    }
    if (d->radius) {
        d->radius[at] = x->ball.radius;
        put(d->value + (size_t)at * fsr_dtype_size(d->dtype), &x->value, fsr_dtype_size(d->dtype));
    }
    set_center(d, at, &x->ball);
    return true;
}

bool fsr_ref_data_copy(fsr_ref_data *to, int64_t at, const fsr_ref_data *from, int64_t where) {
    if (from->factors || from->radius || to->radius) {
        const fsr_ref_element x = fsr_ref_data_get(from, where);
        return fsr_ref_data_set(to, at, &x);
    }
    if (from->wide == to->wide) {
        const size_t size = center_size(to->dtype, to->wide);
        put((char *)to->center + (size_t)at * size, (const char *)from->center + (size_t)where * size, size);
        return true;
    }
    fsr_ball ball;
    get_ball(from, where, &ball);
    set_center(to, at, &ball);
    return true;
}

fsr_ref_view fsr_ref_view_whole(fsr_ref_data *d, const fsr_shape *shape) {
    fsr_ref_view v = {.data = d};
    int64_t stride = 1;
    for (int i = shape->ndim - 1; i >= 0; i--) {
        v.stride[i] = stride;
        stride *= shape->dim[i];
    }
    return v;
}

void fsr_ref_walk_restart(fsr_ref_walk *w, const int64_t *from) {
    w->left = 1;
    for (int d = 0; d < w->ndim; d++) {
        w->index[d] = 0;
        w->left *= w->dim[d];
    }
    for (int i = 0; i < w->n; i++)
        w->at[i] = from[i];
}

void fsr_ref_walk_start(fsr_ref_walk *w, const fsr_shape *shape, uint32_t skip, const fsr_ref_view *views, int n) {
    int64_t from[FSR_REF_WALK_MAX] = {0};
    w->ndim = shape->ndim;
    w->n = n;
    for (int d = 0; d < shape->ndim; d++)
        w->dim[d] = skip >> d & 1 ? 1 : shape->dim[d];
    for (int i = 0; i < n; i++) {
        from[i] = views[i].offset;
        for (int d = 0; d < shape->ndim; d++)
            w->stride[i][d] = views[i].stride[d];
    }
    fsr_ref_walk_restart(w, from);
}

void fsr_ref_walk_next(fsr_ref_walk *w) {
    w->left--;
    for (int d = w->ndim - 1; d >= 0; d--) {
        if (++w->index[d] < w->dim[d]) {
            for (int i = 0; i < w->n; i++)
                w->at[i] += w->stride[i][d];
            return;
        }
        w->index[d] = 0;
        for (int i = 0; i < w->n; i++)
            w->at[i] -= w->stride[i][d] * (w->dim[d] - 1);
    }
}
