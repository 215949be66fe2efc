// Walks a JSON document of any size, and hands out its values one by one with their paths.
//
// Nothing is held but the path: "agents/id/handle" of {"agents": [{"id": {"handle": 7}}]}. Arrays
// have no step of their own in a path; that one of their elements begins is told. Behind damage
// reading goes on where an element of a known list begins, so that each place costs one element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/byte_source.h"
#include "ingest/json/json_visitor.h"

namespace stepscope {

// How a document ended.
enum class JsonEnd : uint8_t {
  kWhole,
  kFollowed,  // whole, with bytes behind it that belong to nothing
  kCutShort,  // in the middle
  kDamaged,   // what follows is no JSON, or is nested deeper than any of these documents
};

// What was read of a document.
struct JsonRead {
  JsonEnd end = JsonEnd::kWhole;
  uint64_t bytes = 0;      // of all there is
  uint64_t skipped = 0;    // of these, between damage and what was read again; the rest aside
  uint64_t rest = 0;       // of these, behind the end, or behind damage where nothing was found
  int64_t damages = 0;     // places that are no JSON, or nested too deep
  uint64_t first = 0;      // where the first of them is
  std::string first_text;  // what is there, a few bytes at most
};

// Reads all there is, until it ends or is damaged for good, through a window of so many bytes,
// which grows to the longest string. A byte order mark is passed over. Stops if asked.
JsonRead WalkJson(ByteSource& source, JsonVisitor& visitor, size_t window = size_t{64} << 10);

}  // namespace stepscope
