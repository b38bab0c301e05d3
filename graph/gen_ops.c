/* SPDX-License-Identifier: MIT */
/* Host tool: writes what follows from the table of scalar operations.
 *   gen_ops FILE        fusor/ops.h: a builder function and its macro for each op
 *   gen_ops --doc FILE  docs/ops.md: the ops as a Markdown table
 *   gen_ops --cpp FILE  fusor/ops.hpp: the ops' names by number of operands
 * CAST has no row in any header: its builder takes a dtype and is written by hand in fusor/elementwise.h. */
#include "graph/ops.h"
#include <stdio.h>
#include <string.h>

typedef struct row {
    fsr_op op;
    const char *name;
    int arity;
    fsr_rule rule;
    unsigned flags;
    int cost;
    double ulp;
    const char *text[FSR_CLASS_COUNT]; /* the C column: NULL where the op is not defined */
    const char *doc;
} row;

enum {
    COMMUTATIVE = FSR_OP_COMMUTATIVE,
    ASSOCIATIVE = FSR_OP_ASSOCIATIVE,
    EXACT = FSR_OP_EXACT,
    COMPLEX_ROUNDS = FSR_OP_COMPLEX_ROUNDS,
    LIMITED = FSR_OP_LIMITED,
    COMPLEX_LIMITED = FSR_OP_COMPLEX_LIMITED,
    KEEPS = FSR_OP_KEEPS,
    SERIAL = FSR_OP_SERIAL,
    BLOCKS = FSR_OP_BLOCKS,
    ATOMIC = FSR_OP_ATOMIC,
    TURN = FSR_OP_TURN,
    POSITIVE = FSR_OP_POSITIVE,
    BY_LITERAL = FSR_OP_BY_LITERAL,
    OF_ANGLE = FSR_OP_OF_ANGLE
};

