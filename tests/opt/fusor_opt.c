/* SPDX-License-Identifier: MIT */
/* fusor-opt: one step of the path from a graph to a source, by hand. It reads a graph (graph/print.h), a flow (the same
 * text, node for node) or kernels (the text of fsr_kernel_print), does what it is told for the machine it is told, and
 * prints the level it is told. What is printed as a flow or as IR may be edited and read again: docs/debugging.md
 * hunts a wrong answer with it. */
#include "backend_cpu/emit/emit_c.h"
#include "backend_cuda/emit_cuda.h"
#include "fusion/loop_ir_parse.h"
#include "fusion/plan.h"
#include "graph/nearest.h"
#include "primitives/parse.h"
#include "tests/support/targets.h"
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: fusor-opt [option ...] [FILE]     FILE: a graph or loop IR as text; none or -: standard input\n"
    "  --from flow      the text is a flow, as --to flow prints it: it is planned as it is, without rewrites\n"
    "  --to LEVEL       flow, plan, ir (default), c or cuda: what is printed\n"
    "  --target NAME    gpu (default, an H200's figures), small-gpu or cpu\n"
    "  --set FIELD=N    a figure of the target; --set help lists them\n"
    "  --rewrites A,B     runs these rewrites, in this order, and prints the flow; --rewrites help lists them\n"
    "  --skip A,B       plans without these rewrites\n"
    "  --print-after A  prints the flow after these rewrites on standard error; all: after each\n"
    "  --unfused        plans each node as its own kernel\n"
    "  --fuel N         stops after N fusions\n"
    "  --contract       allows a * b + c as one operation\n"
    "  --kernel N       prints only kernel N of the plan\n"
    "Exit status: 0; 1 if the text is refused or a level cannot be made of it, with the place and the reason; 2 for a\n"
    "wrong option.\n";

typedef enum level { LEVEL_FLOW, LEVEL_PLAN, LEVEL_IR, LEVEL_C, LEVEL_CUDA, LEVELS } level;
static const char *const level_name[LEVELS] = {"flow", "plan", "ir", "c", "cuda"};

typedef struct options {
    const char *file, *rewrites;
    level to;
    bool from_flow;
    int kernel; /* -1: all */
    fsr_program_options plan;
} options;

enum { MAX_OUTS = 4096 };

/* ---- options ------------------------------------------------------------------------------------------------ */

/* An option that is not allowed so, or that there is not. */
static int wrong(const char *what, const char *word) {
    static const char *const names[] = {"--to",          "--from", "--set",    "--target",  "--rewrites", "--skip",
                                        "--print-after", "--fuel", "--kernel", "--unfused", "--contract", "--help"};
    fsr_nearest near = fsr_nearest_to(what);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fsr_nearest_offer(&near, names[i]);
    if (near.name && strcmp(near.name, what) != 0)
        fprintf(stderr, "fusor-opt: unknown option %s; is %s meant?\n%s", what, near.name, usage);
    else
        fprintf(stderr, "fusor-opt: %s %s\n%s", what, word, usage);
    return 2;
}

static bool level_of(const char *name, level *out) {
    for (int i = 0; i < LEVELS; i++)
        if (strcmp(level_name[i], name) == 0) {
            *out = (level)i;
            return true;
        }
    return false;
}

/* Options that take a word. */
static bool take(options *o, const char *name, const char *value) {
    char none[1] = "";
    char *end = none;
    if (strcmp(name, "--to") == 0)
        return level_of(value, &o->to);
    if (strcmp(name, "--from") == 0)
        return (o->from_flow = strcmp(value, "flow") == 0);
    if (strcmp(name, "--set") == 0)
        return target_set(&o->plan.target, value);
    if (strcmp(name, "--target") == 0) {
        const fsr_target *found = target_find(value);
        o->plan.target = found ? *found : o->plan.target;
        return found;
    }
    if (strcmp(name, "--rewrites") == 0)
        o->rewrites = value;
    else if (strcmp(name, "--skip") == 0)
        o->plan.rewrites.skip = value;
    else if (strcmp(name, "--print-after") == 0)
        o->plan.rewrites.print_after = value;
    else if (strcmp(name, "--fuel") == 0)
        o->plan.fuel = (int)strtol(value, &end, 10);
    else if (strcmp(name, "--kernel") == 0)
        o->kernel = (int)strtol(value, &end, 10);
    else
        return false;
    return *end == 0;
}

