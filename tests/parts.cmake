# SPDX-License-Identifier: MIT
# Which programs are run in parts, which in two tiers, and which a second time for a machine without AVX-512.
#
# A part is a ctest of its own, `diff/ops_diff.2`; a part of the long tier is `diff/ops_diff.long.2`. The cases of a program are
# divided by the program (tests/support/subject.h), no case is in two parts. All parts of one program share a disk cache.
#
# The long tier has what repeats a check with another size, layout, dtype or seed; every ctest that is not labelled `long` is
# labelled `fast`. Programs without SUBJECT_MAIN divide what repeats, and have the rest of their tests in both tiers.

# Program; shards of the fast tier; shards of the long one, or `-`: the first are of both, and belong to the fast tier.
set(FUSOR_PARTS
    "diff_ops_diff 4 4" "diff_casts_diff 4 4" "diff_folds_diff 3 7" "diff_rows_diff 2 1" "diff_views_diff 2 3"
    "diff_complex_diff 2 1" "diff_filter_diff 2 1" "diff_numpy_exprs 1 1" "diff_numpy_take 1 1" "diff_numpy_search 1 1"
    "diff_numpy_lengths 1 1" "diff_numpy_linalg 1 1" "diff_paste_diff 1 1" "contracts_linalg 1 1" "contracts_live 1 1"
    "contracts_live_places 1 1" "contracts_chains 1 1"
    "contracts_long_loops 1 1" "contracts_running_sums 1 1" "contracts_cpu_threads 1 1" "contracts_float_environment 1 1"
    "contracts_literals 1 1" "contracts_million_steps 1 1" "contracts_modules 1 1" "contracts_numerics 1 1"
    "contracts_parameters 1 1" "contracts_reference_backend 1 1" "contracts_scatter_with 1 1"
    "trust_files 1 1" "trust_memory 1 1" "trust_written_live_places 1 1" "unit_cpu_math 1 1" "unit_emit_cuda 1 1" "unit_host_cuda 1 1" "unit_host_lookback 1 1"
    "fuzz_numpy_shapes 1 1" "unit_host_rows 1 1" "unit_host_splits 1 1" "unit_schedule_edits 1 1"
    "gpu_gpu_ops 6 -" "gpu_gpu_casts 5 -" "gpu_gpu_folds 9 -" "gpu_gpu_rows 3 -" "gpu_gpu_views 3 -" "gpu_gpu_complex 2 -"
    "gpu_gpu_filter 2 -")

# Programs that are run again with FUSOR_ISA=avx2 (FUSOR_TEST_TIER=capped), in the fast tier and in the long one, and in how
# many shards. The fast tier has every form of loop that the emitter writes, and reductions and scans against NumPy.
set(FUSOR_CAPPED_FAST
    "unit_emit_c 1" "unit_emit_c_folds 1" "unit_emit_c_maps 1" "contracts_ordered 1" "diff_numpy_folds 1")
set(FUSOR_CAPPED_LONG
    "contracts_values 1" "contracts_in_place 1" "contracts_iterate 1" "contracts_vectorize 1" "contracts_native 1"
    "diff_paste_diff 1" "diff_numpy_complex 1" "fuzz_regressions 1"
    "diff_ops_diff 3" "diff_casts_diff 3" "diff_folds_diff 3" "diff_rows_diff 2" "diff_views_diff 1" "diff_complex_diff 1"
    "diff_filter_diff 2" "contracts_accuracy 1" "contracts_numerics 1" "contracts_chains 1" "unit_cpu_math 1")

# Whole programs of the long tier alone.
set(FUSOR_LONG contracts_accuracy gpu_gpu_far gpu_gpu_topk_times unit_host_tiles)

