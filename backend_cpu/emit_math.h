/* Elementary functions as C text: branch-free scalar code that compilers turn into vectors. */
#ifndef FUSOR_BACKEND_CPU_EMIT_MATH_H
#define FUSOR_BACKEND_CPU_EMIT_MATH_H

#include "runtime/text.h"
#include <stdbool.h>
#include <stdint.h>

/* The number of a function "fsr_exp", "fsr_expf", ...; -1: there is none. At most 31. */
int fsr_c_math_find(const char *name);
/* The largest |argument| for which the function is good, as a C constant; NULL: good for all. Where there is one, a
 * function of the same name with _any behind it is good for all, and gives the same bits below the limit. */
const char *fsr_c_math_limit(int number);
/* The functions whose bits are set, and what they need, each once. */
void fsr_c_math_put(fsr_text *to, uint32_t set);

#endif
