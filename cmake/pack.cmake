# Read by CPack for each kind of package: only the archive brings libraries along, in a directory of its own. Debian's
# package unpacks into /usr.
set(CPACK_COMPONENTS_ALL all)
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY OFF)
if(CPACK_GENERATOR STREQUAL "TGZ")
  list(APPEND CPACK_COMPONENTS_ALL bundled)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
