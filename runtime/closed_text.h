/* SPDX-License-Identifier: MIT */
/* Whether a source says all that its binary depends on: then the binary may be kept under the source's digest. */
#ifndef FUSOR_RUNTIME_CLOSED_TEXT_H
#define FUSOR_RUNTIME_CLOSED_TEXT_H

#include <stdbool.h>

/* True only if compiling the text reads no other file, asks for none, and does not look at the clock, whatever the
 * compiler takes for a trigraph, a raw string or a separator of digits. cuda: its inline assembly is PTX, which names
 * no files. A text that is not understood is not closed. */
bool fsr_text_is_closed(const char *text, bool cuda);

#endif
