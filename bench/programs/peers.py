#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The programs of fusor-bench beside other libraries on the same machine and the same input.

    python3 bench/programs/peers.py --fusor build/fusor-bench [--programs small|suite|large] [--backend cpu|cuda]
                                    [--libraries numpy,numba,jax,torch] [--reps 9] [--processor] [--json FILE] [NAME ...]

fusor-bench writes each program's inputs, the libraries load them, one after the other, and compute numpy_programs.py's text: NumPy as
it stands, Numba by njit, JAX by jit, torch by torch.compile of NumPy code. A result is compared with NumPy's before it is timed;
the median of --reps samples counts, on a CPU of as many as last 0.1 s if those are more; compilation is apart. On a GPU arrays
lie on it before the clock starts, and a sample is the mean of as many calls as last 2 ms, waited for together, as Fusor's is: else each would have a launch and a wait for itself. f32 throughout: products of
matrices in full f32 precision (JAX: highest; torch: no TF32). A library that cannot take a program, or gives something else, has
"-", and the reason is printed below the table. Fusor's times are of the same programs, before the others: on a CPU the median of
calls one after the other, as the libraries' is, with what a call leaves in the caches; on a GPU and with --processor of
fusor-bench --pairs 7, where the unfused plan, which writes every array, runs in between. The last column is the fastest library's
time over Fusor's: above 1 Fusor is ahead. With --processor everything has one thread and times are the processor's, for a machine
that does other work: the least of each, of Fusor the least of its pairs, whose sample is the mean of as many calls as last 2 ms."""
import argparse, json, os, statistics, subprocess, sys, tempfile, time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("names", nargs="*")
parser.add_argument("--fusor", required=True, help="fusor-bench")
parser.add_argument("--programs", default="suite", choices=("small", "suite", "large"))
parser.add_argument("--backend", default="cpu", choices=("cpu", "cuda"))
parser.add_argument("--libraries", default="numpy,numba,jax,torch")
parser.add_argument("--threads", type=int, default=os.cpu_count())
parser.add_argument("--reps", type=int, default=9)
parser.add_argument("--seconds", type=float, default=5, help="a library stops here, but not before its third run")
parser.add_argument("--processor", action="store_true", help="one thread, by the processor's time")
parser.add_argument("--json")
options = parser.parse_args()
clock = time.perf_counter
if options.processor:
    clock, options.threads = time.process_time, 1
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
for variable in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "FUSOR_THREADS"):
    os.environ[variable] = str(options.threads)
os.environ["JAX_PLATFORMS"] = options.backend
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
from numpy_programs import SOURCE, inputs_of, numpy_programs, programs_of, worst_of


# ---- each library: its functions, and what makes of one and NumPy's inputs (a call, a wait for what it gives, NumPy's of that) --

def at_once(result):
    return result


def run_numpy():
    def prepare(function, inputs):
        return (lambda: function(*inputs)), at_once, lambda result: result
    return numpy_programs(), prepare


def run_numba():
    import numba, warnings
    warnings.simplefilter("ignore")

    @numba.njit
    def put(x, at, value):
        x = x.copy()
        x[at] = value
        return x

    @numba.njit
    def totals(i, x, n):
        out = np.zeros((n,) + x.shape[1:], x.dtype)
        for k in range(len(i)):
            out[i[k]] += x[k]
        return out

    @numba.njit
    def counts(i, n):
        return np.bincount(i, None, n).astype(np.float32)

    own = {"put": put, "totals": totals, "counts": counts}
    space = {"np": np, "pi": 3.141592653589793, "recur": None, **own}
    exec(compile(SOURCE, "programs", "exec"), space)
    functions = {name: numba.njit(f, parallel=not options.processor) for name, f in space.items()
                 if callable(f) and name not in own}
    space.update(functions)

    def prepare(function, inputs):
        return (lambda: function(*inputs)), at_once, lambda result: result
    return functions, prepare


def run_jax():
    import jax
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")

    def recur(step, state, rows):
        def turn(state, row):
            state = step(state, row).astype(state.dtype)
            return state, state
        return jax.lax.scan(turn, state, rows)[1]

    def until(most, goes_on, turn, state):
        def step(both):
            return both[0] + 1, turn(both[0], both[1])
        return jax.lax.while_loop(lambda both: (both[0] < most) & goes_on(both[1]), step, (0, state))[1]

    def totals(i, x, n):
        return jax.numpy.zeros((n, *x.shape[1:]), x.dtype).at[i].add(x)

    functions = programs_of(jax.numpy, lambda x, at, value: x.at[at].set(value), recur, totals,
                            lambda n, turn, state: jax.lax.fori_loop(0, n, turn, state), until)

    def prepare(function, inputs):
        compiled, arrays = jax.jit(function), [jax.device_put(x) for x in inputs]
        return (lambda: compiled(*arrays)), jax.block_until_ready, lambda result: result
    return functions, prepare


def run_torch():
    import torch
    torch.set_num_threads(options.threads)
    torch.backends.cuda.matmul.allow_tf32 = False
    device = "cuda" if options.backend == "cuda" else "cpu"

    def prepare(function, inputs):
        compiled = torch.compile(function, dynamic=False)
        arrays = [torch.from_numpy(x).to(device) if device == "cuda" else x for x in inputs]
        on_device = torch.compiler.wrap_numpy(compiled) if device == "cuda" else compiled

        def call():
            with torch.device(device):
                return on_device(*arrays)

        def wait(result):
            if device == "cuda":
                torch.cuda.synchronize()
            return result
        return call, wait, lambda r: tuple(x.cpu().numpy() if hasattr(x, "cpu") else x for x in (r if isinstance(r, tuple) else (r,)))
    return numpy_programs(), prepare


# ---- checking, timing ---------------------------------------------------------------------------------------------------

def results(value):
    return [np.asarray(x) for x in (value if isinstance(value, tuple) else (value,))]


SAMPLE, MOST = 2e-3, 1024
SHORTEST = 0.1 # seconds that a library is measured on a CPU: the first calls of a process are slower


def sample(call, wait, calls):
    begin = clock()
    for _ in range(calls):
        result = call()
    wait(result)
    return (clock() - begin) / calls


def measure(call, wait):
    times, start = [], time.perf_counter()
    calls = 1
    while options.backend == "cuda" and calls < MOST and calls * sample(call, wait, calls) < SAMPLE:
        calls *= 2
    shortest = SHORTEST if options.backend == "cpu" else 0
    while (len(times) < options.reps or sum(times) < shortest) and (len(times) < 3 or time.perf_counter() - start < options.seconds):
        times.append(sample(call, wait, calls))
    return 1e3 * (min(times) if options.processor else statistics.median(times))


def one(function, prepare, inputs, want):
    call, wait, fetch = prepare(function, inputs)
    got = results(fetch(wait(call())))
    worst = max(worst_of(g, w) for g, w in zip(got, want)) if len(got) == len(want) else float("inf")
    if not worst <= 1e-3:
        raise ValueError(f"not what NumPy computes: {worst}")
    wait(call())
    return measure(call, wait)


def fusor(directory, names):
    common = [options.fusor, "--programs", options.programs, "--backend", options.backend, "--verify-n", "0"]
    rows = os.path.join(directory, "rows.json")
    pairs, arrays = ["--pairs", "7", "--json", rows], ["--npy", directory]
    alone = options.backend == "cpu" and not options.processor

    def told(how):
        if os.path.exists(rows):
            os.remove(rows)
        done = subprocess.run(common + how + names, stdout=subprocess.DEVNULL)
        if not os.path.exists(rows):
            sys.exit(f"{options.fusor} wrote no rows of {names}: exit status {done.returncode}")
        with open(rows) as file:
            return {row["workload"]: row for row in json.load(file)}

    if not alone:
        return told(pairs + arrays)
    subprocess.run(common + arrays + names, stdout=subprocess.DEVNULL)
    calls = lambda reps: ["--reps", str(reps), "--json", rows]
    found = told(calls(options.reps))
    quickest = min((row["fused_ms"] or 1e3 * SHORTEST for row in found.values()), default=1e3 * SHORTEST)
    enough = min(MOST, int(1e3 * SHORTEST / quickest) + 1)
    return found if enough <= options.reps else told(calls(enough))


def show(ms):
    return "-" if ms is None else f"{ms:.4g}"


def main():
    libraries, why = {}, []
    for name in options.libraries.split(","):
        try:
            libraries[name] = globals()["run_" + name]()
        except ImportError as error:
            why.append(f"{name}: {error}")
    reference, table = numpy_programs(), []
    print(f"{'program':15}", *(f"{head:>10}" for head in ["fused", "unfused"] + list(libraries) + ["ahead"]), "   ms", flush=True)
    for name in options.names or list(reference):
        with tempfile.TemporaryDirectory() as directory:
            row = fusor(directory, [name])[name]
            inputs = inputs_of(directory, name)
        want = results(reference[name](*inputs))
        times = {}
        for library, (functions, prepare) in libraries.items():
            try:
                times[library] = one(functions[name], prepare, inputs, want)
            except Exception as error:
                times[library] = None
                why.append(f"{name}, {library}: {type(error).__name__}: {str(error).strip().splitlines()[:1]}")
        fused, unfused = (row[which + ("_least_ms" if options.processor else "_ms")] for which in ("fused", "unfused"))
        best = min((ms for ms in times.values() if ms is not None), default=None)
        ahead = best / fused if best and fused else None
        table.append({"program": name, "backend": options.backend, "scale": options.programs, "fused": fused,
                      "unfused": unfused, **times, "ahead": ahead})
        cells = [fused, unfused, *times.values(), ahead]
        print(f"{name:15}", *(f"{show(ms):>10}" for ms in cells), flush=True)
        if options.json:
            with open(options.json, "w") as file:
                json.dump(table, file, indent=1)
    print(*why, sep="\n")


main()
