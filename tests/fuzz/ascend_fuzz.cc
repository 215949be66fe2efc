// Fuzzes the way from SQL that fills a database of Ascend's profiler, or its bytes, to a recording.
//
// Beside crashes and sanitizer reports it looks for events that a trace must not hold.
#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/sqlite/database_file.h"
#include "tests/ascend_tables.h"
#include "tests/fuzz/recordings.h"
#include "tests/fuzz/sql_database.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (LooksLikeSqlite(bytes)) {
    CheckRecordings(bytes);
  } else {
    const std::string database = DatabaseOf({testing::kAscendTables, testing::kAscendRows}, bytes);
    if (!database.empty()) CheckRecordings(database);
  }
  return 0;
}
