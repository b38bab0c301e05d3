/* SPDX-License-Identifier: MIT */
/* Streams on a driver that is none (fake_cuda.h), which keeps CUDA's rules of captures: a caller's stream that is being
 * captured, plans launched as one graph, two devices, tickets; each with the driver's calls failing in turn. */
#define _GNU_SOURCE 1 /* pthread_timedjoin_np */
#include "tests/support/subject.h"
#include <stdio.h>

#ifndef FUSOR_HAVE_CUDA
int main(void) {
    printf("skipped: built without a CUDA toolkit's header\n");
    return 77;
}
#else
#include "tests/host_cuda/host_cuda.h"
#include "tests/trust/fake_cuda.h"
#include "tests/trust/faults.h"
#include "tests/trust/scenarios.h"
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 64 };
static const size_t BYTES = sizeof(float) * N;

static int setup(void **state) {
    (void)state;
    fake_cuda_reset();
    return 0;
}

/* Each node a kernel of its own. */
static fsr_context *open_steps(int graphs) {
    fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    config.fusion = 0;
    config.graphs = graphs;
    return scenario_open(&config);
}

/* (x + 1) * k - 3, in three kernels. */
static fsr_plan *three(fsr_graph *g) {
    fsr_plan *plan = NULL;
    fsr_node x = fsr_input(g, "x", FSR_F32, 1, SHAPE(N)), k = fsr_param(g, "k", FSR_F32, 2);
    fsr_node y = fsr_sub(fsr_mul(fsr_add(x, fsr_float(g, 1)), k), fsr_float(g, 3));
    subject_ok(fsr_compile(&y, 1, &plan), "compiling three kernels");
    return plan;
}

typedef struct arrays {
    float *x[3], *y[3];
} arrays;

static arrays arrays_new(fsr_context *ctx) {
    arrays a;
    for (int i = 0; i < 3; i++) {
        subject_ok(fsr_alloc(ctx, FSR_DEVICE, BYTES, (void **)&a.x[i]), "x");
        subject_ok(fsr_alloc(ctx, FSR_DEVICE, BYTES, (void **)&a.y[i]), "y");
        for (int k = 0; k < N; k++) {
            a.x[i][k] = (float)(100 * i + k);
            a.y[i][k] = -1;
        }
    }
    return a;
}

static fsr_status run(fsr_plan *plan, const arrays *a, int i, float k, void *stream) {
    const fsr_arg in[] = {{"x", a->x[i], BYTES, FSR_DEVICE}, {"k", &k, sizeof k, FSR_HOST}};
    memset(a->y[i], 0, BYTES);
    return fsr_plan_run(plan, in, 2, &(fsr_arg){NULL, a->y[i], BYTES, FSR_DEVICE}, 1, stream);
}

static void expect(const arrays *a, int i, float k) {
    for (int e = 0; e < N; e++)
        if (a->y[i][e] != (a->x[i][e] + 1) * k - 3)
            fail_msg("element %d of %d is %g", e, i, (double)a->y[i][e]);
}

static fsr_stats stats_of(fsr_context *ctx) {
    fsr_stats stats;
    subject_ok(fsr_context_stats(ctx, &stats), "stats");
    return stats;
}

/* A call of the program's own that copies. */
static fsr_status copied(const fsr_call_frame *s) {
    float *out = s->output[0].data;
    const size_t bytes = sizeof(float) * (size_t)s->input[0].shape[0];
    return cudaMemcpyAsync(out, s->input[0].data, bytes, cudaMemcpyDeviceToDevice, s->stream) ? FSR_ERR_DEVICE : FSR_OK;
}

static fsr_node called_once(fsr_graph *g, fsr_node x, bool capturable) {
    const fsr_callee callee = {
        .name = capturable ? "taken" : "copied", .inputs = 1, .outputs = 1, .cuda = copied, .capturable = capturable};
    fsr_node y;
    fsr_call_library(g, &y, &callee, &x, 1);
    return y;
}

