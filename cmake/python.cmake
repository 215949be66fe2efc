# The extension module of the Python package, which pyproject.toml asks for: the library and the command line in one,
# with the page. `pip install .` compiles all of it; with STEPSCOPE_LIBRARIES_FROM, a build directory of the release
# preset, what is compiled there is linked.
set(STEPSCOPE_LIBRARIES_FROM "" CACHE PATH "Build directory whose libraries the Python module links")

find_package(Python REQUIRED COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
find_package(nanobind CONFIG REQUIRED)
file(GLOB STEPSCOPE_PYTHON_SOURCES CONFIGURE_DEPENDS src/python/*.cc)
nanobind_add_module(_core STABLE_ABI NB_STATIC NOMINSIZE PROTECT_STACK NB_SUPPRESS_WARNINGS ${STEPSCOPE_PYTHON_SOURCES})
foreach(library nanobind-static nanobind-static-abi3)
  if(TARGET ${library})
    target_compile_options(${library} PRIVATE -w)  # its warnings are none of ours
  endif()
endforeach()
target_include_directories(_core PRIVATE include src)
target_compile_definitions(_core PRIVATE STEPSCOPE_VERSION="${PROJECT_VERSION}")
target_compile_options(_core PRIVATE $<$<CONFIG:Release>:-O1>)  # it passes on what others computed
if(STEPSCOPE_LIBRARIES_FROM)
  foreach(library stepscope_cli stepscope)
    list(APPEND built ${STEPSCOPE_LIBRARIES_FROM}/lib${library}.a)
  endforeach()
  target_link_libraries(_core PRIVATE ${built} PkgConfig::ISAL PkgConfig::XXHASH PkgConfig::SNAPPY PkgConfig::RE2
    PkgConfig::HWY simdjson::simdjson Boost::url OpenSSL::SSL SQLite::SQLite3 ZLIB::ZLIB Threads::Threads)
else()
  target_link_libraries(_core PRIVATE stepscope_cli stepscope_core)
endif()
target_link_libraries(_core PRIVATE fmt::fmt)
# Of all that is linked in, others see the module's entry alone.
target_link_options(_core PRIVATE -Wl,--exclude-libs,ALL)
set_property(TARGET _core PROPERTY CXX_VISIBILITY_PRESET hidden)
install(TARGETS _core LIBRARY DESTINATION stepscope COMPONENT python)
