# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the longer tests take: `ctest -j` starts the longest first, and counts how many
# cores a test fills by itself. A test that is not here takes a few seconds on one core.
#
# Seconds are of one run on two cores; only their order matters. To renew them:
#
#   ctest --test-dir build -j 2 --output-junit times.xml
#
# and take `time` of each testcase of build/times.xml. Cores are 1, 2, or `all` for a
# harness that starts a worker a core; such a harness gives the commands that it starts
# --threads=1, unless threads are what it tests.
set(FMHAC_TEST_COSTS
  # seconds cores test
  "55 all check-fmhac"
  "23 1 driver/tune"
  "22 1 driver/bench"
  "20 2 install/tree"
  "17 1 e2e/large"
  "17 1 threads/jobs"
  "17 1 driver/tune-refusals"
  "16 1 driver/bad-input"
  "16 2 differential/written"
  "15 2 differential/random"
  "15 all e2e/random-schedules"
  "14 2 e2e/not-numbers"
  "14 1 threads/device-emu"
  "12 1 differential/audited"
  "11 1 e2e/mutate-waits"
  "11 1 driver/features"
  "10 1 e2e/grid-order"
  "10 1 driver/trace"
  "9 2 e2e/independent-scan"
  "8 1 jit/cache"
  "8 1 driver/run"
  "7 1 e2e/lines"
  "7 1 jit/test_process"
  "6 all e2e/fits"
  "6 1 e2e/schedules"
  "6 1 threads/device-hip"
  "6 1 e2e/layouts"
  "6 1 driver/usage"
  "5 all e2e/axes"
  "5 1 jit/test_job"
  "5 1 threads/launch-path"
  "4 2 e2e/barrier-sides"
  "4 1 jit/test_damage"
  "4 all e2e/refused-by-hand"
  "4 1 jit/test_allocator"
  "4 1 driver/from"
  "3 1 e2e/rows-causal"
  "3 1 e2e/rows-none"
  "3 2 e2e/swapped-waits"
  "3 all e2e/modes"
  "3 1 e2e/mutants-equivalence"
  "3 all e2e/axes-dualwave_1tile"
  "3 2 differential/detects"
  "3 all e2e/lazy-rescale"
  "2 all e2e/visited"
  "2 2 e2e/extremes"
  "2 all e2e/axes-dualwave"
  "2 all e2e/modes-dualwave"
  "2 all e2e/modes-dualwave_1tile"
  "2 all e2e/axes-dualwave_d96"
  "2 all e2e/axes-dualwave_sums"
  "2 all e2e/modes-dualwave_sums"
  "2 1 api/pages"
  "2 1 jit/test_text"
  "2 1 timing/observer"
  "1 all e2e/tails-dualwave_d96"
  "1 all e2e/modes-dualwave_d96"
  "1 all e2e/modes-dualwave_narrow"
  "1 all e2e/axes-dualwave_narrow"
  "1 1 driver/explain"
  "1 all e2e/mutants")

# fmhac_test_costs(): gives the tests of this folder their rows. At the end of a folder,
# as CMake 3.25 sets properties of a folder's own tests only.
function(fmhac_test_costs)
  cmake_host_system_information(RESULT host_cores QUERY NUMBER_OF_LOGICAL_CORES)
  get_property(tests DIRECTORY PROPERTY TESTS)
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
  get_property(known GLOBAL PROPERTY FMHAC_TESTS_WITH_COST)
  foreach(row IN LISTS FMHAC_TEST_COSTS)
    string(REGEX REPLACE "^.* " "" name "${row}")
    if(NOT name IN_LIST known AND NOT FMHAC_SANITIZE)
      message(FATAL_ERROR "test/costs.cmake: expected the name of a test in a folder that "
        "calls fmhac_test_costs(), found '${name}'")
    endif()
  endforeach()
endfunction()
