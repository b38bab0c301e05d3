/* SPDX-License-Identifier: MIT */
/* Planning for several machines, interpreting, comparing; see check.h. */
#include "backend_cpu/run/library.h"
#include "fusion/loop_ir_parse.h"
#include "runtime/array.h"
#include "runtime/reference.h"
#include "tests/fuzz/execution.h"
#include "tests/support/nodes.h"
#include "tests/support/targets.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PLANS = 5, PAGE = 64 << 10 };

static const char *const verdicts[VERDICT_COUNT] = {"good",
                                                    "not a graph",
                                                    "the graph is not in normal form",
                                                    "planning failed",
                                                    "a kernel cannot be run",
                                                    "a kernel writes past its output",
                                                    "the REFERENCE's value is outside its own bound",
                                                    "UNFUSED is wrong against the reference",
                                                    "FUSED is wrong against the reference, unfused is right",
                                                    "FUSED differs in bits from unfused"};

const char *verdict_text(verdict v) {
    return verdicts[v];
}

static verdict found(finding *out, verdict v, const char *format, ...) __attribute__((format(printf, 3, 4)));
static verdict found(finding *out, verdict v, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(out->what, sizeof out->what, format, args);
    va_end(args);
    return out->verdict = v;
}

/* ---- plans ----------------------------------------------------------------------------------------------- */

typedef struct plan_kind {
    char name[48];
    fsr_program_options options;
    bool same_flow; /* after the rewrites as the first plan's, of which it was asked whether its text is read back */
} plan_kind;

/* What the CPU backend has where there is OpenBLAS: products of matrices are calls, which are plain loops here where
 * there is none; and what a GPU has with cuBLASLt. */
static bool has_library(void *backend, int library) {
    (void)backend;
    return library == FSR_LIBRARY_MATMUL || library == FSR_LIBRARY_MATMUL_EPILOGUE || library == FSR_LIBRARY_SPARSE ||
           library == FSR_LIBRARY_SEGMENTS;
}

/* The plans of one computation: unfused, the usual two, a GPU whose blocks hold only 16 columns (so that small arrays
 * meet the rules of long rows), and one with few fusions or without a pass. */
static void make_plans(plan_kind *plan, uint64_t seed) {
    static const char *const names[PLANS] = {"unfused", "cpu", "gpu", "tiny gpu", ""};
    uint64_t state = seed * 77773 + 5;
    for (int i = 0; i < PLANS; i++) {
        plan[i] = (plan_kind){
            .options = {.target = i < 2 ? target_cpu : target_gpu, .fusion = i > 0, .fuel = -1, .explain = true}};
        snprintf(plan[i].name, sizeof plan[i].name, "%s", names[i]);
    }
    plan[1].options.target.has = has_library;
    plan[3].options.target.max_threads = 1;
    plan[3].options.target.processors = 4 << fuzz_below(&state, 4);
    if (fuzz_below(&state, 2)) {
        plan[4].options.fuel = fuzz_below(&state, 12);
        snprintf(plan[4].name, sizeof plan[4].name, "gpu, fuel %d", plan[4].options.fuel);
    } else {
        int rewrites = 0;
        while (fsr_rewrite_name(rewrites))
            rewrites++;
        plan[4].options.rewrites.skip = fsr_rewrite_name(fuzz_below(&state, rewrites));
        snprintf(plan[4].name, sizeof plan[4].name, "gpu, without rewrite %s", plan[4].options.rewrites.skip);
    }
    for (int i = 1; i < PLANS; i++)
        plan[i].same_flow = !plan[i].options.rewrites.skip;
}

/* ---- one program ------------------------------------------------------------------------------------------ */

/* Whole pages that hold the arena, which ends where they end. */
static size_t arena_pages(const fsr_program *p) {
    return ((size_t)p->arena_bytes + PAGE - 1) / PAGE * PAGE;
}

char *fuzz_arena_new(const fsr_program *p) {
    size_t bytes = arena_pages(p);
    char *pages = mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + bytes, PAGE, PROT_NONE) != 0)
        abort();
    return pages + bytes - p->arena_bytes;
}

void fuzz_arena_free(const fsr_program *p, char *arena) {
    if (arena)
        munmap(arena + p->arena_bytes - arena_pages(p), arena_pages(p) + PAGE);
}