/* ---- plans as graphs -------------------------------------------------------------------------------------------- */

static void addresses_repeat(void **state) {
    (void)state;
    fsr_context *ctx = open_steps(1);
    fsr_plan *plan = three(fsr_graph_new(ctx));
    const arrays a = arrays_new(ctx);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(run(plan, &a, 0, 2, NULL), FSR_OK);
        expect(&a, 0, 2);
    }
    fsr_stats stats = stats_of(ctx);
    assert_int_equal(stats.graphs_made, 1); /* the first run is seen, the second recorded */
    assert_int_equal(stats.graph_launches, 4);
    assert_int_equal(stats.launches, 15);
    assert_int_equal(fake.launches, 15);
    /* data changes, addresses do not */
    a.x[0][7] = 1000;
    assert_int_equal(run(plan, &a, 0, 2, NULL), FSR_OK);
    expect(&a, 0, 2);
    /* three buffers by turns, each soon a graph of its own */
    for (int i = 0; i < 12; i++) {
        assert_int_equal(run(plan, &a, i % 3, 2, NULL), FSR_OK);
        expect(&a, i % 3, 2);
    }
    stats = stats_of(ctx);
    assert_int_equal(stats.graphs_made, 3);
    assert_int_equal(stats.graph_launches, 4 + 1 + 12 - 2);
    /* a value that is another each time is no graph */
    for (int i = 0; i < 6; i++) {
        assert_int_equal(run(plan, &a, 0, (float)(10 + i), NULL), FSR_OK);
        expect(&a, 0, (float)(10 + i));
    }
    assert_int_equal(stats_of(ctx).graphs_made, 3);
    fsr_close(ctx);
    assert_int_equal(fake.objects, 0);
}

/* x = x / 2 + the turn's number. */
static void halve(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_graph *g = state[0].graph;
    out[0] = fsr_add(fsr_mul(state[0], fsr_float(g, 0.5)), fsr_cast(in[0], FSR_F32));
}

static fsr_node turned(fsr_graph *g, fsr_node turns) {
    fsr_node x = fsr_input(g, "x", FSR_F32, 1, SHAPE(N)), first = fsr_add(x, fsr_float(g, 1)), y;
    fsr_fori_loop(&y, &first, 1, turns, halve, NULL);
    return fsr_neg(y);
}

/* A loop of a number of turns that the plan has is a part of the graph, each turn with its number; one whose turns are
 * a parameter goes step by step. */
static void loops_are_recorded(void **state) {
    (void)state;
    fsr_context *ctx = open_steps(1);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_plan *fixed, *free_turns;
    fsr_node y = turned(g, fsr_int(g, 7)), z = turned(g, fsr_param(g, "n", FSR_I64, 7));
    const arrays a = arrays_new(ctx);
    subject_ok(fsr_compile(&y, 1, &fixed), "a loop");
    subject_ok(fsr_compile(&z, 1, &free_turns), "a loop of a parameter's turns");
    for (int i = 0; i < 6; i++) {
        const fsr_arg x = {"x", a.x[0], BYTES, FSR_DEVICE}, to = {NULL, a.y[0], BYTES, FSR_DEVICE};
        const fsr_arg other = {NULL, a.y[1], BYTES, FSR_DEVICE};
        float value = (a.x[0][5] = (float)(3 * i)) + 1;
        for (int turn = 0; turn < 7; turn++)
            value = value * 0.5f + (float)turn;
        assert_int_equal(fsr_plan_run(fixed, &x, 1, &to, 1, NULL), FSR_OK);
        assert_int_equal(fsr_plan_run(free_turns, &x, 1, &other, 1, NULL), FSR_OK);
        assert_true(a.y[0][5] == -value);
        assert_memory_equal(a.y[0], a.y[1], BYTES);
    }
    assert_int_equal(stats_of(ctx).graphs_made, 1);
    assert_int_equal(stats_of(ctx).graph_launches, 5);
    fsr_close(ctx);
    assert_int_equal(fake.objects, 0);
}

