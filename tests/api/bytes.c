/* SPDX-License-Identifier: MIT */
/* Any bytes as a sequence of calls, for libFuzzer (scripts/trust inputs): which context, then two bytes of a row and
 * those of its arguments, again and again. What must not be ends the program with its words. */
#include "tests/api/api.h"
#include "tests/inputs/inputs.h"
#include <string.h>

#ifdef FUSOR_LIBFUZZER
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1:max_allocation_size_mb=1024";
}
#endif

static void words_to_stderr(const char *words) {
    fprintf(stderr, "%s\n", words);
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

int fuzz_api(const uint8_t *data, size_t size) {
    static api_contexts contexts;
    api_sequence s = {.n = 0};
    if (size == 0)
        return 0;
    if (!contexts.elsewhere) {
        api_failed = words_to_stderr;
        api_open(&contexts);
    }
    for (size_t at = 1; at + 2 <= size && s.n < API_CALLS; at += 2 + API_RAW) {
        api_call *call = &s.call[s.n++];
        call->row = (data[at] | data[at + 1] << 8) % api_rows();
        memcpy(call->raw, data + at + 2, least(API_RAW, size - at - 2));
    }
    api_play(&contexts, &s, data[0] % 3, NULL);
    return 0;
}

FUZZ_ENTRY(fuzz_api)
