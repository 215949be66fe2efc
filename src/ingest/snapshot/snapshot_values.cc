// A dict is told by its keys, wherever it stands.
#include "ingest/snapshot/snapshot_values.h"

#include <algorithm>
#include <utility>

namespace stepscope::snapshot {
namespace {

constexpr size_t kMostFramesOfStack = 4096;
constexpr size_t kMostDevices = 4096;

using enum Field;

constexpr std::pair<std::string_view, Field> kKeys[] = {{"action", kAction},
                                                        {"addr", kAddr},
                                                        {"device_free", kDeviceFree},
                                                        {"size", kSize},
                                                        {"time_us", kTime},
                                                        {"frames", kFrames},
                                                        {"device", kDevice},
                                                        {"address", kAddress},
                                                        {"total_size", kTotalSize},
                                                        {"allocated_size", kAllocatedSize},
                                                        {"requested_size", kRequestedSize},
                                                        {"stream", kStream},
                                                        {"segment_type", kSegmentType},
                                                        {"is_expandable", kExpandable},
                                                        {"blocks", kBlocks},
                                                        {"state", kState},
                                                        {"name", kName},
                                                        {"filename", kFilename},
                                                        {"line", kLine},
                                                        {"stage", kStage},
                                                        {"segments", kSegments},
                                                        {"device_traces", kTraces}};

constexpr std::pair<std::string_view, SnapshotAction> kActions[] = {
    {"alloc", SnapshotAction::kAlloc},
    {"free_requested", SnapshotAction::kFreeRequested},
    {"free_completed", SnapshotAction::kFreeCompleted},
    {"segment_alloc", SnapshotAction::kSegmentAlloc},
    {"segment_free", SnapshotAction::kSegmentFree},
    {"segment_map", SnapshotAction::kSegmentMap},
    {"segment_unmap", SnapshotAction::kSegmentUnmap},
    {"snapshot", SnapshotAction::kSnapshot},
    {"oom", SnapshotAction::kOom}};

std::string_view TextOf(const OpenDict& dict, Field field, const MemorySnapshot& snapshot) {
  if (!dict.Has(field) || dict[field].kind != Kind::kText) return "";
  return snapshot.stacks.text(static_cast<StringId>(dict[field].number));
}

StackId StackOf(const OpenDict& dict) {
  return dict.Has(kFrames) && dict[kFrames].kind == Kind::kStack
             ? static_cast<StackId>(dict[kFrames].number)
             : 0;
}

Value FrameOf(const OpenDict& dict, MemorySnapshot& snapshot) {
  const auto text = [&](Field field) {
    return dict.Has(field) && dict[field].kind == Kind::kText
               ? static_cast<StringId>(dict[field].number)
               : StringId{0};
  };
  const auto line = static_cast<uint32_t>(std::clamp<int64_t>(dict.Int(kLine), 0, INT32_MAX));
  return {Kind::kFrame, 0, snapshot.stacks.Intern({text(kName), text(kFilename), line})};
}

Value EventOf(const OpenDict& dict, MemorySnapshot& snapshot) {
  SnapshotEvent event{.size = dict.Int(kSize, -1), .time = dict.Int(kTime), .stack = StackOf(dict)};
  const std::string_view name = TextOf(dict, kAction, snapshot);
  for (const auto& [known, action] : kActions)
    if (name == known) event.action = action;
  const bool oom = event.action == SnapshotAction::kOom;
  event.address = static_cast<uint64_t>(oom && dict.Has(kDeviceFree) ? dict.Int(kDeviceFree, -1)
                                                                     : dict.Int(kAddr, -1));
  if (!snapshot.events.Append(event)) {
    ++snapshot.wrong_events;
    return {};
  }
  return {Kind::kEvent, 0, static_cast<int64_t>(snapshot.events.size() - 1)};
}

Value BlockOf(const OpenDict& dict, MemorySnapshot& snapshot) {
  const std::string_view state = TextOf(dict, kState, snapshot);
  SnapshotBlock block{.address = static_cast<uint64_t>(dict.Int(kAddress)),
                      .size = dict.Int(kSize, -1),
                      .stack = StackOf(dict)};
  block.requested = dict.Int(kRequestedSize, block.size);
  if (state == "active_allocated") block.state = BlockState::kAllocated;
  if (state == "active_awaiting_free" || state == "active_pending_free")
    block.state = BlockState::kAwaitingFree;
  if (!snapshot.blocks.Append(block)) {
    ++snapshot.wrong_blocks;
    return {};
  }
  return {Kind::kBlock, 0, static_cast<int64_t>(snapshot.blocks.size() - 1)};
}

Value SegmentOf(const OpenDict& dict, MemorySnapshot& snapshot) {
  SnapshotSegment segment{.device = dict.Int(kDevice),
                          .address = static_cast<uint64_t>(dict.Int(kAddress)),
                          .total = dict.Int(kTotalSize, -1),
                          .allocated = dict.Int(kAllocatedSize),
                          .stream = dict.Int(kStream),
                          .large = TextOf(dict, kSegmentType, snapshot) != "small",
                          .expandable = dict.Has(kExpandable) && dict[kExpandable].number == 1};
  const auto possible = [](int64_t size) { return size >= 0 && size <= SnapshotEvents::kMostSize; };
  if (!possible(segment.total) || !possible(segment.allocated) || segment.device < 0 ||
      segment.device >= static_cast<int64_t>(kMostDevices)) {
    ++snapshot.wrong_blocks;
    return {};
  }
  if (dict.Has(kBlocks) && dict[kBlocks].kind == Kind::kBlocks) {
    segment.first_block = static_cast<uint32_t>(dict[kBlocks].number);
    segment.blocks = dict[kBlocks].count;
  }
  snapshot.segments.Append(segment);
  return {Kind::kSegment, 0, static_cast<int64_t>(snapshot.segments.size() - 1)};
}

void AddAnnotation(const OpenDict& dict, MemorySnapshot& snapshot) {
  const bool named = dict[kName].kind == Kind::kText && dict.Int(kTime, -1) >= 0;
  const std::string_view stage = TextOf(dict, kStage, snapshot);
  if (!named || (stage != "START" && stage != "END")) {
    ++snapshot.misplaced;
    return;
  }
  snapshot.annotations.Append(
      {dict.Int(kTime), static_cast<StringId>(dict[kName].number), stage == "END"});
}

}  // namespace

Field FieldOf(std::string_view key) {
  for (const auto& [known, field] : kKeys)
    if (key == known) return field;
  return kNone;
}

bool IsRow(const OpenDict& dict) {
  return (dict.Has(kAction) && dict.Has(kSize)) || dict.Has(kFilename) || dict.Has(kState) ||
         dict.Has(kTotalSize) || (dict.Has(kStage) && dict.Has(kName));
}

Value ValueOf(const OpenDict& dict, MemorySnapshot& snapshot) {
  if (dict.Has(kName) && dict.Has(kFilename)) return FrameOf(dict, snapshot);
  if (dict.Has(kAction) && dict.Has(kSize)) return EventOf(dict, snapshot);
  if (dict.Has(kTotalSize) && dict.Has(kBlocks)) return SegmentOf(dict, snapshot);
  if (dict.Has(kState) && dict.Has(kSize)) return BlockOf(dict, snapshot);
  if (dict.Has(kStage) && dict.Has(kName) && dict.Has(kTime)) AddAnnotation(dict, snapshot);
  return {};
}

bool Add(const Value& item, OpenList& list) {
  // Items of no interest before the first that counts do not hide the others.
  const bool none = list.kind == Kind::kOther;
  switch (item.kind) {
    case Kind::kFrame:
      if (none) list.kind = Kind::kFrame;
      if (list.kind != Kind::kFrame || list.frames.size() >= kMostFramesOfStack) return false;
      list.frames.push_back(static_cast<FrameId>(item.number));
      return true;
    case Kind::kBlock:
    case Kind::kSegment:
    case Kind::kEvent:
      if (none) {
        list.kind = item.kind;
        list.first = static_cast<uint32_t>(item.number);
        list.count = 0;
      }
      if (list.kind != item.kind || item.number != int64_t{list.first} + list.count) return false;
      ++list.count;
      return true;
    case Kind::kEvents:
    case Kind::kEmptyList:
      if (none) {  // the place in the list is the device
        list.kind = Kind::kEvents;
        list.traces.resize(std::min<size_t>(list.count, kMostDevices));
      }
      if (list.kind != Kind::kEvents || list.traces.size() >= kMostDevices) return false;
      list.traces.push_back({static_cast<uint32_t>(item.number), item.count});
      return true;
    default:
      if (list.kind == Kind::kEvents && list.traces.size() < kMostDevices)
        list.traces.emplace_back();
      return false;
  }
}

}  // namespace stepscope::snapshot
