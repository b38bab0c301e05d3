/* SPDX-License-Identifier: MIT */
/* Which operators are sums of products, and how roundings add up in them.
 *
 * A step is a sum of terms: of the left operand alone (l_q), of the right one alone (r_s), and of both (l_q r_s). Sums,
 * differences and negations join the terms; a product joins those of one operand with those of the other; anything
 * else, and a product of two terms of one operand, is no such form. A linear recurrence (a, b) (c, d) = (a c, b c + d),
 * products of matrices and quaternions, and sums beside sums of products, (a, b) (c, d) = (a + c, b + d + a c), are.
 *
 * Over a tree every result is then a sum of products of elements, the same products for every tree, each times a
 * product of roundings 1 + delta. How many there are:
 *   - a term l_q r_s joins two products. It happens once less than the product has factors, so `roundings` for every
 *     element pays for it, whatever the tree;
 *   - a term l_q (r_s) passes a product on. Each time that an element is in the left (right) operand this may happen,
 *     at most as often as the tree's depth on that side. Where l_q r_s joins, both come with what was passed on before:
 *     the factors add up, left[p] >= left[q] + left[s], and so for right. An operator for which that has no end (the
 *     depth would count once for every element) is refused: a + b + a b, whose factors may all have been passed on.
 * That the products are the same for every tree is tested, not believed: the operator, and the operator with every
 * minus a plus, must be associative on random numbers modulo a prime. That the identity is neutral and no operation
 * with it rounds is tested on random numbers of the dtype.
 * Counter-example to leaving that out: (a, b) (c, d) = (a c, b + d a) is of the form, and no tree gives what another
 * gives. */
#include "backend_cpu/reference/form.h"
#include "backend_cpu/reference/ball.h"
#include <math.h>
#include <string.h>

enum { MOST_PASSED = 8, TRIALS = 6 };

/* The terms of a step, and the roundings of the longest way to each kind. */
typedef struct terms {
    bool constant;
    unsigned left, right;         /* bit q: l_q, r_q */
    unsigned both[FSR_MAX_TUPLE]; /* bit s of [q]: l_q r_s */
    int left_count, right_count, both_count;
} terms;

static bool has_products(const terms *t) {
    for (int q = 0; q < FSR_MAX_TUPLE; q++)
        if (t->both[q])
            return true;
    return false;
}

