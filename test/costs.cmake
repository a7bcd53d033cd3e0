# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the longer tests take: `ctest -j` starts the longest first, and counts how many
# cores a test fills by itself. A test that is not here takes a few seconds on one core.
#
# Seconds are of one run on two cores that were busy with other work; only their order
# matters. To renew them:
#
#   ctest --test-dir build -j 2 --output-junit times.xml
#
# and take `time` of each testcase of build/times.xml. Cores are 1, 2, or `all` for a
# harness that starts a worker a core; such a harness gives the commands that it starts
# --threads=1, unless threads are what it tests.
set(FMHAC_TEST_COSTS
  # seconds cores test
  "352 2 differential/written"
  "327 2 differential/random"
  "219 1 e2e/mutate-waits"
  "172 1 threads/jobs"
  "159 all check-fmhac"
  "152 all e2e/visited"
  "133 1 e2e/large"
  "127 all e2e/fits"
  "113 1 e2e/lines"
  "111 all e2e/random-schedules"
  "103 1 e2e/grid-order"
  "99 1 jit/cache"
  "96 1 threads/device-emu"
  "75 all e2e/refused-by-hand"
  "68 1 e2e/mutants-equivalence"
  "63 1 jit/test_process"
  "63 all e2e/axes"
  "58 all e2e/modes-dualwave"
  "55 all e2e/modes-dualwave_sums"
  "54 all e2e/modes-dualwave_1tile"
  "52 1 e2e/layouts"
  "50 1 jit/test_allocator"
  "47 1 jit/test_job"
  "44 2 install/tree"
  "43 1 driver/bad-input"
  "34 1 differential/audited"
  "31 1 jit/test_damage"
  "30 all e2e/lazy-rescale"
  "29 all e2e/modes"
  "28 1 threads/launch-path"
  "25 1 threads/device-hip"
  "25 all e2e/modes-dualwave_narrow"
  "23 2 differential/detects"
  "19 all e2e/axes-dualwave"
  "18 1 driver/bench"
  "16 1 jit/test_text"
  "16 1 driver/tune"
  "14 all e2e/axes-dualwave_sums"
  "14 all e2e/axes-dualwave_1tile"
  "13 1 driver/tune-refusals"
  "13 1 e2e/rows-causal"
  "13 1 e2e/rows-none"
  "12 1 timing/observer"
  "12 1 api/pages"
  "10 1 driver/features"
  "10 all e2e/axes-dualwave_narrow"
  "8 1 e2e/schedules"
  "3 all e2e/mutants")

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
