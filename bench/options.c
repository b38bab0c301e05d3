/* SPDX-License-Identifier: MIT */
/* The catalogue of workloads and the command line. Options may stand before and after names; "--n 5" and "--n=5" are
 * the same. */
#include "bench/bench.h"
#include "graph/message.h"
#include "graph/nearest.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the files lie, seen from the program: where they are installed, and in a build folder. */
#ifndef FUSOR_DATA_DIR
#define FUSOR_DATA_DIR "../share/fusor/data"
#endif
static const char *const beside[] = {FUSOR_DATA_DIR, "data"};

enum { USAGE_ERROR = 2, GO_ON = -1 };

const bench_workload *bench_workload_at(int i) {
    static const bench_family *const families[] = {
        &bench_family_real,      &bench_family_map,       &bench_family_reduce,   &bench_family_rows,
        &bench_family_scan,      &bench_family_dtypes,    &bench_family_science,  &bench_family_small,
        &bench_family_random,    &bench_family_order,     &bench_family_scatter,  &bench_family_segment,
        &bench_family_library,   &bench_programs_stencil, &bench_programs_linear, &bench_programs_learning,
        &bench_programs_science, &bench_programs_image,   &bench_programs_flow,   &bench_programs_loops,
        &bench_programs_rodinia, &bench_programs_levels,  &bench_programs_counts, &bench_programs_orders,
        &bench_programs_late};
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        if (i < families[f]->count)
            return &families[f]->work[i];
        i -= families[f]->count;
    }
    return NULL;
}

const bench_workload *bench_workload_find(const char *name) {
    const bench_workload *work;
    for (int i = 0; (work = bench_workload_at(i)); i++)
        if (!strcmp(work->name, name))
            return work;
    return NULL;
}

static void print_help(const char *data) {
    printf(
        "usage: fusor-bench [options] [workload ...]\n"
        "       fusor-bench --report FILE rows.json ...\n"
        "Times workloads fused, unfused and against the copy bandwidth of the same memory. No names: all of them but\n"
        "the programs.\n"
        "\n"
        "  --list              names the workloads\n"
        "  --backend cpu|cuda  default: the GPU if there is one, else the CPU (or what FUSOR_BACKEND says)\n"
        "  --n N               elements of the workloads that go by size, as 65536 or 2^16;\n"
        "                      default 2^24 on the CPU, 2^27 on CUDA\n"
        "  --order O           generated input is random (the default), ascending, descending, pipe (up and down "
        "again) or\n"
        "                      equal\n"
        "  --programs SCALE    programs of other people's suites, at small, suite or large extents; without names all "
        "of "
        "them\n"
        "  --pairs N           times fused and unfused in turn, N >= 6 times; a row fails where fused is slower "
        "(docs/bench.md)\n"
        "  --random N          times N programs drawn at random, fused and unfused in turn, and tells those that lose "
        "by "
        "a tenth\n"
        "                      three times, with their seeds (docs/bench.md)\n"
        "  --seed S            the first of their seeds; default 1\n"
        "  --overlap P         times stream_overlap: P parts, 2 to 30, copied and computed side by side, against one "
        "after\n"
        "                      the other (docs/bench.md)\n"
        "  --npy DIR           writes inputs and results there as NAME.in0.npy, NAME.out0.npy, ...; nothing is "
        "measured\n"
        "  --reps N            timed runs, of which the median counts; default %d, on the CPU fewer if they take long\n"
        "  --verify-n N        elements compared with the reference; default 2^18; 0: no verification at all\n"
        "  --json FILE         also writes the rows as JSON; -: to stdout, and the table then goes to stderr\n"
        "  --report FILE       also writes the rows as a page of pictures, one file of HTML; with names that end in "
        ".json\n"
        "                      in place of workloads: the page of what --json and bench/peers_cpu.py wrote there\n"
        "  --data DIR          directory of ecg.npy and face.npy; default %s\n"
        "  --expr TEXT         adds your own work, as \"sum((x - y)**2)\"; docs/expressions.md has the grammar\n"
        "  --input NAME=FILE   an array of the expression, a .npy file; once for each\n"
        "  --name LABEL        the expression's name in the table; default expr\n"
        "  --wide              every column of the table; default: those that 100 columns hold\n"
        "  --version           the version\n"
        "  --help              this page\n"
        "\n"
        "verified: yes means that in this run the workload's graph agreed with the reference (plain loops in wider\n"
        "arithmetic, node by node) within the error bound of its operations on --verify-n elements, real input on all "
        "of\n"
        "it; and that at full size the fused outputs agreed with the unfused ones: bit by bit for elementwise "
        "results,\n"
        "within a tolerance for the rounding of differently ordered folds otherwise. FAIL: they did not.\n"
        "worst and bound (--wide) are the largest error found against the reference and what was allowed at that "
        "element.\n"
        "\n"
        "Exit status: 0; 1 if a row failed or a file could not be written; 2 for an unknown name or option.\n"
        "docs/bench.md tells how each column is measured.\n",
        BENCH_REPS, data);
}

