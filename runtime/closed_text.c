/* SPDX-License-Identifier: MIT */
/* The text is read as C's first translation phases do: spliced lines joined, comments blanks, literals skipped. What is
 * allowed is listed, not what is forbidden: directives that read nothing, and no others; a few words that open files
 * are forbidden wherever they stand, and so is pasting, which could make them. Where compilers differ in how they read
 * a text (trigraphs, a backslash with blanks behind it, raw strings, an apostrophe in or behind a number, a lone
 * carriage return, a literal that does not end), it is not closed.
 *
 * Counter-example to looking for the word include: #import reads a file too, and so does an #inc\<newline>lude; and a
 * text that asks with __has_include reads nothing today and something tomorrow. */
#include "runtime/closed_text.h"
#include <stddef.h>
#include <string.h>

typedef struct scan {
    const char *at; /* never at a splice */
    bool cuda;
} scan;

enum { WORD = 64 };

#define BLANKS " \t\v\f\r"
#define DIGITS "0123456789"
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- characters ------------------------------------------------------------------------------------------- */

/* The size of a line's end at p: 0 if there is none. */
static size_t line_end(const char *p) {
    return *p == '\n' ? 1 : *p == '\r' && p[1] == '\n' ? 2 : 0;
}

static void splice(scan *s) {
    while (*s->at == '\\' && line_end(s->at + 1))
        s->at += 1 + line_end(s->at + 1);
}

static void step(scan *s) {
    s->at++;
    splice(s);
}

