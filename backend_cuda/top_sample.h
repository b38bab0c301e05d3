/* SPDX-License-Identifier: MIT */
/* Which elements of a long row are looked at for a threshold, and how many of them pass it (backend_cuda/top_long.cuh):
 * for C, and for both compilers of CUDA's text.
 *
 * A line is what a warp loads: four clusters of CLUSTER elements side by side, each from a part of the row of its own,
 * at a place that a hash gives. Elements side by side are often alike, so what is counted is clusters: of the first k
 * of a row, however they lie, as many are looked at as a Poisson distribution has of k / (CLUSTER * share).
 * Counter-example to lines at multiples of some distance: of a row in descending order the first line has 32 of the
 * first, and the tenth of these lets ten through; a periodic row shows the same part of its period everywhere. */
#ifndef FUSOR_BACKEND_CUDA_TOP_SAMPLE_H
#define FUSOR_BACKEND_CUDA_TOP_SAMPLE_H

enum { FSR_TOP_CLUSTER = 8 };

typedef struct fsr_top_sample_form {
    unsigned apart; /* elements that a line of 32 stands for: 32 * share */
    unsigned rank;  /* the threshold's, among least keys of groups: k keys of all should pass it */
    unsigned safe;  /* the second's, where too few passed: they do, however they lie */
} fsr_top_sample_form;

static inline unsigned fsr_top_root(unsigned x) {
    unsigned root = 0;
    while (root * root < x)
        root++;
    return root;
}

/* rank: the share of k, more than four deviations of elements that lie anyhow, and no less than what one cluster has.
 * safe: more than eight deviations of clusters. Neither is more than k, which k keys pass for certain. */
static inline fsr_top_sample_form fsr_top_sample_form_of(unsigned long long n, unsigned k) {
    const unsigned most = k <= 64 ? 2048 : 1024, lines = (unsigned)(n / 4096 < most ? n / 4096 : most);
    const unsigned apart = lines < 32 ? 32 : lines / 32 * 32, share = apart / 32;
    const unsigned some = k / share, clusters = k / (share * FSR_TOP_CLUSTER) + 1;
    unsigned rank = some + 4 * fsr_top_root(some + 1) + 2;
    const unsigned safe = FSR_TOP_CLUSTER * (clusters + 8 * fsr_top_root(clusters) + 1);
    rank = rank <= FSR_TOP_CLUSTER ? FSR_TOP_CLUSTER + 1 : rank;
    const fsr_top_sample_form form = {apart, rank < k ? rank : k, safe < k ? safe : k};
    return form;
}

#endif