static bool reads_both(const terms *t) {
    return has_products(t) || (t->left && t->right);
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

/* One more. f16 and bf16 are rounded twice, first to f32: a part in 2^13 of the second rounding, within the slack of
 * the bounds. */
static void add_rounding(terms *t) {
    t->left_count += t->left != 0;
    t->right_count += t->right != 0;
    t->both_count += has_products(t);
}

static bool sum(const terms *a, const terms *b, terms *out) {
    if (a->constant || b->constant)
        return false;
    *out = (terms){.left = a->left | b->left, .right = a->right | b->right};
    for (int q = 0; q < FSR_MAX_TUPLE; q++)
        out->both[q] = a->both[q] | b->both[q];
    out->left_count = larger(a->left_count, b->left_count);
    out->right_count = larger(a->right_count, b->right_count);
    out->both_count = larger(a->both_count, b->both_count);
    add_rounding(out);
    return true;
}

/* factor: of the constant, if one is. What reads both operands may not be made smaller: it would not be bounded by the
 * result. */
static bool product(const terms *a, const terms *b, long double factor, terms *out) {
    if (a->constant && b->constant)
        return false;
    if (a->constant || b->constant) {
        *out = a->constant ? *b : *a;
        add_rounding(out);
        return isfinite(factor) && (factor >= 1 || !reads_both(out));
    }
    const terms *l = a->left ? a : b, *r = a->left ? b : a;
    *out = (terms){.constant = false};
    if (has_products(a) || has_products(b) || l->right || r->left)
        return false;
    for (int q = 0; q < FSR_MAX_TUPLE; q++)
        out->both[q] = l->left >> q & 1 ? r->right : 0;
    out->both_count = l->left_count + r->right_count + 1;
    return true;
}

/* Of the steps at a and b. */
static bool multiply(const fsr_ref_form *f, const terms *t, int a, int b, bool divides, terms *out) {
    if (divides && (!t[b].constant || f->constant[b] == 0))
        return false;
    long double factor = t[a].constant ? fabsl(f->constant[a]) : fabsl(f->constant[b]);
    return product(&t[a], &t[b], divides ? 1 / factor : factor, out);
}

static bool op_terms(const fsr_ref_form *f, const fsr_inst *s, const terms *t, terms *out) {
    const int *x = s->arg;
    terms middle;
    if (s->compute != s->dtype)
        return false;
    switch (s->op) {
    case FSR_OP_NEG: *out = t[x[0]]; return !out->constant;
    case FSR_OP_ADD:
    case FSR_OP_SUB: return sum(&t[x[0]], &t[x[1]], out);
    case FSR_OP_MUL: return multiply(f, t, x[0], x[1], false, out);
    case FSR_OP_DIV: return multiply(f, t, x[0], x[1], true, out);
    case FSR_OP_FMA: return multiply(f, t, x[0], x[1], false, &middle) && sum(&middle, &t[x[2]], out);
    default: return false;
    }
}

/* The terms of every step; false: it is no sum of products. */
static bool find_terms(fsr_ref_form *f, terms *t) {
    const fsr_combine *c = f->combine;
    const fsr_dtype dtype = fsr_combine_dtype(c, 0);
    for (int i = 0; i < c->body.ninsts; i++) {
        const fsr_inst *s = &c->body.inst[i];
        t[i] = (terms){.constant = s->kind == FSR_INST_CONST};
        if (s->dtype != dtype || !fsr_dtype_is_float(dtype))
            return false;
        if (s->kind == FSR_INST_CONST) {
            f->constant[i] = fsr_ball_from_value(dtype, s->value).center;
            f->whole = f->whole && truncl(f->constant[i]) == f->constant[i];
        } else if (s->kind == FSR_INST_PARAM) {
            const bool right = s->index >= c->arity;
            *(right ? &t[i].right : &t[i].left) = 1u << (right ? s->index - c->arity : s->index);
        } else if (!op_terms(f, s, t, &t[i])) {
            return false;
        } else {
            f->products += s->op != FSR_OP_ADD && s->op != FSR_OP_SUB && s->op != FSR_OP_NEG;
            f->whole = f->whole && s->op != FSR_OP_DIV;
        }
        f->sided[i] = !t[i].constant && !reads_both(&t[i]);
        if (!isfinite(f->constant[i]))
            return false;
    }
    return true;
}

/* ---- what passes an element on --------------------------------------------------------------------- */

/* One round of the conditions on left[] and right[], and on needs[]; true if something grew. */
static bool grow(fsr_ref_form *f, const terms *t) {
    bool grew = false;
    for (int p = 0; p < f->combine->arity; p++) {
        const terms *x = &t[f->combine->body.result[p]];
        int left = f->left[p], right = f->right[p];
        unsigned needs = f->needs[p] | x->left | x->right;
        for (int q = 0; q < f->combine->arity; q++) {
            const unsigned one = 1u << q;
            needs |= x->both[q] ? one | x->both[q] : 0;
            needs |= f->needs[p] >> q & 1 ? f->needs[q] : 0;
            if ((x->left | x->right) & one) {
                left = larger(left, larger(f->left[q], x->left ? x->left_count : 0));
                right = larger(right, larger(f->right[q], x->right ? x->right_count : 0));
            }
            for (int s = 0; s < f->combine->arity; s++)
                if (x->both[q] >> s & 1) {
                    left = larger(left, f->left[q] + f->left[s]);
                    right = larger(right, f->right[q] + f->right[s]);
                }
        }
        grew = grew || left != f->left[p] || right != f->right[p] || needs != f->needs[p];
        f->left[p] = left;
        f->right[p] = right;
        f->needs[p] = needs;
    }
    return grew;
}

static bool count(fsr_ref_form *f, const terms *t) {
    const fsr_combine *c = f->combine;
    for (int p = 0; p < c->arity; p++) {
        f->needs[p] = 1u << p;
        f->roundings = larger(f->roundings, t[c->body.result[p]].both_count);
    }
    while (grow(f, t))
        for (int p = 0; p < c->arity; p++)
            if (f->left[p] > MOST_PASSED * FSR_MAX_BODY_INSTS || f->right[p] > MOST_PASSED * FSR_MAX_BODY_INSTS)
                return false;
    for (int p = 0; p < c->arity; p++)
        if (t[c->body.result[p]].constant)
            return false;
    return true;
}

/* ---- tests modulo a prime -------------------------------------------------------------------------- */

static const uint64_t prime = 2147483629;

static uint64_t power(uint64_t base, uint64_t exponent) {
    uint64_t out = 1;
    for (; exponent; exponent >>= 1, base = base * base % prime)
        out = exponent & 1 ? out * base % prime : out;
    return out;
}

/* |x|, a float, as a residue: its digits times a power of two. */
static uint64_t residue(long double x) {
    int exponent;
    uint64_t digits = (uint64_t)ldexpl(frexpl(fabsl(x), &exponent), 64);
    uint64_t two = exponent >= 64 ? 2 : power(2, prime - 2);
    return digits % prime * power(two, (uint64_t)(exponent >= 64 ? exponent - 64 : 64 - exponent)) % prime;
}

static uint64_t next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11;
}

