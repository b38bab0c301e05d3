/* SPDX-License-Identifier: MIT */
/* fusor-bench: fused against unfused against the copy bandwidth, on real and on generated input.
 *
 * A workload is a row of a table: its inputs, how its outputs are compared, and the function that records it. A case is
 * a workload with its arrays at one size, on the host and on the device. A run is that case recorded and compiled in
 * one context, fused or unfused. A row is what the report prints.
 *
 * Errors: a function that can fail returns false and has put its message into the row; the bench goes on with the next
 * row. */
#ifndef FUSOR_BENCH_BENCH_H
#define FUSOR_BENCH_BENCH_H

#include "fusor/fusor.h"
#include "runtime/backend.h"
#include <stdbool.h>
#include <stdio.h>

enum {
    BENCH_MAX_IN = 8,
    BENCH_MAX_OUT = 8,
    BENCH_MAX_WORK = 256,
    BENCH_MAX_FILES = 256,
    BENCH_COLS = 4096,  /* columns of the workloads on rows */
    BENCH_CALLS = 1000, /* asynchronous calls that a call-bound workload is averaged over */
    BENCH_REPS = 15,
    BENCH_FEWEST_PAIRS = 6, /* fewer have no interval of 95% */
    BENCH_VERIFY_N = 1 << 18,
    BENCH_N_CPU = 1 << 24,
    BENCH_N_CUDA = 1 << 27
};

/* ---- workloads -------------------------------------------------------------------------------- */

typedef enum bench_form {
    BENCH_VECTOR, /* [n] */
    BENCH_MATRIX, /* [n / BENCH_COLS, BENCH_COLS] */
    BENCH_ROW     /* [BENCH_COLS] */
} bench_form;

typedef struct bench_input {
    bench_form form;
    int stream;
} bench_input;

/* Generated input: an element (of a complex dtype each of its parts) is low + step * k, k a random whole number of so
 * many bits. Every such number is a value of the dtype. */
typedef struct bench_stream {
    fsr_dtype dtype;
    int bits;
    double low, step;
} bench_stream;

/*    number or name, dtype, bits, low, step. 0 to 3 are uniform on [0, 1). */
#define BENCH_STREAM_LIST(X)                     \
    X(BENCH_UNIFORM, FSR_F32, 24, 0, 0x1p-24)    \
    X(BENCH_UNIFORM_1, FSR_F32, 24, 0, 0x1p-24)  \
    X(BENCH_UNIFORM_2, FSR_F32, 24, 0, 0x1p-24)  \
    X(BENCH_UNIFORM_3, FSR_F32, 24, 0, 0x1p-24)  \
    X(BENCH_GREY, FSR_F32, 8, 0, 1)              \
    X(BENCH_ANGLE, FSR_F64, 53, -8, 0x1p-49)     \
    X(BENCH_SAMPLE, FSR_I16, 12, -2048, 1)       \
    X(BENCH_PIXEL, FSR_U8, 8, 0, 1)              \
    X(BENCH_COMPLEX, FSR_C64, 24, -1, 0x1p-23)   \
    X(BENCH_COMPLEX_1, FSR_C64, 24, -1, 0x1p-23) \
    X(BENCH_GREY_F16, FSR_F16, 8, 0, 1)          \
    X(BENCH_WEIGHT_F16, FSR_F16, 11, 0, 0x1p-11) \
    X(BENCH_GREY_BF16, FSR_BF16, 8, 0, 1)        \
    X(BENCH_WEIGHT_BF16, FSR_BF16, 8, 0, 0x1p-8) \
    X(BENCH_UNIFORM_4, FSR_F32, 24, 0, 0x1p-24)  \
    X(BENCH_UNIFORM_5, FSR_F32, 24, 0, 0x1p-24)  \
    X(BENCH_UNIFORM_6, FSR_F32, 24, 0, 0x1p-24)  \
    X(BENCH_SIGNED, FSR_F32, 24, -1, 0x1p-23)    \
    X(BENCH_WHOLE_I64, FSR_I64, 10, 0, 1)        \
    X(BENCH_PIXEL_U16, FSR_U16, 10, 0, 1)

enum {
#define BENCH_STREAM_ID(id, dtype, bits, low, step) id,
    BENCH_STREAM_LIST(BENCH_STREAM_ID)
#undef BENCH_STREAM_ID
        BENCH_STREAMS
};

static inline bench_stream bench_stream_of(int stream) {
    static const bench_stream table[] = {
#define BENCH_STREAM_ROW(id, dtype, bits, low, step) {dtype, bits, low, step},
        BENCH_STREAM_LIST(BENCH_STREAM_ROW)
#undef BENCH_STREAM_ROW
    };
    return table[stream];
}

