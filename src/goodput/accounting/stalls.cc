// Compares steps with the usual one.
#include "goodput/accounting/stalls.h"

#include <algorithm>
#include <string>

#include "base/ascii.h"
#include "base/saturate.h"
#include "base/time_units.h"

namespace stepscope::goodput {
namespace {

using Piece = Overlays::Piece;

constexpr int64_t kEnough = 3;  // steps, to know the usual one

// How much longer than usual a step must be.
struct Limit {
  int64_t times = 1;
  int64_t more = 0;  // ns
};
constexpr Limit kRecorded = {5, kSecond};
// Logs of the reference library tell only starts: a step there is all up to the next one.
constexpr Limit kLibrary = {10, 10 * kMinute};
// The first step may compile, and after a few nobody knows the usual one.
constexpr Limit kFirst = {10, 10 * kMinute};

bool IsLong(int64_t time, int64_t usual, const Limit& limit) {
  return time / limit.times >= usual && time - usual >= limit.more;
}

void AddExcess(int64_t start, int64_t end, int64_t usual, const Limit& limit, Bucket bucket,
               std::span<const Piece> pieces, Overlays& to) {
  if (end <= start || !IsLong(Uncovered(start, end, pieces), usual, limit)) return;
  const int64_t from = ReachOf(usual, start, end, pieces);
  if (from < end) to.Add(from, end, bucket);
}

void AddOpen(const Attempt& attempt, std::optional<int64_t> begin, int64_t until, Bucket bucket,
             uint8_t label, Overlays& to) {
  if (!begin || until <= *begin) return;
  const bool stepped_on = !attempt.steps.empty() && attempt.told.time > *begin;
  if (!stepped_on) to.Add(*begin, until, bucket, label);
}

// Programs may tell the start of each tenth step alone.
int64_t StepsPerStart(const JointAttempt& a) {
  if (a.steps().size() < 2) return 1;
  const int64_t steps = SubtractSaturated(a.steps().last().step, a.steps().first().step);
  return std::max<int64_t>(1, steps / (a.steps().size() - 1));
}

}  // namespace

void AddOpenSpans(const Attempt& attempt, int64_t until, std::span<const std::string> labels,
                  Overlays& to) {
  using K = EventKind;
  for (const auto& [kind, bucket] : {std::pair(K::kAcceleratorInitBegin, Bucket::kAcceleratorInit),
                                     std::pair(K::kTrainingPrepBegin, Bucket::kTrainingPrep),
                                     std::pair(K::kDataLoadingBegin, Bucket::kDataLoading),
                                     std::pair(K::kCheckpointSaveBegin, Bucket::kSave),
                                     std::pair(K::kCheckpointRestoreBegin, Bucket::kRestore),
                                     std::pair(K::kElasticReinitBegin, Bucket::kElasticReinit)}) {
    AddOpen(attempt, attempt.open.Of(kind), until, bucket, 0, to);
  }
  for (const auto& [type, begin] : attempt.open.custom) {
    const auto label = std::ranges::find(labels, type);
    if (label == labels.end()) continue;
    AddOpen(attempt, begin, until, Bucket::kCustom, static_cast<uint8_t>(label - labels.begin()),
            to);
  }
  for (const auto& [type, begin] : attempt.open.waits) {
    const bool up = Upper(type).contains("SCALE_UP");
    AddOpen(attempt, begin, until, up ? Bucket::kElasticUp : Bucket::kElasticDown, 0, to);
  }
}

void AddStalls(const JointAttempt& a, const Surroundings& around, const UsualStep& usual,
               std::span<const Piece> pieces, Overlays& to) {
  const Limit& limit = a.from_library ? kLibrary : kRecorded;
  const bool known = usual.steps >= kEnough;
  for (const LongStep& step : a.lead->long_steps) {
    if (!known) break;
    AddExcess(step.start, std::min(step.end, around.until), usual.time * step.made, limit,
              Bucket::kSlowStep, pieces, to);
  }
  if (a.steps().empty()) return;
  // A leader that did not begin the step in which the others are has hung between two.
  const bool behind = a.lead->step_end && a.waited_since && *a.waited_since >= *a.lead->step_end;
  if (behind && known && !around.running && !a.end) {
    AddExcess(*a.waited_since, around.until, usual.time, limit, Bucket::kHungStep, pieces, to);
  }
  const bool finished = a.lead->step_end.has_value();
  if (around.running && !finished) return;  // it is in progress
  const int64_t start = a.steps().last().time;
  const int64_t end = finished ? std::min(*a.lead->step_end, around.until) : around.until;
  const bool first = a.steps().size() == 1;
  if (!known && finished) return;
  // Not more than fit, so that the product does.
  const int64_t fit = SubtractSaturated(end, start) / std::max<int64_t>(1, usual.time) + 1;
  const int64_t steps = finished ? 1 : std::min(StepsPerStart(a), fit);
  const int64_t typical = usual.steps > 0 || first
                              ? usual.time * steps
                              : a.steps().second().time - a.steps().first().time;
  AddExcess(start, end, typical, first || !known ? kFirst : limit,
            finished ? Bucket::kSlowStep : Bucket::kHungStep, pieces, to);
}

}  // namespace stepscope::goodput
