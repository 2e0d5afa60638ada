# Checks with Atropos as tests of CTest.
#
#   include(Atropos)
#   atropos_add_test(NAME queue SOURCES tests/queue_driver.c src/queue.c [OPTIONS --model rc11] [FLAGS -DN=2])
#
# Each file is compiled as the build compiles it; a driver that is no part of the build has the flags of the first file
# that is. The test fails if Atropos finds a violation, or reaches no verdict. If `atropos` is not in the path, set
# ATROPOS_COMMAND.

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_program(ATROPOS_COMMAND atropos)

function(atropos_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "SOURCES;OPTIONS;FLAGS")
  if(NOT ARG_NAME OR NOT ARG_SOURCES)
    message(FATAL_ERROR "atropos_add_test needs NAME and SOURCES")
  endif()
  if(NOT ATROPOS_COMMAND)
    message(STATUS "atropos was not found, so the test ${ARG_NAME} is left out")
    return()
  endif()
  add_test(
    NAME ${ARG_NAME}
    COMMAND ${ATROPOS_COMMAND} check -p ${CMAKE_BINARY_DIR} ${ARG_OPTIONS} ${ARG_SOURCES} -- ${ARG_FLAGS}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
endfunction()
