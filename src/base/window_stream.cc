// Fills a ring of windows, by the caller itself or by a thread that reads ahead.
#include "base/window_stream.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/spare_threads.h"
#include "base/stop.h"

namespace stepscope {
namespace {

constexpr size_t kSlotBytes = size_t{128} << 10;
constexpr size_t kHeadroom = size_t{32} << 10;  // for the carry, in front of a slot's bytes
// Reading ahead, one slot is being worked on, one filled, and two smooth the difference. Without,
// the current and the next suffice, and two stay in the cache.
constexpr size_t kSlotsAhead = 4;
constexpr size_t kSlotsAlone = 2;

struct Slot {
  // Not zeroed: of small inputs most is never touched.
  std::unique_ptr<char[]> memory =
      std::make_unique_for_overwrite<char[]>(kHeadroom + kSlotBytes + Window::kPadding);
  size_t filled = 0;
  bool last = false;
  char* data() { return memory.get() + kHeadroom; }
};

}  // namespace

struct WindowStream::State {
  State(ByteSource opened, std::atomic<int>* spare)
      : source(std::move(opened)), slots(kSlotsAlone), spare_threads(spare) {}
  ~State() {
    if (!filler) return;
    filler->request_stop();
    free.release();
    filler.reset();
  }

  // What was put back, then what the source has.
  size_t Read(std::span<char> out) {
    const size_t again = std::min(out.size(), back.size() - back_taken);
    std::memcpy(out.data(), back.data() + back_taken, again);
    back_taken += again;
    return again + (again < out.size() ? source.Read(out.subspan(again)) : 0);
  }
  bool AtEnd() const { return back_taken == back.size() && source.end() != InputEnd::kOpen; }

  void Fill(Slot& slot) {
    slot.filled = Read({slot.data(), kSlotBytes});
    slot.last = AtEnd();
  }
  void FillAhead(const std::stop_token& stop, size_t first) {
    for (size_t i = first;; ++i) {
      free.acquire();
      if (stop.stop_requested()) return;
      Slot& slot = slots[i % slots.size()];
      Fill(slot);
      const bool last = slot.last;
      full.release();
      if (last) return;
    }
  }

  // If there is a thread to spare, it fills the slots from here on. The current one keeps its place
  // and its memory.
  void StartReadingAhead() {
    helper.emplace(*spare_threads, 1);
    if (helper->count() == 0) return;
    std::vector<Slot> ring(kSlotsAhead);
    const size_t place = taken % kSlotsAhead;  // of the next slot to take
    if (current != nullptr) {
      Slot& kept = ring[(place + kSlotsAhead - 1) % kSlotsAhead];
      kept = std::move(*current);
      current = &kept;
    }
    slots = std::move(ring);
    if (taken > 0) free.acquire();  // the current slot's
    filler.emplace([this, next = taken](const std::stop_token& stop) { FillAhead(stop, next); });
  }

  // The next slot with its bytes. The one before it stays untouched until the following call.
  Slot& Take() {
    if (!filler && spare_threads != nullptr) StartReadingAhead();
    Slot& slot = slots[taken % slots.size()];
    if (!filler) {
      Fill(slot);
    } else {
      if (taken > 0) free.release();  // the slot taken before the current one
      full.acquire();
    }
    ++taken;
    position += slot.filled;
    current = &slot;
    return slot;
  }

  ByteSource source;
  std::string back;  // what was put back
  size_t back_taken = 0;
  std::vector<Slot> slots;
  size_t taken = 0;
  uint64_t position = 0;
  Slot* current = nullptr;
  std::vector<char> joined;  // a window larger than a slot, while one is needed
  // One slot fewer than there are is offered: the current one is still in use when the next is
  // taken.
  std::counting_semaphore<kSlotsAhead> free{kSlotsAhead - 1};
  std::counting_semaphore<kSlotsAhead> full{0};
  std::atomic<int>* spare_threads;
  std::optional<SpareThreads> helper;  // is `filler`, and given back behind it
  std::optional<std::jthread> filler;
};

WindowStream::WindowStream(ByteSource source, std::atomic<int>* spare_threads)
    : state_(std::make_unique<State>(std::move(source), spare_threads)) {}

WindowStream::~WindowStream() = default;

void WindowStream::ReadAhead(std::atomic<int>* spare_threads) {
  state_->spare_threads = spare_threads;
}

uint64_t WindowStream::position() const { return state_->position; }

void WindowStream::Skip(uint64_t bytes) {
  state_->source.Skip(bytes);
  state_->position += bytes;
}

size_t WindowStream::Take(std::span<char> out) {
  const size_t taken = state_->Read(out);
  state_->position += taken;
  return taken;
}

void WindowStream::PutBack(std::string bytes) {
  State& s = *state_;
  s.position -= bytes.size();
  s.back.replace(0, s.back_taken, bytes);
  s.back_taken = 0;
}

InputEnd WindowStream::end() const { return state_->source.end(); }

Window WindowStream::Next(std::string_view carry, size_t at_least) {
  StopIfAsked();
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
    StopIfAsked();
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
