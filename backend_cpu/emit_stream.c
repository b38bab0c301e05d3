/* Stores past the caches, in generated C.
 *
 * A result much larger than the last cache is written through a small buffer and from there with stores that do not
 * read the line first: a quarter to a third less traffic for a loop that memory limits. The same loop serves both ways:
 * the pointer it writes to is the buffer or the array. The task says which. Counter-example to doing so always: a small
 * result would leave the cache in which its reader expects it. */
#include "backend_cpu/emit_c.h"
#include "backend_cpu/emit_parts.h"
#include <stdio.h>

static const char stream_text[] =
    "#if defined __AVX512F__\n"
    "typedef long long line __attribute__((vector_size(64), may_alias));\n"
    "#elif defined __AVX__\n"
    "typedef long long line __attribute__((vector_size(32), may_alias));\n"
    "#else\n"
    "typedef long long line __attribute__((vector_size(16), may_alias));\n"
    "#endif\n"
    "static __attribute__((noinline)) void stream_out(char *to, const char *from, i64 size) {\n"
    "    i64 i = -(i64)(__UINTPTR_TYPE__)to & (i64)(sizeof(line) - 1);\n"
    "    i = i < size ? i : size;\n"
    "    __builtin_memcpy(to, from, i);\n"
    "    for (; i + (i64)sizeof(line) <= size; i += sizeof(line)) {\n"
    "        line v;\n"
    "        __builtin_memcpy(&v, from + i, sizeof v);\n"
    "#if defined __clang__\n"
    "        __builtin_nontemporal_store(v, (line *)(to + i));\n"
    "#elif defined __AVX512F__\n"
    "        __builtin_ia32_movntdq512((line *)(to + i), v);\n"
    "#elif defined __AVX__\n"
    "        __builtin_ia32_movntdq256((line *)(to + i), v);\n"
    "#elif defined __SSE2__\n"
    "        __builtin_ia32_movntdq((line *)(to + i), v);\n"
    "#else\n"
    "        *(line *)(to + i) = v;\n"
    "#endif\n"
    "    }\n"
    "    __builtin_memcpy(to + i, from + i, size - i);\n"
    "}\n\n";

void fsr_c_stream_prelude(const fsr_c_emit *e, fsr_text *to) {
    if (e->streams)
        fsr_text_add(to, "%s", stream_text);
}

void fsr_c_stream_fence(fsr_c_emit *e) {
    if (e->streams)
        fsr_text_add(&e->body, "#ifdef __SSE2__\n    if (stream)\n        __builtin_ia32_sfence();\n#endif\n");
}

static bool is_streamed(const fsr_c_emit *e, int value) {
    const fsr_inst *inst = &e->k->inst[value];
    if (inst->kind != FSR_INST_STORE)
        return false;
    const fsr_access *a = &e->k->access[inst->index];
    return a->linear && !e->k->array[a->buffer].aliased;
}

bool fsr_c_streamed(const fsr_c_emit *e, const fsr_c_loop *loop) {
    if (e->grouped || (e->k->npasses && e->k->ndim - e->k->nparallel != 1))
        return false;
    for (int i = 0; i < loop->n; i++)
        if (is_streamed(e, loop->inst[i]))
            return true;
    return false;
}

void fsr_c_stream_begin(fsr_c_emit *e, const fsr_c_loop *loop, const char *at, const char *offset) {
    if (!fsr_c_streamed(e, loop))
        return;
    e->streams = true;
    e->stream_offset = offset;
    for (int i = 0; i < loop->n; i++) {
        int number = loop->inst[i];
        const char *type = fsr_c_type(e->k->inst[number].dtype);
        if (!is_streamed(e, number))
            continue;
        fsr_c_line(e, "%s t%d[%d] __attribute__((aligned(64)));", type, number, FSR_EMIT_RUN);
        fsr_c_line(e, "%s *restrict o%d = stream ? t%d : x%d + (%s);", type, number, number,
                   e->k->access[e->k->inst[number].index].buffer, at);
    }
}

void fsr_c_stream_end(fsr_c_emit *e, const fsr_c_loop *loop, const char *at, const char *count) {
    e->stream_offset = NULL;
    if (!fsr_c_streamed(e, loop))
        return;
    fsr_c_begin(e, "if (stream)");
    for (int i = 0; i < loop->n; i++) {
        int number = loop->inst[i];
        if (is_streamed(e, number))
            fsr_c_line(e, "stream_out((char *)(x%d + (%s)), (const char *)t%d, (%s) * %d);",
                       e->k->access[e->k->inst[number].index].buffer, at, number, count,
                       (int)fsr_dtype_size(e->k->inst[number].dtype));
    }
    fsr_c_end(e);
}

bool fsr_c_stream_store(fsr_c_emit *e, int number, const char *value) {
    if (!e->stream_offset || !is_streamed(e, number))
        return false;
    fsr_c_line(e, "o%d[%s] = %s;", number, e->stream_offset, value);
    return true;
}