static bool is_blank(char c) {
    return c && strchr(BLANKS, c);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Letters, and whatever may be part of one. */
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* What compilers read differently, whatever stands around it. */
static bool is_ambiguous(const char *text) {
    for (const char *p = strpbrk(text, "?\\\r"); p; p = strpbrk(p + 1, "?\\\r")) {
        const size_t blanks = *p == '\\' ? strspn(p + 1, " \t\v\f") : 0;
        if (*p == '?' && p[1] == '?' && (p[2] == '=' || p[2] == '/'))
            return true;
        if (*p == '\r' && p[1] != '\n')
            return true;
        if (*p == '\\' && blanks && line_end(p + 1 + blanks))
            return true;
        if (*p == '\\' && line_end(p + 1) && !p[1 + line_end(p + 1)])
            return true; /* what follows the text would be spliced to it */
    }
    return false;
}

/* ---- pieces: each returns false where the text is not closed --------------------------------------------- */

/* At the character behind the slash: a comment, or nothing. */
static bool comment(scan *s) {
    if (*s->at == '/') {
        while (*s->at && *s->at != '\n')
            step(s);
    } else if (*s->at == '*') {
        step(s);
        for (char before = 0; !(before == '*' && *s->at == '/'); step(s)) {
            if (!*s->at)
                return false;
            before = *s->at;
        }
        step(s);
    }
    return true;
}

static bool literal(scan *s) {
    const char quote = *s->at;
    for (step(s); *s->at != quote; step(s)) {
        if (*s->at == '\\')
            step(s);
        if (!*s->at || *s->at == '\n')
            return false;
    }
    step(s);
    return true;
}

static bool number(scan *s) {
    for (char before = 0;; step(s)) {
        const bool sign = (*s->at == '+' || *s->at == '-') && before && strchr("eEpP", before);
        if (!is_digit(*s->at) && !is_letter(*s->at) && *s->at != '.' && !sign)
            return *s->at != '\'';
        before = *s->at;
    }
}

/* A word, cut where it is longer than any that matters. */
static void take_word(scan *s, char word[WORD]) {
    size_t n = 0;
    for (; is_letter(*s->at) || is_digit(*s->at); step(s))
        if (n < WORD - 1)
            word[n++] = *s->at;
    word[n] = 0;
}

/* Asked of every word of every source: most differ in the first letter. */
static bool is_one_of(const char *word, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (list[i][0] == word[0] && strcmp(list[i], word) == 0)
            return true;
    return false;
}

/* Assembly may say .incbin, also in pieces; an empty one says nothing. */
static bool assembly(const scan *s) {
    return s->cuda || strncmp(s->at, "(\"\")", 4) == 0;
}

static bool identifier(scan *s) {
    /* Words that open a file, or let a text's strings through to the assembler, or look at the clock. */
    static const char *const open[] = {
        "__has_include",
        "__has_include__",
        "__has_include_next",
        "__has_include_next__",
        "__has_embed",
        "__has_embed__",
        "_Pragma",
        "__pragma",
        "import",
        "section",
        "__section__",
        "symver",
        "__symver__",
        "alias",
        "__alias__",
        "weakref",
        "__weakref__",
        "ifunc",
        "__ifunc__",
        "__DATE__",
        "__TIME__",
        "__TIMESTAMP__",
        "__BASE_FILE__",
    };
    static const char *const assembler[] = {"asm", "__asm", "__asm__"};
    static const char *const raw[] = {"R", "LR", "uR", "UR", "u8R"};
    char word[WORD];
    take_word(s, word);
    if (is_one_of(word, assembler, COUNT(assembler)))
        return assembly(s);
    if (*s->at == '"' && is_one_of(word, raw, COUNT(raw)))
        return false;
    return !is_one_of(word, open, COUNT(open));
}

/* ---- directives ---------------------------------------------------------------------------------------------- */

/* Blanks and comments inside of a line. */
static bool gap(scan *s) {
    for (;;) {
        if (is_blank(*s->at)) {
            step(s);
        } else if (*s->at == '/' && (s->at[1] == '*' || s->at[1] == '/' || s->at[1] == '\\')) {
            step(s);
            if (*s->at != '/' && *s->at != '*')
                return false;
            if (!comment(s))
                return false;
        } else {
            return true;
        }
    }
}

static bool pragma(scan *s) {
    static const char *const first[] = {"unroll", "STDC", "once", "nv_diag_suppress", "nv_diag_error"};
    static const char *const second[] = {"ivdep", "unroll", "diagnostic", "optimize", "push_options", "pop_options"};
    char word[WORD];
    if (!gap(s))
        return false;
    take_word(s, word);
    if (strcmp(word, "GCC") != 0)
        return is_one_of(word, first, COUNT(first));
    if (!gap(s))
        return false;
    take_word(s, word);
    return is_one_of(word, second, COUNT(second));
}

/* Behind the # that begins a line. What follows the name is read as any text is. */
static bool directive(scan *s) {
    static const char *const harmless[] = {"define",   "undef", "if",    "ifdef", "ifndef", "elif",   "elifdef",
                                           "elifndef", "else",  "endif", "line",  "error",  "warning"};
    char word[WORD];
    if (!gap(s))
        return false;
    if (!*s->at || *s->at == '\n')
        return true;
    take_word(s, word);
    return strcmp(word, "pragma") == 0 ? pragma(s) : is_one_of(word, harmless, COUNT(harmless));
}

/* A # or %: inside of a line makes a string; two paste. */
static bool hash(scan *s, bool begins) {
    const bool digraph = *s->at == '%';
    step(s);
    if (digraph && *s->at != ':')
        return true;
    if (digraph)
        step(s);
    return begins ? directive(s) : *s->at != '#' && *s->at != '%';
}

/* One piece; *begins: nothing but blanks stands before it in its line. */
static bool piece(scan *s, bool *begins) {
    const char c = *s->at;
    const bool first = *begins;
    *begins = c == '\n' || (first && (is_blank(c) || c == '/'));
    if (c == '#' || c == '%')
        return hash(s, first);
    if (c == '"' || c == '\'')
        return literal(s);
    if (is_digit(c) || (c == '.' && is_digit(s->at[1])))
        return number(s);
    if (is_letter(c))
        return identifier(s);
    if (c == '\\')
        return false;
    step(s);
    return c != '/' || comment(s);
}

bool fsr_text_is_closed(const char *text, bool cuda) {
    scan s = {text, cuda};
    bool begins = true;
    if (is_ambiguous(text))
        return false;
    for (splice(&s); *s.at;)
        if (!piece(&s, &begins))
            return false;
    return true;
}
