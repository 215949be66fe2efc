# Read by CPack for each kind of package: only the archive brings libraries along.
set(CPACK_COMPONENTS_ALL all)
if(CPACK_GENERATOR STREQUAL "TGZ")
  list(APPEND CPACK_COMPONENTS_ALL bundled)
endif()
