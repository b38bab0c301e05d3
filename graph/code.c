/* SPDX-License-Identifier: MIT */
/* Checking, copying and comparing a caller's kernel. A copy is one block: what the structure points to lies behind one
 * another, each part aligned, with a 0 behind it, as PTX and CUDA C++ end with one. */
#include "graph/code.h"
#include "graph/shape.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_CODE = 64 << 20, MOST_OPTIONS = 64, MOST_OPTION = 4096, MOST_NAME = 1024, MOST_VALUE = 4096, ALIGNED = 16 };

/* ---- checking ---------------------------------------------------------------------------------------------- */

static const char *wrong_launch(const fsr_kernel_code *c) {
    static const int64_t blocks[] = {INT32_MAX, 65535, 65535}, threads[] = {1024, 1024, 64};
    int64_t all = 1;
    for (int d = 0; d < 3; d++) {
        if (c->grid[d] < 0 || c->grid[d] > blocks[d])
            return "the kernel's grid is not of 2147483647, 65535 and 65535 blocks at most";
        if (c->block[d] < 0 || c->block[d] > threads[d])
            return "the kernel's blocks are not of 1024, 1024 and 64 threads at most";
        all *= c->block[d] ? c->block[d] : 1;
    }
    if (all > 1024)
        return "a block of the kernel has more than 1024 threads";
    return c->shared_bytes < 0 || c->shared_bytes > INT32_MAX ? "the kernel's shared bytes are no number of them"
                                                              : NULL;
}

static fsr_status wrong_text(const fsr_kernel_code *c, const char **why) {
    const size_t bytes = c->code_bytes ? c->code_bytes : c->form == FSR_CODE_BINARY ? 0 : strlen(c->code);
    if (!c->name || (c->options > 0 && !c->option)) {
        *why = c->name ? "the kernel's options are null" : "the kernel's name is null";
        return FSR_ERR_NULL;
    }
    *why = (unsigned)c->form > FSR_CODE_BINARY           ? "the kernel's form is none"
           : !bytes || bytes > MOST_CODE                 ? "the kernel's code is not 1 byte to 64 MiB long"
           : !*c->name || strlen(c->name) >= MOST_NAME   ? "the kernel's name is not 1 to 1023 bytes long"
           : c->options < 0 || c->options > MOST_OPTIONS ? "the kernel's options are not 0 to 64"
           : c->options && c->form != FSR_CODE_CUDA      ? "the kernel has options, but its code is no CUDA C++"
                                                         : wrong_launch(c);
    if (*why)
        return FSR_ERR_VALUE;
    for (int i = 0; i < c->options; i++) {
        *why = "an option of the kernel is null";
        if (!c->option[i])
            return FSR_ERR_NULL;
        *why = "an option of the kernel is longer than 4095 bytes";
        if (strlen(c->option[i]) >= MOST_OPTION)
            return FSR_ERR_VALUE;
    }
    *why = NULL;
    return FSR_OK;
}

static bool is_output(const fsr_kernel_param *p) {
    return p->kind == FSR_PARAM_OUTPUT || p->kind == FSR_PARAM_ZEROED || p->kind == FSR_PARAM_COPIED;
}

static fsr_status wrong_param(const fsr_kernel_param *p, int inputs, int outputs, int *written, const char **why) {
    const bool in = p->kind == FSR_PARAM_INPUT, out = is_output(p);
    *why = "a parameter of the kernel is of no kind";
    if ((unsigned)p->kind > FSR_PARAM_WORK)
        return FSR_ERR_VALUE;
    *why = "a parameter of the kernel is an input or output that there is not";
    if ((in || out) && (p->index < 0 || p->index >= (in ? inputs : outputs)))
        return FSR_ERR_VALUE;
    if (p->kind == FSR_PARAM_COPIED && (p->from < 0 || p->from >= inputs))
        return FSR_ERR_VALUE;
    *why = "an output is two parameters of the kernel";
    if (out && written[p->index]++)
        return FSR_ERR_VALUE;
    *why = "a value of the kernel is null";
    if (p->kind == FSR_PARAM_VALUE && !p->value)
        return FSR_ERR_NULL;
    *why = "a value of the kernel is not 1 to 4096 bytes long";
    if (p->kind == FSR_PARAM_VALUE && (!p->bytes || p->bytes > MOST_VALUE))
        return FSR_ERR_VALUE;
    *why = NULL;
    return FSR_OK;
}

