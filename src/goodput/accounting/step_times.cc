// Encodes differences as varints: of the time, with a bit that tells whether a difference of the
// step follows; then of the step.
#include "goodput/accounting/step_times.h"

#include <algorithm>

namespace stepscope::goodput {

// Goes on to the next step.
void StepTimes::Take(size_t& at, StepTime& step) const {
  const uint64_t later = differences_.Take(at);
  const uint64_t further = (later & 1) != 0 ? differences_.Take(at) : 1;
  step.time = static_cast<int64_t>(static_cast<uint64_t>(step.time) + (later >> 1));
  step.step = static_cast<int64_t>(static_cast<uint64_t>(step.step) + further);
}

void StepTimes::Store(int64_t step, int64_t time) {
  if (stored_ % kBlock == 0) {
    blocks_.push_back({{step, time}, differences_.bytes()});
  } else {
    const auto later = static_cast<uint64_t>(time) - static_cast<uint64_t>(last_.time);
    const auto further = static_cast<uint64_t>(step) - static_cast<uint64_t>(last_.step);
    differences_.Put(later << 1 | (further == 1 ? 0 : 1));
    if (further != 1) differences_.Put(further);
  }
  last_ = {step, time};
  ++stored_;
}

void StepTimes::Append(int64_t step, int64_t time, int64_t made) {
  Store(step, time);
  if (count_ == 0) first_ = last_;
  if (count_ == 1) second_ = last_;
  count_ += made;
}

StepTimes::Neighbors StepTimes::Around(int64_t step) const {
  if (count_ == 0) return {};
  if (step > last_.step) return {last_, std::nullopt};
  if (step <= first_.step) return {std::nullopt, first_};
  // The last block that begins below `step`: there is one.
  const auto next = std::ranges::lower_bound(blocks_, step, {},
                                             [](const Block& block) { return block.first.step; });
  const auto block = next - 1;
  const size_t end = next == blocks_.end() ? differences_.bytes() : next->bytes;
  StepTime at = block->first;
  for (size_t read = block->bytes; read < end;) {
    const StepTime before = at;
    Take(read, at);
    if (at.step >= step) return {before, at};
  }
  return {at, next->first};
}

// Steps and their times ascend.
int64_t StepTimes::LastBegun(int64_t time) const {
  int64_t low = first().step, high = last().step;
  while (low < high) {
    const int64_t middle = low + (high - low + 1) / 2;
    const auto next = Around(middle).after;
    if (next && next->time <= time) {
      low = next->step;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

void StepTimes::Move(int64_t by) {
  for (StepTime* step : {&first_, &second_, &last_}) step->time += by;
  for (Block& block : blocks_) block.first.time += by;
}

std::vector<StepTime> StepTimes::Kept() const {
  std::vector<StepTime> all;
  all.reserve(static_cast<size_t>(stored_));
  for (size_t b = 0; b < blocks_.size(); ++b) {
    const size_t end = b + 1 < blocks_.size() ? blocks_[b + 1].bytes : differences_.bytes();
    StepTime at = blocks_[b].first;
    all.push_back(at);
    for (size_t read = blocks_[b].bytes; read < end;) {
      Take(read, at);
      all.push_back(at);
    }
  }
  return all;
}

void StepTimes::Thin(const Keep& keep) {
  const std::vector<StepTime> all = Kept();
  blocks_.clear();
  differences_ = {};
  stored_ = 0;
  for (size_t k = 0; k < all.size(); ++k) {
    const size_t left = all.size() - k - 1;
    if (k >= 2 && left >= 2 && !keep(all[k - 1], all[k], left)) continue;
    Store(all[k].step, all[k].time);
  }
  blocks_.shrink_to_fit();
  differences_.Fit();
}

void StepTimes::Save(StateWriter& out) const {
  out.Signed(count_);
  out.Signed(second_.step);
  out.Signed(second_.time);
  const std::vector<StepTime> all = Kept();
  out.Unsigned(all.size());
  StepTime before;
  for (const StepTime& s : all) {
    // Differences of extreme numbers wrap around, and back.
    out.Signed(static_cast<int64_t>(static_cast<uint64_t>(s.step) -
                                    static_cast<uint64_t>(before.step) - 1));
    out.Signed(
        static_cast<int64_t>(static_cast<uint64_t>(s.time) - static_cast<uint64_t>(before.time)));
    before = s;
  }
}

void StepTimes::Load(StateReader& in) {
  *this = {};
  const int64_t count = in.Signed();
  const int64_t second_step = in.Signed(), second_time = in.Signed();
  StepTime at;
  for (size_t left = in.Count(); left > 0 && in.ok(); --left) {
    at.step = static_cast<int64_t>(static_cast<uint64_t>(at.step) +
                                   static_cast<uint64_t>(in.Signed()) + 1);
    at.time =
        static_cast<int64_t>(static_cast<uint64_t>(at.time) + static_cast<uint64_t>(in.Signed()));
    Append(at.step, at.time);
  }
  count_ = count;
  second_ = {second_step, second_time};
}

}  // namespace stepscope::goodput