/* The operator (plus: with every minus a plus) on residues; out may be left or right. */
static void combine(const fsr_ref_form *f, bool plus, const uint64_t *left, const uint64_t *right, uint64_t *out) {
    const fsr_combine *c = f->combine;
    uint64_t v[FSR_MAX_BODY_INSTS];
    for (int i = 0; i < c->body.ninsts; i++) {
        const fsr_inst *s = &c->body.inst[i];
        const uint64_t a = v[s->kind == FSR_INST_OP ? s->arg[0] : 0], b = v[s->kind == FSR_INST_OP ? s->arg[1] : 0];
        if (s->kind == FSR_INST_PARAM) {
            v[i] = s->index < c->arity ? left[s->index] : right[s->index - c->arity];
        } else if (s->kind == FSR_INST_CONST) {
            v[i] = residue(f->constant[i]);
            v[i] = f->constant[i] < 0 && !plus ? (prime - v[i]) % prime : v[i];
        } else {
            switch (s->op) {
            case FSR_OP_NEG: v[i] = plus ? a : (prime - a) % prime; break;
            case FSR_OP_ADD: v[i] = (a + b) % prime; break;
            case FSR_OP_SUB: v[i] = (a + (plus ? b : prime - b)) % prime; break;
            case FSR_OP_DIV: v[i] = a * power(b, prime - 2) % prime; break;
            default: v[i] = (a * b + (s->op == FSR_OP_FMA ? v[s->arg[2]] : 0)) % prime; break;
            }
        }
    }
    for (int p = 0; p < c->arity; p++)
        out[p] = v[c->body.result[p]];
}

static bool associates(const fsr_ref_form *f) {
    uint64_t state = 1, x[3][FSR_MAX_TUPLE], one[FSR_MAX_TUPLE], other[FSR_MAX_TUPLE];
    for (int trial = 0; trial < TRIALS; trial++) {
        for (int i = 0; i < 3; i++)
            for (int p = 0; p < f->combine->arity; p++)
                x[i][p] = next(&state) % prime;
        combine(f, trial & 1, x[0], x[1], one);
        combine(f, trial & 1, one, x[2], one);
        combine(f, trial & 1, x[1], x[2], other);
        combine(f, trial & 1, x[0], other, other);
        if (memcmp(one, other, (size_t)f->combine->arity * sizeof *one) != 0)
            return false;
    }
    return true;
}

