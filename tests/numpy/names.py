# SPDX-License-Identifier: MIT
# NumPy's public functions, dtypes and constants, one name a line in order: those of numpy, numpy.linalg and numpy.fft, and
# the methods and attributes of an array that are no functions of numpy as well. primitives/numpy.def has a row for each.
# Python's own classes, errors, submodules and what only tells of the installation are left out.
import inspect
import warnings

import numpy as np

warnings.simplefilter("ignore")
MACHINERY = {"test", "show_config", "show_runtime", "get_include", "info", "source", "lookfor"}
OF_THIS_MACHINE = {"float128", "complex256"}  # what long double is differs


def is_array_name(value):
    """A function, a ufunc, a number's type, or a constant."""
    if inspect.isclass(value):
        return issubclass(value, np.generic)
    return callable(value) or value is None or isinstance(value, float)


def public(module):
    for name in dir(module):
        if name.startswith("_") or name in MACHINERY | OF_THIS_MACHINE:
            continue
        value = getattr(module, name)
        if not inspect.ismodule(value) and is_array_name(value):
            yield name


functions = set(public(np))
names = set(functions)
names |= {"linalg." + name for name in public(np.linalg)}
names |= {"fft." + name for name in public(np.fft)}
names |= {"ndarray." + name for name in dir(np.ndarray) if not name.startswith("_") and name not in functions}
print("\n".join(sorted(names)))
