/* SPDX-License-Identifier: MIT */
/* Host tool: writes what follows from primitives/numpy.def.
 *   gen_numpy FILE       docs/from-numpy.md
 *   gen_numpy --rows     for tests/numpy/names.sh, to stdout: NumPy's name, what kind of row, the function in C; a tab
 *                        between them */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef enum how { SAME, ALIAS, CAST, SAYS, LACKS } how;

typedef struct row {
    const char *name;
    how how;
    const char *kind, *ours, *text;
} row;

static const row rows[] = {
#define FSR_NUMPY(name, how, ours, text) {name, how, #how, ours, text},
#include "primitives/numpy.def"
#undef FSR_NUMPY
};

#define COUNT ((int)(sizeof rows / sizeof rows[0]))

/* What rows that SAYS do not do. */
static const struct {
    const char *name, *text;
} buts[] = {
#define FSR_NUMPY(name, how, ours, text)
#define FSR_NUMPY_BUT(name, text) {name, text},
#include "primitives/numpy.def"
#undef FSR_NUMPY_BUT
#undef FSR_NUMPY
};

#define BUTS (sizeof buts / sizeof buts[0])

/* The words of LACKS, in the page's order. */
static const struct {
    const char *word, *what;
} words[] = {
    {"length", "the values decide how long the result is; `fsr_compress` has a capacity and a count"},
    {"indices", "makes places to read or write at"},
    {"library call", "eigenvalues where no symmetry is known, least squares: a library's, by `fsr_call_library`"},
    {"polynomials", "lists of coefficients"},
    {"dates", "there is no dtype of time"},
    {"no such dtype", "bool, integers and floats of 8 to 64 bits, and complex numbers of two of these are all"},
    {"bytes", "looks at an array's memory; what is computed has none until it is asked for"},
    {"in place", "values never change"},
    {"text file", "`fsr_npy_read` and `fsr_npy_write` are the only files"},
    {"archive", "as text file"},
    {"not yet", "nothing speaks against it; in an expression, or with `fsr_function`, most of them are a line"},
    {"no array operation", "asks or sets something of NumPy itself, or of Python"},
};

static const char head[] =
    "# From NumPy\n\n"
    "Generated from `primitives/numpy.def` (`cmake --build <build> --target docs`): do not edit. Each public name of "
    "NumPy\n"
    "2.2 is a row: how it is called in C, how in an expression ([expressions.md](expressions.md)), or that it is "
    "missing and\n"
    "why. Tests compare the rows with NumPy's own list, with the public headers and with what expressions take.\n\n"
    "Where a function has NumPy's name it gives NumPy's values and dtypes; [semantics.md](semantics.md) lists what "
    "NumPy leaves\n"
    "open. What bites at first:\n\n"
    "- **Nothing runs** until something is asked for: `fsr_compute`, `fsr_read`. What is recorded in between becomes "
    "few kernels,\n"
    "  so temporaries that one avoids in NumPy cost nothing here, and `out=` is not needed.\n"
    "- **Values never change.** `x[1:] = y` is `x = fsr_update(x, fsr_slice(x, 0, 1, FSR_SLICE_END, 1), y)`, a new "
    "value; it is\n"
    "  done in place where nobody needs the old one.\n"
    "- **Axes are a list with its length**, `fsr_sum(x, (int[]){0, 1}, 2, FSR_KEEPDIMS)`; `NULL, 0` is `axis=None`. "
    "Positions\n"
    "  and scans take one axis in the same way. A literal 0 in place of the list does not compile. In an\n"
    "  expression they are `sum(x, [0, 1], keepdims)` or `sum(x, axis=(0, 1))`.\n"
    "- **Numbers become nodes**: `fsr_mul(x, fsr_float(g, 2.5))`, weak as Python's. In an expression `x * 2.5` is "
    "that.\n"
    "- **Mistakes do not raise.** They give a poisoned node, which whatever uses it becomes too; `fsr_compute` returns "
    "its\n"
    "  status, and `fsr_node_error` has the words.\n"
    "- **dtypes are said, not guessed**: `fsr_zeros(g, FSR_F32, 2, shape)`. Expressions take NumPy's defaults, i64 and "
    "f64, and\n"
    "  `f32(x)` or `float32(x)` converts.\n"
    "- **A mask gives a length that the device counts**: `x[mask]` is `fsr_compress`, or, as long as x with a fill, "
    "`fsr_filter`;\n"
    "  `x[indices]` is `fsr_index`, and one outside is told when the result is read.\n"
    "- **`where=`, `initial=`, `like=`** are not taken: `fsr_sum` of `fsr_where(m, x, fsr_float(g, 0))` is `sum(x, "
    "where=m)`.\n"
    "- **`numpy.random`** has no rows here: a random number is a function of a seed, a stream and an index, so there "
    "is no\n"
    "  generator. [The guide](guide.md#random-numbers) says which function is which.\n"
    "- **A `for` or `while` over arrays** is `fsr_fori_loop`, `fsr_while_loop` or `fsr_scan_loop`, which are JAX's, "
    "one\n"
    "  plan; over elements, `fsr_iterate`.\n"
    "- **Operators of expressions have C's precedence**: `a & b == c` is `a & (b == c)`, and `&&`, `||`, `!` are the "
    "logical ones.\n\n"
    "Examples below are of `x` f32[3,4], `y` f32[4], `n` i32[4], `b` bool[4] and `cube` f64[2,3,5].\n\n";

