/* SPDX-License-Identifier: MIT */
/* Elementwise operations: promotion, broadcasting, and every fsr_<op>_at of the table of scalar ops.
 *
 * Promotion (NEP 50). Operands are strong (arrays, typed literals) or weak (fsr_float, fsr_int, arithmetic on those).
 * The strong ones promote together, by NumPy's table and in any order; a weak one takes that dtype unless its kind is
 * higher. Without strong operands the weak ones promote among themselves (i64, f64, c128) and the result is weak.
 * Counter-example to promoting literals as f64: x * 2.0 would turn every f32 array into f64.
 *
 * A weak int that the integer dtype it meets cannot hold is an error (NumPy's OverflowError), but where the op computes
 * in floats, and in a comparison, which is exact: done in i64, or, where one side is u64 and the other a signed
 * integer, put together from the sign and a comparison in u64. Counter-example to f64, where the two meet otherwise:
 * 2^63 and 2^63 - 1 are equal there.
 * Values with a length that only the device knows meet others of the same length alone, and single elements.
 *
 * Weak nodes carry their value in rec->value, so arithmetic on literals is checked as well:
 * u8 + (200 + 100) overflows although neither literal does. */
#include "graph/floats.h"
#include "primitives/live.h"
#include <string.h>

typedef struct promotion {
    fsr_dtype compute;
    fsr_dtype floats; /* what the operands' floats promote to, for the FLOAT rule */
    bool weak;        /* every operand that takes part is weak */
} promotion;

/* Does the rule leave operand i out of the promotion? */
static bool is_apart(const fsr_op_info *info, int i) {
    return (info->rule == FSR_RULE_SELECT && i == 0) || (info->rule == FSR_RULE_SCALE && i == 1);
}

fsr_dtype fsr_float_dtype(fsr_dtype dtype) {
    fsr_class class = fsr_dtype_class(dtype);
    if (class != FSR_CLASS_INT && class != FSR_CLASS_BOOL)
        return dtype;
    size_t bytes = fsr_dtype_size(dtype);
    return bytes == 1 ? FSR_F16 : bytes == 2 ? FSR_F32 : FSR_F64;
}

static promotion promote_weak(const fsr_op_info *info, const fsr_node *args, int n) {
    promotion p = {FSR_I64, FSR_F64, true};
    for (int i = 0; i < n; i++)
        if (!is_apart(info, i))
            p.compute = fsr_dtype_promote(p.compute, fsr_node_dtype(args[i]));
    p.floats = fsr_float_dtype(p.compute);
    return p;
}

static fsr_dtype meet_weak(fsr_dtype strong, fsr_dtype weak) {
    if (weak == FSR_C128)
        return fsr_dtype_is_inexact(strong) ? fsr_dtype_promote(strong, FSR_C64) : FSR_C128;
    if (weak == FSR_F64)
        return fsr_dtype_is_inexact(strong) ? strong : FSR_F64;
    return strong == FSR_BOOL ? FSR_I64 : strong;
}

/* The strong operands first. For the FLOAT rule each becomes a float by itself: i8 and u8 are f16, and so together,
 * though as integers together they are i16, which becomes f32. A literal counts there only if it raises the kind. */
static promotion promote(const fsr_op_info *info, const fsr_node *args, int n) {
    fsr_dtype own[FSR_MAX_ARGS], floats[FSR_MAX_ARGS];
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (is_apart(info, i) || fsr_node_rec(args[i])->weak)
            continue;
        own[count] = fsr_node_dtype(args[i]);
        floats[count] = fsr_float_dtype(own[count]);
        count++;
    }
    if (!count)
        return promote_weak(info, args, n);
    promotion p = {fsr_dtype_promote_all(own, count), fsr_dtype_promote_all(floats, count), false};
    const fsr_dtype strong = p.compute;
    for (int i = 0; i < n; i++)
        if (!is_apart(info, i) && fsr_node_rec(args[i])->weak)
            p.compute = meet_weak(p.compute, fsr_node_dtype(args[i]));
    if (p.compute != strong)
        p.floats = fsr_float_dtype(p.compute);
    return p;
}

/* u64 of integers and bools, each by itself. Counter-example to promoting them: u64 and i64 together are f64. */
static promotion promote_words(const fsr_node *args, int n) {
    fsr_dtype compute = FSR_U64;
    for (int i = 0; i < n; i++)
        if (fsr_dtype_is_inexact(fsr_node_dtype(args[i])))
            compute = fsr_node_dtype(args[i]);
    return (promotion){compute, compute, false};
}

