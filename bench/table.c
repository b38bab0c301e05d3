/* SPDX-License-Identifier: MIT */
/* The table, the JSON and the progress line. A number that was not measured is "-" in the table and null in JSON. */
#define _XOPEN_SOURCE 700
#include "bench/bench.h"
#include "graph/number.h"
#include <math.h>
#include <unistd.h>

static double gbs(const bench_row *row) {
    return row->bytes_min < 0 ? NAN : (double)row->bytes_min / (row->fused_ms * 1e6);
}

static double speedup(const bench_row *row) {
    return row->unfused_ms / row->fused_ms;
}

static double megabytes(int64_t bytes) {
    return bytes < 0 ? NAN : (double)bytes * 1e-6;
}

/* Prints x with so many decimals in width columns. */
static void cell(FILE *to, int width, int decimals, double x) {
    if (isfinite(x))
        fprintf(to, " %*s", width, fsr_number_of('f', decimals, x).text);
    else
        fprintf(to, " %*s", width, "-");
}

static void cell_error(FILE *to, double x) {
    if (isfinite(x))
        fprintf(to, " %8s", fsr_number_of('e', 1, x).text);
    else
        fprintf(to, " %8s", "-");
}

/* "1/1 of 8": kernels fused, expected, and unfused. */
static void cell_kernels(FILE *to, const bench_row *row) {
    char text[48], due[16] = "-";
    if (row->expected_kernels >= 0)
        snprintf(due, sizeof due, "%d", row->expected_kernels);
    if (row->fused_kernels < 0)
        snprintf(text, sizeof text, "-");
    else if (row->unfused_kernels < 0)
        snprintf(text, sizeof text, "%d/%s", row->fused_kernels, due);
    else
        snprintf(text, sizeof text, "%d/%s of %d", row->fused_kernels, due, row->unfused_kernels);
    fprintf(to, " %10s", text);
}

void bench_report_head(FILE *to) {
    fprintf(to, "%-14s %-7s %4s %11s %9s %9s %8s %10s %8s %8s %8s %6s %8s %8s %6s %9s %8s %8s %s\n", "workload",
            "backend", "type", "n", "fused", "unfused", "speed-up", "kernels", "least", "unfused", "rate", "roof",
            "first", "cached", "load", "launch", "worst", "bound", "verified");
    fprintf(to, "%-14s %-7s %4s %11s %9s %9s %8s %10s %8s %8s %8s %6s %8s %8s %6s %9s %8s %8s\n", "", "", "",
            "elements", "ms", "ms", "times", "got/due", "MB", "MB", "GB/s", "%copy", "ms", "ms", "ms", "us", "error",
            "");
}

void bench_report_row(FILE *to, const bench_row *row) {
    fprintf(to, "%-14s %-7s %4s", row->work->name, row->backend,
            row->dtype == FSR_DTYPE_COUNT ? "-" : fsr_dtype_name(row->dtype));
    cell(to, 11, 0, row->n < 0 ? NAN : (double)row->n);
    cell(to, 9, 4, row->fused_ms);
    cell(to, 9, 4, row->unfused_ms);
    cell(to, 8, 2, speedup(row));
    cell_kernels(to, row);
    cell(to, 8, 2, megabytes(row->bytes_min));
    cell(to, 8, 2, megabytes(row->bytes_moved_unfused));
    cell(to, 8, 1, gbs(row));
    cell(to, 6, 1, 100 * gbs(row) / row->copy_gbs);
    cell(to, 8, 1, row->first_call_ms);
    cell(to, 8, 1, row->cached_first_call_ms);
    cell(to, 6, 1, row->load_ms);
    cell(to, 9, 1, row->launch_us);
    cell_error(to, row->max_error);
    cell_error(to, row->error_bound);
    fprintf(to, " %s\n", row->failed ? "FAIL" : row->verified ? "yes" : "-");
    if (row->failed)
        fprintf(to, "  FAIL %s: %s\n", row->work->name, row->error);
    fflush(to);
}

void bench_report_foot(FILE *to, const bench_session *s) {
    fprintf(to, "device: %s", s->device);
    if (s->copy_most)
        fprintf(to, "; copy of %s MB: %s GB/s read and written", fsr_number_of('f', 2, megabytes(s->copy_most)).text,
                fsr_number_of('f', 1, s->copy_most_gbs).text);
    fputs("\n", to);
}

static void json_string(FILE *to, const char *key, const char *text) {
    fprintf(to, ", \"%s\": \"", key);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(to, "\\%c", *c);
        else if (*c < 0x20 || *c > 0x7e)
            fprintf(to, "\\u%04x", *c);
        else
            fputc(*c, to);
    }
    fputc('"', to);
}

static void json_number(FILE *to, const char *key, double x) {
    if (isfinite(x))
        fprintf(to, ", \"%s\": %s", key, fsr_number_of('g', 9, x).text);
    else
        fprintf(to, ", \"%s\": null", key);
}

static void json_count(FILE *to, const char *key, int64_t x) {
    if (x >= 0)
        fprintf(to, ", \"%s\": %lld", key, (long long)x);
    else
        fprintf(to, ", \"%s\": null", key);
}

static void json_row(FILE *to, const bench_row *row) {
    fprintf(to, "{\"workload\": \"%s\"", row->work->name);
    json_string(to, "backend", row->backend);
    if (row->dtype == FSR_DTYPE_COUNT)
        fprintf(to, ", \"dtype\": null");
    else
        json_string(to, "dtype", fsr_dtype_name(row->dtype));
    json_count(to, "n", row->n);
    json_number(to, "fused_ms", row->fused_ms);
    json_number(to, "unfused_ms", row->unfused_ms);
    json_number(to, "speedup", speedup(row));
    json_count(to, "fused_kernels", row->fused_kernels);
    json_count(to, "expected_kernels", row->expected_kernels);
    json_count(to, "unfused_kernels", row->unfused_kernels);
    json_count(to, "bytes_min", row->bytes_min);
    json_count(to, "bytes_moved_unfused", row->bytes_moved_unfused);
    json_number(to, "gbs", gbs(row));
    json_number(to, "copy_gbs", row->copy_gbs);
    json_number(to, "roof_fraction", gbs(row) / row->copy_gbs);
    json_number(to, "first_call_ms", row->first_call_ms);
    json_number(to, "cached_first_call_ms", row->cached_first_call_ms);
    json_number(to, "load_ms", row->load_ms);
    json_number(to, "launch_us", row->launch_us);
    json_number(to, "max_error", row->max_error);
    json_number(to, "error_bound", row->error_bound);
    fprintf(to, ", \"verified\": %s", row->verified ? "true" : "false");
    if (row->failed)
        json_string(to, "error", row->error);
    else
        fprintf(to, ", \"error\": null");
    fputc('}', to);
}

void bench_report_json(FILE *to, const bench_row *rows, int n) {
    fputs("[", to);
    for (int i = 0; i < n; i++) {
        fputs(i ? ",\n " : "\n ", to);
        json_row(to, &rows[i]);
    }
    fputs("\n]\n", to);
}

void bench_progress(const bench_session *s, const char *name, const char *step) {
    if (!isatty(STDERR_FILENO))
        return;
    if (step)
        fprintf(stderr, "\r\033[K[%d/%d] %s: %s", s->done + 1, s->options->nwork, name, step);
    else
        fputs("\r\033[K", stderr);
    fflush(stderr);
}
