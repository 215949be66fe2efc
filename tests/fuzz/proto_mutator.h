// Changes messages of protocol buffers as trees of fields, so that lengths stay right: fields are
// dropped, copied, swapped and moved, and their values changed.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/fuzz/chance.h"

namespace stepscope::fuzz {

struct ProtoField {
  uint32_t number = 0;
  uint32_t wire = 0;               // type: 0 varint, 1 eight bytes, 2 with a length, 5 four bytes
  uint64_t value = 0;              // of wire 0
  std::string bytes;               // of others, if they are not a message
  std::vector<ProtoField> fields;  // of a message
};

inline std::optional<uint64_t> TakeVarint(std::string_view& bytes) {
  uint64_t value = 0;
  for (size_t k = 0; k < 10 && k < bytes.size(); ++k) {
    const auto byte = static_cast<uint8_t>(bytes[k]);
    value |= static_cast<uint64_t>(byte & 127) << (7 * k);
    if (byte < 128) {
      bytes.remove_prefix(k + 1);
      return value;
    }
  }
  return std::nullopt;
}

inline std::optional<std::vector<ProtoField>> ParseProto(std::string_view bytes, int depth = 0) {
  std::vector<ProtoField> fields;
  while (!bytes.empty()) {
    const auto key = TakeVarint(bytes);
    if (!key || *key >> 3 == 0 || *key >> 32 != 0) return std::nullopt;
    ProtoField field{.number = static_cast<uint32_t>(*key >> 3),
                     .wire = static_cast<uint32_t>(*key & 7)};
    size_t size = field.wire == 1 ? 8 : field.wire == 5 ? 4 : 0;
    if (field.wire == 0 || field.wire == 2) {
      const auto value = TakeVarint(bytes);
      if (!value) return std::nullopt;
      field.value = *value;
      if (field.wire == 2) size = *value <= bytes.size() ? *value : SIZE_MAX;
    } else if (size == 0) {
      return std::nullopt;
    }
    if (size > bytes.size()) return std::nullopt;
    const std::string_view part = bytes.substr(0, size);
    bytes.remove_prefix(size);
    std::optional<std::vector<ProtoField>> inner;
    if (field.wire == 2 && !part.empty() && depth < 10) inner = ParseProto(part, depth + 1);
    if (inner) {
      field.fields = std::move(*inner);
    } else {
      field.bytes = part;
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

inline void PutVarint(uint64_t value, std::string& out) {
  for (; value >= 128; value >>= 7) out += static_cast<char>(value | 128);
  out += static_cast<char>(value);
}

inline void WriteProto(const std::vector<ProtoField>& fields, std::string& out) {
  for (const ProtoField& field : fields) {
    PutVarint(uint64_t{field.number} << 3 | field.wire, out);
    if (field.wire == 0) {
      PutVarint(field.value, out);
      continue;
    }
    std::string inner;
    WriteProto(field.fields, inner);
    const std::string& content = field.fields.empty() ? field.bytes : inner;
    if (field.wire == 2) PutVarint(content.size(), out);
    out += content;
  }
}

// A field anywhere in the tree, with the list that it is in.
using ProtoPlace = std::pair<std::vector<ProtoField>*, size_t>;

inline void AddPlaces(std::vector<ProtoField>& fields, std::vector<ProtoPlace>& places) {
  for (size_t k = 0; k < fields.size(); ++k) {
    places.emplace_back(&fields, k);
    AddPlaces(fields[k].fields, places);
  }
}

inline void ChangeField(ProtoField& field, Chance& chance) {
  constexpr std::array<uint64_t, 14> kOdd = {
      0,         1,          2,          127,        128,       INT32_MAX,  UINT32_MAX,
      INT64_MAX, UINT64_MAX, 1ull << 63, 1ull << 40, 1'000'000, 1ull << 31, 1'000'000'000'000};
  if (chance.OneIn(8)) {
    field.number = static_cast<uint32_t>(1 + chance.Below(24));
  } else if (field.wire == 0) {
    const uint64_t near = field.value + chance.Below(9) - 4;
    field.value = chance.OneIn(2) ? chance.Of(kOdd) : near;
  } else if (field.wire == 2) {
    std::string content = field.bytes;
    if (!field.fields.empty()) content.clear(), WriteProto(field.fields, content);
    field.fields.clear();
    field.bytes = chance.Changed(content);
  } else {
    field.bytes = chance.Changed(field.bytes, true);
  }
}

// Another message; the same where the bytes are none.
inline std::string MutateProto(std::string_view bytes, Chance& chance) {
  auto fields = ParseProto(bytes);
  std::vector<ProtoPlace> places;
  if (fields) AddPlaces(*fields, places);
  if (places.empty()) return std::string(bytes);
  const auto [list, at] = chance.Of(places);
  const auto [other_list, other_at] = chance.Of(places);
  const auto here = list->begin() + static_cast<std::ptrdiff_t>(at);
  const ProtoField copy = (*other_list)[other_at];
  switch (chance.Below(7)) {
    case 0:
      list->erase(here);
      break;
    case 1:
      list->insert(here, ProtoField((*list)[at]));
      break;
    case 2:
      list->insert(here, copy);
      break;
    case 3: {  // the content of another, under its own number
      const uint32_t number = (*list)[at].number;
      (*list)[at] = copy;
      (*list)[at].number = number;
      break;
    }
    case 4:
      std::swap((*list)[at], (*list)[chance.Below(list->size())]);
      break;
    default:
      ChangeField((*list)[at], chance);
      break;
  }
  std::string out;
  WriteProto(*fields, out);
  return out;
}

}  // namespace stepscope::fuzz