static bool is_integer(fsr_dtype dtype) {
    return fsr_dtype_class(dtype) == FSR_CLASS_INT;
}

/* A weak int among the operands that dtype cannot hold; -1: none. */
static int find_overflow(const fsr_op_info *info, const fsr_node *args, int n, fsr_dtype dtype) {
    for (int i = 0; i < n && is_integer(dtype); i++) {
        const fsr_rec *rec = fsr_node_rec(args[i]);
        if (is_apart(info, i) || !rec->weak || rec->dtype[0] != FSR_I64)
            continue;
        fsr_value there = fsr_value_cast(dtype, FSR_I64, rec->value);
        bool negative = rec->value.i64 < 0 && fsr_dtype_is_unsigned(dtype);
        if (negative || fsr_value_cast(FSR_I64, dtype, there).i64 != rec->value.i64)
            return i;
    }
    return -1;
}

/* The dtype that the operands are cast to. */
static fsr_dtype compute_dtype(const fsr_op_info *info, const promotion *p) {
    switch (info->rule) {
    case FSR_RULE_COMPLEX:
        return fsr_dtype_is_complex(p->compute) ? FSR_DTYPE_COUNT : fsr_dtype_promote(p->compute, FSR_C64);
    case FSR_RULE_FLOAT:
    case FSR_RULE_SCALE:
    case FSR_RULE_NEXT:
    case FSR_RULE_EXPONENT: return p->floats;
    case FSR_RULE_PHASE: return p->compute == FSR_BOOL ? FSR_F64 : p->floats;
    case FSR_RULE_DIVIDE: return fsr_dtype_is_inexact(p->compute) ? p->compute : FSR_F64;
    case FSR_RULE_LOGIC: return FSR_BOOL;
    case FSR_RULE_ROUND: return p->compute == FSR_BOOL ? FSR_F16 : p->compute;
    case FSR_RULE_NUMBER:
    case FSR_RULE_POWER: return p->compute == FSR_BOOL ? FSR_I8 : p->compute;
    case FSR_RULE_KEY: return fsr_dtype_is_half(p->compute) ? FSR_F32 : p->compute;
    case FSR_RULE_KEYED: return is_integer(p->compute) ? fsr_dtype_promote(p->compute, FSR_I32) : p->compute;
    default: return p->compute;
    }
}

/* "f32[3,4] and f32[5]", "a, b and c". */
static void list(char *out, size_t size, const fsr_node *args, int n) {
    out[0] = 0;
    for (int i = 0; i < n; i++) {
        const char *between = i == 0 ? "" : i + 1 == n ? " and " : ", ";
        strncat(out, between, size - strlen(out) - 1);
        strncat(out, fsr_say(args[i]).text, size - strlen(out) - 1);
    }
}

#define LIST_BYTES (FSR_MAX_ARGS * (sizeof(fsr_words) + 8))

static fsr_node no_dtype(fsr_site at, const fsr_op_info *info, const fsr_node *args, int n) {
    char words[LIST_BYTES];
    list(words, sizeof words, args, n);
    return fsr_poison(args[0].graph, at, FSR_ERR_DTYPE, info->name, "not defined for %s", words);
}

static fsr_node no_fit(fsr_site at, const fsr_op_info *info, const fsr_node *args, int n) {
    char words[LIST_BYTES];
    list(words, sizeof words, args, n);
    return fsr_poison(args[0].graph, at, FSR_ERR_SHAPE, info->name, "shapes %s do not broadcast", words);
}

/* The operands' common shape, checked for a result of dtype. */
static bool common_shape(fsr_site at, const fsr_op_info *info, const fsr_node *args, int n, fsr_dtype dtype,
                         fsr_shape *shape, fsr_node *poison) {
    *shape = (fsr_shape){0};
    for (int i = 0; i < n; i++) {
        if (fsr_shape_broadcast(shape, &fsr_node_rec(args[i])->shape, shape))
            continue;
        *poison = no_fit(at, info, args, n);
        return false;
    }
    fsr_shape same;
    return fsr_shape_take(args[0].graph, at, info->name, dtype, shape->ndim, shape->dim, &same, poison);
}

