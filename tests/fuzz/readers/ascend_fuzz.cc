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
  static FuzzedTables tables({testing::kAscendTables, testing::kAscendRows});
  CheckDatabase(bytes, tables);
}

const fuzz::Register kTarget({.name = "ascend", .run = &Fuzz});

}  // namespace
}  // namespace stepscope::ascend_fuzz