static const row ops[] = {
#define C(...) \
    { __VA_ARGS__ }
#define FSR_SCALAR_OP(id, name, arity, rule, flags, identity, cost, ulp, cuda, c, ref, doc) \
    {FSR_OP_##id, #name, arity, FSR_RULE_##rule, flags, cost, ulp, c, doc},
#include "graph/scalar_ops.def"
#undef FSR_SCALAR_OP
#undef C
};

static const char *const rules[] = {
    [FSR_RULE_SAME] = "promoted; result the same",
    [FSR_RULE_FLOAT] =
        "each made floating (bool, i8 and u8 f16; i16 and u16 f32; wider integers f64) and promoted; result the same",
    [FSR_RULE_DIVIDE] = "promoted to floating, bool and integers to f64; result the same",
    [FSR_RULE_COMPARE] = "promoted; result bool",
    [FSR_RULE_LOGIC] = "taken as `!= 0`; result bool",
    [FSR_RULE_TEST] = "as it is; result bool",
    [FSR_RULE_SELECT] = "a taken as `!= 0`, b and c promoted; result as b and c",
    [FSR_RULE_REAL] = "promoted; result the same, of complex operands the dtype of their parts",
    [FSR_RULE_COMPLEX] = "real, promoted with c64; result the same",
    [FSR_RULE_NUMBER] = "promoted, bool to i8; result the same",
    [FSR_RULE_ROUND] = "promoted, bool to f16; result the same",
    [FSR_RULE_POWER] = "promoted, bool to i8; integers to a negative literal an error; result the same",
    [FSR_RULE_COUNT] = "as it is; result u8",
    [FSR_RULE_SCALE] =
        "a made floating (bool, i8 and u8 f16; i16 and u16 f32; wider integers f64), b an integer; result as a",
    [FSR_RULE_NEXT] =
        "each made floating (bool, i8 and u8 f16; i16 and u16 f32; wider integers f64) and promoted; result the same",
    [FSR_RULE_PHASE] =
        ("made floating (i8 and u8 f16; i16 and u16 f32; bool and wider integers f64); result the same, of "
         "complex operands the dtype of their parts"),
    [FSR_RULE_EXPONENT] = "made floating (bool, i8 and u8 f16; i16 and u16 f32; wider integers f64); result i32",
    [FSR_RULE_KEY] = "f16 and bf16 made f32; result i32, of f64 i64",
    [FSR_RULE_KEYED] = "promoted with i32; result f32, of i64 f64",
    [FSR_RULE_WORDS] = "integers, each taken as u64; result u64",
    [FSR_RULE_CAST] = "as it is; result as asked",
};

#define COUNT ((int)(sizeof ops / sizeof ops[0]))

static void write_error(FILE *to, const row *r) {
    if (r->flags & FSR_OP_EXACT)
        fputs("exact", to);
    else
        fprintf(to, "%g", r->ulp);
}

static void write_prototype(FILE *to, const row *r) {
    static const char *const operand[] = {"fsr_node a", ", fsr_node b", ", fsr_node c"};

    fprintf(to, "\n/* %s(%s): %s.\n * Operands %s. Error: ", r->name,
            r->arity == 1   ? "a"
            : r->arity == 2 ? "a, b"
                            : "a, b, c",
            r->doc, rules[r->rule]);
    write_error(to, r);
    fprintf(to, "%s. Cost: %d. */\nfsr_node fsr_%s_at(fsr_site at, ", r->flags & FSR_OP_EXACT ? "" : " ULP", r->cost,
            r->name);
    for (int i = 0; i < r->arity; i++)
        fputs(operand[i], to);
    fprintf(to, ");\n#define fsr_%s(...) fsr_%s_at(FSR_HERE, __VA_ARGS__)\n", r->name, r->name);
}

static void write_header(FILE *to) {
    fputs("/* SPDX-License-Identifier: MIT */\n/* Elementwise builder functions. Generated from graph/scalar_ops.def: "
          "do not edit.\n"
          " *\n"
          " * Operands broadcast and are promoted as NumPy 2 does; each line below says to what. Error is the largest "
          "one of\n"
          " * a float result, in units in the last place of the exact one (\"exact\": correctly rounded). Cost is a "
          "rough count\n"
          " * of instructions per element. */\n"
          "#ifndef FUSOR_OPS_H\n#define FUSOR_OPS_H\n\n#include \"fusor/build.h\"\n\n"
          "FSR_API_BEGIN\n",
          to);
    for (int i = 0; i < COUNT; i++)
        if (ops[i].op != FSR_OP_CAST)
            write_prototype(to, &ops[i]);
    fputs("\nFSR_API_END\n#endif\n", to);
}

/* Text inside a table's cell. */
static void write_cell(FILE *to, const char *text) {
    for (; *text; text++) {
        if (*text == '|')
            fputc('\\', to);
        fputc(*text, to);
    }
}

static void write_doc(FILE *to) {
    static const char *const classes[] = {"float", "int", "bool", "complex"};

    fputs("# Scalar operations\n\n"
          "Generated from `graph/scalar_ops.def` (`cmake --build <build> --target docs`): do not edit.\n\n"
          "Error is the largest one of a float result in ULP (units in the last place of the exact result); \"exact\" "
          "means\n"
          "correctly rounded, the same bits on every backend. \"Computes on\" names the kinds of operands after "
          "promotion.\n\n"
          "| op | arity | operands | computes on | error (ULP) | meaning |\n"
          "| --- | --- | --- | --- | --- | --- |\n",
          to);
    for (int i = 0; i < COUNT; i++) {
        const char *comma = "";
        fprintf(to, "| `fsr_%s` | %d | %s | ", ops[i].name, ops[i].arity, rules[ops[i].rule]);
        for (int k = 0; k < FSR_CLASS_COUNT; k++)
            if (ops[i].text[k]) {
                fprintf(to, "%s%s", comma, classes[k]);
                comma = ", ";
            }
        fputs(" | ", to);
        write_error(to, &ops[i]);
        fputs(" | ", to);
        write_cell(to, ops[i].doc);
        fputs(" |\n", to);
    }
}

static void write_names(FILE *to) {
    fputs("// SPDX-License-Identifier: MIT\n// The elementwise operations by number of operands, for "
          "fusor/functions.hpp, which "
          "wraps each: FUSOR_OPS_2(X) is X(add) X(sub) ...\n// Generated from graph/scalar_ops.def: do not edit.\n"
          "#ifndef FUSOR_OPS_HPP\n#define FUSOR_OPS_HPP\n",
          to);
    for (int arity = 1; arity <= 3; arity++) {
        fprintf(to, "\n#define FUSOR_OPS_%d(X)", arity);
        for (int i = 0; i < COUNT; i++)
            if (ops[i].op != FSR_OP_CAST && ops[i].arity == arity)
                fprintf(to, " \\\n    X(%s)", ops[i].name);
    }
    fputs("\n\n#endif\n", to);
}

int main(int argc, char **argv) {
    const bool doc = argc == 3 && strcmp(argv[1], "--doc") == 0, cpp = argc == 3 && strcmp(argv[1], "--cpp") == 0;
    FILE *to;

    if (argc != 2 && !doc && !cpp) {
        fputs("usage: gen_ops [--doc | --cpp] FILE\n", stderr);
        return 2;
    }
    to = fopen(argv[argc - 1], "w");
    if (!to) {
        perror(argv[argc - 1]);
        return 1;
    }
    if (doc)
        write_doc(to);
    else if (cpp)
        write_names(to);
    else
        write_header(to);
    if (ferror(to) | fclose(to)) {
        perror(argv[argc - 1]);
        return 1;
    }
    return 0;
}
