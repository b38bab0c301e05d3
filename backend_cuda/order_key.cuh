// SPDX-License-Identifier: MIT
// How the bits of an element become a key, an unsigned word with the order of the elements: the sign is turned, of negative floats
// all bits are, -0 has the key of 0, every NaN the greatest word there is. Words of CUDA without any header.
#ifndef FUSOR_BACKEND_CUDA_ORDER_KEY_CUH
#define FUSOR_BACKEND_CUDA_ORDER_KEY_CUH

typedef unsigned long long fsr_order_word;

// Constants of a dtype and a direction; backend_cuda/order_form.h makes them.
struct fsr_order_form {
    fsr_order_word flip, base;      // bits turned of negative elements, and of all
    fsr_order_word magnitude, most; // of these bits no more than so much; else NaN
    fsr_order_word zero, zeros;     // the key of -0, which `zeros` is added to
    fsr_order_word turn;            // bits turned of all keys, for the greatest first
    fsr_order_word all, nan;        // the key of NaN, and the bits of the usual one; 0: there is none
};

template <class T> __device__ __forceinline__ T fsr_order_key(const fsr_order_form &f, T u) {
    const T negative = (T)(0 - (T)(u >> (8 * sizeof(T) - 1)));
    T key = (T)(u ^ (T)((negative & (T)f.flip) | (T)f.base));
    key = (T)(key + (T)(key == (T)f.zero && f.zeros));
    return (T)(u & (T)f.magnitude) > (T)f.most ? (T)f.all : (T)(key ^ (T)f.turn);
}

template <class T> __device__ __forceinline__ bool fsr_order_is_nan(const fsr_order_form &f, T u) {
    return (T)(u & (T)f.magnitude) > (T)f.most;
}

#endif