static int help(const options *o, const char *name) {
    if (strcmp(name, "--rewrites") == 0)
        for (int i = 0; fsr_rewrite_name(i); i++)
            puts(fsr_rewrite_name(i));
    else
        target_print(&o->plan.target, stdout);
    return -1;
}

/* 0: go on; -1: done; else the exit status. */
static int read_options(options *o, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(name, "--help") == 0) {
            fputs(usage, stdout);
            return -1;
        }
        if (strcmp(name, "--unfused") == 0) {
            o->plan.fusion = false;
        } else if (strcmp(name, "--contract") == 0) {
            o->plan.contraction = true;
        } else if (strncmp(name, "--", 2) != 0) {
            o->file = name;
        } else if ((strcmp(name, "--rewrites") == 0 || strcmp(name, "--set") == 0) && value &&
                   strcmp(value, "help") == 0) {
            return help(o, name);
        } else if (!value || !take(o, name, value)) {
            return wrong(name, value ? value : "");
        } else {
            i++;
        }
    }
    return 0;
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

static char *read_all(const char *file) {
    FILE *from = strcmp(file, "-") == 0 ? stdin : fopen(file, "rb");
    char *text = NULL, block[4096];
    size_t size = 0, n;
    FILE *to = from ? open_memstream(&text, &size) : NULL;
    while (to && (n = fread(block, 1, sizeof block, from)) > 0)
        fwrite(block, 1, n, to);
    const bool whole = to && !ferror(from);
    if (to && fclose(to) != 0)
        text = NULL;
    if (from && from != stdin)
        fclose(from);
    if (!whole)
        perror(file);
    return whole ? text : NULL;
}

/* The first word of a line that says something is `kernel`. */
static bool is_ir(const char *text) {
    for (const char *at = text; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n')) {
        const char *word = at + strspn(at, " \t\r");
        if (*word && *word != '\n' && *word != '#')
            return strncmp(word, "kernel ", 7) == 0;
    }
    return false;
}

static int refuse(const options *o, const fsr_parse_error *error, int lines) {
    fprintf(stderr, "%s:%d:%d: %s\n", o->file, error->line + lines, error->column, error->message);
    return 1;
}

static int fail(const char *what, const char *why) {
    fprintf(stderr, "fusor-opt: %s: %s\n", what, why);
    return 1;
}

/* ---- printing ----------------------------------------------------------------------------------------------- */

static int print_c(const fsr_kernel *k) {
    fsr_fault fault = {FSR_OK, NULL};
    char *source = NULL;
    fsr_status status = fsr_cpu_source(k, &source, &fault);
    if (status)
        fail(k->name, fault.message ? fault.message : fsr_status_name(status));
    else
        fputs(source, stdout);
    free(source);
    fsr_fault_clear(&fault);
    return status != FSR_OK;
}

static int print_cuda(const fsr_kernel *k) {
    fsr_text text = {0};
    if (k->schedule.target != FSR_TARGET_GPU)
        return fail(k->name, "the kernel is scheduled for no GPU");
    fsr_status status = fsr_emit_cuda(k, &text);
    char *source = fsr_text_take(&text);
    if (status || !source)
        fail(k->name, fsr_status_name(status ? status : FSR_ERR_MEMORY));
    else
        fputs(source, stdout);
    free(source);
    return status || !source;
}

static int print_kernel(const fsr_kernel *k, level to) {
    if (to == LEVEL_C)
        return print_c(k);
    if (to == LEVEL_CUDA)
        return print_cuda(k);
    fsr_kernel_print(k, stdout);
    return 0;
}

/* ---- work --------------------------------------------------------------------------------------------------- */

/* Kernels in, their text or sources out. */
static int work_on_ir(const options *o, const char *text) {
    int failed = 0, number = 0, lines = 0;
    for (const char *at = text, *rest; *at && !failed; at = rest) {
        fsr_parse_error error;
        fsr_kernel *k;
        if (fsr_kernel_parse(at, &k, &rest, &error))
            return refuse(o, &error, lines);
        for (const char *c = at; c < rest; c++)
            lines += *c == '\n';
        if (o->kernel < 0 || o->kernel == number)
            failed = print_kernel(k, o->to);
        fsr_kernel_free(k);
        number++;
    }
    return failed;
}

static int no_rewrite(const char *name) {
    char said[100];
    fsr_nearest near = fsr_nearest_to(name);
    for (int i = 0; fsr_rewrite_name(i); i++)
        fsr_nearest_offer(&near, fsr_rewrite_name(i));
    snprintf(said, sizeof said, near.name ? "%s; is %s meant?" : "%s", name, near.name);
    return fail("there is no rewrite", said);
}

