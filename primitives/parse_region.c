/* SPDX-License-Identifier: MIT */
/* Regions in the text of graphs and of the loop IR (graph/print_region.c), and what instructions of both have in
 * common. Whether the instructions fit each other is the verifier's to say. */
#include "primitives/parse_lex.h"
#include <stdlib.h>
#include <string.h>

int fsr_lex_mark(fsr_lex *l, const char *letter, int limit) {
    int64_t number = 0;
    if (fsr_lex_expect(l, letter))
        fsr_lex_int(l, 0, limit - 1, &number);
    return l->status ? 0 : (int)number;
}

static bool sees_value(fsr_lex *l) {
    if (l->status)
        return false;
    fsr_lex_sees(l, ' ');
    size_t letters = strspn(l->at, "abcdefghijklmnopqrstuvwxyz_");
    return strspn(l->at, "0123456789-(") > 0 ||
           (letters == 3 && (!strncmp(l->at, "inf", 3) || !strncmp(l->at, "nan", 3)));
}

static void read_op(fsr_lex *l, const char *letter, int limit, fsr_inst *inst) {
    char word[FSR_WORD_BYTES];
    fsr_lex_sees(l, ' ');
    const char *start = l->at;
    if (!fsr_lex_word(l, word))
        return;
    inst->kind = FSR_INST_OP;
    inst->op = fsr_op_find(word);
    if (inst->op == FSR_OP_COUNT) {
        inst->op = 0;
        l->at = start;
        fsr_lex_fail(l, FSR_ERR_FORMAT, "%s is no op", word);
        return;
    }
    if (fsr_lex_try(l, "."))
        fsr_lex_dtype(l, &inst->compute);
    for (int a = 0; a < fsr_op_get(inst->op)->arity; a++) {
        fsr_lex_expect(l, a ? "," : "(");
        inst->arg[a] = fsr_lex_mark(l, letter, limit);
    }
    fsr_lex_expect(l, ")");
}

void fsr_lex_scalar(fsr_lex *l, const char *letter, int limit, fsr_inst *inst) {
    inst->compute = inst->dtype;
    if (sees_value(l)) {
        inst->kind = FSR_INST_CONST;
        fsr_lex_value(l, inst->dtype, &inst->value);
    } else {
        read_op(l, letter, limit, inst);
    }
}

/* The number in "left3", if the word begins with `name` and a number below `limit` follows; else -1. */
static int suffix(const char *word, const char *name, int limit) {
    size_t size = strlen(name);
    if (strncmp(word, name, size) != 0 || !word[size] || strspn(word + size, "0123456789") != strlen(word + size) ||
        strlen(word + size) > 4)
        return -1;
    int number = atoi(word + size);
    return number < limit ? number : -1;
}

/* left3, arg0 ...; false, and nothing is taken: another word. */
static bool argument(fsr_lex *l, const fsr_region_text *text, fsr_inst *inst) {
    const char *start = l->at;
    char word[FSR_WORD_BYTES];
    int before = 0;
    if (sees_value(l) || !fsr_lex_word(l, word))
        return false;
    for (int g = 0; g < FSR_REGION_SETS; g++) {
        int number = text->set[g].name ? suffix(word, text->set[g].name, text->set[g].n) : -1;
        if (number >= 0) {
            inst->kind = FSR_INST_PARAM;
            inst->index = before + number;
            return true;
        }
        before += text->set[g].n;
    }
    l->at = start;
    return false;
}

/* clip table0(t3, t4); false, and nothing is taken: something else. */
static bool read_load(fsr_lex *l, const fsr_region *r, fsr_inst *inst) {
    const char *start = l->at;
    char word[FSR_WORD_BYTES], of[FSR_WORD_BYTES];
    fsr_index_mode mode = FSR_INDEX_CLIP;
    if (sees_value(l) || !r->ntables || !fsr_lex_word(l, word))
        return false;
    while (mode <= FSR_INDEX_WRAP && strcmp(word, fsr_index_mode_name(mode)) != 0)
        ++mode;
    const bool named = mode <= FSR_INDEX_WRAP && !fsr_lex_sees(l, '(') && fsr_lex_word(l, of);
    const int table = named ? suffix(of, "table", r->ntables) : -1;
    if (table < 0) {
        l->at = start;
        return false;
    }
    inst->kind = FSR_INST_LOAD;
    inst->mode = mode;
    inst->index = table;
    inst->component = r->table[table].ndim;
    for (int k = 0; k < inst->component && !l->status; k++) {
        fsr_lex_expect(l, k ? "," : "(");
        inst->arg[k] = fsr_lex_mark(l, "t", r->ninsts);
    }
    fsr_lex_expect(l, ")");
    return true;
}

