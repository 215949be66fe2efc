# The extension module of the Python package, which pyproject.toml asks for: the library and the command line in one,
# with the page. `pip install .` compiles all of it; with STEPSCOPE_LIBRARIES_FROM, a build directory of another preset
# (of asan where STEPSCOPE_SANITIZE is set), what is compiled there is linked.
set(STEPSCOPE_LIBRARIES_FROM "" CACHE PATH "Build directory whose libraries the Python module links")

find_package(Python REQUIRED COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
find_package(nanobind CONFIG REQUIRED)
file(GLOB STEPSCOPE_PYTHON_SOURCES CONFIGURE_DEPENDS src/python/*.cc)
nanobind_add_module(_core STABLE_ABI NB_STATIC NOMINSIZE PROTECT_STACK NB_SUPPRESS_WARNINGS ${STEPSCOPE_PYTHON_SOURCES})
get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
list(FILTER targets INCLUDE REGEX "^nanobind-")  # its name says how it is built
foreach(library ${targets})
  target_compile_options(${library} PRIVATE -w)  # its warnings are none of ours
endforeach()
target_include_directories(_core PRIVATE include src)
target_compile_definitions(_core PRIVATE STEPSCOPE_VERSION="${PROJECT_VERSION}")
target_compile_options(_core PRIVATE $<$<CONFIG:Release>:-O1>)  # it passes on what others computed
stepscope_compile_together(_core)
if(STEPSCOPE_LIBRARIES_FROM)
  foreach(library stepscope_cli stepscope)
    list(APPEND built ${STEPSCOPE_LIBRARIES_FROM}/lib${library}.a)
  endforeach()
  target_link_libraries(_core PRIVATE ${built} PkgConfig::ISAL PkgConfig::XXHASH PkgConfig::SNAPPY PkgConfig::RE2
    PkgConfig::NGHTTP2 simdjson::simdjson Boost::url OpenSSL::SSL SQLite::SQLite3 ZLIB::ZLIB Threads::Threads)
else()
  target_link_libraries(_core PRIVATE stepscope_cli stepscope_core)
endif()
target_link_libraries(_core PRIVATE fmt::fmt)
if(STEPSCOPE_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_link_options(_core PRIVATE -shared-libsan)  # Python, which loads it, brings no runtime; GCC does so by itself
endif()
# Of all that is linked in, others see the module's entry alone.
target_link_options(_core PRIVATE -Wl,--exclude-libs,ALL)
set_property(TARGET _core PROPERTY CXX_VISIBILITY_PRESET hidden)
install(TARGETS _core LIBRARY DESTINATION stepscope COMPONENT python)
