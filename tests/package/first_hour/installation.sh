#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs, uses, moves, uses again, uninstalls: whatever was put there goes, and nothing else.
. "$(dirname "$0")/steps.sh"
echo 'install, move, uninstall:'
build_once

# use PREFIX: first.c by pkg-config, and the installed examples by CMake, run.
use() {
    local pc doc
    pc=$(dirname "$(find "$1" -name fusor.pc)")
    doc=$(dirname "$(find "$1" -path '*/examples/first.c')")
    export PKG_CONFIG_PATH=$pc
    local library
    library=$(pkg-config --variable=libdir fusor)
    # shellcheck disable=SC2046
    cc -std=c11 "$doc/first.c" -o "$HOME/moved_first" $(pkg-config --cflags --libs fusor)
    [ "$(LD_LIBRARY_PATH=$library "$HOME/moved_first")" = '0.0900306 0.244728 0.665241' ]
    rm -rf "$HOME/found"
    mkdir "$HOME/found"
    cp "$doc/first.c" "$HOME/found"
    printf 'cmake_minimum_required(VERSION 3.20)\nproject(p C)\nfind_package(fusor 0.1 REQUIRED)\nadd_executable(p first.c)\ntarget_link_libraries(p PRIVATE fusor::fusor)\n' >"$HOME/found/CMakeLists.txt"
    cmake -S "$HOME/found" -B "$HOME/found/build" -DCMAKE_PREFIX_PATH="$1"
    cmake --build "$HOME/found/build"
    [ "$("$HOME/found/build/p")" = '0.0900306 0.244728 0.665241' ]
    "$1/bin/fusor-bench" --list
}

step 'install' cmake --install "$HOME/build" --prefix "$HOME/here"
step 'use it' use "$HOME/here"
step 'uninstall' cmake --build "$HOME/build" --target uninstall
[ -z "$(find "$HOME/here" ! -type d)" ] || fail "left behind: $(find "$HOME/here" ! -type d)"
step 'install again' cmake --install "$HOME/build" --prefix "$HOME/here"
mv "$HOME/here" "$HOME/there"
step 'use it where it was moved to' use "$HOME/there"
minutes
