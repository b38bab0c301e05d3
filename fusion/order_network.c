/* SPDX-License-Identifier: MIT */
/* Networks of exchanges; see order_network.h.
 *
 * Merge exchange (Knuth, The Art of Computer Programming, 5.2.2, algorithm M) takes 26 for nine wires and 191 for 32,
 * but exchanges values that are far from each other, over others that may be equal to them. Transposition of
 * neighbours (odd and even places in turn, as many turns as wires) takes 36 and 496, and equal values keep their
 * order. What nobody asks for is not computed: of nine the middle one takes 22 of the 26. */
#include "fusion/order_network.h"

static void add(fsr_network *to, int first, int second) {
    to->exchange[to->n++] = (fsr_exchange){(unsigned char)first, (unsigned char)second, false, false};
}

static void merge_exchange(fsr_network *to, int wires) {
    int top = 1;
    while (2 * top < wires)
        top *= 2;
    for (int p = top; p > 0; p /= 2)
        for (int q = top, r = 0, d = p; d > 0; d = q == p ? 0 : q - p, q /= 2, r = p)
            for (int i = 0; i < wires - d; ++i)
                if ((i & p) == r)
                    add(to, i, i + d);
}

static void transposition(fsr_network *to, int wires) {
    for (int turn = 0; turn < wires; ++turn)
        for (int i = turn & 1; i + 1 < wires; i += 2)
            add(to, i, i + 1);
}

/* From the end to the beginning: an exchange that gives anything wanted wants both of its values. */
static void prune(fsr_network *net, unsigned wanted) {
    int left = net->n;
    net->ops = 0;
    for (int i = net->n; i-- > 0;) {
        fsr_exchange e = net->exchange[i];
        e.gives_first = wanted >> e.first & 1;
        e.gives_second = wanted >> e.second & 1;
        if (!e.gives_first && !e.gives_second)
            continue;
        wanted |= 1U << e.first | 1U << e.second;
        net->ops += e.gives_first + e.gives_second;
        net->exchange[--left] = e;
    }
    net->n -= left;
    for (int i = 0; i < net->n; ++i)
        net->exchange[i] = net->exchange[left + i];
}

void fsr_network_make(fsr_network *out, int wires, bool stable, unsigned wanted) {
    out->n = 0;
    if (stable)
        transposition(out, wires);
    else
        merge_exchange(out, wires);
    prune(out, wanted);
}
