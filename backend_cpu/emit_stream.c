/* Results that no cache would hold until somebody reads them, in generated C.
 *
 * A store into the cache reads the line from memory first. Where a launch writes more than the last cache holds, that
 * read and the lines pushed out are for nothing: a sum of two arrays moves four arrays instead of three. So the loop
 * then runs in strips of FSR_EMIT_STREAM elements whose results go to a buffer in the first cache, and from there by
 * stores that pass the caches by. One loop serves both ways: it stores through a pointer, to the buffer or to the array.
 * Measured, 2^24 elements, two threads, in pairs of runs: sums and products of three arrays 12 % faster, complex products
 * 17 %; where an element is work itself nothing.
 *
 * Scans go by strips anyway: theirs pass through a buffer likewise, where a row begins with a line of memory. Measured
 * of a map, a sum scan and a map, 2^24 f32, two threads: 4.5 instead of 6.6 ms. Counter-example to strips that begin
 * anywhere: the line that two of them share is written by halves, one of them past a cache that holds the other;
 * that alone took twice the time of a filter.
 *
 * Only for arrays that are written in their own order, by kernels that work on nothing in place: a line that was read is
 * in the cache. Counter-example to streaming always: the next kernel of a plan reads a small result from memory that
 * it would have found in the cache. */
#include "backend_cpu/emit_parts.h"
#include <string.h>

enum { MOST_BYTES = 32 }; /* of an element, all buffers together */

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
    "    i64 i = -(i64)to & (FSR_STREAM_BYTES - 1);\n"
    "    i = i < bytes ? i : bytes;\n"
    "    __builtin_memcpy(to, from, i);\n"
    "    for (; i + FSR_STREAM_BYTES <= bytes; i += FSR_STREAM_BYTES) {\n"
    "        const fsr_line line = *(const fsr_part *)(from + i);\n"
    "        FSR_STREAM((fsr_line *)(to + i), &line);\n"
    "    }\n"
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

/* A store of every element, in the domain's own order. */
static bool is_streamed(const fsr_kernel *k, const fsr_inst *inst) {
    if (inst->kind != FSR_INST_STORE || inst->placed || (k->npasses > 0 && inst->level != FSR_ELEM))
        return false;
    const fsr_access *a = &k->access[inst->index];
    return a->linear || a->row_linear;
}

/* Such loops run in strips of their own length already: longer ones, as each is looked at twice. */
static bool in_strips(const fsr_inst *inst) {
    return inst->kind == FSR_INST_ITERATE || (inst->kind == FSR_INST_OP && fsr_c_op_limit(inst->op, inst->compute));
}

void fsr_c_stream_plan(fsr_c_emit *e) {
    const fsr_kernel *k = e->k;
    size_t bytes = 0;
    for (int i = 0; i < k->ninsts; i++)
        if (in_strips(&k->inst[i]))
            return;
    for (int b = 0; b < k->narrays; b++)
        if (k->array[b].aliased)
            return;
    for (int i = 0; i < k->ninsts; i++)
        if (is_streamed(k, &k->inst[i])) {
            e->streamed[k->access[k->inst[i].index].buffer] = true;
            bytes += fsr_dtype_size(k->array[k->access[k->inst[i].index].buffer].dtype);
        }
    if (bytes > MOST_BYTES)
        memset(e->streamed, 0, sizeof e->streamed);
    else
        e->stream_bytes = (int)bytes;
}

void fsr_c_stream_prelude(const fsr_c_emit *e, fsr_text *to) {
    if (e->stream_bytes)
        fsr_text_raw(to, stream_text, sizeof stream_text - 1);
}

void fsr_c_stream_arrays(fsr_c_emit *e, int length) {
    for (int b = 0; b < e->k->narrays; b++)
        if (e->streamed[b])
            fsr_c_line(e, "%s buf%d[%d] __attribute__((aligned(64)));", fsr_c_storage(e->k->array[b].dtype), b, length);
}

void fsr_c_stream_row(fsr_c_emit *e, const char *start) {
    fsr_text t = {0};
    if (!e->stream_bytes)
        return;
    for (int b = 0; b < e->k->narrays; b++)
        if (e->streamed[b])
            fsr_text_add(&t, "%s(i64)(x%d + %s)", t.size ? " | " : "", b, start);
    fsr_c_line(e, "const i64 lined = stream && !((%s) & 63);", t.data ? t.data : "");
    e->body.failed |= t.failed;
    fsr_text_free(&t);
}

void fsr_c_stream_begin(fsr_c_emit *e, const char *start) {
    for (int b = 0; b < e->k->narrays; b++)
        if (e->streamed[b])
            fsr_c_line(e, "%s *restrict o%d = %s ? buf%d : x%d + %s;", fsr_c_storage(e->k->array[b].dtype), b,
                       e->streams, b, b, start);
}

void fsr_c_stream_end(fsr_c_emit *e, const char *start, const char *count) {
    if (!e->stream_bytes)
        return;
    fsr_c_begin(e, "if (%s)", e->streams);
    for (int b = 0; b < e->k->narrays; b++)
        if (e->streamed[b])
            fsr_c_line(e, "fsr_stream((char *)(x%d + %s), (const char *)buf%d, (%s) * %d);", b, start, b, count,
                       (int)fsr_dtype_size(e->k->array[b].dtype));
    fsr_c_end(e);
}
