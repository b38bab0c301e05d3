#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prices of a GPU plan's kernels beside the machine instructions that NVRTC makes of them. No GPU is needed.

    FUSOR_PRINT_AFTER=dce build/fusor-bench --backend cpu --programs suite --reps 1 --verify-n 0 srad 2>srad.flow
    python3 bench/sass.py --opt build/fusor-opt --nvdisasm PATH [--kernels] [--arch 90] srad.flow ...

Of a file the first flow counts; it is planned as a graph is, with all that comes behind the rewrites. "each":
instructions of the path that whole tiles take, divided by the elements of a thread. Whether a tile is whole, and a version of its loop may run, is taken for yes; blocks that call are slow
alternatives, which are left out, with what they call. A loop counts once, so the times of kernels with loops (column
loops) mean little; an alternative that is inlined counts, too. "sass" is instructions over the issue rate of price.def,
"bytes" what the kernel moves over the rate of memory, both in us, and the last figure of a program the sum of
launch + max(sass, bytes)."""
import argparse, ctypes, pathlib, re, subprocess, sys, tempfile

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("flows", nargs="+")
parser.add_argument("--opt", required=True, help="fusor-opt")
parser.add_argument("--nvdisasm", default="nvdisasm")
parser.add_argument("--nvrtc", default="libnvrtc.so.13")
parser.add_argument("--arch", default="90")
parser.add_argument("--kernels", action="store_true", help="a line for each kernel")
options = parser.parse_args()
nvrtc = ctypes.CDLL(options.nvrtc)
table = (pathlib.Path(__file__).resolve().parent.parent / "fusion/price.def").read_text()
RATE = {name: float(gpu) / 1e3 for name, gpu in re.findall(r"^FSR_PRICE\((\w+),\s*([\d.e]+),", table, re.M)}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"{command[0]}: {done.stderr[:400]}")
    return done.stdout


def cubin_of(source):
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    flags = [f"-arch=sm_{options.arch}", "--fmad=false", "-std=c++17", "-default-device", "--minimal"]
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
    given = (ctypes.c_char_p * len(flags))(*[flag.encode() for flag in flags])
    if nvrtc.nvrtcCompileProgram(program, len(flags), given):
        raise ValueError("NVRTC rejects the source")
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    code = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, code)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return code.raw


def sure(source):
    """The source with what it asks of its tile answered."""
    source = re.sub(r"const bool whole = [^;]*;", "const bool whole = true;", source)
    return re.sub(r"if \(fits0\) {(?=.*?\breturn;)", "if (!fits0) return;\n{", source, flags=re.S)


def blocks_of(text, name):
    """Basic blocks of the kernel, in order: (labels, instructions). Functions that it calls stand behind it."""
    blocks, inside = [([], [])], False
    for line in text.splitlines():
        if line.startswith(".text."):
            inside = line.startswith(".text." + name)
        if inside and re.match(r"\s*\$\S+:", line):
            break
        label = re.match(r"(\.L_x_\d+):", line)
        found = re.search(r"/\*[0-9a-f]{4,}\*/\s+(.*?);", line)
        if inside and label:
            blocks.append(([label.group(1)], []))
        if inside and found and found.group(1).strip() != "NOP":
            blocks[-1][1].append(found.group(1).strip())
            if re.search(r"\b(BRA|EXIT|RET|CALL)\b", found.group(1)):
                blocks.append(([], []))
    return [block for block in blocks if block[0] or block[1]]


def opcode(instruction):
    return re.sub(r"^@!?U?P\w+\s+", "", instruction).split()[0]


def count(blocks):
    """Of the fast path: instructions, those that spill, blocks that call, loops, registers."""
    at = {label: i for i, (labels, _) in enumerate(blocks) for label in labels}
    out = {"instructions": 0, "spills": 0, "calls": 0, "loops": 0, "registers": 0}
    for i, (_, code) in enumerate(blocks):
        names = [opcode(line) for line in code]
        used = [1 + int(r) for line in code for r in re.findall(r"\bR(\d+)\b", line)]
        out["registers"] = max([out["registers"], *used])
        if any(name.startswith("CALL") for name in names):
            out["calls"] += 1
            continue
        jump = re.search(r"\bBRA(?:\.\w+)* .*?`\((\.L_x_\d+)\)", code[-1]) if code else None
        if jump and at.get(jump.group(1), len(blocks)) <= i:
            if at[jump.group(1)] == i and not code[-1].startswith("@"):
                continue  # the end of the code, which jumps to itself
            out["loops"] += 1
        out["instructions"] += len(code)
        out["spills"] += sum(name.startswith(("LDL", "STL")) for name in names)
    return out


def kernels_of(flow):
    """What the plan says of each of its kernels."""
    plan = run(options.opt, "--target", "gpu", "--to", "plan", flow)
    for block in re.split(r"^(?=kernel \d+: )", plan, flags=re.M)[1:]:
        domain = re.search(r"domain: (\d+) rows x (\d+) columns", block)
        schedule = re.search(r"as text: gpu (\S+) .*?items (\d+)", block)
        if domain and schedule:
            number, name = re.match(r"kernel (\d+): (\S+)", block).groups()
            yield {"number": number, "name": name, "kind": schedule.group(1), "items": int(schedule.group(2)),
                   "elements": int(domain.group(1)) * int(domain.group(2)),
                   "bytes": int(re.search(r"bytes moved: (\d+)", block).group(1)) / RATE["memory"] / 1e6,
                   "price": int(re.search(r"price: (\d+)", block).group(1)) / 1e3}


def analyse(flow, folder):
    for kernel in kernels_of(flow):
        source = run(options.opt, "--target", "gpu", "--to", "cuda", "--kernel", kernel["number"], flow)
        cubin = pathlib.Path(folder, "kernel.cubin")
        cubin.write_bytes(cubin_of(sure(source)))
        kernel.update(count(blocks_of(run(options.nvdisasm, "-c", str(cubin)), kernel["name"])))
        kernel["each"] = kernel["instructions"] / kernel["items"]
        kernel["sass"] = kernel["each"] * kernel["elements"] / RATE["issue"] / 1e6
        yield kernel


def first_flow(path, folder):
    """The first flow of a file, as a file."""
    parts = re.split(r"^# after .*\n", pathlib.Path(path).read_text(), flags=re.M)
    lines = parts[min(1, len(parts) - 1)].splitlines()
    lines = [line for line in lines if re.match(r"(%\d+ = |return )", line)]
    to = pathlib.Path(folder, pathlib.Path(path).name)
    to.write_text("\n".join(lines) + "\n")
    return str(to)


COLUMNS = (("name", 42, ""), ("kind", 8, ""), ("elements", 10, ""), ("items", 5, ""), ("each", 7, ".1f"),
           ("spills", 6, ""), ("calls", 5, ""), ("loops", 5, ""), ("registers", 9, ""), ("bytes", 7, ".1f"),
           ("sass", 7, ".1f"), ("price", 8, ".1f"))
if options.kernels:
    print(*(name.ljust(size) if size > 10 else name.rjust(size) for name, size, _ in COLUMNS))
for path in options.flows:
    price = both = kernels = 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            for k in analyse(first_flow(path, folder), folder):
                kernels, price = kernels + 1, price + k["price"]
                both += RATE["launch"] + max(k["sass"], k["bytes"])
                if options.kernels:
                    texts = [(format(k[name], form)[:size], size) for name, size, form in COLUMNS]
                    print(*(text.ljust(size) if size > 10 else text.rjust(size) for text, size in texts))
            print(f"{pathlib.Path(path).stem:42} {kernels} kernels, priced {price:.1f} us, "
                  f"by instructions and bytes {both:.1f} us")
        except ValueError as error:
            print(f"{path}: {error}", file=sys.stderr)