static void explained(fsr_node y, const char *words) {
    char text[8000];
    subject_ok(fsr_explain_text(&y, 1, text, sizeof text, NULL), "explaining");
    if (!strstr(text, words))
        fail_msg("no \"%s\" in %s", words, text);
}

static void explain_says_it(void **state) {
    (void)state;
    fsr_context *ctx = open_steps(1), *off = open_steps(0);
    fsr_graph *g = fsr_graph_new(ctx), *h = fsr_graph_new(off);
    fsr_node x = fsr_exp(fsr_sqrt(fsr_arange(g, FSR_F32, N))), y = fsr_exp(fsr_sqrt(fsr_arange(h, FSR_F32, N)));
    explained(x, "launched as one CUDA graph when it runs again");
    explained(fsr_exp(called_once(g, x, false)), "launched one by one: library call copied may not be recorded");
    explained(y, "launched one by one: the knob graphs is 0");
    fsr_close(ctx);
    fsr_close(off);
}

/* fsr_compute in a loop of scopes: the pool gives the same few blocks by turns. */
static void steps_of_a_loop(void **state) {
    (void)state;
    enum { STEPS = 60 };
    fsr_context *ctx = open_steps(1);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_full(g, FSR_F64, 1, SHAPE(257), 0.5);
    double value = 0.5, got[257];
    subject_ok(fsr_force(x), "the beginning");
    fsr_scope_begin(g);
    for (int i = 0; i < STEPS; i++) {
        x = fsr_mul(fsr_mul(x, fsr_float(g, 3.5)), fsr_sub(fsr_float(g, 1), x));
        subject_ok(fsr_force(x), "a step");
        fsr_scope_keep(g, &x, 1);
        value = value * 3.5 * (1 - value);
    }
    subject_ok(fsr_read(x, got, sizeof got), "reading");
    assert_true(got[0] == value && got[256] == value);
    assert_true(stats_of(ctx).graph_launches > STEPS / 2);
    fsr_close(ctx);
    assert_int_equal(fake.objects, 0);
}

static void switched_off(void **state) {
    (void)state;
    fsr_context *ctx = open_steps(0);
    fsr_plan *plan = three(fsr_graph_new(ctx));
    const arrays a = arrays_new(ctx);
    for (int i = 0; i < 4; i++)
        assert_int_equal(run(plan, &a, 0, 2, NULL), FSR_OK);
    expect(&a, 0, 2);
    assert_int_equal(stats_of(ctx).graphs_made, 0);
    assert_int_equal(fake.graph_launches, 0);
    fsr_close(ctx);
}

/* A caller's stream is put in order with the context's around the launch: two waits, as for one kernel. */
static void on_a_callers_stream(void **state) {
    (void)state;
    fsr_context *ctx = open_steps(1);
    fsr_plan *plan = three(fsr_graph_new(ctx));
    const arrays a = arrays_new(ctx);
    cudaStream_t stream;
    assert_int_equal(cudaStreamCreateWithFlags(&stream, 0), cudaSuccess);
    assert_int_equal(run(plan, &a, 0, 2, stream), FSR_OK);
    assert_int_equal(fake.waits, 6);
    assert_int_equal(run(plan, &a, 0, 2, stream), FSR_OK);
    expect(&a, 0, 2);
    assert_int_equal(fake.waits, 8);
    fsr_close(ctx);
    cudaStreamDestroy(stream);
    assert_int_equal(fake.objects, 0);
}

/* Whatever fails while a run is recorded: it goes step by step, or the call says what is wrong; and the context goes
 * on. */
