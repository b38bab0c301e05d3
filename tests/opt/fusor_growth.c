/* SPDX-License-Identifier: MIT */
/* fusor-growth: what programs cost as they grow, as a table. Time and memory are those of recording, of finding a known
 * plan (copying the program and its key), and of planning; nothing is compiled, and arrays have no data. Each row is a
 * process of its own, so that the memory is that of its program. */
#include "fusion/plan.h"
#include "tests/support/growing.h"
#include "tests/support/nodes.h"
#include "tests/support/targets.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char help[] = "usage: fusor-growth [SHAPE|all [FROM [TO [ELEMENTS]]]]\n"
                           "sizes are FROM (100), ten times as much ... TO (100000)\n";

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double resident(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024;
}

static fsr_status copy(fsr_flow *flow, fsr_graph *g, const fsr_node *out, int n) {
    fsr_ref *refs = malloc(sizeof *refs * (size_t)n);
    fsr_binding binding;
    size_t size;
    if (!refs)
        return FSR_ERR_MEMORY;
    for (int i = 0; i < n; i++)
        refs[i] = (fsr_ref){out[i].id, out[i].output};
    fsr_status status = fsr_flow_build(flow, &binding, g, refs, n);
    free(refs);
    if (status)
        return status;
    fsr_binding_clear(&binding);
    free(fsr_flow_signature(flow, &size));
    return FSR_OK;
}

static int row(const growing *shape, int n, int64_t elements) {
    fsr_graph_owner *owner;
    fsr_graph *g = node_graph(&owner);
    fsr_flow flow;
    fsr_program program;
    const fsr_program_options options = {.target = target_gpu, .fusion = true, .fuel = -1};
    char why[512] = "";
    int nouts;
    double time[4] = {seconds()};
    fsr_node *out = shape->record(g, n, elements, &nouts);
    time[1] = seconds();
    if (copy(&flow, g, out, nouts))
        return 1;
    time[2] = seconds();
    const double nodes = flow.n, before = resident();
    if (fsr_program_make(&program, &flow, &options, why, sizeof why)) {
        fprintf(stderr, "fusor-growth: %s\n", why);
        return 1;
    }
    time[3] = seconds();
    printf("%-10s %8d %8.0f %10.2f %10.2f %10.2f %10.0f %8d %10.3f\n", shape->name, n, nodes,
           (time[1] - time[0]) * 1e6 / nodes, (time[2] - time[1]) * 1e6 / nodes, (time[3] - time[2]) * 1e6 / nodes,
           (resident() - before) / nodes, program.info.kernels,
           (double)program.info.bytes_moved / (double)program.info.bytes_min);
    fflush(stdout);
    _exit(0);
}

static int forked(const growing *shape, int n, int64_t elements) {
    pid_t child = fork();
    int status = 1;
    if (child == 0)
        _exit(row(shape, n, elements));
    return child < 0 || waitpid(child, &status, 0) < 0 || status != 0;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "all";
    int from = argc > 2 ? atoi(argv[2]) : 100, to = argc > 3 ? atoi(argv[3]) : 100000, failed = 0;
    int64_t elements = argc > 4 ? atoll(argv[4]) : 4000000;
    if (argc > 5 || from < 1 || elements < 1 || (strcmp(name, "all") != 0 && !growing_find(name))) {
        fputs(help, stderr);
        for (int i = 0; growing_at(i); i++)
            fprintf(stderr, "  %-10s %s\n", growing_at(i)->name, growing_at(i)->what);
        return 2;
    }
    printf("%-10s %8s %8s %10s %10s %10s %10s %8s %10s\n", "shape", "size", "nodes", "record us", "known us", "plan us",
           "bytes", "kernels", "of least");
    fflush(stdout);
    for (int i = 0; growing_at(i); i++)
        for (int64_t n = from; n <= to; n *= 10)
            if (strcmp(name, "all") == 0 || strcmp(name, growing_at(i)->name) == 0)
                failed |= forked(growing_at(i), (int)n, elements);
    return failed;
}