# Programs of the fast tier that have their kernels made with FUSOR_OPTIMIZE=0, which takes less than half of the
# time: they ask what a program means, in many kernels, and other programs see to it that the optimizer changes none:
# every operation in every dtype (diff_ops_diff, contracts_values, contracts_numerics, unit_cpu_math), folds and scans
# against NumPy's (diff_numpy_folds), every form of loop (unit_emit_c*, unit_schedule_edits), random graphs (fuzz),
# and the first shard of each program in several. The long tier and the runs capped at AVX2 are compiled as users have
# it, but for every second shard of these programs.
set(FUSOR_QUICK "^(diff_(casts|folds|rows|views|complex|filter|paste)_diff"
    "|diff_numpy_(exprs|take|search|lengths|linalg|order|reach|sort|sparse|quantiles|unique)|fuzz_regressions|trust_.*"
    "|contracts_(array_loops|association|backends|bins|chains|csr|divided|donated|fft|fitting|forced|in_place|index_choices|iterate"
    "|large_graphs"
    "|library|linalg|literals|live|live_ends|live_loops|live_places|matmul|modules|native|parameters|plan_key|plan_run|random"
    "|random_statistics"
    "|ranks|reference_backend|running_sums|scatter|scatter_with|search|segments|sets|small_stack|sort|stencils|tables|take"
    "|threads|topk|windows)"
    "|gpu_gpu_(folds|array_loops|association|csr|literals|live|live_ends|live_loops|live_places|modules|parameters|random_statistics"
    "|ranks|running_sums|scatter_with|segments|take|numpy_(lengths|order|reach|search|sort|take)))$")
string(REPLACE ";" "" FUSOR_QUICK "${FUSOR_QUICK}")

# Programs of FUSOR_QUICK of whose kernels, in the fast tier, a third is compiled: of their tests every third, or the first
# of the shards that the tier had. Whole they run with kernels interpreted (`contracts/sets.interpreted`), which takes a
# twentieth of the time and asks the same of plans and of what kernels mean. The rest is compiled in the long tier
# (`contracts/sets.2`). How their kernels are written as C other programs see to, in every form of loop, and that third.
set(FUSOR_SAMPLED "^(diff_views_diff|diff_paste_diff"
    "|diff_numpy_(exprs|take|search|lengths|linalg|order|reach|sort|sparse|quantiles|unique)"
    "|contracts_(array_loops|bins|csr|fft|iterate|linalg|live_places|matmul|random|ranks|scatter|segments|sets"
    "|sort|tables|take))$")
string(REPLACE ";" "" FUSOR_SAMPLED "${FUSOR_SAMPLED}")

# On a machine without AVX-512 every run is such a run.
set(FUSOR_HAS_AVX512 OFF)
if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo flags REGEX "^flags.* avx512vl" LIMIT_COUNT 1)
    if(flags)
        set(FUSOR_HAS_AVX512 ON)
    endif()
endif()

# Seconds of one core that ctests take, where it is ten or more: the longest begin first, so that none of them runs on
# alone at the end. A regular expression and a number; of those that match a test the first holds.
set(FUSOR_COSTS
    "^adding$ 70" "^avx2/diff/folds_diff 50" "^gpu/gpu_folds 60" "^gpu/gpu_(ops|numpy_folds) 50"
    "^(avx2/)?contracts/accuracy$ 43" "^diff/ops_diff.long 43" "^diff/folds_diff.long 40" "^package/cpp.long$ 40"
    "^trust/memory.long$ 38" "^trust/written_live 12" "^gpu/gpu_running_sums$ 37" "^(diff/rows_diff|unit/cpu_math).long$ 35" "^fuzz/fuzz.long 30"
    "^gpu/gpu_(association|numerics|live|live_ends|live_loops|live_places|scatter_with|literals)$ 28" "^unit/host_lookback.long$ 28"
    "^avx2/diff/(ops|rows|complex)_diff 25" "^gpu/gpu_(rows|complex|parameters|casts|modules) 20"
    "^(diff/casts_diff|contracts/literals).long 19" "^diff/folds_diff 18" "^avx2/contracts/(numerics|chains|values)$ 18"
    "^unit/emit_cuda 17" "^contracts/(modules|chains|numerics|live|live_ends|live_loops|live_places|cpu_threads|running_sums).long$ 15"
    "^unit/host_(sums|splits.long|rows.long|places)$ 14"
    "^gpu/gpu_(array_loops|values|million_steps|filter|views|segments|numpy_) 12"
    "^contracts/(literals|chains|values|numerics|live|in_place|running_sums)$ 12"
    "^(package/cpp|api/fuzz|fuzz/fuzz|unit/cpu_math|programs)$ 12" "^(avx2/)?diff/ 11" "^(trust|fuzz|avx2)/ 10"
    "^programs 10")

