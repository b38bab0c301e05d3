// SPDX-License-Identifier: MIT
// Radix sorts of CUB behind a C function, compiled ahead by nvcc; backend_cuda/sort.h says what it does. CUB's headers take
// longer to compile than a program may wait for, so nothing of this is generated at run time.
//
// Elements alone of 32 and 64 bits are sorted as what they are: CUB compares floats as -0 = 0 and keeps their bits, with the sign bit first: NaN
// without a sign is last, and the caller gives no other.
// Places go with words in the order of the elements, of 32 or 64 bits, whatever the dtype: two sorts are compiled and not
// twelve; shorter elements, which have one or two digits, always go so. The words are written together with the places. Elements are picked by their places afterwards.
// Rows. All are sorted together, and then by row, which keeps the order: two stable sorts whose time does not ask how long
// rows are. Counter-example to a sort for each row: a million rows of ten.
#include "backend_cuda/sort.h"
#include <cub/device/device_radix_sort.cuh>

namespace {

enum { THREADS = 256, ALIGN = 256 };

// A workspace from which pieces are taken.
struct pieces {
    char *at;
    size_t left;
    void *take(size_t bytes) {
        const size_t whole = (bytes + ALIGN - 1) / ALIGN * ALIGN;
        if (whole > left)
            return nullptr;
        void *piece = at;
        at += whole;
        left -= whole;
        return piece;
    }
};

unsigned blocks_of(uint64_t n) {
    const uint64_t blocks = (n + THREADS - 1) / THREADS;
    return blocks < 1u << 20 ? (unsigned)blocks : 1u << 20;
}

// ---- words ---------------------------------------------------------------------------------------------------

// How the bits of a dtype become a word with the same order: as on the CPU, but that zeros of both signs are one.
struct form {
    uint64_t flip, base, magnitude, most, nan, negative_zero, turn, usual; // turn: of words, for the greatest first
};

form form_of(fsr_cub_key key, int bits, bool greatest) {
    const uint64_t top = 1ull << (bits - 1), all = top | (top - 1);
    const bool whole = key != FSR_CUB_F16 && key != FSR_CUB_BF16 && key != FSR_CUB_F32 && key != FSR_CUB_F64;
    const bool has_sign = key == FSR_CUB_I8 || key == FSR_CUB_I16 || key == FSR_CUB_I32 || key == FSR_CUB_I64;
    if (whole)
        return {0, has_sign ? top : 0, all, all, 0, 0, greatest ? all : 0, 0};
    const int digits = key == FSR_CUB_F16 ? 10 : key == FSR_CUB_BF16 ? 7 : key == FSR_CUB_F32 ? 23 : 52;
    const uint64_t infinity = (top - 1) >> digits << digits;
    return {all ^ top, top, all ^ top, infinity, all, top, greatest ? all : 0, infinity | 1ull << (digits - 1)};
}

template <class Element, class Word>
__global__ void write_words(const Element *in, Word *word, uint32_t *place, uint64_t n, form f) {
    for (uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x; i < n; i += gridDim.x * (uint64_t)THREADS) {
        Element u = in[i];
        if (f.negative_zero && u == (Element)f.negative_zero)
            u = 0;
        const bool negative = u >> (8 * sizeof(Element) - 1) & 1;
        const Element ordered = (Element)(u ^ (Element)((negative ? f.flip : 0) | f.base) ^ (Element)f.turn);
        word[i] = (u & (Element)f.magnitude) > (Element)f.most ? (Word)f.nan : (Word)ordered;
        place[i] = (uint32_t)i;
    }
}

template <class Word> void write_all(const fsr_cub_sort *s, int size, Word *word, uint32_t *place) {
    const form f = form_of(s->key, 8 * size, s->greatest);
    const unsigned blocks = blocks_of(s->n);
    if (size == 1)
        write_words<<<blocks, THREADS, 0, s->stream>>>((const uint8_t *)s->in, word, place, s->n, f);
    else if (size == 2)
        write_words<<<blocks, THREADS, 0, s->stream>>>((const uint16_t *)s->in, word, place, s->n, f);
    else if (size == 4)
        write_words<<<blocks, THREADS, 0, s->stream>>>((const uint32_t *)s->in, word, place, s->n, f);
    else
        write_words<<<blocks, THREADS, 0, s->stream>>>((const uint64_t *)s->in, word, place, s->n, f);
}

// ---- places --------------------------------------------------------------------------------------------------

__global__ void find_rows(const uint32_t *place, uint32_t *row, uint64_t n, uint32_t cols) {
    for (uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x; i < n; i += gridDim.x * (uint64_t)THREADS)
        row[i] = place[i] / cols;
}

// Elements by their places in the array, and places in their rows.
template <class Element>
__global__ void pick(const Element *in, const uint32_t *place, Element *out, uint32_t *in_row, uint64_t n,
                     uint32_t cols) {
    for (uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x; i < n; i += gridDim.x * (uint64_t)THREADS) {
        const uint32_t from = place[i];
        if (out)
            out[i] = in[from];
        if (in_row)
            in_row[i] = from % cols;
    }
}

// The first of each row, n in all.
template <class Element>
__global__ void pick_first(const Element *in, const uint32_t *place, Element *out, uint32_t *in_row, uint64_t n,
                           uint32_t cols, uint32_t first, form f) {
    for (uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x; i < n; i += gridDim.x * (uint64_t)THREADS) {
        const uint32_t from = place[i / first * cols + i % first];
        const Element u = in[from];
        if (out)
            out[i] = (u & (Element)f.magnitude) > (Element)f.most ? (Element)f.usual : u;
        if (in_row)
            in_row[i] = from % cols;
    }
}

template <class Element> void pick_as(const fsr_cub_sort *s, const uint32_t *place, uint32_t *in_row) {
    if (s->first < s->cols) {
        const uint64_t n = s->n / s->cols * s->first;
        pick_first<<<blocks_of(n), THREADS, 0, s->stream>>>((const Element *)s->in, place, (Element *)s->keys, in_row, n,
                                                            (uint32_t)s->cols, (uint32_t)s->first,
                                                            form_of(s->key, 8 * (int)sizeof(Element), false));
        return;
    }
    pick<<<blocks_of(s->n), THREADS, 0, s->stream>>>((const Element *)s->in, place, (Element *)s->keys, in_row, s->n,
                                                     (uint32_t)s->cols);
}

void pick_all(const fsr_cub_sort *s, int size, const uint32_t *place, uint32_t *in_row) {
    if (size == 1)
        pick_as<uint8_t>(s, place, in_row);
    else if (size == 2)
        pick_as<uint16_t>(s, place, in_row);
    else if (size == 4)
        pick_as<uint32_t>(s, place, in_row);
    else
        pick_as<uint64_t>(s, place, in_row);
}

// ---- sorts ---------------------------------------------------------------------------------------------------

template <class Key> cudaError_t keys_alone(const fsr_cub_sort *s) {
    size_t bytes = 0;
    const Key *in = static_cast<const Key *>(s->in);
    Key *out = static_cast<Key *>(s->keys);
    const int bits = 8 * (int)sizeof(Key);
    const cudaError_t error = cub::DeviceRadixSort::SortKeys(nullptr, bytes, in, out, s->n, 0, bits, s->stream);
    if (error != cudaSuccess)
        return error;
    if (bytes > s->work_bytes)
        return cudaErrorMemoryAllocation;
    return cub::DeviceRadixSort::SortKeys(s->work, bytes, in, out, s->n, 0, bits, s->stream);
}

template <class Word>
cudaError_t pairs(const pieces *room, const Word *in, Word *sorted, const uint32_t *from, uint32_t *to, uint64_t n,
                  int bits, cudaStream_t stream) {
    size_t bytes = 0;
    const cudaError_t error = cub::DeviceRadixSort::SortPairs(nullptr, bytes, in, sorted, from, to, n, 0, bits, stream);
    if (error != cudaSuccess)
        return error;
    if (bytes > room->left)
        return cudaErrorMemoryAllocation;
    return cub::DeviceRadixSort::SortPairs(room->at, bytes, in, sorted, from, to, n, 0, bits, stream);
}

// Places that are sorted by element become sorted by row and element.
cudaError_t sort_rows(const fsr_cub_sort *s, pieces room, const uint32_t *place, uint32_t *last) {
    const uint64_t rows = s->n / s->cols;
    uint32_t *row = (uint32_t *)room.take(4 * s->n), *sorted = (uint32_t *)room.take(4 * s->n);
    int bits = 1;
    if (!row || !sorted)
        return cudaErrorMemoryAllocation;
    while (rows > 1ull << bits)
        bits++;
    find_rows<<<blocks_of(s->n), THREADS, 0, s->stream>>>(place, row, s->n, (uint32_t)s->cols);
    return pairs<uint32_t>(&room, row, sorted, place, last, s->n, bits, s->stream);
}

template <class Word> cudaError_t with_places(const fsr_cub_sort *s, int size) {
    pieces room = {static_cast<char *>(s->work), s->work_bytes};
    const bool whole = s->n == s->cols, all = s->first == s->cols;
    uint32_t *from = (uint32_t *)room.take(4 * s->n);
    uint32_t *to = whole && all && s->places ? s->places : (uint32_t *)room.take(4 * s->n);
    Word *word = (Word *)room.take(sizeof(Word) * s->n), *sorted = (Word *)room.take(sizeof(Word) * s->n);
    if (!from || !to || !word || !sorted)
        return cudaErrorMemoryAllocation;
    write_all<Word>(s, size, word, from);
    cudaError_t error = pairs<Word>(&room, word, sorted, from, to, s->n, 8 * size, s->stream);
    if (error == cudaSuccess && !whole)
        error = sort_rows(s, room, to, from);
    if (error == cudaSuccess && (!whole || !all || s->keys))
        pick_all(s, size, whole ? to : from, whole && all ? nullptr : s->places);
    return error == cudaSuccess ? cudaGetLastError() : error;
}

template <class Key> cudaError_t sort(const fsr_cub_sort *s) {
    if (!s->places && s->n == s->cols && s->first == s->cols && !s->greatest)
        return keys_alone<Key>(s);
    return sizeof(Key) == 8 ? with_places<uint64_t>(s, 8) : with_places<uint32_t>(s, 4);
}

cudaError_t sort_any(const fsr_cub_sort *s) {
    switch (s->key) {
    case FSR_CUB_U8:
    case FSR_CUB_I8: return with_places<uint32_t>(s, 1);
    case FSR_CUB_U16:
    case FSR_CUB_I16:
    case FSR_CUB_F16:
    case FSR_CUB_BF16: return with_places<uint32_t>(s, 2);
    case FSR_CUB_U32: return sort<uint32_t>(s);
    case FSR_CUB_I32: return sort<int32_t>(s);
    case FSR_CUB_U64: return sort<uint64_t>(s);
    case FSR_CUB_I64: return sort<int64_t>(s);
    case FSR_CUB_F32: return sort<float>(s);
    case FSR_CUB_F64: return sort<double>(s);
    default: return cudaErrorInvalidValue;
    }
}

} // namespace

// Nothing is thrown into C.
extern "C" cudaError_t fsr_cub_run(const fsr_cub_sort *s) {
    try {
        return sort_any(s);
    } catch (...) {
        return cudaErrorUnknown;
    }
}
