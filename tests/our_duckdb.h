// Where tests find the DuckDB that ./dev build has got.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/paths.h"

namespace stepscope::testing {

// Call it before anything asks: the library is looked for once in a process.
inline void UseOurDuckDb() {
  const std::string ours = SourceDir() + "/build/duckdb/libduckdb.so";
  if (std::getenv("STEPSCOPE_DUCKDB") == nullptr && std::filesystem::exists(ours))
    setenv("STEPSCOPE_DUCKDB", ours.c_str(), 1);
}

}  // namespace stepscope::testing
