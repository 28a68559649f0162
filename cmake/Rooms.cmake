# A room is a folder at the root and one object library. Its include path holds only the rooms it
# uses (a room inside a room, FOLDER, has the door of the outer one, which leaves it out, EXCEPT): for each room the build keeps a folder with a single link to the sources, so that
# `#include "core/lifecycle.h"` finds core/ from a room that uses core, and nothing from one that does not.
function(relayer_room name)
  cmake_parse_arguments(room "OURS_ONLY" "FOLDER;EXCEPT" "USES;LIBRARIES" ${ARGN})
  if(NOT room_FOLDER)
    set(room_FOLDER ${name})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
       "${CMAKE_CURRENT_SOURCE_DIR}/${room_FOLDER}/*.cc" "${CMAKE_CURRENT_SOURCE_DIR}/${room_FOLDER}/*.h")
  if(room_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "/${room_FOLDER}/${room_EXCEPT}/")
  endif()

  if(NOT sources)
    return()   # a room nobody lives in yet
  endif()

  string(REGEX REPLACE "/.*" "" top "${room_FOLDER}")
  set(door "${PROJECT_BINARY_DIR}/rooms/${top}")
  file(MAKE_DIRECTORY "${door}")
  file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}/${top}" "${door}/${top}" SYMBOLIC)

  add_library(relayer_${name} OBJECT ${sources})
  set_target_properties(relayer_${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(relayer_${name} PUBLIC "${door}")
  foreach(used IN LISTS room_USES)
    target_include_directories(relayer_${name} PUBLIC "${PROJECT_BINARY_DIR}/rooms/${used}")
  endforeach()
  target_link_libraries(relayer_${name} PUBLIC ${room_LIBRARIES})
  relayer_warnings(relayer_${name})
  set(generated ${sources})
  list(FILTER generated INCLUDE REGEX "/generated/")
  if(generated)
    set_property(SOURCE ${generated} PROPERTY COMPILE_OPTIONS -w)
  endif()
  if(NOT room_OURS_ONLY)   # else our own program links it, and the module does without
    set_property(GLOBAL APPEND PROPERTY RELAYER_ROOMS relayer_${name})
  endif()
endfunction()

function(relayer_module_of_rooms module)
  get_property(rooms GLOBAL PROPERTY RELAYER_ROOMS)
  foreach(room IN LISTS rooms)
    target_sources(${module} INTERFACE $<TARGET_OBJECTS:${room}>)
    target_include_directories(${module} INTERFACE
      $<TARGET_PROPERTY:${room},INTERFACE_INCLUDE_DIRECTORIES>)
    target_link_libraries(${module} INTERFACE
      $<TARGET_PROPERTY:${room},INTERFACE_LINK_LIBRARIES>)
  endforeach()
endfunction()
