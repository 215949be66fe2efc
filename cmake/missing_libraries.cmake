# Says at once which libraries a machine lacks, and how Debian brings them: find_package() stops at the first.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/debian-packages.txt STEPSCOPE_PACKAGES)  # what building needs there
set(STEPSCOPE_MISSING "")
foreach(header
    isa-l.h hwy/highway.h simdjson.h CLI/CLI.hpp fmt/format.h nlohmann/json.hpp toml.hpp xxhash.h snappy.h re2/re2.h
    protozero/pbf_reader.hpp boost/url.hpp openssl/ssl.h nghttp2/nghttp2.h zlib.h sqlite3.h libpq-fe.h)
  string(MAKE_C_IDENTIFIER ${header} name)
  find_path(STEPSCOPE_HEADER_${name} ${header} PATH_SUFFIXES postgresql)
  mark_as_advanced(STEPSCOPE_HEADER_${name})
  if(NOT STEPSCOPE_HEADER_${name})
    string(APPEND STEPSCOPE_MISSING " ${header}")
  endif()
endforeach()
find_program(STEPSCOPE_PKG_CONFIG pkg-config)
if(NOT STEPSCOPE_PKG_CONFIG)
  string(APPEND STEPSCOPE_MISSING " pkg-config")
endif()
if(STEPSCOPE_MISSING)
  list(JOIN STEPSCOPE_PACKAGES " " packages)
  message(FATAL_ERROR "Stepscope cannot be built here: there is no${STEPSCOPE_MISSING}. On Debian 12:\n"
    "  apt-get install ${packages}\n")
endif()
