# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A room is a folder of C files. Its files see the headers of their own folder and
# those of the rooms that it uses, and of the rooms that these use, and the public
# headers that its target links; an include of another room does not compile. A room is declared after the rooms that it uses, so
# that no circle of rooms can be written down.
#
# fmhac_room(FOLDER [USES ROOM…]): declares the room in FOLDER of this directory;
# rooms are named by their paths from the top of the tree. The targets of its sources
# must belong to this directory.
function(fmhac_room folder)
  cmake_parse_arguments(room "" "" "USES" ${ARGN})
  if(room_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "room ${folder}: expected USES ROOM…, found ${room_UNPARSED_ARGUMENTS}")
  endif()
  cmake_path(SET path NORMALIZE ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  string(REGEX REPLACE "/$" "" path ${path})
  file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${path})
  set(includes ${path})
  foreach(other IN LISTS room_USES)
    get_property(declared GLOBAL PROPERTY FMHAC_ROOM_${other} SET)
    if(NOT declared)
      message(FATAL_ERROR "room ${name}: expected '${other}' to be declared before it")
    endif()
    get_property(its GLOBAL PROPERTY FMHAC_ROOM_${other})
    list(APPEND includes ${its})
  endforeach()
  list(REMOVE_DUPLICATES includes)
  set_property(GLOBAL PROPERTY FMHAC_ROOM_${name} "${includes}")
  file(GLOB sources CONFIGURE_DEPENDS ${path}/*.c)
  if(sources)
    set_source_files_properties(${sources} PROPERTIES INCLUDE_DIRECTORIES "${includes}")
  endif()
  set_property(DIRECTORY APPEND PROPERTY FMHAC_ROOM_SOURCES ${sources})
  set_property(DIRECTORY APPEND PROPERTY FMHAC_ROOM_FOLDERS ${path})
endfunction()

# fmhac_room_sources(OUT): the sources of all rooms of this directory.
function(fmhac_room_sources out)
  get_property(sources DIRECTORY PROPERTY FMHAC_ROOM_SOURCES)
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# fmhac_room_internals(TARGET): an interface with the headers of all rooms of this
# directory, for the tests of its parts.
function(fmhac_room_internals target)
  get_property(folders DIRECTORY PROPERTY FMHAC_ROOM_FOLDERS)
  add_library(${target} INTERFACE)
  target_include_directories(${target} INTERFACE ${folders})
endfunction()