static void execution_clear(execution *e) {
    for (int i = 0; e->out && i < e->program.nouts; i++)
        free(e->out[i]);
    free(e->out);
    free(e->bytes);
    free(e->leaf);
    free(e->scalar);
    free(e->word);
    fuzz_arena_free(&e->program, e->arena);
    fsr_binding_clear(&e->binding);
    fsr_program_clear(&e->program);
}

/* Functions of the tests' own are no text. */
static bool is_text(const fsr_flow *flow) {
    bool all = true;
    for (int i = 0; i < flow->n; i++)
        all = all && !(flow->node[i].called && flow->node[i].called->what.name);
    return all;
}

/* After its rewrites, a flow's text is read back as the same flow. */
static fsr_status flow_reads_back(const fsr_graph *g, const fsr_ref *refs, int n, const plan_kind *plan, char *why,
                                  size_t size) {
    fsr_graph_owner *owner = fsr_graph_owner_new(NULL, NULL);
    fsr_parse_error error = {0};
    fsr_binding binding;
    fsr_flow flow, again = {0};
    char *text = NULL;
    size_t bytes = 0, sizes[2] = {0, 0};
    fsr_status status = fsr_flow_build(&flow, &binding, g, refs, n);
    if (!status)
        status = fsr_rewrites_run(&flow, &plan->options.rewrites, why, size);
    FILE *to = open_memstream(&text, &bytes);
    fsr_flow_print(&flow, to);
    fclose(to);
    const bool whole = !status && is_text(&flow);
    if (whole && (status = fsr_flow_parse(&again, fsr_graph_create(owner), text, &error)) != FSR_OK)
        snprintf(why, size, "line %d of the flow: %s", error.line, error.message);
    void *signature[2] = {fsr_flow_signature(&flow, &sizes[0]), fsr_flow_signature(&again, &sizes[1])};
    if (whole && !status && (sizes[0] != sizes[1] || memcmp(signature[0], signature[1], sizes[0]) != 0)) {
        snprintf(why, size, "the flow's text is read back as another flow");
        status = FSR_ERR_INTERNAL;
    }
    for (int i = 0; i < 2; i++)
        free(signature[i]);
    free(text);
    fsr_flow_clear(&flow);
    fsr_flow_clear(&again);
    fsr_binding_clear(&binding);
    fsr_graph_owner_free(owner);
    return status;
}

static fsr_status make_program(execution *e, const fsr_graph *g, const fsr_ref *refs, int n, const plan_kind *plan,
                               char *why, size_t size) {
    fsr_flow flow;
    snprintf(why, size, "?");
    memset(e, 0, sizeof *e);
    fsr_status status = plan->same_flow ? FSR_OK : flow_reads_back(g, refs, n, plan, why, size);
    if (!status)
        status = fsr_flow_build(&flow, &e->binding, g, refs, n);
    if (!status)
        status = fsr_program_make(&e->program, &flow, &plan->options, why, size);
    if (!status && strstr(e->program.explanation, "no store can stand between")) {
        snprintf(why, size, "two nodes that shall be apart are in one kernel");
        status = FSR_ERR_INTERNAL;
    }
    return status;
}

static void make_memory(execution *e, const fsr_graph *g, const fsr_ref *refs) {
    const fsr_program *p = &e->program;
    e->leaf = calloc((size_t)p->nleaves + 1, sizeof *e->leaf);
    e->scalar = calloc((size_t)p->nscalars + 1, sizeof *e->scalar);
    e->out = calloc((size_t)p->nouts + 1, sizeof *e->out);
    e->bytes = calloc((size_t)p->nouts + 1, sizeof *e->bytes);
    e->word = calloc((size_t)p->nreports + 1, sizeof *e->word);
    e->arena = fuzz_arena_new(p);
    memset(e->arena, PATTERN, (size_t)p->arena_bytes);
    for (int i = 0; i < p->nleaves; i++)
        e->leaf[i] = fsr_graph_rec(g, e->binding.leaf[i].id)->buffer[e->binding.leaf[i].output]->data;
    for (int i = 0; i < p->nscalars; i++)
        e->scalar[i] = fsr_graph_rec(g, e->binding.scalar[i].id)->value;
    for (int i = 0; i < p->nouts; i++) {
        e->bytes[i] = fsr_rec_bytes(fsr_graph_rec(g, refs[i].id), (int)refs[i].output);
        e->out[i] = malloc((size_t)e->bytes[i] + 2 * GUARD);
        memset(e->out[i], PATTERN, (size_t)e->bytes[i] + 2 * GUARD);
    }
}

