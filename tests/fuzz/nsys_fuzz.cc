// Fuzzes the way from the bytes of an SQLite database to the recordings of a report.
//
// Beside crashes and sanitizer reports it looks for events that a trace must not hold. Bytes that
// begin with no database are read as SQL that fills one.
#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/sqlite/database_file.h"
#include "tests/fuzz/recordings.h"
#include "tests/fuzz/sql_database.h"
#include "tests/nsys_tables.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (LooksLikeSqlite(bytes)) {
    CheckRecordings(bytes);
  } else {
    const std::string database = DatabaseOf({testing::kNsysTables}, bytes);
    if (!database.empty()) CheckRecordings(database);
  }
  return 0;
}
