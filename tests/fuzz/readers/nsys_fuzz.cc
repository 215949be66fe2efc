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
  static FuzzedTables tables({testing::kNsysTables});
  CheckDatabase(bytes, tables);
}

const fuzz::Register kTarget({.name = "nsys", .run = &Fuzz});

}  // namespace
}  // namespace stepscope::nsys_fuzz
