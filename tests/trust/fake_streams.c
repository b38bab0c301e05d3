/* SPDX-License-Identifier: MIT */
/* Streams, events and graphs of the CUDA that is none. Streams are done at once. One that is captured keeps what is
 * put on it; waiting for another stream's work, waiting, and getting memory in the thread that
 * began make the capture invalid, as they do on a device. */
#ifdef FUSOR_HAVE_CUDA
#include "tests/trust/fake_parts.h"
#include <stdlib.h>
#include <string.h>

void *__real_realloc(void *data, size_t size);
void __real_free(void *data);

typedef struct fake_graph {
    fake_node *node;
    int n;
    bool invalid;
} fake_graph;

typedef struct fake_stream {
    fake_graph *captured;
} fake_stream;

static _Thread_local fake_stream *begun; /* by this thread */
static _Thread_local enum cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;

static fake_graph *graph_of(cudaStream_t stream) {
    return stream ? ((fake_stream *)stream)->captured : NULL;
}

bool fake_is_captured(cudaStream_t stream) {
    return graph_of(stream) != NULL;
}

bool fake_record(cudaStream_t stream, fake_node node) {
    fake_graph *g = graph_of(stream);
    if (!g)
        return false;
    g->node = __real_realloc(g->node, sizeof *g->node * (size_t)(g->n + 1));
    if (!g->node)
        abort();
    g->node[g->n++] = node;
    return true;
}

/* A library may have to load the kernel that it launches. */
bool fake_record_call(void *stream, void (*call)(const void *arguments), const void *arguments, size_t bytes) {
    fake_node node = {.call = call};
    if (bytes > sizeof node.parameter)
        abort();
    if (graph_of((cudaStream_t)stream))
        fake_forbidden();
    memcpy(node.parameter, arguments, bytes);
    return fake_record((cudaStream_t)stream, node);
}

bool fake_forbidden(void) {
    if (!begun || mode == cudaStreamCaptureModeRelaxed)
        return false;
    begun->captured->invalid = true;
    return true;
}

static void graph_free(fake_graph *g) {
    __real_free(g->node);
    g->node = NULL;
}

/* ---- streams, events -------------------------------------------------------------------------------- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags) {
    (void)flags;
    BEGIN;
    *out = fake_object(sizeof(fake_stream));
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return fake_ended("cudaStreamDestroy", stream);
}

/* Tells whether the context is lost; an injected fault would look like a loss and is not made here. */
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    (void)stream;
    return fake_tell((cudaError_t)fake.lost);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    BEGIN;
    if (graph_of(stream)) {
        graph_of(stream)->invalid = true;
        return fake_tell(cudaErrorStreamCaptureUnsupported);
    }
    if (fake_forbidden())
        return fake_tell(cudaErrorStreamCaptureUnsupported);
    fake.running = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    (void)event, (void)flags;
    BEGIN;
    if (graph_of(stream)) {
        graph_of(stream)->invalid = true;
        return fake_tell(cudaErrorStreamCaptureIsolation);
    }
    fake.waits++;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags) {
    (void)flags;
    BEGIN;
    *out = fake_object(8);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return fake_ended("cudaEventDestroy", event);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    (void)event, (void)stream;
    BEGIN;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    (void)event;
    BEGIN;
    if (fake_forbidden())
        return fake_tell(cudaErrorStreamCaptureUnsupported);
    fake.event_waits++;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
    (void)from, (void)to;
    BEGIN;
    *ms = 1;
    return cudaSuccess;
}

/* ---- captures, graphs --------------------------------------------------------------------------------- */

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *exchanged) {
    const enum cudaStreamCaptureMode before = mode;
    const cudaError_t error = fake_trouble("cudaThreadExchangeStreamCaptureMode");
    mode = error == cudaSuccess ? *exchanged : before;
    *exchanged = error == cudaSuccess ? before : *exchanged;
    return error;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    BEGIN;
    const fake_graph *g = graph_of(stream);
    *status = !g           ? (fake.capturing ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone)
              : g->invalid ? cudaStreamCaptureStatusInvalidated
                           : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode how) {
    (void)how;
    BEGIN;
    if (graph_of(stream))
        return fake_tell(cudaErrorIllegalState);
    begun = (fake_stream *)stream;
    begun->captured = fake_object(sizeof(fake_graph));
    return cudaSuccess;
}

/* The capture is over in any case. */
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out) {
    fake_stream *s = (fake_stream *)stream;
    fake_graph *g = s->captured;
    const cudaError_t error = fake_trouble("cudaStreamEndCapture");
    s->captured = NULL;
    begun = NULL;
    *out = NULL;
    if (g && !g->invalid && error == cudaSuccess) {
        *out = (cudaGraph_t)g;
        return cudaSuccess;
    }
    if (g)
        graph_free(g);
    fake_ended("", g);
    return error == cudaSuccess ? fake_tell(cudaErrorStreamCaptureInvalidated) : error;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags) {
    (void)flags;
    BEGIN;
    const fake_graph *from = (const fake_graph *)graph;
    fake_graph *to = fake_object(sizeof *to);
    to->n = from->n;
    to->node = __real_realloc(NULL, sizeof *to->node * (size_t)(from->n + 1));
    if (from->n > 0)
        memcpy(to->node, from->node, sizeof *to->node * (size_t)from->n);
    *out = (cudaGraphExec_t)to;
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    graph_free((fake_graph *)graph);
    return fake_ended("cudaGraphDestroy", graph);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    graph_free((fake_graph *)exec);
    return fake_ended("cudaGraphExecDestroy", exec);
}

static void do_node(fake_node *node) {
    void *args[FAKE_PARAMETERS];
    if (node->call) {
        node->call(node->parameter);
        return;
    }
    for (int i = 0; i < FAKE_PARAMETERS; i++)
        args[i] = node->parameter[i];
    if (node->kernel)
        fake_run(node->kernel, node->blocks, node->threads, args);
    else if (node->src)
        fake_copy(node->dst, node->src, node->bytes);
    else
        fake_fill(node->dst, node->value, node->bytes);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    BEGIN;
    fake_graph *g = (fake_graph *)exec;
    if (graph_of(stream))
        return fake_tell(cudaErrorStreamCaptureUnsupported);
    fake.graph_launches++;
    for (int i = 0; i < g->n; i++)
        do_node(&g->node[i]);
    return cudaSuccess;
}
#endif
