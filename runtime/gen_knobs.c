/* SPDX-License-Identifier: MIT */
/* Host tool: writes what follows from the table of knobs in fusor/context.h.
 *   gen_knobs FILE             docs/knobs.md
 *   gen_knobs --man PAGE FILE  the manual page PAGE, with an entry for each knob in place of the line @KNOBS@ */
#include "fusor/context.h"
#include <stdbool.h>
#include <string.h>

static void write_int(FILE *to, const char *field, const char *env, int value, const char *doc) {
    fprintf(to, "| `%s` | `FUSOR_%s` | integer | %d | %s |\n", field, env, value, doc);
}

static void write_str(FILE *to, const char *field, const char *env, const char *value, const char *doc) {
    fprintf(to, "| `%s` | `FUSOR_%s` | text | %s | %s |\n", field, env, value ? value : "unset", doc);
}

static void write_doc(FILE *to) {
    fputs(
        "# Knobs\n\n"
        "Generated from the table in `include/fusor/context.h` (`cmake --build <build> --target docs`): do not "
        "edit.\n\n"
        "A program sets the fields of `fsr_config` before `fsr_open`; `fsr_config_init` fills them with the defaults "
        "and\n"
        "then with what the environment says. An empty variable counts as unset, but for `FUSOR_CACHE_DIR`, where it\n"
        "switches the disk cache off. A value that a knob does not allow is an error of fsr_open; a variable that "
        "begins "
        "with\n"
        "`FUSOR_` and is no knob is a warning, with the name that may be meant.\n\n"
        "| field | variable | kind | default | meaning |\n"
        "| --- | --- | --- | --- | --- |\n",
        to);
#define FSR_KNOB_DOC(kind, field, env, value, doc) write_##kind(to, #field, #env, value, doc);
    FSR_KNOB_LIST(FSR_KNOB_DOC)
#undef FSR_KNOB_DOC
}

/* Text of roff: a line may not begin with a dot or a quote, and a backslash or a dash is written with one before it. */
static void write_roff(FILE *to, const char *text) {
    for (; *text; text++)
        fprintf(to, *text == '\\' ? "\\e" : *text == '-' ? "\\-" : "%c", *text);
}

static void man_int(FILE *to, const char *env, int value, const char *doc) {
    fprintf(to, ".TP\n.BR FUSOR_%s \" (default %s%d)\"\n\\&", env, value < 0 ? "\\-" : "", value < 0 ? -value : value);
    write_roff(to, doc);
    fputs(".\n", to);
}

static void man_str(FILE *to, const char *env, const char *value, const char *doc) {
    fprintf(to, ".TP\n.BR FUSOR_%s \" (default %s)\"\n\\&", env, value ? value : "unset");
    write_roff(to, doc);
    fputs(".\n", to);
}

/* False: the page cannot be read, or has no such line. */
static bool write_man(FILE *to, const char *page) {
    FILE *from = fopen(page, "r");
    char line[512];
    bool found = false;
    while (from && fgets(line, sizeof line, from)) {
        if (strcmp(line, "@KNOBS@\n") != 0) {
            fputs(line, to);
            continue;
        }
        found = true;
#define FSR_KNOB_MAN(kind, field, env, value, doc) man_##kind(to, #env, value, doc);
        FSR_KNOB_LIST(FSR_KNOB_MAN)
#undef FSR_KNOB_MAN
    }
    if (from)
        fclose(from);
    return found;
}

int main(int argc, char **argv) {
    const bool man = argc == 4 && !strcmp(argv[1], "--man");
    FILE *to = argc == 2 || man ? fopen(argv[argc - 1], "w") : NULL;

    if (!to) {
        fputs("usage: gen_knobs [--man PAGE] FILE (that can be written)\n", stderr);
        return 2;
    }
    if (man && !write_man(to, argv[2])) {
        fprintf(stderr, "%s: no line @KNOBS@\n", argv[2]);
        fclose(to);
        return 1;
    }
    if (!man)
        write_doc(to);
    if (ferror(to) | fclose(to)) {
        perror(argv[argc - 1]);
        return 1;
    }
    return 0;
}
