// Fuzzes the way from the bytes of an SQLite database to the recordings of a report of Nsight
// Systems.
//
// Beside crashes and sanitizer reports it looks for events that a trace must not hold. Other bytes
// say with which rows, or by which SQL, a database is filled.
#include <string_view>

#include "tests/fuzz/sql_database.h"
#include "tests/fuzz/target.h"
#include "tests/nsys_tables.h"

namespace stepscope::nsys_fuzz {
namespace {

void Fuzz(std::string_view bytes) {
  static FuzzedDatabases databases({testing::kNsysTables}, [](size_t table) { return table == 0; });
  CheckDatabase(bytes, databases);
}

const fuzz::Register kTarget({.name = "nsys", .run = &Fuzz, .form = fuzz::Form::kRows});

}  // namespace
}  // namespace stepscope::nsys_fuzz
