// Computes the course of an attempt: before the first step, kept steps, lost steps, the open step.
#include "goodput/accounting/attempt.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/ascii.h"
#include "base/saturate.h"

namespace stepscope::goodput {
namespace {

using Piece = Overlays::Piece;

// The bucket of the last step, which no other step follows.
struct LastStep {
  Bucket bucket = Bucket::kInProgress;
  int64_t end = 0;  // end of `bucket`
  bool counted() const { return bucket != Bucket::kInProgress; }
};

// - After its own end, or that of the attempt, it counts like any other step.
// - In a running job it is in progress.
// - In a disrupted attempt it is lost, unless a later attempt continued after it.
LastStep FateOfLastStep(const JointAttempt& a, const Surroundings& around) {
  const StepTime& last = a.steps().last();
  const Bucket done = last.step < around.limit ? Bucket::kProductive : Bucket::kWasted;
  const int64_t until = std::max(around.until, last.time);
  if (a.lead->step_end) return {done, std::min(*a.lead->step_end, until)};
  if (a.end) return {done, until};
  if (around.running) return {Bucket::kInProgress, until};
  return {around.limit == kNoLimit ? Bucket::kWasted : done, until};
}

// When the step began: if it was not told, by those around it.
int64_t BeginOf(int64_t step, const StepTime& before, const StepTime& after) {
  const double part =
      static_cast<double>(step - before.step) / static_cast<double>(after.step - before.step);
  return before.time + std::llround(part * static_cast<double>(after.time - before.time));
}

// The end of the first step's excess over the mean of the others; its start if there is none.
int64_t EndOfStartup(const JointAttempt& a, const Surroundings& around, const LastStep& last,
                     std::span<const Piece> pieces) {
  const int64_t first = a.steps().first().time;
  if (!a.lead->first_lasts || a.steps().size() < 2) return first;
  int64_t others = a.lead->lasting_steps - 1;
  int64_t until = std::min(a.steps().last().time, around.until);
  if (const int64_t end = std::min(last.end, around.until); last.counted() && end > until) {
    ++others;
    until = end;
  }
  const int64_t second = std::min(a.steps().second().time, until);
  if (others <= 0 || second <= first) return first;
  const double mean =
      static_cast<double>(Uncovered(second, until, pieces)) / static_cast<double>(others);
  const int64_t excess = Uncovered(first, second, pieces) - std::llround(mean);
  return excess <= 0 ? first : ReachOf(excess, first, second, pieces);
}

}  // namespace

void OpenSpans::Open(const Event& begin) {
  if (begin.kind == EventKind::kCustomBegin) {
    custom[Upper(begin.text)] = begin.time;
  } else if (begin.kind == EventKind::kElasticWaitBegin) {
    waits[begin.text] = begin.time;
  } else {
    plain[begin.kind] = begin.time;
  }
}

std::optional<int64_t> OpenSpans::Close(const Event& end) {
  if (end.kind != EventKind::kCustomEnd && end.kind != EventKind::kElasticWaitEnd) {
    const auto begun = plain.extract(BeginOf(end.kind));
    return begun ? std::optional(begun.mapped()) : std::nullopt;
  }
  const bool is_custom = end.kind == EventKind::kCustomEnd;
  auto& spans = is_custom ? custom : waits;
  const auto found = spans.find(is_custom ? Upper(end.text) : end.text);
  if (found == spans.end()) return std::nullopt;
  const int64_t start = found->second;
  spans.erase(found);
  return start;
}

std::optional<int64_t> OpenSpans::Of(EventKind kind) const {
  const auto begun = plain.find(kind);
  return begun == plain.end() ? std::nullopt : std::optional(begun->second);
}

void OpenSpans::Move(int64_t by) {
  for (auto& [kind, time] : plain) time += by;
  for (auto& [type, time] : custom) time += by;
  for (auto& [type, time] : waits) time += by;
}

void Attempt::TakeSaved(int64_t step) {
  if (step != kUnknown) TakeLater(AddSaturated(step, counted_on), saved);
}

void Attempt::Move(int64_t by) {
  for (int64_t* time : {&start, &last, &told.time}) *time += by;
  for (std::optional<int64_t>* time : {&end, &notice, &left, &step_end, &resumed}) {
    if (*time) **time += by;
  }
  silence.start += by;
  silence.end += by;
  steps.Move(by);
  for (LongStep& step : long_steps) {
    step.start += by;
    step.end += by;
  }
  overlays.Move(by);
  open.Move(by);
}

size_t FirstPieceAfter(std::span<const Piece> pieces, int64_t time) {
  return static_cast<size_t>(std::ranges::upper_bound(pieces, time, {}, &Piece::end) -
                             pieces.begin());
}

int64_t Uncovered(int64_t start, int64_t end, std::span<const Piece> pieces) {
  int64_t free = end - start;
  for (size_t p = FirstPieceAfter(pieces, start); p < pieces.size() && pieces[p].start < end; ++p) {
    free -= std::min(pieces[p].end, end) - std::max(pieces[p].start, start);
  }
  return free;
}

int64_t ReachOf(int64_t uncovered, int64_t start, int64_t end, std::span<const Piece> pieces) {
  int64_t at = start;
  for (size_t p = FirstPieceAfter(pieces, start); p < pieces.size() && at < end; ++p) {
    const int64_t free = std::max<int64_t>(0, pieces[p].start - at);
    if (uncovered <= free) break;
    uncovered -= free;
    at = pieces[p].end;
  }
  return std::min(at + uncovered, end);
}

int64_t LiveEnd(const JointAttempt& attempt, std::optional<int64_t> next, int64_t now) {
  int64_t end = attempt.end.value_or(next ? attempt.last : std::max(now, attempt.last));
  if (next) end = std::min(end, *next);
  return std::max(end, attempt.start);
}

std::vector<CoursePart> Course(const JointAttempt& a, const Surroundings& around,
                               std::span<const Piece> pieces) {
  std::vector<CoursePart> course;
  int64_t at = a.start;
  const auto to = [&](int64_t end, Bucket bucket) {
    end = std::min(end, around.until);
    if (end <= at) return;
    course.push_back({at, end, bucket});
    at = end;
  };
  if (!a.steps().empty()) {
    const LastStep last = FateOfLastStep(a, around);
    const auto split = a.steps().Around(around.limit);
    to(a.steps().first().time, Bucket::kOther);
    to(EndOfStartup(a, around, last, pieces), Bucket::kStartup);
    if (split.before) {
      to(split.after ? BeginOf(around.limit, *split.before, *split.after) : a.steps().last().time,
         Bucket::kProductive);
    }
    to(a.steps().last().time, Bucket::kWasted);
    to(last.end, last.bucket);
  }
  to(around.until, Bucket::kOther);
  return course;
}

std::optional<int64_t> LastProductiveStep(const JointAttempt& a, const Surroundings& around) {
  if (a.steps().empty()) return std::nullopt;
  const LastStep last = FateOfLastStep(a, around);
  const int64_t until = std::min(last.end, around.until);
  if (last.bucket == Bucket::kProductive && until > a.steps().last().time) {
    return a.steps().last().step;
  }
  const int64_t next = std::min(around.limit, a.steps().last().step);
  const auto before = a.steps().Around(next).before;
  if (!before) return std::nullopt;
  // Where every number is a step, those that are not kept count too.
  const int64_t numbers = SubtractSaturated(a.steps().last().step, a.steps().first().step);
  return numbers == a.steps().size() - 1 ? next - 1 : before->step;
}

}  // namespace stepscope::goodput
