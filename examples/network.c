/* SPDX-License-Identifier: MIT */
/* A small neural network, trained by gradients written by hand: which of two spirals a point is of. Two hidden layers
 * of 32, tanh, the logarithm of a logistic function as loss, and steps down the gradient, all inside one plan:
 * fsr_fori_loop goes round without coming back to the program. The loss must fall, and the points be told apart. Exit
 * status 0: right.
 *
 *     build/examples/network
 *
 * Products of matrices are a library's where there is one; what is between them is fused: an activation, its
 * derivative, the step of a weight are kernels with their neighbours. */
#include <fusor/fusor.h>
#include <math.h>
#include <stdio.h>

enum { POINTS = 256, HIDDEN = 32, STEPS = 2000, WEIGHTS = 6, STATE = WEIGHTS + 1 };

static const double rate = 0.5;

typedef struct data {
    fsr_node x, y; /* points [POINTS, 2], and 1 or 0, [POINTS, 1] */
} data;

/* Two spirals, half a turn apart, of nearly a turn each. */
static data spirals(fsr_graph *g) {
    fsr_node i = fsr_arange(g, FSR_F32, POINTS), y = fsr_mod(i, fsr_int(g, 2));
    fsr_node radius = fsr_add(fsr_mul(i, fsr_float(g, 2.0 / POINTS)), fsr_float(g, 0.2));
    fsr_node angle = fsr_add(fsr_mul(radius, fsr_float(g, 2.5)), fsr_mul(y, fsr_float(g, 3.14159265358979)));
    fsr_node at[] = {fsr_mul(radius, fsr_cos(angle)), fsr_mul(radius, fsr_sin(angle))};
    return (data){fsr_stack(at, 2, 1), fsr_expand(y, 1)};
}

static fsr_node turned(fsr_node x) {
    return fsr_swapaxes(x, 0, 1);
}

/* A layer: x w + b. w and b are state[k] and state[k + 1]. */
static fsr_node layer(fsr_node x, const fsr_node *state, int k) {
    return fsr_add(fsr_matmul(x, state[k]), state[k + 1]);
}

/* A step of w[k] and of the bias behind it, of what arrives at the layer and what goes back from it. */
static void descend(fsr_node *out, const fsr_node *state, int k, fsr_node x, fsr_node back) {
    const fsr_node by = fsr_float(x.graph, rate);
    out[k] = fsr_sub(state[k], fsr_mul(fsr_matmul(turned(x), back), by));
    out[k + 1] = fsr_sub(state[k + 1], fsr_mul(fsr_sum(back, (int[]){0}, 1, FSR_KEEPDIMS), by));
}

/* What goes back through a layer's weights w and the activation h before it: the derivative of tanh is 1 - tanh^2. */
static fsr_node through(fsr_node back, fsr_node w, fsr_node h) {
    return fsr_mul(fsr_matmul(back, turned(w)), fsr_sub(fsr_int(h.graph, 1), fsr_mul(h, h)));
}

/* One step: the weights, and the loss before it, the mean of -log of the probability of what each point is, which is
 * log(1 + exp(z)) - y z. */
static void step(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    const data *d = user;
    fsr_graph *g = d->x.graph;
    const fsr_node one = fsr_int(g, 1);
    (void)in;
    fsr_node h1 = fsr_tanh(layer(d->x, state, 0)), h2 = fsr_tanh(layer(h1, state, 2)), z = layer(h2, state, 4);
    fsr_node probability = fsr_div(one, fsr_add(one, fsr_exp(fsr_neg(z))));
    fsr_node back = fsr_mul(fsr_sub(probability, d->y), fsr_float(g, 1.0 / POINTS));
    out[WEIGHTS] = fsr_mean(fsr_sub(fsr_log1p(fsr_exp(z)), fsr_mul(d->y, z)), NULL, 0, 0);
    descend(out, state, 4, h2, back);
    back = through(back, state[4], h2);
    descend(out, state, 2, h1, back);
    descend(out, state, 0, d->x, through(back, state[2], h1));
}

/* Random weights of a size that keeps sums near 1, and no bias. */
static void begin(fsr_graph *g, fsr_node *state) {
    static const int side[] = {2, HIDDEN, HIDDEN, 1};
    for (int k = 0; k < WEIGHTS; k++) {
        const int64_t shape[] = {k % 2 ? 1 : side[k / 2], side[k / 2 + 1]};
        fsr_node i = fsr_reshape(fsr_arange(g, FSR_I64, shape[0] * shape[1]), 2, shape);
        fsr_node normal = fsr_random_normal(fsr_int(g, 1), fsr_int(g, k), i, FSR_F32);
        state[k] = k % 2 ? fsr_zeros(g, FSR_F32, 2, shape) : fsr_mul(normal, fsr_float(g, 1 / sqrt(side[k / 2])));
    }
    state[WEIGHTS] = fsr_cast(fsr_int(g, 0), FSR_F32);
}

int main(void) {
    fsr_context *ctx;
    if (fsr_open(NULL, &ctx) != FSR_OK)
        return 2;
    fsr_graph *g = fsr_graph_new(ctx);
    data d = spirals(g);
    fsr_node state[STATE], first[STATE], last[STATE];
    begin(g, state);
    fsr_fori_loop(first, state, STATE, fsr_int(g, 1), step, &d);
    fsr_fori_loop(last, state, STATE, fsr_int(g, STEPS), step, &d);
    fsr_node h = fsr_tanh(layer(fsr_tanh(layer(d.x, last, 0)), last, 2)), z = layer(h, last, 4);
    fsr_node told = fsr_equal(fsr_greater(z, fsr_float(g, 0)), fsr_greater(d.y, fsr_float(g, 0.5)));
    fsr_node ask[] = {first[WEIGHTS], last[WEIGHTS], fsr_mean(fsr_cast(told, FSR_F32), NULL, 0, 0)};
    float x[3];
    if (fsr_read(fsr_stack(ask, 3, 0), x, sizeof x) != FSR_OK) {
        fprintf(stderr, "%s\n", fsr_error(ctx));
        return 3;
    }
    printf("%d steps: the loss fell from %.4f to %.4f, %.1f%% of %d points are told apart\n", STEPS, (double)x[0],
           (double)x[1], 100 * (double)x[2], POINTS);
    fsr_close(ctx);
    return x[1] < 0.25f * x[0] && x[2] > 0.97f ? 0 : 4;
}
