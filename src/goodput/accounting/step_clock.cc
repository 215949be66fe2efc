// Stores durations in classes: six bits of mantissa below the leading one.
#include "goodput/accounting/step_clock.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/saturate.h"

namespace stepscope::goodput {
namespace {

constexpr int kMantissa = 6;

size_t SizeOf(int64_t duration) {
  const auto value = static_cast<uint64_t>(duration);
  const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - kMantissa - 1);
  return (static_cast<size_t>(shift) << kMantissa) + static_cast<size_t>(value >> shift);
}

// The median; `values` are (value, count).
int64_t WeightedMedian(std::vector<std::pair<int64_t, int64_t>>& values, int64_t total) {
  std::ranges::sort(values);
  int64_t passed = 0;
  for (const auto& [value, count] : values) {
    passed += count;
    if (2 * passed >= total) return value;
  }
  return 0;
}

}  // namespace

StepClock::Size& StepClock::ClassOf(size_t number) {
  auto at = std::ranges::lower_bound(sizes_, number, {}, &Size::number);
  if (at == sizes_.end() || at->number != number) at = sizes_.insert(at, {.number = number});
  return *at;
}

void StepClock::Add(int64_t duration) {
  Size& size = ClassOf(SizeOf(duration));
  ++size.count;
  size.sum = AddSaturated(size.sum, duration);
  PutRecent(steps_, duration);
  ++steps_;
  sum_ = AddSaturated(sum_, duration);
}

void StepClock::Fit() {
  sizes_.shrink_to_fit();
  uint64_t before = 0;  // differences of extreme numbers wrap around, and back
  for (const int64_t recent : std::exchange(recent_, {})) {
    const auto duration = static_cast<uint64_t>(recent);
    fitted_.PutSigned(static_cast<int64_t>(duration - std::exchange(before, duration)));
  }
  fitted_.Fit();
}

size_t StepClock::bytes() const {
  return sizes_.capacity() * sizeof(Size) + recent_.capacity() * sizeof(int64_t) +
         fitted_.reserved();
}

std::vector<int64_t> StepClock::Recent() const {
  std::vector<int64_t> recent = recent_;
  uint64_t duration = 0;
  for (size_t at = 0; at < fitted_.bytes();) {
    duration += static_cast<uint64_t>(fitted_.TakeSigned(at));
    recent.push_back(static_cast<int64_t>(duration));
  }
  return recent;
}

void StepClock::PutRecent(int64_t step, int64_t duration) {
  if (fitted_.bytes() > 0) {
    recent_ = Recent();
    fitted_ = {};
  }
  const size_t at = static_cast<size_t>(step) % kRecent;
  if (at >= recent_.capacity()) recent_.reserve(std::min(kRecent, 2 * (at + 1)));
  if (at >= recent_.size()) recent_.resize(at + 1);
  recent_[at] = duration;
}

void StepClock::Add(const StepClock& later) {
  for (const Size& more : later.sizes_) {
    Size& size = ClassOf(more.number);
    size.count += more.count;
    size.sum = AddSaturated(size.sum, more.sum);
  }
  std::vector<int64_t> last;
  for (const StepClock* const clock : {static_cast<const StepClock*>(this), &later}) {
    const int64_t count = std::min<int64_t>(clock->steps_, kRecent);
    const std::vector<int64_t> recent = clock->Recent();
    for (int64_t k = clock->steps_ - count; k < clock->steps_; ++k) {
      last.push_back(recent[static_cast<size_t>(k) % kRecent]);
    }
  }
  steps_ += later.steps_;
  sum_ = AddSaturated(sum_, later.sum_);
  for (size_t k = 0; k < std::min(last.size(), kRecent); ++k) {
    PutRecent(steps_ - 1 - static_cast<int64_t>(k), last[last.size() - 1 - k]);
  }
}

std::optional<int64_t> StepClock::last() const {
  if (steps_ == 0) return std::nullopt;
  return Recent()[static_cast<size_t>(steps_ - 1) % kRecent];
}

int64_t StepClock::StepsUpTo(int64_t duration) const {
  const size_t longest = SizeOf(duration);
  int64_t count = 0;
  for (const Size& size : sizes_) count += size.number <= longest ? size.count : 0;
  return count;
}

std::optional<int64_t> StepClock::median() const {
  if (steps_ == 0) return std::nullopt;
  std::vector<std::pair<int64_t, int64_t>> values;
  for (const Size& size : sizes_) {
    if (size.count > 0) values.emplace_back(size.mean(), size.count);
  }
  return WeightedMedian(values, steps_);
}

std::optional<int64_t> StepClock::ideal() const {
  const auto middle = median();
  if (!middle) return std::nullopt;
  std::vector<std::pair<int64_t, int64_t>> distances;
  for (const Size& size : sizes_) {
    if (size.count > 0) distances.emplace_back(std::abs(size.mean() - *middle), size.count);
  }
  const int64_t spread = WeightedMedian(distances, steps_);
  const int64_t slowest = AddSaturated(*middle, AddSaturated(spread, AddSaturated(spread, spread)));
  int64_t count = 0;
  double sum = 0;
  for (const Size& size : sizes_) {
    if (size.count == 0 || size.mean() > slowest) continue;
    count += size.count;
    sum += static_cast<double>(size.sum);
  }
  return std::llround(sum / static_cast<double>(count));
}

std::optional<int64_t> StepClock::recent_deviation() const {
  const auto best = ideal();
  if (!best) return std::nullopt;
  const auto count = static_cast<size_t>(std::min<int64_t>(steps_, kRecent));
  const std::vector<int64_t> recent = Recent();
  std::vector<int64_t> deviations;
  for (size_t k = 0; k < count; ++k) deviations.push_back(std::abs(recent[k] - *best));
  std::ranges::sort(deviations);
  return deviations[(deviations.size() * 9 - 1) / 10];
}

void StepClock::Save(StateWriter& out) const {
  out.Signed(steps_);
  const std::vector<int64_t> recent = Recent();
  for (size_t k = 0; k < kRecent; ++k) out.Signed(k < recent.size() ? recent[k] : 0);
  // A state has all classes up to the last one.
  out.Unsigned(sizes_.empty() ? 0 : sizes_.back().number + 1);
  size_t number = 0;
  for (const Size& size : sizes_) {
    for (; number < size.number; ++number) out.Signed(0);
    out.Signed(size.count);
    if (size.count > 0) out.Signed(size.sum);
    ++number;
  }
}

void StepClock::Load(StateReader& in) {
  *this = {};
  steps_ = std::max<int64_t>(0, in.Signed());
  const auto known = static_cast<size_t>(std::min<int64_t>(steps_, kRecent));
  recent_.reserve(known);
  for (size_t k = 0; k < kRecent; ++k) {
    const int64_t duration = in.Signed();
    if (k < known) recent_.push_back(duration);
  }
  const size_t classes = in.Count();
  for (size_t number = 0; number < classes && in.ok(); ++number) {
    const int64_t count = in.Signed();
    if (count == 0) continue;
    Size& size = ClassOf(number);
    size.count = count;
    if (count > 0) size.sum = in.Signed();
    sum_ = AddSaturated(sum_, size.sum);
  }
}

}  // namespace stepscope::goodput
