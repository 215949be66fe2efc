// The values that are on the stack of a pickle while a snapshot is read: small numbers that stand
// for what is in columns already, and the dicts and lists that are not complete yet.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ingest/snapshot/snapshot.h"

namespace stepscope::snapshot {

enum class Kind : uint8_t {
  kOther,     // nothing that a snapshot needs
  kText,      // id
  kFrame,     // id
  kStack,     // id
  kOpenDict,  // number of its slot
  kOpenList,
  kMark,
  // Those below are never remembered.
  kEmptyList,
  kInt,
  kBool,
  kBlock,  // its number
  kSegment,
  kEvent,
  kBlocks,  // the first, and how many
  kSegments,
  kEvents,
  kTraces,
};
inline constexpr Kind kLastRemembered = Kind::kMark;

struct Value {
  Kind kind = Kind::kOther;
  uint32_t count = 0;
  int64_t number = 0;
};

// The keys that matter.
enum class Field : uint8_t {
  kAction,
  kAddr,
  kDeviceFree,
  kSize,
  kTime,
  kFrames,
  kDevice,
  kAddress,
  kTotalSize,
  kAllocatedSize,
  kRequestedSize,
  kStream,
  kSegmentType,
  kExpandable,
  kBlocks,
  kState,
  kName,
  kFilename,
  kLine,
  kStage,
  kSegments,
  kTraces,
  kCount,
  kNone = kCount,
};
Field FieldOf(std::string_view key);

// A dict: of its items those that matter.
struct OpenDict {
  std::array<Value, static_cast<size_t>(Field::kCount)> values;
  uint32_t has = 0;   // a bit per field
  int64_t memo = -1;  // the number that it is remembered as

  bool Has(Field field) const { return (has >> static_cast<unsigned>(field) & 1) != 0; }
  const Value& operator[](Field field) const { return values[static_cast<size_t>(field)]; }
  void Set(Field field, const Value& value) {
    values[static_cast<size_t>(field)] = value;
    has |= 1U << static_cast<unsigned>(field);
  }
  // The number of a field; `otherwise` where it has none.
  int64_t Int(Field field, int64_t otherwise = 0) const {
    return Has(field) && (*this)[field].kind == Kind::kInt ? (*this)[field].number : otherwise;
  }
};

// A list of one kind of items.
struct OpenList {
  Kind kind = Kind::kOther;       // of its items; kOther: it has none, or others
  uint32_t first = 0, count = 0;  // of items that are rows of a column
  std::vector<FrameId> frames;
  std::vector<SnapshotTrace> traces;
  int64_t memo = -1;
};

// Whether a dict is of one of the kinds that snapshots have many of.
bool IsRow(const OpenDict& dict);
// Makes rows of dicts that are complete; `snapshot` gets them.
Value ValueOf(const OpenDict& dict, MemorySnapshot& snapshot);
// Adds an item; false where it does not belong there.
bool Add(const Value& item, OpenList& list);

}  // namespace stepscope::snapshot
