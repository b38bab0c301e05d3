/* SPDX-License-Identifier: MIT */
/* The machine in words, and every figure as a table. */
#include "bench/page.h"
#include <math.h>
#include <string.h>

/* A line of the machine's list; nothing where nothing is known. */
static void fact(FILE *to, const char *name, const char *text) {
    if (*text)
        page_write(to, "<div><dt>%r</dt><dd>%s</dd></div>", name, text);
}

void page_machine(FILE *to, const bench_machine *m) {
    fputs("<dl class=\"facts\">", to);
    fact(to, "Backend", m->backend);
    fact(to, "Instructions", m->isa);
    if (m->threads > 0)
        fact(to, "Threads", page_figure(m->threads).text);
    fact(to, "Driver", m->driver);
    fact(to, "Compiler", m->compiler);
    fact(to, "Fusor", m->version);
    fact(to, "Measured", page_date(m->first).text);
    if (strcmp(page_date(m->first).text, page_date(m->last).text) != 0)
        fact(to, "to", page_date(m->last).text);
    fputs("</dl>\n", to);
}

static void cell(FILE *to, page_label label) {
    page_write(to, "<td>%s</td>", label.text);
}

static void write_row(FILE *to, const bench_figure *row) {
    page_write(to, "<tr%r><th scope=\"row\">%s</th><td>%s</td>", *row->error ? " class=\"failed\"" : "", row->workload,
               row->dtype);
    cell(to, page_count(row->n));
    cell(to, page_time(row->fused_ms));
    cell(to, page_time(row->unfused_ms));
    cell(to, page_figure(row->unfused_ms / row->fused_ms));
    cell(to, page_figure(row->fused_kernels));
    cell(to, page_figure(row->unfused_kernels));
    cell(to, page_bytes(row->bytes));
    cell(to, page_figure(bench_figure_gbs(row)));
    cell(to, page_figure(100 * bench_figure_gbs(row) / row->copy_gbs));
    cell(to, page_figure(bench_figure_intensity(row)));
    cell(to, page_time(row->first_ms));
    cell(to, page_time(row->cached_ms));
    cell(to, page_time(row->launch_us / 1e3));
    cell(to, page_error(row->max_error));
    cell(to, page_error(row->error_bound));
    page_write(to, "<td>%r</td></tr>\n", *row->error ? "FAIL" : row->verified ? "yes" : "-");
}

static void write_peers(FILE *to, const bench_figures *figures, int machine) {
    int n = 0;
    for (int i = 0; i < figures->npeers; i++) {
        const bench_peer *peer = &figures->peer[i];
        if (peer->machine != machine)
            continue;
        if (n++ == 0)
            fputs("<h4>Other libraries</h4>\n<div "
                  "class=\"scroll\"><table><thead><tr><th>workload</th><th>library</th><th>n</th><th>time</th>"
                  "<th>first call</th></tr></thead><tbody>\n",
                  to);
        page_write(to, "<tr><th scope=\"row\">%s</th><td>%s</td>", peer->workload, peer->name);
        cell(to, page_count(peer->n));
        cell(to, page_time(peer->ms));
        cell(to, page_time(peer->first_ms));
        fputs("</tr>\n", to);
    }
    if (n)
        fputs("</tbody></table></div>\n", to);
}

void page_table(FILE *to, const bench_figures *figures, int machine) {
    fputs(
        "<div "
        "class=\"scroll\"><table><thead><tr><th>workload</th><th>dtype</th><th>n</th><th>fused</th><th>unfused</th>"
        "<th>speed-up</th><th>kernels</th><th>unfused</th><th>least traffic</th><th>GB/s</th><th>% of its copy</th>"
        "<th>operations a byte</th><th>first call</th><th>cached</th><th>launch</th><th>worst error</th><th>bound</th>"
        "<th>verified</th></tr></thead><tbody>\n",
        to);
    for (int i = 0; i < figures->nrows; i++)
        if (figures->row[i].machine == machine)
            write_row(to, &figures->row[i]);
    fputs("</tbody></table></div>\n", to);
    write_peers(to, figures, machine);
}