/* In which order generated numbers lie: as they are drawn; or as many of them, evenly apart, in order, up and down
 * again, or all equal, which is hard on what samples. */
typedef enum bench_order {
    BENCH_DRAWN,
    BENCH_ASCENDING,
    BENCH_DESCENDING,
    BENCH_PIPE,
    BENCH_EQUAL,
    BENCH_ORDERS
} bench_order;
const char *bench_order_name(bench_order order);

/* How a fused output must agree with the unfused one. The tolerance is for folds, whose order fusion may change:
 * the tree of a reduction depends on its schedule. */
typedef enum bench_rule {
    BENCH_SAME,     /* the same bits: elementwise results, integers, min and max */
    BENCH_CLOSE,    /* relative to the element: folds of terms of one sign, where nothing cancels */
    BENCH_SCALED,   /* relative to the largest magnitude in output `scale` */
    BENCH_REFERENCE /* not at all: only the reference knows a bound */
} bench_rule;

typedef struct bench_output {
    bench_rule rule;
    int scale;    /* SCALED: this output or an earlier one */
    double least; /* SCALED: and at least this, where larger values may cancel on the way */
} bench_output;

/* ---- programs: workloads of other people's suites, docs/programs.md -------------------------------------- */

typedef struct bench_array bench_array;

/* Which of its extents a program is run at. */
typedef enum bench_scale { BENCH_SMALL, BENCH_SUITE, BENCH_LARGE, BENCH_SCALES } bench_scale;

enum { BENCH_EXTENTS = 7 };

typedef struct bench_program_input {
    const char *name; /* in the text */
    int stream;
    const char *dims; /* a letter a dimension: 'a' is extent 0, 'b' extent 1, ...; a digit is itself */
} bench_program_input;

/* A workload whose inputs have shapes of their own. What it computes is a text, or else its row's build. */
typedef struct bench_program {
    int64_t extent[BENCH_SCALES][BENCH_EXTENTS]; /* the first to compare at, the suite's, and greater ones */
    bench_program_input in[BENCH_MAX_IN];
    const char *text; /* an expression of the inputs by name and of the extents, "na", "nb", ...; NULL: build's */
    int turns; /* the text is applied so often, the values of one turn being the first inputs of the next; 0: once */
} bench_program;

typedef struct bench_workload {
    const char *name;
    const char *what;
    const char *file; /* .npy in the data directory: the only input, and its size is n; NULL: generated input */
    int ninputs;
    bench_input in[BENCH_MAX_IN];
    bool shape_only; /* in[0] tells its shape to build, which does not read it */
    int nouts;
    bench_output out[BENCH_MAX_OUT];
    int64_t n;       /* its size whatever --n says; 0: --n's, or the backend's default */
    bool calls;      /* timed over BENCH_CALLS asynchronous calls: it measures the call */
    int kernels;     /* expected when fused; -1: unknown */
    int kernels_cpu; /* the same on the CPU; 0: as many */
    void (*build)(fsr_graph *g, const fsr_node *in, fsr_node *out);
    const struct bench_expr *expr; /* the user's own work in place of build, file and in; NULL: none */
    const bench_program *program;  /* in place of in and n, and of build where it has a text; NULL: none */
} bench_workload;

typedef struct bench_family {
    const bench_workload *work;
    int count;
} bench_family;

/* Elements of a workload's inputs; asked: --n, 0 for none. */
static inline int64_t bench_size(const bench_workload *work, bool gpu, int64_t asked) {
    return work->n ? work->n : asked ? asked : gpu ? BENCH_N_CUDA : BENCH_N_CPU;
}

extern const bench_family bench_family_real, bench_family_map, bench_family_reduce, bench_family_rows,
    bench_family_scan, bench_family_science, bench_family_dtypes, bench_family_small, bench_family_random,
    bench_family_order, bench_family_scatter, bench_family_segment, bench_family_library;
extern const bench_family bench_programs_stencil, bench_programs_linear, bench_programs_learning,
    bench_programs_science, bench_programs_image, bench_programs_flow, bench_programs_loops, bench_programs_rodinia,
    bench_programs_levels, bench_programs_counts, bench_programs_orders, bench_programs_late;

/* Shape and dtype of a program's i-th input. */
void bench_program_shape(const bench_program *program, bench_scale scale, int i, bench_array *out);
/* Records a program's text. */
void bench_program_build(const bench_workload *work, fsr_graph *g, const fsr_node *in, fsr_node *out);

/* The i-th workload, programs after the others, NULL after the last; and the one of that name or NULL. */
const bench_workload *bench_workload_at(int i);
const bench_workload *bench_workload_find(const char *name);

/* ---- the user's own work: --expr, --input, --name ------------------------------------------------- */

