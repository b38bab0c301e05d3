# SPDX-License-Identifier: MIT
"""The library from a language without its headers: bind.py LIBRARY. By ctypes alone, with names asked for at run time: an
expression of operations, an operator, a loop with a condition, a compiled plan, a mistake, an answer of which only the
first fields are known. Exit status 0: right."""
import ctypes as c
import sys

lib = c.CDLL(sys.argv[1])
checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        sys.exit(f"bind.py: {what}")


class Node(c.Structure):
    _fields_ = [("graph", c.c_void_p), ("stamp", c.c_uint64), ("id", c.c_uint32), ("output", c.c_uint32)]


class Site(c.Structure):
    _fields_ = [("file", c.c_char_p), ("line", c.c_int)]


class Argument(c.Structure):
    _fields_ = [("name", c.c_char_p), ("data", c.c_void_p), ("bytes", c.c_size_t), ("place", c.c_int)]


BODY = c.CFUNCTYPE(None, c.POINTER(Node), c.POINTER(Node), c.POINTER(Node), c.c_void_p)


class Loop(c.Structure):
    _fields_ = [("body", BODY), ("condition", BODY), ("user", c.c_void_p), ("nstate", c.c_int), ("narg", c.c_int)]


class Operator(c.Structure):
    """Up to the identity: what follows, whether it commutes among it, is 0 for who does not know it."""
    _fields_ = [("body", BODY), ("user", c.c_void_p), ("arity", c.c_int), ("identity", c.c_double * 4)]


class Stats(c.Structure):
    _fields_ = [("plans_built", c.c_int64), ("plan_hits", c.c_int64)]


def function(name, result, *arguments):
    f = getattr(lib, name)
    f.restype, f.argtypes = result, arguments
    return f


nodes, extents, text = c.POINTER(Node), c.POINTER(c.c_int64), c.c_char_p
constant_ = function("fsr_constant", c.c_bool, text, extents)
constant_name = function("fsr_constant_name", text, c.c_int)
op_name = function("fsr_op_name", text, c.c_int)
op_arity = function("fsr_op_arity", c.c_int, text)
open_sized = function("fsr_open_sized", c.c_int, c.c_size_t, c.c_void_p, c.POINTER(c.c_void_p))
close = function("fsr_close", None, c.c_void_p)
graph_new = function("fsr_graph_new", c.c_void_p, c.c_void_p)
error = function("fsr_error", text, c.c_void_p)
node_error = function("fsr_node_error", text, Node)
node_status = function("fsr_node_status", c.c_int, Node)
from_host = function("fsr_from_host_at", Node, Site, c.c_void_p, c.c_int, c.c_int, extents, c.c_void_p)
input_at = function("fsr_input_at", Node, Site, c.c_void_p, text, c.c_int, c.c_int, extents)
float_at = function("fsr_float_at", Node, Site, c.c_void_p, c.c_double)
apply_at = function("fsr_apply_at", Node, Site, text, nodes, c.c_int)
iterate = function("fsr_iterate_at", None, Site, c.c_size_t, nodes, c.POINTER(Loop), nodes, nodes, c.c_int64)
scan_with = function("fsr_scan_with_at", None, Site, c.c_size_t, nodes, nodes, c.POINTER(Operator),
                     c.POINTER(c.c_int), c.c_int, c.c_int)
read = function("fsr_read", c.c_int, Node, c.c_void_p, c.c_size_t)
compile_ = function("fsr_compile", c.c_int, nodes, c.c_int, c.POINTER(c.c_void_p))
plan_run = function("fsr_plan_run", c.c_int, c.c_void_p, c.POINTER(Argument), c.c_int, c.POINTER(Argument), c.c_int, c.c_void_p)
plan_free = function("fsr_plan_free", None, c.c_void_p)
stats_sized = function("fsr_context_stats_sized", c.c_int, c.c_size_t, c.c_void_p, c.POINTER(Stats))


def constant(name):
    value = c.c_int64()
    check(constant_(name.encode(), c.byref(value)), f"no constant {name}")
    return value.value