/* The folder of the files that lies beside the program, if one is there; else that of a source tree one is in. */
static const char *data_directory(char *path, size_t size) {
    const ssize_t length = readlink("/proc/self/exe", path, size);
    char *slash = NULL;

    if (length > 0 && (size_t)length < size) {
        path[length] = 0;
        slash = strrchr(path, '/');
    }
    for (size_t i = 0; slash && i < sizeof beside / sizeof *beside; i++) {
        if ((size_t)(slash + 1 - path) + strlen(beside[i]) + 1 > size)
            continue;
        memcpy(slash + 1, beside[i], strlen(beside[i]) + 1);
        if (access(path, R_OK | X_OK) == 0)
            return path;
    }
    return "examples/data";
}

static void print_list(void) {
    const bench_workload *work;
    for (int i = 0; (work = bench_workload_at(i)); i++)
        printf("%-15s %s\n", work->name, work->what);
}

static int usage(const char *format, const char *a, const char *b) {
    fputs("fusor-bench: ", stderr);
    char clean[2][512];
    fprintf(stderr, format, fsr_message_copy(clean[0], sizeof clean[0], a),
            fsr_message_copy(clean[1], sizeof clean[1], b));
    fputs("\n", stderr);
    return USAGE_ERROR;
}

/* "123" or "2^k", at least low and at most 2^40. */
static bool parse_count(const char *text, int64_t low, int64_t *out) {
    const char *digits = !strncmp(text, "2^", 2) ? text + 2 : text;
    char *end;
    if (*digits < '0' || *digits > '9')
        return false;
    errno = 0;
    long long value = strtoll(digits, &end, 10);
    if (*end || errno || (digits != text && value > 40))
        return false;
    *out = digits != text ? (int64_t)1 << value : value;
    return *out >= low && *out <= (int64_t)1 << 40;
}

static bool parse_scale(const char *text, bench_scale *out) {
    static const char *const names[BENCH_SCALES] = {"small", "suite", "large"};
    for (int i = 0; i < BENCH_SCALES; i++)
        if (!strcmp(text, names[i])) {
            *out = (bench_scale)i;
            return true;
        }
    return false;
}

static bool parse_order(const char *text, bench_order *out) {
    int i = 0;
    while (i < BENCH_ORDERS && strcmp(text, bench_order_name((bench_order)i)))
        i++;
    *out = (bench_order)i;
    return i < BENCH_ORDERS;
}

static int set_option(bench_options *o, const char *name, const char *value) {
    static const char *const bad = "%s: '%s' is not allowed; see --help";
    int64_t count = 0;
    if (!strcmp(name, "--json")) {
        o->json = value;
    } else if (!strcmp(name, "--report")) {
        o->report = value;
    } else if (!strcmp(name, "--data")) {
        o->data = value;
    } else if (!strcmp(name, "--npy")) {
        o->npy = value;
    } else if (!strcmp(name, "--programs")) {
        o->programs = true;
        if (!parse_scale(value, &o->scale))
            return usage(bad, name, value);
    } else if (!strcmp(name, "--order")) {
        if (!parse_order(value, &o->order))
            return usage(bad, name, value);
    } else if (!strcmp(name, "--pairs")) {
        if (!parse_count(value, BENCH_FEWEST_PAIRS, &count) || count > 100000)
            return usage(bad, name, value);
        o->pairs = (int)count;
    } else if (!strcmp(name, "--random")) {
        if (!parse_count(value, 1, &count) || count > 1000000)
            return usage(bad, name, value);
        o->random = (int)count;
    } else if (!strcmp(name, "--overlap")) {
        if (!parse_count(value, 2, &count) || count > 30)
            return usage(bad, name, value);
        o->overlap = (int)count;
    } else if (!strcmp(name, "--seed")) {
        if (!parse_count(value, 0, &o->seed))
            return usage(bad, name, value);
    } else if (!strcmp(name, "--backend")) {
        if (strcmp(value, "cpu") && strcmp(value, "cuda"))
            return usage("%s: '%s' is neither cpu nor cuda", name, value);
        o->backend = !strcmp(value, "cpu") ? FSR_BACKEND_CPU : FSR_BACKEND_CUDA;
    } else if (!strcmp(name, "--n")) {
        if (!parse_count(value, 1, &o->n))
            return usage(bad, name, value);
    } else if (!strcmp(name, "--verify-n")) {
        if (!parse_count(value, 0, &o->verify_n))
            return usage(bad, name, value);
    } else if (bench_expr_owns(name)) {
        if (!bench_expr_set(&o->expr, name, value))
            return usage(bad, name, value);
    } else {
        if (!parse_count(value, 1, &count) || count > 100000)
            return usage(bad, name, value);
        o->reps = (int)count;
    }
    return GO_ON;
}

/* Those before the NULL take a value. */
static const char *const option_names[] = {"--backend",  "--n",      "--reps",    "--verify-n", "--json",  "--report",
                                           "--data",     "--expr",   "--input",   "--name",     "--pairs", "--npy",
                                           "--programs", "--random", "--seed",    "--overlap",  "--order", NULL,
                                           "--list",     "--wide",   "--version", "--help"};

