// Reads single values of tables.
#include "ingest/nsys/nsys_tables.h"

#include <utility>

namespace stepscope::nsys {

std::string ValueIn(const DatabaseFile& file, std::string_view table, std::string_view name) {
  constexpr auto kColumns = std::to_array<std::string_view>({"name", "value"});
  Rows rows = file.Read(table, kColumns);
  while (rows.Next()) {
    if (rows.Text(0) == name) return std::string(rows.Text(1));
  }
  return {};
}

int32_t Small(std::optional<int64_t> value) {
  return value && *value >= 0 && std::in_range<int32_t>(*value) ? static_cast<int32_t>(*value) : -1;
}

}  // namespace stepscope::nsys
