// Drops what answers about a long past do not need: keeps it by the minute, and all sums.
#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/time_units.h"
#include "goodput/accounting/accounting.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kOverlaysOfLate = 60 * kMinute;  // of the last attempt: kept exactly
// Overlays that an attempt keeps exactly: about 150 KB.
constexpr size_t kManyOverlays = 10'000;
constexpr size_t kRecent = 256;  // last steps of the last attempt, all kept

using StepNumbers = std::unordered_set<int64_t>;

// What answers need of an attempt because of the one after it.
struct Needs {
  int64_t limit = kNoLimit;     // the first step that was made again
  std::optional<int64_t> next;  // its start, by the attempt's own clock
};

Needs NeedsOf(const Attempt& attempt, const std::vector<JointAttempt>& joint,
              const std::vector<int64_t>& limits) {
  for (size_t j = 0; j < joint.size(); ++j) {
    const auto part = std::ranges::find(joint[j].parts, &attempt, &JointAttempt::Part::recorded);
    if (part == joint[j].parts.end()) continue;
    Needs needs{.limit = limits[j]};
    if (j + 1 < joint.size()) needs.next = joint[j + 1].start - part->moved;
    return needs;
  }
  return {};
}

// Joins overlays up to `to` between changes of the attempt's course, so that no sum changes.
// `later`: the same attempt, with more events.
void PackOverlays(const Attempt& later, const Needs& needs, int64_t to, Attempt& attempt) {
  if (attempt.steps.size() < 2) return;
  const int64_t last = later.steps.last().time;
  std::vector<int64_t> cuts{last, later.last};
  for (const auto time : {later.step_end, later.end, needs.next}) {
    if (time) cuts.push_back(*time);
  }
  const auto split = later.steps.Around(needs.limit);
  if (split.before) cuts.push_back(split.before->time);
  if (split.after) cuts.push_back(split.after->time);
  for (const LongStep& step : attempt.long_steps) {
    cuts.push_back(step.start);
    cuts.push_back(step.end);
  }
  std::ranges::sort(cuts);
  attempt.overlays.Pack(later.steps.second().time, to, cuts);
}

// Keeps of the steps before `until` one per minute, the first ones, `shared` ones, long ones, and
// those around the first that was made again.
void ThinSteps(int64_t until, const Needs& needs, const StepNumbers& shared, Attempt& attempt) {
  const auto split = attempt.steps.Around(needs.limit);
  std::vector<int64_t> long_ones;
  for (const LongStep& step : attempt.long_steps) long_ones.push_back(step.start);
  std::ranges::sort(long_ones);
  int64_t number = 1;  // the first two are not asked about
  attempt.steps.Thin([&](const StepTime& before, const StepTime& step, size_t) {
    const bool first = ++number <= kSampledSteps;
    return first || step.time >= until || before.time / kMinute != step.time / kMinute ||
           step == split.before || step == split.after || shared.contains(step.step) ||
           std::ranges::binary_search(long_ones, step.time);
  });
}

}  // namespace

void Accounting::ThinFor(const Accounting& later) {
  const std::vector<int64_t> limits = later.StepLimits();
  const std::vector<JointAttempt>& joint = later.LinedUp().attempts;
  for (const auto& recording : recordings_) {
    Recording& same = *later.by_writer_.at(recording->writer());
    for (size_t a = 0; a < recording->attempts().size(); ++a) {
      Attempt& attempt = recording->attempts()[a];
      const Attempt& known = same.attempts()[a];
      const Needs needs = NeedsOf(known, joint, limits);
      const bool goes_on = a + 1 == recording->attempts().size();
      if (attempt.overlays.size() > kManyOverlays) {
        PackOverlays(known, needs, goes_on ? attempt.last - kOverlaysOfLate : known.last, attempt);
      }
      const auto split = attempt.steps.Around(needs.limit);
      attempt.steps.Thin([&](const StepTime& before, const StepTime& step, size_t left) {
        return before.time / kMinute != step.time / kMinute || step == split.before ||
               step == split.after || (goes_on && left < kRecent);
      });
    }
  }
  lineup_.reset();
}

void Accounting::ThinOld(int64_t exact) {
  if (totals_.kept < exact) return;
  totals_.kept = 0;
  const std::vector<int64_t> limits = StepLimits();
  const std::vector<JointAttempt>& joint = LinedUp().attempts;
  // Ranks are compared by the steps that both of them tell.
  StepNumbers shared;
  for (const auto& recording : recordings_) {
    for (const Attempt& attempt : recording->attempts()) {
      if (!recording->thin()) break;
      for (const StepTime& step : attempt.steps.Kept()) shared.insert(step.step);
    }
  }
  for (const auto& recording : recordings_) {
    bool quiet = true;
    for (Attempt& attempt : recording->attempts()) {
      if (!recording->thin() && attempt.thinned != attempt.settled) {
        const Needs needs = NeedsOf(attempt, joint, limits);
        PackOverlays(attempt, needs, attempt.settled, attempt);
        ThinSteps(attempt.settled, needs, shared, attempt);
        attempt.thinned = attempt.settled;
      }
      quiet = quiet && attempt.settled == attempt.last;
      if (attempt.settled == attempt.last) attempt.overlays.Fit();
      attempt.settled = attempt.last;
    }
    if (quiet) recording->Fit();
  }
  lineup_.reset();
}

size_t Accounting::kept() const {
  size_t kept = 0;
  for (const auto& recording : recordings_) {
    for (const Attempt& attempt : recording->attempts()) {
      kept += static_cast<size_t>(attempt.steps.kept()) + attempt.overlays.size();
    }
  }
  return kept;
}

size_t Accounting::kept_bytes() const {
  size_t kept = 0;
  for (const auto& recording : recordings_) {
    kept += recording->step_clock().bytes() + recording->usual().bytes();
    for (const Attempt& attempt : recording->attempts())
      kept += attempt.steps.bytes() + attempt.overlays.bytes();
  }
  return kept;
}

}  // namespace stepscope::goodput
