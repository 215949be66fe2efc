// Interns frames and stacks: equal ones have one number.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/growing_array.h"
#include "base/string_table.h"

namespace stepscope {

using StackId = uint32_t;
using FrameId = uint32_t;

class SnapshotStacks {
 public:
  static constexpr size_t kMostStacks = 1 << 20;  // fit the 24 bits of SnapshotEvents
  static constexpr size_t kMostTexts = 1 << 20;

  SnapshotStacks();

  struct Frame {
    StringId name = 0, file = 0;
    uint32_t line = 0;
    bool operator==(const Frame&) const = default;
  };

  // The id of a text; what is beyond kMostTexts or `most_bytes` in all is the text "...".
  StringId Text(std::string_view text, uint64_t most_bytes);
  // The same of frames and stacks: what is beyond the limit is the empty one.
  FrameId Intern(const Frame& frame) { return Intern(frame, 0); }
  // `before`: the frame that comes before it in its stack; mostly the same one follows.
  FrameId Intern(const Frame& frame, FrameId before) {
    const FrameId likely = next_[before];
    if (frames_[likely] == frame) return likely;
    return next_[before] = Find(frame);
  }
  // `most`: frames of all stacks together.
  StackId Intern(std::span<const FrameId> frames, uint64_t most);

  std::string_view text(StringId id) const { return texts_[id]; }
  const Frame& frame(FrameId id) const { return frames_[id]; }
  // The innermost frame first. Stack 0 has none.
  std::span<const FrameId> stack(StackId id) const {
    return calls_.view().subspan(begins_[id], begins_[id + 1] - begins_[id]);
  }
  size_t size() const { return begins_.size() - 1; }
  size_t texts() const { return texts_.size(); }
  int64_t left_out() const { return left_out_; }  // texts, frames and stacks

 private:
  // Open addressing; a power of two, at most half full. The hash beside the id saves a look at what
  // the id stands for.
  struct Slot {
    uint32_t hash = 0;
    uint32_t id = UINT32_MAX;
  };
  template <class Same>
  Slot& SlotOf(std::vector<Slot>& slots, size_t used, uint32_t hash, const Same& same);
  FrameId Find(const Frame& frame);
  uint32_t HashOf(std::span<const FrameId> frames) const;
  uint32_t HashOf(const Frame& frame) const;

  StringTable texts_;
  uint64_t text_bytes_ = 0;
  GrowingArray<Frame> frames_;
  std::vector<FrameId> next_;  // by frame: the one that followed it last
  std::vector<Slot> frame_slots_, stack_slots_;
  GrowingArray<FrameId> calls_;  // of all stacks
  std::vector<uint32_t> begins_;
  int64_t left_out_ = 0;
};

}  // namespace stepscope