/* What a SCALE multiplies by two to the power of is an integer, and as in NumPy no u64. */
static bool scales(const fsr_op_info *info, const fsr_node *args) {
    if (info->rule != FSR_RULE_SCALE)
        return true;
    const fsr_dtype exponent = fsr_node_dtype(args[1]);
    return exponent == FSR_BOOL || (is_integer(exponent) && exponent != FSR_U64);
}

/* The literal, broadcast or not, that x is, if it is a negative integer; else NULL. */
static const fsr_rec *negative_literal(fsr_node x) {
    const fsr_rec *rec = fsr_node_rec(x);
    while (fsr_is(rec->kind, FSR_IS_VIEW))
        rec = fsr_graph_rec(x.graph, rec->arg[0].id);
    bool literal = (fsr_is(rec->kind, FSR_IS_LITERAL) || rec->weak) && is_integer(rec->dtype[0]) &&
                   !fsr_dtype_is_unsigned(rec->dtype[0]);
    return literal && fsr_value_cast(FSR_I64, rec->dtype[0], rec->value).i64 < 0 ? rec : NULL;
}

/* Decides compute dtype and weakness of the op on these operands. */
static bool types(fsr_site at, const fsr_op_info *info, fsr_op op, const fsr_node *args, int n, promotion *p,
                  fsr_node *poison) {
    *p = info->rule == FSR_RULE_WORDS ? promote_words(args, n) : promote(info, args, n);
    bool elsewhere = info->rule == FSR_RULE_LOGIC || info->rule == FSR_RULE_WORDS || info->rule == FSR_RULE_FLOAT ||
                     info->rule == FSR_RULE_DIVIDE;
    int over = elsewhere || p->weak ? -1 : find_overflow(info, args, n, p->compute);
    if (over >= 0 && info->rule == FSR_RULE_COMPARE) {
        p->compute = FSR_I64;
    } else if (over >= 0) {
        *poison = fsr_poison(args[0].graph, at, FSR_ERR_VALUE, info->name, "the literal %lld does not fit %s",
                             (long long)fsr_node_rec(args[over])->value.i64, fsr_dtype_name(p->compute));
        return false;
    }
    p->compute = compute_dtype(info, p);
    if (fsr_op_defined(op, p->compute) && scales(info, args)) {
        const fsr_rec *power = NULL;
        if (info->rule == FSR_RULE_POWER && is_integer(p->compute) && (power = negative_literal(args[1])))
            *poison = fsr_poison(args[0].graph, at, FSR_ERR_VALUE, info->name, "an integer array has no power %lld",
                                 (long long)fsr_value_cast(FSR_I64, power->dtype[0], power->value).i64);
        return !power;
    }
    *poison = no_dtype(at, info, args, n);
    return false;
}

/* The value of a weak integer node, for find_overflow. */
static fsr_value weak_value(fsr_op op, fsr_dtype compute, const fsr_node *args, int n) {
    FSR_DEFAULT_FLOATS;
    fsr_value value[FSR_MAX_ARGS] = {{.bits = 0}};
    for (int i = 0; i < n; i++)
        value[i] = fsr_node_rec(args[i])->value;
    return fsr_op_eval(op, compute, fsr_op_result(op, compute), value);
}

/* A comparison of a u64 with a signed integer; a weak one only if it is negative, otherwise it is a u64. */
static bool is_mixed(const fsr_op_info *info, const fsr_node *args) {
    if (info->rule != FSR_RULE_COMPARE)
        return false;
    fsr_dtype a = fsr_node_dtype(args[0]), b = fsr_node_dtype(args[1]);
    const fsr_rec *other = fsr_node_rec(args[a == FSR_U64]);
    fsr_dtype dtype = a == FSR_U64 ? b : a;
    if ((a == FSR_U64) == (b == FSR_U64) || !is_integer(dtype) || fsr_dtype_is_unsigned(dtype))
        return false;
    return !other->weak || other->value.i64 < 0;
}

/* Where the signed operand is negative, what the op says of -1 and 0; else the op in u64. */
static fsr_node compare_mixed(fsr_site at, fsr_op op, const fsr_node *args) {
    const int with = fsr_node_dtype(args[0]) == FSR_U64;
    fsr_graph *g = args[0].graph;
    fsr_value sign[2] = {fsr_value_from_int(FSR_I64, -!with), fsr_value_from_int(FSR_I64, -with)};
    fsr_value below = fsr_op_eval(op, FSR_I64, FSR_BOOL, sign);
    fsr_node side[2] = {args[0], args[1]};
    side[with] = fsr_cast_at(at, args[with], FSR_U64);
    fsr_node negative = fsr_less_at(at, args[with], fsr_int_at(at, g, 0));
    return fsr_where_at(at, negative, fsr_literal(g, at, FSR_BOOL, below, false), fsr_map(at, op, side, 2));
}

