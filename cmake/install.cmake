# What is installed and packed: the program with its manual page and completions, the library and the
# recorder with headers and a CMake package, and for the archive the libraries that the program needs.
include(CMakePackageConfigHelpers)

# Manual page and completions, as the program prints them; `./dev package` builds this.
set(made ${PROJECT_BINARY_DIR}/documentation)
add_custom_target(documentation
  COMMAND ${CMAKE_COMMAND} -E make_directory ${made}
  COMMAND stepscope man > ${made}/stepscope.1
  COMMAND stepscope completions bash > ${made}/stepscope
  COMMAND stepscope completions zsh > ${made}/_stepscope
  COMMAND stepscope completions fish > ${made}/stepscope.fish
  COMMENT "Printing the manual page and completions")
install(FILES ${made}/stepscope.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT all OPTIONAL)
install(FILES ${made}/stepscope DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  COMPONENT all OPTIONAL)
install(FILES ${made}/_stepscope DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
  COMPONENT all OPTIONAL)
install(FILES ${made}/stepscope.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
  COMPONENT all OPTIONAL)

# DT_RPATH, not DT_RUNPATH: libraries in the archive find each other by it too.
# The build has the same: room for it would be empty entries, which stand for the current directory.
set_target_properties(stepscope PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/stepscope" BUILD_WITH_INSTALL_RPATH ON)
target_link_options(stepscope PRIVATE -Wl,--disable-new-dtags)
set_target_properties(stepscope_core PROPERTIES EXPORT_NAME stepscope)
set_target_properties(stepscope_goodput PROPERTIES EXPORT_NAME goodput)
install(TARGETS stepscope RUNTIME_DEPENDENCY_SET needed RUNTIME COMPONENT all)
install(TARGETS stepscope_core stepscope_goodput EXPORT stepscope LIBRARY COMPONENT all ARCHIVE COMPONENT all)
# Debian's package names these as dependencies; the archive brings all but those of glibc and GCC,
# which every Debian has.
install(RUNTIME_DEPENDENCY_SET needed
  PRE_EXCLUDE_REGEXES "ld-linux" "^lib(c|m|gcc_s|stdc\\+\\+)\\.so"
  POST_INCLUDE_REGEXES "^/(usr/)?lib/"
  LIBRARY DESTINATION lib/stepscope COMPONENT bundled EXCLUDE_FROM_ALL)
# DuckDB, where ./dev build has it, answers queries; elsewhere they say how to get it.
set(duckdb ${PROJECT_SOURCE_DIR}/build/duckdb)
install(FILES ${duckdb}/libduckdb.so DESTINATION lib/stepscope COMPONENT bundled OPTIONAL EXCLUDE_FROM_ALL)
install(FILES ${duckdb}/LICENSE RENAME LICENSE.duckdb DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/stepscope
  COMPONENT bundled OPTIONAL EXCLUDE_FROM_ALL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/stepscope DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT all)
# Questions about a fleet, and dashboards of them.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/deploy/fleet DESTINATION ${CMAKE_INSTALL_DATADIR}/stepscope
  COMPONENT all)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/stepscope COMPONENT all)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/stepscope)
install(EXPORT stepscope NAMESPACE stepscope:: DESTINATION ${package} FILE stepscopeTargets.cmake
  COMPONENT all)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/stepscopeConfig.cmake.in
  ${PROJECT_BINARY_DIR}/stepscopeConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stepscopeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stepscopeConfig.cmake
  ${PROJECT_BINARY_DIR}/stepscopeConfigVersion.cmake DESTINATION ${package} COMPONENT all)

# Packing builds nothing: ./dev package has built what is packed, and tests are not.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME stepscope)
set(CPACK_PACKAGE_VENDOR Stepscope)
set(CPACK_PACKAGE_CONTACT "Stepscope developers <stepscope@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Shows where training time goes and what to change")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_SOURCE_DIR}/build/package)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/pack.cmake)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# A ledger in PostgreSQL needs the first; the library's users link the others.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libpq5)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, pkg-config, libfmt-dev, libsimdjson-dev, libisal-dev, \
libxxhash-dev, libsnappy-dev, libre2-dev, libboost-url1.81-dev, libssl-dev, libnghttp2-dev, libsqlite3-dev, zlib1g-dev")
include(CPack)