struct bench_array {
    char name[64];
    fsr_dtype dtype;
    int ndim;
    int64_t shape[FSR_MAX_DIMS];
    int64_t bytes;
    const void *host; /* borrowed from the session, the case or the expression */
    void *device;     /* owned by the case, memory of session->backend; NULL if not uploaded */
};

typedef struct bench_expr {
    const char *text; /* NULL: none */
    int ninputs;
    const char *path[BENCH_MAX_IN];
    bench_array in[BENCH_MAX_IN]; /* name from the command line, the rest from the file; host is owned */
    bench_workload work;
} bench_expr;

/* Takes an option if it is one of these three; false: its value is not allowed. */
bool bench_expr_owns(const char *option);
bool bench_expr_set(bench_expr *e, const char *option, const char *value);
/* Reads the files and looks at the expression. 0, or the exit status after a message. Without --expr there is nothing
 * to do. */
int bench_expr_prepare(bench_expr *e, fsr_context *ctx);
void bench_expr_free(bench_expr *e);
void bench_expr_build(const bench_expr *e, fsr_graph *g, const fsr_node *in, fsr_node *out);

/* ---- options ---------------------------------------------------------------------------------- */

typedef struct bench_options {
    fsr_backend_kind backend;
    int64_t n;          /* 0: the workload's default */
    int reps;           /* 0: BENCH_REPS, fewer where one takes long on the CPU */
    int64_t verify_n;   /* 0: no verification */
    bench_order order;  /* of generated input */
    const char *json;   /* NULL: none; "-": stdout */
    const char *report; /* NULL: none */
    bool wide;          /* every column of the table */
    bool programs;      /* the programs where no workload is named */
    bench_scale scale;  /* of programs */
    int pairs;          /* measure fused and unfused in turn so often; 0: each by itself */
    int random;         /* random programs to time in place of workloads; 0: none */
    int64_t seed;       /* of the first */
    int overlap;        /* parts of stream_overlap, in place of workloads; 0: none */
    const char *npy;    /* directory to write inputs and results to, in place of measuring; NULL: none */
    const char *data;   /* directory of the real input */
    char installed[4096];
    int nwork, nfiles;
    const bench_workload *work[BENCH_MAX_WORK];
    const char *file[BENCH_MAX_FILES]; /* of rows for the report, which are then not measured */
    bench_expr expr;
} bench_options;

/* Fills out. Returns -1 to go on, else the exit status: --help, --version or --list is done, or a usage error was
 * printed. */
int bench_options_parse(bench_options *out, int argc, char **argv);

/* ---- one run of the tool ------------------------------------------------------------------------ */

typedef struct bench_session {
    const bench_options *options;
    fsr_config config; /* as the environment and the options say */
    fsr_context *fused, *unfused;
    fsr_backend *backend; /* of the fused context; owns the inputs, that both contexts read */
    bool gpu;
    char device[128];
    fsr_backend_facts facts;     /* asked for when the last row is done */
    char date[32];               /* when the run began, "2026-11-22T06:40:00Z" */
    void *stream[BENCH_STREAMS]; /* generated input, made once, a prefix of an endless sequence */
    int64_t stream_n[BENCH_STREAMS];
    int64_t copy_bytes, copy_most;  /* bytes read by the last copy measured, and by the largest */
    double copy_gbs, copy_most_gbs; /* their bandwidth */
    int done;                       /* rows finished, for the progress line */
} bench_session;

/* A measurement that was not made is NaN or -1. */
typedef struct bench_row {
    const bench_workload *work;
    const char *backend;
    fsr_dtype dtype;
    int64_t n, bytes_min, bytes_moved_unfused;
    int fused_kernels, expected_kernels, unfused_kernels;
    double fused_ms, unfused_ms, first_call_ms, cached_first_call_ms, load_ms, launch_us, copy_gbs;
    double fused_least_ms, unfused_least_ms; /* of pairs: the least samples */
    double operations;                       /* see bench_operations */
    double ratio, ratio_low, ratio_high;     /* of pairs: the median of unfused / fused, and its interval of 95% */
    double max_error, error_bound;
    bool verified, failed;
    char error[1024];
} bench_row;

