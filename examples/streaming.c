/* SPDX-License-Identifier: MIT */
/* A file that is larger than the memory it may take: read, computed and written part by part, with two buffers of
 * each kind. While one part is computed the next is copied to the device and the last one from it.
 *
 * usage: streaming [MiB of the file] [MiB of memory]. The file is made first, of random numbers in single precision; it
 * and its result are temporary. Exit status 1: something is not what a plain loop gives, or more memory was taken. */
#include "fusor/fusor.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 4 }; /* parts whose times are printed */

typedef struct job {
    fsr_context *ctx;
    FILE *from, *to;
    int64_t room, count;         /* elements of a part; of the file */
    float *read[2], *written[2]; /* pinned */
    void *in[2], *out[2], *sum[2];
    double *total[2]; /* pinned: of a part */
    fsr_plan *plan;
    fsr_ticket up[2], down[2];
    fsr_ticket shown[SHOWN + 1][4]; /* of the first parts: sent, begun, computed, back */
} job;

/* The n-th number of the file, in [-8, 8). */
static float number(int64_t n) {
    const uint32_t mixed = (uint32_t)n * 2654435761u;
    return (float)(mixed >> 8) * (16.0f / (1 << 24)) - 8;
}

static bool make_file(FILE *file, int64_t count) {
    bool good = file != NULL;
    for (int64_t i = 0; i < count && good; i++) {
        const float x = number(i);
        good = fwrite(&x, sizeof x, 1, file) == 1;
    }
    return good && fseek(file, 0, SEEK_SET) == 0;
}

static bool ok(const job *j, fsr_status status) {
    if (status != FSR_OK)
        fprintf(stderr, "streaming: %s\n", fsr_error(j->ctx));
    return status == FSR_OK;
}

/* x / sqrt(1 + x^2), and its sum: 0 of 0, so a last part may be filled up with zeros. */
static bool compile(job *j) {
    fsr_graph *g = fsr_graph_new(j->ctx);
    fsr_node x = fsr_input(g, "x", FSR_F32, 1, &j->room);
    fsr_node y = fsr_div(x, fsr_sqrt(fsr_add(fsr_float(g, 1), fsr_mul(x, x))));
    fsr_node s = fsr_sum(fsr_cast(y, FSR_F64), NULL, 0, 0);
    const bool good = ok(j, fsr_compile((fsr_node[]){y, s}, 2, &j->plan));
    fsr_graph_free(g);
    return good;
}

static bool take_memory(job *j, int64_t bytes) {
    bool good = true;
    for (int b = 0; b < 2 && good; b++)
        good = ok(j, fsr_alloc(j->ctx, FSR_HOST, (size_t)bytes, (void **)&j->read[b])) &&
               ok(j, fsr_alloc(j->ctx, FSR_HOST, (size_t)bytes, (void **)&j->written[b])) &&
               ok(j, fsr_alloc(j->ctx, FSR_HOST, sizeof(double), (void **)&j->total[b])) &&
               ok(j, fsr_alloc(j->ctx, FSR_DEVICE, (size_t)bytes, &j->in[b])) &&
               ok(j, fsr_alloc(j->ctx, FSR_DEVICE, (size_t)bytes, &j->out[b])) &&
               ok(j, fsr_alloc(j->ctx, FSR_DEVICE, sizeof(double), &j->sum[b]));
    return good;
}

/* Reads a part into the buffers b and sends it; their last part has left for the device. */
static bool send_part(job *j, int b) {
    const size_t bytes = sizeof(float) * (size_t)j->room;
    if (!ok(j, fsr_wait(j->ctx, j->up[b])))
        return false;
    const size_t got = fread(j->read[b], sizeof(float), (size_t)j->room, j->from);
    for (int64_t i = (int64_t)got; i < j->room; i++)
        j->read[b][i] = 0;
    return ok(j, fsr_upload(j->ctx, j->in[b], j->read[b], bytes, &j->up[b]));
}

static bool compute_part(job *j, int b) {
    const size_t bytes = sizeof(float) * (size_t)j->room;
    const fsr_arg in = {"x", j->in[b], bytes, FSR_DEVICE};
    const fsr_arg out[] = {{NULL, j->out[b], bytes, FSR_DEVICE}, {NULL, j->sum[b], sizeof(double), FSR_DEVICE}};
    return ok(j, fsr_plan_run(j->plan, &in, 1, out, 2, NULL));
}

static bool fetch_part(job *j, int b) {
    return ok(j, fsr_download(j->ctx, j->total[b], j->sum[b], sizeof(double), NULL)) &&
           ok(j, fsr_download(j->ctx, j->written[b], j->out[b], sizeof(float) * (size_t)j->room, &j->down[b]));
}

