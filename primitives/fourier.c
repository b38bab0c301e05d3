/* SPDX-License-Identifier: MIT */
/* Fourier transforms: fft, ifft, rfft, irfft, over several axes, and convolutions by them.
 *
 * The library call (graph/fourier.h) transforms along the last dimension, without factors; other axes are views, and
 * the factor of an inverse transform is a product, which fuses with what comes after. */
#include "graph/fourier.h"
#include "graph/floats.h"
#include "primitives/primitives.h"
#include <string.h>

static fsr_dtype complex_of(fsr_dtype dtype) {
    const bool narrow = fsr_dtype_is_half(dtype) || dtype == FSR_F32 || dtype == FSR_C64;
    return narrow ? FSR_C64 : FSR_C128;
}

static fsr_dtype real_of(fsr_dtype dtype) {
    return complex_of(dtype) == FSR_C64 ? FSR_F32 : FSR_F64;
}

/* The call on x, of the kind's dtype, along its last dimension. */
static fsr_node call(fsr_site at, const char *what, fsr_node x, fsr_fourier_kind kind, int64_t n) {
    const fsr_rec *of = fsr_node_sound(x);
    fsr_node handle;
    if (!of)
        return x;
    const fsr_dtype dtype =
        kind == FSR_FOURIER_TO_REAL ? real_of(of->dtype[x.output]) : complex_of(of->dtype[x.output]);
    fsr_type type = {of->shape, 1, {dtype}};
    type.shape.dim[type.shape.ndim - 1] = kind == FSR_FOURIER_OF_REAL ? n / 2 + 1 : n;
    const int64_t word[FSR_FOURIER_WORDS] = {[FSR_FOURIER_KIND] = kind, [FSR_FOURIER_LENGTH] = n};
    fsr_called *called = fsr_called_words(word, FSR_FOURIER_WORDS);
    if (!called)
        return fsr_graph_no_memory(x.graph);
    fsr_rec *rec = fsr_graph_add(x.graph, at, what, FSR_NODE_LIBRARY, &type, &handle);
    if (!rec) {
        fsr_called_unref(called);
        return handle;
    }
    rec->library = FSR_LIBRARY_FFT;
    rec->called = called;
    rec->nargs = 1;
    rec->arg[0] = (fsr_ref){x.id, x.output};
    return handle;
}

/* One axis, which is there. inverse transforms have their factor. */
static fsr_node along(fsr_site at, const char *what, fsr_node x, int axis, fsr_fourier_kind kind, int64_t n) {
    const int last = fsr_node_ndim(x) - 1;
    fsr_node out = fsr_swapaxes_at(at, x, axis, last);
    const fsr_rec *rec = fsr_node_sound(out);
    if (!rec)
        return out;
    fsr_shape shape = rec->shape;
    shape.dim[last] = kind == FSR_FOURIER_OF_REAL ? n / 2 + 1 : n;
    if (fsr_shape_size(&shape) == 0)
        out =
            fsr_zeros_at(at, x.graph, kind == FSR_FOURIER_TO_REAL ? real_of(rec->dtype[0]) : complex_of(rec->dtype[0]),
                         shape.ndim, shape.dim);
    else
        out = call(at, what, out, kind, n);
    if (kind == FSR_FOURIER_INVERSE || kind == FSR_FOURIER_TO_REAL)
        out = fsr_mul_at(at, out, fsr_float_at(at, x.graph, 1 / (double)n));
    return fsr_swapaxes_at(at, out, axis, last);
}

/* x as what the kind takes, and its axis; false: *poison. */
static bool take(fsr_site at, const char *what, fsr_node *x, int *axis, fsr_fourier_kind kind, fsr_node *poison) {
    fsr_graph *g;
    if (fsr_poison_of(at, what, x, 1, &g, poison))
        return false;
    *poison = *x = fsr_strong(at, *x);
    if (!fsr_node_sound(*x) || !fsr_axis_take(*x, at, what, fsr_node_ndim(*x), axis, poison))
        return false;
    const fsr_dtype dtype = fsr_node_dtype(*x);
    if (kind == FSR_FOURIER_OF_REAL && fsr_dtype_is_complex(dtype)) {
        *poison = fsr_poison(g, at, FSR_ERR_DTYPE, what, "%s is complex; fft transforms it", fsr_say(*x).text);
        return false;
    }
    if (fsr_node_dim(*x, *axis) < 1) {
        *poison = fsr_poison(g, at, FSR_ERR_SHAPE, what, "%s has no element along axis %d", fsr_say(*x).text, *axis);
        return false;
    }
    *poison = *x = fsr_convert(at, *x, kind == FSR_FOURIER_OF_REAL ? real_of(dtype) : complex_of(dtype), false);
    return fsr_node_sound(*x) != NULL;
}

static fsr_node one_axis(fsr_site at, const char *what, fsr_node x, int axis, fsr_fourier_kind kind) {
    fsr_node poison;
    return take(at, what, &x, &axis, kind, &poison) ? along(at, what, x, axis, kind, fsr_node_dim(x, axis)) : poison;
}

fsr_node fsr_fft_at(fsr_site at, fsr_node x, int axis) {
    return one_axis(at, "fft", x, axis, FSR_FOURIER_FORWARD);
}

fsr_node fsr_ifft_at(fsr_site at, fsr_node x, int axis) {
    return one_axis(at, "ifft", x, axis, FSR_FOURIER_INVERSE);
}

