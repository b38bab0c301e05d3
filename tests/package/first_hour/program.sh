#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A C program against the library, by the guide's own lines: built, installed and compiled by pkg-config; then found by CMake.
. "$(dirname "$0")/steps.sh"
echo 'a C program:'
block docs/guide.md sh 'Built and installed by CMake, found by pkg-config' >"$HOME/guide.sh"
grep -q 'pkg-config --cflags' "$HOME/guide.sh" || fail 'the guide has no lines to follow'
expected=$(sed -n 's/^\.\/first *# //p' "$HOME/guide.sh")
sed -i "s|-B build|-B '$HOME/lines'|; s|--build build|--build '$HOME/lines' --parallel $(nproc)|; s|--install build|--install '$HOME/lines'|; s|-o first|-o '$HOME/first'|; s|^\./first|'$HOME/first'|" "$HOME/guide.sh"
step "the guide's lines" bash -eu "$HOME/guide.sh"
[ "$(tail -n 1 "$HOME/log")" = "$expected" ] || fail "first printed $(tail -n 1 "$HOME/log"), the guide says $expected"

mkdir "$HOME/project"
cp examples/first.c "$HOME/project/program.c"
{
    printf 'cmake_minimum_required(VERSION 3.20)\nproject(program C)\nadd_executable(program program.c)\n'
    block docs/guide.md cmake 'In a CMake project'
} >"$HOME/project/CMakeLists.txt"
step 'a CMake project that finds it' cmake -S "$HOME/project" -B "$HOME/project/build" -DCMAKE_PREFIX_PATH="$HOME/fusor"
step 'and builds' cmake --build "$HOME/project/build"
[ "$("$HOME/project/build/program")" = "$expected" ] || fail 'the program of the CMake project prints something else'
minutes
