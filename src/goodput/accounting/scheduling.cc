// Sums time by allocation state between changes.
#include "goodput/accounting/scheduling.h"

#include <algorithm>

namespace stepscope::goodput {
namespace {

constexpr int64_t kMostChips = int64_t{1} << 40;

int64_t Chips(int64_t count, int64_t otherwise) {
  return count == kUnknown ? otherwise : std::clamp<int64_t>(count, 0, kMostChips);
}

}  // namespace

// A missing count defaults to the previous one: healthy to allocated, requested to allocated.
void Scheduling::Add(const Event& event) {
  if (event.kind != EventKind::kResources || event.time == kUnknown) return;
  const int64_t allocated = Chips(event.counts[1], 0);
  changes_.push_back({.time = event.time,
                      .requested = Chips(event.counts[0], allocated),
                      .allocated = allocated,
                      .healthy = Chips(event.counts[2], allocated)});
}

int64_t Scheduling::most_requested() const {
  int64_t most = 0;
  for (const Change& change : changes_) most = std::max(most, change.requested);
  return most;
}

std::optional<int64_t> Scheduling::first() const {
  if (changes_.empty()) return std::nullopt;
  return std::ranges::min(changes_, {}, &Change::time).time;
}

void Scheduling::Save(StateWriter& out) const {
  out.Unsigned(changes_.size());
  for (const Change& c : changes_) {
    for (const int64_t number : {c.time, c.requested, c.allocated, c.healthy}) out.Signed(number);
  }
}

void Scheduling::Load(StateReader& in) {
  changes_.resize(in.Count());
  for (Change& c : changes_) {
    c.time = in.Signed();
    for (int64_t* count : {&c.requested, &c.allocated, &c.healthy}) *count = Chips(in.Signed(), 0);
  }
}

SchedulingTimes Scheduling::Query(int64_t now, const std::optional<Interval>& window) const {
  std::vector<Change> changes = changes_;
  std::ranges::stable_sort(changes, {}, &Change::time);
  SchedulingTimes times;
  const int64_t from = window ? window->start : INT64_MIN;
  const int64_t until = window ? std::min(window->end, now) : now;
  for (size_t i = 0; i < changes.size(); ++i) {
    const Change& c = changes[i];
    const int64_t start = std::max(c.time, from);
    const int64_t end = i + 1 < changes.size() ? std::min(changes[i + 1].time, until) : until;
    // Time after the last event of a job that requests nothing does not count.
    const bool over = i + 1 == changes.size() && c.requested == 0;
    if (end <= start || over) continue;
    const int64_t length = end - start;
    const int64_t working = std::min(c.healthy, c.allocated);
    if (c.requested == 0) {
      times.paused += length;
    } else if (working >= c.requested) {
      times.all_up += length;
    } else if (c.allocated >= c.requested) {
      times.unhealthy += length;
    } else {
      (c.allocated > 0 ? times.partial : times.waiting) += length;
    }
    if (c.requested > 0) {
      times.share += static_cast<double>(length) *
                     std::min(1.0, static_cast<double>(working) / static_cast<double>(c.requested));
    }
  }
  return times;
}

}  // namespace stepscope::goodput
