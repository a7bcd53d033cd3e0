# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the longer tests take: `ctest -j` starts the longest first, and counts how many
# cores a test fills by itself. A test that is not here takes a few seconds on one core.
#
# Seconds are of one run on two cores; only their order matters. To renew them:
#
#   ctest --test-dir build -j 2 --output-junit times.xml
#
# and take `time` of each testcase of build/times.xml. Cores are 1, 2, or `all` for a
# harness that starts a worker a core for more than ten seconds; such a harness gives the
# commands that it starts --threads=1, unless threads are what it tests. One of fewer seconds
# or of a row or two counts as 1: for a second or more it loads LLVM or chooses its rows with one
# core, which another test has meanwhile.
set(FMHAC_TEST_COSTS
  # seconds cores test
  "95 all check-fmhac"
  "35 1 install/tree"
  "33 1 threads/jobs"
  "28 1 examples/ring-mistakes"
  "25 1 device/divided"
  "20 1 driver/bench"
  "20 1 device/replay"
  "19 1 driver/bad-input"
  "16 1 device/lengths"
  "16 1 driver/tune-refusals"
  "15 all e2e/work"
  "15 1 jit/cache"
  "15 1 e2e/far-factors"
  "14 1 driver/tune"
  "14 1 device/shared-lists-emu"
  "14 1 jit/test_process"
  "14 1 e2e/join-orders"
  "13 1 e2e/fits"
  "13 1 e2e/work-queue"
  "11 1 device/combine"
  "11 1 e2e/random-schedules"
  "11 1 e2e/extremes"
  "10 1 e2e/pages-far"
  "10 1 device/work-code"
  "10 all e2e/group"
  "10 1 driver/run"
  "10 all e2e/pages-pipelines"
  "10 1 e2e/grid-order"
  "10 1 differential/audited"
  "10 1 e2e/lazy-rescale"
  "10 1 e2e/layouts"
  "9 2 e2e/independent-scan"
  "9 1 e2e/not-numbers"
  "9 1 driver/features"
  "9 1 e2e/refused-by-hand"
  "9 1 e2e/lines"
  "9 1 e2e/group-modes"
  "8 1 e2e/mutate-waits"
  "8 2 differential/written"
  "8 1 jit/test_job"
  "8 1 e2e/rounded-q"
  "8 1 e2e/large"
  "8 1 e2e/lift"
  "8 1 device/queue"
  "8 1 driver/trace"
  "8 1 driver/from"
  "8 1 e2e/modes"
  "8 1 e2e/join-mutants"
  "7 1 e2e/work-modes"
  "7 1 e2e/latent"
  "7 1 e2e/schedules"
  "7 1 e2e/words"
  "7 1 driver/roles"
  "7 1 e2e/barrier-sides"
  "6 1 e2e/latent-decode"
  "6 1 e2e/mutants"
  "6 1 jit/test_allocator"
  "6 1 threads/launch-path"
  "6 1 driver/table"
  "6 1 driver/streams"
  "6 1 e2e/axes"
  "6 1 e2e/visited"
  "6 1 e2e/pages"
  "5 1 e2e/swapped-waits"
  "5 1 driver/launches"
  "5 1 jit/test_text"
  "5 1 unit/lib/test_kernel_from_code"
  "5 1 driver/messages"
  "5 1 driver/second-choice"
  "5 1 driver/compiler"
  "5 1 device/compare-launch-emu"
  "5 1 e2e/axes-dualwave"
  "5 1 e2e/axes-generic-q8"
  "5 1 e2e/axes-generic-kv8"
  "4 1 e2e/batch-invariance"
  "4 1 e2e/modes-dualwave_kv8"
  "4 1 e2e/decode"
  "4 1 e2e/rows-none"
  "4 1 device/merge-emu"
  "4 1 driver/cache"
  "4 1 e2e/rows-causal"
  "4 1 e2e/axes-generic_n32-q8"
  "4 1 e2e/axes-generic_fp8"
  "4 1 e2e/axes-dualwave_kv8"
  "4 1 e2e/axes-dualwave_q8"
  "4 1 e2e/axes-dualwave-q8"
  "4 1 e2e/axes-dualwave_d64-q8"
  "4 1 e2e/axes-dualwave_d192-q8"
  "4 1 e2e/axes-dualwave_fp8_d192"
  "4 1 e2e/axes-dualwave_fp8_d256"
  "4 1 e2e/modes-generic_fp8"
  "3 1 device/shared-lists-hip"
  "3 1 driver/screen"
  "3 1 unit/lib/test_work_plan"
  "3 1 driver/arrays"
  "3 1 e2e/rounded-q-digits"
  "3 1 e2e/modes-dualwave"
  "3 1 jit/test_damage"
  "3 1 unit/lib/test_disk"
  "3 1 unit/lib/test_builtin_table"
  "3 1 e2e/axes-dualwave_fp8"
  "3 1 e2e/axes-generic_fp8_n32"
  "3 1 e2e/axes-dualwave_1tile"
  "3 1 e2e/axes-dualwave_d96"
  "3 1 e2e/axes-dualwave_sums"
  "3 1 e2e/modes-dualwave_q8"
  "3 1 e2e/axes-dualwave_fp8_d64"
  "3 1 e2e/modes-dualwave_sums"
  "3 1 e2e/mutants-equivalence"
  "2 1 e2e/modes-dualwave_1tile"
  "2 1 threads/device-hip"
  "2 1 e2e/absorbed"
  "2 1 e2e/converted"
  "2 1 e2e/modes-dualwave_fp8"
  "2 1 e2e/modes-dualwave_d96"
  "2 1 timing/stream"
  "2 1 timing/lists"
  "2 1 driver/audit"
  "2 1 driver/tune-signal"
  "2 1 driver/mutants"
  "2 1 driver/compare"
  "2 1 driver/hip"
  "2 1 driver/completion"
  "2 1 driver/pages"
  "2 1 driver/usage"
  "2 1 e2e/tails-dualwave_d96"
  "2 1 e2e/axes-dualwave_narrow"
  "2 1 e2e/modes-generic_fp8_n32"
  "2 1 e2e/steady-maximum"
  "2 1 e2e/modes-dualwave_narrow"
  "1 2 differential/random"
  "1 1 device/compare-launch-hip"
  "1 1 device/merge-hip"
  "1 1 threads/device-emu"
  "1 1 differential/detects"
  "1 1 api/pages"
  "1 1 driver/explain"
  "1 1 timing/observer")