static void recording_fails(void **state) {
    (void)state;
    bool hit = true;
    for (int64_t k = 1; hit; k++) {
        fsr_context *ctx = open_steps(1);
        fsr_plan *plan = three(fsr_graph_new(ctx));
        const arrays a = arrays_new(ctx);
        assert_int_equal(run(plan, &a, 0, 2, NULL), FSR_OK);
        faults_arm(FAULT_CUDA, FAULT_ERROR, k, false, cudaErrorInvalidValue, NULL);
        const fsr_status status = run(plan, &a, 0, 2, NULL);
        hit = faults_disarm();
        if (!status)
            expect(&a, 0, 2);
        else
            assert_true(hit && status == FSR_ERR_DEVICE);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(run(plan, &a, 0, 2, NULL), FSR_OK);
            expect(&a, 0, 2);
        }
        fsr_close(ctx);
        assert_int_equal(fake.objects, 0);
        assert_int_equal(fake.blocks, 0);
    }
}

/* A value that changes at every second run: what is recorded is launched once, so soon nothing is. */
static void recording_is_not_worth_it(void **state) {
    (void)state;
    fsr_context *ctx = open_steps(1);
    fsr_plan *plan = three(fsr_graph_new(ctx));
    const arrays a = arrays_new(ctx);
    for (int i = 0; i < 600; i++) {
        assert_int_equal(run(plan, &a, 0, (float)(i / 2), NULL), FSR_OK);
        expect(&a, 0, (float)(i / 2));
    }
    assert_true(stats_of(ctx).graphs_made > 0 && stats_of(ctx).graphs_made < 60);
    fsr_close(ctx);
    assert_int_equal(fake.objects, 0);
}

/* What may pass is not remembered: after a while recording is tried again, and works. */
static void recording_is_tried_again(void **state) {
    (void)state;
    static const char *const calls[] = {"cudaStreamBeginCapture", "cudaStreamEndCapture", "cudaGraphInstantiate"};
    for (int i = 0; i < COUNT_OF(calls); i++) {
        fsr_context *ctx = open_steps(1);
        fsr_plan *plan = three(fsr_graph_new(ctx));
        const arrays a = arrays_new(ctx);
        assert_int_equal(run(plan, &a, 0, 2, NULL), FSR_OK);
        faults_arm(FAULT_CUDA, FAULT_ERROR, 1, false, cudaErrorMemoryAllocation, calls[i]);
        assert_int_equal(run(plan, &a, 0, 2, NULL), FSR_OK);
        assert_true(faults_disarm());
        for (int k = 0; k < 40; k++)
            assert_int_equal(run(plan, &a, 0, 2, NULL), FSR_OK);
        expect(&a, 0, 2);
        assert_int_equal(stats_of(ctx).graphs_made, 1);
        assert_true(stats_of(ctx).graph_launches > 20 && stats_of(ctx).graph_launches < 40);
        fsr_close(ctx);
        assert_int_equal(fake.objects, 0);
    }
}

/* ---- a caller's capture ------------------------------------------------------------------------------------------ */

/* -copy(x + 1): a kernel before and behind the call. */
static fsr_plan *calling(fsr_graph *g, bool capturable) {
    fsr_plan *plan = NULL;
    fsr_node x = fsr_add(fsr_input(g, "x", FSR_F32, 1, SHAPE(N)), fsr_float(g, 1));
    fsr_node y = fsr_neg(called_once(g, x, capturable));
    subject_ok(fsr_compile(&y, 1, &plan), "compiling a call");
    return plan;
}

static cudaStream_t begin_capture(void) {
    cudaStream_t stream;
    assert_int_equal(cudaStreamCreateWithFlags(&stream, 0), cudaSuccess);
    assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    return stream;
}

static void still_captured(cudaStream_t stream) {
    enum cudaStreamCaptureStatus status;
    assert_int_equal(cudaStreamIsCapturing(stream, &status), cudaSuccess);
    assert_int_equal(status, cudaStreamCaptureStatusActive);
}

static void end_capture(cudaStream_t stream, cudaGraphExec_t *exec) {
    cudaGraph_t graph;
    assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    assert_int_equal(cudaGraphInstantiate(exec, graph, 0), cudaSuccess);
    cudaGraphDestroy(graph);
}

