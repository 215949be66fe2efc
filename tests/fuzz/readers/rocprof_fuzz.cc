// Fuzzes the way from the bytes of what rocprofv3 writes, JSON or a database, to recordings.
//
// Beside crashes and sanitizer reports it looks for events that a trace must not hold. Other bytes
// say with which rows, or by which SQL, a database is filled.
#include <string_view>

#include "tests/fuzz/recordings.h"
#include "tests/fuzz/sql_database.h"
#include "tests/fuzz/target.h"
#include "tests/rocpd_tables.h"

namespace stepscope::rocprof_fuzz {
namespace {

void Fuzz(std::string_view bytes) {
  static FuzzedDatabases databases({testing::kRocpdTables, testing::kRocpdNames},
                                   [](size_t table) { return table == 1 || table == 9; });
  if (bytes.starts_with('{')) return CheckRecordings(bytes);
  CheckDatabase(bytes, databases);
}

const fuzz::Register kTarget({.name = "rocprof", .run = &Fuzz, .form = fuzz::Form::kJsonOrRows});

}  // namespace
}  // namespace stepscope::rocprof_fuzz