# fusor_run(TEST program seconds LABELS ... ENVIRONMENT ... ARGUMENTS ...): one ctest of a program.
function(fusor_run test program seconds)
    cmake_parse_arguments(given "" "CACHE" "LABELS;ENVIRONMENT;ARGUMENTS" ${ARGN})
    if(NOT given_CACHE)
        set(given_CACHE ${program})
    endif()
    add_test(NAME ${test} COMMAND ${program} ${given_ARGUMENTS} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${test} PROPERTIES
        LABELS "${given_LABELS}" TIMEOUT ${seconds} SKIP_RETURN_CODE 77
        ENVIRONMENT "FUSOR_CACHE_DIR=${CMAKE_CURRENT_BINARY_DIR}/cache/${given_CACHE};${environment};${given_ENVIRONMENT}")
endfunction()

# What shard i of n of a program of FUSOR_QUICK has in its environment, appended to the list out. ARGN: its labels.
function(fusor_quick out program i n)
    if(NOT program MATCHES "${FUSOR_QUICK}")
        return()
    endif()
    math(EXPR even "1 - ${i} % 2")
    if("avx2" IN_LIST ARGN OR "long" IN_LIST ARGN)
        set(quick ${even})
    elseif(i GREATER 1 OR n EQUAL 1)
        set(quick 1)
    else()
        set(quick 0)
    endif()
    if(quick)
        set(${out} ${${out}} FUSOR_OPTIMIZE=0 PARENT_SCOPE)
    endif()
endfunction()

# fusor_sampled(test program seconds n LABELS ... ENVIRONMENT ...): the ctests of a program of FUSOR_SAMPLED that would be n of
# the fast tier.
function(fusor_sampled test program seconds n)
    cmake_parse_arguments(given "" "" "LABELS;ENVIRONMENT" ${ARGN})
    fusor_run(${test}.interpreted ${program} ${seconds} LABELS ${given_LABELS}
              ENVIRONMENT ${given_ENVIRONMENT} FUSOR_COMPILER=/bin/false FUSOR_LOG_LEVEL=0)
    set(shards ${n})
    if(n EQUAL 1)
        set(shards 3)
    endif()
    foreach(i RANGE 1 ${shards})
        set(labels ${given_LABELS})
        set(quick)
        if(i GREATER 1 OR n EQUAL 1)
            set(quick FUSOR_OPTIMIZE=0)
        endif()
        if(i GREATER 1)
            list(APPEND labels long)
        endif()
        fusor_run(${test}.${i} ${program} ${seconds} LABELS ${labels}
                  ENVIRONMENT ${given_ENVIRONMENT} FUSOR_TEST_SHARD=${i}/${shards} ${quick})
    endforeach()
endfunction()

# fusor_shards(test program seconds n LABELS ... ENVIRONMENT ...): n ctests, or one that has the whole.
function(fusor_shards test program seconds n)
    cmake_parse_arguments(given "" "CACHE" "LABELS;ENVIRONMENT" ${ARGN})
    foreach(i RANGE 1 ${n})
        set(name ${test})
        set(shard)
        if(n GREATER 1)
            set(name ${test}.${i})
            set(shard FUSOR_TEST_SHARD=${i}/${n})
        endif()
        fusor_quick(shard ${program} ${i} ${n} ${given_LABELS})
        fusor_run(${name} ${program} ${seconds} CACHE "${given_CACHE}" LABELS ${given_LABELS}
                  ENVIRONMENT ${given_ENVIRONMENT} ${shard})
    endforeach()
endfunction()

# The row of a program in a table, as a list; empty: it has none.
function(fusor_row out table program)
    set(${out} "" PARENT_SCOPE)
    foreach(row ${${table}})
        if(row MATCHES "^${program} ")
            string(REPLACE " " ";" row "${row}")
            set(${out} "${row}" PARENT_SCOPE)
        endif()
    endforeach()
endfunction()

# Graphs of the fuzzer by ranges of seeds: the first is the fast tier's, and half as long.
function(fusor_fuzz test program seconds)
    fusor_run(${test} ${program} ${seconds} LABELS fuzz ARGUMENTS --graphs 1000 --compiled 6 --seed 1)
    foreach(i RANGE 2 5)
        math(EXPR seed "2000 * (${i} - 1) - 999")
        fusor_run(${test}.long.${i} ${program} ${seconds} LABELS fuzz long ARGUMENTS --graphs 2000 --compiled 8 --seed ${seed})
    endforeach()
    if(FUSOR_HAS_AVX512)
        fusor_run(avx2/${test} ${program} ${seconds} CACHE avx2_${program} LABELS fuzz avx2 long ENVIRONMENT FUSOR_ISA=avx2
                  ARGUMENTS --graphs 0 --compiled 16 --seed 8001)
    endif()