/* What may not be captured is refused before anything is on the stream: what the caller captures besides is whole. */
static void a_capture_goes_on(void **state) {
    (void)state;
    fsr_context *ctx = open_steps(1);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_plan *plan = calling(g, false), *good = calling(g, true), *sums = three(g);
    const arrays a = arrays_new(ctx);
    cudaGraphExec_t exec;
    float host[N] = {0};
    const fsr_arg x = {"x", a.x[0], BYTES, FSR_DEVICE}, y = {NULL, a.y[0], BYTES, FSR_DEVICE};
    const fsr_arg there = {"x", host, BYTES, FSR_HOST}, back = {NULL, host, BYTES, FSR_HOST};
    const fsr_arg askew = {NULL, (char *)a.y[1] + 4, BYTES, FSR_DEVICE};
    cudaStream_t stream = begin_capture();
    subject_error(ctx, fsr_plan_run(plan, &x, 1, &y, 1, stream), FSR_ERR_UNSUPPORTED,
                  "the stream is being captured|library call copied may not be captured");
    subject_error(ctx, fsr_plan_run(good, &there, 1, &y, 1, stream), FSR_ERR_UNSUPPORTED,
                  "input 0 is no memory of the device");
    subject_error(ctx, fsr_plan_run(good, &x, 1, &back, 1, stream), FSR_ERR_UNSUPPORTED,
                  "output 0 is no memory of the device");
    subject_error(ctx, fsr_plan_run(good, &x, 1, &askew, 1, stream), FSR_ERR_UNSUPPORTED, "output 0 is not 16-byte");
    still_captured(stream);
    memset(a.y[0], 0, BYTES);
    assert_int_equal(fsr_plan_run(good, &x, 1, &y, 1, stream), FSR_OK);
    assert_int_equal(run(sums, &a, 1, 5, stream), FSR_OK);
    still_captured(stream);
    assert_true(a.y[0][3] == 0); /* nothing has run */
    end_capture(stream, &exec);
    /* the pool's memory is used by others meanwhile: what was captured has its own */
    for (int i = 0; i < 3; i++) {
        assert_int_equal(run(sums, &a, 2, 7, NULL), FSR_OK);
        a.x[0][3] = (float)i;
        assert_int_equal(cudaGraphLaunch(exec, stream), cudaSuccess);
        assert_true(a.y[0][3] == (float)-(i + 1));
        expect(&a, 1, 5);
        expect(&a, 2, 7);
    }
    cudaGraphExecDestroy(exec);
    const fsr_stats before = stats_of(ctx);
    fsr_plan_free(good);
    fsr_plan_free(sums);
    assert_true(stats_of(ctx).device_bytes < before.device_bytes);
    assert_int_equal(fsr_plan_run(plan, &x, 1, &y, 1, NULL), FSR_OK);
    fsr_close(ctx);
    cudaStreamDestroy(stream);
    assert_int_equal(fake.objects, 0);
    assert_int_equal(fake.blocks, 0);
}

/* ---- two devices ------------------------------------------------------------------------------------------------ */

static double moved(fsr_context *from, fsr_context *to, fsr_status *status) {
    fsr_graph *g = fsr_graph_new(from), *h = fsr_graph_new(to);
    double value = 0;
    *status = FSR_ERR_MEMORY;
    if (!g || !h) {
        fsr_graph_free(g);
        fsr_graph_free(h);
        return 0;
    }
    fsr_node x = fsr_full(g, FSR_F64, 1, SHAPE(10), 3), y = fsr_from_node(h, fsr_add(x, x));
    *status = fsr_node_status(y);
    if (!*status)
        *status = fsr_read(fsr_sum(y, NULL, 0, 0), &value, sizeof value);
    fsr_graph_free(g);
    fsr_graph_free(h);
    return value;
}

