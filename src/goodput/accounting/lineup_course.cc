// Joins the course of an attempt whose leader's log breaks off while other ranks go on.
#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/saturate.h"
#include "goodput/accounting/lineup_group.h"

namespace stepscope::goodput {
namespace {

// Adds the steps after those known; returns the longest time between two.
int64_t AddSteps(const Attempt& more, Attempt& course) {
  const StepTime known = course.told;
  std::vector<StepTime> steps = more.steps.Kept();
  if (steps.back().step < more.told.step) steps.push_back(more.told);
  // Starts may be told of each tenth step alone.
  const int64_t apart = std::max<int64_t>(
      1, (known.step - course.steps.first().step) / std::max<int64_t>(1, course.steps.size() - 1));
  int64_t longest = 0;
  for (const StepTime& s : steps) {
    if (s.step <= course.told.step || s.time <= course.last) continue;
    const int64_t made = std::max<int64_t>(1, (s.step - course.told.step) / apart);
    longest = std::max(longest, s.time - course.told.time);
    course.steps.Append(s.step, s.time, made);
    course.lasting_steps = AddSaturated(course.lasting_steps, made);
    course.told = s;
  }
  return longest;
}

void AddRest(Attempt& more, Attempt& course) {
  for (const Overlays::Piece& piece : more.overlays.Pieces()) {
    const int64_t start = std::max(piece.start, course.last);
    if (start < piece.end) course.overlays.Add(start, piece.end, piece.bucket, piece.label);
  }
  for (const LongStep& step : more.long_steps) {
    if (step.start >= course.last) course.long_steps.push_back(step);
  }
  course.step_end = more.step_end;
  course.end = more.end;
  course.open = more.open;
  course.left = more.left;
  course.last_word = more.last_word;
  course.saved = std::max(course.saved, more.saved);
  course.async_loading = AddSaturated(course.async_loading, more.async_loading);
  course.last = more.last;
}

// Who tells rather than another.
auto InOrder(const Run& run) { return std::tuple(run.recording->thin(), run.rank()); }

}  // namespace

const Run* NextToTell(const Group& group, const Run& run) {
  const Run* next = nullptr;
  for (const Run& r : group.runs) {
    // Those that wait for a dead rank may still begin a step.
    const bool further = !run.steps() || r.attempt->told.step > run.attempt->told.step + 1;
    if (!r.StepsAfter(run.last()) || !further) continue;
    if (next == nullptr || InOrder(r) < InOrder(*next)) next = &r;
  }
  return next;
}

bool BeginsLate(const Run& first, const Run& lead) {
  if (!first.steps() || !lead.steps() || InOrder(first) < InOrder(lead)) return false;
  const StepTime &one = first.attempt->steps.first(), &other = lead.attempt->steps.first();
  return one.step < other.step && lead.start() > one.time + kGoesOn;
}

namespace {

// The lowest rank that tells steps long before the leader's log begins; null: none.
const Run* BeforeLead(const Group& group, const Run& lead) {
  const Run* first = nullptr;
  for (const Run& r : group.runs) {
    if (BeginsLate(r, lead) && (first == nullptr || r.rank() < first->rank())) first = &r;
  }
  return first;
}

// Without what happened from `time` on. Of steps that are not kept, as many are counted as were
// told of the first ones.
void CutAt(int64_t time, Attempt& course) {
  StepTimes steps;
  int64_t apart = 1;
  for (const StepTime& s : course.steps.Kept()) {
    if (s.time >= time) break;
    const int64_t further = steps.empty() ? 1 : s.step - steps.last().step;
    if (steps.size() == 1) apart = further;
    steps.Append(s.step, s.time, std::max<int64_t>(1, further / apart));
  }
  course.steps = std::move(steps);
  course.told = course.steps.last();
  course.lasting_steps = course.steps.size() - 1;
  Overlays overlays;
  for (const Overlays::Piece& piece : course.overlays.Pieces()) {
    const int64_t end = std::min(piece.end, time);
    if (piece.start < end) overlays.Add(piece.start, end, piece.bucket, piece.label);
  }
  course.overlays = std::move(overlays);
  std::erase_if(course.long_steps, [&](const LongStep& step) { return step.end > time; });
  course.last = time - 1;
}

}  // namespace

std::optional<int64_t> WaitedSince(const Group& group, const Attempt& lead) {
  std::optional<int64_t> since;
  for (const Run& r : group.runs) {
    if (!r.steps() || lead.steps.empty() || r.attempt->told.step <= lead.told.step) continue;
    since = std::min(since.value_or(r.attempt->told.time), r.attempt->told.time);
  }
  return since;
}

std::vector<Run> Tellers(const Group& group) {
  std::vector<Run> tellers{group.Lead()};
  if (const Run* before = BeforeLead(group, tellers.front())) tellers = {*before, tellers.front()};
  while (const Run* next = NextToTell(group, tellers.back())) tellers.push_back(*next);
  return tellers;
}

std::unique_ptr<Attempt> JoinCourses(std::span<const Run> tellers, int64_t& known_to) {
  auto course = std::make_unique<Attempt>(*tellers.front().attempt);
  for (const Run& run : tellers.subspan(1)) {
    if (BeginsLate(tellers.front(), run)) CutAt(run.start(), *course);
    known_to = std::max(known_to, AddSteps(*run.attempt, *course));
    AddRest(*run.attempt, *course);
  }
  return course;
}

}  // namespace stepscope::goodput
