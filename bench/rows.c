/* SPDX-License-Identifier: MIT */
/* The rows as JSON. Each says on which machine, when and by which version it was measured, so that rows of several
 * files can be put together. A number that was not measured is null. */
#include "bench/bench.h"
#include "graph/number.h"
#include <math.h>

static void string(FILE *to, const char *key, const char *text) {
    fprintf(to, ", \"%s\": \"", key);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(to, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(to, "\\u%04x", *c);
        else
            fputc(*c, to);
    }
    fputc('"', to);
}

static void number(FILE *to, const char *key, double x) {
    if (isfinite(x))
        fprintf(to, ", \"%s\": %s", key, fsr_number_of('g', 9, x).text);
    else
        fprintf(to, ", \"%s\": null", key);
}

static void count(FILE *to, const char *key, int64_t x) {
    if (x >= 0)
        fprintf(to, ", \"%s\": %lld", key, (long long)x);
    else
        fprintf(to, ", \"%s\": null", key);
}

static void machine(FILE *to, const bench_session *s) {
    string(to, "device", s->device);
    string(to, "isa", s->facts.isa);
    count(to, "threads", s->facts.threads);
    string(to, "compiler", s->facts.compiler);
    string(to, "driver", s->facts.driver);
    string(to, "date", s->date);
    string(to, "version", fsr_version());
}

static void write_row(FILE *to, const bench_session *s, const bench_row *row) {
    fprintf(to, "{\"workload\": \"%s\"", row->work->name);
    string(to, "backend", row->backend);
    if (row->dtype == FSR_DTYPE_COUNT)
        fprintf(to, ", \"dtype\": null");
    else
        string(to, "dtype", fsr_dtype_name(row->dtype));
    count(to, "n", row->n);
    string(to, "order", bench_order_name(s->options->order));
    number(to, "fused_ms", row->fused_ms);
    number(to, "unfused_ms", row->unfused_ms);
    number(to, "fused_least_ms", row->fused_least_ms);
    number(to, "unfused_least_ms", row->unfused_least_ms);
    number(to, "speedup", bench_row_speedup(row));
    number(to, "ratio", row->ratio);
    number(to, "ratio_low", row->ratio_low);
    number(to, "ratio_high", row->ratio_high);
    count(to, "fused_kernels", row->fused_kernels);
    count(to, "expected_kernels", row->expected_kernels);
    count(to, "unfused_kernels", row->unfused_kernels);
    count(to, "bytes_min", row->bytes_min);
    count(to, "bytes_moved_unfused", row->bytes_moved_unfused);
    number(to, "operations", row->operations);
    number(to, "gbs", bench_row_gbs(row));
    number(to, "copy_gbs", row->copy_gbs);
    number(to, "roof_fraction", bench_row_gbs(row) / row->copy_gbs);
    number(to, "first_call_ms", row->first_call_ms);
    number(to, "cached_first_call_ms", row->cached_first_call_ms);
    number(to, "load_ms", row->load_ms);
    number(to, "launch_us", row->launch_us);
    number(to, "max_error", row->max_error);
    number(to, "error_bound", row->error_bound);
    fprintf(to, ", \"verified\": %s", row->verified ? "true" : "false");
    if (row->failed)
        string(to, "error", row->error);
    else
        fprintf(to, ", \"error\": null");
    machine(to, s);
    fputc('}', to);
}

void bench_json_write(FILE *to, const bench_session *s, const bench_row *rows, int n) {
    fputs("[", to);
    for (int i = 0; i < n; i++) {
        fputs(i ? ",\n " : "\n ", to);
        write_row(to, s, &rows[i]);
    }
    fputs("\n]\n", to);
}
