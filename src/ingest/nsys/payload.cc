// Finds NCCL's fields by the names that it registers for them.
#include "ingest/nsys/payload.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

namespace stepscope::nsys {
namespace {

constexpr size_t kMostSchemas = 10'000;
constexpr size_t kMostFields = 100;
constexpr size_t kLongestJson = 64 << 10;

// Of NVTX's payload entry types those that NCCL's fields have, and their sizes.
constexpr size_t SizeOfType(int64_t type) {
  switch (type) {
    case 4:  // int32
    case 5:  // uint32
    case 17:
      return 4;
    case 18:  // uint64
    case 22:  // size_t
      return 8;
    default:
      return 0;
  }
}

void Take(std::string_view name, uint64_t value, Payload& payload) {
  const bool fits = value <= INT64_MAX;
  if (name == "NCCL communicator ID") payload.communicator = value;
  if (name == "Message size [bytes]" && fits) payload.bytes = static_cast<int64_t>(value);
  if (name == "No. of ranks" && fits) payload.ranks = static_cast<int64_t>(value);
  if (name == "Rank" && fits) payload.rank = static_cast<int64_t>(value);
}

// Numbers are written as such, or as text with commas: "7,123,456".
std::optional<uint64_t> NumberOf(const nlohmann::json& value) {
  if (value.is_number_unsigned()) return value.get<uint64_t>();
  if (!value.is_string()) return std::nullopt;
  std::string digits;
  for (const char c : value.get_ref<const std::string&>()) {
    if (c != ',') digits += c;
  }
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

uint64_t LittleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i - 1]);
  return value;
}

}  // namespace

Payload PayloadOfJson(std::string_view json) {
  Payload payload;
  if (json.size() > kLongestJson || !json.starts_with('{')) return payload;
  // Flat, whatever is nested deeper is not read.
  const auto parsed = nlohmann::json::parse(
      json, [](int depth, auto, auto&) { return depth <= 2; }, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return payload;
  for (const auto& [name, value] : parsed.items()) {
    if (const auto number = NumberOf(value)) Take(name, *number, payload);
  }
  return payload;
}

PayloadSchemas::PayloadSchemas(const DatabaseFile& file) {
  constexpr auto kColumns =
      std::to_array<std::string_view>({"domainId", "schemaId", "type", "name", "offset"});
  Rows rows = file.Read("NVTX_PAYLOAD_SCHEMA_ENTRIES", kColumns);
  while (rows.Next()) {
    const std::pair key{rows.Int(0).value_or(0), rows.Int(1).value_or(0)};
    const size_t bytes = SizeOfType(rows.Int(2).value_or(0));
    const int64_t offset = rows.Int(4).value_or(0);
    if (bytes == 0 || offset < 0) continue;
    if (schemas_.size() >= kMostSchemas && !schemas_.contains(key)) continue;
    auto& fields = schemas_[key];
    if (fields.size() < kMostFields)
      fields.push_back({static_cast<uint64_t>(offset), bytes, std::string(rows.Text(3))});
  }
}

// A header of 32 bytes, in which the domain is at 0 and the schema at 8, and the payload.
Payload PayloadSchemas::Of(std::string_view bytes) const {
  constexpr size_t kHeader = 32;
  Payload payload;
  if (bytes.size() < kHeader) return payload;
  const auto schema = schemas_.find({static_cast<int64_t>(LittleEndian(bytes.substr(0, 4))),
                                     static_cast<int64_t>(LittleEndian(bytes.substr(8, 4)))});
  if (schema == schemas_.end()) return payload;
  const std::string_view content = bytes.substr(kHeader);
  for (const Field& field : schema->second) {
    if (field.offset > content.size() || content.size() - field.offset < field.bytes) continue;
    Take(field.name, LittleEndian(content.substr(field.offset, field.bytes)), payload);
  }
  return payload;
}

}  // namespace stepscope::nsys