void *fuzz_address(const execution *e, const fsr_use *use) {
    const fsr_slot slot = use->slot;
    if (slot.kind == FSR_SLOT_LEAF)
        return (char *)e->leaf[slot.ordinal] + use->at;
    if (slot.kind == FSR_SLOT_OUTPUT)
        return e->out[slot.ordinal] + GUARD + use->at;
    if (slot.kind == FSR_SLOT_REPORT)
        return e->word + slot.ordinal;
    if (slot.kind == FSR_SLOT_BAND)
        return NULL;
    return e->arena + e->program.temporary[slot.ordinal].offset + use->at;
}

/* The kernel as its text says it, so that whatever is interpreted below was printed and read back; NULL: the text is
 * refused, or says less than the kernel. */
static fsr_kernel *read_back(const fsr_kernel *k) {
    char *text[2] = {NULL, NULL};
    fsr_kernel *copy = NULL;
    for (int i = 0; i < 2 && (i == 0 || copy); i++) {
        size_t size;
        FILE *to = open_memstream(&text[i], &size);
        fsr_kernel_print(i ? copy : k, to);
        fclose(to);
        if (i == 0)
            fsr_kernel_parse(text[0], &copy, NULL, NULL);
    }
    if (copy && strcmp(text[0], text[1]) != 0) {
        fsr_kernel_free(copy);
        copy = NULL;
    }
    free(text[0]);
    free(text[1]);
    return copy;
}

/* What was read back has no compiled functions of its own. */
static void share_routines(fsr_kernel *copy, const fsr_kernel *k) {
    for (int f = 0; f < k->nroutines; f++)
        copy->routine[f]->host = k->routine[f]->host;
}

static fsr_status run_kernel(execution *e, const fsr_thunk *thunk) {
    fsr_kernel *k = read_back(thunk->kernel);
    if (!k)
        return FSR_ERR_FORMAT;
    share_routines(k, thunk->kernel);
    fsr_launch *launch = malloc(sizeof *launch);
    *launch = fsr_program_launch(thunk);
    for (int a = 0; a < thunk->kernel->narrays; a++)
        launch->array[a] = fuzz_address(e, &thunk->use[a]);
    for (int s = 0; s < thunk->kernel->nscalars; s++)
        launch->scalar[s] = thunk->scalar[s] < 0 ? (fsr_value){0} : e->scalar[thunk->scalar[s]]; /* a turn's number */
    fsr_status status = check_in_place(thunk->kernel, launch) ? fsr_kernel_interpret(k, launch) : FSR_ERR_INTERNAL;
    free(launch);
    fsr_kernel_free(k);
    return status;
}

/* By the CPU's function, whatever machine the plan is for. */
static fsr_status run_library(execution *e, const fsr_thunk *thunk) {
    const fsr_library_call *call = thunk->call;
    void *array[FSR_LIBRARY_ARRAYS] = {NULL}, *work = malloc((size_t)fsr_library_work(call, false));
    fsr_fault fault = {FSR_OK, NULL};
    int next = 0;
    for (int a = 0; a < call->nin + call->nout; a++)
        if (call->array[a].used)
            array[a] = fuzz_address(e, &thunk->use[next++]);
    if (thunk->nothing) {
        free(work);
        return FSR_OK;
    }
    const fsr_crew crew = {NULL, fsr_simd_of(FSR_ISA_NATIVE)};
    fsr_status status = work ? fsr_cpu_library(&crew, call, array, work, &fault) : FSR_ERR_MEMORY;
    fsr_fault_clear(&fault);
    free(work);
    return status;
}