fsr_status fsr_code_check(const fsr_kernel_code *c, int inputs, int outputs, const char **why) {
    int written[FSR_MAX_CALL_OUTPUTS] = {0};
    fsr_status status = wrong_text(c, why);
    if (status)
        return status;
    *why = c->params < 0 || c->params > FSR_MAX_KERNEL_PARAMS ? "the kernel's parameters are not 0 to 64"
           : c->params && !c->param                           ? "the kernel's parameters are null"
                                                              : NULL;
    if (*why)
        return c->params && !c->param && c->params > 0 && c->params <= FSR_MAX_KERNEL_PARAMS ? FSR_ERR_NULL
                                                                                             : FSR_ERR_VALUE;
    for (int i = 0; i < c->params && !status; i++)
        status = wrong_param(&c->param[i], inputs, outputs, written, why);
    for (int i = 0; i < outputs && !status; i++)
        if (!written[i]) {
            *why = "an output is no parameter of the kernel";
            status = FSR_ERR_VALUE;
        }
    return status;
}

int64_t fsr_frame_array_bytes(const fsr_frame_array *a) {
    fsr_shape shape = {.ndim = a->ndim};
    memcpy(shape.dim, a->shape, sizeof shape.dim[0] * (size_t)a->ndim);
    return fsr_shape_bytes(&shape, a->dtype);
}

bool fsr_code_copies_fit(const fsr_kernel_code *c, const fsr_frame_array *in, const fsr_frame_array *out) {
    for (int i = 0; i < c->params; i++) {
        const fsr_kernel_param *p = &c->param[i];
        if (p->kind == FSR_PARAM_COPIED &&
            (in[p->from].dtype != out[p->index].dtype ||
             fsr_frame_array_bytes(&in[p->from]) != fsr_frame_array_bytes(&out[p->index])))
            return false;
    }
    return true;
}

/* ---- copying ----------------------------------------------------------------------------------------------- */

static size_t room_of(size_t bytes) {
    return (bytes + 1 + ALIGNED - 1) / ALIGNED * ALIGNED;
}

/* The next part of the block; with `at` NULL only counted. */
static void *part(char *block, size_t *at, const void *from, size_t bytes) {
    char *to = block ? block + *at : NULL;
    if (to) {
        memcpy(to, from, bytes);
        to[bytes] = 0;
    }
    *at += room_of(bytes);
    return to;
}

/* Fills the copy, or with no block counts its bytes. */
static size_t fill(fsr_kernel_code *to, const fsr_kernel_code *c, char *block) {
    size_t at = 0;
    const size_t params = (size_t)c->params, options = (size_t)c->options;
    fsr_kernel_param *param = part(block, &at, c->param, sizeof *param * params);
    const char **option = part(block, &at, c->option, sizeof *option * options);
    *to = *c;
    to->code_bytes = c->code_bytes ? c->code_bytes : strlen(c->code);
    to->code = part(block, &at, c->code, to->code_bytes);
    to->name = part(block, &at, c->name, strlen(c->name));
    for (size_t i = 0; i < options; i++) {
        const char *copy = part(block, &at, c->option[i], strlen(c->option[i]));
        if (block)
            option[i] = copy;
    }
    for (size_t i = 0; i < params; i++) {
        const bool value = c->param[i].kind == FSR_PARAM_VALUE;
        const void *copy = value ? part(block, &at, c->param[i].value, c->param[i].bytes) : NULL;
        if (block)
            param[i].value = copy;
    }
    to->param = param;
    to->option = option;
    return at;
}

