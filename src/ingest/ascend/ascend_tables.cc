// Implements the meaning of numbers.
#include "ingest/ascend/ascend_tables.h"

#include <algorithm>
#include <array>

namespace stepscope::ascend {

std::string_view ElementTypeOf(int64_t hccl_type) {
  constexpr std::array<std::string_view, 12> kTypes = {"Char",   "Short",  "Int",    "Half",
                                                       "Float",  "Long",   "UInt64", "Byte",
                                                       "UInt16", "UInt32", "Double", "BFloat16"};
  constexpr int64_t kFp8E4M3 = 15, kFp8E5M2 = 16;
  if (hccl_type == kFp8E4M3) return "Float8_e4m3fn";
  if (hccl_type == kFp8E5M2) return "Float8_e5m2";
  const bool known = hccl_type >= 0 && hccl_type < static_cast<int64_t>(kTypes.size());
  return known ? kTypes[static_cast<size_t>(hccl_type)] : "";
}

std::string_view CopyNameOf(int64_t operation) {
  constexpr std::array<std::string_view, 8> kNames = {
      "Memcpy HtoH", "Memcpy HtoD", "Memcpy DtoH", "Memcpy DtoD", "",
      "Memcpy DtoD", "Memcpy HtoD", "Memcpy DtoH"};
  const bool known = operation >= 0 && operation < static_cast<int64_t>(kNames.size());
  return known ? kNames[static_cast<size_t>(operation)] : "";
}

bool IsShapeList(std::string_view shapes) {
  return !shapes.empty() && std::ranges::all_of(shapes, [](char c) {
    return std::string_view("0123456789,;").contains(c);
  });
}

}  // namespace stepscope::ascend
