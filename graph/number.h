/* SPDX-License-Identifier: MIT */
/* Numbers as text, the same in every locale: where the program's writes 1,5, a kernel's text, its name, a printed graph
 * and a file of JSON still have 1.5, and it is read as such. */
#ifndef FUSOR_GRAPH_NUMBER_H
#define FUSOR_GRAPH_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* Room for any double in any form below but a fixed one of more than 20 digits behind the point. */
typedef struct fsr_number {
    char text[360];
} fsr_number;

/* x as printf's %.<digits><form> has it in the C locale: form is g, f, e or a; digits negative: %<form>. */
fsr_number fsr_number_of(char form, int digits, double x);

/* The decimal number that the first size characters of text are, all of them, as strtod reads it in the C locale;
 * false: they are none, or too many. */
bool fsr_number_read(const char *text, size_t size, double *x);

#endif
