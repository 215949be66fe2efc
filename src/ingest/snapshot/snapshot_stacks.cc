// Frames and stacks lie one behind another; tables of their numbers find equal ones.
#include "ingest/snapshot/snapshot_stacks.h"

#include <algorithm>

namespace stepscope {
namespace {

constexpr uint32_t kFree = UINT32_MAX;
constexpr size_t kMostFrames = 1 << 22;
constexpr StringId kOthers = 0;  // the text "..."

uint32_t Mix(uint64_t hash) {
  hash ^= hash >> 32;
  hash *= 0x9e3779b97f4a7c15;
  return static_cast<uint32_t>(hash >> 32);
}

}  // namespace

SnapshotStacks::SnapshotStacks() : begins_{0, 0} {
  texts_.Intern("...");
  frames_.Append(Frame());
  next_.push_back(0);
}

StringId SnapshotStacks::Text(std::string_view text, uint64_t most_bytes) {
  if (texts_.size() >= kMostTexts || text_bytes_ + text.size() > most_bytes) {
    const StringId known = texts_.Find(text);
    if (known != kNoString) return known;
    ++left_out_;
    return kOthers;
  }
  const size_t before = texts_.size();
  const StringId id = texts_.Intern(text);
  if (id == before) text_bytes_ += text.size();
  return id;
}

uint32_t SnapshotStacks::HashOf(std::span<const FrameId> frames) const {
  uint64_t hash = frames.size();
  for (const FrameId frame : frames) hash = (hash ^ frame) * 0x100000001b3;
  return Mix(hash);
}

uint32_t SnapshotStacks::HashOf(const Frame& frame) const {
  return Mix((uint64_t{frame.name} * 0x9e3779b1 + frame.file) * 0x85ebca77 + frame.line);
}

template <class Same>
SnapshotStacks::Slot& SnapshotStacks::SlotOf(std::vector<Slot>& slots, size_t used, uint32_t hash,
                                             const Same& same) {
  if (slots.size() < 2 * (used + 1)) {
    std::vector<Slot> larger(std::max<size_t>(1024, 2 * slots.size()));
    for (const Slot& slot : slots) {
      if (slot.id == kFree) continue;
      size_t at = slot.hash & (larger.size() - 1);
      while (larger[at].id != kFree) at = (at + 1) & (larger.size() - 1);
      larger[at] = slot;
    }
    slots = std::move(larger);
  }
  size_t at = hash & (slots.size() - 1);
  while (slots[at].id != kFree && !(slots[at].hash == hash && same(slots[at].id)))
    at = (at + 1) & (slots.size() - 1);
  slots[at].hash = hash;
  return slots[at];
}

FrameId SnapshotStacks::Find(const Frame& frame) {
  Slot& slot = SlotOf(frame_slots_, frames_.size(), HashOf(frame),
                      [&](FrameId id) { return frames_[id] == frame; });
  if (slot.id != kFree) return slot.id;
  if (frames_.size() >= kMostFrames) {
    ++left_out_;
    return 0;
  }
  frames_.Append(frame);
  next_.push_back(0);
  return slot.id = static_cast<FrameId>(frames_.size() - 1);
}

StackId SnapshotStacks::Intern(std::span<const FrameId> frames, uint64_t most) {
  if (frames.empty()) return 0;
  Slot& slot = SlotOf(stack_slots_, size(), HashOf(frames),
                      [&](StackId id) { return std::ranges::equal(stack(id), frames); });
  if (slot.id != kFree) return slot.id;
  if (size() >= kMostStacks ||
      calls_.size() + frames.size() > std::min<uint64_t>(most, UINT32_MAX)) {
    ++left_out_;
    return 0;
  }
  calls_.Append(frames);
  begins_.push_back(static_cast<uint32_t>(calls_.size()));
  return slot.id = static_cast<StackId>(size() - 1);
}

}  // namespace stepscope
