# Compiling several sources as one: tools/unity_groups says which may be.

# stepscope_compile_together(TARGET): with STEPSCOPE_UNITY, in groups. The groups depend on the names in
# the sources, so that a change of one configures anew, which takes a second.
function(stepscope_compile_together target)
  if(NOT STEPSCOPE_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/.*\\.cc$")
  list(FILTER sources EXCLUDE REGEX "^${CMAKE_BINARY_DIR}/")
  execute_process(COMMAND ${STEPSCOPE_PYTHON} ${PROJECT_SOURCE_DIR}/tools/unity_groups ${sources}
    OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" groups "${groups}")
  while(groups)
    list(POP_FRONT groups group source)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endwhile()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${sources} ${PROJECT_SOURCE_DIR}/tools/unity_groups)
endfunction()