# fmhac_test_costs(): gives the tests of this folder their rows. At the end of a folder,
# as CMake 3.25 sets properties of a folder's own tests only.
function(fmhac_test_costs)
  cmake_host_system_information(RESULT host_cores QUERY NUMBER_OF_LOGICAL_CORES)
  get_property(tests DIRECTORY PROPERTY TESTS)
  # What turn.py ends with where the turn is another's (test/CMakeLists.txt).
  if(FMHAC_SANITIZE AND tests)
    set_tests_properties(${tests} PROPERTIES SKIP_RETURN_CODE 77)
  endif()
  foreach(row IN LISTS FMHAC_TEST_COSTS)
    if(NOT row MATCHES "^([0-9]+) ([0-9]+|all) ([^ ]+)$")
      message(FATAL_ERROR "test/costs.cmake: expected 'SECONDS CORES TEST', found '${row}'")
    endif()
    set(seconds ${CMAKE_MATCH_1})
    set(cores ${CMAKE_MATCH_2})
    set(name ${CMAKE_MATCH_3})
    if(name IN_LIST tests)
      if(cores STREQUAL "all")
        set(cores ${host_cores})
      endif()
      set_tests_properties(${name} PROPERTIES COST ${seconds} PROCESSORS ${cores})
      set_property(GLOBAL APPEND PROPERTY FMHAC_TESTS_WITH_COST ${name})
    endif()
  endforeach()
endfunction()

# fmhac_check_test_costs(): after all folders. The sanitizers' build leaves tests out.
function(fmhac_check_test_costs)
  # A test that may be skipped in another's turn, which only that function says.
  file(GLOB_RECURSE folders ${CMAKE_SOURCE_DIR}/test/*/CMakeLists.txt)
  foreach(folder IN LISTS folders)
    file(READ ${folder} text)
    if(text MATCHES "FMHAC_TURN_" AND NOT text MATCHES "fmhac_test_costs\\(\\)")
      message(FATAL_ERROR "${folder}: expected fmhac_test_costs() at its end, as its tests take "
        "turns, found none")
    endif()
  endforeach()
  get_property(known GLOBAL PROPERTY FMHAC_TESTS_WITH_COST)
  foreach(row IN LISTS FMHAC_TEST_COSTS)
    string(REGEX REPLACE "^.* " "" name "${row}")
    if(NOT name IN_LIST known AND NOT FMHAC_SANITIZE)
      message(FATAL_ERROR "test/costs.cmake: expected the name of a test in a folder that "
        "calls fmhac_test_costs(), found '${name}'")
    endif()
  endforeach()
endfunction()
