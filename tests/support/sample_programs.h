// Builds entries of a profile's table of compiled programs, for tests.
#pragma once

#include <string>
#include <string_view>

#include "tests/support/sample_hlo.h"

namespace stepscope {

inline std::string ProgramEntry(std::string_view name, const std::string& program) {
  return ProtoOf([&](pbf_writer& w) {
    w.add_uint64(1, 17);
    pbf_writer metadata(w, 2);
    metadata.add_string(2, name);
    pbf_writer stat(metadata, 5);
    stat.add_uint64(1, 1);
    stat.add_string(6, program);
  });
}

}  // namespace stepscope
