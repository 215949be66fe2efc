// Assigns each moment of given windows to the running item of highest priority.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/stop.h"

namespace stepscope {

template <size_t kOwners>
using TimeByOwner = std::array<int64_t, kOwners>;

// For each window the time of each owner; of several that go on at once the largest has it. Owner 0
// has what nobody else has, so that they add up to the window.
template <size_t kOwners, class Window, class Take, class Stretch>
class PrioritySweep {
 public:
  // Each window goes to take(its index, its TimeByOwner) in turn, and what it is made of to
  // stretch(owner, start, end): several in a row may have one owner. REQUIRES: windows outlive this
  // and follow one another without overlap; `Window` has `start` and `end`.
  PrioritySweep(std::span<const Window> windows, Take take, Stretch stretch)
      : windows_(windows), take_(std::move(take)), stretch_(std::move(stretch)) {
    until_.fill(INT64_MIN);
    if (!windows.empty()) now_ = windows.front().start;
  }

  // Something that goes on from `start` to `end` (ns). REQUIRES: by start; they may overlap in any
  // way.
  template <class Owner>
  void Add(int64_t start, int64_t end, Owner owner) {
    checks_.Turn();
    if (end <= start) return;
    AdvanceTo(start);
    int64_t& until = until_[static_cast<size_t>(owner)];
    until = std::max(until, end);
  }

  // To be called once, after the last.
  void Finish() { AdvanceTo(INT64_MAX); }

 private:
  void AdvanceTo(int64_t time) {
    while (window_ < windows_.size() && now_ < time) {
      const Window& window = windows_[window_];
      if (now_ < window.start) now_ = std::min(window.start, time);
      while (now_ < std::min(time, window.end)) GiveTo(OwnerNow(), std::min(time, window.end));
      if (now_ < window.end) return;
      take_(window_++, std::exchange(time_, {}));
    }
  }

  size_t OwnerNow() const {
    size_t owner = kOwners - 1;
    while (owner > 0 && until_[owner] <= now_) --owner;
    return owner;
  }

  // All until `end`, or until the owner's end.
  void GiveTo(size_t owner, int64_t end) {
    if (owner > 0) end = std::min(end, until_[owner]);
    time_[owner] += end - now_;
    stretch_(owner, now_, end);
    now_ = end;
  }

  std::span<const Window> windows_;
  Take take_;
  Stretch stretch_;
  TimeByOwner<kOwners> time_{};   // of the window it is in
  TimeByOwner<kOwners> until_{};  // when what each has goes on to
  int64_t now_ = 0;
  size_t window_ = 0;
  StopChecks checks_;
};

template <size_t kOwners, class Window, class Take, class Stretch>
auto MakePrioritySweep(std::span<const Window> windows, Take take, Stretch stretch) {
  return PrioritySweep<kOwners, Window, Take, Stretch>(windows, std::move(take),
                                                       std::move(stretch));
}
template <size_t kOwners, class Window, class Take>
auto MakePrioritySweep(std::span<const Window> windows, Take take) {
  return MakePrioritySweep<kOwners>(windows, std::move(take), [](size_t, int64_t, int64_t) {});
}

}  // namespace stepscope
