/* SPDX-License-Identifier: MIT */
/* Library calls of a plan, and their workspace: a function of dtypes and shapes, so that the memory plan has it before
 * anything runs. */
#include "fusion/library.h"
#include "fusion/fourier.h"
#include "fusion/linalg.h"
#include "graph/matmul.h"
#include "graph/shape.h"
#include <string.h>

enum {
    COUNTS = 16 * 2048 * 8, /* of the buckets of a long row's parts, on a CPU */
    LISTS = 2 << 20,        /* of the first k, on a GPU */
    COUNTS_OF_PARTS = FSR_SELECT_PARTS * FSR_SELECT_DIGITS * 8,
    STATES = 1 << 20 /* of CUB's own, however few elements there are */
};

/* Room in which a slot, or a part of a long row, keeps what may be among the first k of n. */
int64_t fsr_top_room(int64_t n, int64_t k) {
    const int64_t room = 2 * k + 1024;
    return fsr_top_is_many(n, k) ? k : room < n + 64 ? room : n + 64;
}

bool fsr_top_is_many(int64_t n, int64_t k) {
    return n >= FSR_TOP_LONG && k > (n + (1 << 20)) / (12 * FSR_SELECT_PARTS) - 512;
}

int64_t fsr_top_slots(int64_t n, int64_t k, int64_t rows) {
    if (n >= FSR_TOP_LONG)
        return fsr_top_is_many(n, k) ? 1 : FSR_SELECT_PARTS;
    return rows < FSR_SELECT_PARTS ? rows : FSR_SELECT_PARTS;
}

/* Of n records of so many bytes, in so many buffers. */
static int64_t records(int64_t n, int64_t size, int64_t buffers) {
    return fsr_size_mul(buffers, fsr_round_up(fsr_size_mul(n, size), 256));
}

/* CPU: elements go to and fro between the result and a buffer; places go with their keys between two, in records of 8
 * bytes, or of 16 where one of them is longer than 32 bits.
 * GPU: a block sorts a short row for itself. Of others elements alone, of 32 bits or more, go to and fro inside of CUB,
 * between the result and a buffer. For places words of 32 or 64 bits and their places go to and fro between two buffers
 * of both. States of tiles take less than a byte an element. */
static int64_t work_sort(const fsr_library_call *call, bool gpu) {
    const fsr_library_array *keys = &call->array[0], *places = &call->array[2];
    const int64_t n = fsr_shape_size(&keys->shape), size = (int64_t)fsr_dtype_size(keys->dtype);
    const int64_t cols = keys->shape.dim[keys->shape.ndim - 1], record = size > 4 || cols > UINT32_MAX ? 16 : 8;
    const bool rows = n > cols;
    if (!gpu)
        return fsr_size_add(places->used ? records(n, record, 2) : records(n, size, 1), COUNTS);
    if (cols <= FSR_SORT_ROW)
        return 0;
    const int64_t word = size > 4 ? 8 : 4, inside = fsr_size_add(records(n, 1, 1), STATES);
    if (!places->used && !rows && size >= 4)
        return fsr_size_add(records(n, size, 1), inside);
    return fsr_size_add(records(n, 2 * (word + 4), 1), inside);
}

/* The calling thread does all. */
static void alone(const fsr_call_frame *frame, fsr_share_fn body, void *arg) {
    (void)frame;
    body(arg, 0);
}

void fsr_frame_fill(fsr_frame_room *out, const fsr_library_call *call, void *const *array, void *work) {
    const fsr_callee *c = &call->called->what;
    *out = (fsr_frame_room){.frame = {.attributes = c->attributes,
                                      .attribute_bytes = c->attribute_bytes,
                                      .user = c->user,
                                      .inputs = call->nin,
                                      .outputs = call->nout,
                                      .input = out->array,
                                      .output = out->array + call->nin,
                                      .work = work,
                                      .work_bytes = call->work_bytes,
                                      .why = out->why,
                                      .why_bytes = sizeof out->why,
                                      .threads = 1,
                                      .parallel = alone}};
    for (int i = 0; i < call->nin + call->nout; ++i) {
        fsr_frame_array *to = &out->array[i];
        const fsr_library_array *from = &call->array[i];
        if (i >= call->nin) {
            *to = call->called->type[i - call->nin];
        } else {
            to->dtype = from->dtype;
            to->ndim = from->shape.ndim;
            memcpy(to->shape, from->shape.dim, sizeof to->shape[0] * (size_t)to->ndim);
        }
        to->data = array ? array[i] : NULL;
    }
}

/* Of a CPU: few columns are packed. */
static int64_t work_matmul(const fsr_library_call *call, bool gpu) {
    return gpu ? 0 : fsr_matmul_room(fsr_matmul_of(call->called), call->array[call->nin].dtype);
}

/* Of a GPU: a bias that is not aligned as cuBLASLt wants it is copied. */
static int64_t work_matmul_epilogue(const fsr_library_call *call, bool gpu) {
    if (!gpu)
        return work_matmul(call, gpu);
    return call->nin > 2 ? records(fsr_epilogue_of(call->called)->product.n, 4, 1) : 0;
}

