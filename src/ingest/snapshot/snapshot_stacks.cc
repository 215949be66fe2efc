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

template <class Hash, class Same>
uint32_t& SnapshotStacks::SlotOf(std::vector<uint32_t>& slots, size_t used, uint32_t hash,
                                 const Hash& hash_of, const Same& same) {
  if (slots.size() < 2 * (used + 1)) {
    std::vector<uint32_t> larger(std::max<size_t>(1024, 2 * slots.size()), kFree);
    for (const uint32_t id : slots) {
      if (id == kFree) continue;
      size_t at = hash_of(id) & (larger.size() - 1);
      while (larger[at] != kFree) at = (at + 1) & (larger.size() - 1);
      larger[at] = id;
    }
    slots = std::move(larger);
  }
  size_t at = hash & (slots.size() - 1);
  while (slots[at] != kFree && !same(slots[at])) at = (at + 1) & (slots.size() - 1);
  return slots[at];
}

FrameId SnapshotStacks::Intern(const Frame& frame) {
  uint32_t& slot = SlotOf(
      frame_slots_, frames_.size(), HashOf(frame), [&](FrameId id) { return HashOf(frames_[id]); },
      [&](FrameId id) {
        const Frame& other = frames_[id];
        return other.name == frame.name && other.file == frame.file && other.line == frame.line;
      });
  if (slot != kFree) return slot;
  if (frames_.size() >= kMostFrames) {
    ++left_out_;
    return 0;
  }
  frames_.Append(frame);
  return slot = static_cast<FrameId>(frames_.size() - 1);
}

StackId SnapshotStacks::Intern(std::span<const FrameId> frames, uint64_t most) {
  if (frames.empty()) return 0;
  uint32_t& slot = SlotOf(
      stack_slots_, size(), HashOf(frames), [&](StackId id) { return HashOf(stack(id)); },
      [&](StackId id) { return std::ranges::equal(stack(id), frames); });
  if (slot != kFree) return slot;
  if (size() >= kMostStacks || calls_.size() + frames.size() > std::min<uint64_t>(most, UINT32_MAX)) {
    ++left_out_;
    return 0;
  }
  calls_.Append(frames);
  begins_.push_back(static_cast<uint32_t>(calls_.size()));
  return slot = static_cast<StackId>(size() - 1);
}

}  // namespace stepscope