endfunction()

# Sequences of public calls: half of them in the fast tier.
function(fusor_api_fuzz test program seconds)
    fusor_run(${test} ${program} ${seconds} LABELS api ARGUMENTS --sequences 1500 --seed 1)
    fusor_run(${test}.long ${program} ${seconds} LABELS api long ARGUMENTS --sequences 1500 --seed 1501)
endfunction()

# Every ctest of a program. One that divides its cases has a row that says so: without it all of them would be fast.
function(fusor_register suite what program source seconds)
    set(test ${suite}/${what})
    fusor_row(row FUSOR_PARTS ${program})
    file(STRINGS ${source} divided REGEX "subject_case\\(|SUBJECT_(OWN_)?CASES\\(" LIMIT_COUNT 1)
    if(divided AND NOT row AND NOT program STREQUAL "unit_parts")
        message(FATAL_ERROR "${source} has cases of the long tier: give ${program} a row of FUSOR_PARTS (tests/parts.cmake)")
    endif()
    if(program STREQUAL "fuzz_fuzz")
        fusor_fuzz(${test} ${program} ${seconds})
    elseif(program STREQUAL "api_fuzz")
        fusor_api_fuzz(${test} ${program} ${seconds})
    elseif(program IN_LIST FUSOR_LONG)
        fusor_run(${test} ${program} ${seconds} LABELS ${suite} long)
    elseif(NOT row AND program MATCHES "${FUSOR_SAMPLED}")
        fusor_sampled(${test} ${program} ${seconds} 1 LABELS ${suite})
    elseif(NOT row)
        fusor_shards(${test} ${program} ${seconds} 1 LABELS ${suite})
    else()
        list(GET row 1 fast)
        list(GET row 2 long)
        if(long STREQUAL "-")
            fusor_shards(${test} ${program} ${seconds} ${fast} LABELS ${suite})
        elseif(program MATCHES "${FUSOR_SAMPLED}")
            fusor_sampled(${test} ${program} ${seconds} ${fast} LABELS ${suite} ENVIRONMENT FUSOR_TEST_TIER=fast)
            fusor_shards(${test}.long ${program} ${seconds} ${long} LABELS ${suite} long ENVIRONMENT FUSOR_TEST_TIER=long)
        else()
            fusor_shards(${test} ${program} ${seconds} ${fast} LABELS ${suite} ENVIRONMENT FUSOR_TEST_TIER=fast)
            fusor_shards(${test}.long ${program} ${seconds} ${long} LABELS ${suite} long ENVIRONMENT FUSOR_TEST_TIER=long)
        endif()
    endif()
    if(FUSOR_HAS_AVX512)
        fusor_row(capped FUSOR_CAPPED_FAST ${program})
        set(labels ${suite} avx2)
        if(NOT capped)
            fusor_row(capped FUSOR_CAPPED_LONG ${program})
            set(labels ${suite} avx2 long)
        endif()
        if(capped)
            list(GET capped 1 shards)
            fusor_shards(avx2/${test} ${program} ${seconds} ${shards} CACHE avx2_${program} LABELS ${labels}
                         ENVIRONMENT FUSOR_ISA=avx2 FUSOR_TEST_TIER=capped)
        endif()
    endif()
endfunction()

# What FUSOR_COSTS says of a test.
function(fusor_cost test)
    foreach(row ${FUSOR_COSTS})
        string(REGEX MATCH "^(.*) ([0-9]+)$" row "${row}")
        if(test MATCHES "${CMAKE_MATCH_1}")
            string(REGEX MATCH "[0-9]+$" seconds "${row}")
            set_tests_properties(${test} PROPERTIES COST ${seconds})
            return()
        endif()
    endforeach()
endfunction()

# What is not long is fast; every test has its cost.
function(fusor_label_tests)
    get_property(tests DIRECTORY PROPERTY TESTS)
    foreach(test ${tests})
        fusor_cost(${test})
        get_property(labels TEST ${test} PROPERTY LABELS)
        if(NOT "long" IN_LIST labels)
            set_property(TEST ${test} APPEND PROPERTY LABELS fast)
        endif()
    endforeach()
endfunction()