/* Writes part number n, which the buffers b have. */
static bool write_part(job *j, int b, int64_t n, double *total) {
    const int64_t left = j->count - n * j->room, here = left < j->room ? left : j->room;
    if (!ok(j, fsr_wait(j->ctx, j->down[b])))
        return false;
    *total += *j->total[b];
    return fwrite(j->written[b], sizeof(float), (size_t)here, j->to) == (size_t)here;
}

/* Part n's times, on the device's clock. */
static void show(job *j, int64_t n) {
    double at[4][2];
    for (int i = 0; i < 4; i++)
        if (n >= SHOWN || fsr_ticket_time(j->ctx, j->shown[n][i], &at[i][0], &at[i][1]) != FSR_OK)
            return;
    printf("part %lld: to the device %.3f to %.3f ms, computed %.3f to %.3f, back %.3f to %.3f\n", (long long)n,
           at[0][0], at[0][1], at[1][0], at[2][1], at[3][0], at[3][1]);
}

/* Part n is on its way to the device: computed, and sent back. */
static bool do_part(job *j, int64_t n) {
    const int b = (int)(n % 2);
    fsr_ticket *t = n < SHOWN ? j->shown[n] : j->shown[SHOWN];
    bool good = ok(j, fsr_after(j->ctx, j->up[b])) && ok(j, fsr_after(j->ctx, j->down[b])) &&
                ok(j, fsr_mark(j->ctx, &t[1])) && compute_part(j, b) && ok(j, fsr_mark(j->ctx, &t[2])) &&
                fetch_part(j, b);
    t[0] = j->up[b];
    t[3] = j->down[b];
    return good;
}

static bool stream(job *j, double *total) {
    const int64_t parts = (j->count + j->room - 1) / j->room;
    bool good = send_part(j, 0);
    for (int64_t n = 0; n < parts + 2 && good; n++) {
        if (n >= 2) { /* the buffers' last part, before they get another */
            good = write_part(j, (int)(n % 2), n - 2, total);
            show(j, n - 2);
        }
        good = good && (n >= parts || do_part(j, n));
        good = good && (n + 1 >= parts || send_part(j, (int)((n + 1) % 2)));
    }
    return good;
}

/* The result's file against a plain loop. */
static bool check(FILE *file, int64_t count, double total) {
    double sum = 0;
    bool good = fseek(file, 0, SEEK_SET) == 0;
    for (int64_t i = 0; i < count && good; i++) {
        float y;
        const double x = (double)number(i), right = x / sqrt(1 + x * x);
        good = fread(&y, sizeof y, 1, file) == 1 && fabs((double)y - right) <= 4e-7;
        sum += (double)y;
        if (!good)
            fprintf(stderr, "streaming: element %lld is wrong\n", (long long)i);
    }
    return good && fabs(sum - total) <= 1e-9 * (double)count;
}

int main(int argc, char **argv) {
    const int64_t file = (argc > 1 ? atoll(argv[1]) : 6) << 20, memory = (argc > 2 ? atoll(argv[2]) : 1) << 20;
    job j = {.count = file / (int64_t)sizeof(float) - 77}; /* so that the last part is not full */
    double total = 0;
    fsr_stats stats;
    if (file <= 0 || memory <= 0 || fsr_open(NULL, &j.ctx) != FSR_OK)
        return 2;
    /* two buffers in and two out, on the host and on the device, are half of it: blocks of a pool are rounded up, and
     * sums and the plan have theirs */
    const int64_t bytes = memory / 16 / 256 * 256;
    j.room = bytes / (int64_t)sizeof(float);
    j.from = tmpfile();
    j.to = tmpfile();
    bool good = j.to && make_file(j.from, j.count) && compile(&j) && take_memory(&j, bytes) && stream(&j, &total);
    good = good && fsr_context_stats(j.ctx, &stats) == FSR_OK;
    if (good)
        printf("%.1f MiB in parts of %.2f MiB, sum %.3f; %.2f MiB of memory held on %s\n",
               (double)(sizeof(float) * (size_t)j.count) / 1048576, (double)bytes / 1048576, total,
               (double)stats.pool_bytes / 1048576, fsr_backend_name(j.ctx));
    good = good && stats.pool_bytes <= memory && check(j.to, j.count, total);
    if (j.from)
        fclose(j.from);
    if (j.to)
        fclose(j.to);
    fsr_plan_free(j.plan);
    fsr_close(j.ctx); /* gives back what fsr_alloc gave */
    return good ? 0 : 1;
}
