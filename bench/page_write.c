/* SPDX-License-Identifier: MIT */
/* Text and numbers of a page. */
#include "bench/page.h"
#include "graph/number.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

static void escaped(FILE *to, const char *text) {
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", to); break;
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '"': fputs("&quot;", to); break;
        case '\'': fputs("&#39;", to); break;
        default: fputc(*text, to);
        }
}

void page_write(FILE *to, const char *format, ...) {
    va_list args;
    va_start(args, format);
    for (; *format; format++) {
        if (*format != '%') {
            fputc(*format, to);
            continue;
        }
        switch (*++format) {
        case 's': escaped(to, va_arg(args, const char *)); break;
        case 'r': fputs(va_arg(args, const char *), to); break;
        case 'd': fprintf(to, "%d", va_arg(args, int)); break;
        case 'f': fputs(fsr_number_of('f', 1, va_arg(args, double)).text, to); break;
        default: fputc('%', to);
        }
    }
    va_end(args);
}

/* A whole number of less than 16 digits, with commas. */
static page_label grouped(double x) {
    page_label label;
    const fsr_number digits = fsr_number_of('f', 0, x);
    const size_t n = strlen(digits.text);
    size_t used = 0;
    for (size_t i = 0; i < n && used + 3 < sizeof label.text; i++) {
        label.text[used++] = digits.text[i];
        if ((n - i) % 3 == 1 && i + 1 < n && digits.text[i] != '-')
            label.text[used++] = ',';
    }
    label.text[used] = 0;
    return label;
}

page_label page_figure(double x) {
    page_label label;
    const double size = fabs(x);
    if (!isfinite(x))
        return (page_label){"-"};
    if (size >= 1e15)
        return page_error(x);
    if (size >= 99.95 || x == floor(x))
        return grouped(x);
    const int decimals = size >= 9.995 ? 1 : size >= 0.9995 ? 2 : size >= 0.09995 ? 3 : size >= 0.0009995 ? 4 : 5;
    snprintf(label.text, sizeof label.text, "%s", fsr_number_of('f', decimals, x).text);
    return label;
}

page_label page_tick(double x) {
    page_label label = page_figure(x);
    size_t used = strlen(label.text);
    while (strchr(label.text, '.') && (label.text[used - 1] == '0' || label.text[used - 1] == '.'))
        label.text[--used] = 0;
    return label;
}

static page_label with_unit(double x, const char *unit) {
    page_label label = page_figure(x);
    const size_t used = strlen(label.text);
    snprintf(label.text + used, sizeof label.text - used, "%s", unit);
    return label;
}

page_label page_time(double ms) {
    if (!isfinite(ms))
        return (page_label){"-"};
    return ms < 0.9995 ? with_unit(ms * 1e3, " µs") : ms < 999.5 ? with_unit(ms, " ms") : with_unit(ms / 1e3, " s");
}

page_label page_bytes(double x) {
    if (!isfinite(x))
        return (page_label){"-"};
    return x < 999.5e3   ? with_unit(x / 1e3, " kB")
           : x < 999.5e6 ? with_unit(x / 1e6, " MB")
                         : with_unit(x / 1e9, " GB");
}

page_label page_error(double x) {
    page_label label = {"-"};
    if (isfinite(x))
        snprintf(label.text, sizeof label.text, "%s", x == 0 ? "0" : fsr_number_of('e', 1, x).text);
    return label;
}

page_label page_count(double n) {
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    page_label label;
    int power;
    if (!isfinite(n))
        return (page_label){"-"};
    if (n < 1024 || n >= 1e15 || frexp(n, &power) != 0.5)
        return page_figure(n);
    power--;
    snprintf(label.text, sizeof label.text, "2%s%s", power > 9 ? raised[power / 10 % 10] : "", raised[power % 10]);
    return label;
}

page_label page_date(const char *date) {
    page_label label;
    if (strlen(date) == sizeof "2026-11-22T06:40:12Z" - 1 && date[10] == 'T')
        snprintf(label.text, sizeof label.text, "%.10s %.5s UTC", date, date + 11);
    else
        snprintf(label.text, sizeof label.text, "%.300s", date);
    return label;
}

page_label page_cut(const char *text, int characters) {
    page_label label;
    size_t used = 0;
    for (int n = 0; text[used] && used + 8 < sizeof label.text; n++) {
        size_t next = used + 1;
        while ((text[next] & 0xc0) == 0x80)
            next++;
        if (n == characters - 1 && text[next]) {
            memcpy(label.text + used, "…", sizeof "…");
            return label;
        }
        memcpy(label.text + used, text + used, next - used);
        used = next;
    }
    label.text[used] = 0;
    return label;
}

bool page_drawable(double x) {
    return x > 1e-30 && x < 1e30;
}

double page_at(const page_scale *scale, double x) {
    const double part = (log10(x) - log10(scale->low)) / (log10(scale->high) - log10(scale->low));
    return scale->begin + part * (scale->end - scale->begin);
}

double page_next_tick(double x, bool decades) {
    static const double steps[] = {1, 2, 5, 10};
    const double power = pow(10, floor(log10(x) + 1e-9));
    for (int i = 0; i < 4; i++)
        if ((i == 0 || i == 3 || !decades) && steps[i] * power > x * 1.000001)
            return steps[i] * power;
    return 10 * power;
}