void *fsr_code_copy(fsr_kernel_code *to, const fsr_kernel_code *c) {
    fsr_kernel_code counted;
    const fsr_kernel_param no_param = {.value = NULL};
    const char *no_option = NULL;
    fsr_kernel_code from = *c;
    from.param = c->params ? c->param : &no_param;
    from.option = c->options ? c->option : &no_option;
    for (int d = 0; d < 3; d++) {
        from.grid[d] = c->grid[d] ? c->grid[d] : 1;
        from.block[d] = c->block[d] ? c->block[d] : 1;
    }
    char *block = malloc(fill(&counted, &from, NULL));
    if (block)
        fill(to, &from, block);
    return block;
}

/* ---- comparing --------------------------------------------------------------------------------------------- */

bool fsr_code_same(const fsr_kernel_code *a, const fsr_kernel_code *b) {
    if (a->form != b->form || a->code_bytes != b->code_bytes || a->options != b->options ||
        strcmp(a->name, b->name) != 0 || memcmp(a->code, b->code, a->code_bytes) != 0)
        return false;
    for (int i = 0; i < a->options; i++)
        if (strcmp(a->option[i], b->option[i]) != 0)
            return false;
    return true;
}

static bool same_param(const fsr_kernel_param *a, const fsr_kernel_param *b) {
    return a->kind == b->kind && a->index == b->index && a->from == b->from && a->bytes == b->bytes &&
           (a->kind != FSR_PARAM_VALUE || memcmp(a->value, b->value, a->bytes) == 0);
}

bool fsr_code_equal(const fsr_kernel_code *a, const fsr_kernel_code *b) {
    if (!a->code || !b->code)
        return a->code == b->code;
    if (!fsr_code_same(a, b) || memcmp(a->grid, b->grid, sizeof a->grid) != 0 ||
        memcmp(a->block, b->block, sizeof a->block) != 0 || a->shared_bytes != b->shared_bytes ||
        a->cooperative != b->cooperative || a->params != b->params)
        return false;
    for (int i = 0; i < a->params; i++)
        if (!same_param(&a->param[i], &b->param[i]))
            return false;
    return true;
}

static void put_text(fsr_bytes *b, const char *text) {
    fsr_bytes_put(b, text, strlen(text) + 1);
}

void fsr_code_put(fsr_bytes *b, const fsr_kernel_code *c) {
    if (!c->code)
        return;
    const int64_t number[] = {(int64_t)c->form, (int64_t)c->code_bytes,
                              c->options,       c->grid[0],
                              c->grid[1],       c->grid[2],
                              c->block[0],      c->block[1],
                              c->block[2],      c->shared_bytes,
                              c->cooperative,   c->params};
    fsr_bytes_put(b, number, sizeof number);
    fsr_bytes_put(b, c->code, c->code_bytes);
    put_text(b, c->name);
    for (int i = 0; i < c->options; i++)
        put_text(b, c->option[i]);
    for (int i = 0; i < c->params; i++) {
        const fsr_kernel_param *p = &c->param[i];
        const int64_t what[] = {(int64_t)p->kind, p->index, p->from, (int64_t)p->bytes};
        fsr_bytes_put(b, what, sizeof what);
        fsr_bytes_put(b, p->value, p->kind == FSR_PARAM_VALUE ? p->bytes : 0);
    }
}

/* ---- running ----------------------------------------------------------------------------------------------- */

void fsr_code_begin(const fsr_kernel_code *c, const fsr_call_frame *frame) {
    for (int i = 0; c->code && i < c->params; i++) {
        const fsr_kernel_param *p = &c->param[i];
        const fsr_frame_array *out = is_output(p) ? &frame->output[p->index] : NULL;
        if (!out || !out->data)
            continue;
        const size_t bytes = (size_t)fsr_frame_array_bytes(out);
        if (p->kind == FSR_PARAM_ZEROED)
            memset(out->data, 0, bytes);
        if (p->kind == FSR_PARAM_COPIED)
            memcpy(out->data, frame->input[p->from].data, bytes);
    }
}
