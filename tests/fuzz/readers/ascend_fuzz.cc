// Fuzzes the way from the bytes of a database of Ascend's profiler to its recording.
//
// Beside crashes and sanitizer reports it looks for events that a trace must not hold. Other bytes
// say with which rows, or by which SQL, a database is filled.
#include <string_view>

#include "tests/ascend_tables.h"
#include "tests/fuzz/sql_database.h"
#include "tests/fuzz/target.h"

namespace stepscope::ascend_fuzz {
namespace {

void Fuzz(std::string_view bytes) {
  static FuzzedDatabases databases({testing::kAscendTables, testing::kAscendRows},
                                   [](size_t table) { return table == 0 || table == 5; });
  CheckDatabase(bytes, databases);
}

const fuzz::Register kTarget({.name = "ascend", .run = &Fuzz, .form = fuzz::Form::kRows});

}  // namespace
}  // namespace stepscope::ascend_fuzz
