# The version and the commit that /version reports: written at each build, rewritten only when it changes.
function(relayer_build_info room)
  set(out "${PROJECT_BINARY_DIR}/generated/build_info.cc")
  add_custom_target(relayer_build_info
    COMMAND ${CMAKE_COMMAND} "-DOUT=${out}" "-DVERSION=${PROJECT_VERSION}"
            "-DSOURCE=${CMAKE_CURRENT_SOURCE_DIR}" -P
            "${CMAKE_CURRENT_SOURCE_DIR}/cmake/WriteBuildInfo.cmake"
    BYPRODUCTS "${out}"
    VERBATIM)
  add_dependencies(relayer_${room} relayer_build_info)
  target_sources(relayer_${room} PRIVATE "${out}")
endfunction()
