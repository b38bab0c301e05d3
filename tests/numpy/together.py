#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/numpy/together.txt: what NumPy 2 promotes three operands to, all at once, and the dtypes of averages, for
tests/unit/test_promotion.c.

    python3 tests/numpy/together.py > tests/numpy/together.txt        # needs NumPy 2

A line "result_type A B: RESULT ...", one result for each third operand in the order of the line "dtypes:", in which int,
float and complex are Python's own numbers; A and B are arrays, A not after B. The order of the three makes no
difference, which is checked here, as is that concatenate, stack and clip have that dtype. A line "average A: RESULT ...":
numpy.average of an array of A with weights of each dtype but the last three.
"""
import itertools
import warnings

import numpy as np
from promotion import DTYPES, NAMES, WEAK

assert np.__version__ >= "2"
warnings.simplefilter("ignore")


def together(*names):
    """The name of the dtype that NumPy has for the operands in every order."""
    found = {np.result_type(*(WEAK[n] if n in WEAK else np.dtype(DTYPES[n]) for n in order))
             for order in itertools.permutations(names)}
    assert len(found) == 1, names
    return NAMES[found.pop()]


def check(names, want):
    """The functions that take several arrays have the dtype `want`."""
    for order in itertools.permutations(names):
        arrays = [np.ones(2, DTYPES[n]) for n in order]
        assert NAMES[np.concatenate(arrays).dtype] == NAMES[np.stack(arrays).dtype] == want, order
        assert NAMES[np.clip(*arrays).dtype] == want, order


print("dtypes:", *DTYPES, *WEAK)
for a, b in itertools.combinations_with_replacement(DTYPES, 2):
    for c in DTYPES:
        check((a, b, c), together(a, b, c))
    print(f"result_type {a} {b}:", *(together(a, b, c) for c in [*DTYPES, *WEAK]))
for a in DTYPES:
    print(f"average {a}:", *(NAMES[np.average(np.ones(2, DTYPES[a]), weights=np.ones(2, DTYPES[w])).dtype]
                             for w in DTYPES))