static fsr_status run_thunks(execution *e, const fsr_thunk *thunk) {
    if (thunk->kind == FSR_THUNK_LIBRARY)
        return run_library(e, thunk);
    if (thunk->kind == FSR_THUNK_COPY)
        memcpy(fuzz_address(e, &thunk->use[1]), fuzz_address(e, &thunk->use[0]), (size_t)thunk->use[1].bytes);
    if (thunk->kind == FSR_THUNK_CLEAR)
        memset(fuzz_address(e, &thunk->use[0]), 0, (size_t)thunk->use[0].bytes);
    return thunk->kind == FSR_THUNK_KERNEL ? run_kernel(e, thunk) : FSR_OK;
}

fsr_status fuzz_run_thunks(execution *e, const fsr_thunk *thunk, int n) {
    fsr_status status = FSR_OK;
    for (int i = 0; i < n && !status; i++) {
        status = thunk[i].loop ? fuzz_run_loop(e, &thunk[i]) : run_thunks(e, &thunk[i]);
        i += fsr_loop_thunks(&thunk[i]);
    }
    return status;
}

static bool guards_whole(const execution *e, int i) {
    for (int64_t b = 0; b < GUARD; b++)
        if (e->out[i][b] != PATTERN || e->out[i][GUARD + e->bytes[i] + b] != PATTERN)
            return false;
    return true;
}

/* A schedule that no launch could carry out. NULL: none found. */
static const char *odd_schedule(const fsr_thunk *thunk) {
    const fsr_schedule *s = &thunk->kernel->schedule;
    const int64_t *ints = thunk->kernel->integer;
    const bool gpu = s->target == FSR_TARGET_GPU;
    if (gpu && (s->threads < 1 || s->threads > 1024 || s->vector < 1 || s->items < 1 || s->items % s->vector))
        return "threads, vector or items are out of range";
    if (!gpu && (s->target != FSR_TARGET_CPU || s->lanes < 1 || (s->lanes & (s->lanes - 1)) || s->chunk < s->lanes))
        return "lanes or chunk are out of range";
    if (gpu && s->kind == FSR_SCHEDULE_ROW &&
        (s->abreast < 1 || s->threads % s->abreast || (s->abreast & (s->abreast - 1))))
        return "what is abreast is no power of two that divides the threads";
    if (s->kind == FSR_SCHEDULE_ROW && s->persistent && (int64_t)s->abreast * s->items < ints[FSR_INT_COLS])
        return "the row is not held although the schedule says so";
    if (ints[FSR_INT_SPLITS] < 1 ||
        (ints[FSR_INT_COLS] > 0 && ints[FSR_INT_SPLITS] * ints[FSR_INT_STRETCH] < ints[FSR_INT_COLS]))
        return "the splits do not cover the columns";
    if (thunk->blocks < 0 || thunk->blocks > INT32_MAX || thunk->work_bytes < 0 || thunk->zero_bytes < 0)
        return "blocks or workspace are out of range";
    return NULL;
}

static verdict run_program(execution *e, const fsr_graph *g, const fsr_ref *refs, finding *out) {
    make_memory(e, g, refs);
    for (int i = 0; i < e->program.nthunks; i++) {
        const char *odd = e->program.thunk[i].kernel ? odd_schedule(&e->program.thunk[i]) : NULL;
        if (odd)
            return found(out, VERDICT_PLAN_FAILED, "kernel %d: %s", i, odd);
    }
    for (int i = 0; i < e->program.nthunks; i++) {
        const fsr_thunk *thunk = &e->program.thunk[i];
        const int body = fsr_loop_thunks(thunk);
        fsr_status status = fuzz_run_thunks(e, thunk, 1 + body);
        if (status)
            return found(out, VERDICT_RUN_FAILED, "kernel %d: %s", i, fsr_status_name(status));
        i += body;
    }
    for (int i = 0; i < e->program.nouts; i++) {
        if (!guards_whole(e, i))
            return found(out, VERDICT_GUARD_BROKEN, "output %d", i);
    }
    for (int i = 0; i < e->program.nreports; i++)
        if (e->word[i])
            return found(out, VERDICT_RUN_FAILED, "a report of an index that is inside: %" PRId64, (int64_t)e->word[i]);
    return VERDICT_GOOD;
}

/* ---- comparing --------------------------------------------------------------------------------------------- */

static fsr_status fetch(void *user, const fsr_rec *leaf, int output, void *dst, int64_t bytes) {
    (void)user;
    memcpy(dst, leaf->buffer[output]->data, (size_t)bytes);
    return FSR_OK;
}