static void from_device_to_device(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    fsr_context *ctx[2];
    fsr_status status;
    fake.devices = 2;
    for (int i = 0; i < 2; i++) {
        config.device = i;
        subject_ok(fsr_open_why(&config, &ctx[i], NULL, 0), "a context on each device");
    }
    assert_true(moved(ctx[0], ctx[1], &status) == 60 && moved(ctx[1], ctx[0], &status) == 60);
    assert_true(moved(ctx[1], ctx[1], &status) == 60);
    assert_int_equal(fake.peer_copies, 3);
    int current = -1; /* the receiver's */
    fsr_node x = fsr_full(fsr_graph_new(ctx[0]), FSR_F64, 1, SHAPE(10), 3);
    subject_ok(fsr_node_status(fsr_from_node(fsr_graph_new(ctx[1]), x)), "an array of another device");
    assert_int_equal(cudaGetDevice(&current), cudaSuccess);
    assert_int_equal(current, 1);
    bool hit = true;
    for (int64_t k = 1; hit; k++) {
        faults_arm(FAULT_CUDA, FAULT_ERROR, k, false, cudaErrorInvalidValue, NULL);
        const double value = moved(ctx[0], ctx[1], &status);
        hit = faults_disarm();
        assert_true(status ? hit : value == 60);
        assert_true(moved(ctx[0], ctx[1], &status) == 60 && !status);
    }
    fsr_close(ctx[0]);
    fsr_close(ctx[1]);
    assert_int_equal(fake.objects, 0);
    assert_int_equal(fake.blocks, 0);
}

/* Between contexts on the CPU, and from one on a GPU, each allocation failing. */
static void moving_without_memory(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CPU);
    const fault_live before = faults_live();
    fsr_context *ctx[3];
    fsr_status status;
    config.fallback = 1; /* no compiler is needed */
    config.compiler = "/nonexistent/cc";
    for (int i = 0; i < 2; i++)
        subject_ok(fsr_open_why(&config, &ctx[i], NULL, 0), "two contexts on the CPU");
    ctx[2] = open_steps(1);
    for (int from = 0; from < 3; from += 2) {
        bool hit = true;
        assert_true(moved(ctx[from], ctx[1], &status) == 60 && moved(ctx[1], ctx[from], &status) == 60);
        for (int64_t k = 1; hit; k++) {
            faults_arm(FAULT_MEMORY, FAULT_ERROR, k, false, 0, NULL);
            const double value = moved(ctx[from], ctx[1], &status);
            hit = faults_disarm();
            /* FSR_ERR_NULL: there was no memory for a poisoned node either */
            if (status ? !hit || (status != FSR_ERR_MEMORY && status != FSR_ERR_NULL) : value != 60)
                fail_msg("fault %lld (%s): %s, %g", (long long)k, faults_hit(), fsr_status_name(status), value);
            assert_true(moved(ctx[from], ctx[1], &status) == 60 && !status);
        }
    }
    for (int i = 0; i < 3; i++)
        fsr_close(ctx[i]);
    if (faults_live().blocks != before.blocks)
        faults_list_live(before.serial);
    assert_int_equal(faults_live().blocks, before.blocks);
}

/* ---- tickets ----------------------------------------------------------------------------------------- */

/* A status of all that there is; each step goes on after a failure. */
static fsr_status copy_around(fsr_context *ctx, float *result) {
    void *host = NULL, *device = NULL;
    fsr_ticket up = 0, down = 0, mark = 0;
    double from, to;
    fsr_status first = FSR_OK, all[10];
    int n = 0;
    all[n++] = fsr_alloc(ctx, FSR_HOST, BYTES, &host);
    all[n++] = fsr_alloc(ctx, FSR_DEVICE, BYTES, &device);
    if (host)
        *(float *)host = 42;
    all[n++] = host && device ? fsr_upload(ctx, device, host, BYTES, &up) : FSR_OK;
    all[n++] = fsr_after(ctx, up);
    all[n++] = fsr_mark(ctx, &mark);
    all[n++] = host && device ? fsr_download(ctx, host, device, BYTES, &down) : FSR_OK;
    all[n++] = fsr_wait(ctx, down);
    all[n++] = down ? fsr_ticket_time(ctx, down, &from, &to) : FSR_OK;
    *result = host ? *(float *)host : 0;
    all[n++] = fsr_free(ctx, FSR_HOST, host);
    all[n++] = fsr_free(ctx, FSR_DEVICE, device);
    for (int i = 0; i < n; i++)
        first = first ? first : all[i];
    return first;
}

