# SPDX-License-Identifier: MIT
# Sourced by the scripts of the first hour. Each plays somebody who has a copy of the source in the current directory, an empty
# home, and what Debian's packages gcc, libc6-dev, make, cmake, pkg-config and libxxhash-dev bring; each prints what its steps took.
set -euo pipefail
begun=$(date +%s)
export FUSOR_BACKEND=cpu

fail() {
    echo "first hour: $*" >&2
    exit 1
}

# step WORDS COMMAND...: its time; its output only if it fails.
step() {
    local words=$1 from
    shift
    from=$(date +%s)
    "$@" >"$HOME/log" 2>&1 || {
        tail -n 40 "$HOME/log" >&2
        fail "$words: $*"
    }
    echo "  $words: $(($(date +%s) - from)) s"
}

# build_once ARGUMENTS...: the build folder ~/build, made by the first script that needs it.
build_once() {
    [ -f "$HOME/build/done" ] && return
    step 'configure' cmake -S . -B "$HOME/build" -DFUSOR_TESTS=OFF
    step 'build' cmake --build "$HOME/build" --parallel "$(nproc)"
    touch "$HOME/build/done"
}

# block FILE LANGUAGE WORDS: the block of that language in a page that follows the first line with these words.
block() {
    awk -v words="$3" -v fence="^\`\`\`$2\$" '
        index($0, words) { found = 1 }
        found && /^```$/ && inside { exit }
        inside { print }
        found && $0 ~ fence { inside = 1 }' "$1"
}

minutes() {
    local seconds=$(($(date +%s) - begun))
    echo "  together: $((seconds / 60)).$((seconds % 60 * 10 / 60)) minutes"
}
