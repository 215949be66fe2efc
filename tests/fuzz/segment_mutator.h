// Changes segments of recorders, and repairs their checksums.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "goodput/recorder/segment.h"
#include "goodput/recorder/segment_mark.h"
#include "tests/fuzz/chance.h"
#include "tests/fuzz/segment_bytes.h"

namespace stepscope::fuzz {

// One of the slots, or a part of a header that means something.
inline std::pair<size_t, size_t> PartOfSegment(std::string_view bytes, Chance& chance) {
  using namespace goodput;
  const size_t slots = (bytes.size() - kSlotsBegin) / kSlotBytes;
  const size_t copy = chance.OneIn(2) ? 0 : kHeaderBytes;
  if (slots == 0 || chance.OneIn(6)) return {copy + 8, 100};
  if (chance.OneIn(4)) return {copy + kMarkAt, kMarkBytes};
  return {kSlotsBegin + chance.Below(slots) * kSlotBytes, kSlotBytes};
}

// Another segment; of bytes that are none, any others.
inline std::string MutateSegment(std::string_view bytes, Chance& chance) {
  using namespace goodput;
  if (bytes.size() < kSlotsBegin) return chance.Changed(bytes);
  std::string out(bytes);
  const auto [at, size] = PartOfSegment(out, chance);
  const auto [from, count] = PartOfSegment(out, chance);
  const bool slot = at >= kSlotsBegin;
  switch (chance.Below(6)) {
    case 0:
      if (slot) out.erase(at, size);
      break;
    case 1:
      if (slot) out.insert(at, out.substr(at, size));
      break;
    case 2:
      if (slot && count == size) out.replace(at, size, out.substr(from, count));
      break;
    default:
      out.replace(at, size, chance.Changed(std::string_view(out).substr(at, size), true));
      break;
  }
  if (!chance.OneIn(10)) RepairSegment(out);
  return out;
}

}  // namespace stepscope::fuzz