/* Marks the row failed with a message (printf-like; the first one stays); returns false. */
bool bench_fail(bench_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same from a backend's fault, which it clears, or from a context's last error, `what` if that says nothing. */
bool bench_fail_fault(bench_row *row, const char *what, fsr_fault *fault);
bool bench_fail_context(bench_row *row, const char *what, fsr_context *ctx, fsr_status status);

/* ---- input ------------------------------------------------------------------------------------ */

typedef struct bench_case {
    const bench_workload *work;
    int64_t n; /* elements of input 0 */
    bench_array in[BENCH_MAX_IN];
    void *file; /* host data read from a file */
} bench_case;

/* A workload at size n (ignored where a file gives it), uploaded. False leaves nothing to close. */
bool bench_case_open(bench_session *s, bench_case *out, const bench_workload *work, int64_t n, bench_row *row);
void bench_case_close(bench_session *s, bench_case *c);
/* The first n elements of a generated case (whole rows), on the host only; a file's case is taken whole. Nothing to
 * close. */
void bench_case_prefix(bench_case *out, const bench_case *c, int64_t n);
void bench_streams_free(bench_session *s);

/* Runs part(arg, begin, end) over slices of [0, n) on every core. */
void bench_parallel(int64_t n, void (*part)(void *arg, int64_t begin, int64_t end), void *arg);

/* ---- runs ------------------------------------------------------------------------------------- */

typedef struct bench_run {
    fsr_context *ctx;
    fsr_backend *backend;
    fsr_graph *graph;
    int nin, nout;
    fsr_node node[BENCH_MAX_OUT];
    fsr_arg in[BENCH_MAX_IN], out[BENCH_MAX_OUT]; /* device memory; outputs owned */
    fsr_plan *plan;
    fsr_plan_info info;
} bench_run;

/* Records the case with named inputs and allocates cleared outputs; compiles; launches once, asynchronously on a GPU.
 * A run that failed at any of these can be closed, as can a zeroed one. */
bool bench_run_record(bench_run *out, fsr_context *ctx, const bench_case *c, bench_row *row);
bool bench_run_compile(bench_run *run, bench_row *row);
bool bench_run_launch(bench_run *run, bench_row *row);
bool bench_run_wait(bench_run *run, bench_row *row);
void bench_run_close(bench_run *run);
/* Which nodes the outputs follow from, themselves too, by id: malloc'ed; NULL: out of memory. */
bool *bench_reached(const fsr_node *out, int n);
/* Operations on elements that the recorded graph of the outputs asks for; NaN: not known before it runs. */
double bench_operations(const fsr_node *out, int n);
/* Calls the workload's build and checks the nodes it gave. */
bool bench_build(const bench_workload *work, fsr_graph *g, const fsr_node *in, fsr_node *out, bench_row *row);

/* ---- measuring and checking --------------------------------------------------------------------- */

double bench_now(void); /* seconds */
/* Sorts x. */
double bench_median(double *x, int n);
/* Median time of one run, and median host time of the call that launches it. */
bool bench_measure_run(bench_session *s, bench_run *run, double *ms, double *launch_us, bench_row *row);
/* Compile and first run in a fresh context with an empty disk cache, then in another with that cache filled. */
bool bench_measure_first(bench_session *s, const bench_case *c, bench_row *row);
/* Bandwidth of a copy that moves so many bytes, read and write counted: what the workload of the row must move. */
bool bench_measure_copy(bench_session *s, int64_t moved, double *gbs, bench_row *row);

/* Fused outputs against unfused ones at full size. */
bool bench_check_outputs(const bench_case *c, bench_run *fused, bench_run *unfused, bench_row *row);
/* The workload's graph on the fused context against the reference. */
bool bench_check_reference(bench_session *s, const bench_case *c, bench_row *row);

/* Fused and unfused in turn, s->options->pairs times: medians, ratios. The row fails where the interval says that fused
 * is slower, and the plans are not the same. */
bool bench_measure_pairs(bench_session *s, bench_run *fused, bench_run *unfused, bench_row *row);
/* The inputs and what the fused context makes of them, NAME.in0.npy, ..., NAME.out0.npy, ... in a directory. */
bool bench_write_arrays(bench_session *s, const bench_case *c, const char *directory, bench_row *row);
/* One timed run, or the average of many calls where the workload measures these. */
bool bench_time_rep(bench_session *s, bench_run *run, double *ms, double *launch_us, bench_row *row);

/* Everything above for one workload. */
void bench_row_measure(bench_session *s, const bench_workload *work, bench_row *row);

/* ---- report ----------------------------------------------------------------------------------- */

/* The table, 100 columns of it or all; with pairs columns of their own. */
void bench_table_head(FILE *to, const bench_options *o);
void bench_table_row(FILE *to, const bench_row *row, const bench_options *o);
void bench_table_foot(FILE *to, const bench_session *s);
/* What follows from a row's numbers; NaN where one of them was not measured. */
double bench_row_gbs(const bench_row *row);
double bench_row_speedup(const bench_row *row);
/* One array of objects. */
void bench_json_write(FILE *to, const bench_session *s, const bench_row *rows, int n);
/* Rewrites the progress line on stderr if that is a terminal; step NULL wipes it. */
void bench_progress(const bench_session *s, const char *name, const char *step);

#endif
