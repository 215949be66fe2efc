// Walks a JSON document of any size, and hands out its values one by one with their paths.
//
// Nothing is held but the path: "agents/id/handle" of {"agents": [{"id": {"handle": 7}}]}. Arrays
// have no step of their own in a path; that one of their elements begins is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/byte_source.h"

namespace stepscope {

// What reads a document. Views are valid during the call. A path is that of the value itself.
class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  // An object that is an element of an array.
  virtual void BeginElement(std::string_view path) = 0;
  virtual void EndElement(std::string_view path) = 0;
  // Numbers that int64_t holds, booleans as 0 and 1. Fractions and null are not told.
  virtual void Number(std::string_view path, int64_t value) = 0;
  virtual void Text(std::string_view path, std::string_view value) = 0;
};

// How a document ended.
enum class JsonEnd : uint8_t {
  kWhole,
  kFollowed,  // whole, with bytes behind it that belong to nothing
  kCutShort,  // in the middle
  kDamaged,   // what follows is no JSON, or is nested deeper than any of these documents
};

// Reads all there is, until it ends or is damaged, through a window of so many bytes, which grows
// to the longest string. Stops if asked.
JsonEnd WalkJson(ByteSource& source, JsonVisitor& visitor, size_t window = size_t{64} << 10);

}  // namespace stepscope