/* The rewrites of a list, one after the other. */
static int run_rewrites(fsr_flow *flow, const char *list) {
    char name[32], why[200];
    for (const char *at = list; *at;) {
        size_t size = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)size, at);
        fsr_rewrite_fn rewrite = fsr_rewrite_find(name);
        fsr_status status = FSR_OK;
        if (!rewrite)
            return no_rewrite(name);
        rewrite(flow, &status);
        if (status)
            return fail(name, fsr_status_name(status));
        if (fsr_flow_verify(flow, why, sizeof why))
            return fail(name, why);
        at += size + (at[size] == ',');
    }
    return 0;
}

static int print_flow(fsr_flow *flow, const options *o) {
    char why[300] = "";
    int failed = o->rewrites ? run_rewrites(flow, o->rewrites) : 0;
    if (!o->rewrites && !o->from_flow && fsr_rewrites_run(flow, &o->plan.rewrites, why, sizeof why))
        failed = fail("rewrites", why);
    if (!failed)
        fsr_flow_print(flow, stdout);
    fsr_flow_clear(flow);
    return failed;
}

static int print_plan(fsr_flow *flow, const options *o) {
    char why[300] = "";
    fsr_program program;
    fsr_status status = o->from_flow ? fsr_program_plan(&program, flow, &o->plan, why, sizeof why)
                                     : fsr_program_make(&program, flow, &o->plan, why, sizeof why);
    fsr_flow_clear(flow);
    if (status)
        return fail(fsr_status_name(status), why);
    int failed = 0;
    if (o->to == LEVEL_PLAN)
        fputs(program.explanation, stdout);
    for (int i = 0; i < program.info.kernels && o->to != LEVEL_PLAN; i++)
        if (o->kernel < 0 || o->kernel == i)
            failed |= print_kernel(fsr_program_kernel(&program, i)->kernel, o->to);
    fsr_program_clear(&program);
    return failed;
}

static int work_on_flow(const options *o, fsr_flow *flow) {
    return o->to == LEVEL_FLOW || o->rewrites ? print_flow(flow, o) : print_plan(flow, o);
}

static int work_on_nodes(const options *o, const fsr_graph *g, const fsr_node *outs, int n) {
    fsr_ref *refs = malloc(sizeof *refs * (size_t)(n + 1));
    fsr_flow flow;
    fsr_binding binding;
    if (!refs)
        return fail("reading", "out of memory");
    for (int i = 0; i < n; i++)
        refs[i] = (fsr_ref){outs[i].id, outs[i].output};
    fsr_status status = fsr_flow_build(&flow, &binding, g, refs, n);
    free(refs);
    if (status)
        return fail("the graph", fsr_status_name(status));
    fsr_binding_clear(&binding);
    return work_on_flow(o, &flow);
}

static int work_on_graph(const options *o, const char *text) {
    fsr_node *outs = malloc(sizeof *outs * MAX_OUTS);
    fsr_graph_owner *owner = outs ? fsr_graph_owner_new(NULL, NULL) : NULL;
    fsr_graph *g = owner ? fsr_graph_create(owner) : NULL;
    fsr_parse_error error = {0};
    fsr_flow flow;
    int n, failed;
    if (!g)
        failed = fail("reading", "out of memory");
    else if (o->from_flow && fsr_flow_parse(&flow, g, text, &error))
        failed = refuse(o, &error, 0);
    else if (o->from_flow)
        failed = work_on_flow(o, &flow);
    else if (fsr_graph_parse(g, text, outs, MAX_OUTS, &n, &error))
        failed = refuse(o, &error, 0);
    else
        failed = work_on_nodes(o, g, outs, n);
    fsr_graph_owner_free(owner);
    free(outs);
    return failed;
}

int main(int argc, char **argv) {
    options o = {.file = "-",
                 .to = LEVEL_IR,
                 .kernel = -1,
                 .plan = {.target = target_gpu, .fusion = true, .fuel = -1, .explain = true}};
    o.plan.rewrites.to = stderr;
    int status = read_options(&o, argc, argv);
    if (status)
        return status < 0 ? 0 : status;
    char *text = read_all(o.file);
    if (!text)
        return 1;
    status = is_ir(text) ? work_on_ir(&o, text) : work_on_graph(&o, text);
    free(text);
    return status;
}