/* Nothing that the identity takes part in rounds. */
static bool identity_is_neutral(const fsr_combine *c) {
    fsr_value x[FSR_MAX_TUPLE], left[FSR_MAX_TUPLE], right[FSR_MAX_TUPLE];
    uint64_t state = 7;
    for (int trial = 0; trial < TRIALS; trial++) {
        for (int p = 0; p < c->arity; p++)
            x[p] = fsr_value_from_double(fsr_combine_dtype(c, p), 1 + 3 * ((double)next(&state) * 0x1p-53));
        fsr_combine_eval(c, left, c->identity, x);
        fsr_combine_eval(c, right, x, c->identity);
        for (int p = 0; p < c->arity; p++)
            if (!fsr_value_equal(left[p], x[p]) || !fsr_value_equal(right[p], x[p]))
                return false;
    }
    return true;
}

void fsr_ref_form_make(fsr_ref_form *f, const fsr_combine *c) {
    terms t[FSR_MAX_BODY_INSTS];
    memset(f, 0, sizeof *f);
    f->combine = c;
    f->whole = true;
    f->fits = find_terms(f, t) && count(f, t) && associates(f) && identity_is_neutral(c);
}

/* ---- without signs --------------------------------------------------------------------------------- */

typedef struct number {
    long double most, more;
} number;

/* (x.most + x.more) (y.most + y.more) = most + more, without a difference. */
static number times(number x, number y) {
    return (number){x.most * y.most, x.most * y.more + x.more * y.most + x.more * y.more};
}

static number step_major(const fsr_inst *s, const number *v) {
    const number a = v[s->arg[0]], b = v[s->arg[1]], c = v[s->arg[2]];
    switch (s->op) {
    case FSR_OP_NEG: return a;
    case FSR_OP_ADD:
    case FSR_OP_SUB: return (number){a.most + b.most, a.more + b.more};
    case FSR_OP_DIV: return (number){a.most / b.most, a.more / b.most};
    case FSR_OP_FMA: {
        const number ab = times(a, b);
        return (number){ab.most + c.most, ab.more + c.more};
    }
    default: return times(a, b);
    }
}

static void majors(const fsr_ref_form *f, const fsr_ref_major *left, const fsr_ref_major *right, number *v) {
    const fsr_combine *c = f->combine;
    for (int i = 0; i < c->body.ninsts; i++) {
        const fsr_inst *s = &c->body.inst[i];
        const bool is_left = s->index < c->arity;
        const int p = is_left ? s->index : s->index - c->arity;
        if (s->kind == FSR_INST_CONST)
            v[i] = (number){fabsl(f->constant[i]), 0};
        else if (s->kind == FSR_INST_PARAM)
            v[i] = is_left ? (number){left->most[p], left->more[p]} : (number){right->most[p], right->more[p]};
        else
            v[i] = step_major(s, v);
    }
}

void fsr_ref_form_major(const fsr_ref_form *f, const fsr_ref_major *left, const fsr_ref_major *right,
                        fsr_ref_major *out) {
    const fsr_combine *c = f->combine;
    number v[FSR_MAX_BODY_INSTS];
    majors(f, left, right, v);
    for (int p = 0; p < c->arity; p++) {
        out->most[p] = v[c->body.result[p]].most;
        out->more[p] = v[c->body.result[p]].more;
    }
}

long double fsr_ref_form_largest(const fsr_ref_form *f, const long double *most) {
    fsr_ref_major x = {.more = {0}};
    number v[FSR_MAX_BODY_INSTS];
    long double largest = 0;
    memcpy(x.most, most, sizeof x.most);
    majors(f, &x, &x, v);
    for (int i = 0; i < f->combine->body.ninsts; i++)
        if (f->sided[i] && !(v[i].most <= largest))
            largest = v[i].most;
    return largest;
}
