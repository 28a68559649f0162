# `cpack --config build/release/CPackConfig.cmake`: a Debian package of the server alone, for the Debian
# that it was built on. Who embeds the module takes `cmake --install`.
set(etc "/etc/drogon-relayer")
install(FILES config.json deploy/debian/environment DESTINATION "${etc}" COMPONENT package EXCLUDE_FROM_ALL)
install(FILES deploy/systemd/drogon-relayer.service DESTINATION lib/systemd/system
        COMPONENT package EXCLUDE_FROM_ALL)
install_documents(share/doc/drogon-relayer COMPONENT package EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME drogon-relayer)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Durable relayer between HTTP clients and a gateway chain")
set(CPACK_PACKAGE_DESCRIPTION
  "Takes requests over HTTP, keeps each one in PostgreSQL, carries it to a transaction\n on a gateway chain, and serves the answer to who polls for it.")
set(CPACK_PACKAGE_CONTACT "drogon-relayer maintainers <root@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
# Of all that `cmake --install` knows, the server and what belongs to a machine that runs it.
set(CPACK_COMPONENTS_ALL server package)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "adduser, ca-certificates")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "postgresql")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "nginx")
set(debian "${PROJECT_SOURCE_DIR}/deploy/debian")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  "${debian}/postinst;${debian}/prerm;${debian}/postrm;${debian}/conffiles")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
