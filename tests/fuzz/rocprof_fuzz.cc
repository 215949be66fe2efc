// Fuzzes the way from what rocprofv3 writes to recordings: JSON, and SQL that fills a database.
//
// Beside crashes and sanitizer reports it looks for events that a trace must not hold.
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/fuzz/recordings.h"
#include "tests/fuzz/sql_database.h"
#include "tests/rocpd_tables.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with('{')) {
    CheckRecordings(bytes);
  } else {
    const std::string database = DatabaseOf({testing::kRocpdTables, testing::kRocpdNames}, bytes);
    if (!database.empty()) CheckRecordings(database);
  }
  return 0;
}