fsr_node fsr_map(fsr_site at, fsr_op op, const fsr_node *args, int n) {
    const fsr_op_info *info = fsr_op_get(op);
    fsr_node poison, cast[FSR_MAX_ARGS], handle;
    fsr_graph *g;
    fsr_shape shape;
    fsr_length length;
    promotion p;
    if (fsr_poison_of_any(at, info->name, args, n, &g, &poison) ||
        !fsr_lengths_meet(at, info->name, args, n, &length, &poison))
        return poison;
    if (is_mixed(info, args) &&
        fsr_shape_broadcast(&fsr_node_rec(args[0])->shape, &fsr_node_rec(args[1])->shape, &shape))
        return compare_mixed(at, op, args);
    if (!types(at, info, op, args, n, &p, &poison))
        return poison;
    fsr_dtype dtype = fsr_op_result(op, p.compute);
    bool apart = info->rule == FSR_RULE_SELECT || info->rule == FSR_RULE_SCALE;
    bool weak = p.weak && dtype == p.compute && dtype != FSR_BOOL && !apart;
    if (!common_shape(at, info, args, n, dtype, &shape, &poison))
        return poison;
    for (int i = 0; i < n; i++) {
        cast[i] = fsr_convert(at, args[i], info->rule == FSR_RULE_SELECT && i == 0 ? FSR_BOOL : p.compute, weak);
        cast[i] = fsr_stretch(at, cast[i], &shape);
        if (!fsr_node_sound(cast[i]))
            return cast[i];
    }
    const fsr_type type = {shape, 1, {dtype}};
    fsr_rec *rec = fsr_graph_add(g, at, info->name, FSR_NODE_MAP, &type, &handle);
    if (!rec)
        return handle;
    rec->op = op;
    rec->weak = weak;
    rec->length = length;
    rec->nargs = n;
    for (int i = 0; i < n; i++)
        rec->arg[i] = (fsr_ref){cast[i].id, cast[i].output};
    if (weak)
        rec->value = weak_value(op, p.compute, cast, n);
    return handle;
}

/* fsr_add_at, fsr_exp_at, ...: one function a row of the table. CAST has its own builder. */
#define FUNCTION(id, name, arity) ARITY_##arity(id, name)
#define ARITY_1(id, name)                               \
    fsr_node fsr_##name##_at(fsr_site at, fsr_node a) { \
        return fsr_map(at, FSR_OP_##id, &a, 1);         \
    }
#define ARITY_2(id, name)                                           \
    fsr_node fsr_##name##_at(fsr_site at, fsr_node a, fsr_node b) { \
        return fsr_map(at, FSR_OP_##id, (fsr_node[]){a, b}, 2);     \
    }
#define ARITY_3(id, name)                                                       \
    fsr_node fsr_##name##_at(fsr_site at, fsr_node a, fsr_node b, fsr_node c) { \
        return fsr_map(at, FSR_OP_##id, (fsr_node[]){a, b, c}, 3);              \
    }
#define RULE_SAME FUNCTION
#define RULE_FLOAT FUNCTION
#define RULE_DIVIDE FUNCTION
#define RULE_COMPARE FUNCTION
#define RULE_LOGIC FUNCTION
#define RULE_TEST FUNCTION
#define RULE_SELECT FUNCTION
#define RULE_REAL FUNCTION
#define RULE_COMPLEX FUNCTION
#define RULE_NUMBER FUNCTION
#define RULE_ROUND FUNCTION
#define RULE_POWER FUNCTION
#define RULE_COUNT FUNCTION
#define RULE_SCALE FUNCTION
#define RULE_NEXT FUNCTION
#define RULE_PHASE FUNCTION
#define RULE_EXPONENT FUNCTION
#define RULE_KEY FUNCTION
#define RULE_KEYED FUNCTION
#define RULE_WORDS FUNCTION
#define RULE_CAST(id, name, arity)
#define FSR_SCALAR_OP(id, name, arity, rule, ...) RULE_##rule(id, name, arity)
#include "graph/scalar_ops.def"
#undef FSR_SCALAR_OP
