#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The emitters print, they decide nothing: no file of them branches on an extent, on a machine's figures or on which
# operation it is (docs/architecture.md has the table of what is decided where). Runs in the source root.
#
# Extents are integers of a launch, of a group or of a program; a kernel holds none. So a file that names one of these, or
# asks an address for its range, could branch on an extent. A machine is an fsr_target, or what the system is asked for. An
# operation is told by its number, its name, its price or its flags; its arity, its rule of dtypes and its text are what an
# emitter prints it by. How long a loop or a tree of the text is says the schedule: a constant of a file's own that is more
# than 2 is found too. Comments and strings are not looked at. The check is tried on planted lines first: each of them must
# be found, and none of the harmless ones.
set -euo pipefail

# PATTERN<tab>WHAT, extended regular expressions.
rules=$(
    cat <<'END'
\bfsr_(launch|group|program|thunk|flow|binding|shape|form)\b	names what holds extents
#include <fusion\/(address|affine|plan|partition|flow|schedule|schedule_parts|target|in_place)\.h>	includes what knows extents or machines
->integer\[|\.integer\[FSR_INT|\.extent\[|->extent\[	reads an extent
\bfsr_target\b|\bfsr_nominal_gpu\b	names a machine
\b(processors|threads_per_processor|max_threads|registers_bytes|shared_bytes|cache_bytes|memory_bytes|cooperative)\b	asks a machine's figure
\b(sysconf|getenv|sched_getaffinity|get_nprocs)\b	asks the system
\benum\b[^{;]*\{[^}]*= *[0-9]{2,}|\benum\b[^{;]*\{[^}]*= *[3-9]\b	has a number of its own
(==|!=) *FSR_OP_|FSR_OP_[A-Z0-9_]+ *(==|!=)|case +FSR_OP_	branches on an operation
\bop *(==|!=|<|>)[^=>]|switch *\([^)]*\bop\b *\)	branches on an operation
\bfsr_inst_cost\b|->cost\b|\.cost\b	asks an operation's price
->flags\b|\bFSR_OP_(COMMUTATIVE|ASSOCIATIVE|EXACT|LIMITED|COMPLEX_ROUNDS|SERIAL|ATOMIC)\b	asks an operation's flags
\bfsr_op_get\([^)]*\)->(name|doc|identity|ulp)\b|\bfsr_op_find\b	asks an operation's name
END
)

# Code without comments and strings; the names of included files stay, in angle brackets.
code() {
    sed -E 's/^([[:space:]]*#[[:space:]]*include[[:space:]]*)"([^"]*)"/\1<\2>/' "$1" | awk '
        {
            line = ""
            for (i = 1; i <= length($0); i++) {
                c = substr($0, i, 1); two = substr($0, i, 2)
                if (comment) { if (two == "*/") { comment = 0; i++ } continue }
                if (quote != "") {
                    if (c == "\\") i++
                    else if (c == quote) quote = ""
                    continue
                }
                if (two == "/*") { comment = 1; i++; continue }
                if (two == "//") break
                if (c == "\"" || c == "\047") { quote = c; continue }
                line = line c
            }
            print line
        }'
}

# look FILE NAME: says what is wrong, "NAME:LINE: WHAT: TEXT".
look() {
    local text pattern what found
    text=$(code "$1")
    while IFS=$'\t' read -r pattern what; do
        found=$(grep -nE -e "$pattern" <<<"$text" || true)
        [ -z "$found" ] || sed -E "s|^([0-9]+):[[:space:]]*|$2:\1: $what: |" <<<"$found"
    done <<<"$rules"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
planted=0
while IFS= read -r line; do
    planted=$((planted + 1))
    printf '%s\n' "$line" >"$scratch/planted.c"
    [ -n "$(look "$scratch/planted.c" planted)" ] || { echo "the check does not see: $line" >&2 && exit 1; }
done <<'END'
if (launch->integer[FSR_INT_COLS] < 4096)
static int unroll(const fsr_launch *launch) {
static bool is_short(const fsr_group *group) {
#include "fusion/address.h"
#include "fusion/schedule.h"
const int blocks = target->processors * 2;
static int blocks_of(const fsr_target *target) {
if (s->items * 4 > fsr_nominal_gpu.cache_bytes)
if (inst->op == FSR_OP_SIN)
return FSR_OP_ADD != c->op;
case FSR_OP_EXP: return true;
switch (inst->op) {
if (fsr_op_get(inst->op)->cost >= 10)
cost += fsr_inst_cost(k, i);
if (fsr_op_get(op)->flags & FSR_OP_EXACT)
if (!strcmp(fsr_op_get(op)->name, "sin"))
if (sysconf(_SC_NPROCESSORS_ONLN) > 8)
enum { FEW = 16 }; /* elements of a level */
enum { SMALL = 4 };
END
while IFS= read -r line; do
    printf '%s\n' "$line" >"$scratch/harmless.c"
    [ -z "$(look "$scratch/harmless.c" harmless)" ] || { echo "the check complains of: $line" >&2 && exit 1; }
done <<'END'
/* A loop of processors: fsr_launch, FSR_OP_SIN == op */
fsr_c_line(e, "if (op == FSR_OP_SIN) %s->integer[0]", "processors");
for (int a = 0; a < fsr_op_get(inst->op)->arity; a++)
if (fsr_op_get(op)->rule == FSR_RULE_CAST)
fsr_c_integer(e, FSR_INT_EXTENT + d, extent);
if (e->s->lanes > 1 && k->schedule.target == FSR_TARGET_CPU)
enum { TABLES = sizeof tables / sizeof *tables };
typedef enum naming { PLAIN, ITEM = 1 } naming;
END

status=0 files=0
for file in backend_cpu/emit/*.[ch] backend_cuda/emit*.[ch]; do
    files=$((files + 1))
    wrong=$(look "$file" "$file")
    [ -z "$wrong" ] || { printf '%s\n' "$wrong" >&2 && status=1; }
done
[ $files -gt 30 ] || { echo "only $files files: the check itself is broken" >&2 && exit 1; }
echo "$files files, $planted planted lines found"
exit $status