static void copies_fail(void **state) {
    (void)state;
    const unsigned kinds[] = {FAULT_CUDA, FAULT_MEMORY, FAULT_MEMORY};
    fsr_config cpu = scenario_config(FSR_BACKEND_CPU);
    for (int i = 0; i < COUNT_OF(kinds); i++) {
        bool hit = true;
        /* the last events of many are as the first */
        for (int64_t k = 1; hit; k += kinds[i] == FAULT_CUDA && k > 20 && k < 300 ? 37 : 1) {
            const fault_live before = faults_live();
            fsr_context *ctx = NULL;
            float result;
            if (i < 2)
                ctx = open_steps(1);
            else
                subject_ok(fsr_open_why(&cpu, &ctx, NULL, 0), "a context on the CPU");
            faults_arm(kinds[i], FAULT_ERROR, k, false, cudaErrorInvalidValue, NULL);
            const fsr_status status = copy_around(ctx, &result);
            hit = faults_disarm();
            if (status ? !hit : result != 42)
                fail_msg("fault %lld (%s): %s, %g", (long long)k, faults_hit(), fsr_status_name(status),
                         (double)result);
            assert_int_equal(copy_around(ctx, &result), FSR_OK);
            assert_true(result == 42);
            fsr_close(ctx);
            assert_int_equal(faults_live().blocks, before.blocks);
            assert_int_equal(fake.objects, 0);
            assert_int_equal(fake.blocks, 0);
        }
    }
}

/* Want of pinned memory is one error, what else the driver says another. */
static void pinned_memory_fails(void **state) {
    (void)state;
    const struct {
        int error;
        fsr_status status;
    } row[] = {{cudaErrorMemoryAllocation, FSR_ERR_MEMORY}, {cudaErrorInvalidValue, FSR_ERR_DEVICE}};
    fsr_context *ctx = open_steps(1);
    for (int i = 0; i < COUNT_OF(row); i++) {
        bool hit = true, told = false;
        for (int64_t k = 1; hit; k++) {
            void *host = NULL;
            faults_arm(FAULT_CUDA, FAULT_ERROR, k, false, row[i].error, NULL);
            const fsr_status status = fsr_alloc(ctx, FSR_HOST, BYTES, &host);
            hit = faults_disarm();
            if (status && strcmp(faults_hit(), "cudaHostAlloc") == 0) {
                told = true;
                assert_int_equal(status, row[i].status);
            }
            assert_int_equal(fsr_free(ctx, FSR_HOST, host), FSR_OK);
        }
        assert_true(told);
    }
    fsr_close(ctx);
    assert_int_equal(fake.objects, 0);
}

/* Copies lie on other streams than the context's: fsr_sync waits for the last one of each direction, also in a thread
 * that captures, whose capture stays whole. */
static void sync_waits_for_copies(void **state) {
    (void)state;
    fsr_context *ctx = open_steps(1);
    const arrays a = arrays_new(ctx);
    float *host;
    cudaGraphExec_t exec;
    subject_ok(fsr_alloc(ctx, FSR_HOST, BYTES, (void **)&host), "pinned memory");
    assert_int_equal(fsr_sync(ctx), FSR_OK);
    assert_int_equal(fake.event_waits, 0);
    assert_int_equal(fsr_upload(ctx, a.x[0], host, BYTES, NULL), FSR_OK);
    assert_int_equal(fsr_sync(ctx), FSR_OK);
    assert_int_equal(fake.event_waits, 1);
    assert_int_equal(fsr_download(ctx, host, a.x[0], BYTES, NULL), FSR_OK);
    cudaStream_t stream = begin_capture();
    assert_int_equal(fsr_sync(ctx), FSR_OK);
    assert_int_equal(fake.event_waits, 3);
    still_captured(stream);
    end_capture(stream, &exec);
    cudaGraphExecDestroy(exec);
    cudaStreamDestroy(stream);
    fsr_close(ctx);
    assert_int_equal(fake.objects, 0);
}