static verdict against_reference(const execution *e, const fsr_ref_array *want, verdict bad, finding *out) {
    for (int i = 0; i < e->program.nouts; i++) {
        fsr_verify_report report = {0};
        if (!fsr_ref_compare(&want[i], e->out[i] + GUARD, &report))
            return found(out, bad, "output %d, element %" PRId64 ": got %.17g, expected %.17g, error %g, bound %g", i,
                         report.worst_index, report.got, report.expected, report.worst_error, report.worst_bound);
    }
    return VERDICT_GOOD;
}

/* The reference's plain values are a correct backend's: they lie within its own bounds. */
static verdict reference_itself(const fsr_graph *g, const fsr_ref *refs, const fsr_ref_array *want, int n,
                                finding *out) {
    verdict v = VERDICT_GOOD;
    for (int i = 0; i < n && !v; i++) {
        fsr_verify_report report = {0};
        const size_t size = fsr_dtype_size(want[i].dtype);
        char *values = malloc((size_t)fsr_rec_bytes(fsr_graph_rec(g, refs[i].id), (int)refs[i].output) + 1);
        for (int64_t at = 0; at < fsr_shape_size(&want[i].shape); at++)
            memcpy(values + (size_t)at * size, &want[i].value[at], size);
        if (!fsr_ref_compare(&want[i], values, &report))
            v = found(out, VERDICT_REFERENCE_WRONG,
                      "output %d, element %" PRId64 ": value %.17g, centre %.17g, error %g, bound %g", i,
                      report.worst_index, report.got, report.expected, report.worst_error, report.worst_bound);
        free(values);
    }
    return v;
}

static verdict against_unfused(const execution *e, const execution *unfused, const bool *rounded, size_t size_of[],
                               finding *out) {
    for (int i = 0; i < e->program.nouts; i++) {
        const unsigned char *a = e->out[i] + GUARD, *b = unfused->out[i] + GUARD;
        if (rounded[i] || memcmp(a, b, (size_t)e->bytes[i]) == 0)
            continue;
        int64_t at = 0;
        while (a[at] == b[at])
            at++;
        return found(out, VERDICT_FUSED_DIFFERS, "output %d, element %" PRId64, i, at / (int64_t)size_of[i]);
    }
    return VERDICT_GOOD;
}

typedef struct trial {
    const fsr_graph *g;
    const fsr_ref *refs;
    int n;
    const bool *rounded;
    fsr_ref_array *want;
    size_t *size_of;
    execution unfused;
} trial;

static verdict try_plan(trial *t, const plan_kind *plan, bool first, finding *out) {
    execution own, *e = first ? &t->unfused : &own;
    char why[300];
    memcpy(out->variant, plan->name, sizeof out->variant);
    fsr_status status = make_program(e, t->g, t->refs, t->n, plan, why, sizeof why);
    verdict v = status ? found(out, VERDICT_PLAN_FAILED, "%s: %s", fsr_status_name(status), why)
                       : run_program(e, t->g, t->refs, out);
    if (!v && !first)
        v = against_unfused(e, &t->unfused, t->rounded, t->size_of, out);
    if (!v)
        v = against_reference(e, t->want, first ? VERDICT_UNFUSED_WRONG : VERDICT_FUSED_WRONG, out);
    if (!first)
        execution_clear(e);
    return v;
}

static verdict try_plans(trial *t, uint64_t seed, finding *out) {
    plan_kind plan[PLANS];
    fsr_fault fault = {FSR_OK, NULL};
    make_plans(plan, seed);
    fsr_status status = fsr_reference_run(t->g, t->refs, t->n, fetch, NULL, t->want, &fault);
    if (status) {
        snprintf(out->variant, sizeof out->variant, "reference");
        found(out, VERDICT_RUN_FAILED, "%s: %s", fsr_status_name(status), fault.message ? fault.message : "");
    }
    fsr_fault_clear(&fault);
    verdict v = status ? VERDICT_RUN_FAILED : reference_itself(t->g, t->refs, t->want, t->n, out);
    for (int i = 0; i < PLANS && !v; i++)
        v = try_plan(t, &plan[i], i == 0, out);
    return v;
}