/* cuSPARSE says what it needs when it is asked. */
static int64_t work_sparse(const fsr_library_call *call, bool gpu) {
    (void)call, (void)gpu;
    return 0;
}

static int64_t work_segments(const fsr_library_call *call, bool gpu) {
    (void)call, (void)gpu;
    return 0;
}

static int64_t work_scatter_sum(const fsr_library_call *call, bool gpu) {
    (void)call, (void)gpu;
    return 0;
}

/* cuFFT overwrites what it makes real of. */
bool fsr_library_spoils(const fsr_library_call *call, bool gpu) {
    return gpu && call->library == FSR_LIBRARY_FFT && fsr_fourier_kind_of(call->called) == FSR_FOURIER_TO_REAL;
}

/* Of a CPU: tables, and for each part twice the rows that go side by side. cuFFT has its own. */
static int64_t work_fft(const fsr_library_call *call, bool gpu) {
    const fsr_library_array *in = &call->array[0];
    const bool wide = in->dtype == FSR_F64 || in->dtype == FSR_C128;
    fsr_fft f;
    if (gpu)
        return fsr_library_spoils(call, gpu) ? fsr_shape_bytes(&in->shape, in->dtype) : 0;
    fsr_fft_make(&f, fsr_fourier_kind_of(call->called), fsr_fourier_length(call->called));
    const int64_t rows = fsr_shape_size(&in->shape) / in->shape.dim[in->shape.ndim - 1], point = wide ? 16 : 8;
    return fsr_size_add(records(fsr_fft_tables(&f), point, 1),
                        records(fsr_fft_buffers(&f, wide, rows), point, fsr_fft_parts(rows)));
}

static int64_t work_caller(const fsr_library_call *call, bool gpu) {
    const fsr_call_bytes_fn work = call->called->what.work;
    fsr_frame_room room;
    if (!work)
        return 0;
    fsr_frame_fill(&room, call, NULL, NULL);
    room.frame.cuda = gpu;
    const int64_t bytes = work(&room.frame);
    return bytes < 0 || bytes > FSR_SIZE_OVER ? FSR_SIZE_OVER : bytes;
}

/* CPU: what slots, or parts of a long row, keep: records of 16 bytes, words, buffers in which the first k are sorted.
 * GPU: lists of a long row, however long it is; of more ranks than have a place there, what sorting the places
 * takes. */
static int64_t work_top(const fsr_library_call *call, bool gpu) {
    const fsr_library_array *x = &call->array[0], *first = &call->array[1];
    const int last = x->shape.ndim - 1;
    const int64_t n = x->shape.dim[last], k = first->shape.dim[last], rows = fsr_shape_size(&x->shape) / n;
    const int64_t slots = fsr_top_slots(n, k, rows), ends = n >= FSR_TOP_LONG ? 1 : slots;
    const int64_t room = fsr_size_mul(slots, fsr_top_room(n, k));
    if (gpu) {
        const fsr_library_array places = {call->array[2].dtype, true, x->shape};
        const fsr_library_call all = {.array = {*x, *x, places}};
        return k <= FSR_TOP_SEARCHED ? LISTS : work_sort(&all, true);
    }
    return fsr_size_add(COUNTS_OF_PARTS, fsr_size_add(fsr_size_add(records(room, 16, 1), records(room, 8, 1)),
                                                      records(fsr_size_mul(ends, k), 16, 2)));
}

/* CPU: keys of rows for each slot; of a long row what its parts count, and keys that are left. */
static int64_t work_ranked(const fsr_library_call *call, bool gpu) {
    const fsr_shape *shape = &call->array[0].shape;
    const int64_t n = shape->dim[shape->ndim - 1], rows = fsr_shape_size(shape) / n;
    const int64_t slots = rows < FSR_SELECT_PARTS ? rows : FSR_SELECT_PARTS;
    if (gpu)
        return LISTS;
    return fsr_size_add(COUNTS_OF_PARTS, n >= FSR_TOP_LONG ? records(n / FSR_SELECT_PARTS, 8, 1)
                                                           : records(slots * n, 8 * fsr_ranked_words(n), 1));
}

/* Of a CPU: room for each matrix that is computed at a time. A GPU's libraries say what they need when they are
 * asked. */
static int64_t work_linalg(const fsr_library_call *call, bool gpu) {
    fsr_linalg l;
    if (gpu)
        return 0;
    fsr_linalg_of(&l, call->called, &call->array[0].shape, &call->array[1].shape);
    return records(fsr_linalg_room(&l), (int64_t)fsr_dtype_size(call->array[0].dtype), fsr_linalg_parts(&l));
}

/* cuRAND has its own. */
static int64_t work_curand(const fsr_library_call *call, bool gpu) {
    (void)call, (void)gpu;
    return 0;
}

int64_t fsr_library_work(const fsr_library_call *call, bool gpu) {
    static int64_t (*const work_of[FSR_LIBRARY_COUNT])(const fsr_library_call *, bool) = {
#define FSR_LIBRARY(name, word, function) [FSR_LIBRARY_##name] = work_##function,
#include "graph/libraries.def"
    };
    return work_of[call->library](call, gpu);
}
