// Implements the weighing of a finding.
#include "report/weigh_findings.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/saturate.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr double kHighShare = 0.10, kMediumShare = 0.03;  // of the time
constexpr double kMuchLess = 1.0 / 3;                     // of what was measured
constexpr double kSameExcess = 0.5;

// The steps since this one: how many a rank has that has them all, and their mean time.
struct LaterSteps {
  double count = 0, mean = 0;
};

LaterSteps StepsSince(int64_t first, const RankTime& whole) {
  std::set<int64_t> numbers;
  double steps = 0, time = 0;
  for (const TimedStep& s : whole.every) {
    if (s.number < first) continue;
    numbers.insert(s.number);
    ++steps;
    time += static_cast<double>(s.time);
  }
  if (steps == 0) return {};
  return {static_cast<double>(numbers.size()), time / steps};
}

// ns that are lost in each step; 0: unknown.
double PerStep(const Finding& f, const RankTime& whole) {
  if (whole.steps <= 0) return 0;
  // What is done once, and was measured over the recording, is no cost of each step.
  if (IsDoneOnce(f) && f.extent.steps <= 0 && !f.since) return 0;
  const bool measured = f.extent.steps > 0 && f.extent.time > 0;
  const double mean = measured ? static_cast<double>(f.extent.time) / f.extent.steps
                               : static_cast<double>(whole.time) / whole.steps;
  const auto lost = static_cast<double>(f.impact);
  if (f.since) {
    const LaterSteps later = StepsSince(*f.since, whole);
    return later.count > 0 ? std::min(lost / later.count, later.mean) : 0;
  }
  return std::min(f.extent.steps > 0 ? lost / f.extent.steps : f.share * mean, mean);
}

double ShareNow(const Finding& f, const RankTime& whole) {
  if (!f.since) return f.share;
  const LaterSteps later = StepsSince(*f.since, whole);
  return later.mean > 0 ? std::max(static_cast<double>(f.per_step) / later.mean, f.share) : f.share;
}

// Whether a replay may speak for what was measured: it says about as much; or much less of the same
// excess, which then waits anyway.
bool SpeaksFor(const Worth& worth, double measured) {
  const auto saved = static_cast<double>(worth.saved), excess = static_cast<double>(worth.excess);
  if (saved > (worth.excess > 0 ? kMuchMore : 1) * measured) return false;
  return saved >= kMuchLess * measured || excess >= kSameExcess * measured;
}

// Where a sentence ends with the share that was measured, it is what the replay says.
void SayShareAgain(std::string_view was, std::string_view is, Phrase& message) {
  const std::string ends = std::string(was) + " of span.";
  if (!message.ends_with(ends)) return;
  message.RewriteWith([&](std::string_view text) {
    if (text == was) return std::string(is);
    std::string said(text);
    if (text.ends_with(ends)) said.replace(said.size() - ends.size(), was.size(), is);
    return said;
  });
}

}  // namespace

bool IsDoneOnce(const Finding& f) {
  return f.cause.kind == CauseKind::kOneTime || f.cause.kind == CauseKind::kCompilation;
}

bool IsEstimate(const Finding& f) { return f.table == "what_if"; }

void Weigh(Found& found, const RankTime& whole) {
  Finding& f = found.finding;
  found.now = 0;
  // Without steps there is no typical part: a share is one of all that was recorded.
  const int64_t mean = ToInt64(static_cast<double>(whole.time) * f.extent.recordings);
  if (f.extent.time <= 0 || whole.steps <= 0) f.extent.time = std::max(f.extent.time, mean);
  const auto time = static_cast<double>(f.extent.time);
  if (f.impact <= 0 || time <= 0) return;
  f.share = std::min(static_cast<double>(f.impact) / time, 1.0);
  f.per_step = static_cast<int64_t>(PerStep(f, whole));
  found.now = ShareNow(f, whole);
  f.severity = found.now >= kHighShare     ? Severity::kHigh
               : found.now >= kMediumShare ? Severity::kMedium
                                           : Severity::kLow;
  f.severity = std::max(f.severity, f.at_most);  // the higher value is the lower severity
}

void Reweigh(Found& found, const RankTime& whole) {
  found.finding.share = 0;
  found.finding.per_step = 0;
  found.finding.severity = Severity::kLow;
  Weigh(found, whole);
}

void WeighAs(Found& found, int64_t impact, const RankTime& whole) {
  Finding& f = found.finding;
  f.impact = std::max<int64_t>(impact, 1);
  const std::string was = HumanRatio(f.share);
  Reweigh(found, whole);
  // What was measured of all communication is a number of its own, whatever it saves to hide it.
  if (f.cause.kind == CauseKind::kCommunication && !f.cause.rank) return;
  const double share = f.worth && !f.since ? ShareOf(*f.worth) : f.share;
  SayShareAgain(was, HumanRatio(share), f.message);
}

void ApplyWorth(Found& found, std::optional<Worth> worth, const RankTime& whole) {
  Finding& f = found.finding;
  f.worth.reset();
  if (!worth || whole.steps <= 0) return;
  double steps = f.extent.steps;
  if (steps <= 0) {  // as many as its extent is long
    const auto time = static_cast<double>(std::max<int64_t>(whole.time, 1));
    steps = whole.steps * static_cast<double>(f.extent.time) / time;
  }
  if (f.since) steps = StepsSince(*f.since, whole).count;
  worth->saved = std::clamp<int64_t>(worth->saved, 0, std::max<int64_t>(worth->step_time, 0));
  if (steps <= 0) return;
  const double measured = static_cast<double>(f.impact) / steps;
  // What one rank's path would save at most is replaced by what that saves the job.
  const bool is_less = static_cast<double>(worth->saved) <= measured;
  if (!SpeaksFor(*worth, measured) && !(IsEstimate(f) && is_less)) return;
  f.worth = worth;
  WeighAs(found, ToInt64(static_cast<double>(worth->saved) * steps), whole);
}

double ShareOf(const Worth& worth) {
  const auto step = static_cast<double>(std::max<int64_t>(worth.step_time, 1));
  return static_cast<double>(worth.saved) / step;
}

}  // namespace stepscope
