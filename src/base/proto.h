// Reads and writes protocol buffers' wire format with protozero. No exception leaves: damaged bytes
// are a result.
// https://protobuf.dev/programming-guides/encoding/
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/varint.h"

// All files must agree on the view, so they include protozero here alone.
#define PROTOZERO_USE_VIEW std::string_view
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

namespace stepscope {

using protozero::pbf_reader;
using protozero::pbf_writer;
using WireType = protozero::pbf_wire_type;

// What pbf_reader::tag_and_type() says of a field of that number and type.
constexpr uint32_t VarintField(uint32_t field) {
  return protozero::tag_and_type(field, WireType::varint);
}
constexpr uint32_t DoubleField(uint32_t field) {
  return protozero::tag_and_type(field, WireType::fixed64);
}
constexpr uint32_t BytesField(uint32_t field) {
  return protozero::tag_and_type(field, WireType::length_delimited);
}

// A field's number and type, and how many bytes its value takes behind the header; of a varint,
// which is in the header, none.
struct FieldHeader {
  uint64_t number = 0;
  WireType type = WireType::varint;
  uint64_t value = 0;  // of a varint
  uint64_t length = 0;
};

// Takes the header off the bytes. Nothing where they hold no whole one.
inline std::optional<FieldHeader> TakeFieldHeader(std::string_view& bytes) {
  uint64_t tag = 0;
  if (!TakeVarint(bytes, tag) || tag >> 3 == 0) return std::nullopt;
  FieldHeader header{.number = tag >> 3, .type = static_cast<WireType>(tag & 7)};
  switch (header.type) {
    case WireType::fixed64:
      header.length = sizeof(uint64_t);
      return header;
    case WireType::fixed32:
      header.length = sizeof(uint32_t);
      return header;
    case WireType::varint:
      return TakeVarint(bytes, header.value) ? std::optional(header) : std::nullopt;
    case WireType::length_delimited:
      return TakeVarint(bytes, header.length) ? std::optional(header) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// Calls take(fields) at each field of `message`, which must get its value or skip() it. False if
// the bytes are not a message: then the fields before the damage have been taken.
template <class Take>
bool ReadFields(std::string_view message, const Take& take) {
  try {
    pbf_reader fields(message.data(), message.size());
    while (fields.next()) take(fields);
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

// Calls take(field) at each field of a message that is `wanted`, as tag_and_type() has it.
template <class Take>
void ForEachField(uint32_t wanted, std::string_view message, const Take& take) {
  ReadFields(message, [&](pbf_reader& field) {
    if (field.tag_and_type() != wanted) return field.skip();
    take(field);
  });
}

// Appends the numbers of a repeated field, packed or one by one.
inline void TakeNumbers(pbf_reader& field, std::vector<int64_t>& numbers) {
  if (field.wire_type() == WireType::varint) return numbers.push_back(field.get_int64());
  if (field.wire_type() != WireType::length_delimited) return field.skip();
  for (const int64_t number : field.get_packed_int64()) numbers.push_back(number);
}

}  // namespace stepscope
