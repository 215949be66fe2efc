// Windows over a ring of slots, filled by the caller itself or by a thread that reads ahead.
#include "ingest/window_stream.h"

#include <cstring>
#include <optional>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <vector>

namespace stepscope {
namespace {

constexpr size_t kSlotBytes = size_t{128} << 10;
constexpr size_t kHeadroom = size_t{32} << 10;  // for the carry, in front of a slot's bytes
// Reading ahead, one slot is being worked on, one filled, and two smooth the difference. Without,
// the current and the next suffice, and two stay in the cache.
constexpr size_t kSlotsAhead = 4;
constexpr size_t kSlotsAlone = 2;

struct Slot {
  std::vector<char> memory = std::vector<char>(kHeadroom + kSlotBytes + Window::kPadding);
  size_t filled = 0;
  bool last = false;
  char* data() { return memory.data() + kHeadroom; }
};

}  // namespace

struct WindowStream::State {
  State(ByteSource opened, bool read_ahead)
      : source(std::move(opened)), slots(read_ahead ? kSlotsAhead : kSlotsAlone) {
    if (read_ahead) filler = std::jthread([this](std::stop_token stop) { FillAhead(stop); });
  }
  ~State() {
    if (!filler) return;
    filler->request_stop();
    free.release();
  }

  void Fill(Slot& slot) {
    slot.filled = source.Read({slot.data(), kSlotBytes});
    slot.last = source.end() != InputEnd::kOpen;
  }
  void FillAhead(const std::stop_token& stop) {
    for (size_t i = 0;; ++i) {
      free.acquire();
      if (stop.stop_requested()) return;
      Slot& slot = slots[i % slots.size()];
      Fill(slot);
      const bool last = slot.last;
      full.release();
      if (last) return;
    }
  }

  // The next slot with its bytes. The one before it stays untouched until the following call.
  Slot& Take() {
    Slot& slot = slots[taken % slots.size()];
    if (!filler) {
      Fill(slot);
    } else {
      if (taken > 0) free.release();  // the slot taken before the current one
      full.acquire();
    }
    ++taken;
    current = &slot;
    return slot;
  }

  ByteSource source;
  std::vector<Slot> slots;
  size_t taken = 0;
  Slot* current = nullptr;
  std::vector<char> joined;  // a window larger than a slot, while one is needed
  // One slot fewer than there are is offered: the current one is still in use when the next is
  // taken.
  std::counting_semaphore<kSlotsAhead> free{kSlotsAhead - 1};
  std::counting_semaphore<kSlotsAhead> full{0};
  std::optional<std::jthread> filler;
};

WindowStream::WindowStream(ByteSource source, bool read_ahead)
    : state_(std::make_unique<State>(std::move(source), read_ahead)) {}

WindowStream::~WindowStream() = default;

InputEnd WindowStream::end() const { return state_->source.end(); }

Window WindowStream::Next(std::string_view carry, size_t at_least) {
  State& s = *state_;
  const bool ended = s.current != nullptr && s.current->last;
  if (!ended && carry.size() < kHeadroom && at_least <= kSlotBytes / 2) {
    Slot& slot = s.Take();
    char* begin = slot.data() - carry.size();
    if (!carry.empty()) std::memcpy(begin, carry.data(), carry.size());
    s.joined = {};
    return {begin, slot.data() + slot.filled, slot.last};
  }
  std::vector<char> joined;
  joined.insert(joined.end(), carry.begin(), carry.end());
  size_t added = 0;
  while (added < at_least && !(s.current != nullptr && s.current->last)) {
    Slot& slot = s.Take();
    joined.insert(joined.end(), slot.data(), slot.data() + slot.filled);
    added += slot.filled;
  }
  const size_t size = joined.size();
  joined.resize(joined.size() + Window::kPadding);
  s.joined = std::move(joined);
  char* begin = s.joined.data();
  return {begin, begin + size, s.current->last};
}

}  // namespace stepscope
