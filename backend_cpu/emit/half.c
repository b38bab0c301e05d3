/* SPDX-License-Identifier: MIT */
/* f16 and bf16 in generated C: u16 in memory, f32 in registers, rounded after every operation.
 *
 * A NaN keeps its sign and what fits of its payload, as in operations on f32: x - 0, which may be left out, is x.
 * The functions are plain arithmetic on the bits of f32, without branches, so that the compiler makes vectors of them;
 * a _Float16 is converted one at a time by the compilers there are. Rounding stays in f32: what is loaded, computed
 * and stored again is packed once. Counter-example to keeping u16 in registers: every operation would unpack and pack.
 *
 * A value that is stored and used by nothing else is rounded and packed in one function, which is shorter than both.
 *
 * A conversion from more bits than f32 has must not be rounded twice: f64 becomes an f32 by rounding to odd (cut off,
 * the last bit set if anything was lost), which leaves the second rounding what it needs to know. An integer of 64 bits
 * loses its lower 32 in the same way, where it is so large that they cannot matter otherwise. */
#include "backend_cpu/emit/parts.h"

const char *fsr_c_storage(fsr_dtype dtype) {
    return fsr_dtype_is_half(dtype) ? "u16" : fsr_c_type(dtype);
}

const char *fsr_c_load(fsr_c_emit *e, fsr_dtype dtype) {
    e->half[dtype] = true;
    return dtype == FSR_F16 ? "fsr_f16_load(" : dtype == FSR_BF16 ? "fsr_bf16_load(" : "";
}

const char *fsr_c_store(fsr_c_emit *e, fsr_dtype dtype) {
    e->half[dtype] = true;
    return dtype == FSR_F16 ? "fsr_f16_store(" : dtype == FSR_BF16 ? "fsr_bf16_store(" : "";
}

const char *fsr_c_round(fsr_c_emit *e, fsr_dtype dtype) {
    e->half[dtype] = true;
    return dtype == FSR_F16 ? "fsr_f16_round(" : dtype == FSR_BF16 ? "fsr_bf16_round(" : "";
}

const char *fsr_c_pack(fsr_c_emit *e, fsr_dtype dtype) {
    e->half[dtype] = true;
    return dtype == FSR_F16 ? "fsr_f16_pack(" : "fsr_bf16_pack(";
}

const char *fsr_c_close(fsr_dtype dtype) {
    return fsr_dtype_is_half(dtype) ? ")" : "";
}

static const char bits[] = "static inline u32 fsr_f32_bits(const f32 x) {\n"
                           "    union { f32 x; u32 b; } u = {x};\n"
                           "    return u.b;\n"
                           "}\n"
                           "static inline f32 fsr_f32_of(const u32 b) {\n"
                           "    union { u32 b; f32 x; } u = {b};\n"
                           "    return u.x;\n"
                           "}\n"
                           "/* Rounded to odd. */\n"
                           "static inline f32 fsr_odd(const f64 x) {\n"
                           "    const f32 y = (f32)x;\n"
                           "    const f64 back = y;\n"
                           "    const u32 b = fsr_f32_bits(y), far = __builtin_fabs(back) > __builtin_fabs(x);\n"
                           "    return fsr_f32_of(back == x || x != x ? b : (b - far) | 1u);\n"
                           "}\n"
                           "static inline f64 fsr_i64_odd(const i64 x) {\n"
                           "    const i64 low = x & 0xffffffff, mark = low ? 0x80000000 : 0;\n"
                           "    return (f64)(x < -0x40000000000 || x > 0x40000000000 ? (x - low) | mark : x);\n"
                           "}\n"
                           "static inline f64 fsr_u64_odd(const u64 x) {\n"
                           "    const u64 low = x & 0xffffffff, mark = low ? 0x80000000 : 0;\n"
                           "    return (f64)(x > 0x40000000000 ? (x - low) | mark : x);\n"
                           "}\n";

/* 0x38800000 is the least normal number of f16, 2^-14; 0x47800000 is 65536; adding 0.5 to what is smaller than 2^-14
 * rounds it to a multiple of 2^-24, the least subnormal. */
