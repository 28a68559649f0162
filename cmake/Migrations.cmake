# Puts migrations/*.sql into the program, so that an installed binary needs no path to find them.
function(relayer_embed_migrations room)
  file(GLOB scripts CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/migrations/[0-9]*.sql")
  list(SORT scripts)
  set(out "${PROJECT_BINARY_DIR}/generated/embedded_migrations.cc")
  add_custom_command(
    OUTPUT "${out}"
    COMMAND ${CMAKE_COMMAND} "-DOUT=${out}" "-DSCRIPTS=${scripts}" -P
            "${CMAKE_CURRENT_SOURCE_DIR}/cmake/EmbedMigrations.cmake"
    DEPENDS ${scripts} "${CMAKE_CURRENT_SOURCE_DIR}/cmake/EmbedMigrations.cmake"
    COMMENT "Embedding migrations"
    VERBATIM)
  target_sources(relayer_${room} PRIVATE "${out}")
endfunction()