static void write_upper(FILE *to, const char *text) {
    for (; *text; text++)
        fputc(toupper((unsigned char)*text), to);
}

/* Code in a cell of a table. */
static void write_code(FILE *to, const char *before, const char *text, const char *after) {
    const char *mark = strchr(text, '|') ? "<code>" : "`";
    fprintf(to, "%s%s", mark, before);
    for (; *text; text++)
        if (*text == '|')
            fputs("&#124;", to);
        else
            fputc(*text, to);
    fprintf(to, "%s%s", after, *mark == '`' ? "`" : "</code>");
}

static void write_c(FILE *to, const row *r) {
    if (r->how == CAST) {
        fputs("`fsr_cast(x, FSR_", to);
        write_upper(to, r->ours);
        fputs(")`", to);
    } else if (*r->ours) {
        write_code(to, r->how == SAYS ? "" : "fsr_", r->ours, "");
    }
}

static void write_expression(FILE *to, const row *r) {
    if (r->how == SAYS && *r->text)
        write_code(to, "", r->text, "");
    if (r->how == SAYS || r->how == LACKS)
        return;
    write_code(to, "", r->ours, "");
    if (strcmp(r->name, r->ours) != 0 && !strchr(r->name, '.')) {
        fputs(", ", to);
        write_code(to, "", r->name, "");
    }
}

/* What the row does not do, or of which kind of what is missing it is. */
static const char *missing(const row *r) {
    if (r->how != SAYS)
        return r->text;
    for (size_t k = 0; k < BUTS; k++)
        if (!strcmp(buts[k].name, r->name))
            return buts[k].text;
    return "";
}

static void write_page(FILE *to) {
    int count[LACKS + 1] = {0};
    for (int i = 0; i < COUNT; i++)
        count[rows[i].how]++;
    fputs(head, to);
    fprintf(to,
            "Of %d names %d are there under the same name, %d under another one, %d are said otherwise, and %d "
            "are\nmissing:\n\n",
            COUNT, count[SAME], count[ALIAS] + count[CAST], count[SAYS], count[LACKS]);
    fputs("| missing | names | what it is |\n| --- | --- | --- |\n", to);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        int n = 0;
        for (int i = 0; i < COUNT; i++)
            n += rows[i].how == LACKS && !strcmp(rows[i].text, words[k].word);
        fprintf(to, "| %s | %d | %s |\n", words[k].word, n, words[k].what);
    }
    fputs("\n| NumPy | C | in an expression | missing |\n| --- | --- | --- | --- |\n", to);
    for (int i = 0; i < COUNT; i++) {
        fprintf(to, "| `%s` | ", rows[i].name);
        write_c(to, &rows[i]);
        fputs(" | ", to);
        write_expression(to, &rows[i]);
        fprintf(to, " | %s |\n", missing(&rows[i]));
    }
}

/* 0, or 1: a word of LACKS has no line. */
static int check_words(void) {
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        size_t k = 0, n = sizeof words / sizeof *words;
        while (rows[i].how == LACKS && k < n && strcmp(rows[i].text, words[k].word) != 0)
            k++;
        if (k == n) {
            fprintf(stderr, "gen_numpy: %s: \"%s\" is no kind of what is missing\n", rows[i].name, rows[i].text);
            wrong = 1;
        }
    }
    return wrong;
}

/* 0, or 1: what a row does not do is said of none that SAYS. */
static int check_buts(void) {
    int wrong = 0;
    for (size_t k = 0; k < BUTS; k++) {
        int i = 0;
        while (i < COUNT && (rows[i].how != SAYS || strcmp(rows[i].name, buts[k].name) != 0))
            i++;
        if (i == COUNT) {
            fprintf(stderr, "gen_numpy: %s: no row of that name SAYS\n", buts[k].name);
            wrong = 1;
        }
    }
    return wrong;
}

int main(int argc, char **argv) {
    const bool tell = argc == 2 && !strcmp(argv[1], "--rows");
    FILE *to = argc != 2 ? NULL : tell ? stdout : fopen(argv[1], "w");
    if (!to) {
        fputs("usage: gen_numpy --rows, or FILE (that can be written)\n", stderr);
        return 2;
    }
    int status = check_words() | check_buts();
    if (!tell)
        write_page(to);
    for (int i = 0; i < COUNT && tell; i++)
        printf("%s\t%s\t%s%s\n", rows[i].name, rows[i].kind, rows[i].how <= ALIAS ? "fsr_" : "",
               rows[i].how == CAST ? "fsr_cast" : rows[i].ours);
    if (ferror(to) | fclose(to)) {
        perror(argv[1]);
        status = 1;
    }
    return status;
}