static const char f16[] =
    "static inline f32 fsr_f16_load(const u16 h) {\n"
    "    const u32 a = (u32)(h & 0x7fff) << 13, top = a & 0x0f800000;\n"
    "    const u32 normal = a + (top == 0x0f800000 ? 0x70000000 : 0x38000000);\n"
    "    const u32 small = fsr_f32_bits(fsr_f32_of(a + 0x38800000) - 0x1p-14f);\n"
    "    return fsr_f32_of((top ? normal : small) | (u32)(h & 0x8000) << 16);\n"
    "}\n"
    "static inline f32 fsr_f16_round(const f32 x) {\n"
    "    const u32 b = fsr_f32_bits(x), a = b & 0x7fffffff;\n"
    "    const u32 near = (a + 0xfff + (a >> 13 & 1)) & 0xffffe000;\n"
    "    const u32 normal = near < 0x47800000 ? near : 0x7f800000;\n"
    "    const u32 nan = (a & 0xffffe000) | 0x400000;\n"
    "    const u32 small = fsr_f32_bits((fsr_f32_of(a) + 0.5f) - 0.5f);\n"
    "    const u32 r = a > 0x7f800000 ? nan : a < 0x38800000 ? small : normal;\n"
    "    return fsr_f32_of(r | (b ^ a));\n"
    "}\n"
    "/* Of a value that f16 has. */\n"
    "static inline u16 fsr_f16_store(const f32 x) {\n"
    "    const u32 b = fsr_f32_bits(x), a = b & 0x7fffffff;\n"
    "    const u32 normal = (a - 0x38000000) >> 13, rest = 0x7c00 | (a >> 13 & 0x3ff);\n"
    "    const u32 small = fsr_f32_bits(fsr_f32_of(a) + 0.5f) - 0x3f000000;\n"
    "    const u32 h = a >= 0x47800000 ? rest : a < 0x38800000 ? small : normal;\n"
    "    return (u16)(h | b >> 16 & 0x8000);\n"
    "}\n"
    "/* Of any value: rounded and stored. */\n"
    "static inline u16 fsr_f16_pack(const f32 x) {\n"
    "    const u32 b = fsr_f32_bits(x), a = b & 0x7fffffff;\n"
    "    const u32 near = (a - 0x37fff001 + (a >> 13 & 1)) >> 13, normal = near < 0x7c00 ? near : 0x7c00;\n"
    "    const u32 small = fsr_f32_bits(fsr_f32_of(a) + 0.5f) - 0x3f000000;\n"
    "    const u32 nan = 0x7e00 | (a >> 13 & 0x3ff);\n"
    "    const u32 h = a > 0x7f800000 ? nan : a < 0x38800000 ? small : normal;\n"
    "    return (u16)(h | b >> 16 & 0x8000);\n"
    "}\n";

static const char bf16[] =
    "static inline f32 fsr_bf16_load(const u16 h) {\n"
    "    return fsr_f32_of((u32)h << 16);\n"
    "}\n"
    "static inline f32 fsr_bf16_round(const f32 x) {\n"
    "    const u32 b = fsr_f32_bits(x);\n"
    "    return fsr_f32_of(x == x ? (b + 0x7fff + (b >> 16 & 1)) & 0xffff0000 : (b & 0xffff0000) | 0x400000);\n"
    "}\n"
    "static inline u16 fsr_bf16_store(const f32 x) {\n"
    "    return (u16)(fsr_f32_bits(x) >> 16);\n"
    "}\n"
    "static inline u16 fsr_bf16_pack(const f32 x) {\n"
    "    return fsr_bf16_store(fsr_bf16_round(x));\n"
    "}\n";

void fsr_c_half_put(const fsr_c_emit *e, fsr_text *to) {
    if (!e->half[FSR_F16] && !e->half[FSR_BF16])
        return;
    fsr_text_add(to, "%s", bits);
    fsr_text_add(to, "%s%s\n", e->half[FSR_F16] ? f16 : "", e->half[FSR_BF16] ? bf16 : "");
}

void fsr_c_half_cast(fsr_text *to, fsr_dtype from, fsr_dtype dest) {
    const char *name = fsr_dtype_name(dest);
    if (from == FSR_I64 || from == FSR_U64)
        fsr_text_add(to, "fsr_%s_round(fsr_odd(fsr_%s_odd(a)))", name, fsr_dtype_name(from));
    else if (from == FSR_F64 || from == FSR_I32 || from == FSR_U32)
        fsr_text_add(to, "fsr_%s_round(fsr_odd((f64)a))", name);
    else
        fsr_text_add(to, "fsr_%s_round((f32)a)", name);
}
