# What `cmake --install` brings: the program, and the module for applications that embed it. The rooms
# become one archive, of which an application takes all members: see docs/embedding.md.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY RELAYER_ROOMS)
add_library(relayer_archive STATIC)
set_target_properties(relayer_archive PROPERTIES
  OUTPUT_NAME drogon_relayer EXPORT_NAME archive LINKER_LANGUAGE CXX)
foreach(room IN LISTS rooms)
  target_sources(relayer_archive PRIVATE $<TARGET_OBJECTS:${room}>)
endforeach()

# Whoever builds the program alone, as ./run does, may install: of the archive only `ar` is left to do.
add_dependencies(relayer relayer_archive)

set(share "${CMAKE_INSTALL_DATADIR}/drogon-relayer")
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/drogon_relayer")
install(TARGETS relayer RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT server)
install(TARGETS relayer_archive EXPORT drogon_relayer ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT drogon_relayer NAMESPACE drogon_relayer:: DESTINATION "${package}")
# The second is for who writes a library that proves shares, in C.
install(FILES drogon_relayer/module.h plugins/share_library_abi.h
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/drogon_relayer")
# For reading: the program holds them.
file(GLOB migrations CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/migrations/[0-9]*.sql")
install(FILES ${migrations} DESTINATION "${share}/migrations")
install(FILES deploy/completion/relayer.bash RENAME relayer
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT server)
install(FILES docs/man/relayer.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT server)
# The documents, and whatever they link to, in the same places to each other as in the tree.
function(install_documents destination)
  install(FILES README.md CONTRIBUTING.md config.json DESTINATION "${destination}" ${ARGN})
  install(FILES devnet/README.md DESTINATION "${destination}/devnet" ${ARGN})
  install(FILES plugins/share_library_abi.h plugins/prover_process.h
          DESTINATION "${destination}/plugins" ${ARGN})
  install(DIRECTORY examples DESTINATION "${destination}" ${ARGN})
  install(DIRECTORY docs DESTINATION "${destination}" ${ARGN} PATTERN man EXCLUDE)
  install(DIRECTORY deploy DESTINATION "${destination}" ${ARGN}
          PATTERN completion EXCLUDE PATTERN debian EXCLUDE)
endfunction()
install_documents("${CMAKE_INSTALL_DOCDIR}")

# Where the Drogon is that the archive was compiled with: seldom where others look.
get_filename_component(drogon_folder "${Drogon_DIR}" REALPATH)
get_filename_component(RELAYER_DROGON_PREFIX "${drogon_folder}/../../.." ABSOLUTE)
configure_package_config_file(cmake/drogon_relayerConfig.cmake.in
  "${CMAKE_BINARY_DIR}/drogon_relayerConfig.cmake" INSTALL_DESTINATION "${package}"
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/drogon_relayerConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/drogon_relayerConfig.cmake"
              "${CMAKE_BINARY_DIR}/drogon_relayerConfigVersion.cmake" DESTINATION "${package}")

set(RELAYER_DROGON_FLAGS "")
set(RELAYER_DROGON_LIBS "-ldrogon -ltrantor")
if(NOT RELAYER_DROGON_PREFIX STREQUAL "/usr")
  set(RELAYER_DROGON_FLAGS "-I${RELAYER_DROGON_PREFIX}/include")
  set(RELAYER_DROGON_LIBS "-L${RELAYER_DROGON_PREFIX}/lib ${RELAYER_DROGON_LIBS}")
endif()
# Relative, as what stands in the CMake package: --prefix may put it anywhere.
file(RELATIVE_PATH RELAYER_UP_FROM_PKGCONFIG "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/drogon_relayer.pc.in "${CMAKE_BINARY_DIR}/drogon_relayer.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/drogon_relayer.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