/* "4 = f64 mul(t0, t2)" behind the t, and what ends it. */
static void read_inst(fsr_lex *l, const fsr_region_text *text, fsr_region *r) {
    int64_t number;
    fsr_inst inst = {.node = -1};
    if (r->ninsts == FSR_MAX_BODY_INSTS) {
        fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d instructions", FSR_MAX_BODY_INSTS);
        return;
    }
    fsr_lex_int(l, r->ninsts, r->ninsts, &number);
    fsr_lex_expect(l, "=");
    fsr_lex_dtype(l, &inst.dtype);
    inst.compute = inst.dtype;
    if (!argument(l, text, &inst) && !read_load(l, r, &inst))
        fsr_lex_scalar(l, "t", r->ninsts, &inst);
    if (text->lines)
        fsr_lex_end(l);
    else
        fsr_lex_expect(l, ";");
    if (!l->status && fsr_region_add(r, &inst) < 0)
        fsr_lex_fail(l, FSR_ERR_MEMORY, "out of memory");
}

static void read_results(fsr_lex *l, const fsr_region_text *text, fsr_region *r) {
    if (text->condition) {
        r->result[r->nresults - 1] = fsr_lex_mark(l, "t", r->ninsts);
        fsr_lex_expect(l, "gives");
    }
    for (int i = 0; i < r->nresults - text->condition; i++) {
        if (i)
            fsr_lex_expect(l, ",");
        r->result[i] = fsr_lex_mark(l, "t", r->ninsts);
    }
}

bool fsr_lex_region(fsr_lex *l, const fsr_region_text *text, fsr_region *r) {
    while (!l->status) {
        if (text->lines && !fsr_lex_line(l))
            fsr_lex_fail(l, FSR_ERR_FORMAT, "the region does not end");
        else if (fsr_lex_try(l, text->condition ? "while" : "gives"))
            break;
        else if (fsr_lex_expect(l, "t"))
            read_inst(l, text, r);
    }
    read_results(l, text, r);
    return l->status == FSR_OK;
}

/* ---- operators ---------------------------------------------------------------------------------------------- */

fsr_combine *fsr_lex_builtin(fsr_lex *l, int arity, const fsr_dtype *dtype) {
    char word[FSR_WORD_BYTES];
    const char *start = l->at;
    if (!fsr_lex_word(l, word))
        return NULL;
    const fsr_op op = fsr_op_find(word);
    const fsr_op_info *info = op == FSR_OP_COUNT ? NULL : fsr_op_get(op);
    if (!info || !(info->flags & FSR_OP_ASSOCIATIVE) || info->identity == FSR_IDENTITY_NONE || arity != 1 ||
        !fsr_op_defined(op, dtype[0])) {
        l->at = start;
        fsr_lex_fail(l, FSR_ERR_FORMAT, "%s does not fold these", word);
        return NULL;
    }
    fsr_combine *c = fsr_combine_builtin(op, dtype[0]);
    if (!c)
        fsr_lex_fail(l, FSR_ERR_MEMORY, "out of memory");
    return c;
}

fsr_combine *fsr_lex_operator(fsr_lex *l, int arity, const fsr_dtype *dtype, int nsame, const fsr_dtype *same) {
    if (arity > FSR_MAX_TUPLE)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d components", FSR_MAX_TUPLE);
    fsr_combine *c = l->status ? NULL : calloc(1, sizeof *c);
    if (!c) {
        fsr_lex_fail(l, FSR_ERR_MEMORY, "out of memory");
        return NULL;
    }
    c->arity = arity;
    c->op = FSR_OP_COUNT;
    c->body.nargs = 2 * arity + nsame;
    c->body.nresults = arity;
    for (int i = 0; i < c->body.nargs; i++)
        c->body.arg[i] = i < 2 * arity ? dtype[i % arity] : same[i - 2 * arity];
    return c;
}

fsr_iteration *fsr_lex_loop(fsr_lex *l, int nstate, int nargs, const fsr_dtype *dtype) {
    fsr_iteration *it = l->status ? NULL : calloc(1, sizeof *it);
    if (!it) {
        fsr_lex_fail(l, FSR_ERR_MEMORY, "out of memory");
        return NULL;
    }
    it->nstate = nstate;
    it->narg = nargs - nstate;
    it->body.nargs = nargs;
    it->body.nresults = nstate + 1;
    memcpy(it->body.arg, dtype, sizeof *dtype * (size_t)nargs);
    return it;
}
