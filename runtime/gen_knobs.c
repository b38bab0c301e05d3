/* SPDX-License-Identifier: MIT */
/* Host tool: gen_knobs FILE writes docs/knobs.md from the table of knobs in fusor/context.h. */
#include "fusor/context.h"

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

int main(int argc, char **argv) {
    FILE *to = argc == 2 ? fopen(argv[1], "w") : NULL;

    if (!to) {
        fputs("usage: gen_knobs FILE (that can be written)\n", stderr);
        return 2;
    }
    write_doc(to);
    if (ferror(to) | fclose(to)) {
        perror(argv[1]);
        return 1;
    }
    return 0;
}