def here():
    return Site(b"bind.py", sys._getframe(1).f_lineno)


def op(name, *operands):
    return apply_at(here(), name.encode(), (Node * len(operands))(*operands), len(operands))


def number(value):
    return float_at(here(), graph, value)


def array(values):
    data = (c.c_float * len(values))(*values)
    return from_host(here(), graph, constant("FSR_F32"), 1, (c.c_int64 * 1)(len(values)), data)


def values(node, n, ctype=c.c_float):
    out = (ctype * n)()
    check(read(node, out, c.sizeof(out)) == OK, error(context))
    return list(out)


# ---- names
OK = constant("FSR_OK")
check(constant("sizeof(fsr_node)") == c.sizeof(Node) and constant("sizeof(fsr_site)") == c.sizeof(Site), "sizes of values")
check(constant("sizeof(fsr_loop)") >= c.sizeof(Loop) and constant("sizeof(fsr_arg)") == c.sizeof(Argument), "sizes")
names = [constant_name(i) for i in range(1000)]
check(names.index(None) > 60 and b"FSR_ERR_SHAPE" in names and b"FSR_KEEPDIMS" in names, "names of constants")
ops = [op_name(i) for i in range(1000)]
check(ops.index(None) > 50 and op_arity(b"add") == 2 and op_arity(b"where") == 3 and op_arity(b"ad") == 0, "operations")

# ---- x * 2 + 1
context = c.c_void_p()
check(open_sized(constant("sizeof(fsr_config)"), None, c.byref(context)) == OK, "no context")
graph = graph_new(context)
x = array([1, 2, 3])
check(values(op("add", op("mul", x, number(2)), number(1)), 3) == [3, 5, 7], "x * 2 + 1")


# ---- a loop with a condition: halved until it is at most 1
@BODY
def halve(out, state, arg, user):
    out[0] = op("mul", state[0], arg[0])


@BODY
def above_one(out, state, arg, user):
    out[0] = op("greater", state[0], number(1))


loop = Loop(halve, above_one, None, 1, 1)
result = (Node * 2)()
iterate(here(), c.sizeof(loop), result, loop, array([8, 5, 1]), array([0.5]), 100)
check(values(result[0], 3) == [1, 0.625, 1] and values(result[1], 3, c.c_int32) == [3, 3, 0], "the loop")


# ---- an operator: a running product
@BODY
def times(out, left, right, user):
    out[0] = op("mul", left[0], right[0])


product = Operator(times, None, 1, (c.c_double * 4)(1))
running = Node()
scan_with(here(), c.sizeof(product), running, x, product, c.c_int(0), 1, 0)
check(values(running, 3) == [1, 2, 6], "the operator")

# ---- a plan
v = input_at(here(), graph, b"v", constant("FSR_F32"), 1, (c.c_int64 * 1)(3))
plan = c.c_void_p()
check(compile_(op("mul", v, v), 1, c.byref(plan)) == OK, error(context))
source, target = (c.c_float * 3)(1, 2, 4), (c.c_float * 3)()
given = Argument(b"v", c.cast(source, c.c_void_p), c.sizeof(source), constant("FSR_HOST"))
taken = Argument(None, c.cast(target, c.c_void_p), c.sizeof(target), constant("FSR_HOST"))
check(plan_run(plan, given, 1, taken, 1, None) == OK, error(context))
check(list(target) == [1, 4, 16], "the plan")
plan_free(plan)

# ---- a mistake, and an answer of which two fields are known
wrong = op("add", x, array([1, 2]))
check(node_status(wrong) == constant("FSR_ERR_SHAPE") and b"(bind.py:" in node_error(wrong), "no place in the message")
check(b"is minimum meant" in node_error(op("minimun", x, x)), "no hint")
known = Stats()
check(stats_sized(c.sizeof(known), context, known) == OK and known.plans_built >= 4, "the counters")
close(context)
print(f"{checks} checks, {ops.index(None)} operations, {names.index(None)} constants")