fsr_node fsr_rfft_at(fsr_site at, fsr_node x, int axis) {
    return one_axis(at, "rfft", x, axis, FSR_FOURIER_OF_REAL);
}

fsr_node fsr_irfft_at(fsr_site at, fsr_node x, int64_t n, int axis) {
    static const char what[] = "irfft";
    fsr_node poison;
    if (!take(at, what, &x, &axis, FSR_FOURIER_TO_REAL, &poison))
        return poison;
    if (n < 1 || n / 2 + 1 != fsr_node_dim(x, axis))
        return fsr_poison(x.graph, at, FSR_ERR_VALUE, what, "%lld elements are not made of %lld, but of %lld",
                          (long long)n, (long long)fsr_node_dim(x, axis), n < 1 ? 0LL : (long long)(n / 2 + 1));
    return along(at, what, x, axis, FSR_FOURIER_TO_REAL, n);
}

/* Axis by axis, the last one first. */
static fsr_node several(fsr_site at, const char *what, fsr_node x, const int *axes, int naxes, fsr_fourier_kind kind) {
    fsr_graph *g;
    fsr_node poison;
    uint32_t mask;
    if (fsr_poison_of(at, what, &x, 1, &g, &poison) || !fsr_axes_take(x, at, what, axes, naxes, &mask, &poison))
        return poison;
    x = fsr_convert(at, fsr_strong(at, x), complex_of(fsr_node_dtype(x)), false);
    for (int axis = fsr_node_ndim(x) - 1; axis >= 0 && fsr_node_sound(x); axis--)
        if (mask >> axis & 1)
            x = one_axis(at, what, x, axis, kind);
    return x;
}

fsr_node fsr_fftn_at(fsr_site at, fsr_node x, const int *axes, int naxes) {
    return several(at, "fftn", x, axes, naxes, FSR_FOURIER_FORWARD);
}

fsr_node fsr_ifftn_at(fsr_site at, fsr_node x, const int *axes, int naxes) {
    return several(at, "ifftn", x, axes, naxes, FSR_FOURIER_INVERSE);
}

#define MOST_LENGTH (INT64_MAX / 16)

/* The least length from n on, at most MOST_LENGTH, whose primes are 2, 3 and 5. */
static int64_t smooth(int64_t n) {
    int64_t best = INT64_MAX;
    for (int64_t fives = 1;; fives *= 5) {
        for (int64_t threes = fives;; threes *= 3) {
            int64_t length = threes;
            while (length < n)
                length *= 2;
            best = length < best ? length : best;
            if (threes >= n)
                break;
        }
        if (fives >= n)
            return best;
    }
}

static fsr_node padded(fsr_site at, fsr_node x, int64_t n) {
    const int64_t more[][2] = {{0, n - fsr_node_size(x)}};
    return fsr_pad_at(at, x, more, FSR_PAD_CONSTANT, 0);
}

fsr_node fsr_fftconvolve_at(fsr_site at, fsr_node a, fsr_node v, fsr_overlap overlap) {
    static const char what[] = "fftconvolve";
    fsr_node poison, x[] = {a, v};
    fsr_graph *g;
    if (fsr_poison_of(at, what, x, 2, &g, &poison))
        return poison;
    const fsr_dtype common = fsr_common_dtype(x, 2);
    for (int i = 0; i < 2; i++) {
        x[i] = fsr_strong(at, x[i]);
        if (!fsr_node_sound(x[i]))
            return x[i];
        if (fsr_node_ndim(x[i]) != 1 || fsr_node_size(x[i]) == 0)
            return fsr_poison(g, at, FSR_ERR_SHAPE, what, "%s is not of one dimension, or has no element",
                              fsr_say(x[i]).text);
    }
    if (overlap != FSR_FULL && overlap != FSR_SAME && overlap != FSR_VALID)
        return fsr_poison(g, at, FSR_ERR_VALUE, what, "overlap %d is none", (int)overlap);
    const bool complex = fsr_dtype_is_complex(common);
    const int64_t na = fsr_node_size(x[0]), nv = fsr_node_size(x[1]), least = na < nv ? na : nv,
                  most = na < nv ? nv : na;
    if (na > MOST_LENGTH - nv)
        return fsr_poison(g, at, FSR_ERR_SIZE, what, "%s and %s are too long", fsr_say(x[0]).text, fsr_say(x[1]).text);
    const int64_t whole = na + nv - 1, n = smooth(whole);
    const fsr_fourier_kind kind = complex ? FSR_FOURIER_FORWARD : FSR_FOURIER_OF_REAL;
    for (int i = 0; i < 2; i++) {
        x[i] = fsr_convert(at, x[i], complex ? complex_of(common) : real_of(common), false);
        x[i] = one_axis(at, what, padded(at, x[i], n), 0, kind);
    }
    fsr_node product = fsr_mul_at(at, x[0], x[1]);
    fsr_node out = complex ? fsr_ifft_at(at, product, 0) : fsr_irfft_at(at, product, n, 0);
    const int64_t length = overlap == FSR_FULL ? whole : overlap == FSR_SAME ? most : most - least + 1;
    const int64_t from = overlap == FSR_FULL ? 0 : overlap == FSR_SAME ? (least - 1) / 2 : least - 1;
    return fsr_slice_at(at, out, 0, from, from + length, 1);
}