/* ---- threads beside a copy ----------------------------------------------------------------------------------- */

static struct beside {
    fsr_context *ctx;
    fsr_ticket earlier, mark;
    fsr_status status;
    bool back;
} beside;

static void *waits_beside(void *unused) {
    (void)unused;
    beside.status = fsr_wait(beside.ctx, beside.earlier);
    if (!beside.status)
        beside.status = fsr_after(beside.ctx, beside.earlier);
    if (!beside.status)
        beside.status = fsr_mark(beside.ctx, &beside.mark);
    return NULL;
}

/* While a copy is put on its stream, which takes as long as the copy where memory is not pinned. */
static void look_beside(void) {
    struct timespec until;
    pthread_t thread;
    fake.at_copy = NULL;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    assert_int_equal(pthread_create(&thread, NULL, waits_beside, NULL), 0);
    beside.back = pthread_timedjoin_np(thread, NULL, &until) == 0;
    if (!beside.back)
        pthread_detach(thread);
}

/* Another thread's tickets do not wait for it; tickets of one direction stay in order. */
static void tickets_beside_a_copy(void **state) {
    (void)state;
    fsr_ticket down;
    beside = (struct beside){.ctx = open_steps(1)};
    const arrays a = arrays_new(beside.ctx);
    float *host = calloc(1, BYTES);
    double from, to;
    assert_int_equal(fsr_download(beside.ctx, host, a.x[0], BYTES, &beside.earlier), FSR_OK);
    fake.at_copy = look_beside;
    assert_int_equal(fsr_download(beside.ctx, host, a.x[0], BYTES, &down), FSR_OK);
    assert_true(beside.back);
    assert_int_equal(beside.status, FSR_OK);
    assert_true(beside.mark && beside.mark != down && down > beside.earlier);
    assert_int_equal(fsr_ticket_time(beside.ctx, beside.earlier, &from, &to), FSR_OK);
    assert_int_equal(fsr_wait(beside.ctx, down), FSR_OK);
    fsr_close(beside.ctx);
    free(host);
    assert_int_equal(fake.objects, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(tickets_beside_a_copy, setup),
        cmocka_unit_test_setup(addresses_repeat, setup),
        cmocka_unit_test_setup(switched_off, setup),
        cmocka_unit_test_setup(steps_of_a_loop, setup),
        cmocka_unit_test_setup(loops_are_recorded, setup),
        cmocka_unit_test_setup(explain_says_it, setup),
        cmocka_unit_test_setup(on_a_callers_stream, setup),
        cmocka_unit_test_setup(recording_fails, setup),
        cmocka_unit_test_setup(recording_is_tried_again, setup),
        cmocka_unit_test_setup(recording_is_not_worth_it, setup),
        cmocka_unit_test_setup(a_capture_goes_on, setup),
        cmocka_unit_test_setup(from_device_to_device, setup),
        cmocka_unit_test_setup(moving_without_memory, setup),
        cmocka_unit_test_setup(copies_fail, setup),
        cmocka_unit_test_setup(sync_waits_for_copies, setup),
        cmocka_unit_test_setup(pinned_memory_fails, setup),
    };
    if (!host_cuda_available()) {
        printf("skipped: no C++ compiler to run kernels on the host with\n");
        return 77;
    }
    fake_cuda_reset();
    fault_fake_nvrtc(true);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
