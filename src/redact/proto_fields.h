// Walks over the fields of a protocol buffer, with the bytes of each as they stand, so that what is
// not changed is written as it was.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/varint.h"

namespace stepscope::redact {

struct RawField {
  uint64_t number = 0;
  uint64_t value = 0;        // of a varint
  std::string_view content;  // of bytes, texts and messages
  std::string_view all;      // the field, its tag too
  bool has_content = false;
};

// Takes the field that `rest` begins with; false where there is none: at the end, or at damage.
inline bool TakeField(std::string_view& rest, RawField& field) {
  const std::string_view begin = rest;
  uint64_t tag = 0;
  if (!TakeVarint(rest, tag)) return rest = begin, false;
  field = {};
  field.number = tag >> 3;
  uint64_t size = 0;
  bool good = field.number > 0;
  switch (tag & 7) {
    case 0:
      good = good && TakeVarint(rest, field.value);
      break;
    case 1:
      size = 8;
      break;
    case 2:
      good = good && TakeVarint(rest, size);
      field.has_content = true;
      break;
    case 5:
      size = 4;
      break;
    default:
      good = false;
  }
  if (!good || size > rest.size()) return rest = begin, false;
  if (field.has_content) field.content = rest.substr(0, size);
  rest.remove_prefix(size);
  field.all = begin.substr(0, begin.size() - rest.size());
  return true;
}

// Writes a field of this content.
inline void AppendField(std::string& out, uint64_t number, std::string_view content) {
  AppendVarint(out, number << 3 | 2);
  AppendVarint(out, content.size());
  out += content;
}

}  // namespace stepscope::redact
