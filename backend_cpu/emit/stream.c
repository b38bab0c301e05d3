/* SPDX-License-Identifier: MIT */
/* Results that no cache would hold until somebody reads them (schedule.streams), in generated C.
 *
 * The loop runs in strips whose results go to a buffer in the first cache, and from there by stores that pass the
 * caches by. One loop serves both ways: it stores through a pointer, to the buffer or to the array. Scans and chains of
 * functions are in strips already: each has its buffer. What filters pack is held in lines (pack.c). Rows of a kernel
 * with passes do so where they begin with a line of memory; a run of a map ends where a line of its first array does.
 * Only whole lines pass the caches by. Counter-example to halves of them: the line that two strips share is written by
 * both, one of them past a cache that holds the other; means of 3 by 3 in bands that begin anywhere took 30 ms in place
 * of 2.5, and 1.5 with runs that end so. */
#include "backend_cpu/emit/emit_c.h"
#include "backend_cpu/emit/parts.h"
#include "fusion/filter.h"
#include <stdio.h>
#include <string.h>

static const char stream_text[] =
    "#if defined __has_builtin\n"
    "#if __has_builtin(__builtin_nontemporal_store)\n"
    "#define FSR_STREAM(to, from) __builtin_nontemporal_store(*(from), to)\n"
    "#endif\n"
    "#endif\n"
    "#if !defined FSR_STREAM && !defined __clang__ && defined __AVX__\n"
    "#define FSR_STREAM(to, from) __builtin_ia32_movntps256((f32 *)(to), *(from))\n"
    "#define FSR_STREAM_BYTES 32\n"
    "#elif !defined FSR_STREAM && !defined __clang__ && defined __SSE2__\n"
    "#define FSR_STREAM(to, from) __builtin_ia32_movntps((f32 *)(to), *(from))\n"
    "#endif\n"
    "#ifndef FSR_STREAM_BYTES\n"
    "#define FSR_STREAM_BYTES 16\n"
    "#endif\n"
    "#ifdef FSR_STREAM\n"
    "typedef f32 fsr_line __attribute__((vector_size(FSR_STREAM_BYTES), may_alias));\n"
    "typedef f32 fsr_part __attribute__((vector_size(FSR_STREAM_BYTES), may_alias, aligned(1)));\n"
    "static __attribute__((noinline)) void fsr_stream(char *to, const char *from, i64 bytes) {\n"
    "    i64 i = -(i64)to & 63;\n"
    "    i = i < bytes ? i : bytes;\n"
    "    __builtin_memcpy(to, from, i);\n"
    "    for (; i + 64 <= bytes; i += 64)\n"
    "        for (i64 k = i; k < i + 64; k += FSR_STREAM_BYTES) {\n"
    "            const fsr_line line = *(const fsr_part *)(from + k);\n"
    "            FSR_STREAM((fsr_line *)(to + k), &line);\n"
    "        }\n"
    "    __builtin_memcpy(to + i, from + i, bytes - i);\n"
    "}\n"
    "static void fsr_stream_end(void) {\n"
    "#if defined __SSE__\n"
    "    __builtin_ia32_sfence();\n"
    "#else\n"
    "    __sync_synchronize();\n"
    "#endif\n"
    "}\n"
    "#define FSR_STREAMS 1\n"
    "#else\n"
    "#define FSR_STREAMS 0\n"
    "#define fsr_stream(to, from, bytes)\n"
    "#define fsr_stream_end()\n"
    "#endif\n\n";

/* The array is written by this loop, past the caches. */
static bool streams(const fsr_c_emit *e, const fsr_body *loop, int array) {
    for (int i = 0; i < loop->n; i++) {
        const fsr_inst *inst = &e->k->inst[loop->inst[i]];
        if (fsr_inst_streams(e->k, inst) && e->k->access[inst->index].buffer == array)
            return true;
    }
    return false;
}

/* The first array that is; -1: none. */
static int first_streamed(const fsr_c_emit *e, const fsr_body *loop) {
    for (int b = 0; b < e->k->narrays; b++)
        if (streams(e, loop, b))
            return b;
    return -1;
}