static bool takes_value(const char *name) {
    for (const char *const *at = option_names; *at; at++)
        if (!strcmp(name, *at))
            return true;
    return false;
}

/* An unknown word and what may be meant by it. */
static int unknown(const char *what, const char *show, const fsr_nearest *near) {
    char clean[512];
    fprintf(stderr, "fusor-bench: unknown %s '%s'; ", what, fsr_message_copy(clean, sizeof clean, near->word));
    if (near->name)
        fprintf(stderr, "is %s meant? ", near->name);
    fprintf(stderr, "%s shows them\n", show);
    return USAGE_ERROR;
}

static int unknown_option(const char *name) {
    fsr_nearest near = fsr_nearest_to(name);
    for (size_t i = 0; i < sizeof option_names / sizeof *option_names; i++)
        if (option_names[i])
            fsr_nearest_offer(&near, option_names[i]);
    return unknown("option", "--help", &near);
}

static int unknown_work(const char *name) {
    const bench_workload *work;
    fsr_nearest near = fsr_nearest_to(name);
    for (int i = 0; (work = bench_workload_at(i)); i++)
        fsr_nearest_offer(&near, work->name);
    return unknown("workload", "--list", &near);
}

/* An option with its value; *used is the number of arguments it took. */
static int parse_option(bench_options *o, char **arg, int left, int *used) {
    char name[32];
    const char *equals = strchr(arg[0], '=');
    size_t length = equals ? (size_t)(equals - arg[0]) : strlen(arg[0]);
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), arg[0]);
    if (!takes_value(name))
        return unknown_option(name);
    if (!equals && left < 2)
        return usage("%s needs a value%s", name, "");
    *used = equals ? 1 : 2;
    return set_option(o, name, equals ? equals + 1 : arg[1]);
}

static bool is_file(const char *name) {
    static const char end[] = ".json";
    const size_t n = strlen(name);
    return n >= sizeof end && !strcmp(name + n - (sizeof end - 1), end);
}

static int add_file(bench_options *o, const char *name) {
    if (o->nfiles == BENCH_MAX_FILES)
        return usage("too many files at '%s'%s", name, "");
    o->file[o->nfiles++] = name;
    return GO_ON;
}

static int add_work(bench_options *o, const char *name) {
    if (is_file(name))
        return add_file(o, name);
    const bench_workload *work = bench_workload_find(name);
    if (!work)
        return unknown_work(name);
    if (o->nwork == BENCH_MAX_WORK)
        return usage("too many names at '%s'%s", name, "");
    o->work[o->nwork++] = work;
    return GO_ON;
}

int bench_options_parse(bench_options *out, int argc, char **argv) {
    bool help = false, list = false, version = false;
    *out = (bench_options){
        .verify_n = BENCH_VERIFY_N,
        .scale = BENCH_SUITE,
        .seed = 1,
    };
    const char *data = data_directory(out->installed, sizeof out->installed);
    out->data = data;
    for (int i = 1, used; i < argc; i += used) {
        int status = GO_ON;
        used = 1;
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            help = true;
        else if (!strcmp(argv[i], "--list"))
            list = true;
        else if (!strcmp(argv[i], "--version"))
            version = true;
        else if (!strcmp(argv[i], "--wide"))
            out->wide = true;
        else if (argv[i][0] == '-')
            status = parse_option(out, argv + i, argc - i, &used);
        else
            status = add_work(out, argv[i]);
        if (status != GO_ON)
            return status;
    }
    if (help)
        print_help(data);
    else if (version)
        printf("fusor-bench %s\n", fsr_version());
    else if (list)
        print_list();
    if (help || version || list)
        return 0;
    if (out->nfiles && !out->report)
        return usage("%s: files of rows are for --report%s", out->file[0], "");
    if (out->nfiles && (out->nwork || out->expr.text || out->json))
        return usage("%s: of files a report is made, and nothing measured%s", out->file[0], "");
    if (out->random && (out->nwork || out->expr.text || out->json || out->report || out->npy))
        return usage("--random measures nothing else, and writes no files%s%s", "", "");
    if (out->overlap && (out->random || out->nwork || out->expr.text || out->json || out->report || out->npy))
        return usage("--overlap measures nothing else, and writes no files%s%s", "", "");
    if (out->random && !out->pairs)
        out->pairs = BENCH_FEWEST_PAIRS + 1;
    if (out->expr.ninputs && !out->expr.text)
        return usage("--input needs --expr%s%s", "", "");
    if (out->expr.text && out->nwork == BENCH_MAX_WORK)
        return usage("too many names for --expr%s%s", "", "");
    if (out->expr.text)
        out->work[out->nwork++] = &out->expr.work;
    bool all = !out->nwork;
    const bench_workload *work;
    for (int i = 0; all && out->nwork < BENCH_MAX_WORK && (work = bench_workload_at(i)); i++)
        if (out->programs == (work->program != NULL))
            out->work[out->nwork++] = work;
    return GO_ON;
}