verdict check_outs(const fsr_graph *g, const fsr_ref *refs, int n, const bool *rounded, uint64_t seed, finding *out,
                   void **values) {
    fsr_ref_array want[RECIPE_OUTS] = {{0}};
    size_t size_of[RECIPE_OUTS];
    trial t = {.g = g, .refs = refs, .n = n, .rounded = rounded, .want = want, .size_of = size_of};
    for (int i = 0; i < n; i++)
        size_of[i] = fsr_dtype_size(fsr_graph_rec(g, refs[i].id)->dtype[refs[i].output]);
    memset(out, 0, sizeof *out);
    char why[200] = "";
    verdict v = fsr_graph_verify(g, why, sizeof why) ? found(out, VERDICT_NO_FORM, "%s", why) : VERDICT_GOOD;
    if (!v)
        v = try_plans(&t, seed, out);
    for (int i = 0; i < n && !v && values; i++) {
        values[i] = malloc((size_t)t.unfused.bytes[i] + 1);
        memcpy(values[i], t.unfused.out[i] + GUARD, (size_t)t.unfused.bytes[i]);
    }
    execution_clear(&t.unfused);
    for (int i = 0; i < n; i++)
        fsr_ref_array_free(&want[i]);
    return v;
}

bool check_force(fsr_node x, bool rounded, uint64_t seed, finding *out) {
    static int live;
    fsr_rec *rec = fsr_node_rec(x);
    void *value;
    if (rec->buffer[x.output])
        return true;
    if (check_outs(x.graph, &(fsr_ref){x.id, x.output}, 1, &rounded, seed, out, &value))
        return false;
    node_force(x, &live);
    memcpy(rec->buffer[x.output]->data, value, (size_t)fsr_rec_bytes(rec, (int)x.output));
    free(value);
    return true;
}

/* ---- a recipe ----------------------------------------------------------------------------------------------- */

typedef struct recording {
    fsr_graph_owner *owner;
    fsr_graph *g;
    fsr_node node[RECIPE_STEPS], other[RECIPE_STEPS];
    fsr_ref out[RECIPE_OUTS];
    bool rounded[RECIPE_OUTS];
} recording;

static verdict record(recording *t, const recipe *r, uint64_t seed, finding *out) {
    t->g = node_graph(&t->owner);
    memset(out, 0, sizeof *out);
    for (int i = 0; i < r->n; i++) {
        recipe_record(r, i, t->g, t->node, t->other);
        if (fsr_node_status(t->node[i]))
            return found(out, VERDICT_REFUSED, "thunk %d: %s", i, fsr_node_error(t->node[i]));
        if (r->step[i].force && !check_force(t->node[i], recipe_rounded(r, i, t->node), seed, out))
            return out->verdict;
    }
    for (int i = 0; i < r->nouts; i++) {
        t->out[i] = (fsr_ref){t->node[r->out[i]].id, t->node[r->out[i]].output};
        t->rounded[i] = recipe_rounded(r, r->out[i], t->node);
    }
    return VERDICT_GOOD;
}

verdict check_recipe(const recipe *r, uint64_t seed, finding *out) {
    recording t;
    verdict v = record(&t, r, seed, out);
    if (!v)
        v = check_outs(t.g, t.out, r->nouts, t.rounded, seed, out, NULL);
    fsr_graph_owner_free(t.owner);
    return v;
}

void check_explain(const recipe *r, uint64_t seed, const char *variant, FILE *to) {
    recording t;
    finding unused;
    plan_kind plan[PLANS];
    char why[300];
    make_plans(plan, seed);
    bool ok = record(&t, r, seed, &unused) == VERDICT_GOOD;
    for (int i = 0; i < PLANS && ok; i++) {
        execution e;
        if (i > 0 && strcmp(plan[i].name, variant))
            continue;
        fsr_status status = make_program(&e, t.g, t.out, r->nouts, &plan[i], why, sizeof why);
        fprintf(to, "---- %s\n%s\n", plan[i].name, status ? why : e.program.explanation);
        for (int k = 0; !status && k < e.program.info.kernels; k++)
            fsr_kernel_print(fsr_program_kernel(&e.program, k)->kernel, to);
        execution_clear(&e);
    }
    fsr_graph_owner_free(t.owner);
}