/* ---- text --------------------------------------------------------------------------------------- */

void fsr_c_stream_prelude(const fsr_c_emit *e, fsr_text *to) {
    if (e->s->streams || fsr_kernel_filters(e->k))
        fsr_text_raw(to, stream_text, sizeof stream_text - 1);
}

/* The rows of a kernel with passes pass the caches by where they begin with a line of memory. */
static void put_lined(fsr_c_emit *e, const fsr_body *loop) {
    fsr_text t = {0};
    for (int b = 0; b < e->k->narrays; b++)
        if (streams(e, loop, b))
            fsr_text_add(&t, "%s(i64)(x%d + at)", t.size ? " | " : "", b);
    fsr_c_line(e, "const i64 lined = stream && !((%s) & 63);", t.data ? t.data : "");
    e->body.failed |= t.failed;
    fsr_text_free(&t);
}

void fsr_c_stream_arrays(fsr_c_emit *e, const fsr_body *loop, int elements) {
    if (e->k->npasses && fsr_body_streams(e->k, loop))
        put_lined(e, loop);
    for (int b = 0; b < e->k->narrays; b++)
        if (streams(e, loop, b))
            fsr_c_line(e, "%s buf%d[%d] __attribute__((aligned(64)));", fsr_c_storage(e->k->array[b].dtype), b,
                       elements);
}

void fsr_c_stream_begin(fsr_c_emit *e, const fsr_body *loop, const char *start) {
    for (int b = 0; b < e->k->narrays; b++)
        if (streams(e, loop, b))
            fsr_c_line(e, "%s *restrict o%d = %s ? buf%d : x%d + %s;", fsr_c_storage(e->k->array[b].dtype), b,
                       e->streams, b, b, start);
}

void fsr_c_stream_end(fsr_c_emit *e, const fsr_body *loop, const char *start, const char *elements) {
    if (!fsr_body_streams(e->k, loop))
        return;
    fsr_c_begin(e, "if (%s)", e->streams);
    for (int b = 0; b < e->k->narrays; b++)
        if (streams(e, loop, b))
            fsr_c_line(e, "fsr_stream((char *)(x%d + %s), (const char *)buf%d, (%s) * %d);", b, start, b, elements,
                       (int)fsr_dtype_size(e->k->array[b].dtype));
    fsr_c_end(e);
}

void fsr_c_runs(fsr_c_emit *e, const fsr_body *loop, const char *low, const char *high, const char *start,
                void (*print)(fsr_c_emit *e, const fsr_body *loop)) {
    const int first = first_streamed(e, loop);
    fsr_c_stream_arrays(e, loop, e->s->past);
    if (first >= 0)
        fsr_c_line(e, "const i64 step = %s ? %d : %s - %s;", e->streams, e->s->past, high, low);
    else
        fsr_c_line(e, "const i64 step = %d;", e->s->run);
    snprintf(e->stream_at, sizeof e->stream_at, "%s - c0", e->loop_var);
    if (first >= 0) {
        fsr_c_begin(e, "for (i64 c0 = %s, c1; c0 < %s; c0 = c1)", low, high);
        fsr_c_line(e, "const i64 past = %s ? step - ((i64)(x%d + %s) & 63) / %d : step;", e->streams, first, start,
                   (int)fsr_dtype_size(e->k->array[first].dtype));
        fsr_c_line(e, "c1 = %s - c0 < past ? %s : c0 + past;", high, high);
    } else {
        fsr_c_begin(e, "for (i64 c0 = %s; c0 < %s; c0 += step)", low, high);
        fsr_c_line(e, "const i64 c1 = %s - c0 < step ? %s : c0 + step;", high, high);
    }
    fsr_c_ahead(e, loop->pass, "c0", "c1");
    fsr_c_stream_begin(e, loop, start);
    fsr_c_by_range(e, loop, print);
    fsr_c_stream_end(e, loop, start, "c1 - c0");
    fsr_c_end(e);
}
